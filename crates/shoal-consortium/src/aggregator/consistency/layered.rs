//! Algorithm 1 by its flag matrix: a pair is extended only through distances that were known before the current round.
//!
//! The paper adds to its eight lines a matrix of flags that keeps the round in which each distance was revised: a distance
//! is extended with those of earlier rounds only. That makes rounds of layers: first come the pairs in view, then
//! those one part longer, and so on. In round m a pair (i, k) that is not known yet gets D_ij + D̂_jk by a record j which is
//! in view of i and whose distance to k was known before the round, or the same with i and k exchanged. On a line such a j
//! lies between i and k (one beyond i would have known k no earlier than i itself), so every one of them is right, none is
//! preferred, and no minimum is taken.
//!
//! The paper leaves open which j is taken. Here it is the median over j, whose error is that of no single part. Shortest
//! paths ([`super::corrected()`]) take the j with the most negative error instead.
//!
//! *Runtime*: for each pair out of view at most [`MOST`] records on either side, once in every round.

use shoal_kernel::Condensed;

use crate::aggregator::consistency::{AggregatorError, Decoder, reach};

/// Records in between that count from either side: a median over more of them changes little.
const MOST: usize = 100;

/// The refined distances of one attribute, whose decoder knows the window. Unreachable pairs keep theirs.
pub fn layered(distances: &Condensed, decoder: &Decoder, share: f64) -> Result<Condensed, AggregatorError> {
    let r = reach(decoder, share)?;
    let n = distances.len();
    let in_view: Vec<Vec<u32>> =
        (0..n).map(|i| (0..n).filter(|&j| j != i && distances.get(i, j) <= r).map(|j| j as u32).collect()).collect();
    let mut known = distances.clone();
    known.as_mut_slice().iter_mut().filter(|d| **d > r).for_each(|d| *d = f64::NAN);
    loop {
        let before = &known;
        let next = Condensed::from_fn(n, |i, k| {
            let now = before.get(i, k);
            if !now.is_nan() {
                return now;
            }
            let by = |near: usize, far: usize| {
                let parts = in_view[near].iter().map(move |&j| {
                    let j = j as usize;
                    distances.get(near, j) + before.get(j, far)
                });
                parts.filter(|sum| !sum.is_nan()).take(MOST)
            };
            median(by(i, k).chain(by(k, i)).collect())
        });
        let unknown = |all: &Condensed| all.as_slice().iter().filter(|d| d.is_nan()).count();
        let settled = unknown(&next) == unknown(&known);
        known = next;
        if settled {
            break;
        }
    }
    for (d, &raw) in known.as_mut_slice().iter_mut().zip(distances.as_slice()) {
        if d.is_nan() {
            *d = raw;
        }
    }
    Ok(known)
}

/// The median, NaN of nothing.
fn median(mut values: Vec<f64>) -> f64 {
    if values.is_empty() {
        return f64::NAN;
    }
    values.sort_unstable_by(f64::total_cmp);
    let half = values.len() / 2;
    if values.len() % 2 == 1 { values[half] } else { (values[half - 1] + values[half]) / 2.0 }
}
