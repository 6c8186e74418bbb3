//! Small tables for the tests of curator methods, and a run on them.

// Each test file uses its share.
#![allow(dead_code)]

use shoal_curator::{Outcome, System};
use shoal_files::PointStore;
use shoal_lattice::{HALF_WIDTH, LatticePoints};
use shoal_noise::{NoiseSource, SeededNoise};
use shoal_privacy::Allowance;
use shoal_scan::{LocalScan, Scan};

/// Rows of `dims` attributes, to be scanned; there may be none.
pub fn table(dims: usize, rows: &[Vec<i16>]) -> LocalScan {
    let mut points = LatticePoints::new(dims);
    rows.iter().for_each(|row| points.push_row(row));
    LocalScan::new(PointStore::InMemory(points))
}

/// A run with all that it claims, and seeded noise.
pub fn run_seeded(fit: &dyn System, scan: &dyn Scan, seed: u64) -> Outcome {
    fit.run(scan, Allowance::without_ledger(fit.claim()), &mut SeededNoise::new(seed)).unwrap()
}

/// Groups around the given places (box units), a few lattice units wide.
pub fn groups<P: AsRef<[f64]>>(places: &[P], each: usize) -> Vec<Vec<i16>> {
    let mut random = SeededNoise::new(99);
    let mut jitter = || (random.next_u64() % 4001) as f64 - 2000.0;
    let mut near = |x: &f64| (x * f64::from(HALF_WIDTH) + jitter()) as i16;
    (0..each * places.len()).map(|i| places[i % places.len()].as_ref().iter().map(&mut near).collect()).collect()
}

/// A repeatable source that does not say so: for tests of what a release with real noise would promise.
pub struct Unseeded(pub SeededNoise);

impl NoiseSource for Unseeded {
    fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }
    fn fill_bytes(&mut self, bytes: &mut [u8]) {
        self.0.fill_bytes(bytes);
    }
    fn is_seeded(&self) -> bool {
        false
    }
    fn fork(&mut self, label: u64) -> Self {
        Self(self.0.fork(label))
    }
}
