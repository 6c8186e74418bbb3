//! Lloyd's algorithm without privacy, step by step and on one thread.
//!
//! The library's own k-means runs on all threads and reports its end only. Figures need every step, and what is worked out
//! once and awaited by many runs must not hand work to the threads that wait for it.

use shoal_curator::internals::sphere_packing;
use shoal_kernel::{ClusterSums, LatticeCentres, SearchCentres, sums_and_counts};
use shoal_lattice::{HALF_WIDTH, LatticePoints};
use shoal_noise::{NoiseSource, SeededNoise};

/// Steps from a start at most; k-means on the papers' data ends long before.
const MOST_STEPS: usize = 300;

/// A table, and the sum of its rows' squared lengths.
pub struct PlainTable<'a> {
    points: &'a LatticePoints,
    norm: f64,
}

/// The best of several starts.
#[derive(Clone, Debug)]
pub struct Best {
    /// Centres in box units, one after the other.
    pub centres: Vec<f64>,
    /// Mean squared distance to the nearest centre, in box units.
    pub nicv: f64,
    /// Rows of each cluster.
    pub sizes: Vec<i64>,
}

impl<'a> PlainTable<'a> {
    /// These rows.
    #[must_use]
    pub fn new(points: &'a LatticePoints) -> Self {
        let cells = (0..points.rows()).flat_map(|row| (0..points.dims()).map(move |at| points.get(row, at)));
        Self { points, norm: cells.map(|x| f64::from(x).powi(2)).sum() }
    }

    /// What each cluster adds up to.
    #[must_use]
    pub fn sums(&self, centres: &LatticeCentres) -> ClusterSums {
        sums_and_counts(self.points, 0..self.points.tiles(), &SearchCentres::new(centres))
    }

    /// NICV of centres whose clusters have these sums.
    #[must_use]
    pub fn nicv(&self, centres: &LatticeCentres, sums: &ClusterSums) -> f64 {
        let mut cost = self.norm;
        for (j, &count) in sums.counts.iter().enumerate() {
            for (&c, &sum) in centres.centre(j).iter().zip(sums.sum(j)) {
                let c = f64::from(c);
                cost += c * (count as f64 * c - 2.0 * sum as f64);
            }
        }
        cost / f64::from(HALF_WIDTH).powi(2) / self.points.rows() as f64
    }

    /// Lloyd's steps from a start. `watch` gets the NICV of the start and after each step, and decides whether to go on.
    /// A cluster without rows keeps its centre.
    pub fn lloyd(&self, start: LatticeCentres, mut watch: impl FnMut(f64) -> bool) -> LatticeCentres {
        let (dims, mut centres) = (self.points.dims(), start);
        loop {
            let sums = self.sums(&centres);
            if !watch(self.nicv(&centres, &sums)) {
                return centres;
            }
            let mut next = Vec::with_capacity(centres.count() * dims);
            for (j, &count) in sums.counts.iter().enumerate() {
                let mean = |&sum: &i64| (sum as f64 / count as f64).round() as i16;
                match count {
                    0 => next.extend_from_slice(centres.centre(j)),
                    _ => next.extend(sums.sum(j).iter().map(mean)),
                }
            }
            centres = LatticeCentres::new(dims, next);
        }
    }

    /// The best of `starts` starts by sphere packing: SCL16's baseline.
    #[must_use]
    pub fn best(&self, k: usize, starts: usize, noise: &mut SeededNoise) -> Best {
        let runs = (0..starts.max(1)).map(|_| {
            let (mut before, mut steps) = (f64::INFINITY, 0);
            let centres = self.lloyd(self.start(k, noise), |nicv| {
                let goes_on = nicv < before && steps < MOST_STEPS;
                (before, steps) = (nicv, steps + 1);
                goes_on
            });
            let sums = self.sums(&centres);
            Best { nicv: self.nicv(&centres, &sums), centres: centres.to_unit(), sizes: sums.counts }
        });
        // Unwrap safety: there is a start.
        runs.min_by(|a, b| a.nicv.total_cmp(&b.nicv)).unwrap()
    }

    /// A start by sphere packing.
    pub fn start(&self, k: usize, noise: &mut dyn NoiseSource) -> LatticeCentres {
        let dims = self.points.dims();
        LatticeCentres::from_unit(dims, &sphere_packing(k, dims, noise))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::gaussians;
    use crate::measure::curator::CuratorTable;

    #[test]
    fn steps_go_downhill_and_end_where_the_library_s_k_means_does() {
        let table = CuratorTable::new(gaussians(2000, 3, 4, &mut SeededNoise::new(1)));
        let plain = PlainTable::new(table.points());
        let best = plain.best(4, 10, &mut SeededNoise::new(2));
        let score = table.score(&best.centres).unwrap();
        assert!((score.squared / best.nicv - 1.0).abs() < 1e-9, "{} and {}", score.squared, best.nicv);
        let library = table.baseline(4, 10, &mut SeededNoise::new(2)).unwrap();
        assert!((best.nicv / library.squared - 1.0).abs() < 1e-3, "{} and {}", best.nicv, library.squared);
        assert_eq!(best.sizes.iter().sum::<i64>(), 2000);
        let mut told = Vec::new();
        plain.lloyd(plain.start(4, &mut SeededNoise::new(3)), |nicv| {
            told.push(nicv);
            told.len() < 8
        });
        // Centres are rounded to the lattice, so the last digits may go up.
        assert!(told.windows(2).all(|pair| pair[1] <= pair[0] * (1.0 + 1e-6)), "{told:?}");
        assert!(told[0] > told[7]);
    }
}
