//! What a method is asked to do: a number of clusters, a budget, a design size, and the parameters that differ from its
//! paper.

use shoal_privacy::{Amount, Delta, Epsilon};

use crate::{DesignSize, Matching, Merge, NegativeCounts, RangeRule, SynopsisKMeans};

/// What every method needs to know.
///
/// ```
/// use shoal_curator::{DesignSize, Knobs, Settings};
///
/// let settings = Settings::new(5, "1".parse()?, DesignSize::Public(50_000));
/// let two_steps = Settings { knobs: Knobs { iterations: Some(2), ..Knobs::default() }, ..settings };
/// assert_eq!((two_steps.k, two_steps.choose_k), (5, false));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Settings {
    /// Number of clusters; the most, when it is to be chosen.
    pub k: usize,
    /// The whole budget.
    pub epsilon: Epsilon,
    /// The δ that may be used as well; zero for a pure ε, which most methods keep anyway.
    pub delta: Delta,
    /// For how many rows the method is designed, if it is.
    pub size: DesignSize,
    /// What differs from the paper.
    pub knobs: Knobs,
    /// The number of clusters is chosen on released cells, up to [`Settings::k`], by methods that can.
    pub choose_k: bool,
    /// The released cells will be kept, so `auto` takes only routes that release some.
    pub keep_cells: bool,
}

impl Settings {
    /// A pure ε, a given number of clusters, and the paper's value of every parameter.
    pub fn new(k: usize, epsilon: Epsilon, size: DesignSize) -> Self {
        let (delta, knobs) = (Delta::ZERO, Knobs::default());
        Self { k, epsilon, delta, size, knobs, choose_k: false, keep_cells: false }
    }
}

/// The parameters of the papers. `None` is the paper's value.
///
/// Each method uses only those that are listed in its [`options`](shoal_privacy::MethodInfo::options), where `max_cells`
/// is called `max-cells`. Write `Knobs { theta: Some(8.0), ..Knobs::default() }`, so that a new parameter breaks nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Knobs {
    /// Iterations of Lloyd's algorithm (`dplloyd` 5, `knorm-lloyd` 2, `kccm` 12), rounds of the genetic search (`pgkm`), or
    /// the most iterations of k-means on cells (50) and in each block of `gkm` (30).
    pub iterations: Option<u32>,
    /// θ of SCL16 eq. (4), above 0: a larger θ gives fewer grid cells. `eugkm` and `hybrid` use 10.
    pub theta: Option<f64>,
    /// k-means initialisations on the cells (30), or in each block of `gkm` (5). The best one is kept.
    pub inits: Option<usize>,
    /// The most cells of a grid, whatever the paper's rule asks for: 16 bytes each. 4,194,304 unless given.
    pub max_cells: Option<usize>,
    /// The number of cells of a grid, in place of eq. (4) and θ; rounded to a grid as the paper rounds. `eugkm`, `hybrid`.
    pub cells: Option<usize>,
    /// What k-means on cells does with negative noisy counts: they stay negative in the paper. `eugkm`, `hybrid`, `tree`.
    pub negative: Option<NegativeCounts>,
    /// ρ of SCL16 eq. (6), 0–0.5: mean distance of a centre from the middle, in box widths. `hybrid` uses 0.225.
    pub rho: Option<f64>,
    /// The share of ε for the cells of `hybrid` when a refining step follows: 1/2 in the paper.
    pub synopsis_share: Option<Amount>,
    /// The share of ε that decides the shape of a `tree`; the counts get the rest. 1/2 unless given.
    pub structure_share: Option<Amount>,
    /// The number of blocks of `gkm`, instead of the paper's rule.
    pub blocks: Option<u32>,
    /// How `gkm` finds out which centres of different blocks belong together.
    pub matching: Option<Matching>,
    /// How `gkm` finds the range of the blocks' centres: from what the blocks hand in unless given.
    pub range: Option<RangeRule>,
    /// The share of ε for which `gkm` estimates the range of the blocks' centres: 1/2 in the paper.
    pub range_share: Option<Amount>,
    /// Candidate sets of centres in each round of `pgkm`: 200 in the paper.
    pub population: Option<usize>,
    /// Sets that `pgkm` picks in each round but the last: 10 in the paper.
    pub picks: Option<usize>,
    /// How far a mutation of `pgkm` moves a coordinate at most, as a part of the column's range: 0.5 unless given.
    pub mutation: Option<f64>,
    /// n of NQC21: `kccm` starts with n·k centres and merges them. 3 in the paper.
    pub n: Option<usize>,
    /// Which clusters `kccm` merges: the nearest in the paper.
    pub merge: Option<Merge>,
    /// The share of ε that buys an estimate of the result's quality, for `auto` and its routes: 1/50 unless given, 0 for
    /// none.
    pub score_share: Option<Amount>,
    /// Reruns on simulated tables, from which the intervals come, for methods that release cells: 40 unless given. They cost
    /// time and no ε. With 0, intervals show the noise on the last sums alone and are marked as lower bounds.
    pub reruns: Option<usize>,
    /// Proportions in which the iterations of `kccm` share ε, one for each.
    pub shares: Option<Vec<Amount>>,
}

impl Knobs {
    /// The names of those that were given, as a method's [`options`](shoal_privacy::MethodInfo::options) have them.
    pub fn given(&self) -> Vec<&'static str> {
        let all = [
            ("iterations", self.iterations.is_some()),
            ("theta", self.theta.is_some()),
            ("inits", self.inits.is_some()),
            ("max-cells", self.max_cells.is_some()),
            ("cells", self.cells.is_some()),
            ("negative", self.negative.is_some()),
            ("rho", self.rho.is_some()),
            ("synopsis-share", self.synopsis_share.is_some()),
            ("structure-share", self.structure_share.is_some()),
            ("score-share", self.score_share.is_some()),
            ("blocks", self.blocks.is_some()),
            ("matching", self.matching.is_some()),
            ("range", self.range.is_some()),
            ("range-share", self.range_share.is_some()),
            ("population", self.population.is_some()),
            ("picks", self.picks.is_some()),
            ("mutation", self.mutation.is_some()),
            ("n", self.n.is_some()),
            ("merge", self.merge.is_some()),
            ("shares", self.shares.is_some()),
        ];
        all.iter().filter(|(_, given)| *given).map(|(name, _)| *name).collect()
    }

    /// How cells are clustered: `usual`, but for what was given.
    pub(crate) fn on_cells(&self, usual: SynopsisKMeans) -> SynopsisKMeans {
        SynopsisKMeans {
            inits: self.inits.unwrap_or(usual.inits),
            rounds: self.iterations.map_or(usual.rounds, |rounds| rounds as usize),
            reruns: self.reruns.unwrap_or(usual.reruns),
            negative: self.negative.unwrap_or(usual.negative),
            ..usual
        }
    }
}
