//! One run of a curator method on a table, and how good its centres are.

use std::time::Instant;

use shoal_curator::internals::sphere_packing;
use shoal_curator::{DesignSize, Knobs, Settings, find_method};
use shoal_files::PointStore;
use shoal_kernel::score::NicvAccumulator;
use shoal_kernel::{LatticeCentres, kmeans_from};
use shoal_lattice::{BoxPosition, HALF_WIDTH, LatticePoints};
use shoal_noise::{NoiseSource, SeededNoise};
use shoal_privacy::{Allowance, Delta};
use shoal_scan::LocalScan;

use crate::Failure;

/// How good a set of centres is, and how long it took.
#[derive(Clone, Copy, Debug)]
pub struct Score {
    /// Mean squared distance to the nearest centre, in box units.
    pub squared: f64,
    /// NQC21's mean distance.
    pub unsquared: f64,
    /// Seconds of the run alone.
    pub seconds: f64,
}

/// A table that methods run on again and again.
pub struct CuratorTable {
    points: LatticePoints,
    scan: LocalScan,
}

impl CuratorTable {
    /// These rows.
    #[must_use]
    pub fn new(points: LatticePoints) -> Self {
        let scan = LocalScan::new(PointStore::InMemory(copy(&points)));
        Self { points, scan }
    }

    /// How many rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.points.rows()
    }

    /// The rows.
    #[must_use]
    pub fn points(&self) -> &LatticePoints {
        &self.points
    }

    /// Rows through scans, as methods see them.
    #[must_use]
    pub fn scan(&self) -> &LocalScan {
        &self.scan
    }

    /// A run with the true number of rows as the design size, as the papers have it.
    pub fn run(
        &self,
        method: &str,
        k: usize,
        epsilon: &str,
        knobs: Knobs,
        noise: &mut SeededNoise,
    ) -> Result<Score, Failure> {
        self.run_at(method, k, epsilon, &Delta::ZERO, knobs, noise)
    }

    /// The same at an (ε, δ).
    pub fn run_at(
        &self,
        method: &str,
        k: usize,
        epsilon: &str,
        delta: &Delta,
        knobs: Knobs,
        noise: &mut SeededNoise,
    ) -> Result<Score, Failure> {
        let info = find_method(method).ok_or_else(|| format!("there is no method {method}"))?;
        let size = DesignSize::Public(self.rows() as u64);
        let epsilon = epsilon.parse().map_err(|error| format!("{epsilon}: {error}"))?;
        // Figures show the error itself, so intervals are not worth their time here.
        let knobs = Knobs { reruns: knobs.reruns.or(Some(0)), ..knobs };
        let settings = Settings { delta: delta.clone(), knobs, ..Settings::new(k, epsilon, size) };
        let system = info.build(&settings, self.points.dims())?;
        let start = Instant::now();
        let outcome = system.run(&self.scan, Allowance::without_ledger(system.claim()), noise)?;
        let seconds = start.elapsed().as_secs_f64();
        Ok(Score { seconds, ..self.score(&BoxPosition::numbers(&outcome.centres.concat()))? })
    }

    /// What centres in box units cost.
    pub fn score(&self, centres: &[f64]) -> Result<Score, Failure> {
        let mut nicv = NicvAccumulator::new(centres, self.points.dims())?;
        let mut lattice = vec![0; self.points.dims()];
        let mut row = vec![0.0; self.points.dims()];
        for r in 0..self.rows() {
            self.points.copy_row(r, &mut lattice);
            for (x, &steps) in row.iter_mut().zip(&lattice) {
                *x = f64::from(steps) / f64::from(HALF_WIDTH);
            }
            nicv.add_row(&row)?;
        }
        Ok(Score { squared: nicv.squared()?, unsquared: nicv.unsquared()?, seconds: 0.0 })
    }

    /// k-means without privacy from starts by sphere packing: the best of them, as SCL16's baseline.
    pub fn baseline(&self, k: usize, starts: usize, noise: &mut dyn NoiseSource) -> Result<Score, Failure> {
        let dims = self.points.dims();
        let starts: Vec<_> =
            (0..starts).map(|_| LatticeCentres::from_unit(dims, &sphere_packing(k, dims, noise))).collect();
        let runs = kmeans_from(&self.points, None, &starts, 300);
        let best = runs.into_iter().min_by(|a, b| a.cost.total_cmp(&b.cost)).ok_or("there is no start")?;
        self.score(&best.centres)
    }
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
