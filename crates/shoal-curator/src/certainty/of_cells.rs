//! From released cells to intervals: a parametric bootstrap.
//!
//! 1. Draw a table that could have led to the cells ([`SimulatedTable`]), and find its optimum.
//! 2. Run the whole method on it many times ([`rerun`]), with noise as large in proportion as that of the release.
//! 3. Look for rival solutions on the released cells ([`Rivals`]).
//! 4. Half-widths ([`Spread`]), stability ([`reappearing`]) and what the clusters explain ([`super::explained`]) follow.
//!
//! *Privacy.* Everything is a function of released numbers and of public random numbers, so it is post-processing and costs
//! no ε. Neither the table nor the noise source of the release is passed in here.
//!
//! *Runtime.* Does not depend on the number of rows: the simulated table has at most [`SimulatedTable::MOST_ROWS`]. Where k
//! times d is so large that it would take seconds, there are fewer rows and reruns, or none.

use shoal_lattice::{BoxLength, BoxPosition};
use shoal_noise::SeededNoise;
use shoal_scan::LeafBoxes;

use crate::NicvEstimate;
use crate::auto::axis_law::AxisLaw;
use crate::auto::informed_cuts::InformedCuts;
use crate::auto::placed_cells::PlacedCells;
use crate::auto::run::LastRound;
use crate::certainty::explained::{explained, spread};
use crate::certainty::from_noise::{around, around_size};
use crate::certainty::intervals::Spread;
use crate::certainty::reruns::{Rerun, matching, public_random, rerun};
use crate::certainty::rivals::Rivals;
use crate::certainty::simulated_table::SimulatedTable;
use crate::certainty::stability::reappearing;
use crate::certainty::{Certainty, MOST_DIMS};

/// Rows times k·d of the simulated table at most, as long as there are [`ENOUGH_ROWS`].
const MOST_ROW_WORK: f64 = 1.5e6;

/// Rows that a simulated table has where the release has as many, whatever k·d.
const ENOUGH_ROWS: usize = 4000;

/// Cells times k·d at most: beyond, k-means on the cells of each rerun would take too long.
const MOST_CELL_WORK: f64 = 4e6;

/// Cells times k·d up to which there are as many reruns as asked for.
const USUAL_CELL_WORK: f64 = 5e5;

/// Reruns at least.
const FEWEST_RERUNS: f64 = 16.0;

/// Rows of a simulated table at least, for each cluster: fewer show nothing.
const FEWEST_ROWS: usize = 5;

/// A clustering that rests on released cells.
pub struct OnCells<'a> {
    /// The boxes of the cells.
    pub boxes: &'a LeafBoxes,
    /// What is known of the attributes' distributions.
    pub laws: &'a InformedCuts,
    /// The cells with expected rows and places.
    pub cells: &'a PlacedCells,
    /// Standard deviation of the noise on a count.
    pub count_noise: f64,
    /// The released centres, box units, centre after centre.
    pub centres: &'a [f64],
    /// Standard deviation of the noise on each coordinate.
    pub noise: &'a [f64],
    /// Released sizes; may be empty.
    pub sizes: &'a [f64],
    /// Standard deviation of the noise on each size.
    pub size_noise: &'a [f64],
    /// The mean squared distance, where it was bought.
    pub nicv: Option<NicvEstimate>,
    /// The last round that refined the centres, where there was one.
    pub last_round: Option<&'a LastRound>,
    /// Reruns asked for.
    pub reruns: usize,
}

impl OnCells<'_> {
    /// The intervals, where `one` runs the method once on a simulated table: it gets good initial centres for k-means on
    /// its cells. None when the release is too small or too large for it.
    pub fn certainty(
        &self,
        one: impl Fn(&SimulatedTable, &[&[f64]], &mut SeededNoise) -> Option<Rerun> + Sync,
    ) -> Option<Certainty> {
        if self.reruns == 0 || self.cell_work() > MOST_CELL_WORK {
            return None;
        }
        let most = (MOST_ROW_WORK / self.centres.len() as f64) as usize;
        let most = most.clamp(ENOUGH_ROWS, SimulatedTable::MOST_ROWS);
        let mut random = public_random(0);
        let table = SimulatedTable::draw(self.boxes, self.laws, &self.cells.weights, most, &mut random)?;
        self.on_table(&table, &mut random, one)
    }

    /// What k-means on the cells takes.
    fn cell_work(&self) -> f64 {
        (self.boxes.count() * self.centres.len()) as f64
    }

    /// [`Self::certainty`] with reruns on this table, whichever way it was drawn.
    pub fn on_table(
        &self,
        table: &SimulatedTable,
        random: &mut SeededNoise,
        one: impl Fn(&SimulatedTable, &[&[f64]], &mut SeededNoise) -> Option<Rerun> + Sync,
    ) -> Option<Certainty> {
        let dims = self.cells.dims();
        let (k, cell_work) = (self.centres.len() / dims, self.cell_work());
        if self.reruns == 0 || cell_work > MOST_CELL_WORK || table.points.rows() < FEWEST_ROWS * k {
            return None;
        }
        let reruns = (self.reruns as f64).min((self.reruns as f64 * USUAL_CELL_WORK / cell_work).max(FEWEST_RERUNS));
        let optimum = table.optimum(self.centres, random);
        let order = matching(self.centres, &optimum.centres, dims)?;
        let best: Vec<f64> = order.iter().flat_map(|&j| optimum.centres[j * dims..][..dims].to_vec()).collect();
        let best_sizes: Vec<f64> = order.iter().map(|&j| optimum.weights[j] * table.scale).collect();
        let rivals = Rivals::find(self.cells, &[self.centres, &best], self.count_noise, random);
        let starts = [best.as_slice(), &rivals.best];
        let found: Vec<Rerun> = rerun(reruns as usize, |noise| one(table, &starts, noise)?.in_order_of(&best, dims));
        if found.len() < FEWEST_RERUNS as usize / 2 {
            return None;
        }
        let widths = Spread {
            centres: self.centres,
            noise: self.noise,
            sizes: self.sizes,
            size_noise: self.size_noise,
            optimum: &best,
            optimum_sizes: &best_sizes,
            reruns: &found,
            scale: table.scale,
            rivals: &rivals,
            last_round: self.last_round,
        };
        let half = widths.half_widths();
        let again = reappearing(&best, found.iter().map(|rerun| rerun.centres.as_slice()), dims);
        let all = std::iter::once(&rivals.best).chain(rivals.others.iter().map(|(centres, _)| centres));
        let among = reappearing(&rivals.best, all.map(Vec::as_slice), dims);
        let rows = |numbers: &[f64]| numbers.chunks_exact(dims).map(BoxLength::list).collect::<Vec<_>>();
        let informed = *self.laws.law(0) != AxisLaw::UNIFORM;
        let interval = |(&x, &half): (&f64, &f64)| around(BoxPosition(x), half);
        let intervals: Vec<_> = self.centres.iter().zip(&half.centres).map(interval).collect();
        Some(Certainty {
            centres: intervals.chunks_exact(dims).map(<[_]>::to_vec).collect(),
            rerun: rows(&half.reruns),
            sizes: self.sizes.iter().zip(&half.sizes).map(|(&size, &half)| around_size(size, half)).collect(),
            stability: again.iter().zip(&among).map(|(a, b)| a.min(*b)).collect(),
            spread: rows(&spread(self.cells, self.centres, self.nicv)),
            explained: explained(self.cells, self.centres, self.nicv, informed, &found),
            at_least: dims > MOST_DIMS || widths.cells_mislead(),
            evidence: None,
        })
    }
}
