//! k-means on the noisy counts of the cells of a grid (SCL16 §4.2), which is SCL16's non-interactive method.
//!
//! Each cell stands at its centre with its noisy count as its weight. Initial centres are drawn by sphere packing.
//!
//! *Utility.* The variance of a centre in attribute i is Σ (t_i − o_i)²·Var / C² over the cells t of its cluster (the sum
//! before eq. (9)). Rows are taken to sit in the middle of their cell: with cells of width w that moves the centre of a
//! cluster by about w/√(12·m), where m counts the slabs of cells along the attribute that the rows spread over, by their
//! weight: rows of one slab are off together (eq. (10) has the worst case, w/2).
//!
//! *Runtime.* Initialisations × rounds × cells × k × d.
//!
//! *Deviations.* A cluster whose counts do not add up to more than zero keeps its centre (the authors' code divides by a
//! negative total, too); centres are clamped into the box. The paper runs k-means until it converges and the authors'
//! code for at most 100 rounds; here it is 50. With negative counts, centres that hold rows settle within ten rounds or
//! so, and centres that hold only noise go in circles or wander without end: on S1, Adult and Lifesci the NICV after 10,
//! 20, 30, 50 and 100 rounds is the same to within its standard error.

use rayon::prelude::*;
use shoal_noise::NoiseSource;

use crate::expected_error::HOPELESS;
use crate::sphere_packing;
use crate::synopsis::released::NoisyCounts;
use crate::{Step, SynopsisClusters, SynopsisKMeans, Watch};
use shoal_kernel::{BestKMeans, LatticeCentres, SearchCentres, WeightedGrid, assign};
use shoal_lattice::{BoxLength, BoxPosition, HALF_WIDTH, Lattice, LatticePoints, TILE, Widths};
use shoal_scan::{Grid, LeafBoxes};

/// Cells whose labels are found at a time.
const CHUNK: usize = 1 << 16;

/// Along an axis with more cells than this, the place of a row inside its cell moves a centre by less than half a percent.
const MOST_SLABS: usize = 64;

/// k-means on the cells from each of the given initialisations.
pub(super) fn kmeans_from(grid: &Grid, counts: &[i64], starts: &[LatticeCentres], rounds: usize) -> Vec<BestKMeans> {
    WeightedGrid::new(middles(grid), counts).kmeans_from(starts, rounds)
}

/// The best clustering from sphere-packing initialisations.
pub(super) fn cluster(
    grid: &Grid,
    noisy: NoisyCounts<'_>,
    how: &SynopsisKMeans,
    noise: &mut dyn NoiseSource,
    watch: Watch<'_>,
) -> SynopsisClusters {
    let dims = grid.dims();
    let starts: Vec<LatticeCentres> =
        (0..how.inits.max(1)).map(|_| LatticeCentres::from_unit(dims, &sphere_packing(how.k, dims, noise))).collect();
    let step = |done| watch(Step { what: "starts on the cells", done, of: starts.len() });
    let cells = WeightedGrid::new(middles(grid), noisy.counts);
    let runs = cells.kmeans_from_watched(&starts, how.rounds, &step);
    // Unwrap safety: there is at least one start. The total weight is the same for all: lowest cost, lowest NICV.
    let best = runs.into_iter().min_by(|a, b| a.cost.total_cmp(&b.cost)).unwrap();
    describe(grid, noisy, best)
}

/// Sizes and errors of the clusters around given centres.
pub(super) fn describe_centres(grid: &Grid, noisy: NoisyCounts<'_>, centres: &[f64]) -> SynopsisClusters {
    let start = LatticeCentres::from_unit(grid.dims(), centres);
    // Unwrap safety: one start, one result; no rounds leave it where it is.
    let here = kmeans_from(grid, noisy.counts, &[start], 0).pop().unwrap();
    describe(grid, noisy, here)
}

fn describe(grid: &Grid, noisy: NoisyCounts<'_>, best: BestKMeans) -> SynopsisClusters {
    let dims = grid.dims();
    let k = best.centres.len() / dims;
    let moments = moments(grid, noisy.counts, &best.centres);
    let variance = noisy.variance;
    let widths: Vec<f64> = grid.cells_per_axis().iter().map(|&along| 1.0 / f64::from(along)).collect();
    let error = |j: usize| -> Vec<Widths> {
        let Moments { cells, count, spreads, slabs } = &moments[j];
        let per_axis = |axis: usize| {
            let noise = BoxLength::variance_in_widths(variance * spreads[axis] / (count * count));
            let place = widths[axis].powi(2) / 12.0 * concentration(&slabs[axis], *count, variance * cells);
            Widths((noise + place).sqrt()).at_most(HOPELESS)
        };
        if *count > 0.0 { (0..dims).map(per_axis).collect() } else { vec![HOPELESS; dims] }
    };
    SynopsisClusters {
        noise_per_centre: (0..k).map(error).collect(),
        sizes: moments.iter().map(|m| m.count.max(0.0)).collect(),
        size_noise: moments.iter().map(|m| (variance * m.cells).sqrt()).collect(),
        centres: best.centres.chunks_exact(dims).map(BoxPosition::list).collect(),
        nicv: noisy.mean(best.cost),
        certainty: None,
    }
}

/// The positions of the cells along each axis.
fn middles(grid: &Grid) -> Vec<Vec<i16>> {
    let middle = |axis: usize, index: u32| {
        let (Lattice(first), Lattice(last)) = grid.edges(axis, index);
        ((i32::from(first) + i32::from(last)).div_euclid(2)) as i16
    };
    let along = |(axis, &cells): (usize, &u32)| (0..cells).map(|index| middle(axis, index)).collect();
    grid.cells_per_axis().iter().enumerate().map(along).collect()
}

/// The cells of a grid as boxes, in the order of their numbers.
pub(crate) fn boxes(grid: &Grid) -> LeafBoxes {
    let dims = grid.dims();
    let (mut low, mut high) = (Vec::with_capacity(grid.cells() * dims), Vec::with_capacity(grid.cells() * dims));
    let along = |axis: usize| (0..grid.cells_per_axis()[axis]).map(move |i| grid.edges(axis, i)).collect();
    let edges: Vec<Vec<(Lattice, Lattice)>> = (0..dims).map(along).collect();
    let mut at = Odometer::new(grid);
    let (mut first, mut last): (Vec<i16>, Vec<i16>) = edges.iter().map(|axis| (axis[0].0.0, axis[0].1.0)).unzip();
    for _ in 0..grid.cells() {
        low.extend(&first);
        high.extend(&last);
        for axis in at.advance()..dims {
            (first[axis], last[axis]) = (edges[axis][at.index[axis]].0.0, edges[axis][at.index[axis]].1.0);
        }
    }
    LeafBoxes::new(dims, low, high)
}

/// The place of a cell along each axis; cells are numbered with the last axis fastest.
struct Odometer {
    index: Vec<usize>,
    along: Vec<usize>,
}

impl Odometer {
    fn new(grid: &Grid) -> Self {
        let along: Vec<usize> = grid.cells_per_axis().iter().map(|&cells| cells as usize).collect();
        Self { index: vec![0; along.len()], along }
    }

    /// Goes to the next cell and returns the first axis along which it has another place.
    fn advance(&mut self) -> usize {
        for axis in (0..self.index.len()).rev() {
            self.index[axis] = (self.index[axis] + 1) % self.along[axis];
            if self.index[axis] != 0 {
                return axis;
            }
        }
        0
    }
}

/// Sums over the cells of each cluster. Cells are visited in their order, so sums of floats do not depend on threads.
fn moments(grid: &Grid, counts: &[i64], centres: &[f64]) -> Vec<Moments> {
    let dims = grid.dims();
    let middles = middles(grid);
    let search = SearchCentres::new(&LatticeCentres::from_unit(dims, centres));
    let mut moments = vec![Moments::none(&middles); centres.len() / dims];
    let mut at = Odometer::new(grid);
    let mut row: Vec<i16> = middles.iter().map(|axis| axis[0]).collect();
    let (mut indices, mut labels) = (Vec::with_capacity(CHUNK.min(counts.len()) * dims), Vec::new());
    for counts in counts.chunks(CHUNK) {
        let mut points = LatticePoints::with_capacity(dims, counts.len());
        indices.clear();
        for _ in counts {
            points.push_row(&row);
            indices.extend(&at.index);
            for axis in at.advance()..dims {
                row[axis] = middles[axis][at.index[axis]];
            }
        }
        labels.clear();
        labels.resize(counts.len(), 0);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_are_in_the_order_of_the_cells() {
        let grid = Grid::new(vec![2, 3], 6).unwrap();
        let boxes = boxes(&grid);
        for cell in 0..6 {
            assert_eq!((grid.cell(boxes.low(cell)), grid.cell(boxes.high(cell))), (cell, cell));
        }
    }
}
