//! Released cells of either kind: those of a grid, or the boxes of a tree.

use shoal_noise::NoiseSource;
use shoal_privacy::{Guarantee, Loss};

use crate::Decision;
use crate::TreeSynopsis;
use crate::Watch;
use crate::auto::{choose_on, grid_boxes};
use crate::{Synopsis, SynopsisClusters, SynopsisKMeans};

/// A released synopsis, whatever its cells are.
#[derive(Clone, Debug, PartialEq)]
pub enum AnySynopsis {
    /// The cells of a grid.
    Grid(Synopsis),
    /// The boxes of a tree.
    Tree(TreeSynopsis),
}

impl AnySynopsis {
    /// Number of cells.
    pub fn cells(&self) -> usize {
        self.counts().len()
    }

    /// A noisy count per cell.
    pub fn counts(&self) -> &[i64] {
        match self {
            Self::Grid(synopsis) => &synopsis.counts,
            Self::Tree(synopsis) => &synopsis.counts,
        }
    }

    /// Standard deviation of the noise on a count.
    pub fn count_noise(&self) -> f64 {
        match self {
            Self::Grid(synopsis) => synopsis.count_noise,
            Self::Tree(synopsis) => synopsis.count_noise,
        }
    }

    /// What its release promises.
    pub fn guarantee(&self) -> &Guarantee {
        match self {
            Self::Grid(synopsis) => &synopsis.guarantee,
            Self::Tree(synopsis) => &synopsis.guarantee,
        }
    }

    /// The promise, to be changed where circumstances of the run concern it.
    pub(crate) fn guarantee_mut(&mut self) -> &mut Guarantee {
        match self {
            Self::Grid(synopsis) => &mut synopsis.guarantee,
            Self::Tree(synopsis) => &mut synopsis.guarantee,
        }
    }

    /// What had been charged when it was released, seeded or not.
    pub fn charged(&self) -> &Loss {
        match self {
            Self::Grid(synopsis) => &synopsis.charged,
            Self::Tree(synopsis) => &synopsis.charged,
        }
    }

    /// What had been charged, to be changed where more was charged before.
    pub(crate) fn charged_mut(&mut self) -> &mut Loss {
        match self {
            Self::Grid(synopsis) => &mut synopsis.charged,
            Self::Tree(synopsis) => &mut synopsis.charged,
        }
    }

    /// The grid of cells, if it is one.
    pub fn as_grid(&self) -> Option<&Synopsis> {
        match self {
            Self::Grid(synopsis) => Some(synopsis),
            Self::Tree(_) => None,
        }
    }

    /// The tree of boxes, if it is one.
    pub fn as_tree(&self) -> Option<&TreeSynopsis> {
        match self {
            Self::Grid(_) => None,
            Self::Tree(synopsis) => Some(synopsis),
        }
    }

    /// The number of clusters from 2 to `most` that fits the cells best, and the decision that reports it. Post-processing,
    /// as any clustering of released cells.
    pub fn choose_k(&self, how: &SynopsisKMeans, most: usize, noise: &mut dyn NoiseSource) -> (usize, Decision) {
        let counts = (self.counts(), self.count_noise());
        match self {
            Self::Grid(synopsis) => choose_on(&grid_boxes(&synopsis.grid), counts, how, most, noise),
            Self::Tree(synopsis) => choose_on(&synopsis.boxes, counts, how, most, noise),
        }
    }

    /// The best clustering of several starts. Uses `noise` only for the starts.
    pub fn cluster(&self, how: &SynopsisKMeans, noise: &mut dyn NoiseSource) -> SynopsisClusters {
        self.cluster_watched(how, noise, &|_| ())
    }

    /// [`AnySynopsis::cluster`], telling a listener how many starts are done.
    pub fn cluster_watched(
        &self,
        how: &SynopsisKMeans,
        noise: &mut dyn NoiseSource,
        watch: Watch<'_>,
    ) -> SynopsisClusters {
        match self {
            Self::Grid(synopsis) => synopsis.cluster_watched(how, noise, watch),
            Self::Tree(synopsis) => synopsis.cluster_watched(how, noise, watch),
        }
    }
}

impl From<Synopsis> for AnySynopsis {
    fn from(synopsis: Synopsis) -> Self {
        Self::Grid(synopsis)
    }
}

impl From<TreeSynopsis> for AnySynopsis {
    fn from(synopsis: TreeSynopsis) -> Self {
        Self::Tree(synopsis)
    }
}
