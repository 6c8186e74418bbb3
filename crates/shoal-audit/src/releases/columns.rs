//! Neighbouring tables whose columns are stretched, weighted or categories: what a method loses between them.
//!
//! Tables are text and are read as a job reads them, so that whatever a scale, a weight or a level lets through of one row is
//! in the answers. The row that comes and goes has the oddest cells there are: numbers far beyond the bounds, zeros, every
//! level, other words and gaps.

use shoal_curator::System;
use shoal_curator::internals::WitnessedNoise;
use shoal_files::{
    BoundsSpec, DataError, LoadOptions, Missing, PointStore, ReadOptions, Silent, Source, Table, load_points,
};
use shoal_lattice::{Bounds, BoundsError, Category, LatticeMap, Scaling};
use shoal_scan::{LocalScan, Scan};

use super::Tally;
use super::methods::run;
use super::run::record;
use super::tables::Rows;
use crate::runs::RunFailure;

/// Rows beside the one that comes and goes.
const ROWS: usize = 60;

/// A column of plain numbers, one that is stretched, and a category.
const COLUMNS: [&str; 3] = ["x", "income", "kind"];

/// How columns are declared.
pub struct Setting {
    /// Scales, as in `income=log`.
    pub scales: &'static str,
    /// Weights, as in `x=2,kind=0.3`.
    pub weights: &'static str,
    /// What becomes of gaps.
    pub missing: Missing,
    /// How often the row that comes and goes is counted: once, unless the audit is to find that.
    pub copies: usize,
    /// What tables and noise follow from.
    pub seed: u64,
}

impl Setting {
    /// The coordinates of these columns.
    ///
    /// # Errors
    /// Declarations that make no sense.
    pub fn bounds(&self) -> Result<Bounds, RunFailure> {
        let numbers = COLUMNS[..2].iter().map(ToString::to_string).collect::<Vec<_>>();
        let bounds = || {
            let bounds = BoundsSpec::parse("x=-10:10,income=1:1000000")?.resolve(&numbers, &numbers)?;
            let scaling = Scaling::default().scales(self.scales)?.weights(self.weights)?;
            scaling.apply_with(bounds, &[self.category()?])
        };
        bounds().map_err(|error: BoundsError| RunFailure::Other(error.to_string()))
    }

    fn category(&self) -> Result<Category, BoundsError> {
        let category = Category::new(COLUMNS[2], ["a", "b", "c"])?;
        if self.missing == Missing::Category { category.counting_gaps() } else { Ok(category) }
    }

    /// Compares every release of a system on tables with and without one row.
    ///
    /// # Errors
    /// When a table cannot be read, or the system refuses it.
    pub fn check(&self, system: &dyn System) -> Result<Tally, RunFailure> {
        let job = |scan: &dyn Scan, noise: &mut WitnessedNoise| run(system, scan, noise);
        let mut random = Rows::new(1, self.seed);
        let others: Vec<String> = (0..ROWS).map(|_| self.line(&mut random)).collect();
        let seeds = [random.word(), random.word()];
        let first = record(&job, &self.scan(&others)?, seeds, None)?;
        let mut tally = Tally::default();
        first.check(&mut tally);
        let gap = if self.missing.fills_gaps() { "" } else { "other" };
        for row in ["1e300,1e300,a", "-1e300,-5,b", "10,1,c", "-10,1000000,", "0,0,word", &format!("3,7,{gap}")] {
            let row = if row.ends_with(',') { format!("{row}{gap}") } else { row.to_string() };
            let mut lines = others.clone();
            lines.extend(std::iter::repeat_n(row.clone(), self.copies));
            let second = record(&job, &self.scan(&lines)?, seeds, Some(&first.script))?;
            first.compare(&second, true, &format!("a row {row}"), &mut tally);
        }
        Ok(tally)
    }

    /// A row somewhere.
    fn line(&self, random: &mut Rows) -> String {
        let levels: &[&str] = if self.missing.fills_gaps() { &["a", "b", "c", "d", ""] } else { &["a", "b", "c", "d"] };
        let x = random.below(2400) as f64 / 100.0 - 12.0;
        let income = 10f64.powf(random.below(800) as f64 / 100.0 - 1.0);
        format!("{x},{income},{}", levels[random.below(levels.len())])
    }

    fn scan(&self, lines: &[String]) -> Result<LocalScan, RunFailure> {
        let failed = |error: DataError| RunFailure::Other(error.to_string());
        let category = self.category().map_err(|error| RunFailure::Other(error.to_string()))?;
        let options = ReadOptions { categories: vec![category], missing: self.missing, ..ReadOptions::default() };
        let csv = format!("{}\n{}\n", COLUMNS.join(","), lines.join("\n"));
        let table = Table::open(Source::Memory(csv.into_bytes()), &options).map_err(failed)?;
        let map = LatticeMap::new(&self.bounds()?);
        // Every second table is read again in each pass.
        let memory = if self.seed.is_multiple_of(2) { 1 << 24 } else { 0 };
        let options = LoadOptions { memory, chunk_rows: Some(16), two_readers: false };
        let points: PointStore = load_points(table, map, &options, &Silent).map_err(failed)?;
        Ok(LocalScan::new(points))
    }
}
