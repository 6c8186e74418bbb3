//! How near the records of a cluster are to each other.

use std::collections::HashMap;

use shoal_kernel::ToClusters;

/// A cluster, described by its members: codes have no centres.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ClusterOfRecords {
    /// Its records.
    pub size: usize,
    /// Mean over its records of the average distance to the others of it; nothing for a record alone.
    pub within: Option<f64>,
    /// The same to the nearest other cluster.
    pub next: Option<f64>,
    /// The record that is nearest to the others on average.
    pub representative: usize,
}

/// Labels numbered by the first record of each cluster, and the clusters.
pub(super) fn described(
    records: &impl ToClusters,
    labels: Vec<Option<u32>>,
) -> (Vec<Option<u32>>, Vec<ClusterOfRecords>) {
    let labels = in_order(labels);
    let k = labels.iter().flatten().max().map_or(0, |most| *most as usize + 1);
    let mut sizes = vec![0; k];
    labels.iter().flatten().for_each(|label| sizes[*label as usize] += 1);
    let plain: Vec<u32> = labels.iter().map(|label| label.unwrap_or(k as u32)).collect();
    let averages = records.map_sums(&plain, k, |record, sums| {
        let own = plain[record] as usize;
        let within = (own < k && sizes[own] > 1).then(|| sums[own] / (sizes[own] - 1) as f64);
        let others = (0..k).filter(|&c| c != own && sizes[c] > 0).map(|c| sums[c] / sizes[c] as f64);
        (within, others.min_by(f64::total_cmp))
    });
    let describe = |cluster: usize| {
        let members: Vec<usize> = (0..plain.len()).filter(|&i| plain[i] as usize == cluster).collect();
        let mean = |of: &dyn Fn(usize) -> Option<f64>| {
            let values: Option<Vec<f64>> = members.iter().map(|&i| of(i)).collect();
            values.map(|values| values.iter().sum::<f64>() / values.len() as f64)
        };
        let near = |i: &&usize| averages[**i].0.unwrap_or(0.0);
        let representative = members.iter().min_by(|a, b| near(a).total_cmp(&near(b)));
        ClusterOfRecords {
            size: members.len(),
            within: mean(&|i| averages[i].0),
            next: mean(&|i| averages[i].1),
            representative: representative.copied().unwrap_or(0),
        }
    };
    let clusters = (0..k).map(describe).collect();
    (labels, clusters)
}

/// The same clusters, numbered by the first record that is in each.
fn in_order(labels: Vec<Option<u32>>) -> Vec<Option<u32>> {
    let mut numbers = HashMap::new();
    let mut number = |label: u32| {
        let next = numbers.len() as u32;
        *numbers.entry(label).or_insert(next)
    };
    labels.into_iter().map(|label| label.map(&mut number)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_are_numbered_by_their_first_records() {
        let labels = vec![None, Some(4), Some(0), Some(4), None, Some(2)];
        assert_eq!(in_order(labels), [None, Some(0), Some(1), Some(0), None, Some(2)]);
    }
}
