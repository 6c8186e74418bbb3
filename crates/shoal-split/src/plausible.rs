//! Released numbers that contradict each other (R12).
//!
//! Privacy does not depend on this: helpers and custodians are trusted for a correct result, and whoever lies can spoil it.
//! What is grossly wrong is found all the same: every count of all rows must be the same number up to noise. The limit is
//! twenty standard deviations, since a single number has Laplace noise: honest runs exceed it less than once in 10^11.

use shoal_release::{Step, Take};
use shoal_scan::Question;

/// Numbers beyond this come from no table.
const FARTHEST: i64 = 1 << 62;

const DEVIATIONS: f64 = 20.0;

/// What is known of the number of rows.
#[derive(Clone, Debug)]
pub(crate) struct Plausible {
    copies: u32,
    totals: Vec<(f64, f64)>,
}

impl Plausible {
    pub(crate) fn new(copies: u32) -> Self {
        Self { copies, totals: Vec::new() }
    }

    /// Whether these numbers go with those before.
    pub(crate) fn takes(&mut self, step: &Step, numbers: &[i64]) -> bool {
        if numbers.iter().any(|number| !(-FARTHEST..FARTHEST).contains(number)) {
            return false;
        }
        let counts = match (step.question(), step.take()) {
            (Question::RowCount | Question::CellCounts { .. } | Question::BoxCounts { .. }, _) => numbers,
            (Question::SumsAndCounts { .. }, Take::Counts) => numbers,
            _ => return true,
        };
        let Ok(prepared) = step.prepare() else { return true };
        let variance: f64 = (0..counts.len()).map(|number| prepared.variance(number)).sum();
        let total = counts.iter().map(|&count| count as f64).sum::<f64>() / f64::from(step.scale());
        let variance = variance * f64::from(self.copies) / f64::from(step.scale()).powi(2);
        let fits = |(other, theirs): &(f64, f64)| (total - other).abs() <= DEVIATIONS * (variance + theirs).sqrt();
        let fits = self.totals.iter().all(fits) && total >= -DEVIATIONS * variance.sqrt();
        self.totals.push((total, variance));
        fits
    }
}
