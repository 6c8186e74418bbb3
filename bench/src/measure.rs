//! One run of a curator method on a table, and how good its centres are.

use std::time::Instant;

use shoal::curator::{DesignSize, Knobs, Settings, find_method};
use shoal::data::{HALF_WIDTH, LatticePoints, PointStore};
use shoal::scan::LocalScan;
use shoal::score::NicvAccumulator;
use shoal_noise::SeededNoise;
use shoal_privacy::{Allowance, Delta};

use crate::Failure;

/// How good a set of centres is, and how long it took.
pub struct Score {
    /// Mean squared distance to the nearest centre, in box units.
    pub squared: f64,
    /// NQC21's mean distance.
    pub unsquared: f64,
    /// Seconds of the run alone.
    pub seconds: f64,
}

/// Runs `method` with the table's own number of rows as the design size.
pub fn run_method(
    points: &LatticePoints,
    method: &str,
    k: usize,
    epsilon: &str,
    delta: &Delta,
    seed: u64,
) -> Result<Score, Failure> {
    let info = find_method(method).ok_or_else(|| format!("there is no method {method}"))?;
    let size = DesignSize::Public(points.rows() as u64);
    let epsilon = epsilon.parse().map_err(|error| format!("{epsilon}: {error}"))?;
    let settings = Settings { k, epsilon, delta: delta.clone(), size, knobs: Knobs::default() };
    let system = info.build(&settings, points.dims())?;
    let scan = LocalScan::new(PointStore::InMemory(copy(points)));
    let start = Instant::now();
    let outcome = system.run(&scan, Allowance::without_ledger(system.claim()), &mut SeededNoise::new(seed))?;
    score(points, &outcome.centres.concat(), start.elapsed().as_secs_f64())
}

/// Rows cannot be cloned by accident; here it is no accident.
fn copy(points: &LatticePoints) -> LatticePoints {
    let mut copy = LatticePoints::with_capacity(points.dims(), points.rows());
    let mut row = vec![0; points.dims()];
    for r in 0..points.rows() {
        points.copy_row(r, &mut row);
        copy.push_row(&row);
    }
    copy
}

/// What centres in box units cost.
pub fn score(points: &LatticePoints, centres: &[f64], seconds: f64) -> Result<Score, Failure> {
    let mut nicv = NicvAccumulator::new(centres, points.dims())?;
    let mut lattice = vec![0; points.dims()];
    for r in 0..points.rows() {
        points.copy_row(r, &mut lattice);
        let row: Vec<f64> = lattice.iter().map(|&x| f64::from(x) / f64::from(HALF_WIDTH)).collect();
        nicv.add_row(&row)?;
    }
    Ok(Score { squared: nicv.squared()?, unsquared: nicv.unsquared()?, seconds })
}
