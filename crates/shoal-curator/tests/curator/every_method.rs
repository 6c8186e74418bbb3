//! What every curator method must do: cost its budget, survive odd tables, and warn when noise swamps the clusters.

use shoal_curator::{DesignSize, ExpectedError, Method, Outcome, Settings, System, find_method, methods};
use shoal_files::PointStore;
use shoal_lattice::{HALF_WIDTH, LatticePoints};
use shoal_noise::{NoiseSource, SeededNoise};
use shoal_privacy::{Allowance, Loss};
use shoal_scan::LocalScan;

fn build(method: &Method, k: usize, epsilon: &str, size: DesignSize, dims: usize) -> Box<dyn System> {
    method.build(&Settings::new(k, epsilon.parse().unwrap(), size), dims).unwrap()
}

fn run(fit: &dyn System, dims: usize, rows: impl Iterator<Item = Vec<i16>>, seed: u64) -> Outcome {
    let mut points = LatticePoints::new(dims);
    rows.for_each(|row| points.push_row(&row));
    let scan = LocalScan::new(PointStore::InMemory(points));
    fit.run(&scan, Allowance::without_ledger(fit.claim()), &mut SeededNoise::new(seed)).unwrap()
}

fn groups(places: &[[f64; 2]], each: usize) -> impl Iterator<Item = Vec<i16>> {
    let mut random = SeededNoise::new(99);
    // Narrower than a cell of a grid: before the run nobody knows over how many cells a cluster spreads.
    let mut jitter = move || (random.next_u64() % 601) as f64 - 300.0;
    (0..each * places.len())
        .map(move |i| places[i % places.len()].map(|x| (x * f64::from(HALF_WIDTH) + jitter()) as i16).to_vec())
}

const PLACES: [[f64; 2]; 3] = [[-0.6, -0.6], [0.6, -0.5], [0.0, 0.6]];

#[test]
fn odd_tables_give_k_centres_in_the_box() {
    for method in methods() {
        for (rows, size) in [
            (0, DesignSize::Public(1000)),
            (0, DesignSize::bought()),
            (1, DesignSize::Public(1000)),
            (1, DesignSize::bought()),
            (100_000, DesignSize::Public(1000)),
        ] {
            for epsilon in ["0.0001", "1"] {
                let (k, dims) = (3, 2);
                let fit = build(method, k, epsilon, size.clone(), dims);
                let outcome = run(&*fit, dims, std::iter::repeat_n(vec![12_345, -32_767], rows), 1);
                let what = format!("{}, {rows} rows, ε = {epsilon}", method.info.name);
                assert_eq!(outcome.charged, Loss::Pure(epsilon.parse().unwrap()), "{what}");
                // Where noise leaves no difference between centres, these methods return one for all that are alike.
                let fewer = ["auto", "directions", "mean"].contains(&method.info.name);
                let found = outcome.centres.len();
                assert!(found == k || fewer && (1..k).contains(&found), "{what}: {found}");
                assert_eq!(outcome.noise_per_centre.len(), found, "{what}");
                assert!(outcome.centres.iter().all(|centre| centre.len() == dims), "{what}");
                assert!(outcome.centres.iter().flatten().all(|x| (-1.0..=1.0).contains(&x.0)), "{what}");
                assert!(outcome.noise_per_centre.iter().flatten().all(|sd| (0.0..0.41).contains(&sd.0)), "{what}");
                assert!(outcome.sizes.is_empty() || outcome.sizes.len() == found, "{what}");
                assert_eq!(outcome.sizes.len(), outcome.size_noise.len(), "{what}");
                let numbers = outcome.sizes.iter().chain(&outcome.size_noise);
                assert!(numbers.into_iter().all(|x| x.is_finite() && *x >= 0.0), "{what}");
                // Only `auto` may take a route without cells.
                assert!(outcome.synopsis.is_some() == method.info.synopsis || method.info.name == "auto", "{what}");
                let after = ExpectedError::of(&outcome.noise_per_centre, &outcome.sizes);
                assert!((0.0..0.41).contains(&after.center_rmse.0), "{what}");
            }
        }
    }
}

#[test]
fn many_identical_rows_are_found_where_they_are() {
    // One cluster, all rows on one place: no excuse at ε = 1, but for the coarseness of blocks, cells and genes.
    for method in methods().filter(|method| method.info.name != "pgkm") {
        let fit = build(method, 1, "1", DesignSize::Public(100_000), 2);
        let outcome = run(&*fit, 2, std::iter::repeat_n(vec![12_345, -20_000], 100_000), 1);
        // The noisy quartiles of block results that are all alike may be on one side of them (SCL16's output range).
        let far = if method.info.name.starts_with("gkm") { 0.1 } else { 0.05 };
        let near = |x: f64, at: f64| (x - at / 32_767.0).abs() < far;
        let centre = &outcome.centres[0];
        assert!(near(centre[0].0, 12_345.0) && near(centre[1].0, -20_000.0), "{}: {centre:?}", method.info.name);
    }
}

#[test]
fn noise_that_swamps_is_announced_before_and_after_the_run() {
    for method in methods() {
        for size in [DesignSize::Public(1500), DesignSize::bought()] {
            let hopeless = build(method, 3, "0.00001", size.clone(), 2);
            assert!(
                hopeless.expected_error(1500.0).swamps(),
                "{}: {:?}",
                method.info.name,
                hopeless.expected_error(1500.0)
            );
            let after = run(&*hopeless, 2, groups(&PLACES, 500), 1);
            let after = ExpectedError::of(&after.noise_per_centre, &after.sizes);
            assert!(after.swamps(), "{}: {after:?} after the run", method.info.name);
        }
        // The warning must be able to keep silent.
        let easy = build(method, 3, "100", DesignSize::Public(1_000_000), 2);
        assert!(!easy.expected_error(1e6).swamps(), "{}: {:?}", method.info.name, easy.expected_error(1e6));
        // No rows, or senseless numbers of them, are no reason for confidence.
        for rows in [0.0, -1.0, f64::NAN] {
            let error = build(method, 3, "1", DesignSize::Public(1000), 2).expected_error(rows).center_rmse.0;
            assert!((0.0..0.41).contains(&error), "{}: {error} from {rows} rows", method.info.name);
        }
    }
}

/// The error stated after a run over the error stated before it, as root mean squares over a few runs.
fn after_over_before(method: &str, epsilon: &str, each: usize) -> f64 {
    let rows = 3 * each;
    let fit = build(find_method(method).unwrap(), 3, epsilon, DesignSize::Public(rows as u64), 2);
    let after = |seed| {
        let outcome = run(&*fit, 2, groups(&PLACES, each), seed);
        ExpectedError::of(&outcome.noise_per_centre, &outcome.sizes).center_rmse.0
    };
    let mean = ((0..5).map(|seed| after(seed).powi(2)).sum::<f64>() / 5.0).sqrt();
    mean / fit.expected_error(rows as f64).center_rmse.0
}

#[test]
fn errors_told_before_and_after_the_run_agree() {
    for method in ["dplloyd", "dplloyd-impr", "eugkm", "hybrid", "kccm", "average-nk", "allocation-k", "knorm-lloyd"] {
        for (epsilon, each) in [("1", 3000), ("3", 3000), ("1", 20_000)] {
            let ratio = after_over_before(method, epsilon, each);
            assert!((1.0 / 3.0..3.0).contains(&ratio), "{method} at ε = {epsilon}: {ratio}");
        }
    }
    // A mutant that confuses ε of the whole with that of a step is off by more.
    let (whole, step) = (after_over_before("kccm", "3", 3000), 12.0);
    assert!(!(1.0 / 3.0..3.0).contains(&(whole * step)) && !(1.0 / 3.0..3.0).contains(&(whole / step)));
}
