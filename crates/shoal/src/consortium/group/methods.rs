//! The methods at work.

use shoal_consortium::aggregator::HammingSum;
use shoal_kernel::{Condensed, Dbscan, Dendrogram, Distances, KCluster, Linkage, OwnRecord, ToClusters, WithOwn};
use shoal_noise::NoiseSource;

use super::{Group, Grouping};
use crate::Error;
use crate::consortium::clusters::described;
use crate::consortium::{ClusterOfRecords, ConsortiumError, Instead, Metric, Pooled};

impl Group {
    pub(super) fn grouped(
        &self,
        pooled: &Pooled,
        metric: Metric,
        random: &mut dyn NoiseSource,
    ) -> Result<Found, Error> {
        let plain = pooled.is_plain();
        let by_tree = self.method == Grouping::Hierarchical;
        if plain && metric.adds_up() && !by_tree {
            // Sums to clusters come from counts of bits: no table of all pairs.
            let sums = HammingSum::new(pooled.terms(), pooled.codes())?;
            return self.by_distance(&sums, &sums, random);
        }
        let instead = if plain && !by_tree { Instead::HammingSum } else { Instead::FewerRecords };
        let distances = pooled.distances(metric, instead)?;
        let own = match (plain, metric.adds_up()) {
            (true, false) => pooled.horizontal(metric)?.own_distance(),
            (true, true) => HammingSum::new(pooled.terms(), pooled.codes())?.own_distance(),
            (false, _) => 0.0,
        };
        let with_own = WithOwn { distances: &distances, own };
        if by_tree {
            return Ok(Found::of(&with_own, self.tree(distances.clone())?, None));
        }
        self.by_distance(&with_own, &distances, random)
    }

    fn by_distance(
        &self,
        records: &impl ToClusters,
        distances: &impl Distances,
        random: &mut dyn NoiseSource,
    ) -> Result<Found, Error> {
        if self.method == Grouping::Dbscan {
            return Ok(Found::of(records, self.dense(distances)?, None));
        }
        let how = KCluster {
            k: self.k.unwrap_or(1),
            own: self.own_record.unwrap_or(OwnRecord::LeftOut),
            iterations: self.iterations.unwrap_or(Self::ITERATIONS),
            starts: self.starts.unwrap_or(Self::STARTS),
        };
        let found = how.run(records, random).map_err(ConsortiumError::KCluster)?;
        let labels = found.labels.iter().copied().map(Some).collect();
        Ok(Found::of(records, labels, Some((found.objective, found.converged))))
    }

    fn dense(&self, distances: &impl Distances) -> Result<Vec<Option<u32>>, Error> {
        let min_points = self.min_points.unwrap_or(Self::MIN_POINTS);
        let how = Dbscan { epsilon: self.radius.unwrap_or(0.0), min_points };
        Ok(how.run(distances).map_err(ConsortiumError::Dbscan)?.labels)
    }

    fn tree(&self, distances: Condensed) -> Result<Vec<Option<u32>>, Error> {
        let linkage = self.linkage.unwrap_or(Linkage::Average);
        let tree = Dendrogram::of(distances, linkage).map_err(ConsortiumError::Hierarchical)?;
        let labels = match (self.k, self.height) {
            (Some(k), _) => tree.cut_into(k).map_err(ConsortiumError::Hierarchical)?,
            (None, height) => tree.cut_at(height.unwrap_or(0.0)),
        };
        Ok(labels.into_iter().map(Some).collect())
    }
}

/// What a method found: labels, clusters, and for kcluster the objective and whether it converged.
pub(super) struct Found {
    pub(super) labels: Vec<Option<u32>>,
    pub(super) clusters: Vec<ClusterOfRecords>,
    pub(super) objective: Option<(f64, bool)>,
}

impl Found {
    fn of(records: &impl ToClusters, labels: Vec<Option<u32>>, objective: Option<(f64, bool)>) -> Self {
        let (labels, clusters) = described(records, labels);
        Self { labels, clusters, objective }
    }
}
