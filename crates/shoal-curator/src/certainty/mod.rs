//! How certain a released clustering is: intervals, stability and what the clusters explain.
//!
//! Everything here is post-processing of released numbers, so it costs no ε. An interval is about *what the same
//! clustering would give without privacy noise*. The error of sampling, where rows are a sample of a larger population,
//! is a different matter and stated apart.

pub(crate) mod evidence;
mod explained;
mod from_noise;
mod intervals;
mod misfit;
mod of_auto;
mod of_cells;
mod of_synopsis;
mod reruns;
mod rivals;
mod simulated_table;
mod stability;

pub(crate) use explained::of_rerun;
pub(crate) use of_auto::OfAuto;
pub(crate) use of_cells::OnCells;
pub(crate) use of_synopsis::{NoisyCells, OfSynopsis, standard_laplace};
pub(crate) use reruns::{Rerun, public_random};
pub(crate) use rivals::solutions;
pub(crate) use simulated_table::SimulatedTable;

use serde::{Deserialize, Serialize};
use shoal_lattice::{BoxLength, BoxPosition};

/// The confidence of all intervals.
pub const CONFIDENCE: f64 = 0.95;

/// Clusters that reappear less often than this are called unstable.
pub const STABLE: f64 = 0.9;

/// Below this, a cluster is not reproducible, and no interval is shown for it.
pub const REPRODUCIBLE: f64 = 0.5;

/// Attributes up to which intervals cover as often as they state. With more, the released cells are hardly cut along most
/// attributes, and a table simulated from them is not enough like the real one.
pub const MOST_DIMS: usize = 10;

/// Reruns of the method behind the intervals, unless another number is asked for.
pub const RERUNS: usize = 40;

/// How certain centres and sizes are.
#[derive(Clone, Debug, PartialEq)]
pub struct Certainty {
    /// Where each coordinate of each centre would be without privacy noise, with confidence [`CONFIDENCE`].
    pub centres: Vec<Vec<Range<BoxPosition>>>,
    /// How far the same coordinate of another run with the same budget may be from this one, with the same confidence.
    pub rerun: Vec<Vec<BoxLength>>,
    /// How many rows each cluster would have without privacy noise; empty when the method releases no sizes.
    pub sizes: Vec<Range<f64>>,
    /// How often each cluster reappears when the noise is drawn again, from 0 to 1; empty where it is not known.
    pub stability: Vec<f64>,
    /// Standard deviation of the rows of each cluster in each attribute, as far as the release shows it; empty where it
    /// does not.
    pub spread: Vec<Vec<BoxLength>>,
    /// The share of variance that the clusters explain, compared with one centre.
    pub explained: Option<Explained>,
    /// The intervals leave out a part of the error that cannot be estimated from this release: they are at least so wide.
    pub at_least: bool,
    /// Whether the rows divide into clusters at all.
    pub evidence: Option<Evidence>,
}

/// From a lower to an upper end.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Range<T> {
    /// The lower end.
    pub low: T,
    /// The upper end.
    pub high: T,
}

/// The share of variance that the clusters explain: 1 − NICV of the clusters / NICV of one centre.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Explained {
    /// The estimate, from 0 to 1.
    pub share: f64,
    /// The lower end of its interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The gap statistic: how much better k clusters divide the released cells than they would divide an even spread of rows
/// that went through the same private mechanism.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// One line for each number of clusters that was tried, from 1 upwards.
    pub tried: Vec<GapOfK>,
    /// The gap from which on clusters show.
    pub needed: f64,
    /// The number of clusters that show: 1 when none do.
    pub supported: usize,
    /// Other numbers from 2 on that fit about as well, so that the release does not decide between them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undecided: Vec<usize>,
}

/// How well k clusters divide the rows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GapOfK {
    /// The number of clusters.
    pub k: usize,
    /// How much better than an even spread, in natural logarithms; 0 for one cluster.
    pub gap: f64,
    /// Standard error of the gap.
    pub error: f64,
    /// The share of variance that this many clusters explain on the released cells.
    pub explained: f64,
}
