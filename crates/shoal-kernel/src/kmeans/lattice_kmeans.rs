//! Lloyd's k-means on lattice points: the reference without privacy, and the inner loop of sample-and-aggregate.
//!
//! A cluster that loses all its rows gets a new centre: the row that is farthest from all centres, the first such row
//! on a tie. When every row lies on a centre (there are fewer distinct rows than centres) the cluster stays empty and
//! keeps its centre. Centres are rounded to the lattice between steps; the ones returned are the unrounded means.

use rayon::prelude::*;

use crate::ClusterSums;
use crate::LatticeCentres;
use crate::internals::LloydState;
use shoal_lattice::{HALF_WIDTH, LatticePoints, TILE};

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
    lloyd(points, None, start, iterations).0
}

/// [`kmeans`] with integer weights per row, if any, and the last sums. Only unweighted empty clusters are re-seeded.
pub(crate) fn lloyd(
    points: &LatticePoints,
    weights: Option<&[i64]>,
    start: &LatticeCentres,
    iterations: usize,
) -> (KMeans, ClusterSums) {
    assert_eq!(points.dims(), start.dims(), "points and centres have the same attributes");
    let mut state = LloydState::new(points, start.count(), weights);
    let mut centres = start.clone();
    let mut unit = start.to_unit();
    let mut done = 0;
    let mut converged = false;
    while done < iterations && !converged {
        let moved = state.step(&centres);
        done += 1;
        let before = centres.clone();
        move_to_means(&mut centres, &mut unit, state.sums());
        if weights.is_none() && state.sums().counts.contains(&0) {
            reseed_empty(points, &state, &mut centres, &mut unit);
        }
        converged = moved == 0 || centres == before;
    }
    let sums = state.into_sums();
    (KMeans { centres: unit, sizes: sums.counts.clone(), iterations: done, converged }, sums)
}

/// Puts every centre at the mean of its cluster: rounded in `centres`, as it is in `unit`. Clusters without positive
/// weight keep their centre.
pub(crate) fn move_to_means(centres: &mut LatticeCentres, unit: &mut [f64], sums: &ClusterSums) {
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
            let to =
                |c: &[i16]| (0..dims).map(|a| (i64::from(points.get(row, a)) - i64::from(c[a])).pow(2)).sum::<i64>();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::random;

    fn blobs(rows: usize, dims: usize, seed: u64) -> LatticePoints {
        let mut next = random(seed);
        let mut points = LatticePoints::new(dims);
        for i in 0..rows {
            let row: Vec<i16> =
                (0..dims).map(|a| ((i % 3) as i16 - 1) * 9_000 + (a as i16) * 50 + (next() % 8_000) as i16).collect();
            points.push_row(&row);
        }
        points
    }

    /// Lloyd in floats, without any of our shortcuts.
    fn naive(points: &LatticePoints, start: &LatticeCentres, iterations: usize) -> Vec<f64> {
        let dims = points.dims();
        let mut centres: Vec<Vec<f64>> =
            (0..start.count()).map(|j| start.centre(j).iter().map(|&x| f64::from(x)).collect()).collect();
        for _ in 0..iterations {
            let mut sums = vec![vec![0.0; dims + 1]; centres.len()];
            for row in 0..points.rows() {
                let x: Vec<f64> = (0..dims).map(|a| f64::from(points.get(row, a))).collect();
                let distance = |c: &Vec<f64>| x.iter().zip(c).map(|(x, c)| (x - c).powi(2)).sum::<f64>();
                let j = (0..centres.len())
                    .min_by(|&a, &b| distance(&centres[a]).total_cmp(&distance(&centres[b])))
                    .unwrap();
                sums[j].iter_mut().zip(x.iter().chain([&1.0])).for_each(|(sum, x)| *sum += x);
            }
            for (centre, sum) in centres.iter_mut().zip(&sums) {
                centre.iter_mut().zip(sum).for_each(|(c, s)| *c = s / sum[dims]);
            }
        }
        centres.concat().iter().map(|x| x / f64::from(HALF_WIDTH)).collect()
    }

    #[test]
    fn centres_are_those_of_lloyd_in_floats() {
        for dims in [1, 2, 5, 17] {
            let points = blobs(2_000, dims, dims as u64);
            let start = LatticeCentres::new(dims, [-8_000, 1_000, 9_000].iter().flat_map(|&x| vec![x; dims]).collect());
            let found = kmeans(&points, &start, 5);
            let far =
                found.centres.iter().zip(naive(&points, &start, 5)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(far < 1e-3, "{dims} attributes: {far}");
        }
    }

    #[test]
    fn an_empty_cluster_takes_the_farthest_row() {
        let mut points = LatticePoints::new(2);
        for row in [[0, 0], [10, 0], [0, 10], [9_000, 9_000], [9_000, 9_000], [-5_000, 0]] {
            points.push_row(&row);
        }
        // The second and third centre are farther from every row than the first.
        let start = LatticeCentres::new(2, vec![0, 0, 32_000, -32_000, 32_000, -32_000]);
        let found = kmeans(&points, &start, 20);
        assert!(found.converged);
        assert_eq!(found.sizes, [3, 2, 1]);
        assert_eq!(found.centres[2..], [9_000.0, 9_000.0, -5_000.0, 0.0].map(|x| x / f64::from(HALF_WIDTH)));
    }

    #[test]
    fn more_clusters_than_distinct_rows_leave_some_empty() {
        let mut points = LatticePoints::new(1);
        [5, 5, 5, 7].iter().for_each(|&x| points.push_row(&[x]));
        let found = kmeans(&points, &LatticeCentres::new(1, vec![0; 6]), 20);
        assert!(found.converged);
        assert_eq!(found.sizes.iter().sum::<i64>(), 4);
        assert_eq!(found.sizes.iter().filter(|&&size| size > 0).count(), 2);
    }

    #[test]
    fn threads_do_not_matter() {
        let points = blobs(40_000, 3, 8);
        let start = LatticeCentres::new(3, (0..21).map(|i| i * 700 - 7_000).collect());
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| kmeans(&points, &start, 15))
        };
        assert_eq!(with(1), with(3));
    }

    #[test]
    fn no_rows_leave_the_centres_where_they_are() {
        let start = LatticeCentres::new(1, vec![3, 4]);
        assert_eq!(kmeans(&LatticePoints::new(1), &start, 9).centres, start.to_unit());
    }
}
