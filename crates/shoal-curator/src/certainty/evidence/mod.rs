//! Whether the rows divide into clusters at all, and into how many: a gap statistic (Tibshirani, Walther and Hastie,
//! 2001) whose reference tables go through the same private mechanism.
//!
//! 1. [`fit_of_k`]: W_k, how well k clusters fit the released cells, for k = 1, 2, …
//! 2. [`spread`], [`matching`]: mean and covariance of the cells, and those that a table must have to come out of the release
//!    with them.
//! 3. [`even_spread`], [`same_release`]: tables without clusters, with these moments, run through the release stage that
//!    the data went through: same layout, same division of the budget, noise of the same size against the counts.
//! 4. [`verdict`]: gaps between the fits of the data and of these tables, and what they support.
//!
//! What cells look like depends on the mechanism: noise makes heaps, cuts lose correlation, large boxes hide differences.
//! Tables that went through the same have all of that, too, so what is left of the gap is in the rows.
//!
//! *Privacy.* Post-processing of released and public numbers. Random numbers come from a generator whose seed follows from
//! the released counts ([`seeds`]); the noise of the run is not touched.
//!
//! *Runtime.* Reference tables have at most [`MOST_ROWS`] rows, and fewer with many attributes. At most 4096 cells are
//! clustered.

mod even_spread;
mod fit_of_k;
mod matching;
mod same_release;
mod seeds;
mod sentence;
mod spread;
mod synopsis_release;
mod verdict;

use rayon::prelude::*;
use shoal_lattice::LatticePoints;
use shoal_noise::SeededNoise;

use crate::FitError;
use crate::auto::placed_cells::PlacedCells;
use crate::auto::run::{ReleasedCells, Run};
use crate::certainty::reruns::unlogged;
use fit_of_k::fits;
use matching::matched;
use same_release::SameRelease;
pub(crate) use same_release::Stage;
use seeds::{key_of, seed};
use spread::Spread;
pub(crate) use synopsis_release::{decay_of, evidence_of_synopses, evidence_of_synopsis, placed};
pub(crate) use verdict::Weighed;
use verdict::verdict;

/// Rows of a reference table at most.
const MOST_ROWS: f64 = 20_000.0;

/// Rows times squared attributes of a reference table at most: what it takes to draw one.
const MOST_PRODUCTS: f64 = 4e7;

/// But never fewer rows than this for that reason.
const ENOUGH_ROWS: f64 = 2000.0;

/// How much work is put into the evidence.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Clusters that are tried at most.
    pub most: usize,
    /// Reference tables.
    pub tables: u64,
    /// Corrections of the covariance, for trees.
    pub corrections: u64,
    /// Initialisations for each k.
    pub restarts: usize,
}

impl Effort {
    /// To choose the number of clusters up to `most`.
    pub fn to_choose(most: usize) -> Self {
        Self { most, tables: 8, corrections: 5, restarts: 3 }
    }

    /// To check a given number of clusters. More than that are tried, since a given k may be too small to show clusters
    /// that are there.
    pub fn to_check(k: usize) -> Self {
        Self { most: (k + 2).clamp(10, 20), tables: 4, corrections: 3, restarts: 2 }
    }
}

/// How a made-up table becomes cells: the same way as the data.
pub(crate) trait Release: Sync {
    /// The cells of a table.
    fn cells(&self, table: LatticePoints, noise: &mut SeededNoise) -> Result<PlacedCells, FitError>;
}

/// The evidence for clusters in what a run has released.
pub(crate) fn evidence(released: &ReleasedCells, run: &Run<'_>, effort: Effort) -> Option<Weighed> {
    let cells = &released.placed;
    let (shown, rows) = made_up_rows(cells);
    let release = SameRelease::new(released.stage, run, shown, rows);
    let corrections = if matches!(released.stage, Stage::Grid(_)) { 0 } else { effort.corrections };
    let key = key_of(&released.synopsis.counts);
    // What was released stays released when a made-up table cannot be counted: there is no evidence then.
    weigh(cells, &release, (rows, key), Effort { corrections, ..effort }).ok().flatten()
}

/// How many rows the cells show, and how many a reference table gets.
fn made_up_rows(cells: &PlacedCells) -> (f64, usize) {
    let shown: f64 = cells.weights.iter().sum();
    let affordable = (MOST_PRODUCTS / (cells.dims() as f64).powi(2)).clamp(ENOUGH_ROWS, MOST_ROWS);
    (shown, shown.round().clamp(1.0, affordable) as usize)
}

/// The evidence in cells, for reference tables of so many rows and random numbers of the given key.
fn weigh(
    cells: &PlacedCells,
    release: &dyn Release,
    (rows, key): (usize, u64),
    effort: Effort,
) -> Result<Option<Weighed>, FitError> {
    let (data, references) = gather(cells, release, (rows, key), effort)?;
    Ok(verdict(&data, &references))
}

/// The fits of the cells, and of each reference table; none where the cells show no rows.
fn gather(
    cells: &PlacedCells,
    release: &dyn Release,
    (rows, key): (usize, u64),
    effort: Effort,
) -> Result<(Vec<f64>, Vec<Vec<f64>>), FitError> {
    let Some(spread) = Spread::of(cells) else { return Ok((Vec::new(), Vec::new())) };
    let even = matched(&spread, release, rows, effort.corrections, key)?;
    let data = fits(cells, effort.most, 2 * effort.restarts, &mut SeededNoise::new(seed(key, &[2])));
    let reference = |table: u64| {
        let mut random = SeededNoise::new(seed(key, &[3, table]));
        let table = even.draw(rows, &mut random);
        Ok(fits(&unlogged(|| release.cells(table, &mut random))?, effort.most, effort.restarts, &mut random))
    };
    let references: Result<Vec<Vec<f64>>, FitError> = (0..effort.tables).into_par_iter().map(reference).collect();
    Ok((data, references?))
}

#[cfg(test)]
mod tests;
