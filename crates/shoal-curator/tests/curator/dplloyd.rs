//! DPLloyd keeps its promise, adds up to what it was given, and clusters.

use crate::curator_support::{groups, run_seeded, table};
use dashu_ratio::RBig;
use shoal_curator::internals::NoisySumsMechanism;
use shoal_curator::{DpLloyd, DpLloydParams, FitError, Outcome, RowMechanism, Start, System};
use shoal_kernel::internals::sums_and_counts_parallel;
use shoal_kernel::{ClusterSums, LatticeCentres};
use shoal_lattice::{BoxLength, BoxPosition, HALF_WIDTH, LatticePoints};
use shoal_noise::{DiscreteLaplace, SeededNoise};
use shoal_privacy::{Accountant, Allowance, Loss, Neighbours, Numerics, Sensitive};
use shoal_scan::LocalScan;

fn params(k: usize, epsilon: &str) -> DpLloydParams {
    DpLloydParams::new(k, epsilon.parse().unwrap())
}

fn scan(rows: &[Vec<i16>]) -> LocalScan {
    table(rows.first().map_or(1, Vec::len), rows)
}

fn run(params: DpLloydParams, rows: &[Vec<i16>], seed: u64) -> Outcome {
    run_seeded(&DpLloyd::new(params, rows[0].len()).unwrap(), &scan(rows), seed)
}

#[test]
fn the_claim_is_exactly_the_budget() {
    for epsilon in ["1", "0.1", "0.7", "2", "1/3", "0.05"] {
        for iterations in [1, 3, 5, 7, 12] {
            for dims in [1, 2, 6, 10, 64] {
                let fit = DpLloyd::new(DpLloydParams { iterations, ..params(4, epsilon) }, dims).unwrap();
                assert_eq!(
                    fit.claim().loss,
                    Loss::Pure(epsilon.parse().unwrap()),
                    "ε = {epsilon}, T = {iterations}, d = {dims}"
                );
            }
        }
    }
    let claim = DpLloyd::new(params(4, "1"), 2).unwrap().claim();
    assert_eq!((claim.neighbours, claim.numerics), (Neighbours::AddRemoveOne, Numerics::Exact));
}

#[test]
fn the_run_spends_what_was_claimed_and_no_step_goes_uncharged() {
    let rows = groups(&[[-0.5, -0.5], [0.5, 0.5]], 100);
    let outcome = run(params(2, "0.7"), &rows, 1);
    assert_eq!(outcome.charged, Loss::Pure("0.7".parse().unwrap()));
    assert_eq!(outcome.guarantee.claim(), None, "a seed voids the promise, in the library too");

    // An allowance that is short by any amount stops the run.
    let fit = DpLloyd::new(params(2, "0.7"), 2).unwrap();
    let mut short = fit.claim();
    short.loss = Loss::Pure("0.69999".parse().unwrap());
    let refused = fit.run(&scan(&rows), Allowance::without_ledger(short), &mut SeededNoise::new(1));
    assert!(matches!(refused, Err(FitError::Charge(_))));
}

/// The exact worst case of one step: the log-ratio of the distribution of all outputs between two tables that differ in one
/// row is decay × change, summed over the numbers that the row changes.
fn worst_log_ratio(dims: usize, sum_noise: &DiscreteLaplace, count_noise: &DiscreteLaplace) -> f64 {
    let m = i64::from(HALF_WIDTH);
    // Shifting a Laplace law by s changes its logarithm by at most decay·s, reached for every output beyond both.
    let shifted = |law: &DiscreteLaplace, s: i64, at: i64| law.ln_pmf(at) - law.ln_pmf(at + s);
    dims as f64 * shifted(sum_noise, m, 10 * m) + shifted(count_noise, 1, 10)
}

#[test]
fn the_step_s_law_loses_exactly_its_loss() {
    for dims in [1, 2, 10] {
        let step = NoisySumsMechanism::per_step(dims, &"0.2".parse().unwrap()).unwrap();
        let count_decay = RBig::from_parts(1.into(), (5 * (dims as u32 + 1)).into());
        let sum_noise = DiscreteLaplace::new(&count_decay / RBig::from(HALF_WIDTH)).unwrap();
        let count_noise = DiscreteLaplace::new(count_decay).unwrap();
        let loss = worst_log_ratio(dims, &sum_noise, &count_noise);
        let Loss::Pure(epsilon) = step.loss() else { panic!("pure noise has a pure loss") };
        assert!((loss - epsilon.to_f64_up()).abs() < 1e-9, "d = {dims}: {loss}");
        // The paper's scale: Lap((d + 1)/ε) in half-box units, for sums and counts alike.
        let expected = 2.0 * ((dims as f64 + 1.0) / 0.2).powi(2);
        assert!((step.sum_variance() / expected - 1.0).abs() < 1e-6);
        assert!((step.count_variance() / expected - 1.0).abs() < 0.01);

        // Mutants: noise a tenth too small, and a sum that forgot its dimension, both lose more.
        let small =
            DiscreteLaplace::new(RBig::from_parts(11.into(), (50 * (dims as u32 + 1)).into()) / RBig::from(HALF_WIDTH))
                .unwrap();
        assert!(worst_log_ratio(dims, &small, &count_noise) > 1.03 * epsilon.to_f64_up());
        let per_attribute =
            DiscreteLaplace::new(RBig::from_parts(1.into(), 10u8.into()) / RBig::from(HALF_WIDTH)).unwrap();
        assert!(dims == 1 || worst_log_ratio(dims, &per_attribute, &count_noise) > 1.2 * epsilon.to_f64_up());
    }
}

/// Exact sums of three clusters over three attributes, all different.
fn known_sums() -> ClusterSums {
    let mut points = LatticePoints::new(3);
    for i in 0..60i16 {
        points.push_row(&[[-20_000, 0, 20_000][i as usize % 3] + i, 7 * i, -11 * i + 5]);
    }
    let centres = LatticeCentres::new(3, vec![-20_000, 0, 0, 0, 0, 0, 20_000, 0, 0]);
    sums_and_counts_parallel(&points, &centres)
}

/// Noise that the mechanism put on each of the nine sums and three counts, as the accountant runs it.
fn noise_added(step: &NoisySumsMechanism, noise: &mut SeededNoise) -> Vec<i64> {
    let exact = known_sums();
    let mut accountant = Accountant::new(Allowance::without_ledger(step.claim()));
    let noisy = accountant.release(Sensitive::new(exact.clone()), step.with(noise)).unwrap().into_inner();
    let differences = |noisy: &[i64], exact: &[i64]| noisy.iter().zip(exact).map(|(a, b)| a - b).collect::<Vec<_>>();
    [differences(&noisy.sums, &exact.sums), differences(&noisy.counts, &exact.counts)].concat()
}

/// For each number, how often it was left as it is in 200 runs.
fn left_in_the_clear(mut added: impl FnMut() -> Vec<i64>) -> Vec<usize> {
    let mut clear = vec![0; 12];
    for _ in 0..200 {
        added().iter().zip(&mut clear).for_each(|(z, clear)| *clear += usize::from(*z == 0));
    }
    clear
}

#[test]
fn every_sum_and_every_count_is_randomised() {
    let step = NoisySumsMechanism::per_step(3, &"0.4".parse().unwrap()).unwrap();
    let mut noise = SeededNoise::new(11);
    // A count's noise has decay 0.1, so it is zero in one run of twenty; 40 of 200 has a chance below 1e-12.
    assert!(left_in_the_clear(|| noise_added(&step, &mut noise)).iter().all(|&clear| clear < 40));
    // The mutants that shipped elsewhere: the last sum, or the last count, in the clear.
    for last in [8, 11] {
        let mutant = || {
            let mut added = noise_added(&step, &mut noise);
            added[last] = 0;
            added
        };
        assert!(left_in_the_clear(mutant).iter().any(|&clear| clear >= 40));
    }
}

/// Mean of |z| over many draws, in standard errors from what the law says: sums (first) and counts (second).
fn deviations(runs: u32, step: &NoisySumsMechanism, added: impl FnMut() -> Vec<i64>) -> (f64, f64) {
    let all: Vec<Vec<i64>> = std::iter::repeat_with(added).take(runs as usize).collect();
    let mean = |range: std::ops::Range<usize>| {
        let total: f64 = all.iter().flat_map(|z| &z[range.clone()]).map(|z| z.unsigned_abs() as f64).sum();
        total / (f64::from(runs) * range.len() as f64)
    };
    // For Laplace noise |z| has mean b and standard deviation b (b = 1/decay, up to the lattice step).
    let sum_scale = (step.sum_variance() / 2.0).sqrt() * f64::from(HALF_WIDTH);
    let count_scale = (step.count_variance() / 2.0).sqrt();
    let errors = |mean: f64, scale: f64, draws: f64| (mean - scale) / (scale / draws.sqrt());
    let runs = f64::from(runs);
    (errors(mean(0..9), sum_scale, 9.0 * runs), errors(mean(9..12), count_scale, 3.0 * runs))
}

#[test]
fn the_noise_that_is_added_has_the_scale_that_was_charged() {
    let step = NoisySumsMechanism::per_step(3, &"0.04".parse().unwrap()).unwrap();
    let mut noise = SeededNoise::new(12);
    let (sums, counts) = deviations(20_000, &step, || noise_added(&step, &mut noise));
    assert!(sums.abs() < 5.0 && counts.abs() < 5.0, "{sums} and {counts} standard errors");
    // Mutants: a step that charges for less, or more, than it draws, by a tenth; and sums that forget the dimension.
    for wrong in ["0.044", "0.036", "0.16"] {
        let other = NoisySumsMechanism::per_step(3, &wrong.parse().unwrap()).unwrap();
        let (sums, counts) = deviations(20_000, &step, || noise_added(&other, &mut noise));
        assert!(sums.abs() > 5.0 && counts.abs() > 5.0, "{wrong}: {sums} and {counts} standard errors");
    }
}

#[test]
#[should_panic(expected = "this many attributes")]
fn a_step_for_other_attributes_refuses_to_run() {
    noise_added(&NoisySumsMechanism::per_step(2, &"1".parse().unwrap()).unwrap(), &mut SeededNoise::new(1));
}

#[test]
fn separated_groups_are_found() {
    let places = [[-0.6, -0.6], [0.6, -0.5], [0.0, 0.6]];
    let rows = groups(&places, 5000);
    let found = |epsilon: &str| {
        (0..20)
            .filter(|&seed| {
                let outcome = run(params(3, epsilon), &rows, seed);
                let near =
                    |c: &[BoxPosition], p: &[f64; 2]| (c[0].0 - p[0]).abs() < 0.05 && (c[1].0 - p[1]).abs() < 0.05;
                places.iter().all(|p| outcome.centres.iter().any(|c| near(c, p)))
            })
            .count()
    };
    assert!(found("1") >= 17, "found in {} of 20 runs", found("1"));
    // What noise a thousand times larger leaves must not pass for found.
    assert!(found("0.001") <= 2, "noise alone found them in {} of 20 runs", found("0.001"));
}

#[test]
fn an_empty_cluster_keeps_its_place_and_centres_stay_in_the_box() {
    // All rows at one corner; k is larger than the number of places, and noise makes counts negative.
    let rows = vec![vec![32_767i16, 32_767]; 50];
    for seed in 0..20 {
        let outcome = run(params(8, "0.05"), &rows, seed);
        assert!(outcome.centres.iter().flatten().all(|x| (-1.0..=1.0).contains(&x.0)));
        assert!(outcome.sizes.iter().all(|&size| size >= 0.0));
        assert!(outcome.noise_per_centre.iter().flatten().all(|sd| sd.0.is_finite() && sd.0 <= 0.41));
    }
}

#[test]
fn more_clusters_than_rows_and_tiny_budgets_give_a_valid_bad_answer() {
    let rows = vec![vec![100i16, -100]];
    for epsilon in ["0.000001", "0.001", "1000"] {
        let outcome = run(params(5, epsilon), &rows, 3);
        assert_eq!(outcome.centres.len(), 5);
        assert!(outcome.centres.iter().flatten().all(|x| x.0.is_finite()));
    }
}

#[test]
fn senseless_parameters_are_refused() {
    assert!(matches!(DpLloyd::new(params(0, "1"), 2), Err(FitError::NoCentres)));
    assert!(matches!(DpLloyd::new(params(20_000, "1"), 2), Err(FitError::TooManyCentres { .. })));
    assert!(matches!(DpLloyd::new(params(2, "0"), 2), Err(FitError::NoBudget)));
    assert!(matches!(DpLloyd::new(params(2, "1"), 0), Err(FitError::NoAttributes)));
    assert!(matches!(DpLloyd::new(DpLloydParams { iterations: 0, ..params(2, "1") }, 2), Err(FitError::NoIterations)));
}

#[test]
fn the_same_noise_gives_the_same_bits_in_any_row_order_and_on_any_number_of_threads() {
    let rows = groups(&[[-0.6, -0.6], [0.6, -0.5], [0.0, 0.6]], 3001);
    let reversed: Vec<_> = rows.iter().rev().cloned().collect();
    for start in [Start::Uniform, Start::SpherePacking] {
        let with = |rows: &[Vec<i16>]| run(DpLloydParams { start, ..params(3, "1") }, rows, 5);
        let expected = with(&rows);
        assert_eq!(with(&reversed), expected);
        for threads in [1, 2, 5] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            assert_eq!(pool.install(|| with(&rows)), expected);
        }
    }
}

#[test]
fn the_expected_error_is_what_is_measured() {
    // One cluster in the middle of the box: its centre's error is noise alone.
    let rows = groups(&[[0.3, -0.3]], 4000);
    let exact: Vec<f64> = (0..2)
        .map(|i| rows.iter().map(|r| f64::from(r[i])).sum::<f64>() / rows.len() as f64 / f64::from(HALF_WIDTH))
        .collect();
    // Error measured at one budget over the error stated at another.
    let ratio = |measured_at: &str, stated_at: &str| {
        let (mut measured, mut stated) = (0.0, 0.0);
        for seed in 0..400 {
            let found = &run(params(1, measured_at), &rows, seed).centres[0];
            measured += found
                .iter()
                .zip(&exact)
                .map(|(found, exact)| BoxLength(found.0 - exact).in_widths().0.powi(2))
                .sum::<f64>();
            stated +=
                run(params(1, stated_at), &rows, seed).noise_per_centre[0].iter().map(|sd| sd.0.powi(2)).sum::<f64>();
        }
        (measured / stated).sqrt()
    };
    let true_ratio = ratio("0.5", "0.5");
    assert!((0.85..1.15).contains(&true_ratio), "measured {true_ratio} times what was stated");
    // An error stated for another amount of noise is noticed.
    for wrong in ["0.35", "0.7"] {
        assert!(!(0.85..1.15).contains(&ratio("0.5", wrong)), "the error stated at ε = {wrong} passed");
    }
}
