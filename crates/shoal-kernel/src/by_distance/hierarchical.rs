//! Hierarchical clustering on distances: the two nearest clusters are joined until one is left.
//!
//! *Runtime*: O(n²) time on the n(n−1)/2 distances, which are used up (Müllner 2011, through the crate `kodama`).

use crate::Condensed;

/// The distance of two clusters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linkage {
    /// Of their nearest members.
    Single,
    /// Of their farthest members.
    Complete,
    /// Of their members on average.
    Average,
}

/// One joining. Numbers below n are records; n + i is what merge `i` made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Merge {
    /// The cluster with the lower number.
    pub first: usize,
    /// The other one.
    pub second: usize,
    /// Their distance.
    pub height: f64,
    /// Records of both.
    pub size: usize,
}

/// All joinings, in the order of their heights.
#[derive(Clone, Debug, PartialEq)]
pub struct Dendrogram {
    records: usize,
    merges: Vec<Merge>,
}

/// Why there is no such clustering.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HierarchicalError {
    /// A distance that is no number.
    #[error("some distances are not finite; check the numbers that they come from")]
    NotFinite,
    /// No cluster, or more than records.
    #[error("{k} clusters of {records} records are not possible; ask for 1 to {records}")]
    Clusters {
        /// As asked for.
        k: usize,
        /// As there are.
        records: usize,
    },
}

impl HierarchicalError {
    /// A short name of the reason that stays the same between versions.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NotFinite => "distance-not-finite",
            Self::Clusters { .. } => "number-of-clusters",
        }
    }
}

impl Dendrogram {
    /// Joins records by their distances.
    pub fn of(distances: Condensed, linkage: Linkage) -> Result<Self, HierarchicalError> {
        if !distances.as_slice().iter().all(|d| d.is_finite()) {
            return Err(HierarchicalError::NotFinite);
        }
        let records = distances.len();
        if records < 2 {
            return Ok(Self { records, merges: Vec::new() });
        }
        let method = match linkage {
            Linkage::Single => kodama::Method::Single,
            Linkage::Complete => kodama::Method::Complete,
            Linkage::Average => kodama::Method::Average,
        };
        let found = kodama::linkage(&mut distances.into_vec(), records, method);
        let merge = |step: &kodama::Step<f64>| Merge {
            first: step.cluster1,
            second: step.cluster2,
            height: step.dissimilarity,
            size: step.size,
        };
        Ok(Self { records, merges: found.steps().iter().map(merge).collect() })
    }

    /// Number of records.
    pub fn records(&self) -> usize {
        self.records
    }

    /// The joinings.
    pub fn merges(&self) -> &[Merge] {
        &self.merges
    }

    /// The clusters when `k` are left, numbered by their first records.
    pub fn cut_into(&self, k: usize) -> Result<Vec<u32>, HierarchicalError> {
        if k == 0 || k > self.records {
            return Err(HierarchicalError::Clusters { k, records: self.records });
        }
        Ok(self.after(self.records - k))
    }

    /// The clusters after all joinings at most so high, numbered by their first records.
    pub fn cut_at(&self, height: f64) -> Vec<u32> {
        self.after(self.merges.partition_point(|merge| merge.height <= height))
    }

    fn after(&self, merges: usize) -> Vec<u32> {
        // From the last joining down, so that everyone hears of its cluster from the one above.
        let mut top: Vec<usize> = (0..self.records + merges).collect();
        for (m, merge) in self.merges[..merges].iter().enumerate().rev() {
            let above = top[self.records + m];
            (top[merge.first], top[merge.second]) = (above, above);
        }
        let mut number = vec![None; top.len()];
        let mut clusters = 0;
        let mut label = |&above: &usize| {
            *number[above].get_or_insert_with(|| {
                clusters += 1;
                clusters - 1
            })
        };
        top[..self.records].iter().map(&mut label).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Labels and heights by looking at all members of all clusters in every step.
    fn naive(distances: &Condensed, linkage: Linkage, k: usize) -> (Vec<u32>, Vec<f64>) {
        let n = distances.len();
        let mut clusters: Vec<Vec<usize>> = (0..n).map(|i| vec![i]).collect();
        let mut heights = Vec::new();
        let apart = |a: &[usize], b: &[usize]| {
            let all = a.iter().flat_map(|&i| b.iter().map(move |&j| distances.get(i, j)));
            match linkage {
                Linkage::Single => all.fold(f64::INFINITY, f64::min),
                Linkage::Complete => all.fold(f64::NEG_INFINITY, f64::max),
                Linkage::Average => all.sum::<f64>() / (a.len() * b.len()) as f64,
            }
        };
        while clusters.len() > k {
            let mut best = (f64::INFINITY, 0, 0);
            for a in 0..clusters.len() {
                for b in a + 1..clusters.len() {
                    let d = apart(&clusters[a], &clusters[b]);
                    if d < best.0 {
                        best = (d, a, b);
                    }
                }
            }
            let second = clusters.remove(best.2);
            clusters[best.1].extend(second);
            heights.push(best.0);
        }
        clusters.sort_by_key(|members| *members.iter().min().unwrap());
        let mut labels = vec![0; n];
        for (number, members) in clusters.iter().enumerate() {
            members.iter().for_each(|&i| labels[i] = number as u32);
        }
        (labels, heights)
    }

    proptest! {
        #[test]
        fn joinings_are_those_of_the_definition(
            (n, values) in (1usize..14).prop_flat_map(|n| {
                (Just(n), prop::collection::vec(0.0..100.0f64, n * (n - 1) / 2))
            }),
            linkage in prop_oneof![Just(Linkage::Single), Just(Linkage::Complete), Just(Linkage::Average)],
        ) {
            let distances = Condensed::from_vec(n, values).unwrap();
            let found = Dendrogram::of(distances.clone(), linkage).unwrap();
            for k in 1..=n {
                let (labels, heights) = naive(&distances, linkage, k);
                prop_assert_eq!(&found.cut_into(k).unwrap(), &labels);
                for (merge, height) in found.merges().iter().zip(&heights) {
                    prop_assert!((merge.height - height).abs() < 1e-9);
                }
                if let Some(&height) = heights.last() {
                    prop_assert_eq!(found.cut_at(height + 1e-9), labels);
                }
            }
        }
    }

    #[test]
    fn impossible_cuts_and_distances_are_refused() {
        let none = Dendrogram::of(Condensed::new(0), Linkage::Single).unwrap();
        assert!(none.cut_into(1).is_err() && none.cut_at(1.0).is_empty());
        let one = Dendrogram::of(Condensed::new(1), Linkage::Single).unwrap();
        assert_eq!(one.cut_into(1).unwrap(), [0]);
        assert!(one.cut_into(2).is_err() && one.cut_into(0).is_err());
        let odd = Condensed::from_vec(2, vec![f64::NAN]).unwrap();
        assert_eq!(Dendrogram::of(odd, Linkage::Average), Err(HierarchicalError::NotFinite));
    }
}
