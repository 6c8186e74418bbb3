//! Distances between records, decoded from their codes.

use std::collections::HashMap;

use shoal_consortium::aggregator::HammingSum;

use super::{ConsortiumError, Instead, Metric, Pooled};
use crate::Error;
use crate::input::Reading;
use crate::watch::{Phase, Watch, Watcher};

/// A pair of rows, counted from 1 over all files, and their distance.
type PairDistance = (usize, usize, f64);

/// Decoding distances, set up. It is post-processing: the guarantee stays that of the codes.
#[derive(Clone, Default)]
pub struct Decode {
    metric: Option<Metric>,
    pairs: Option<Vec<(usize, usize)>>,
    reading: Reading,
    watch: Watcher,
}

/// Decoded distances.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Decoded {
    /// Rows, counted from 1 over all files, and their distance.
    pub distances: Vec<PairDistance>,
    /// How they were decoded.
    pub metric: Metric,
    /// The share of all pairs that no chain of records connects, where distances go through records in between.
    pub unreached: Option<f64>,
}

impl Decode {
    /// The distances of all pairs, where they fit in memory.
    pub fn new() -> Self {
        Self::default()
    }

    /// How distances are decoded. The default is eq. 11 for one attribute and eq. 19 for several.
    #[must_use]
    pub fn metric(mut self, metric: Metric) -> Self {
        self.metric = Some(metric);
        self
    }

    /// Only these pairs of rows, counted from 1 over all files.
    #[must_use]
    pub fn pairs(mut self, pairs: impl IntoIterator<Item = (usize, usize)>) -> Self {
        self.pairs = Some(pairs.into_iter().collect());
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

    /// Decodes.
    pub fn run(&self, pooled: &Pooled) -> Result<Decoded, Error> {
        let metric = self.metric_for(pooled)?;
        self.reading.on_threads(|| {
            let _decoding = self.watch.phase(Phase::Decoding);
            let distances = match &self.pairs {
                Some(pairs) => some(pooled, metric, pairs)?,
                None => all(pooled, metric)?,
            };
            Ok(Decoded { distances, metric, unreached: pooled.unreached()? })
        })
    }

    fn metric_for(&self, pooled: &Pooled) -> Result<Metric, Error> {
        let dims = pooled.terms().dims();
        Ok(match self.metric {
            Some(Metric::Eq11) if dims > 1 => return Err(ConsortiumError::OneAttributeNeeded { dims }.into()),
            Some(metric) => metric.of_dims(dims),
            // What the aggregator's own attributes add is added as squares.
            None if dims == 1 && pooled.is_plain() => Metric::Eq11,
            None => Metric::Eq19,
        })
    }
}

fn all(pooled: &Pooled, metric: Metric) -> Result<Vec<PairDistance>, Error> {
    let instead = if pooled.is_plain() { Instead::SomePairs } else { Instead::FewerRecords };
    let all = pooled.distances(metric, instead)?;
    let n = pooled.records();
    let pairs = (0..n).flat_map(|i| (i + 1..n).map(move |j| (i, j)));
    Ok(pairs.zip(all.into_vec()).map(|((i, j), d)| (pooled.row(i) + 1, pooled.row(j) + 1, d)).collect())
}

/// The distances of the pairs asked for, by their rows.
fn some(pooled: &Pooled, metric: Metric, pairs: &[(usize, usize)]) -> Result<Vec<PairDistance>, Error> {
    let records: HashMap<usize, usize> = (0..pooled.records()).map(|i| (pooled.row(i) + 1, i)).collect();
    let record = |row: usize| {
        let found = records.get(&row).copied();
        found.ok_or_else(|| ConsortiumError::NoSuchRecord { row, files: pooled.rows_of_files() })
    };
    let mut found = Vec::new();
    let mut each = |distance: &dyn Fn(usize, usize) -> f64| {
        for &(i, j) in pairs {
            let (a, b) = (record(i)?, record(j)?);
            if a == b {
                return Err(ConsortiumError::DistanceToItself { row: i });
            }
            found.push((i, j, distance(a, b)));
        }
        Ok(())
    };
    if !pooled.is_plain() {
        let all = pooled.distances(metric, Instead::FewerRecords)?;
        each(&|a, b| all.get(a, b))?;
    } else if metric.adds_up() {
        let sum = HammingSum::new(pooled.terms(), pooled.codes())?;
        each(&|a, b| sum.pair(a, b))?;
    } else {
        let root = pooled.horizontal(metric)?;
        each(&|a, b| root.pair(a, b))?;
    }
    Ok(found)
}
