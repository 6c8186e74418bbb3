//! Algorithm 1 by shortest paths: a reading of ours, right without noise and too short with it.
//!
//! Pairs are in view when their distance is at most a share of the largest distance that codes show, which the terms have
//! and which need not be searched for. All others get the length of the shortest path over pairs in view, of as many parts
//! as it takes.
//!
//! *Runtime*: O(n³) at worst, a search from each record over those in its view.

use crate::aggregator::consistency::{AggregatorError, Decoder, reach};
use shoal_kernel::{Condensed, Distances};

/// The share of the window that counts as in view, unless another is given: well below where distances stop growing, and
/// large enough for few and long parts.
pub const DEFAULT_SHARE: f64 = 0.7;

/// The refined distances of one attribute, whose decoder knows the window. Unreachable pairs keep theirs.
pub fn corrected(distances: &Condensed, decoder: &Decoder, share: f64) -> Result<Condensed, AggregatorError> {
    let r = reach(decoder, share)?;
    let n = distances.len();
    Ok(Condensed::from_row_groups(n, 1, |i, rows| {
        let raw = distances.after(i);
        let paths = shortest_paths(distances, i, r);
        for ((to, &raw), path) in rows[0].iter_mut().zip(raw).zip(&paths[i + 1..]) {
            *to = if raw <= r || path.is_infinite() { raw } else { *path };
        }
    }))
}

/// Lengths of the shortest paths from a record over pairs in view (Dijkstra), infinite where there is none. A part that
/// noise made negative counts as zero.
fn shortest_paths(distances: &Condensed, from: usize, r: f64) -> Vec<f64> {
    let n = distances.len();
    let mut lengths = vec![f64::INFINITY; n];
    let mut open = vec![true; n];
    let mut row = vec![0.0; n];
    lengths[from] = 0.0;
    loop {
        let mut nearest: Option<usize> = None;
        for j in 0..n {
            if open[j] && lengths[j].is_finite() && nearest.is_none_or(|best| lengths[j] < lengths[best]) {
                nearest = Some(j);
            }
        }
        let Some(here) = nearest else { return lengths };
        open[here] = false;
        distances.row(here, &mut row);
        for j in 0..n {
            if open[j] && row[j] <= r {
                lengths[j] = lengths[j].min(lengths[here] + row[j].max(0.0));
            }
        }
    }
}
