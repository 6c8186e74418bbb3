//! The share of variance that the clusters explain, and the spread of each cluster in each attribute.
//!
//! Explained is 1 − NICV/NICV₁, where NICV is the mean squared distance of the rows from their centres and NICV₁ that from one
//! centre. NICV comes from the release that bought it, with its interval, or else from the cells; the variance between
//! clusters comes from the cells. How far such an estimate is off is measured in the reruns, where the true share is known.
//!
//! *Privacy.* Post-processing.

use crate::NicvEstimate;
use crate::auto::placed_cells::PlacedCells;
use crate::certainty::Explained;
use crate::certainty::intervals::quantile;
use crate::certainty::reruns::Rerun;
use crate::certainty::simulated_table::SimulatedTable;

/// A bought NICV that is less certain than this, as a part of it, does not correct the spreads.
const USABLE: f64 = 0.5;

/// The most by which the variance within clusters is corrected.
const MOST_CORRECTION: f64 = 10.0;

/// The part of the variance within clusters that may be assumed to be within cells without any knowledge of it.
const MOST_ASSUMED: f64 = 0.25;

/// The share that the cells alone show.
pub fn shown(cells: &PlacedCells, centres: &[f64]) -> f64 {
    share(cells.clusters(centres).nicv(), cells.clusters(&cells.mean()).nicv())
}

/// What a rerun would report and what is true of the simulated table.
pub fn of_rerun(cells: &PlacedCells, centres: &[f64], table: &SimulatedTable) -> (f64, f64) {
    (shown(cells, centres), share(table.nicv(centres), table.nicv(&table.mean())))
}

fn share(within: f64, whole: f64) -> f64 {
    if whole > 0.0 { (1.0 - within / whole).clamp(0.0, 1.0) } else { 0.0 }
}

/// The share with its interval.
///
/// With B the variance between clusters as the cells show it, W the variance within clusters as they show it and N the
/// bought NICV, the share is B/(B + N), and how much it differs from 1 − N/(B + W) adds to the interval. Without N it is
/// B/(B + W). Rows may be closer together than their cells are wide, and then W is too large: the upper end of the
/// interval has W without the spread within cells. None is given where that spread is most of W and rests on nothing:
/// `informed` is false where no moments were released.
pub fn explained(
    cells: &PlacedCells,
    centres: &[f64],
    nicv: Option<NicvEstimate>,
    informed: bool,
    reruns: &[Rerun],
) -> Option<Explained> {
    let errors: Vec<f64> = reruns.iter().filter_map(|rerun| rerun.explained.map(|(shown, is)| shown - is)).collect();
    if errors.is_empty() {
        return None;
    }
    let rms = (errors.iter().map(|error| error * error).sum::<f64>() / errors.len() as f64).sqrt();
    let half = (2.0 * rms).max(quantile(errors.iter().map(|error| error.abs()).collect()));
    let (within, whole) = (cells.clusters(centres).nicv(), cells.clusters(&cells.mean()).nicv());
    let between = (whole - within).max(0.0);
    let of = |within: f64| share(within, between + within);
    let (best, low, high) = match nicv {
        Some(bought) => {
            let (best, doubt) = (of(bought.nicv), half.hypot(of(bought.nicv) - share(bought.nicv, whole)));
            let from = |end: f64| (of(end) - best).abs().hypot(doubt);
            (best, best - from(bought.high), best + from(bought.low))
        }
        None => {
            let assumed = cells.within_cost() / cells.weights.iter().sum::<f64>().max(1.0);
            if !informed && assumed > MOST_ASSUMED * within {
                return None;
            }
            (of(within), of(within) - half, of((within - assumed).max(0.0)) + half)
        }
    };
    Some(Explained { share: best, low: low.clamp(0.0, best), high: high.clamp(best, 1.0) })
}

/// Standard deviation of the rows of each cluster in each attribute, centre after centre.
///
/// Cells are wider than clusters, so where the NICV was bought the variances are scaled to add up to it.
pub fn spread(cells: &PlacedCells, centres: &[f64], nicv: Option<NicvEstimate>) -> Vec<f64> {
    let clusters = cells.clusters(centres);
    let usable = nicv.filter(|bought| bought.high - bought.low < 2.0 * USABLE * bought.nicv);
    let factor = usable.map_or(1.0, |bought| bought.nicv / clusters.nicv().max(1e-12));
    let factor = factor.clamp(1.0 / MOST_CORRECTION, 1.0);
    let around = |j: usize| clusters.variance(j).into_iter().map(move |variance| (factor * variance).sqrt());
    (0..clusters.count()).flat_map(around).collect()
}
