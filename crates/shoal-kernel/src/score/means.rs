//! Sums and counts of points per cluster.

use crate::score::error::{ScoreError, check_row};
use crate::score::sum::Sum;

/// Sums the members of each cluster, for their means and for relative errors.
#[derive(Clone, Debug)]
pub struct ClusterSums {
    dims: usize,
    sums: Vec<Sum>,
    counts: Vec<u64>,
}

impl ClusterSums {
    /// For clusters 0 to `clusters − 1` of points `dims` wide.
    pub fn new(clusters: usize, dims: usize) -> Result<Self, ScoreError> {
        if dims == 0 {
            return Err(ScoreError::Nothing { what: "a point without columns" });
        }
        if clusters == 0 {
            return Err(ScoreError::Nothing { what: "a model without centres" });
        }
        Ok(Self { dims, sums: vec![Sum::default(); clusters * dims], counts: vec![0; clusters] })
    }

    /// Adds one point to cluster `label`.
    pub fn add_row(&mut self, row: &[f64], label: usize) -> Result<(), ScoreError> {
        check_row("a point", row, self.dims)?;
        self.check_label(label)?;
        self.counts[label] += 1;
        let sums = &mut self.sums[label * self.dims..][..self.dims];
        sums.iter_mut().zip(row).for_each(|(sum, value)| sum.add(*value));
        Ok(())
    }

    /// Adds what another of the same shape has seen.
    ///
    /// # Panics
    /// When the shapes differ.
    pub fn merge(&mut self, other: &Self) {
        assert!(self.dims == other.dims && self.clusters() == other.clusters(), "merged sums are of the same shape");
        self.sums.iter_mut().zip(&other.sums).for_each(|(sum, more)| sum.merge(more));
        self.counts.iter_mut().zip(&other.counts).for_each(|(count, more)| *count += more);
    }

    /// How many clusters there are, empty ones too.
    pub fn clusters(&self) -> usize {
        self.counts.len()
    }

    /// Members of each cluster.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// The means, row by row. A cluster without members is an error.
    pub fn means(&self) -> Result<Vec<f64>, ScoreError> {
        let mut means = Vec::with_capacity(self.sums.len());
        for cluster in 0..self.clusters() {
            let count = self.count(cluster)?;
            means.extend(self.sum(cluster).into_iter().map(|sum| sum / count));
        }
        Ok(means)
    }

    pub(crate) fn dims(&self) -> usize {
        self.dims
    }

    pub(crate) fn check_label(&self, label: usize) -> Result<(), ScoreError> {
        let clusters = self.clusters();
        if label < clusters { Ok(()) } else { Err(ScoreError::UnknownCluster { label, clusters }) }
    }

    pub(crate) fn sum(&self, cluster: usize) -> Vec<f64> {
        self.sums[cluster * self.dims..][..self.dims].iter().map(Sum::value).collect()
    }

    /// The number of members, at least one.
    pub(crate) fn count(&self, cluster: usize) -> Result<f64, ScoreError> {
        match self.counts[cluster] {
            0 => Err(ScoreError::EmptyCluster { cluster }),
            count => Ok(count as f64),
        }
    }
}
