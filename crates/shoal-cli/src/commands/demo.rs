//! `shoal demo`

use shoal::K;
use shoal_files::{Missing, Source};
use shoal_kernel::assign_min_cost;
use shoal_noise::uniform::unit_f64;
use shoal_noise::{NoiseSource, SeededNoise};
use shoal_page::text::fixed;
use shoal_privacy::Delta;

use super::fit;
use crate::arguments::Knobs;
use crate::arguments::written::WrittenArgs;
use crate::arguments::{DEFAULT_METHOD, DemoArgs, FitArgs, Format, PersonArgs, Shown, TableArgs};
use crate::failure::Failure;
use crate::show::output::{self, Table};

/// People in the generated town.
const PEOPLE: usize = 20_000;

/// Three groups of made-up people: (share of the town, mean age, mean hours of sport a month, spreads of both).
const GROUPS: [(f64, [f64; 2], [f64; 2]); 3] =
    [(0.5, [24.0, 30.0], [4.0, 5.0]), (0.3, [47.0, 9.0], [6.0, 3.0]), (0.2, [72.0, 20.0], [5.0, 4.0])];

/// Public limits of age and hours: chosen by thinking, not by looking.
const BOUNDS: &str = "age=16:100,sport_hours=0:50";

/// Generates a table, clusters it, and compares with what it was made from.
pub fn run(args: &DemoArgs, shown: &Shown) -> Result<(), Failure> {
    let table = generate();
    let place = |name: &str| args.keep.as_ref().map(|folder| folder.join(name));
    if let Some(path) = place("people.csv") {
        let written =
            std::fs::create_dir_all(path.parent().unwrap_or(&path)).and_then(|()| std::fs::write(&path, &table));
        written.map_err(|error| {
            Failure::refused(format!("cannot write {} ({error}); choose another folder", path.display()))
        })?;
    }
    if !shown.quiet && shown.format == Format::Table {
        output::print(&output::wrapped(&format!(
            "A made-up town: {} people, their age and their hours of sport a month, in three groups.\n\
             The same for a file of yours: shoal fit people.csv -k 3 --epsilon {} --bounds {BOUNDS}\n\n",
            fixed(PEOPLE as f64, 0),
            args.epsilon
        )))?;
    }
    let fit_args = FitArgs {
        data: "people.csv".into(),
        k: K::Given(GROUPS.len()),
        epsilon: args.epsilon.clone(),
        delta: Delta::ZERO,
        bounds: Some(BOUNDS.into()),
        scale: None,
        categories: None,
        weight: None,
        method: DEFAULT_METHOD.into(),
        rows: None,
        rows_public: false,
        out: place("model.json"),
        report: place("report.html"),
        synopsis: None,
        sampling: false,
        earlier: None,
        ledger: None,
        dataset: None,
        people: None,
        seed: args.seed,
        persons: PersonArgs::default(),
        table: TableArgs {
            columns: None,
            missing: Missing::Refuse,
            no_header: false,
            multiline: false,
            written: WrittenArgs::default(),
            memory: 1 << 30,
        },
        knobs: Knobs::default(),
    };
    let model = fit::run_on(Source::Memory(table.into_bytes()), &fit_args, shown)?;
    if shown.quiet || shown.format == Format::Json {
        return Ok(());
    }
    output::print(&output::wrapped(&format!("\n{}", comparison(&model.centres))))
}

/// The groups the town was made from beside the centres that were found.
fn comparison(centres: &[Vec<f64>]) -> String {
    let distance =
        |found: &[f64], made: &[f64; 2]| ((found[0] - made[0]) / 84.0).powi(2) + ((found[1] - made[1]) / 50.0).powi(2);
    let costs: Vec<f64> =
        GROUPS.iter().flat_map(|(_, made, _)| centres.iter().map(move |found| distance(found, made))).collect();
    let matching = assign_min_cost(GROUPS.len(), centres.len(), &costs);
    let mut table = Table::new(&["made from", "found"]);
    for ((_, made, _), j) in GROUPS.iter().zip(matching.column_of) {
        let Some(found) = j.and_then(|j| centres.get(j)) else { continue };
        table.row([format!("{} years, {} h", made[0], made[1]), format!("{:.1} years, {:.1} h", found[0], found[1])]);
    }
    format!("What the town was made from (known here only because we made it), and what was found:\n{table}")
}

/// The same town every time; only the privacy noise is fresh.
fn generate() -> String {
    let mut random = SeededNoise::new(2016);
    let mut csv = String::from("age,sport_hours\n");
    for _ in 0..PEOPLE {
        let mut draw = unit_f64(&mut random);
        let group = GROUPS.iter().find(|(share, ..)| {
            draw -= share;
            draw < 0.0
        });
        let (_, mean, spread) = group.unwrap_or(&GROUPS[2]);
        let age = (mean[0] + spread[0] * normal(&mut random)).round().clamp(16.0, 100.0);
        let hours = (mean[1] + spread[1] * normal(&mut random)).clamp(0.0, 50.0);
        csv.push_str(&format!("{age},{hours:.1}\n"));
    }
    csv
}

/// A standard normal draw (Box and Muller). For made-up people, not for noise.
fn normal(random: &mut impl NoiseSource) -> f64 {
    let radius = (-2.0 * (1.0 - unit_f64(random)).ln()).sqrt();
    radius * (std::f64::consts::TAU * unit_f64(random)).cos()
}
