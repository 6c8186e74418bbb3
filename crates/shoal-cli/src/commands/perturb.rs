//! `shoal perturb`: each row of a table as one person's report.

use std::path::{Path, PathBuf};

use serde_json::json;
use shoal_crowd::report_file::{Form, ReportWriter};
use shoal_crowd::{Perturbed, perturb_table};
use shoal_device::{Client, CrowdError, Design, Promises};
use shoal_files::{BoundsSpec, Source, Table};
use shoal_lattice::STEPS;
use shoal_noise::{NoiseSource, OsNoise, SeededNoise};
use shoal_privacy::{Assumption, ThisIsNotPrivate};

use super::fit::{BOUNDS_NEEDED, start_threads};
use super::mechanism::{Chosen, choose, sampler};
use crate::arguments::perturb::{MechanismArg, PerturbArgs};
use crate::arguments::{Format, MissingArg, Shown};
use crate::failure::Failure;
use crate::place::ClaimedPlace;
use crate::show::output;
use crate::show::progress::ReadingBar;
use crate::show::summary::{in_practice, plural};
use crate::table;

/// Perturbs a table, row by row. The file of reports appears whole or not at all.
pub fn run(args: &PerturbArgs, shown: &Shown) -> Result<(), Failure> {
    args.check_options()?;
    let spec = args.bounds.as_deref().ok_or_else(|| Failure::usage(BOUNDS_NEEDED))?;
    let spec = BoundsSpec::parse(spec).map_err(Failure::usage)?;
    if args.mechanism == MechanismArg::Bpgm && !args.accept_unsound {
        let reason = shoal_device::bpgm::reason();
        return Err(Failure::refused(format!("{reason} To run it all the same, for research, say --accept-unsound")));
    }
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

    let (table, bounds) = table::open_with_bounds(source, &args.table, &spec)?;
    let Chosen { mechanism, how } = choose(args, bounds.dims());
    let design = Design { mechanism, epsilon: args.epsilon.clone(), sampler: sampler(args), bounds };
    // The mechanism that keeps no promise was refused above, unless it was asked for.
    let client = Client::accepting_unsound(&design).map_err(of_parameters)?;
    let seeded = args.seed.is_some();
    let promises = if seeded { client.promises().with_seeded_noise() } else { client.promises() };
    // That a report is there at all tells whether its row had a gap.
    let promises = promises.assuming(match args.table.missing {
        MissingArg::Refuse => vec![Assumption::RowsComplete],
        MissingArg::Drop => vec![Assumption::GapsPublic, Assumption::RowsReadable],
    });
    if seeded && !shown.quiet {
        eprintln!("NO PRIVACY: --seed makes the noise repeatable. Leave it out for anything that is released.");
    }
    start_threads(shown)?;
    let work = Work { table: &table, design: &design, client: &client, promises: &promises, seeded };
    let (done, path) = match args.seed {
        Some(seed) => work.run(SeededNoise::new(seed), place, shown)?,
        None => work.run(OsNoise::new()?, place, shown)?,
    };
    let told = Told { work: &work, how: &how, reports: done.reports, source: &table::short_name(&args.data) };
    if shown.format == Format::Json {
        output::json(&told.json(&path))?;
    } else {
        output::print(&output::wrapped(&told.text(shown)))?;
    }
    if !shown.quiet {
        let clamped = done.clamped.without_privacy().reveal(ThisIsNotPrivate);
        if clamped > 0 {
            eprintln!(
                "NOT PRIVATE, for your eyes only and no part of the reports: {clamped} of {} had a value outside the bounds, which was moved to the nearest limit.",
                plural(done.reports as usize, "record")
            );
        }
        eprintln!("written: {}", path.display());
    }
    Ok(())
}

/// Parameters that make no sense are the command line's fault.
fn of_parameters(error: CrowdError) -> Failure {
    match error {
        CrowdError::Parameter { .. } => Failure::usage(error),
        other => Failure::refused(other),
    }
}

/// All that is settled before the first row is read.
struct Work<'a> {
    table: &'a Table,
    design: &'a Design,
    client: &'a Client,
    promises: &'a Promises,
    seeded: bool,
}

impl Work<'_> {
    fn run<N: NoiseSource + Send>(
        &self,
        mut noise: N,
        place: ClaimedPlace,
        shown: &Shown,
    ) -> Result<(Perturbed, PathBuf), Failure> {
        let form = Form::of(place.path());
        let mut pending = place.open()?;
        let cannot = |error| Failure::refused(format!("the reports cannot be written ({error})"));
        let out = ReportWriter::new(pending.writer(), self.design, self.promises, self.seeded, form);
        let mut out = out.map_err(cannot)?;
        let bar = ReadingBar::new("perturbing", shown);
        let done = perturb_table(self.table, &self.design.bounds, self.client, &mut noise, &mut out, &bar);
        bar.finish();
        let done = done?;
        out.finish().map_err(cannot)?;
        Ok((done, pending.finish()?))
    }
}

/// What is said about the reports.
struct Told<'a> {
    work: &'a Work<'a>,
    /// The mechanism and what chose its parameters, in words.
    how: &'a str,
    reports: u64,
    source: &'a str,
}

impl Told<'_> {
    /// How far a report is from its record, in widths of a column's range: root of the mean square.
    fn expected_error(&self) -> Option<f64> {
        self.work.client.expected_squared_error().map(f64::sqrt).filter(|error| error.is_finite())
    }

    fn text(&self, shown: &Shown) -> String {
        let Work { design, promises, .. } = self.work;
        let (reports, columns) = (plural(self.reports as usize, "report"), plural(design.bounds.dims(), "column"));
        let mut text = format!("{reports} of {} by {columns}, {}\n", self.source, self.how);
        text.push_str(&format!("\n{}\n", promises.guarantee.sentence()));
        for also in &promises.also {
            text.push_str(&format!("Also: {}\n", also.sentence()));
        }
        if let Some(claim) = promises.guarantee.claim() {
            text.push_str(&in_practice(claim));
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
                output::number(error, error)
            ));
        }
        text
    }

    fn json(&self, path: &Path) -> serde_json::Value {
        let Work { design, promises, seeded, .. } = self.work;
        json!({
            "reports": self.reports,
            "out": path,
            "mechanism": design.mechanism,
            "how": self.how,
            "epsilon": design.epsilon,
            "sampler": design.sampler,
            "columns": design.bounds.columns(),
            "bounds": design.bounds,
            "steps": STEPS,
            "guarantee": promises.guarantee,
            "also": promises.also,
            "published": promises.published,
            "expected_error": self.expected_error().map(|error| json!({ "report_rmse": error, "unit": "box" })),
            "seeded": seeded,
            "shoal": env!("CARGO_PKG_VERSION"),
        })
    }
}
