//! A table that could have led to the released cells: the first step of the parametric bootstrap.
//!
//! Each cell gets as many rows as are expected in it, by systematic sampling, and each row is placed within its cell
//! according to what is known of the distribution of each attribute there. Where the release has more rows than
//! [`SimulatedTable::MOST_ROWS`], the table has fewer: one simulated row then represents [`SimulatedTable::scale`] rows,
//! and a rerun on it uses a budget that is larger by the same factor, which leaves noise as large in proportion.
//!
//! *Privacy.* Post-processing of released cells and of released moments, with random numbers from a public key. No row of
//! the real table is in it.

use std::collections::HashMap;

use shoal_files::PointStore;
use shoal_kernel::{BestKMeans, LatticeCentres, Restarts, SearchCentres, assign, kmeans_from, kmeans_restarts};
use shoal_lattice::{BoxPosition, HALF_WIDTH, LatticePoints};
use shoal_noise::uniform::unit_f64;
use shoal_noise::{NoiseSource, SeededNoise};
use shoal_scan::{LeafBoxes, LocalScan};

use crate::auto::axis_law::AxisLaw;
use crate::auto::informed_cuts::InformedCuts;

/// Initialisations of k-means on the simulated rows, next to the released centres themselves.
const STARTS: usize = 8;

/// Iterations from each.
const ITERATIONS: usize = 100;

/// Parts of a cell's side within which a distribution is taken to be flat.
const PARTS: usize = 16;

/// Rows drawn from released cells.
pub struct SimulatedTable {
    /// The rows.
    pub points: LatticePoints,
    /// The same rows, as methods ask about them.
    pub scan: LocalScan,
    /// How many rows of the release one row represents, at least 1.
    pub scale: f64,
}

impl SimulatedTable {
    /// Rows at most: more would take longer and show nothing new.
    pub const MOST_ROWS: usize = 20_000;

    /// At most `most` rows in cells with the given expected numbers of rows; none when no row is expected.
    pub fn draw(
        boxes: &LeafBoxes,
        laws: &InformedCuts,
        weights: &[f64],
        most: usize,
        random: &mut SeededNoise,
    ) -> Option<Self> {
        let total: f64 = weights.iter().sum();
        let rows = (total.round() as usize).min(most);
        if rows == 0 || boxes.count() == 0 {
            return None;
        }
        let dims = boxes.low(0).len();
        let scale = total / rows as f64;
        let mut points = LatticePoints::with_capacity(dims, rows);
        let mut scanned = LatticePoints::with_capacity(dims, rows);
        let mut placing = Placing { laws, known: HashMap::new() };
        let mut row = vec![0; dims];
        // Systematic sampling: row i is in the cell where the running sum of weights passes (i + u)·scale.
        let mut next = unit_f64(random) * scale;
        let mut sum = 0.0;
        for (cell, weight) in weights.iter().enumerate() {
            sum += weight.max(0.0);
            while next < sum && points.rows() < rows {
                next += scale;
                for (axis, x) in row.iter_mut().enumerate() {
                    *x = placing.draw(axis, boxes.low(cell)[axis], boxes.high(cell)[axis], random);
                }
                points.push_row(&row);
                scanned.push_row(&row);
            }
        }
        Some(Self { points, scan: LocalScan::new(PointStore::InMemory(scanned)), scale })
    }

    /// The best k-means on the rows: of several initialisations, and of `centres` (box units, centre after centre).
    pub fn optimum(&self, centres: &[f64], random: &mut SeededNoise) -> BestKMeans {
        let dims = self.points.dims();
        let options = Restarts { clusters: centres.len() / dims, restarts: STARTS, iterations: ITERATIONS };
        let fresh = kmeans_restarts(&self.points, None, &options, &mut || random.next_u64());
        let from = [LatticeCentres::from_unit(dims, centres)];
        let near = kmeans_from(&self.points, None, &from, ITERATIONS).swap_remove(0);
        if near.cost <= fresh.cost { near } else { fresh }
    }

    /// Mean squared distance of the rows from the nearest of `centres`.
    pub fn nicv(&self, centres: &[f64]) -> f64 {
        let dims = self.points.dims();
        let search = SearchCentres::new(&LatticeCentres::from_unit(dims, centres));
        let mut labels = vec![0; self.points.rows()];
        assign(&self.points, 0..self.points.tiles(), &search, &mut labels);
        let mut row = vec![0; dims];
        let mut sum = 0.0;
        for (i, &label) in labels.iter().enumerate() {
            self.points.copy_row(i, &mut row);
            let centre = &centres[label as usize * dims..][..dims];
            sum +=
                row.iter().zip(centre).map(|(&x, c)| (f64::from(x) / f64::from(HALF_WIDTH) - c).powi(2)).sum::<f64>();
        }
        sum / self.points.rows().max(1) as f64
    }

    /// Mean of the rows, one centre.
    pub fn mean(&self) -> Vec<f64> {
        let dims = self.points.dims();
        let mut sums = vec![0.0; dims];
        let mut row = vec![0; dims];
        for i in 0..self.points.rows() {
            self.points.copy_row(i, &mut row);
            sums.iter_mut().zip(&row).for_each(|(sum, &x)| *sum += f64::from(x) / f64::from(HALF_WIDTH));
        }
        sums.iter().map(|sum| sum / self.points.rows().max(1) as f64).collect()
    }
}

/// Draws positions within intervals. Cells share their sides, so the distribution within each is worked out once.
struct Placing<'a> {
    laws: &'a InformedCuts,
    known: HashMap<(usize, i16, i16), [f64; PARTS]>,
}

impl Placing<'_> {
    fn draw(&mut self, axis: usize, low: i16, high: i16, random: &mut SeededNoise) -> i16 {
        if low == high {
            return low;
        }
        let law = self.laws.law(axis);
        let cumulative = self.known.entry((axis, low, high)).or_insert_with(|| cumulative(law, low, high));
        let u = unit_f64(random);
        let part = cumulative.iter().position(|&share| u < share).unwrap_or(PARTS - 1);
        let before = if part == 0 { 0.0 } else { cumulative[part - 1] };
        let within = (u - before) / (cumulative[part] - before).max(1e-12);
        let at = (part as f64 + within.clamp(0.0, 1.0)) / PARTS as f64;
        let positions = f64::from(high) - f64::from(low) + 1.0;
        (f64::from(low) + (at * positions).floor().min(positions - 1.0)) as i16
    }
}

/// The share of the rows of an interval that lie in its first parts.
fn cumulative(law: &AxisLaw, low: i16, high: i16) -> [f64; PARTS] {
    let (from, to) = (BoxPosition::lower_edge(i32::from(low)).0, BoxPosition::lower_edge(i32::from(high) + 1).0);
    let edge = |i: usize| from + (to - from) * i as f64 / PARTS as f64;
    let mut sums = [0.0; PARTS];
    let mut sum = 0.0;
    for (i, share) in sums.iter_mut().enumerate() {
        sum += law.share(edge(i), edge(i + 1));
        *share = sum;
    }
    sums.iter_mut().for_each(|share| *share /= sum);
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certainty::reruns::public_random;

    fn two_cells() -> LeafBoxes {
        LeafBoxes::new(1, vec![-32_767, 0], vec![-1, 32_767])
    }

    #[test]
    fn cells_get_their_share_of_rows_and_rows_stay_inside() {
        let laws = InformedCuts::new(vec![AxisLaw::with_moments(0.1, 0.05, 0.3)]);
        let table = SimulatedTable::draw(&two_cells(), &laws, &[300.0, 100.0], 40, &mut public_random(0)).unwrap();
        assert_eq!((table.points.rows(), table.scale), (40, 10.0));
        let below = (0..40).filter(|&row| table.points.get(row, 0) < 0).count();
        assert_eq!(below, 30);
    }

    #[test]
    fn rows_follow_the_distribution_of_the_attribute() {
        let law = AxisLaw::with_moments(0.2, 0.02, 0.0);
        let laws = InformedCuts::new(vec![law]);
        let table = SimulatedTable::draw(&two_cells(), &laws, &[0.0, 20_000.0], 20_000, &mut public_random(1)).unwrap();
        let (mean, variance) = law.within(0.0, 1.0);
        assert!((table.mean()[0] - mean).abs() < 0.005);
        assert!((table.nicv(&[mean]) / variance - 1.0).abs() < 0.05);
    }

    #[test]
    fn no_rows_make_no_table() {
        let laws = InformedCuts::new(vec![AxisLaw::UNIFORM]);
        assert!(SimulatedTable::draw(&two_cells(), &laws, &[0.0, 0.2], 100, &mut public_random(2)).is_none());
    }
}
