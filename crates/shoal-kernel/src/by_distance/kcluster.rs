//! kCluster (SZY19, Algorithm 2): k-means without means, for records of which only distances are known.
//!
//! Every record goes to the cluster that it is nearest to on average (eqs 15 and 16), all at once, until nothing moves.
//! The sum of these averages over all records (eq. 17) decides which start was best.
//!
//! *Utility*: better when a record's distance to itself is left out of the average of its own cluster, which is the
//! default. As printed it counts, and decoded from noisy codes it is far from zero: the record pulls itself to where it is,
//! or away from it, the more the smaller the cluster.
//!
//! *Runtime*: as [`ToClusters`] has it, once for each iteration; O(n²) for given distances.
//!
//! *Deviations*: the paper leaves open, and here is settled: ties go to the lowest cluster; a record alone in its cluster
//! stays there, since nothing is left to average; a cluster that loses all its records takes the record that is
//! farthest from its own cluster, among clusters that can spare one; the averages need not settle, so an earlier
//! labelling that comes back ends the run with the best one of the cycle, and the number of iterations is limited; and
//! of several starts the lowest objective is kept.

use std::collections::{HashMap, HashSet};

use sha2::{Digest, Sha256};
use shoal_noise::{NoiseSource, uniform};

use crate::ToClusters;

/// How to run kCluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KCluster {
    /// Number of clusters.
    pub k: usize,
    /// Whether a record counts in the average of its own cluster.
    pub own: OwnRecord,
    /// Most iterations of a start.
    pub iterations: usize,
    /// Number of starts, of which the one with the lowest objective is kept.
    pub starts: usize,
}

/// Whether a record counts in the average of its own cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OwnRecord {
    /// It does not.
    #[default]
    LeftOut,
    /// It does, with the distance that its own code decodes to.
    AsPrinted,
}

/// What kCluster found.
#[derive(Clone, Debug, PartialEq)]
pub struct KClustering {
    /// The cluster of each record.
    pub labels: Vec<u32>,
    /// Sum over all records of the average distance to the own cluster (eq. 17).
    pub objective: f64,
    /// Iterations of the start that was kept.
    pub iterations: usize,
    /// Whether its last iteration moved nothing.
    pub converged: bool,
    /// Records of each cluster.
    pub sizes: Vec<usize>,
    /// Which start was kept, from 0.
    pub start: usize,
}

/// Why kCluster cannot run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KClusterError {
    /// No cluster, or more than records.
    #[error("{k} clusters of {records} records are not possible; ask for 1 to {records}")]
    Clusters {
        /// As asked for.
        k: usize,
        /// As there are.
        records: usize,
    },
    /// No records.
    #[error("there are no records to cluster; give at least one")]
    NoRecords,
    /// No start or no iteration.
    #[error("{starts} starts of {iterations} iterations find nothing; give at least one of each")]
    Nothing {
        /// As asked for.
        starts: usize,
        /// As asked for.
        iterations: usize,
    },
    /// A distance that is no number.
    #[error("some distances are not finite; check the numbers that they come from")]
    NotFinite,
}

impl KClusterError {
    /// A short name of the reason that stays the same between versions.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Clusters { .. } => "number-of-clusters",
            Self::NoRecords => "no-records",
            Self::Nothing { .. } => "nothing-to-do",
            Self::NotFinite => "distance-not-finite",
        }
    }
}

/// The label of a record that is in no cluster yet.
const NONE: u32 = u32::MAX;

/// What one look at all records gives.
struct Look {
    /// Where each record goes, empty clusters filled again.
    next: Vec<u32>,
    /// Eq. 17 of the labels that were looked at.
    objective: f64,
}

/// One record, seen from all clusters.
struct Seen {
    nearest: u32,
    /// Its average distance to the nearest cluster.
    to_nearest: f64,
    /// Its average distance to its own cluster.
    to_own: f64,
}

impl KCluster {
    /// The usual way: records left out of their own average, at most 100 iterations, ten starts.
    pub fn new(k: usize) -> Self {
        Self { k, own: OwnRecord::LeftOut, iterations: 100, starts: 10 }
    }

    /// Clusters the records. The randomness is public: it chooses the records that the starts begin with.
    ///
    /// Runs on the threads of the current rayon pool; the result does not depend on them.
    ///
    /// ```
    /// use shoal_kernel::{Condensed, KCluster};
    /// use shoal_noise::SeededNoise;
    /// let x = [0.0, 0.1, 5.0, 5.2, 0.2, 5.1_f64];
    /// let distances = Condensed::from_fn(6, |i, j| (x[i] - x[j]).abs());
    /// let found = KCluster::new(2).run(&distances, &mut SeededNoise::new(1))?;
    /// assert!(found.labels[0] == found.labels[4] && found.labels[0] != found.labels[2]);
    /// assert_eq!(found.sizes, [3, 3]);
    /// # Ok::<(), shoal_kernel::KClusterError>(())
    /// ```
    pub fn run(
        &self,
        records: &impl ToClusters,
        random: &mut (impl NoiseSource + ?Sized),
    ) -> Result<KClustering, KClusterError> {
        let n = records.len();
        if n == 0 {
            return Err(KClusterError::NoRecords);
        }
        if self.k == 0 || self.k > n || self.k >= NONE as usize {
            return Err(KClusterError::Clusters { k: self.k, records: n });
        }
        if self.starts == 0 || self.iterations == 0 {
            return Err(KClusterError::Nothing { starts: self.starts, iterations: self.iterations });
        }
        let mut best: Option<KClustering> = None;
        for start in 0..self.starts {
            let found = self.one_start(records, &distinct(n, self.k, random), start)?;
            if best.as_ref().is_none_or(|best| found.objective < best.objective) {
                best = Some(found);
            }
        }
        // Unwrap safety: there was at least one start.
        Ok(best.unwrap())
    }

    fn one_start(
        &self,
        records: &impl ToClusters,
        seeds: &[usize],
        start: usize,
    ) -> Result<KClustering, KClusterError> {
        // Lines 2 and 3: k records are the clusters, and the others join the nearest.
        let mut labels = vec![NONE; records.len()];
        for (cluster, &seed) in seeds.iter().enumerate() {
            labels[seed] = cluster as u32;
        }
        labels = self.look(records, &labels)?.next;

        let mut objectives = Vec::new();
        let mut known = HashMap::from([(digest(&labels), 0)]);
        // Lines 5 to 11. Labelling t has objective t.
        loop {
            let Look { next, objective } = self.look(records, &labels)?;
            objectives.push(objective);
            let t = objectives.len();
            if next == labels {
                return Ok(self.finish(labels, objective, t, true, start));
            }
            if let Some(&first) = known.get(&digest(&next)) {
                return self.best_of_cycle(records, next, &objectives[first..], t, start);
            }
            labels = next;
            if t == self.iterations {
                let objective = self.look(records, &labels)?.objective;
                return Ok(self.finish(labels, objective, t, false, start));
            }
            known.insert(digest(&labels), t);
        }
    }

    /// Walks on from the first labelling of a cycle to the one with the lowest objective.
    fn best_of_cycle(
        &self,
        records: &impl ToClusters,
        mut labels: Vec<u32>,
        objectives: &[f64],
        iterations: usize,
        start: usize,
    ) -> Result<KClustering, KClusterError> {
        let (mut steps, mut lowest) = (0, objectives[0]);
        for (at, &objective) in objectives.iter().enumerate() {
            if objective < lowest {
                (steps, lowest) = (at, objective);
            }
        }
        for _ in 0..steps {
            labels = self.look(records, &labels)?.next;
        }
        Ok(self.finish(labels, lowest, iterations, false, start))
    }

    fn finish(
        &self,
        labels: Vec<u32>,
        objective: f64,
        iterations: usize,
        converged: bool,
        start: usize,
    ) -> KClustering {
        let sizes = sizes(&labels, self.k);
        KClustering { labels, objective, iterations, converged, sizes, start }
    }

    /// Lines 6 to 10: the nearest cluster of every record, all by the same labels.
    fn look(&self, records: &impl ToClusters, labels: &[u32]) -> Result<Look, KClusterError> {
        let before = sizes(labels, self.k);
        let own = records.own_distance();
        // The first clusters are single records, which stay also where a record counts in its own average.
        let joining = labels.contains(&NONE);
        let seen = records.map_sums(labels, self.k, |record, sums| {
            let label = labels[record];
            let average = |cluster: usize| {
                let (sum, size) = (sums[cluster], before[cluster]);
                match self.own {
                    _ if cluster as u32 != label => sum / size as f64,
                    OwnRecord::AsPrinted => (sum + own) / size as f64,
                    OwnRecord::LeftOut => sum / (size.max(2) - 1) as f64,
                }
            };
            let to_own = if label == NONE { 0.0 } else { average(label as usize) };
            let alone = label != NONE && before[label as usize] == 1;
            if alone && (joining || self.own == OwnRecord::LeftOut) {
                return Seen { nearest: label, to_nearest: to_own, to_own };
            }
            let (mut nearest, mut to_nearest) = (0, average(0));
            for cluster in 1..sums.len() {
                let distance = average(cluster);
                if distance < to_nearest {
                    (nearest, to_nearest) = (cluster as u32, distance);
                }
            }
            Seen { nearest, to_nearest, to_own }
        });
        if !seen.iter().all(|seen| seen.to_own.is_finite() && seen.to_nearest.is_finite()) {
            return Err(KClusterError::NotFinite);
        }
        // One after the other, so that the sum does not depend on threads.
        let objective = seen.iter().map(|seen| seen.to_own).sum();
        Ok(Look { next: fill_empty(&seen, self.k), objective })
    }
}

/// The nearest clusters as labels, where each empty cluster has taken the farthest record that can be spared.
fn fill_empty(seen: &[Seen], k: usize) -> Vec<u32> {
    let mut labels: Vec<u32> = seen.iter().map(|seen| seen.nearest).collect();
    let mut sizes = sizes(&labels, k);
    for empty in 0..k {
        if sizes[empty] > 0 {
            continue;
        }
        let mut farthest: Option<usize> = None;
        for (record, to) in seen.iter().enumerate() {
            if sizes[labels[record] as usize] >= 2 && farthest.is_none_or(|f| to.to_nearest > seen[f].to_nearest) {
                farthest = Some(record);
            }
        }
        // With at least k records and an empty cluster, another one has two.
        if let Some(record) = farthest {
            sizes[labels[record] as usize] -= 1;
            sizes[empty] = 1;
            labels[record] = empty as u32;
        }
    }
    labels
}

fn sizes(labels: &[u32], k: usize) -> Vec<usize> {
    let mut sizes = vec![0; k];
    labels.iter().filter(|&&label| label != NONE).for_each(|&label| sizes[label as usize] += 1);
    sizes
}

/// `k` different records of `n`, each set with the same probability (Floyd's way).
fn distinct(n: usize, k: usize, random: &mut (impl NoiseSource + ?Sized)) -> Vec<usize> {
    let mut taken = HashSet::new();
    (n - k..n)
        .map(|last| {
            let drawn = uniform::below(random, last as u64 + 1) as usize;
            let record = if taken.contains(&drawn) { last } else { drawn };
            taken.insert(record);
            record
        })
        .collect()
}

/// A labelling in 32 bytes: two that share them are the same for all purposes.
fn digest(labels: &[u32]) -> [u8; 32] {
    let mut hash = Sha256::new();
    for part in labels.chunks(1024) {
        let bytes: Vec<u8> = part.iter().flat_map(|label| label.to_le_bytes()).collect();
        hash.update(&bytes);
    }
    hash.finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use shoal_noise::SeededNoise;

    /// χ² of how often each of five records is among three, over 20,000 draws.
    fn unevenness(mut draw: impl FnMut(&mut SeededNoise) -> Vec<usize>) -> f64 {
        let mut source = SeededNoise::new(3);
        let mut counts = [0u32; 5];
        for _ in 0..20_000 {
            let mut drawn = draw(&mut source);
            drawn.iter().for_each(|&record| counts[record] += 1);
            drawn.sort_unstable();
            drawn.dedup();
            assert_eq!(drawn.len(), 3);
        }
        counts.iter().map(|&c| (f64::from(c) - 12_000.0).powi(2) / 12_000.0).sum()
    }

    #[test]
    fn first_records_are_different_and_all_equally_likely() {
        assert!(unevenness(|source| distinct(5, 3, source)) < 30.0);
        let mutant = |source: &mut SeededNoise| {
            let mut drawn = distinct(5, 3, source);
            // The last one gives way to the first when that is free.
            if drawn[2] == 4 && !drawn.contains(&0) {
                drawn[2] = 0;
            }
            drawn
        };
        assert!(unevenness(mutant) > 30.0, "one that prefers some is seen");
    }
}
