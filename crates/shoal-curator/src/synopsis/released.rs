//! A released synopsis: cells, a noisy count for each, and what its release guarantees.
//!
//! A synopsis can be clustered again for any k, any number of times: that is post-processing of released numbers and costs
//! nothing. **Negative counts stay negative**, so that noise cancels inside a cluster; setting them to zero
//! ([`NegativeCounts::Zero`], for comparison) would add rows that do not exist. Of several initialisations, the result with the lowest cost *on the synopsis* is kept. How cells
//! become clusters depends on their shape: [`grid_cells`](super::grid_cells) and [`box_cells`](super::box_cells).

use std::borrow::Cow;

use shoal_lattice::{BoxPosition, Widths};
use shoal_noise::NoiseSource;
use shoal_privacy::{Claim, Guarantee, Loss};

use crate::Certainty;
use crate::Decision;
use crate::Evidence;
use crate::Watch;
use crate::certainty::evidence;
use crate::certainty::{OfSynopsis, RERUNS};
use crate::synopsis::box_cells::{self, TreeBoxes};
use crate::synopsis::grid_cells;
use shoal_kernel::{BestKMeans, LatticeCentres};
use shoal_scan::{BoxTree, Grid, LeafBoxes};

/// How a synopsis is clustered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SynopsisKMeans {
    /// Number of clusters.
    pub k: usize,
    /// Initialisations; 30 in SCL16.
    pub inits: usize,
    /// Most rounds from each initialisation: 50, see *Deviations* of the grid; 100 in the authors' code.
    pub rounds: usize,
    /// Reruns on simulated tables, from which the intervals of the result come; 0 for the noise on the last sums alone.
    pub reruns: usize,
    /// What k-means does with negative counts.
    pub negative: NegativeCounts,
}

/// What k-means on cells does with negative noisy counts (SCL16 §4.2.1 keeps them).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NegativeCounts {
    /// They stay negative, so that noise cancels within a cluster.
    #[default]
    Keep,
    /// They are taken for zero, which draws centres to where there are cells without rows. Sizes and errors of the clusters
    /// still come from all counts.
    Zero,
}

impl SynopsisKMeans {
    /// The paper's number of initialisations.
    pub fn new(k: usize) -> Self {
        Self { k, inits: 30, rounds: 50, reruns: RERUNS, negative: NegativeCounts::Keep }
    }
}

/// What the counts of a synopsis are counts of.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Cells {
    /// The cells of a grid, in the order of their numbers.
    Grid(Grid),
    /// The leaves of a tree of boxes, from below to above.
    Boxes(TreeBoxes),
}

impl Cells {
    /// Number of cells.
    pub fn count(&self) -> usize {
        match self {
            Self::Grid(grid) => grid.cells(),
            Self::Boxes(boxes) => boxes.leaves().count(),
        }
    }

    /// The box of each cell.
    pub fn boxes(&self) -> Cow<'_, LeafBoxes> {
        match self {
            Self::Grid(grid) => Cow::Owned(grid_cells::boxes(grid)),
            Self::Boxes(boxes) => Cow::Borrowed(boxes.leaves()),
        }
    }
}

impl From<Grid> for Cells {
    fn from(grid: Grid) -> Self {
        Self::Grid(grid)
    }
}

/// # Panics
/// When the nodes are not in walking order.
impl From<BoxTree> for Cells {
    fn from(tree: BoxTree) -> Self {
        Self::Boxes(TreeBoxes::new(tree))
    }
}

/// Released cells with noisy counts.
#[derive(Clone, Debug, PartialEq)]
pub struct Synopsis {
    /// The cells.
    pub cells: Cells,
    /// A noisy count per cell; many are negative.
    pub counts: Vec<i64>,
    /// Standard deviation of the noise on a count.
    pub count_noise: f64,
    /// What its release guarantees.
    pub guarantee: Guarantee,
    /// What had been charged when it was released, seeded or not.
    pub charged: Loss,
    /// What had been decided when it was released. Later decisions follow from releases that `charged` does not cover, so
    /// they must not travel with the cells.
    pub decisions: Vec<Decision>,
}

/// Clusters of a synopsis.
#[derive(Clone, Debug, PartialEq)]
pub struct SynopsisClusters {
    /// The centres.
    pub centres: Vec<Vec<BoxPosition>>,
    /// Sums of noisy counts, not below zero.
    pub sizes: Vec<f64>,
    /// Standard deviation of the noise on each size.
    pub size_noise: Vec<f64>,
    /// Standard deviation of each centre's error per attribute: noise and cell width together.
    pub noise_per_centre: Vec<Vec<Widths>>,
    /// Mean squared distance of the synopsis from its centres; none when the counts do not add up to more than zero.
    pub nicv: Option<f64>,
    /// How certain centres and sizes are, where it was worked out.
    pub certainty: Option<Certainty>,
}

impl Synopsis {
    /// A synopsis of released counts.
    ///
    /// # Panics
    /// When there is not one count per cell, or the nodes of a tree are not in walking order.
    pub fn new(cells: impl Into<Cells>, counts: Vec<i64>, count_noise: f64, claim: Claim, seeded: bool) -> Self {
        let cells = cells.into();
        assert_eq!(cells.count(), counts.len(), "one count per cell");
        let charged = claim.loss.clone();
        let guarantee = Guarantee::of(claim, seeded);
        Self { cells, counts, count_noise, guarantee, charged, decisions: Vec::new() }
    }

    /// The same synopsis with what had been decided up to its release.
    pub fn decided(self, decisions: &[Decision]) -> Self {
        Self { decisions: decisions.to_vec(), ..self }
    }

    /// The grid, if the cells are those of one.
    pub fn as_grid(&self) -> Option<&Grid> {
        match &self.cells {
            Cells::Grid(grid) => Some(grid),
            Cells::Boxes(_) => None,
        }
    }

    /// The tree and its boxes, if the cells are those of one.
    pub fn as_boxes(&self) -> Option<&TreeBoxes> {
        match &self.cells {
            Cells::Grid(_) => None,
            Cells::Boxes(boxes) => Some(boxes),
        }
    }

    /// k-means on the cells from each of the given initialisations; costs are sums over the noisy counts.
    pub fn kmeans_from(&self, starts: &[LatticeCentres], rounds: usize) -> Vec<BestKMeans> {
        match &self.cells {
            Cells::Grid(grid) => grid_cells::kmeans_from(grid, &self.counts, starts, rounds),
            Cells::Boxes(boxes) => box_cells::kmeans_from(boxes, &self.counts, starts, rounds),
        }
    }

    /// The best clustering of several initialisations, for which alone `noise` is used.
    pub fn cluster(&self, how: &SynopsisKMeans, noise: &mut dyn NoiseSource) -> SynopsisClusters {
        self.cluster_watched(how, noise, &|_| ())
    }

    /// [`Synopsis::cluster`], with a listener for the number of initialisations that are done.
    pub fn cluster_watched(
        &self,
        how: &SynopsisKMeans,
        noise: &mut dyn NoiseSource,
        watch: Watch<'_>,
    ) -> SynopsisClusters {
        let cluster = |noisy: NoisyCounts<'_>, noise: &mut dyn NoiseSource| match &self.cells {
            Cells::Grid(grid) => grid_cells::cluster(grid, noisy, how, noise, watch),
            Cells::Boxes(boxes) => box_cells::cluster(boxes, noisy, how, noise, watch),
        };
        match how.negative {
            NegativeCounts::Keep => cluster(self.noisy(), noise),
            NegativeCounts::Zero => {
                let counts: Vec<i64> = self.counts.iter().map(|&count| count.max(0)).collect();
                let found = cluster(NoisyCounts { counts: &counts, ..self.noisy() }, noise);
                self.describe(&found.centres.concat())
            }
        }
    }

    /// Sizes and errors of the clusters around given centres, centre after centre.
    pub fn describe(&self, centres: &[BoxPosition]) -> SynopsisClusters {
        let centres = &BoxPosition::numbers(centres);
        match &self.cells {
            Cells::Grid(grid) => grid_cells::describe_centres(grid, self.noisy(), centres),
            Cells::Boxes(boxes) => box_cells::describe(boxes, self.noisy(), centres),
        }
    }

    /// The same clusters with intervals, for clusters that [`Synopsis::cluster`] found with `how`. No noise source is used: the
    /// same cells and clusters have the same intervals. [`Synopsis::check_k`] adds the evidence.
    pub fn with_certainty(&self, found: SynopsisClusters, how: &SynopsisKMeans) -> SynopsisClusters {
        let certainty = OfSynopsis {
            synopsis: self,
            how,
            centres: &found.centres,
            noise: &found.noise_per_centre,
            sizes: &found.sizes,
            size_noise: &found.size_noise,
            with_step: false,
        }
        .certainty();
        SynopsisClusters { certainty: Some(certainty), ..found }
    }

    /// The number of clusters up to `most` that the cells show, and the decision that reports it. 1 when none show.
    /// Post-processing, as any clustering of released cells.
    pub fn choose_k(&self, most: usize) -> (usize, Decision) {
        let found = evidence::evidence_of_synopsis(self, evidence::Effort::to_choose(most));
        let k = found.as_ref().map_or(1, |evidence| evidence.supported);
        (k, Decision::ChoseK { k, evidence: found, scores: Vec::new() })
    }

    /// Whether the cells support a given number of clusters.
    pub fn check_k(&self, k: usize) -> Option<Evidence> {
        evidence::evidence_of_synopsis(self, evidence::Effort::to_check(k))
    }

    fn noisy(&self) -> NoisyCounts<'_> {
        NoisyCounts { counts: &self.counts, variance: self.count_noise.powi(2) }
    }
}

/// The counts of a synopsis and the variance of the noise on each.
#[derive(Clone, Copy)]
pub(super) struct NoisyCounts<'a> {
    pub counts: &'a [i64],
    pub variance: f64,
}

impl NoisyCounts<'_> {
    /// The mean of a cost over all rows; none when the counts do not add up to more than zero.
    pub fn mean(&self, cost: f64) -> Option<f64> {
        let total: f64 = self.counts.iter().map(|&count| count as f64).sum();
        (total > 0.0).then(|| cost / total)
    }
}
