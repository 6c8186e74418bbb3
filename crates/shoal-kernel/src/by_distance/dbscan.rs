//! DBSCAN (Ester, Kriegel, Sander, Xu 1996) on distances alone.
//!
//! A record with enough records around it, itself among them, is a core; cores within reach of each other are of one
//! cluster, and a record that is no core joins the first cluster with a core in reach. Clusters are numbered by their first
//! core record, so the result is that of the sequential algorithm in the order of records, for any number of threads.
//!
//! *Runtime*: every row of distances once, and the rows of cores a second time, so that no list of neighbours is kept.
//!
//! By hand, because the crates ask for points: `dbscan` takes vectors and `linfa-clustering` an array and a metric on
//! its rows, while here only distances exist, estimated from codes.

use rayon::prelude::*;

use crate::Distances;

/// How to run DBSCAN.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dbscan {
    /// Records at most so far apart are in reach of each other.
    pub epsilon: f64,
    /// Records in reach, itself counted, that make a core.
    pub min_points: usize,
}

/// What DBSCAN found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DbscanClustering {
    /// The cluster of each record, none for noise.
    pub labels: Vec<Option<u32>>,
    /// Which records are cores.
    pub cores: Vec<bool>,
    /// Number of clusters.
    pub clusters: usize,
}

/// Why DBSCAN cannot run.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum DbscanError {
    /// A distance that no pair can have.
    #[error("a reach of {0} is no distance; give a number of 0 or more, in the unit of the distances")]
    Epsilon(f64),
    /// Every record would be a core.
    #[error("0 records in reach make every record a core; give 1 or more, a record counts itself")]
    MinPoints,
}

impl DbscanError {
    /// A short name of the reason that stays the same between versions.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Epsilon(..) => "radius-out-of-range",
            Self::MinPoints => "min-points-out-of-range",
        }
    }
}

/// Rows looked at before their links are taken over, which limits what is held at once.
const BATCH: usize = 256;

impl Dbscan {
    /// Clusters the records, on the threads of the current rayon pool.
    ///
    /// ```
    /// use shoal_kernel::{Condensed, Dbscan};
    /// let x = [0.0, 0.1, 9.0, 5.0, 5.2, 0.2_f64];
    /// let distances = Condensed::from_fn(6, |i, j| (x[i] - x[j]).abs());
    /// let found = Dbscan { epsilon: 0.3, min_points: 2 }.run(&distances)?;
    /// assert_eq!(found.labels, [Some(0), Some(0), None, Some(1), Some(1), Some(0)]);
    /// # Ok::<(), shoal_kernel::DbscanError>(())
    /// ```
    pub fn run(&self, distances: &impl Distances) -> Result<DbscanClustering, DbscanError> {
        if !(self.epsilon >= 0.0 && self.epsilon.is_finite()) {
            return Err(DbscanError::Epsilon(self.epsilon));
        }
        if self.min_points == 0 {
            return Err(DbscanError::MinPoints);
        }
        let n = distances.len();
        let reach = |row: &mut Vec<f64>, i: usize| {
            row.resize(n, 0.0);
            distances.row(i, row);
            // An estimate of zero can be anything; a record is in reach of itself.
            row[i] = 0.0;
        };
        let is_core = |row: &mut Vec<f64>, i: usize| {
            reach(row, i);
            row.iter().filter(|&&d| d <= self.epsilon).count() >= self.min_points
        };
        let cores: Vec<bool> = (0..n).into_par_iter().map_init(Vec::new, is_core).collect();

        let mut sets = Sets::new(n);
        let mut borders: Vec<Vec<u32>> = vec![Vec::new(); n];
        let core_records: Vec<usize> = (0..n).filter(|&i| cores[i]).collect();
        for batch in core_records.chunks(BATCH) {
            let links = |row: &mut Vec<f64>, &i: &usize| {
                reach(row, i);
                let in_reach = |j: &usize| row[*j] <= self.epsilon && (*j > i || !cores[*j]);
                (0..n).filter(in_reach).collect::<Vec<usize>>()
            };
            let links: Vec<Vec<usize>> = batch.par_iter().map_init(Vec::new, links).collect();
            for (&i, links) in batch.iter().zip(links) {
                for j in links {
                    if cores[j] {
                        sets.join(i, j);
                    } else {
                        // Cores in reach of a record that is none are fewer than `min_points`.
                        borders[j].push(i as u32);
                    }
                }
            }
        }

        let mut labels = vec![None; n];
        let mut clusters = 0;
        for &i in &core_records {
            let first = sets.first(i);
            if labels[first].is_none() {
                labels[first] = Some(clusters);
                clusters += 1;
            }
            labels[i] = labels[first];
        }
        for (j, near) in borders.iter().enumerate() {
            if !near.is_empty() {
                labels[j] = near.iter().filter_map(|&i| labels[i as usize]).min();
            }
        }
        Ok(DbscanClustering { labels, cores, clusters: clusters as usize })
    }
}

/// Disjoint sets of records, each named after its first.
struct Sets(Vec<usize>);

impl Sets {
    fn new(n: usize) -> Self {
        Self((0..n).collect())
    }

    fn first(&mut self, mut i: usize) -> usize {
        while self.0[i] != i {
            self.0[i] = self.0[self.0[i]];
            i = self.0[i];
        }
        i
    }

    fn join(&mut self, i: usize, j: usize) {
        let (i, j) = (self.first(i), self.first(j));
        self.0[i.max(j)] = i.min(j);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Condensed;
    use proptest::prelude::*;

    /// The algorithm as its authors print it: seeds grow clusters, record by record.
    fn sequential(distances: &Condensed, how: Dbscan) -> Vec<Option<u32>> {
        let n = Condensed::len(distances);
        let near = |i: usize| -> Vec<usize> { (0..n).filter(|&j| distances.get(i, j) <= how.epsilon).collect() };
        let (mut labels, mut clusters) = (vec![None; n], 0);
        for i in 0..n {
            if labels[i].is_some() || near(i).len() < how.min_points {
                continue;
            }
            let mut queue = vec![i];
            while let Some(j) = queue.pop() {
                if labels[j].is_none() {
                    labels[j] = Some(clusters);
                    if near(j).len() >= how.min_points {
                        queue.extend(near(j));
                    }
                }
            }
            clusters += 1;
        }
        labels
    }

    proptest! {
        #[test]
        fn clusters_are_those_of_the_sequential_algorithm(
            x in prop::collection::vec(0u32..60, 0..50), epsilon in 0u32..6, min_points in 1usize..6
        ) {
            let distances = Condensed::from_fn(x.len(), |i, j| f64::from(x[i].abs_diff(x[j])));
            let how = Dbscan { epsilon: f64::from(epsilon), min_points };
            prop_assert_eq!(how.run(&distances).unwrap().labels, sequential(&distances, how));
        }
    }

    #[test]
    fn what_is_no_reach_is_refused() {
        let two = Condensed::new(2);
        for epsilon in [-1.0, f64::NAN, f64::INFINITY] {
            assert!(Dbscan { epsilon, min_points: 1 }.run(&two).is_err());
        }
        assert_eq!(Dbscan { epsilon: 1.0, min_points: 0 }.run(&two), Err(DbscanError::MinPoints));
        assert!(Dbscan { epsilon: 1.0, min_points: 1 }.run(&Condensed::new(0)).unwrap().labels.is_empty());
    }
}
