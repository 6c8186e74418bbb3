//! Released cells with a place and a spread for the rows in each: what k-means works on after the release.
//!
//! *Privacy.* Post-processing of a released synopsis and of released moments.

use shoal_noise::NoiseSource;

use crate::SynopsisKMeans;
use crate::auto::informed_cuts::InformedCuts;
use crate::{Step, Watch};
use shoal_kernel::{BestKMeans, LatticeCentres, Restarts, SearchCentres, assign, kmeans_restarts};
use shoal_lattice::{HALF_WIDTH, LatticePoints};
use shoal_scan::LeafBoxes;

/// Cells, their places and what they weigh.
pub struct PlacedCells {
    /// Where the rows of each cell are expected.
    pub points: LatticePoints,
    /// Expected rows, not negative.
    pub weights: Vec<f64>,
    /// Variance of the rows within each cell, per cell and attribute.
    pub within: Vec<f64>,
}

impl PlacedCells {
    /// Boxes with the expected number of rows in each. Rows are taken to be where the laws of the attributes say.
    pub fn of_boxes(boxes: &LeafBoxes, laws: &InformedCuts, weights: Vec<f64>) -> Self {
        let dims = if boxes.count() > 0 { boxes.low(0).len() } else { 1 };
        let mut points = LatticePoints::with_capacity(dims, boxes.count());
        let mut within = Vec::with_capacity(boxes.count() * dims);
        let mut row = vec![0; dims];
        let mut sides = laws.sides();
        // A leaf has most of its sides in common with the one before; no interval is this one.
        let mut before = vec![(1_i16, 0_i16, 0.0); dims];
        for leaf in 0..boxes.count() {
            let intervals = boxes.low(leaf).iter().zip(boxes.high(leaf));
            for (axis, ((x, known), (&low, &high))) in row.iter_mut().zip(&mut before).zip(intervals).enumerate() {
                if (known.0, known.1) != (low, high) {
                    let (mean, variance) = sides.within(axis, low, high);
                    *x = ((mean * f64::from(HALF_WIDTH)).round() as i16).clamp(low, high);
                    *known = (low, high, variance);
                }
                within.push(known.2);
            }
            points.push_row(&row);
        }
        Self { points, weights, within }
    }

    /// The cells of several releases, one release after the other; none where there are none.
    pub fn joined(all: impl IntoIterator<Item = Self>) -> Option<Self> {
        let mut all = all.into_iter();
        let mut joined = all.next()?;
        let mut row = vec![0; joined.dims()];
        for next in all {
            for cell in 0..next.points.rows() {
                next.points.copy_row(cell, &mut row);
                joined.points.push_row(&row);
            }
            joined.weights.extend(next.weights);
            joined.within.extend(next.within);
        }
        Some(joined)
    }

    /// The same cells with other expected rows.
    pub fn weighing(&self, weights: Vec<f64>) -> Self {
        let mut points = LatticePoints::with_capacity(self.dims(), self.points.rows());
        let mut row = vec![0; self.dims()];
        for cell in 0..self.points.rows() {
            self.points.copy_row(cell, &mut row);
            points.push_row(&row);
        }
        Self { points, weights, within: self.within.clone() }
    }

    /// Number of attributes.
    pub fn dims(&self) -> usize {
        self.points.dims()
    }

    /// Where the cells are.
    pub fn points(&self) -> &LatticePoints {
        &self.points
    }

    /// The mean of all rows, one centre; the middle of the box where there are none.
    pub fn mean(&self) -> Vec<f64> {
        let dims = self.dims();
        let total: f64 = self.weights.iter().sum();
        let mut sums = vec![0.0; dims];
        let mut row = vec![0; dims];
        for (cell, weight) in self.weights.iter().enumerate() {
            self.points.copy_row(cell, &mut row);
            sums.iter_mut().zip(&row).for_each(|(sum, &x)| *sum += weight * f64::from(x) / f64::from(HALF_WIDTH));
        }
        sums.iter().map(|sum| if total > 0.0 { sum / total } else { 0.0 }).collect()
    }

    /// Sum of the squared distances of rows from the places of their cells.
    pub fn within_cost(&self) -> f64 {
        let cells = self.within.chunks_exact(self.dims()).zip(&self.weights);
        cells.map(|(within, weight)| weight * within.iter().sum::<f64>()).sum()
    }

    /// The best k-means of several starts.
    pub fn kmeans(&self, how: &SynopsisKMeans, noise: &mut dyn NoiseSource, watch: Watch<'_>) -> BestKMeans {
        let options = Restarts { clusters: how.k, restarts: how.inits.max(1), iterations: how.rounds };
        watch(Step { what: "starts on the cells", done: 0, of: options.restarts });
        let found = kmeans_restarts(&self.points, Some(&self.weights), &options, &mut || noise.next_u64());
        watch(Step { what: "starts on the cells", done: options.restarts, of: options.restarts });
        found
    }

    /// The clusters around the given centres (box units, centre after centre).
    pub fn clusters(&self, centres: &[f64]) -> CellClusters {
        let dims = self.dims();
        let search = SearchCentres::new(&LatticeCentres::from_unit(dims, centres));
        let mut labels = vec![0; self.points.rows()];
        assign(&self.points, 0..self.points.tiles(), &search, &mut labels);
        let k = centres.len() / dims;
        let mut found =
            CellClusters { dims, rows: vec![0.0; k], cells: vec![0.0; k], squares: vec![0.0; centres.len()] };
        let mut row = vec![0; dims];
        for (cell, (&weight, &label)) in self.weights.iter().zip(&labels).enumerate() {
            let j = label as usize;
            self.points.copy_row(cell, &mut row);
            found.rows[j] += weight;
            found.cells[j] += 1.0;
            for axis in 0..dims {
                let apart = f64::from(row[axis]) / f64::from(HALF_WIDTH) - centres[j * dims + axis];
                found.squares[j * dims + axis] += weight * (apart * apart + self.within[cell * dims + axis]);
            }
        }
        found
    }
}

/// What the cells say about clusters.
pub struct CellClusters {
    dims: usize,
    rows: Vec<f64>,
    cells: Vec<f64>,
    squares: Vec<f64>,
}

impl CellClusters {
    /// Number of clusters.
    pub fn count(&self) -> usize {
        self.rows.len()
    }

    /// Expected rows of a cluster, at least one.
    pub fn rows(&self, j: usize) -> f64 {
        self.rows[j].max(1.0)
    }

    /// Expected rows of each cluster, and the standard deviation of their noise.
    pub fn sizes(&self, count_noise: f64) -> (Vec<f64>, Vec<f64>) {
        (self.rows.clone(), self.cells.iter().map(|cells| count_noise * cells.sqrt()).collect())
    }

    /// Variance of the rows of a cluster around its centre, per attribute; that of the uniform law where there are none.
    pub fn variance(&self, j: usize) -> Vec<f64> {
        let of = |square: &f64| if self.rows[j] > 0.0 { square / self.rows[j] } else { 1.0 / 3.0 };
        self.squares[j * self.dims..][..self.dims].iter().map(of).collect()
    }

    /// Mean squared distance of rows from their centre.
    pub fn nicv(&self) -> f64 {
        let total: f64 = (0..self.count()).map(|j| self.rows(j)).sum();
        (0..self.count()).map(|j| self.rows(j) * self.variance(j).iter().sum::<f64>()).sum::<f64>() / total.max(1.0)
    }
}
