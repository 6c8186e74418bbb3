//! What reported words add to a pass: a term of the density of each report under each cluster, and sums of shares by outcome.

#![allow(clippy::needless_range_loop)]

use crate::server::noise_aware::look_up::Lanes;
use crate::server::noise_aware::pass::Mixture;
use crate::server::points::{LANES, ReportPoints};
use crate::server::words::Words;

/// The words of the reports of one part.
pub(super) struct WordPass<'a> {
    words: &'a Words,
    rows: usize,
    /// Per cluster and outcome: the logarithm of its probability.
    table: Vec<f32>,
    /// Per cluster: the sum of these over the columns, for the present tile.
    pub logs: Vec<Lanes>,
    /// The largest of these.
    pub largest: Lanes,
    /// Per cluster and outcome: the sum of shares.
    counts: Vec<f64>,
}

impl<'a> WordPass<'a> {
    /// Nothing where reports have no words.
    pub fn new(points: &'a ReportPoints, mixture: &Mixture) -> Option<Self> {
        let words = points.words()?;
        let table: Vec<f32> = words.logs(&mixture.levels).into_iter().map(|log| log as f32).collect();
        let counts = vec![0.0; table.len()];
        let logs = vec![[0.0; LANES]; mixture.k()];
        Some(Self { words, rows: points.rows(), table, logs, largest: [0.0; LANES], counts })
    }

    /// Takes a tile.
    pub fn take(&mut self, tile: usize) {
        let size = self.words.outcomes();
        for lane in 0..LANES {
            let row = (tile * LANES + lane).min(self.rows - 1);
            let mut largest = f32::NEG_INFINITY;
            for j in 0..self.logs.len() {
                let of_cluster = &self.table[j * size..(j + 1) * size];
                let log = self.words.of(row).map(|at| of_cluster[at]).sum::<f32>();
                self.logs[j][lane] = log;
                largest = largest.max(log);
            }
            self.largest[lane] = largest;
        }
    }

    /// Adds a cluster's shares of the reports of a tile, which are zero for lanes that are no report.
    pub fn add(&mut self, tile: usize, cluster: usize, shares: &Lanes) {
        let size = self.words.outcomes();
        let counts = &mut self.counts[cluster * size..(cluster + 1) * size];
        for lane in 0..LANES.min(self.rows - tile * LANES) {
            for at in self.words.of(tile * LANES + lane) {
                counts[at] += f64::from(shares[lane]);
            }
        }
    }

    pub fn finish(self) -> Vec<f64> {
        self.counts
    }
}
