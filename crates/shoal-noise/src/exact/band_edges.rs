//! Where to cut the distances into bands. Nothing here touches the distribution, only the work per report.
//!
//! *Utility*: the share of proposals kept is the target's total over the sum of the proposals'
//! weights, so the best edges among candidates are a shortest path, with the weight of a band as
//! the length of its step. Candidates lie closely around the distance d / a where the target has
//! its mass, and a factor of two apart inside and outside of that. A toll per band, a small share
//! of the total, spares tables that would hardly be used.
//!
//! *Runtime*: some ten thousand weights in doubles, about a millisecond.

use std::f64::consts::PI;

use crate::exact::gamma::ln_sum;

/// What a band must save, relative to the total weight, to be worth its table.
const TOLL: f64 = 1e-4;

/// ln of the weight of the band between two distances; see [`crate::exact::band`].
pub(crate) fn ln_weight(decay: f64, dims: usize, inner: u64, outer: u64) -> f64 {
    let (d, r, s) = (dims as f64, inner as f64, outer as f64);
    let slope = decay / (r + s);
    let (short, far) = (d / 2.0 / (s * s), d / 2.0 / (r * r));
    if slope < short {
        d / 2.0 - decay * s + d * ln_theta(short)
    } else if slope > far {
        d / 2.0 - decay * r + d * ln_theta(far)
    } else {
        -slope * r * s + d * ln_theta(slope)
    }
}

fn ln_theta(t: f64) -> f64 {
    let pairs = |s: f64| libm::log1p(2.0 * (libm::exp(-s) + libm::exp(-4.0 * s)));
    if t > 3.0 { pairs(t) } else { libm::log(PI / t) / 2.0 + pairs(PI * PI / t) }
}

/// ln of the weight of the box.
pub(crate) fn ln_box(decay: f64, dims: usize, side: u64, radius: u64) -> f64 {
    dims as f64 * libm::log((side + 1 + 2 * radius) as f64) - decay * radius as f64
}

/// Ascending edges from 0 to the radius, and ln of the total weight of the bands between them.
pub(crate) fn edges(decay: f64, dims: usize, side: u64, radius: u64) -> (Vec<u64>, f64) {
    let candidates = candidates(decay, dims, radius);
    let unit = candidates.windows(2).map(|w| ln_weight(decay, dims, w[0], w[1])).fold(f64::MIN, f64::max);
    let unit = unit.max(ln_box(decay, dims, side, radius));
    let n = candidates.len();
    let steps: Vec<Vec<f64>> = (0..n)
        .map(|j| (0..j).map(|i| libm::exp(ln_weight(decay, dims, candidates[i], candidates[j]) - unit)).collect())
        .collect();
    let (_, free) = shortest(&steps, 0.0);
    let whole = free + libm::exp(ln_box(decay, dims, side, radius) - unit);
    let (path, total) = shortest(&steps, TOLL * whole);
    let toll = TOLL * whole * (path.len() - 1) as f64;
    // All bands may be nothing next to the box.
    let ln_total = if total > toll { libm::log(total - toll) + unit } else { f64::NEG_INFINITY };
    (path.into_iter().map(|i| candidates[i]).collect(), ln_total)
}

/// The nodes of the shortest path from first to last, and its length.
fn shortest(steps: &[Vec<f64>], toll: f64) -> (Vec<usize>, f64) {
    let mut best = vec![(0.0, 0); steps.len()];
    for (j, into) in steps.iter().enumerate().skip(1) {
        best[j] = into
            .iter()
            .enumerate()
            .map(|(i, step)| (best[i].0 + step + toll, i))
            .fold((f64::INFINITY, j - 1), |least, way| if way.0 < least.0 { way } else { least });
    }
    let mut path = vec![steps.len() - 1];
    while let Some(&node) = path.last().filter(|&&node| node > 0) {
        path.push(best[node].1);
    }
    path.reverse();
    (path, best[steps.len() - 1].0)
}

fn candidates(decay: f64, dims: usize, radius: u64) -> Vec<u64> {
    let d = dims as f64;
    let last = radius as f64;
    let from = ((d - 9.0 * d.sqrt()) / decay).clamp(0.0, last);
    let to = ((d + 12.0 * d.sqrt() + 10.0) / decay).clamp(0.0, last);
    let n = 120.0 + 4.0 * d.sqrt();
    let mut edges: Vec<u64> = (0..=n as u64).map(|i| (from + (to - from) * i as f64 / n) as u64).collect();
    // Doubles may round past a large radius, and the distribution ends there.
    edges.iter_mut().for_each(|edge| *edge = (*edge).min(radius));
    edges.extend([0, radius]);
    edges.extend((1..7).map(|halvings| from as u64 >> halvings));
    edges
        .extend((0..64).map_while(|doublings| (to as u64).checked_shl(doublings)).take_while(|&r| r > 0 && r < radius));
    // On a coarse lattice the grid above may stand still while steps of one still matter.
    edges.extend((1..16).filter(|&r| r < radius));
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// Share of the proposals that are kept, from the logarithms of the proposals' and the target's totals.
pub(crate) fn kept(ln_bands: f64, ln_box: f64, ln_ball: f64) -> f64 {
    libm::exp(ln_sum(ln_ball, ln_box) - ln_sum(ln_bands, ln_box)).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Doubles rounded the last of the evenly spaced edges past this radius.
    #[test]
    fn the_last_edge_is_the_radius() {
        let radius = 4_439_441_252_471_813;
        for decay in [3.409_075_347_523_368e-14, 1e-14, 1e-12] {
            let (found, _) = edges(decay, 100, 65_534, radius);
            assert_eq!((found.first(), found.last()), (Some(&0), Some(&radius)));
        }
    }
}
