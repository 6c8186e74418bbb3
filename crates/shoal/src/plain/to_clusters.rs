//! Sums of distances from every record to every cluster.

use rayon::prelude::*;

use super::condensed::Condensed;

/// What [`KCluster`](super::KCluster) needs to know of the records.
pub trait ToClusters: Sync {
    /// Number of records.
    fn len(&self) -> usize;

    /// True when there is no record.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What a record's distance to itself is estimated as.
    fn own_distance(&self) -> f64;

    /// Calls `each` for every record with its sums of distances to the members of clusters `0..k`, itself left out, and
    /// returns the answers in the order of records. A label of `k` or more is in no cluster.
    ///
    /// # Panics
    /// When there is not one label for each record.
    fn map_sums<R: Send>(&self, labels: &[u32], k: usize, each: impl Fn(usize, &[f64]) -> R + Sync) -> Vec<R>;
}

/// Distances where that of a record to itself is not zero, because they are estimates.
#[derive(Clone, Copy, Debug)]
pub struct WithOwn<'a> {
    /// The distances.
    pub distances: &'a Condensed,
    /// Of a record to itself.
    pub own: f64,
}

/// Records summed together: their distances to an earlier record lie side by side.
const TOGETHER: usize = 16;

impl ToClusters for Condensed {
    fn len(&self) -> usize {
        Condensed::len(self)
    }

    fn own_distance(&self) -> f64 {
        0.0
    }

    fn map_sums<R: Send>(&self, labels: &[u32], k: usize, each: impl Fn(usize, &[f64]) -> R + Sync) -> Vec<R> {
        let n = Condensed::len(self);
        assert_eq!(labels.len(), n, "one label for each record");
        let groups = n.div_ceil(TOGETHER);
        let group = |g: usize| {
            let first = g * TOGETHER;
            let together = TOGETHER.min(n - first);
            // One more cluster, for those that are in none.
            let mut sums = vec![[0.0; TOGETHER]; k + 1];
            let cluster = |j: usize| (labels[j] as usize).min(k);
            let mut column = [0.0; TOGETHER];
            for j in 0..n {
                if j < first {
                    let from = first - j - 1;
                    column[..together].copy_from_slice(&self.after(j)[from..from + together]);
                } else if j < first + together {
                    (0..together).for_each(|r| column[r] = self.get(first + r, j));
                } else {
                    break;
                }
                sums[cluster(j)].iter_mut().zip(&column).for_each(|(sum, d)| *sum += d);
            }
            for r in 0..together {
                let row = &self.after(first + r)[together - 1 - r..];
                let labels = &labels[first + together..];
                for (&d, &label) in row.iter().zip(labels) {
                    sums[(label as usize).min(k)][r] += d;
                }
            }
            let each = &each;
            (0..together)
                .map(move |r| {
                    let of_record: Vec<f64> = sums[..k].iter().map(|sum| sum[r]).collect();
                    each(first + r, &of_record)
                })
                .collect::<Vec<R>>()
        };
        let answers: Vec<Vec<R>> = (0..groups).into_par_iter().map(group).collect();
        answers.into_iter().flatten().collect()
    }
}

impl ToClusters for WithOwn<'_> {
    fn len(&self) -> usize {
        self.distances.len()
    }

    fn own_distance(&self) -> f64 {
        self.own
    }

    fn map_sums<R: Send>(&self, labels: &[u32], k: usize, each: impl Fn(usize, &[f64]) -> R + Sync) -> Vec<R> {
        self.distances.map_sums(labels, k, each)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn sums_are_those_of_single_distances(labels in prop::collection::vec(0u32..5, 1..70), k in 1usize..5) {
            let n = labels.len();
            let all = Condensed::from_fn(n, |i, j| ((i * 31 + j * 17) % 97) as f64);
            let sums = all.map_sums(&labels, k, |record, sums| (record, sums.to_vec()));
            for (i, (record, sums)) in sums.into_iter().enumerate() {
                prop_assert_eq!(record, i);
                for (cluster, sum) in sums.into_iter().enumerate() {
                    let members = (0..n).filter(|&j| j != i && labels[j] == cluster as u32);
                    prop_assert_eq!(sum, members.map(|j| all.get(i, j)).sum::<f64>());
                }
            }
        }
    }
}
