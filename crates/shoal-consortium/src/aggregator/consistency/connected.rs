//! Which records chains of pairs in view connect.

use std::collections::HashMap;

use crate::aggregator::consistency::{AggregatorError, Decoder, reach};
use shoal_kernel::Condensed;

/// The share of pairs of the records in `rows` that no chain of records connects, whose estimates [`corrected`] therefore
/// keeps. Records that are not in `rows`, such as made-up ones, connect others.
///
/// [`corrected`]: super::corrected()
pub fn unconnected_share(
    distances: &Condensed,
    decoder: &Decoder,
    share: f64,
    rows: &[usize],
) -> Result<f64, AggregatorError> {
    let (n, in_view) = (distances.len(), reach(decoder, share)?);
    let mut group = vec![usize::MAX; n];
    let mut waiting = Vec::new();
    for first in 0..n {
        if group[first] == usize::MAX {
            group[first] = first;
            waiting.push(first);
        }
        while let Some(i) = waiting.pop() {
            for j in (0..n).filter(|&j| j != i) {
                if group[j] == usize::MAX && distances.get(i, j) <= in_view {
                    group[j] = first;
                    waiting.push(j);
                }
            }
        }
    }
    let mut sizes: HashMap<usize, f64> = HashMap::new();
    rows.iter().for_each(|&row| *sizes.entry(group[row]).or_default() += 1.0);
    let pairs = |n: f64| n * (n - 1.0) / 2.0;
    Ok(1.0 - sizes.values().map(|size| pairs(*size)).sum::<f64>() / pairs(rows.len() as f64))
}
