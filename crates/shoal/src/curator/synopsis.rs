//! Noisy counts of the cells of a grid, and k-means on them (SCL16 §4.2): the non-interactive way.
//!
//! Once released, a synopsis can be clustered again for any k, any number of times: that is post-processing and free.
//! Each cell stands at its centre with its noisy count as its weight. **Negative counts stay negative**, so noise
//! cancels inside a cluster; turning them to zero would add rows that are not there. Of several starts the result with
//! the lowest NICV *against the synopsis* is kept.
//!
//! *Utility.* The variance of a centre in attribute i is Σ (t_i − o_i)²·Var / C² over the cells t of its cluster (the sum
//! before eq. (9)). Rows are taken to sit in the middle of their cell: with cells of width w that moves the centre of a
//! cluster that fills m cells by about w/√(12·m), where m = C²/Σc² counts cells by their weight (eq. (10) has the worst
//! case, w/2).
//!
//! *Runtime.* Starts × rounds × cells × k × d.
//!
//! *Deviations.* A cluster whose counts do not add up to more than zero keeps its centre (the authors' code divides by a
//! negative total, too); centres are clamped into the box. The paper runs k-means until it converges and the authors'
//! code for at most 100 rounds; here it is 50. With negative counts, centres that hold rows settle within ten rounds or
//! so, and centres that hold only noise go in circles or wander without end: on S1, Adult and Lifesci the NICV after 10,
//! 20, 30, 50 and 100 rounds is the same to within its standard error.

use rayon::prelude::*;
use shoal_noise::NoiseSource;
use shoal_privacy::{Claim, Guarantee, Loss};

use super::expected_error::HOPELESS;
use super::sphere_packing;
use crate::data::{HALF_WIDTH, LatticePoints};
use crate::plain::{BestKMeans, LatticeCentres, SearchCentres, WeightedGrid, assign};
use crate::scan::Grid;

/// Cells whose errors are summed up at a time.
const CHUNK: usize = 1 << 16;

/// How a synopsis is clustered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SynopsisKMeans {
    /// Number of clusters.
    pub k: usize,
    /// Sphere-packing starts; 30 in SCL16.
    pub inits: usize,
    /// Most rounds from each start: 50, see *Deviations*; 100 in the authors' code.
    pub rounds: usize,
}

impl SynopsisKMeans {
    /// The paper's number of starts.
    pub fn new(k: usize) -> Self {
        Self { k, inits: 30, rounds: 50 }
    }
}

/// A released grid of noisy counts.
#[derive(Clone, Debug, PartialEq)]
pub struct Synopsis {
    /// The cells.
    pub grid: Grid,
    /// A noisy count per cell; many are negative.
    pub counts: Vec<i64>,
    /// Standard deviation of the noise on a count.
    pub count_noise: f64,
    /// What its release promises.
    pub guarantee: Guarantee,
    /// What had been charged when it was released, seeded or not.
    pub charged: Loss,
}

/// Clusters of a synopsis, in box units.
#[derive(Clone, Debug, PartialEq)]
pub struct SynopsisClusters {
    /// The centres.
    pub centres: Vec<Vec<f64>>,
    /// Sums of noisy counts, not below zero.
    pub sizes: Vec<f64>,
    /// Standard deviation of the noise on each size.
    pub size_noise: Vec<f64>,
    /// Standard deviation of each centre's error per attribute, in interval widths: noise and cell width together.
    pub noise_per_centre: Vec<Vec<f64>>,
    /// Mean squared distance of the synopsis from its centres; none when the counts do not add up to more than zero.
    pub nicv: Option<f64>,
}

impl Synopsis {
    /// A synopsis from released counts.
    ///
    /// # Panics
    /// When there is not one count per cell.
    pub fn new(grid: Grid, counts: Vec<i64>, count_noise: f64, claim: Claim, seeded: bool) -> Self {
        assert_eq!(grid.cells(), counts.len(), "one count per cell");
        let charged = claim.loss.clone();
        Self { grid, counts, count_noise, guarantee: Guarantee::of(claim, seeded), charged }
    }

    /// k-means on the cells from each of the given starts; costs are sums over the noisy counts.
    pub fn kmeans_from(&self, starts: &[LatticeCentres], rounds: usize) -> Vec<BestKMeans> {
        WeightedGrid::new(self.middles(), &self.counts).kmeans_from(starts, rounds)
    }

    /// The best clustering from sphere-packing starts. Uses `noise` only for the starts.
    pub fn cluster(&self, how: &SynopsisKMeans, noise: &mut dyn NoiseSource) -> SynopsisClusters {
        let dims = self.grid.dims();
        let starts: Vec<LatticeCentres> = (0..how.inits.max(1))
            .map(|_| LatticeCentres::from_unit(dims, &sphere_packing(how.k, dims, noise)))
            .collect();
        let runs = self.kmeans_from(&starts, how.rounds);
        // Unwrap safety: there is at least one start. The total weight is the same for all: lowest cost, lowest NICV.
        let best = runs.into_iter().min_by(|a, b| a.cost.total_cmp(&b.cost)).unwrap();
        self.describe(best)
    }

    /// Where the cells stand along each axis.
    fn middles(&self) -> Vec<Vec<i16>> {
        let middle = |axis: usize, index: u32| {
            let (first, last) = self.grid.edges(axis, index);
            ((i32::from(first) + i32::from(last)).div_euclid(2)) as i16
        };
        let along = |(axis, &cells): (usize, &u32)| (0..cells).map(|index| middle(axis, index)).collect();
        self.grid.cells_per_axis().iter().enumerate().map(along).collect()
    }

    /// Sizes and errors of the clusters around the given centres.
    fn describe(&self, best: BestKMeans) -> SynopsisClusters {
        let dims = self.grid.dims();
        let k = best.centres.len() / dims;
        let moments = self.moments(&best.centres);
        let variance = self.count_noise.powi(2);
        let widths: Vec<f64> = self.grid.cells_per_axis().iter().map(|&along| 1.0 / f64::from(along)).collect();
        let error = |j: usize| {
            let Moments { cells, count, squares, spreads } = &moments[j];
            // Noise adds to the squares of counts; what it adds on average is known. Rows are spread over all cells of
            // the cluster at most.
            let concentration = ((squares - variance * cells) / (count * count)).max(1.0 / cells).min(1.0);
            let per_axis = |(spread, width): (&f64, &f64)| {
                // Half a box width is half an interval.
                let noise = 0.25 * variance * spread / (count * count);
                (noise + width * width / 12.0 * concentration).sqrt().min(HOPELESS)
            };
            if *count > 0.0 { spreads.iter().zip(&widths).map(per_axis).collect() } else { vec![HOPELESS; dims] }
        };
        let total: f64 = self.counts.iter().map(|&count| count as f64).sum();
        SynopsisClusters {
            noise_per_centre: (0..k).map(error).collect(),
            sizes: moments.iter().map(|m| m.count.max(0.0)).collect(),
            size_noise: moments.iter().map(|m| (variance * m.cells).sqrt()).collect(),
            centres: best.centres.chunks_exact(dims).map(<[f64]>::to_vec).collect(),
            nicv: (total > 0.0).then(|| best.cost / total),
        }
    }

    /// Cells are visited in chunks of fixed length, merged in order: sums of floats then do not depend on threads.
    fn moments(&self, centres: &[f64]) -> Vec<Moments> {
        let dims = self.grid.dims();
        let middles = self.middles();
        let search = SearchCentres::new(&LatticeCentres::from_unit(dims, centres));
        let none = || vec![Moments::none(dims); centres.len() / dims];
        let chunk = |(number, counts): (usize, &[i64])| {
            let mut points = LatticePoints::with_capacity(dims, counts.len());
            let mut row = vec![0; dims];
            for cell in number * CHUNK..number * CHUNK + counts.len() {
                let mut rest = cell;
                for axis in (0..dims).rev() {
                    row[axis] = middles[axis][rest % middles[axis].len()];
                    rest /= middles[axis].len();
                }
                points.push_row(&row);
            }
            let mut labels = vec![0; counts.len()];
            assign(&points, 0..points.tiles(), &search, &mut labels);
            let mut moments = none();
            for (r, (&count, &label)) in counts.iter().zip(&labels).enumerate() {
                let into = &mut moments[label as usize];
                let count = count as f64;
                into.cells += 1.0;
                into.count += count;
                into.squares += count * count;
                for (axis, spread) in into.spreads.iter_mut().enumerate() {
                    let x = f64::from(points.get(r, axis)) / f64::from(HALF_WIDTH);
                    *spread += (x - centres[label as usize * dims + axis]).powi(2);
                }
            }
            moments
        };
        let chunks: Vec<Vec<Moments>> = self.counts.par_chunks(CHUNK).enumerate().map(chunk).collect();
        chunks.into_iter().fold(none(), |mut all, part| {
            all.iter_mut().zip(&part).for_each(|(all, part)| all.add(part));
            all
        })
    }
}

/// Sums over the cells of a cluster.
#[derive(Clone)]
struct Moments {
    cells: f64,
    count: f64,
    squares: f64,
    /// Squared distances from the centre, per attribute.
    spreads: Vec<f64>,
}

impl Moments {
    fn none(dims: usize) -> Self {
        Self { cells: 0.0, count: 0.0, squares: 0.0, spreads: vec![0.0; dims] }
    }

    fn add(&mut self, other: &Self) {
        self.cells += other.cells;
        self.count += other.count;
        self.squares += other.squares;
        self.spreads.iter_mut().zip(&other.spreads).for_each(|(a, b)| *a += b);
    }
}
