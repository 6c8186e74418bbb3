//! How certain a model is, in the user's units.

use serde::{Deserialize, Serialize};
use shoal_curator::Explained;
use shoal_curator::certainty::{Certainty as InBox, Evidence, REPRODUCIBLE, STABLE};
use shoal_lattice::{Bounds, BoxLength, BoxPosition, LatticeMap};

/// Intervals, stability and what the clusters explain: post-processing of the release.
///
/// In `model.json` the fields are beside those of the model. Intervals are about what the same clustering would give
/// without privacy noise, at 95 % confidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Certainty {
    /// Centre × column × [low, high], in the user's units.
    pub intervals: Vec<Vec<[f64; 2]>>,
    /// Centre × column: how far another run with the same budget may be from this one, in the user's units.
    pub rerun_distance: Vec<Vec<f64>>,
    /// [low, high] for each size; empty when there are no sizes.
    pub size_intervals: Vec<[f64; 2]>,
    /// How often each cluster reappears when the noise is drawn again, from 0 to 1; empty where it is not known.
    pub stability: Vec<f64>,
    /// Centre × column: standard deviation of the rows of the cluster, in the user's units; empty where it is not known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spread: Vec<Vec<f64>>,
    /// Centre × column: the additional half-width at 95 % where the rows are a random sample of a larger population, in the
    /// user's units. Empty unless asked for ([`Certainty::with_sampling`]).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sampling_distance: Vec<Vec<f64>>,
    /// The share of variance that the clusters explain, compared with one centre.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explained: Option<Explained>,
    /// The intervals are lower bounds of the error: a part of it cannot be estimated from this release.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub intervals_at_least: bool,
    /// Whether the rows divide into clusters at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<Evidence>,
}

/// How much a cluster can be relied on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It reappears in nearly every run.
    Stable,
    /// It often looks different in another run.
    Unstable,
    /// It reappears in less than half of the runs: no interval describes it.
    NotReproducible,
    /// How often it reappears is not known.
    Unknown,
}

impl Certainty {
    /// What the library found in the box, in the user's units.
    pub(crate) fn of(found: &InBox, bounds: &Bounds, centres: &[Vec<BoxPosition>]) -> Self {
        let map = LatticeMap::new(bounds);
        let lengths = |(row, centre): (&Vec<BoxLength>, &Vec<BoxPosition>)| {
            let row = row.iter().zip(centre).enumerate();
            row.map(|(i, (x, around))| map.length_in_user(i, *around, *x)).collect::<Vec<_>>()
        };
        let interval = |(i, x): (usize, &shoal_curator::certainty::Range<BoxPosition>)| {
            [map.to_user(i, x.low), map.to_user(i, x.high)]
        };
        Self {
            intervals: found.centres.iter().map(|row| row.iter().enumerate().map(interval).collect()).collect(),
            rerun_distance: found.rerun.iter().zip(centres).map(lengths).collect(),
            size_intervals: found.sizes.iter().map(|size| [size.low, size.high]).collect(),
            stability: found.stability.clone(),
            spread: found.spread.iter().zip(centres).map(lengths).collect(),
            sampling_distance: Vec::new(),
            explained: found.explained,
            intervals_at_least: found.at_least,
            evidence: found.evidence.clone(),
        }
    }

    /// With the error of sampling, which is no part of the intervals: where the rows are a random sample of a larger
    /// population, the centre of a cluster in that population is within two standard errors of the mean, 2·sd/√rows, of the
    /// one in the sample, at 95 %. Both errors together are √(a² + b²). Nothing changes where spreads are not known.
    pub fn with_sampling(self, sizes: &[f64]) -> Self {
        let of = |(sds, rows): (&Vec<f64>, &f64)| sds.iter().map(|sd| 2.0 * sd / rows.max(1.0).sqrt()).collect();
        let sampling_distance = self.spread.iter().zip(sizes).map(of).collect();
        Self { sampling_distance, ..self }
    }

    /// How much cluster `j` can be relied on.
    pub fn standing(&self, j: usize) -> Standing {
        match self.stability.get(j) {
            None => Standing::Unknown,
            Some(&share) if share < REPRODUCIBLE => Standing::NotReproducible,
            Some(&share) if share < STABLE => Standing::Unstable,
            Some(_) => Standing::Stable,
        }
    }

    /// Why these numbers do not go together, for `centres` centres of `dims` columns.
    pub(crate) fn fault(&self, centres: usize, dims: usize, sizes: usize) -> Option<&'static str> {
        let ordered = |&[low, high]: &[f64; 2]| low <= high && low.is_finite() && high.is_finite();
        let shape = |rows: usize, mut widths: std::vec::IntoIter<usize>| rows == centres && widths.all(|w| w == dims);
        let of = |table: &Vec<Vec<f64>>| table.iter().map(Vec::len).collect::<Vec<_>>().into_iter();
        let widths = self.intervals.iter().map(Vec::len).collect::<Vec<_>>().into_iter();
        if !shape(self.intervals.len(), widths) || !shape(self.rerun_distance.len(), of(&self.rerun_distance)) {
            Some("an interval is needed for each coordinate")
        } else if !self.intervals.iter().flatten().chain(&self.size_intervals).all(ordered) {
            Some("the lower end of an interval is above its upper end")
        } else if self.size_intervals.len() != sizes {
            Some("an interval is needed for each size")
        } else if ![0, centres].contains(&self.stability.len())
            || self.stability.iter().any(|share| !(0.0..=1.0).contains(share))
        {
            Some("the stability of each cluster is a share from 0 to 1")
        } else if !self.spread.is_empty() && !shape(self.spread.len(), of(&self.spread)) {
            Some("a spread is needed for each coordinate")
        } else if !self.sampling_distance.is_empty()
            && !shape(self.sampling_distance.len(), of(&self.sampling_distance))
        {
            Some("an error of sampling is needed for each coordinate")
        } else {
            None
        }
    }
}
