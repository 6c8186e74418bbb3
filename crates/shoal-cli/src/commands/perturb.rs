//! `shoal perturb`: each row of a table as one person's report.

use std::path::{Path, PathBuf};

use serde_json::json;
use shoal::{Made, Perturb, Perturbation, Radius};
use shoal_crowd::report_file::Form;
use shoal_device::{BpgmForm, Ending, Mechanism, WordResponse};
use shoal_files::Source;
use shoal_lattice::{Category, STEPS};
use shoal_page::text::{plural, to_step};
use shoal_privacy::{Amount, ThisIsNotPrivate};

use crate::arguments::{EndingArg, Format, MechanismArg, PerturbArgs, RadiusRuleArg, Shown};
use crate::failure::Failure;
use crate::library::failed;
use crate::place::ClaimedPlace;
use crate::show::bars::Bars;
use crate::show::output;
use crate::show::summary::{statement, weak};
use crate::table;

/// Perturbs a table, row by row. The file of reports appears whole or not at all.
pub fn run(args: &PerturbArgs, shown: &Shown) -> Result<(), Failure> {
    args.check_options()?;
    let job = set_up(args, shown).map_err(failed)?;
    job.check().map_err(failed)?;
    let out = args.out.to_string_lossy();
    if out == "-" || out.ends_with(".gz") {
        return Err(Failure::usage(
            "reports go to a file of their own, not compressed: give --out reports.parquet or --out reports.csv",
        ));
    }
    let source = table::source(&args.data, shown);
    let mut inputs: Vec<PathBuf> = args.bounds.iter().map(PathBuf::from).filter(|path| path.is_file()).collect();
    if let Source::Path(path) = &source {
        inputs.push(path.clone());
    }
    let inputs: Vec<&Path> = inputs.iter().map(PathBuf::as_path).collect();
    let place = ClaimedPlace::new(&args.out, &inputs)?;
    let form = Form::of(place.path());
    let mut pending = place.open()?;
    let made = job.run_to(source, pending.writer(), form).map_err(failed)?;
    let path = pending.finish()?;
    let text = Text { made: &made, how: how(args, &made), source: &table::short_name(&args.data) };
    if shown.format == Format::Json {
        output::json(&text.json(&path))?;
    } else {
        output::print(&output::wrapped(&text.text(shown)))?;
    }
    if !shown.quiet {
        let clamped = made.clamped.reveal(ThisIsNotPrivate);
        if clamped > 0 {
            eprintln!(
                "NOT PRIVATE, for your eyes only and no part of the reports: {clamped} of {} had a value outside the bounds, which was moved to the nearest limit.",
                plural(made.reports as usize, "record")
            );
        }
        eprintln!("written: {}", path.display());
    }
    Ok(())
}

/// The crowd that the command line asks for.
fn set_up(args: &PerturbArgs, shown: &Shown) -> Result<Perturb, shoal::Error> {
    let mut job = Perturb::new(&args.epsilon)?
        .mechanism(perturbation(args))
        .missing(args.table.missing)
        .memory(args.table.memory)
        .watch(Bars::new(shown));
    if let Some(bounds) = &args.bounds {
        job = job.bounds(bounds)?;
    }
    if let Some(categories) = &args.categories {
        job = job.categories(categories)?;
    }
    if let Some(weight) = &args.weight {
        job = job.weight(weight)?;
    }
    if !args.persons.person.is_empty() {
        job = job.person(&args.persons.person);
    }
    if let Some(way) = &args.persons.per_person {
        job = job.per_person(&way.to_string())?;
    }
    if let Some(sampler) = args.knobs.sampler {
        job = job.sampler(sampler);
    }
    if args.accept_unsound {
        job = job.accept_unsound();
    }
    if let Some(seed) = args.seed {
        job = job.seed(seed);
    }
    if let Some(columns) = &args.table.columns {
        job = job.columns(columns);
    }
    if args.table.no_header {
        job = job.no_header();
    }
    job = job.format(args.table.written.to_library());
    if args.table.multiline {
        job = job.multiline();
    }
    if let Some(threads) = shown.threads {
        job = job.threads(threads.get());
    }
    Ok(job)
}

fn perturbation(args: &PerturbArgs) -> Perturbation {
    let knobs = &args.knobs;
    match args.mechanism {
        MechanismArg::Bpm => Perturbation::Bpm(match (knobs.radius, knobs.radius_rule) {
            (Some(radius), _) => Radius::Given(radius),
            (None, Some(RadiusRuleArg::Remark2)) => Radius::Remark2,
            (None, _) => Radius::Information,
        }),
        MechanismArg::Laplace => Perturbation::Laplace,
        MechanismArg::LaplaceMetric => Perturbation::LaplaceMetric,
        MechanismArg::NdLaplace => Perturbation::NdLaplace(match (knobs.ending, knobs.grid_cells) {
            (Some(EndingArg::Grid), Some(cells)) => Ending::Grid { cells },
            (Some(EndingArg::Clamped), _) => Ending::Clamped,
            _ => Ending::Raw,
        }),
        MechanismArg::Bpgm => Perturbation::Bpgm {
            bound: knobs.noise_bound.clone().unwrap_or(Amount::ONE),
            form: knobs.bpgm_form.unwrap_or(BpgmForm::Adam),
        },
    }
}

/// The mechanism, its parameters, and what chose them.
fn how(args: &PerturbArgs, made: &Made) -> String {
    let epsilon = made.design.epsilon();
    match made.design.mechanism() {
        Mechanism::Bpm { radius_steps } => {
            let rule = match (args.knobs.radius, args.knobs.radius_rule) {
                (Some(_), _) => "as given",
                (None, Some(RadiusRuleArg::Remark2)) => "chosen by Remark 2 of the paper",
                (None, _) => "the least that keeps nearly all information of a report",
            };
            let radius = *radius_steps as f64 / STEPS as f64;
            let radius = to_step(radius, radius / 10.0);
            let note = made.note.map_or(String::new(), |note| format!(". {}", note.words()));
            format!("bpm with ε = {epsilon} per width and L = {radius} widths ({rule}){note}")
        }
        Mechanism::Laplace => format!("laplace with ε = {epsilon} in all, the same part of it on each column"),
        Mechanism::LaplaceMetric => format!("laplace-metric with ε = {epsilon} per width"),
        Mechanism::NdLaplace { ending, .. } => {
            let ending = match ending {
                Ending::Grid { cells } => format!("moved to a grid of {cells} cells per column"),
                Ending::Clamped => "moved into the bounds".into(),
                Ending::Raw => "raw".into(),
            };
            format!("nd-laplace with ε = {epsilon} per width, {ending}")
        }
        Mechanism::Bpgm { bound, form } => {
            let (form, noise) = match form {
                BpgmForm::ClosedForm => ("the closed form", "noise"),
                BpgmForm::Adam => ("the published loop", "noise"),
                BpgmForm::AsPrinted => ("Algorithm 2 as printed", "distances drawn"),
            };
            format!("bpgm by {form} with ε = {epsilon} and {noise} up to {bound} widths")
        }
    }
}

/// What is shown about the reports.
struct Text<'a> {
    made: &'a Made,
    how: String,
    source: &'a str,
}

impl Text<'_> {
    /// How far a report is from its record, in widths of a column's range: root of the mean square.
    fn expected_error(&self) -> Option<f64> {
        self.made.expected_squared_error.map(f64::sqrt).filter(|error| error.is_finite())
    }

    /// How each column of words is reported.
    fn words(&self) -> Vec<String> {
        let design = &self.made.design;
        let of = |category: &Category| {
            let epsilon = design.epsilon_of_words(category);
            let law = WordResponse::new(&epsilon, category).ok()?;
            Some(format!(
                "{}: one of {} words (`other` among them) with ε = {epsilon}; the true one with a probability of {} %, each other \
                 one with {} %",
                category.column(),
                law.outcomes(),
                to_step(100.0 * law.pmf(0, 0), 0.1),
                to_step(100.0 * law.pmf(0, 1), 0.1),
            ))
        };
        design.categories().iter().filter_map(of).collect()
    }

    fn text(&self, shown: &Shown) -> String {
        let Made { design, promises, reports, .. } = self.made;
        let (reports, columns) = (plural(*reports as usize, "report"), plural(design.columns().count(), "column"));
        let mut text = format!("{reports} of {} by {columns}, {}\n", self.source, self.how);
        for words in self.words() {
            text.push_str(&format!("{words}\n"));
        }
        match promises.guarantee.claim() {
            Some(claim) => text.push_str(&format!("\n{}", statement(claim))),
            None => text.push_str(&format!("\n{}\n", promises.guarantee.sentence())),
        }
        for also in &promises.also {
            text.push_str(&format!("Also: {}\n", also.sentence()));
        }
        if let Some(claim) = promises.guarantee.claim() {
            text.push_str(&weak(claim));
        }
        if !shown.quiet {
            text.push_str(&format!("The paper ({}) says: {}.\n", promises.published.paper, promises.published.text));
            text.push_str(
                "Distances are between records as rounded to 65,535 positions per column; to a distance between raw records add √d/65,534.\n",
            );
        }
        if let Some(error) = self.expected_error() {
            text.push_str(&format!(
                "Expected error: a report lies about {} widths from its record.\n",
                to_step(error, error)
            ));
        }
        text
    }

    fn json(&self, path: &Path) -> serde_json::Value {
        let Made { design, promises, seeded, reports, .. } = self.made;
        let mut described = json!({
            "reports": reports,
            "out": path,
            "mechanism": design.mechanism(),
            "how": self.how,
            "epsilon": design.epsilon(),
            "sampler": design.sampler(),
            "columns": design.columns().collect::<Vec<_>>(),
            "bounds": design.bounds(),
            "steps": STEPS,
            "guarantee": promises.guarantee,
            "sentence": promises.guarantee.sentence(),
            "also": promises.also,
            "published": promises.published,
            "expected_error": self.expected_error().map(|error| json!({ "report_rmse": error, "unit": "box" })),
            "seeded": seeded,
            "shoal": env!("CARGO_PKG_VERSION"),
        });
        if !design.categories().is_empty() {
            described["categories"] = json!(design.categories());
        }
        described
    }
}
