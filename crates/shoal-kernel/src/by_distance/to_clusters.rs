//! Sums of distances from every record to every cluster.

use rayon::prelude::*;

use crate::Condensed;

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

/// Records by cluster, each cluster's in ascending order.
pub struct Members {
    records: Vec<u32>,
    ends: Vec<usize>,
}

impl Members {
    /// Labels of `k` or more are in no cluster.
    pub fn of(labels: &[u32], k: usize) -> Self {
        let mut ends = vec![0; k];
        let clustered = || labels.iter().enumerate().filter(|(_, label)| (**label as usize) < k);
        clustered().for_each(|(_, &label)| ends[label as usize] += 1);
        let mut start = 0;
        for end in &mut ends {
            start += std::mem::replace(end, start);
        }
        let mut records = vec![0; start];
        for (record, &label) in clustered() {
            // Ends move from the start of their cluster to its end.
            records[ends[label as usize]] = record as u32;
            ends[label as usize] += 1;
        }
        Self { records, ends }
    }

    /// Number of clusters.
    pub fn clusters(&self) -> usize {
        self.ends.len()
    }

    /// The records of a cluster, in their order.
    pub fn cluster(&self, cluster: usize) -> &[u32] {
        let start = cluster.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.records[start..self.ends[cluster]]
    }
}

/// Records summed together: their distances to an earlier record lie side by side.
const TOGETHER: usize = 16;

/// Of these, how many walk over later records at once: as many sums as there are registers to hold them.
const ABREAST: usize = 8;

/// The sums of records `first .. first + together` over the members of a cluster, in the order of members.
fn sums_over(distances: &Condensed, members: &[u32], first: usize, together: usize) -> [f64; TOGETHER] {
    let mut sums = [0.0; TOGETHER];
    let (earlier, rest) = members.split_at(members.partition_point(|&j| (j as usize) < first));
    let (among, later) = rest.split_at(rest.partition_point(|&j| (j as usize) < first + together));
    for &j in earlier {
        let side_by_side = &distances.after(j as usize)[first - j as usize - 1..];
        match side_by_side.first_chunk::<TOGETHER>() {
            Some(full) if together == TOGETHER => sums.iter_mut().zip(full).for_each(|(sum, d)| *sum += d),
            _ => sums[..together].iter_mut().zip(side_by_side).for_each(|(sum, d)| *sum += d),
        }
    }
    for &j in among {
        sums[..together].iter_mut().enumerate().for_each(|(r, sum)| *sum += distances.get(first + r, j as usize));
    }
    if later.is_empty() {
        return sums;
    }
    // All begin at record `first + together`. Records that are not there repeat the last.
    let row = |r: usize| {
        let r = r.min(together - 1);
        &distances.after(first + r)[together - 1 - r..]
    };
    for (at, sums) in sums.as_chunks_mut::<ABREAST>().0.iter_mut().enumerate() {
        let rows: [&[f64]; ABREAST] = std::array::from_fn(|r| row(at * ABREAST + r));
        for &j in later {
            let j = j as usize - first - together;
            sums.iter_mut().zip(rows).for_each(|(sum, row)| *sum += row[j]);
        }
    }
    sums
}

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
        let members = Members::of(labels, k);
        let group = |g: usize| {
            let first = g * TOGETHER;
            let together = TOGETHER.min(n - first);
            let sums: Vec<_> = (0..k).map(|c| sums_over(self, members.cluster(c), first, together)).collect();
            let of_record = |r: usize| -> Vec<f64> { sums.iter().map(|sums| sums[r]).collect() };
            (0..together).map(|r| each(first + r, &of_record(r))).collect::<Vec<R>>()
        };
        let answers: Vec<Vec<R>> = (0..n.div_ceil(TOGETHER)).into_par_iter().map(group).collect();
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
