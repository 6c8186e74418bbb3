//! Lloyd's k-means on lattice points: the reference without privacy, and the inner loop of sample-and-aggregate.
//!
//! A cluster that loses all its rows gets a new centre: the row that is farthest from all centres, the first such row
//! on a tie. When every row lies on a centre (there are fewer distinct rows than centres) the cluster stays empty and
//! keeps its centre. Centres are rounded to the lattice between steps; the ones returned are the unrounded means.

use rayon::prelude::*;

use super::lloyd::LloydState;
use super::nearest::LatticeCentres;
use super::sums::ClusterSums;
use crate::data::{HALF_WIDTH, LatticePoints, TILE};

/// What [`kmeans`] found. All of it is computed from raw rows: nothing in here is private.
#[derive(Clone, Debug, PartialEq)]
pub struct KMeans {
    /// Centres in box units, `[-1, 1]` in each attribute, centre after centre.
    pub centres: Vec<f64>,
    /// Rows per cluster.
    pub sizes: Vec<i64>,
    /// Steps taken.
    pub iterations: usize,
    /// Whether the last step moved no row.
    pub converged: bool,
}

/// At most `iterations` steps from `start`, fewer when the clusters no longer change.
///
/// Runs on the threads of the current rayon pool; the result does not depend on them.
///
/// # Panics
/// When points and centres differ in their attributes.
pub fn kmeans(points: &LatticePoints, start: &LatticeCentres, iterations: usize) -> KMeans {
    assert_eq!(points.dims(), start.dims(), "points and centres have the same attributes");
    let mut state = LloydState::new(points, start.count());
    let mut centres = start.clone();
    let mut unit = start.to_unit();
    let mut done = 0;
    let mut converged = false;
    while done < iterations && !converged {
        let moved = state.step(&centres);
        done += 1;
        let before = centres.clone();
        move_to_means(&mut centres, &mut unit, state.sums());
        if state.sums().counts.contains(&0) {
            reseed_empty(points, &state, &mut centres, &mut unit);
        }
        converged = (moved == 0 && done > 1) || centres == before;
    }
    KMeans { centres: unit, sizes: state.sums().counts.clone(), iterations: done, converged }
}

/// Puts every centre at the mean of its cluster: rounded in `centres`, as it is in `unit`. Clusters without positive
/// weight keep their centre.
pub(super) fn move_to_means(centres: &mut LatticeCentres, unit: &mut [f64], sums: &ClusterSums) {
    for j in 0..centres.count() {
        let count = i128::from(sums.counts[j]);
        if count <= 0 {
            continue;
        }
        let exact = &mut unit[j * centres.dims()..];
        for ((x, unit), &sum) in centres.centre_mut(j).iter_mut().zip(exact).zip(sums.sum(j)) {
            // Negative weights can push a mean out of the box.
            let half = i128::from(HALF_WIDTH);
            *x = (2 * i128::from(sum) + count).div_euclid(2 * count).clamp(-half, half) as i16;
            *unit = (sum as f64 / sums.counts[j] as f64 / f64::from(HALF_WIDTH)).clamp(-1.0, 1.0);
        }
    }
}

/// Gives each empty cluster the row farthest from its own centre and from the rows just given away.
fn reseed_empty(points: &LatticePoints, state: &LloydState<'_>, centres: &mut LatticeCentres, unit: &mut [f64]) {
    let dims = points.dims();
    let mut given: Vec<Vec<i16>> = Vec::new();
    for j in 0..centres.count() {
        if state.sums().counts[j] != 0 {
            continue;
        }
        let distance = |row: usize| {
            let to = |c: &[i16]| {
                (0..dims).map(|a| (i64::from(points.get(row, a)) - i64::from(c[a])).pow(2)).sum::<i64>()
            };
            let own = to(centres.centre(state.label(row)));
            given.iter().map(|c| to(c)).fold(own, i64::min)
        };
        let farthest = (0..points.rows())
            .into_par_iter()
            .with_min_len(64 * TILE)
            .map(|row| (distance(row), std::cmp::Reverse(row)))
            .max();
        let Some((1.., std::cmp::Reverse(row))) = farthest else { return };
        points.copy_row(row, centres.centre_mut(j));
        for (unit, &x) in unit[j * dims..].iter_mut().zip(centres.centre(j)) {
            *unit = f64::from(x) / f64::from(HALF_WIDTH);
        }
        given.push(centres.centre(j).to_vec());
    }
}
