//! Every code path of the search and of the sums against their definitions, written naively in 64 bits.

use proptest::prelude::*;

use crate::internals::*;
use crate::*;
use shoal_lattice::{LatticePoints, TILE};

/// A small generator for test data: splitmix64.
pub(crate) fn random(mut seed: u64) -> impl FnMut() -> u64 {
    move || {
        seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = seed;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

/// Coordinates of different temper: spread out, only extremes, few values (so that ties abound), or in the corner.
pub(crate) fn coordinate(kind: usize, next: &mut impl FnMut() -> u64) -> i16 {
    let r = next();
    match kind % 4 {
        0 => (r % 65_535) as i32 as i64 as i16,
        1 => [-32_767, 32_767, 32_766, 0][r as usize % 4],
        2 => (r % 5) as i16 * 64 - 128,
        _ => 32_767 - (r % 9) as i16,
    }
    .max(-32_767)
}

fn points(rows: usize, dims: usize, kind: usize, next: &mut impl FnMut() -> u64) -> LatticePoints {
    let mut points = LatticePoints::new(dims);
    for _ in 0..rows {
        let row: Vec<i16> = (0..dims).map(|_| coordinate(kind, next)).collect();
        points.push_row(&row);
    }
    points
}

/// The definition in `nearest/centres.rs`, word for word.
fn nearest(points: &LatticePoints, row: usize, centres: &LatticeCentres) -> usize {
    let score = |j: usize| {
        let c = || centres.centre(j).iter().map(|&c| i64::from(c));
        let product: i64 = c().enumerate().map(|(a, c)| c * i64::from(points.get(row, a))).sum();
        2 * product - c().map(|c| c * c).sum::<i64>()
    };
    (0..centres.count()).rev().max_by_key(|&j| score(j)).unwrap()
}

fn naive_sums(points: &LatticePoints, labels: &[u32], k: usize) -> ClusterSums {
    let mut sums = ClusterSums::zero(k, points.dims());
    for (row, &j) in labels.iter().enumerate() {
        sums.counts[j as usize] += 1;
        for a in 0..points.dims() {
            sums.sums[j as usize * points.dims() + a] += i64::from(points.get(row, a));
        }
    }
    sums
}

fn check(rows: usize, dims: usize, k: usize, kind: usize, seed: u64) {
    let mut next = random(seed);
    let points = points(rows, dims, kind, &mut next);
    let mut coordinates: Vec<i16> = (0..k * dims).map(|_| coordinate(kind / 4, &mut next)).collect();
    if k > 2 && kind.is_multiple_of(3) {
        // The same centre twice: the first must win.
        coordinates.copy_within(..dims, (k - 1) * dims);
    }
    let centres = LatticeCentres::new(dims, coordinates);
    every_path_agrees(&points, &centres, &format!("kind {kind}"));
}

/// Labels and sums of every path this machine has, against the definition.
pub(crate) fn every_path_agrees(points: &LatticePoints, centres: &LatticeCentres, what: &str) {
    let (rows, dims, k) = (points.rows(), points.dims(), centres.count());
    let expected: Vec<u32> = (0..rows).map(|row| nearest(points, row, centres) as u32).collect();
    for path in Path::ALL.into_iter().filter(|path| path.available()) {
        let search = SearchCentres::with_path(centres, path);
        let mut labels = vec![0; rows];
        assign(points, 0..points.tiles(), &search, &mut labels);
        assert_eq!(labels, expected, "{path:?}, {rows} rows, {dims} attributes, {k} centres, {what}");
        let mut sums = ClusterSums::zero(k, dims);
        let cut = points.tiles() / 3;
        sums.merge(&sums_and_counts(points, 0..cut, &search));
        sums.merge(&sums_and_counts(points, cut..points.tiles(), &search));
        assert_eq!(sums, naive_sums(points, &expected, k), "{path:?}, {rows} x {dims}, {k} centres, {what}");
    }
}

#[test]
fn every_number_of_attributes_is_searched_as_defined() {
    for dims in 1..=70 {
        for kind in 0..16 {
            check(TILE + dims % TILE + kind, dims, 1 + (dims * 5 + kind) % 20, kind, dims as u64);
        }
    }
    for kind in 0..16 {
        check(40, 200, 9, kind, 2);
    }
    check(40, 1000, 7, 0, 3);
    check(40, 1000, 7, 1, 3);
    check(40, 1001, 7, 5, 3);
}

#[test]
fn every_number_of_centres_is_searched_as_defined() {
    for k in 1..=130 {
        check(37, 1 + k % 9, k, k, k as u64);
    }
    check(600, 5, 300, 0, 1);
}

#[test]
fn long_runs_of_extremes_do_not_overflow() {
    let mut points = LatticePoints::new(3);
    let rows = 200_000;
    for _ in 0..rows {
        points.push_row(&[32_767, -32_767, 32_767]);
    }
    let centres = LatticeCentres::new(3, vec![32_767, -32_767, 32_767]);
    let sums = sums_and_counts_parallel(&points, &centres);
    let total = 32_767 * rows as i64;
    assert_eq!((sums.sum(0), sums.counts[0]), (&[total, -total, total][..], rows as i64));
}

#[test]
fn no_rows_give_no_sums() {
    let centres = LatticeCentres::new(2, vec![0, 0, 5, 5]);
    assert_eq!(sums_and_counts_parallel(&LatticePoints::new(2), &centres), ClusterSums::zero(2, 2));
}

#[test]
fn centres_are_clamped_and_rounded() {
    let centres = LatticeCentres::from_unit(3, &[-7.0, 0.4 / 32_767.0, f64::NAN, 1.0, -0.6 / 32_767.0, f64::INFINITY]);
    assert_eq!(centres, LatticeCentres::new(3, vec![-32_767, 0, 0, 32_767, -1, 32_767]));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn steps_keep_exactly_the_sums_of_a_fresh_pass(
        seed in any::<u64>(), rows in 1usize..900, dims in 1usize..40, k in 1usize..300, kind in 0usize..4,
    ) {
        let mut next = random(seed);
        let points = points(rows, dims, kind, &mut next);
        let mut centres = LatticeCentres::new(dims, (0..k * dims).map(|_| coordinate(kind, &mut next)).collect());
        let mut state = LloydState::new(&points, k, None);
        let mut before = vec![u32::MAX; rows];
        for _ in 0..6 {
            let moved = state.step(&centres);
            let mut labels = vec![0; rows];
            assign(&points, 0..points.tiles(), &SearchCentres::new(&centres), &mut labels);
            prop_assert_eq!(moved, labels.iter().zip(&before).filter(|(a, b)| a != b).count());
            prop_assert!((0..rows).all(|row| state.label(row) == labels[row] as usize));
            prop_assert_eq!(state.sums(), &naive_sums(&points, &labels, k));
            before = labels;
            // Some centres take a leap, some a small step, some stay.
            for j in 0..k {
                for x in centres.centre_mut(j) {
                    *x = match next() % 4 {
                        0 => coordinate(0, &mut next),
                        1 => x.saturating_add((next() % 7) as i16),
                        _ => *x,
                    };
                }
            }
        }
    }
}
