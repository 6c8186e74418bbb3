//! Half-widths of the intervals, from the reruns and the rival solutions.
//!
//! For each coordinate, with C the released centre, t the optimum of the simulated table, c_b the reruns on it, s twice the
//! standard deviation of the noise on C's own sums, A the best solution on the released cells, a_b that on the cells of a
//! rerun, and E the extent of the rivals:
//!
//! 1. H = max(2·√(mean_b (c_b − t)²), 95 % quantile of |c_b − t|, s): how far noise moves a centre from the optimum.
//! 2. β = Σ (a_b − t)(c_b − t) / Σ (a_b − t)², over all reruns and coordinates: the part of the distance from the optimum that
//!    refinement leaves. R = β/(1 − β)·|A − C|: if refinement has left the same part in the release, this much. It is what
//!    counts with many attributes, where cells alone show the clusters badly.
//! 3. M is how far the rows wanted to move the coordinates of the centre in the last of m rounds, root mean square, without
//!    what noise accounts for. If each round leaves the part r = β^(1/m), more rounds would move them by G = r/(1 − r)·M. Unlike
//!    the other terms it comes from the rows themselves, so it holds where the simulated table is not like them.
//! 4. F₀ = √(H² + max(R, G)² + E²).
//! 5. F = F₀·(1 + ½·clip((F₀/s − 2)/2, 0, 1)): up to half as much again where the noise on the sums alone does not explain the
//!    spread, since the simulated table is then only roughly like the real one; and never less than half a lattice step.
//!
//! For a rerun of the release the same holds with max(95 % quantile of |c_b − c_b′| over all pairs, √2·s) in place of H, and
//! for sizes with the rows of each cluster in place of a coordinate and a tenth more. The constants were chosen on the calibration families
//! of `bench/src/families.rs`; docs/uncertainty.md has the coverage on others.

use std::f64::consts::SQRT_2;

use crate::auto::run::LastRound;
use crate::certainty::CONFIDENCE;
use crate::certainty::reruns::Rerun;
use crate::certainty::rivals::Rivals;

/// By how much a half-width grows at most.
const MOST_INFLATION: f64 = 0.5;

/// By how much half-widths of sizes are larger: what noisy counts are replaced with ([`crate::auto::posterior_counts`]) has
/// an error of its own.
const SIZES: f64 = 1.1;

/// The ratios F₀/s at which it begins to grow, and from which on it grows by that much.
const INFLATED: (f64, f64) = (2.0, 4.0);

/// The largest part of a distance that refinement is taken to leave: beyond, a ratio of noisy sums shows nothing.
const MOST_LEFT: f64 = 0.8;

/// Half a step of the lattice, box units: values are rounded to it, so no centre is known better.
const HALF_STEP: f64 = 0.5 / shoal_lattice::HALF_WIDTH as f64;

/// What half-widths are computed from, box units; everything in the order of the released centres.
pub struct Spread<'a> {
    /// The released centres, centre after centre.
    pub centres: &'a [f64],
    /// Standard deviation of the noise on each coordinate.
    pub noise: &'a [f64],
    /// Released sizes; may be empty.
    pub sizes: &'a [f64],
    /// Standard deviation of the noise on each size.
    pub size_noise: &'a [f64],
    /// The optimum of the simulated table, centre after centre.
    pub optimum: &'a [f64],
    /// Rows of its clusters, in rows of the release.
    pub optimum_sizes: &'a [f64],
    /// Reruns on the simulated table.
    pub reruns: &'a [Rerun],
    /// Rows of the release for each simulated row.
    pub scale: f64,
    /// The best solution on the released cells and its rivals.
    pub rivals: &'a Rivals,
    /// The last round that refined the centres, where there was one.
    pub last_round: Option<&'a LastRound>,
}

/// Half-widths at confidence [`CONFIDENCE`].
pub struct HalfWidths {
    /// How far each coordinate may be from what there would be without noise.
    pub centres: Vec<f64>,
    /// How far it may be from that of another run.
    pub reruns: Vec<f64>,
    /// How far each size may be from what there would be without noise.
    pub sizes: Vec<f64>,
}

impl Spread<'_> {
    /// The half-widths.
    pub fn half_widths(&self) -> HalfWidths {
        let extent = self.rivals.extent();
        let left = self.left();
        let to_go = self.to_go();
        let dims = self.centres.len() / to_go.len();
        let (mut centres, mut reruns) = (Vec::new(), Vec::new());
        // By how much step 3 widens the intervals of each cluster.
        let mut wider = vec![(0.0, 0.0); to_go.len()];
        for (i, &rival) in extent.iter().enumerate() {
            let found: Vec<f64> = self.reruns.iter().map(|rerun| rerun.centres[i]).collect();
            let rest = left * (self.rivals.best[i] - self.centres[i]).abs();
            let all = rest.max(to_go[i / dims]);
            let least = 2.0 * self.noise[i];
            let moved = from_optimum(&found, self.optimum[i]);
            let half = together(moved, least, all, rival);
            centres.push(half.max(HALF_STEP));
            reruns.push(together(between_pairs(&found), SQRT_2 * least, all, rival));
            wider[i / dims].0 += half * half;
            wider[i / dims].1 += together(moved, least, rest, rival).powi(2);
        }
        let wider: Vec<f64> = wider.iter().map(|(with, without)| (with / without.max(1e-300)).sqrt()).collect();
        HalfWidths { centres, reruns, sizes: self.size_half_widths(left, &wider) }
    }

    fn size_half_widths(&self, left: f64, wider: &[f64]) -> Vec<f64> {
        let extent = self.rivals.size_extent();
        let one = |(j, &size): (usize, &f64)| {
            let found: Vec<f64> = self.reruns.iter().map(|rerun| rerun.sizes[j] * self.scale).collect();
            let rest = left * (self.rivals.sizes[j] - size).abs();
            let moved = from_optimum(&found, self.optimum_sizes[j]);
            SIZES * wider[j] * together(moved, 2.0 * self.size_noise[j], rest, extent[j])
        };
        self.sizes.iter().enumerate().map(one).collect()
    }

    /// G of step 3 for each cluster.
    fn to_go(&self) -> Vec<f64> {
        let k = self.rivals.sizes.len();
        let dims = self.centres.len() / k;
        let Some(LastRound { rounds, moved }) = self.last_round else { return vec![0.0; k] };
        let left = self.left();
        let round = (left / (1.0 + left)).powf(1.0 / f64::from((*rounds).max(1)));
        let square = |moved: &[f64]| moved.iter().map(|x| x * x).sum::<f64>() / dims as f64;
        moved.chunks_exact(dims).map(|moved| round / (1.0 - round) * square(moved).sqrt()).collect()
    }

    /// β/(1 − β) of step 2; 0 for methods that do not refine.
    pub(super) fn left(&self) -> f64 {
        let (mut product, mut square) = (0.0, 0.0);
        for rerun in self.reruns {
            for ((before, after), optimum) in rerun.on_cells.iter().zip(&rerun.centres).zip(self.optimum) {
                product += (before - optimum) * (after - optimum);
                square += (before - optimum).powi(2);
            }
        }
        let left = if square > 0.0 { (product / square).clamp(0.0, MOST_LEFT) } else { 0.0 };
        left / (1.0 - left)
    }
}

/// Steps 4 and 5, for `moved` by noise, but no less than `least`.
fn together(moved: f64, least: f64, rest: f64, rival: f64) -> f64 {
    let half = moved.max(least).hypot(rest).hypot(rival);
    let (from, to) = INFLATED;
    half * (1.0 + MOST_INFLATION * ((half / least.max(1e-12) - from) / (to - from)).clamp(0.0, 1.0))
}

/// Step 1 without s.
fn from_optimum(found: &[f64], optimum: f64) -> f64 {
    let square = found.iter().map(|x| (x - optimum).powi(2)).sum::<f64>() / found.len().max(1) as f64;
    (2.0 * square.sqrt()).max(quantile(found.iter().map(|x| (x - optimum).abs()).collect()))
}

/// The quantile of the differences between all pairs.
fn between_pairs(found: &[f64]) -> f64 {
    let pairs = found.iter().enumerate().flat_map(|(i, a)| found[..i].iter().map(move |b| (a - b).abs()));
    quantile(pairs.collect())
}

/// The value that a share of [`CONFIDENCE`] does not exceed.
pub fn quantile(mut values: Vec<f64>) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    let at = ((CONFIDENCE * values.len() as f64).ceil() as usize).clamp(1, values.len()) - 1;
    *values.select_nth_unstable_by(at, f64::total_cmp).1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quantile_leaves_one_in_twenty_above() {
        assert_eq!(quantile((1..=40).map(f64::from).collect()), 38.0);
        assert_eq!(quantile(vec![3.0]), 3.0);
        assert_eq!(quantile(Vec::new()), 0.0);
    }

    /// For one coordinate at 0.1 with an optimum of 0, and `found` by reruns as (on the cells, refined).
    fn half_widths(found: &[(f64, f64)], noise: f64, rivals: Vec<(Vec<f64>, Vec<f64>)>) -> HalfWidths {
        after(found, noise, rivals, None)
    }

    fn after(
        found: &[(f64, f64)],
        noise: f64,
        rivals: Vec<(Vec<f64>, Vec<f64>)>,
        last: Option<&LastRound>,
    ) -> HalfWidths {
        let rerun = |&(a, c): &(f64, f64)| Rerun {
            centres: vec![c],
            on_cells: vec![a],
            sizes: vec![100.0 * c],
            explained: None,
        };
        let reruns: Vec<Rerun> = found.iter().map(rerun).collect();
        let rivals = Rivals { best: vec![0.0], sizes: vec![100.0], others: rivals };
        let spread = Spread {
            centres: &[0.1],
            noise: &[noise],
            sizes: &[100.0],
            size_noise: &[1.0],
            optimum: &[0.0],
            optimum_sizes: &[0.0],
            reruns: &reruns,
            scale: 2.0,
            rivals: &rivals,
            last_round: last,
        };
        spread.half_widths()
    }

    #[test]
    fn noise_alone_gives_two_standard_deviations() {
        let found = half_widths(&[(0.1, 0.0), (0.1, 0.001), (0.1, -0.001)], 0.1, Vec::new());
        assert!((found.centres[0] - 0.2).abs() < 1e-12);
        assert!((found.reruns[0] - 0.2 * SQRT_2).abs() < 1e-12);
    }

    #[test]
    fn reruns_and_rivals_widen_it() {
        let wide = half_widths(&[(0.0, 0.3), (0.0, -0.3), (0.0, 0.3), (0.0, -0.3)], 0.1, Vec::new());
        assert!((wide.centres[0] - 0.6 * 1.25).abs() < 1e-12, "{:?}", wide.centres);
        assert!((wide.sizes[0] - SIZES * 120.0 * 1.5).abs() < 1e-9, "{:?}", wide.sizes);
        let rival = half_widths(&[(0.1, 0.0); 4], 0.1, vec![(vec![0.15], vec![100.0])]);
        assert!((rival.centres[0] - 0.25).abs() < 1e-12);
    }

    #[test]
    fn what_refinement_leaves_in_the_reruns_is_left_in_the_release() {
        // Two thirds of the way are left, so a centre that has come 0.1 has twice as far to go.
        let found = half_widths(&[(0.03, 0.02), (-0.03, -0.02)], 0.1, Vec::new());
        assert!((found.centres[0] - 0.2f64.hypot(0.2)).abs() < 1e-9, "{:?}", found.centres);
    }

    #[test]
    fn what_the_last_round_still_moved_is_not_all() {
        // Two rounds leave a quarter, so each leaves a half, and as much again as the last has moved is to come.
        let found = [(0.04, 0.01), (-0.04, -0.01)];
        let last = LastRound { rounds: 2, moved: vec![0.2] };
        let wider = after(&found, 0.1, Vec::new(), Some(&last));
        assert!((wider.centres[0] - 0.2f64.hypot(0.2)).abs() < 1e-9, "{:?}", wider.centres);
        let before = half_widths(&found, 0.1, Vec::new());
        assert!(wider.sizes[0] > 1.3 * before.sizes[0], "{:?} {:?}", wider.sizes, before.sizes);
        // Where a round takes centres all the way there is nothing left.
        let still = after(&[(0.04, 0.0), (-0.04, 0.0)], 0.1, Vec::new(), Some(&last));
        assert!((still.centres[0] - 0.2).abs() < 1e-12);
    }
}
