//! Clusters of records, found from their codes.

mod methods;

use shoal_kernel::{Linkage, OwnRecord};

use super::{ClusterOfRecords, Consistency, ConsortiumError, Metric, Pooled};
use crate::Error;
use crate::fit::noise;
use crate::input::Reading;
use crate::watch::{Phase, Watch, Watcher};

/// Above so many records the table of all pairs is left to those who ask for it.
const MANY: usize = 5000;

/// How records are grouped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Grouping {
    /// Every record to the cluster that it is nearest to on average (SZY19, Algorithm 2).
    #[default]
    KCluster,
    /// Dense neighbourhoods, and records that belong to none.
    Dbscan,
    /// A tree of clusters, cut into k or at a height.
    Hierarchical,
}

/// A clustering of codes, set up. It is post-processing: the guarantee stays that of the codes.
#[derive(Clone)]
pub struct Group {
    method: Grouping,
    metric: Option<Metric>,
    k: Option<usize>,
    own_record: Option<OwnRecord>,
    starts: Option<usize>,
    iterations: Option<usize>,
    radius: Option<f64>,
    min_points: Option<usize>,
    linkage: Option<Linkage>,
    height: Option<f64>,
    seed: Option<u64>,
    reading: Reading,
    watch: Watcher,
}

/// Clusters, and how near their records are to each other.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Grouped {
    /// The cluster of each record, counted from 0 by the first record in it; nothing where it belongs to none.
    pub labels: Vec<Option<u32>>,
    /// The clusters.
    pub clusters: Vec<ClusterOfRecords>,
    /// Eq. 17, for kcluster.
    pub objective: Option<f64>,
    /// Whether the last step moved nothing, for kcluster.
    pub converged: Option<bool>,
    /// How distances were combined.
    pub metric: Metric,
    /// The metric was chosen because the records are many.
    pub metric_by_size: bool,
    /// The share of all pairs that no chain of records connects, where distances go through records in between.
    pub unreached: Option<f64>,
}

impl Grouped {
    /// Records that belong to no cluster.
    pub fn unclustered(&self) -> usize {
        self.labels.iter().filter(|label| label.is_none()).count()
    }
}

impl Grouping {
    /// Its name in the catalogue.
    pub fn name(self) -> &'static str {
        match self {
            Self::KCluster => "kcluster",
            Self::Dbscan => "dbscan",
            Self::Hierarchical => "hierarchical",
        }
    }

    /// The options that only it has.
    fn options(self) -> &'static [&'static str] {
        match self {
            Self::KCluster => &["own-record", "starts", "iterations"],
            Self::Dbscan => &["radius", "min-points"],
            Self::Hierarchical => &["linkage", "height"],
        }
    }
}

impl Group {
    /// Starts of kcluster unless others are asked for.
    pub const STARTS: usize = 20;
    /// Steps of kcluster from each start, at most.
    pub const ITERATIONS: usize = 100;
    /// Records that make a neighbourhood of dbscan dense.
    pub const MIN_POINTS: usize = 5;

    /// A clustering by this method.
    pub fn new(method: Grouping) -> Self {
        Self {
            method,
            metric: None,
            k: None,
            own_record: None,
            starts: None,
            iterations: None,
            radius: None,
            min_points: None,
            linkage: None,
            height: None,
            seed: None,
            reading: Reading::default(),
            watch: Watcher::default(),
        }
    }

    /// How the distances of several columns are combined. The default is eq. 19, and with kcluster and dbscan the sum for
    /// more than 5,000 records, unless there is an own table or the codes are of pairs.
    #[must_use]
    pub fn metric(mut self, metric: Metric) -> Self {
        self.metric = Some(metric);
        self
    }

    /// Number of clusters; for kcluster and hierarchical.
    #[must_use]
    pub fn k(mut self, k: usize) -> Self {
        self.k = Some(k);
        self
    }

    /// Whether a record counts in the average of its own cluster; for kcluster.
    #[must_use]
    pub fn own_record(mut self, own: OwnRecord) -> Self {
        self.own_record = Some(own);
        self
    }

    /// Starts that are tried; the best result is kept; for kcluster.
    #[must_use]
    pub fn starts(mut self, starts: usize) -> Self {
        self.starts = Some(starts.max(1));
        self
    }

    /// Steps from each start, at most; for kcluster.
    #[must_use]
    pub fn iterations(mut self, iterations: usize) -> Self {
        self.iterations = Some(iterations.max(1));
        self
    }

    /// How near records of one neighbourhood are; for dbscan.
    #[must_use]
    pub fn radius(mut self, radius: f64) -> Self {
        self.radius = Some(radius);
        self
    }

    /// Records that make a neighbourhood dense, the record itself among them; for dbscan.
    #[must_use]
    pub fn min_points(mut self, min_points: usize) -> Self {
        self.min_points = Some(min_points);
        self
    }

    /// What the distance of two clusters is; for hierarchical.
    #[must_use]
    pub fn linkage(mut self, linkage: Linkage) -> Self {
        self.linkage = Some(linkage);
        self
    }

    /// Cuts the tree at this distance instead of into k clusters; for hierarchical.
    #[must_use]
    pub fn height(mut self, height: f64) -> Self {
        self.height = Some(height);
        self
    }

    /// Repeatable starts. Takes no guarantee away: the flips are in the codes already, and starts are not noise.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Threads to use, instead of those of the current rayon pool. The result does not depend on them.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.reading.threads = Some(threads.max(1));
        self
    }

    /// Listens to the job.
    #[must_use]
    pub fn watch(mut self, watch: impl Watch + 'static) -> Self {
        self.watch = Watcher::new(watch);
        self
    }

    /// The method.
    pub fn method(&self) -> Grouping {
        self.method
    }

    /// Refuses what makes no sense before codes are read: options that the method lacks, and missing ones.
    pub fn check(&self) -> Result<(), Error> {
        let all = [
            ("own-record", self.own_record.is_some()),
            ("starts", self.starts.is_some()),
            ("iterations", self.iterations.is_some()),
            ("radius", self.radius.is_some()),
            ("min-points", self.min_points.is_some()),
            ("linkage", self.linkage.is_some()),
            ("height", self.height.is_some()),
        ];
        let foreign = |(option, given): &&(&'static str, bool)| *given && !self.method.options().contains(option);
        if let Some((knob, _)) = all.iter().find(foreign) {
            let methods = [Grouping::KCluster, Grouping::Dbscan, Grouping::Hierarchical];
            let others = methods.iter().filter(|method| method.options().contains(knob)).map(|method| method.name());
            return Err(Error::UnknownKnob { knob, method: self.method.name(), others: others.collect() });
        }
        Err(match (self.method, self.k, self.radius, self.height) {
            (Grouping::KCluster, None, _, _) => ConsortiumError::KNeeded,
            (Grouping::Hierarchical, None, _, None) => ConsortiumError::CutNeeded,
            (Grouping::Hierarchical, Some(_), _, Some(_)) => ConsortiumError::TwoCuts,
            (Grouping::Dbscan, Some(_), _, _) => ConsortiumError::KNotWanted,
            (Grouping::Dbscan, _, None, _) => ConsortiumError::RadiusNeeded,
            _ => return Ok(()),
        }
        .into())
    }

    /// Refuses what does not fit these codes.
    fn check_for(&self, pooled: &Pooled) -> Result<(), Error> {
        self.check()?;
        let as_printed = self.own_record == Some(OwnRecord::AsPrinted);
        if as_printed && pooled.consistency() != Consistency::None {
            return Err(ConsortiumError::OwnRecordAsPrinted { beside: "consistency" }.into());
        }
        if as_printed && pooled.has_own() {
            return Err(ConsortiumError::OwnRecordAsPrinted { beside: "own" }.into());
        }
        match self.k.filter(|k| *k > pooled.records()) {
            Some(k) => Err(ConsortiumError::TooFewRecords { k, records: pooled.records() }.into()),
            None => Ok(()),
        }
    }

    /// The metric, and whether it was chosen because the records are many.
    fn metric_for(&self, pooled: &Pooled) -> Result<(Metric, bool), Error> {
        let dims = pooled.terms().dims();
        let many = pooled.is_plain() && pooled.records() > MANY && self.method != Grouping::Hierarchical;
        let metric = match self.metric {
            Some(Metric::Eq11) if dims > 1 => return Err(ConsortiumError::OneAttributeNeeded { dims }.into()),
            Some(metric) => metric,
            // With one attribute there is nothing to combine: decoded distances are averaged (eq. 16) and compared with
            // a radius (eq. 12) as they are, also below zero.
            None if pooled.is_plain() && dims == 1 => Metric::Eq11,
            None if many => Metric::HammingSum,
            None => Metric::Eq19,
        };
        Ok((metric.of_dims(dims), self.metric.is_none() && many && dims > 1))
    }

    /// Clusters codes.
    pub fn run(&self, pooled: &Pooled) -> Result<Grouped, Error> {
        self.check_for(pooled)?;
        let (metric, metric_by_size) = self.metric_for(pooled)?;
        self.reading.on_threads(|| {
            // Only starts are drawn: no guarantee rests on them, so a seed takes none away.
            let mut random = noise(self.seed)?;
            let _clustering = self.watch.phase(Phase::Clustering);
            let found = self.grouped(pooled, metric, &mut *random)?;
            Ok(Grouped {
                labels: found.labels,
                clusters: found.clusters,
                objective: found.objective.map(|(objective, _)| objective),
                converged: found.objective.map(|(_, converged)| converged),
                metric,
                metric_by_size,
                unreached: pooled.unreached()?,
            })
        })
    }
}
