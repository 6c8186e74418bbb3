//! The search where it is hardest: rows on the border between two clusters, with every error of the quick scores
//! pushing the same way.

use crate::internals::*;
use crate::tests::{coordinate, every_path_agrees, random};
use crate::*;
use shoal_lattice::{HALF_WIDTH, LatticePoints};

/// Twice the difference in nearness: positive when `a` is nearer to `x` than `b`.
fn lead(x: &[i64], a: &[i16], b: &[i16]) -> i64 {
    let distance = |c: &[i16]| x.iter().zip(c).map(|(&x, &c)| (x - i64::from(c)).pow(2)).sum::<i64>();
    distance(b) - distance(a)
}

/// Moves `x` along its attributes, in steps of `p`, to where `a` and `b` are as equally near as steps allow.
fn approach(x: &mut [i64], a: &[i16], b: &[i16], p: i64, next: &mut impl FnMut() -> u64) {
    let half = i64::from(HALF_WIDTH);
    for _ in 0..3 {
        let (from, dims) = (next() as usize % x.len(), x.len());
        for i in (0..dims).map(|i| (i + from) % dims) {
            let slope = 2 * (i64::from(a[i]) - i64::from(b[i])) * p;
            if slope != 0 {
                // Steps to the border, as far as the box allows; remainders of `p` stay as they are.
                let steps = (-lead(x, a, b) / slope).clamp(-((x[i] + half) / p), (half - x[i]) / p);
                x[i] += steps * p;
            }
        }
    }
}

/// Rows near borders of `centres`. The bits that the quick pass drops make it misjudge one of the two centres as badly
/// as it can, in both directions.
fn border_rows(centres: &LatticeCentres, rows: usize, next: &mut impl FnMut() -> u64) -> LatticePoints {
    let (k, dims) = (centres.count(), centres.dims());
    let p = 1i64 << SearchCentres::new(centres).shift;
    let mut points = LatticePoints::new(dims);
    for row in 0..rows {
        let (a, b) = (centres.centre(next() as usize % k), centres.centre(next() as usize % k));
        let towards = row % 2 == 0;
        let mut x: Vec<i64> = (0..dims)
            .map(|i| {
                let high = i64::from(coordinate(row / 2 % 2, next)) & -p;
                // Dropped bits all set are half a step more than the quick pass takes them for, none set half a step less.
                let low = if (a[i] > b[i]) == towards { p - 1 } else { 0 };
                (high + low).max(i64::from(-HALF_WIDTH))
            })
            .collect();
        approach(&mut x, a, b, p, next);
        // One step to either side now and then: first where it was, then across the border.
        if row % 3 == 0 {
            approach(&mut x, a, b, 1, next);
        }
        points.push_row(&x.iter().map(|&x| x as i16).collect::<Vec<_>>());
    }
    points
}

/// Centres of different temper, by `kind`.
fn centres(dims: usize, k: usize, kind: usize, next: &mut impl FnMut() -> u64) -> LatticeCentres {
    let first: Vec<i16> = (0..dims).map(|_| coordinate(0, next)).collect();
    let mut all = Vec::with_capacity(k * dims);
    for j in 0..k {
        for &x in &first {
            all.push(match kind % 5 {
                // Anywhere; only in corners.
                0 => coordinate(0, next),
                1 => [-32_767, 32_767][next() as usize % 2],
                // One lattice unit apart, with one centre far away that makes the quick pass a crude one.
                2 if j == k / 2 => -x.signum() * 32_767,
                2 => x.clamp(-32_766, 32_766) + ((next() % 3) as i16 - 1),
                // Opposite each other, so that borders pass through the middle of the box.
                3 if j % 2 == 0 => 32_767 - (next() % 64) as i16,
                3 => (next() % 64) as i16 - 32_767,
                // The same few again and again.
                _ => x / 3 * (j % 3) as i16,
            });
        }
    }
    LatticeCentres::new(dims, all)
}

fn check(rows: usize, dims: usize, k: usize, kind: usize) {
    let mut next = random((dims * 1_000 + k * 10 + kind) as u64);
    let centres = centres(dims, k, kind, &mut next);
    let points = border_rows(&centres, rows, &mut next);
    every_path_agrees(&points, &centres, &format!("border of kind {kind}"));
}

#[test]
fn borders_are_exact_with_any_number_of_attributes() {
    for dims in (1..=70).chain([200, 1000]) {
        for kind in 0..5 {
            check(if dims > 70 { 40 } else { 200 }, dims, 2 + dims % 5, kind);
        }
    }
}

#[test]
fn borders_are_exact_with_any_number_of_centres() {
    for k in 1..=130 {
        for kind in 0..5 {
            check(100, 2 + k % 9, k, kind);
        }
    }
    check(200, 64, 100, 0);
}

/// Two centres in opposite corners, and the rows next to the border whose dropped bits all mislead: there the quick
/// scores are wrong by most of the margin, which shows that it cannot be much smaller.
#[test]
fn the_margin_is_needed() {
    for dims in [8, 16, 32, 64] {
        // A round number, of which the quick pass keeps all that matters: only dropped bits of points mislead.
        let corner = vec![32_752; dims];
        let centres = LatticeCentres::new(dims, [corner.clone(), corner.iter().map(|x| -x).collect()].concat());
        let search = SearchCentres::with_path(&centres, Path::Portable);
        let p = 1i64 << search.shift;
        assert!(p > 1, "{dims} attributes: some bits are dropped");
        let mut next = random(dims as u64);
        let mut points = LatticePoints::new(dims);
        for _ in 0..500 {
            let mut x: Vec<i64> = (0..dims).map(|_| (i64::from(coordinate(0, &mut next)) & -p) + p - 1).collect();
            approach(&mut x, centres.centre(0), centres.centre(1), p, &mut next);
            x[0] += if x.iter().sum::<i64>() < 0 { p } else { 0 };
            if x[0] <= 32_767 {
                points.push_row(&x.iter().map(|&x| x as i16).collect::<Vec<_>>());
            }
        }
        every_path_agrees(&points, &centres, "opposite corners");
        for halved in [0, search.margin.unwrap() / 2] {
            let mut careless = search.clone();
            careless.margin = Some(halved);
            let mut labels = vec![0; points.rows()];
            assign(&points, 0..points.tiles(), &careless, &mut labels);
            assert!(labels.contains(&1), "{dims} attributes: a margin of {halved} would do");
        }
    }
}
