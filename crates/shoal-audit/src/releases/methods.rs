//! Every method of the catalogue, release by release, and the purchase of bounds.

use shoal_curator::internals::WitnessedNoise;
use shoal_curator::{Method, PrivateBounds, System};
use shoal_files::{ReadOptions, Silent, Source, Table};
use shoal_privacy::{Accountant, Allowance, Epsilon};
use shoal_scan::{Scan, TableScan};

use super::run::{Recorded, record};
use super::tables::{Engine, HIGH, LOW, Rows};
use super::worst_answers::{Side, WorstAnswers};
use super::{Tally, synopsis};
use crate::pairs::curator::Make;
use crate::runs::RunFailure;

/// Rows of a table: two tiles and a part of a third.
const ROWS: usize = 37;

/// One method in one setting.
pub struct Setting<'a> {
    /// The method.
    pub method: &'static Method,
    /// Makes the system.
    pub make: &'a Make,
    /// The number of columns.
    pub dims: usize,
    /// The number of clusters, or the most.
    pub k: usize,
    /// How rows are read.
    pub engine: Engine,
    /// What tables and noise follow from.
    pub seed: u64,
}

impl Setting<'_> {
    /// Compares every release on neighbouring tables.
    ///
    /// # Errors
    /// When the method refuses a table.
    pub fn check(&self) -> Result<Tally, RunFailure> {
        let Self { dims, engine, seed, .. } = *self;
        let system = (self.make)()?;
        let mut random = Rows::new(dims, seed);
        let mut table = random.table(ROWS);
        if self.method.info.name.starts_with("gkm") {
            // Its output range comes from quartiles, of rows or of what blocks make of them.
            table = random.off_the_ends(table);
        }
        let mut tally = Tally::default();
        let job = |scan: &dyn Scan, noise: &mut WitnessedNoise| run(&*system, scan, noise);
        let seeds = [random.word(), random.word()];
        let without = engine.scan(dims, &table)?;
        let first = record(&job, &*without, seeds, None)?;
        first.check(&mut tally);
        // Appended: which block a row is dealt to follows from its place.
        let with = |row: Vec<i16>| engine.scan(dims, &[&table[..], &[row]].concat());
        let mixed = (0..dims).map(|axis| if axis % 2 == 0 { LOW } else { HIGH }).collect();
        for (row, place) in [
            (vec![LOW; dims], "the lower corner"),
            (vec![HIGH; dims], "the upper corner"),
            (mixed, "another corner"),
            (table[random.below(ROWS)].clone(), "a row's place"),
        ] {
            let second = record(&job, &*with(row)?, seeds, Some(&first.script))?;
            first.compare(&second, true, &format!("one more row at {place}"), &mut tally);
        }
        let corner = with(vec![HIGH; dims])?;
        let side = |side| WorstAnswers { without: &*without, with: &*corner, side };
        let first = record(&job, &side(Side::Without), seeds, None)?;
        for number in 0..largest_groups(&first, self.k) {
            let second = record(&job, &side(Side::With(number)), seeds, Some(&first.script))?;
            first.compare(&second, false, &format!("the largest change of centre {}", number + 1), &mut tally);
        }
        if self.method.info.synopsis {
            synopsis::check(&self.method.info, &*system, &*without, (seeds[0], 3), &mut tally)?;
        }
        Ok(tally)
    }
}

/// How many centres there are to change: a method may use more than it was asked for.
fn largest_groups(run: &Recorded, k: usize) -> usize {
    let parts = |step: &shoal_curator::internals::RecordedStep| match &step.drawn {
        shoal_curator::internals::Drawn::Parts(parts) if step.mechanism.ends_with("SumsMechanism") => parts.len(),
        _ => 0,
    };
    let vectors = run.steps.iter().filter(|step| step.mechanism == "KNormSumsMechanism").map(parts).max();
    vectors.unwrap_or(0).max(k).min(24)
}

pub(super) fn run(
    system: &dyn System,
    scan: &dyn Scan,
    noise: &mut WitnessedNoise,
) -> Result<(String, shoal_privacy::Loss), RunFailure> {
    let outcome = system.run(scan, Allowance::without_ledger(system.claim()), noise)?;
    let charged = outcome.charged.clone();
    Ok((format!("{outcome:?}"), charged))
}

/// The purchase of bounds for a table that is read as text, twice.
///
/// # Errors
/// When the table cannot be read.
pub fn private_bounds(dims: usize, epsilon: &Epsilon, seed: u64) -> Result<Tally, RunFailure> {
    let bounds = PrivateBounds::new(epsilon, dims)?;
    let mut random = Rows::new(dims, seed);
    let mut rows: Vec<String> = (0..ROWS * 8).map(|_| text(&random.row())).collect();
    let mut tally = Tally::default();
    let job = |scan: &dyn Scan, noise: &mut WitnessedNoise| {
        let mut accountant = Accountant::new(Allowance::without_ledger(bounds.claim()));
        let counted = bounds.count(scan).map_err(shoal_curator::FitError::from)?;
        let found = bounds.run(counted, scan, &mut accountant, noise)?;
        Ok((format!("{found:?}"), accountant.promised().loss))
    };
    let seeds = [random.word(), random.word()];
    let recorded = |rows: &[String], script: Option<&shoal_curator::internals::Script>| {
        let head: Vec<String> = (0..dims).map(|column| format!("c{column}")).collect();
        let csv = format!("{}\n{}\n", head.join(","), rows.join("\n"));
        let table = Table::open(Source::Memory(csv.into_bytes()), &ReadOptions::default());
        let table = table.map_err(|error| RunFailure::Other(error.to_string()))?;
        record(&job, &TableScan::new(&table, &Silent), seeds, script)
    };
    let first = recorded(&rows, None)?;
    first.check(&mut tally);
    for row in [text(&vec![LOW; dims]), vec!["1e300"; dims].join(","), vec!["0"; dims].join(",")] {
        rows.push(row);
        let second = recorded(&rows, Some(&first.script))?;
        first.compare(&second, true, "one more row", &mut tally);
        rows.pop();
    }
    Ok(tally)
}

fn text(row: &[i16]) -> String {
    row.iter().map(i16::to_string).collect::<Vec<_>>().join(",")
}
