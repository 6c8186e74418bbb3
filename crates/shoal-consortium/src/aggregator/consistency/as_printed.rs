//! Algorithm 1 as the paper prints it, with its flaws.
//!
//! - Line 2 looks for the largest distance that is the sum of two others. Equal records make every distance one
//!   (D + 0 = D), and beyond 2t, where distances stop growing, some add up by accident; so r comes out as large as the
//!   largest distance or nearly so, and everything counts as in view.
//! - Line 4 asks both parts to be at most r, so a distance is at most two parts long.
//! - Under noise no two distances add up exactly, so nothing is in view and nothing changes.
//!
//! *Deviations*: i, j and k are three different records, or r would be the largest distance of all; distances add up when
//! they do to within rounding; and of several records in between the first is taken.

use rayon::prelude::*;

use shoal_kernel::Condensed;

/// Sums of distances that differ by less than this share of the largest distance are equal: they were integers once.
const ROUNDING: f64 = 1e-10;

/// The refined distances, in O(n³) at worst.
pub fn as_printed(distances: &Condensed) -> Condensed {
    let n = distances.len();
    // Lines 1 to 3.
    let Some(r) = largest_sum(distances) else { return distances.clone() };
    let mut refined = distances.clone();
    refined.as_mut_slice().iter_mut().filter(|d| **d > r).for_each(|d| *d = f64::INFINITY);
    // Lines 4 to 6. A round sees what was there before it.
    loop {
        let before = &refined;
        let next = Condensed::from_fn(n, |i, k| {
            let now = before.get(i, k);
            if now < f64::INFINITY {
                return now;
            }
            let between = |&j: &usize| j != i && j != k && distances.get(i, j) <= r && before.get(j, k) <= r;
            (0..n).find(between).map_or(now, |j| before.get(i, j) + before.get(j, k))
        });
        if next == refined {
            break;
        }
        refined = next;
    }
    // Line 7.
    for (d, &raw) in refined.as_mut_slice().iter_mut().zip(distances.as_slice()) {
        if *d == f64::INFINITY {
            *d = raw;
        }
    }
    refined
}

/// Line 2: the largest distance that is the sum of two others by way of a third record.
fn largest_sum(distances: &Condensed) -> Option<f64> {
    let n = distances.len();
    let mut pairs: Vec<(usize, usize)> = (0..n).flat_map(|i| (i + 1..n).map(move |k| (i, k))).collect();
    // The largest first, so that the first one found is it.
    pairs.par_sort_by(|a, b| distances.get(b.0, b.1).total_cmp(&distances.get(a.0, a.1)));
    let largest = pairs.first().map_or(0.0, |&(i, k)| distances.get(i, k).abs());
    let is_sum = |&&(i, k): &&(usize, usize)| {
        let adds_up = |j| {
            let gap = distances.get(i, j) + distances.get(j, k) - distances.get(i, k);
            j != i && j != k && gap.abs() <= ROUNDING * largest
        };
        (0..n).any(adds_up)
    };
    pairs.par_iter().find_first(is_sum).map(|&(i, k)| distances.get(i, k))
}
