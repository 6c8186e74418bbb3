//! Intervals: how often they cover the clustering without noise, what they are computed from, and their shape.

use shoal_curator::certainty::{CONFIDENCE, Certainty, STABLE};
use shoal_curator::{Auto, AutoParams, DesignSize, Knobs, Outcome, Route, Settings, System, find_method, methods};
use shoal_files::PointStore;
use shoal_kernel::{Restarts, assign_min_cost, kmeans_restarts};
use shoal_lattice::{BoxPosition, HALF_WIDTH, LatticePoints};
use shoal_noise::uniform::{normal_f64, unit_f64};
use shoal_noise::{NoiseSource, SeededNoise};
use shoal_scan::LocalScan;

use crate::curator_support::{groups, run_seeded, table};

/// Rows in memory, and the centres and sizes of the best k-means without privacy.
struct Known {
    scan: LocalScan,
    rows: u64,
    dims: usize,
    k: usize,
    centres: Vec<f64>,
    sizes: Vec<f64>,
}

impl Known {
    fn new(k: usize, rows: &[Vec<f64>]) -> Self {
        let dims = rows[0].len();
        let lattice = |x: &f64| (x.clamp(-1.0, 1.0) * f64::from(HALF_WIDTH)).round() as i16;
        let on_lattice: Vec<Vec<i16>> = rows.iter().map(|row| row.iter().map(lattice).collect()).collect();
        let mut points = LatticePoints::new(dims);
        on_lattice.iter().for_each(|row| points.push_row(row));
        let random = &mut SeededNoise::new(1);
        let options = Restarts { clusters: k, restarts: 20, iterations: 200 };
        let best = kmeans_restarts(&points, None, &options, &mut || random.next_u64());
        let scan = LocalScan::new(PointStore::InMemory(points));
        Self { scan, rows: rows.len() as u64, dims, k, centres: best.centres, sizes: best.weights }
    }

    /// Round groups around the given places.
    fn groups(places: &[[f64; 2]], sd: f64, rows: usize, seed: u64) -> Self {
        let random = &mut SeededNoise::new(seed);
        let row = |i: usize| places[i % places.len()].map(|x| x + sd * normal_f64(random)).to_vec();
        Self::new(places.len(), &(0..rows).map(row).collect::<Vec<_>>())
    }

    fn fit(&self, epsilon: &str, seed: u64) -> Outcome {
        let size = DesignSize::Public(self.rows);
        let auto = Auto::new(AutoParams::new(self.k, epsilon.parse().unwrap(), size), self.dims).unwrap();
        run_seeded(&auto, &self.scan, seed)
    }

    /// The optimum's cluster for each released one.
    fn matched(&self, fit: &Outcome) -> Vec<usize> {
        let centres = BoxPosition::numbers(&fit.centres.concat());
        let (k, dims) = (self.k, self.dims);
        let squared = |i: usize| -> f64 {
            let (a, b) = (&centres[i / k * dims..][..dims], &self.centres[i % k * dims..][..dims]);
            a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum()
        };
        let found = assign_min_cost(k, k, &(0..k * k).map(squared).collect::<Vec<_>>());
        found.column_of.into_iter().map(Option::unwrap).collect()
    }

    /// Shares of coordinates and of sizes that `intervals` cover, over some fits, with half-widths times `factor`.
    fn coverage(&self, epsilon: &str, fits: u64, factor: f64, intervals: impl Fn(&Outcome) -> Certainty) -> (f64, f64) {
        let (mut hits, mut of, mut size_hits, mut size_of) = (0.0, 0.0, 0.0, 0.0);
        for seed in 0..fits {
            let fit = self.fit(epsilon, seed);
            let found = intervals(&fit);
            for (j, &truth) in self.matched(&fit).iter().enumerate() {
                for (axis, range) in found.centres[j].iter().enumerate() {
                    let (middle, half) = (0.5 * (range.low.0 + range.high.0), 0.5 * (range.high.0 - range.low.0));
                    of += 1.0;
                    hits += f64::from((self.centres[truth * self.dims + axis] - middle).abs() <= factor * half);
                }
                size_of += 1.0;
                let (low, high) = (found.sizes[j].low, found.sizes[j].high);
                size_hits += f64::from(low <= self.sizes[truth] && self.sizes[truth] <= high);
            }
        }
        (hits / of, size_hits / size_of)
    }
}

/// Four groups that overlap.
fn overlapping(seed: u64) -> Known {
    Known::groups(&[[-0.35, -0.3], [0.35, -0.25], [-0.3, 0.35], [0.3, 0.3]], 0.22, 5000, seed)
}

fn own(fit: &Outcome) -> Certainty {
    fit.certainty.clone().unwrap()
}

/// What the noise on the last sums alone would give.
fn noise_alone(fit: &Outcome) -> Certainty {
    let mut found = own(fit);
    for (row, (centre, sds)) in found.centres.iter_mut().zip(fit.centres.iter().zip(&fit.noise_per_centre)) {
        for (range, (x, sd)) in row.iter_mut().zip(centre.iter().zip(sds)) {
            (range.low, range.high) = (BoxPosition(x.0 - 2.0 * sd.in_box().0), BoxPosition(x.0 + 2.0 * sd.in_box().0));
        }
    }
    for (range, (size, sd)) in found.sizes.iter_mut().zip(fit.sizes.iter().zip(&fit.size_noise)) {
        (range.low, range.high) = (size - 2.0 * sd, size + 2.0 * sd);
    }
    found
}

#[test]
fn intervals_cover_the_optimum_where_groups_overlap_and_the_noise_alone_does_not() {
    const BOUND: f64 = 0.9;
    let known = overlapping(5);
    let (centres, sizes) = known.coverage("3", 6, 1.0, own);
    assert!(centres >= BOUND && sizes >= BOUND, "{centres}, {sizes}");
    let (centres, _) = known.coverage("3", 6, 1.0, noise_alone);
    assert!(centres < BOUND, "the noise on the last sums covers {centres}, so this test shows nothing");
}

#[test]
fn intervals_of_groups_apart_are_wide_enough_and_not_twice_as_wide_as_needed() {
    const BOUND: f64 = 0.9;
    let known = Known::groups(&[[-0.5, -0.5], [0.5, -0.4], [0.0, 0.5]], 0.08, 4000, 3);
    let (all, sizes) = known.coverage("1", 12, 1.0, own);
    assert!(all >= BOUND && sizes >= BOUND, "{all}, {sizes}");
    let (half, _) = known.coverage("1", 12, 0.5, own);
    // An interval is twice as wide as needed when half of it covers as often as the whole should.
    assert!(half < CONFIDENCE, "intervals of half the width would cover {half}: they are too wide");
}

#[test]
fn one_gaussian_cut_in_three_is_not_stable_and_groups_apart_are() {
    let random = &mut SeededNoise::new(2);
    let rows: Vec<Vec<f64>> = (0..5000).map(|_| (0..4).map(|_| 0.25 * normal_f64(random)).collect()).collect();
    let blob = Known::new(3, &rows);
    let stable = |known: &Known| {
        let stated: Vec<f64> = (0..4).flat_map(|seed| own(&known.fit("1", seed)).stability).collect();
        stated.iter().sum::<f64>() / stated.len() as f64
    };
    let (of_blob, of_groups) =
        (stable(&blob), stable(&Known::groups(&[[-0.5, -0.5], [0.5, -0.4], [0.0, 0.5]], 0.08, 4000, 3)));
    assert!(of_blob < STABLE && of_groups > 0.99, "{of_blob}, {of_groups}");
}

#[test]
fn the_share_explained_is_covered_and_spreads_are_near_the_truth() {
    let known = Known::groups(&[[-0.5, -0.5], [0.5, -0.4], [0.0, 0.5]], 0.1, 6000, 4);
    // Variance within groups is 2·0.1², between them that of three places.
    let explained = 1.0 - 0.02 / (0.02 + 0.5 / 3.0 + 0.602 / 3.0);
    for seed in 0..3 {
        let found = own(&known.fit("1", seed));
        let share = found.explained.unwrap();
        assert!(share.low <= explained && explained <= share.high, "{share:?} for {explained}");
        assert!(share.low <= share.share && share.share <= share.high);
        assert!(found.spread.iter().flatten().all(|sd| (0.07..0.2).contains(&sd.0)), "{:?}", found.spread);
    }
}

#[test]
fn the_same_release_has_the_same_intervals_and_they_leave_the_noise_alone() {
    let known = overlapping(6);
    let size = || DesignSize::Public(known.rows);
    let usual = AutoParams::new(4, "1".parse().unwrap(), size());
    let mut without = usual.clone();
    without.kmeans.reruns = 0;
    let fit = |params: &AutoParams| {
        let mut noise = SeededNoise::new(8);
        let auto = Auto::new(params.clone(), 2).unwrap();
        let allowance = shoal_privacy::Allowance::without_ledger(auto.claim());
        let found = auto.run(&known.scan, allowance, &mut noise).unwrap();
        (found, noise.next_u64())
    };
    let ((first, after), (second, _), (plain, after_plain)) = (fit(&usual), fit(&usual), fit(&without));
    assert_eq!(first, second);
    assert_eq!((&first.centres, &first.sizes, after), (&plain.centres, &plain.sizes, after_plain));
    assert!(own(&plain).at_least && own(&plain).stability.is_empty() && !own(&first).at_least);
}

/// Checks that everything is there for each of `k` centres, and that intervals hold what they are about.
fn has_shape(fit: &Outcome, what: &str) {
    let found = own(fit);
    let (k, dims) = (fit.centres.len(), fit.centres[0].len());
    assert!(found.centres.len() == k && found.centres.iter().all(|row| row.len() == dims), "{what}");
    assert!(found.rerun.len() == k && found.rerun.iter().all(|row| row.len() == dims), "{what}");
    assert_eq!(found.sizes.len(), fit.sizes.len(), "{what}");
    assert!([0, k].contains(&found.stability.len()) && [0, k].contains(&found.spread.len()), "{what}");
    for (range, x) in found.centres.iter().flatten().zip(fit.centres.iter().flatten()) {
        assert!(range.low.0 <= x.0 && x.0 <= range.high.0 && range.low.0 >= -1.0 && range.high.0 <= 1.0, "{what}");
    }
    for (range, size) in found.sizes.iter().zip(&fit.sizes) {
        assert!(0.0 <= range.low && range.low <= *size && *size <= range.high, "{what}");
    }
    assert!(found.stability.iter().all(|share| (0.0..=1.0).contains(share)), "{what}");
    assert!(found.rerun.iter().flatten().chain(found.spread.iter().flatten()).all(|x| x.0 >= 0.0), "{what}");
}

#[test]
fn every_method_has_intervals_and_those_with_cells_a_stability() {
    let rows = groups(&[[-0.5, -0.4], [0.5, 0.5]], 400);
    let scan = table(2, &rows);
    for method in methods() {
        let name = method.info.name;
        let settings = Settings::new(2, "2".parse().unwrap(), DesignSize::Public(800));
        let knobs = Knobs { population: Some(20), reruns: Some(8), ..Knobs::default() };
        let fit = run_seeded(&*method.build(&Settings { knobs, ..settings }, 2).unwrap(), &scan, 3);
        has_shape(&fit, name);
        assert_eq!(own(&fit).stability.is_empty(), fit.synopsis.is_none(), "{name}");
        assert_eq!(own(&fit).at_least, fit.synopsis.is_none(), "{name}");
    }
}

#[test]
fn tables_of_any_size_have_intervals() {
    let random = &mut SeededNoise::new(11);
    for (rows, dims, k, route) in [
        (0, 1, 3, None),
        (1, 2, 2, None),
        (30, 2, 4, Some(Route::RefinedTree)),
        (200, 12, 2, Some(Route::RefinedTree)),
        (30, 2, 4, Some(Route::FixedTree)),
        (200, 12, 2, Some(Route::FixedTree)),
        (300, 3, 30, Some(Route::Grid)),
        (40_000, 2, 3, None),
        (500, 40, 3, None),
    ] {
        let points: Vec<Vec<i16>> =
            (0..rows).map(|_| (0..dims).map(|_| (65_534.0 * (unit_f64(random) - 0.5)) as i16).collect()).collect();
        let size = DesignSize::Public(rows.max(1) as u64);
        let params = AutoParams { route, ..AutoParams::new(k, "1".parse().unwrap(), size) };
        let fit = run_seeded(&Auto::new(params, dims).unwrap(), &table(dims, &points), 5);
        has_shape(&fit, &format!("{rows} rows, {dims} columns, {k} clusters"));
        assert!(dims <= 10 || own(&fit).at_least, "many columns");
    }
}

#[test]
fn clusters_of_a_synopsis_have_intervals_that_cover() {
    let known = Known::groups(&[[-0.5, -0.5], [0.5, -0.4], [0.0, 0.5]], 0.1, 4000, 9);
    let settings = Settings::new(3, "1".parse().unwrap(), DesignSize::Public(4000));
    let (mut hits, mut of) = (0.0, 0.0);
    for method in ["tree", "eugkm", "hybrid"] {
        for seed in 0..3 {
            let system = find_method(method).unwrap().build(&settings, 2).unwrap();
            let fit = run_seeded(&*system, &known.scan, seed);
            has_shape(&fit, method);
            let found = own(&fit);
            for (j, &truth) in known.matched(&fit).iter().enumerate() {
                for (axis, range) in found.centres[j].iter().enumerate() {
                    let truth = known.centres[2 * truth + axis];
                    of += 1.0;
                    hits += f64::from(range.low.0 <= truth && truth <= range.high.0);
                }
            }
        }
    }
    assert!(hits / of >= 0.9, "{hits} of {of}");
}
