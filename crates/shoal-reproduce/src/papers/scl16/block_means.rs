//! The two errors of GkM apart: means over blocks without noise, and noise on the best centres.

use std::sync::{Arc, OnceLock};

use shoal_curator::internals::BlockKMeans;
use shoal_curator::{Blocks, Matching};
use shoal_lattice::{HALF_WIDTH, LatticePoints};
use shoal_noise::uniform::{below, unit_f64};
use shoal_noise::{NoiseSource, SeededNoise};

use super::tables::Table;
use crate::Failure;

/// Starts and rounds in a block, those of the library's GkM.
const IN_A_BLOCK: (usize, usize) = (5, 30);

/// A data set with the quartiles of its attributes.
pub struct Blocked {
    /// The data set.
    pub table: Arc<Table>,
    quartiles: OnceLock<Vec<(i16, i16)>>,
}

impl Blocked {
    /// Nothing is done yet.
    pub fn new(table: Arc<Table>) -> Self {
        Self { table, quartiles: OnceLock::new() }
    }

    /// ℓ for blocks of N^`exponent` rows, unless they would have fewer rows than clusters.
    pub fn blocks(&self, exponent: f64) -> Option<u32> {
        let rows = self.table.data.records.rows();
        let blocks = (rows as f64).powf(1.0 - exponent).round().max(1.0) as u32;
        (blocks as usize * self.table.k <= rows).then_some(blocks)
    }

    fn quartiles(&self, points: &LatticePoints) -> &[(i16, i16)] {
        self.quartiles.get_or_init(|| (0..points.dims()).map(|at| quartiles(points, at)).collect())
    }

    /// The NICV of the mean over blocks, as it is and clamped into the quartiles of the rows: no noise. No privacy depends on the
    /// deal here, so that blocks are equal, to one row.
    pub fn aggregate(&self, blocks: u32, noise: &mut SeededNoise) -> Result<[f64; 2], Failure> {
        let (rows, k) = (self.table.data.table()?, self.table.k);
        let (points, dims) = (rows.points(), rows.points().dims());
        let kmeans = BlockKMeans::new((k, dims), IN_A_BLOCK, Matching::Sort, noise);
        let mut dealt: Vec<LatticePoints> = (0..blocks).map(|_| LatticePoints::new(dims)).collect();
        let mut row = vec![0; dims];
        let mut order: Vec<usize> = (0..points.rows()).collect();
        for last in (1..order.len()).rev() {
            order.swap(last, below(noise, last as u64 + 1) as usize);
        }
        for (place, at) in order.into_iter().enumerate() {
            points.copy_row(at, &mut row);
            dealt[place % blocks as usize].push_row(&row);
        }
        let quartiles = self.quartiles(points);
        let (mut free, mut clamped) = (vec![0.0; k * dims], vec![0.0; k * dims]);
        for block in &dealt {
            for (at, x) in kmeans.centres(block).into_iter().enumerate() {
                let (low, high) = quartiles[at % dims];
                free[at] += f64::from(x);
                clamped[at] += f64::from(x.clamp(low, high));
            }
        }
        let scale = f64::from(blocks) * f64::from(HALF_WIDTH);
        let score = |sums: Vec<f64>| rows.score(&sums.iter().map(|sum| sum / scale).collect::<Vec<_>>());
        Ok([score(free)?.squared, score(clamped)?.squared])
    }

    /// The NICV of the best centres with the noise of eq. (3) on them, as if nothing else went wrong.
    pub fn noise_on_best(&self, blocks: u32, epsilon: f64, noise: &mut SeededNoise) -> Result<f64, Failure> {
        let rows = self.table.data.table()?;
        let mut centres = self.table.best()?.centres.clone();
        // Eq. (3) for a range as wide as the bounds, which is what a widened range of outputs comes to in most cases.
        const WIDTH: f64 = 2.0;
        let share = 2.0 * centres.len() as f64 / (f64::from(blocks) * epsilon);
        for x in &mut centres {
            *x = (*x + share * WIDTH * laplace(noise)).clamp(-1.0, 1.0);
        }
        Ok(rows.score(&centres)?.squared)
    }
}

/// ℓ of Table 1 for a paper's number of rows.
pub fn published_blocks(method: &str, rows: u64, k: usize) -> f64 {
    let rule = if method == "gkm" { Blocks::Power } else { Blocks::PerCluster };
    rule.count(rows, k) as f64
}

/// The 25 % and the 75 % quantile of an attribute.
fn quartiles(points: &LatticePoints, attribute: usize) -> (i16, i16) {
    let mut column: Vec<i16> = (0..points.rows()).map(|row| points.get(row, attribute)).collect();
    column.sort_unstable();
    (column[column.len() / 4], column[(3 * column.len() / 4).min(column.len() - 1)])
}

/// Laplace noise of scale 1. A float is good enough where nothing is released.
fn laplace(noise: &mut dyn NoiseSource) -> f64 {
    let sign = if noise.next_u64().is_multiple_of(2) { 1.0 } else { -1.0 };
    -sign * (1.0 - unit_f64(noise)).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_noise_has_the_variance_of_laplace() {
        let mut noise = SeededNoise::new(1);
        let draws: Vec<f64> = (0..20_000).map(|_| laplace(&mut noise)).collect();
        let mean = draws.iter().sum::<f64>() / 2e4;
        let variance = draws.iter().map(|x| x * x).sum::<f64>() / 2e4;
        assert!(mean.abs() < 0.04 && (variance - 2.0).abs() < 0.15, "{mean}, {variance}");
    }

    #[test]
    fn quartiles_are_those_of_the_column() {
        let mut points = LatticePoints::new(2);
        (0..100i16).rev().for_each(|x| points.push_row(&[7, x]));
        assert_eq!(quartiles(&points, 1), (25, 75));
        assert_eq!(quartiles(&points, 0), (7, 7));
    }
}
