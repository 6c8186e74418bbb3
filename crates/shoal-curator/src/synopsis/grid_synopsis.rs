//! Noisy counts of the cells of a grid, and k-means on them (SCL16 §4.2): the non-interactive way.
//!
//! Once released, a synopsis can be clustered again for any k, any number of times: that is post-processing and free.
//! Each cell stands at its centre with its noisy count as its weight. **Negative counts stay negative**, so noise
//! cancels inside a cluster; turning them to zero would add rows that are not there. Of several starts the result with
//! the lowest NICV *against the synopsis* is kept.
//!
//! *Utility.* The variance of a centre in attribute i is Σ (t_i − o_i)²·Var / C² over the cells t of its cluster (the sum
//! before eq. (9)). Rows are taken to sit in the middle of their cell: with cells of width w that moves the centre of a
//! cluster by about w/√(12·m), where m counts the slabs of cells along the attribute that the rows spread over, by their
//! weight: rows of one slab are off together (eq. (10) has the worst case, w/2).
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

use crate::expected_error::HOPELESS;
use crate::sphere_packing;
use crate::{Step, Watch};
use shoal_kernel::{BestKMeans, LatticeCentres, SearchCentres, WeightedGrid, assign};
use shoal_lattice::{HALF_WIDTH, LatticePoints, TILE};
use shoal_scan::Grid;

/// Cells whose labels are found at a time.
const CHUNK: usize = 1 << 16;

/// Along an axis with more cells than this, where in its cell a row is moves a centre by less than half a percent.
const MOST_SLABS: usize = 64;

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
        self.weighted().kmeans_from(starts, rounds)
    }

    fn weighted(&self) -> WeightedGrid {
        WeightedGrid::new(self.middles(), &self.counts)
    }

    /// The best clustering from sphere-packing starts. Uses `noise` only for the starts.
    pub fn cluster(&self, how: &SynopsisKMeans, noise: &mut dyn NoiseSource) -> SynopsisClusters {
        self.cluster_watched(how, noise, &|_| ())
    }

    /// [`Synopsis::cluster`], telling a listener how many starts are done.
    pub fn cluster_watched(
        &self,
        how: &SynopsisKMeans,
        noise: &mut dyn NoiseSource,
        watch: Watch<'_>,
    ) -> SynopsisClusters {
        let dims = self.grid.dims();
        let starts: Vec<LatticeCentres> = (0..how.inits.max(1))
            .map(|_| LatticeCentres::from_unit(dims, &sphere_packing(how.k, dims, noise)))
            .collect();
        let step = |done| watch(Step { what: "starts on the cells", done, of: starts.len() });
        let runs = self.weighted().kmeans_from_watched(&starts, how.rounds, &step);
        // Unwrap safety: there is at least one start. The total weight is the same for all: lowest cost, lowest NICV.
        let best = runs.into_iter().min_by(|a, b| a.cost.total_cmp(&b.cost)).unwrap();
        self.describe(best)
    }

    /// Sizes and errors of the clusters around given centres, in box units, centre after centre.
    pub fn describe_centres(&self, centres: &[f64]) -> SynopsisClusters {
        let start = LatticeCentres::from_unit(self.grid.dims(), centres);
        // Unwrap safety: one start, one result; no rounds leave it where it is.
        let here = self.kmeans_from(&[start], 0).pop().unwrap();
        self.describe(here)
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
        let error = |j: usize| -> Vec<f64> {
            let Moments { cells, count, spreads, slabs } = &moments[j];
            let per_axis = |axis: usize| {
                // Half a box width is half an interval.
                let noise = 0.25 * variance * spreads[axis] / (count * count);
                let place = widths[axis].powi(2) / 12.0 * concentration(&slabs[axis], *count, variance * cells);
                (noise + place).sqrt().min(HOPELESS)
            };
            if *count > 0.0 { (0..dims).map(per_axis).collect() } else { vec![HOPELESS; dims] }
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

    /// Cells are visited in their order: sums of floats then do not depend on threads.
    fn moments(&self, centres: &[f64]) -> Vec<Moments> {
        let dims = self.grid.dims();
        let middles = self.middles();
        let search = SearchCentres::new(&LatticeCentres::from_unit(dims, centres));
        let mut moments = vec![Moments::none(&middles); centres.len() / dims];
        let mut index = vec![0; dims];
        for counts in self.counts.chunks(CHUNK) {
            let mut points = LatticePoints::with_capacity(dims, counts.len());
            let mut indices = Vec::with_capacity(counts.len() * dims);
            for _ in counts {
                points.push_row(&index.iter().zip(&middles).map(|(&i, axis)| axis[i]).collect::<Vec<i16>>());
                indices.extend(&index);
                for (i, axis) in index.iter_mut().zip(&middles).rev() {
                    *i = (*i + 1) % axis.len();
                    if *i != 0 {
                        break;
                    }
                }
            }
            let mut labels = vec![0; counts.len()];
            labels.par_chunks_mut(64 * TILE).enumerate().for_each(|(part, labels)| {
                let first = part * 64;
                assign(&points, first..first + labels.len().div_ceil(TILE), &search, labels);
            });
            for ((&count, &label), index) in counts.iter().zip(&labels).zip(indices.chunks_exact(dims)) {
                let centre = &centres[label as usize * dims..][..dims];
                moments[label as usize].add(count as f64, index, &middles, centre);
            }
        }
        moments
    }
}

/// How concentrated the rows of a cluster are along an axis: 1 when all are in one slab of cells, 1/m when they spread
/// evenly over m. `noise` is what noise adds to the sum of the squares, on average.
fn concentration(slabs: &[f64], count: f64, noise: f64) -> f64 {
    if slabs.is_empty() {
        return 1.0;
    }
    let squares: f64 = slabs.iter().map(|slab| slab * slab).sum();
    ((squares - noise) / (count * count)).max(1.0 / slabs.len() as f64).min(1.0)
}

/// Sums over the cells of a cluster.
#[derive(Clone)]
struct Moments {
    cells: f64,
    count: f64,
    /// Squared distances from the centre, per attribute.
    spreads: Vec<f64>,
    /// Per attribute, the counts of the cells that lie side by side; none where cells are so narrow that it is all one.
    slabs: Vec<Vec<f64>>,
}

impl Moments {
    fn none(middles: &[Vec<i16>]) -> Self {
        let slabs = |axis: &Vec<i16>| vec![0.0; if axis.len() <= MOST_SLABS { axis.len() } else { 0 }];
        let slabs = middles.iter().map(slabs).collect();
        Self { cells: 0.0, count: 0.0, spreads: vec![0.0; middles.len()], slabs }
    }

    fn add(&mut self, count: f64, index: &[usize], middles: &[Vec<i16>], centre: &[f64]) {
        self.cells += 1.0;
        self.count += count;
        for (axis, &i) in index.iter().enumerate() {
            let x = f64::from(middles[axis][i]) / f64::from(HALF_WIDTH);
            self.spreads[axis] += (x - centre[axis]).powi(2);
            if let Some(slab) = self.slabs[axis].get_mut(i) {
                *slab += count;
            }
        }
    }
}
