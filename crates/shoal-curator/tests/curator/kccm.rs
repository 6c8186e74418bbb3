//! DP-KCCM and its ablations: budgets that add up, merging that ends with k, and the baseline that it must equal.

use crate::curator_support::{groups, run_seeded, table};
use shoal_curator::internals::NoisySumsMechanism;
use shoal_curator::{
    DesignSize, DpLloyd, DpLloydParams, FitError, Kccm, KccmParams, Knobs, MOST_CENTRES, Outcome, Settings, Shares,
    System, find_method,
};
use shoal_lattice::{BoxLength, BoxPosition, HALF_WIDTH};
use shoal_noise::SeededNoise;
use shoal_privacy::{Allowance, Amount, Epsilon, Loss, Neighbours, Numerics, Parameter, Sensitive};
use shoal_scan::{Answer, LocalScan, Question, Scan, ScanError};

fn params(k: usize, epsilon: &str) -> KccmParams {
    KccmParams::new(k, epsilon.parse().unwrap())
}

fn scan(rows: &[Vec<i16>]) -> LocalScan {
    table(rows.first().map_or(2, Vec::len), rows)
}

fn run_on(fit: &dyn System, rows: &[Vec<i16>], seed: u64) -> Outcome {
    run_seeded(fit, &scan(rows), seed)
}

fn run(params: KccmParams, rows: &[Vec<i16>], seed: u64) -> Outcome {
    run_on(&Kccm::new(params, rows.first().map_or(2, Vec::len)).unwrap(), rows, seed)
}

const PLACES: [[f64; 2]; 3] = [[-0.6, -0.6], [0.6, -0.5], [0.0, 0.6]];

fn named(name: &str, k: usize, epsilon: &str, knobs: Knobs) -> Box<dyn System> {
    let settings = Settings { knobs, ..Settings::new(k, epsilon.parse().unwrap(), DesignSize::Public(1)) };
    find_method(name).unwrap().build(&settings, 2).unwrap()
}

fn amounts(shares: &[&str]) -> Vec<Amount> {
    shares.iter().map(|share| share.parse().unwrap()).collect()
}

#[test]
fn the_claim_is_exactly_the_budget() {
    let given = [
        Shares::Equal,
        Shares::Growing,
        Shares::Given(amounts(&["1"])),
        Shares::Given(amounts(&["0.1", "3", "1/7", "10"])),
    ];
    for epsilon in ["1", "0.1", "0.7", "2", "1/3", "7/11", "0.000001", "1000"] {
        for shares in &given {
            for iterations in [1, 2, 5, 12, 13] {
                for (n, dims) in [(1, 1), (3, 2), (7, 6), (2, 64)] {
                    let params = KccmParams { n, iterations, shares: shares.clone(), ..params(4, epsilon) };
                    let claim = Kccm::new(params, dims).unwrap().claim();
                    assert_eq!(claim.loss, Loss::Pure(epsilon.parse().unwrap()), "{epsilon}, {shares:?}, {iterations}");
                    assert_eq!((claim.neighbours, claim.numerics), (Neighbours::AddRemoveOne, Numerics::Exact));
                }
            }
        }
    }
}

#[test]
fn the_run_spends_what_was_claimed_and_no_step_goes_uncharged() {
    let rows = groups(&PLACES, 50);
    for shares in [Shares::Equal, Shares::Growing, Shares::Given(amounts(&["5", "1/3"]))] {
        for n in [1, 3] {
            let params = KccmParams { n, shares: shares.clone(), ..params(3, "0.7") };
            let outcome = run(params.clone(), &rows, 1);
            assert_eq!(outcome.charged, Loss::Pure("0.7".parse().unwrap()));
            assert_eq!(outcome.guarantee.claim(), None, "a seed voids the promise");

            let fit = Kccm::new(params, 2).unwrap();
            let refusal = |rows: &[Vec<i16>]| {
                let mut short = fit.claim();
                short.loss = Loss::Pure("0.69999".parse().unwrap());
                let refused = fit.run(&scan(rows), Allowance::without_ledger(short), &mut SeededNoise::new(1));
                assert!(matches!(refused, Err(FitError::Charge(_))));
                refused.unwrap_err().to_string()
            };
            assert_eq!(refusal(&rows), refusal(&[]), "a refusal says nothing about the rows");
        }
    }
}

/// A scan of an empty table whose every answer is about `k` centres: how often it was asked, and with how many centres.
struct Watched(LocalScan, std::sync::Mutex<Vec<usize>>);

impl Scan for Watched {
    fn dims(&self) -> usize {
        self.0.dims()
    }
    fn ask(&self, question: &Question) -> Result<Sensitive<Answer>, ScanError> {
        match question {
            Question::SumsAndCounts { centres } => self.1.lock().unwrap().push(centres.count()),
            other => panic!("DP-KCCM does not ask for {}", other.name()),
        }
        self.0.ask(question)
    }
}

#[test]
fn there_are_twelve_scans_of_n_times_k_centres_and_the_row_count_is_not_asked_for() {
    for (n, k) in [(3, 4), (1, 5)] {
        let fit = Kccm::new(KccmParams { n, ..params(k, "1") }, 2).unwrap();
        let watched = Watched(scan(&[]), Default::default());
        fit.run(&watched, Allowance::without_ledger(fit.claim()), &mut SeededNoise::new(1)).unwrap();
        assert_eq!(*watched.1.lock().unwrap(), vec![n * k; 12]);
    }
}

/// How many steps run before the allowance is used up, for allowances of each number of 24ths of ε.
fn steps_within(shares: Shares) -> Vec<usize> {
    let fit = Kccm::new(KccmParams { shares, ..params(2, "1") }, 2).unwrap();
    let steps = |part: u64| {
        let watched = Watched(scan(&[]), Default::default());
        let mut claim = fit.claim();
        claim.loss = Loss::Pure(Epsilon::new(Amount::ratio(part, 24)));
        let done = fit.run(&watched, Allowance::without_ledger(claim), &mut SeededNoise::new(1));
        let scans = watched.1.lock().unwrap().len();
        // The step that was refused was scanned for, and not released.
        if done.is_ok() { scans } else { scans - 1 }
    };
    (1..=24).map(steps).collect()
}

#[test]
fn the_budgets_of_the_steps_are_those_of_the_paper() {
    // 4 × 1/24, 4 × 2/24, 4 × 3/24.
    let ends: Vec<u64> = (0..12u64)
        .scan(0, |sum, step| {
            *sum += 1 + step / 4;
            Some(*sum)
        })
        .collect();
    let expected: Vec<usize> = (1..=24).map(|part| ends.iter().filter(|&&end| end <= part).count()).collect();
    assert_eq!(steps_within(Shares::Growing), expected);
    let equal: Vec<usize> = (1..=24).map(|part| part / 2).collect();
    assert_eq!(steps_within(Shares::Equal), equal);
    assert_ne!(expected, equal);
}

#[test]
fn average_k_is_dplloyd_impr_with_twelve_steps_to_the_last_bit() {
    let rows = groups(&PLACES, 500);
    for (seed, epsilon) in [(1, "1"), (2, "0.01"), (3, "1/3")] {
        let given = DpLloydParams { iterations: 12, ..DpLloydParams::new(3, epsilon.parse().unwrap()) };
        let dplloyd = run_on(&DpLloyd::new(given, 2).unwrap(), &rows, seed);
        assert_eq!(run_on(&*named("average-k", 3, epsilon, Knobs::default()), &rows, seed), dplloyd);
        // The other ablations are something else.
        for other in ["allocation-k", "average-nk", "allocation-nk", "kccm"] {
            assert_ne!(run_on(&*named(other, 3, epsilon, Knobs::default()), &rows, seed), dplloyd, "{other}");
        }
        let both =
            ["allocation-nk", "kccm"].map(|name| run_on(&*named(name, 3, epsilon, Knobs::default()), &rows, seed));
        assert_eq!(both[0], both[1], "two names for one method");
    }
}

#[test]
fn merging_ends_with_exactly_k_centres_and_sizes_add_up() {
    let rows = groups(&PLACES, 500);
    let count_noise = |fit: &str| NoisySumsMechanism::per_step(2, &fit.parse().unwrap()).unwrap().count_variance();
    for (n, k) in [(1, 1), (1, 4), (2, 1), (3, 3), (5, 2), (10, 3)] {
        for seed in 0..5 {
            let outcome = run(KccmParams { n, ..params(k, "100") }, &rows, seed);
            assert_eq!((outcome.centres.len(), outcome.sizes.len(), outcome.noise_per_centre.len()), (k, k, k));
            assert!(outcome.centres.iter().flatten().all(|x| (-1.0..=1.0).contains(&x.0)));
            // All rows are in some cluster: almost no noise at ε = 100, of which the last step gets an eighth.
            let total: f64 = outcome.sizes.iter().sum();
            let sd = (count_noise("12.5") * (n * k) as f64).sqrt();
            assert!((total - 1500.0).abs() < 8.0 * sd + 1.0, "n = {n}, k = {k}: {total}");
            // So does the noise: n·k counts are in the k sizes, each once.
            let variance: f64 = outcome.size_noise.iter().map(|sd| sd * sd).sum();
            assert!((variance / (count_noise("12.5") * (n * k) as f64) - 1.0).abs() < 1e-9);
        }
    }
}

#[test]
fn sizes_are_not_inflated_by_parts_without_rows() {
    // All rows in one place: nine of ten parts hold noise only, about half of it negative.
    let rows = vec![vec![20_000i16, -20_000]; 3000];
    let runs = 100;
    let outcomes: Vec<_> = (0..runs).map(|seed| run(KccmParams { n: 10, ..params(1, "1") }, &rows, seed)).collect();
    let mean = outcomes.iter().map(|outcome| outcome.sizes[0]).sum::<f64>() / runs as f64;
    let errors = |mean: f64| (mean - 3000.0) / (outcomes[0].size_noise[0] / (runs as f64).sqrt());
    assert!(errors(mean).abs() < 5.0, "{mean}: {} standard errors", errors(mean));
    // The mutant floors each part: that adds half of the scale 3/(1/8) of its noise.
    assert!(errors(mean + 9.0 * 12.0).abs() > 5.0);
}

#[test]
fn one_cluster_s_mean_is_that_of_its_rows() {
    // Merged down to one centre, almost no noise: the mean of all rows, whatever the parts were.
    let rows = groups(&[[-0.6, -0.6], [0.6, -0.5], [0.0, 0.6], [0.0, 0.62], [0.01, 0.6]], 400);
    let mean = |i: usize| rows.iter().map(|row| f64::from(row[i])).sum::<f64>() / 2000.0 / f64::from(HALF_WIDTH);
    for n in [2, 3, 8] {
        let centre = &run(KccmParams { n, ..params(1, "10000") }, &rows, 4).centres[0];
        assert!((0..2).all(|i| (centre[i].0 - mean(i)).abs() < 2e-3), "n = {n}: {centre:?}");
        // The mutant: means that forget the sizes would be nearer to the middle of the groups' places.
        assert!((centre[1].0 - 0.02).abs() > 0.1, "{centre:?}");
    }
}

#[test]
fn negative_counts_are_handled() {
    // Nothing but noise: about half of all counts are negative.
    for (n, k) in [(1, 6), (3, 4), (8, 2)] {
        for seed in 0..20 {
            let outcome = run(KccmParams { n, ..params(k, "0.01") }, &[], seed);
            assert_eq!(outcome.centres.len(), k);
            assert!(outcome.centres.iter().flatten().all(|x| (-1.0..=1.0).contains(&x.0)));
            assert!(outcome.sizes.iter().all(|size| size.is_finite() && *size >= 0.0));
            assert!(outcome.noise_per_centre.iter().flatten().all(|sd| (0.0..0.41).contains(&sd.0)));
        }
    }
}

#[test]
fn separated_groups_are_found() {
    let rows = groups(&PLACES, 5000);
    let found = |epsilon: &str| {
        (0..20)
            .filter(|&seed| {
                let outcome = run(params(3, epsilon), &rows, seed);
                let near =
                    |c: &[BoxPosition], p: &[f64; 2]| (c[0].0 - p[0]).abs() < 0.05 && (c[1].0 - p[1]).abs() < 0.05;
                PLACES.iter().all(|p| outcome.centres.iter().any(|c| near(c, p)))
            })
            .count()
    };
    assert!(found("5") >= 15, "found in {} of 20 runs", found("5"));
    assert!(found("0.001") <= 2, "noise alone found them in {} of 20 runs", found("0.001"));
}

#[test]
fn given_shares_replace_the_number_of_steps() {
    for weights in [vec!["1"], vec!["1", "2"], vec!["0.5"; 30]] {
        let params = KccmParams { shares: Shares::Given(amounts(&weights)), iterations: 7, ..params(2, "1") };
        let fit = Kccm::new(params, 2).unwrap();
        let watched = Watched(scan(&[]), Default::default());
        fit.run(&watched, Allowance::without_ledger(fit.claim()), &mut SeededNoise::new(1)).unwrap();
        assert_eq!(watched.1.lock().unwrap().len(), weights.len());
    }
    // Proportions, not amounts: a factor changes nothing.
    let rows = groups(&PLACES, 100);
    let with =
        |weights: &[&str]| run(KccmParams { shares: Shares::Given(amounts(weights)), ..params(3, "1") }, &rows, 1);
    assert_eq!(with(&["1", "2", "3"]), with(&["1/7", "2/7", "3/7"]));
    assert_ne!(with(&["1", "2", "3"]), with(&["3", "2", "1"]));
}

#[test]
fn the_same_noise_gives_the_same_bits_in_any_row_order_and_on_any_number_of_threads() {
    let rows = groups(&PLACES, 3001);
    let reversed: Vec<_> = rows.iter().rev().cloned().collect();
    let expected = run(params(3, "1"), &rows, 5);
    assert_eq!(run(params(3, "1"), &reversed, 5), expected);
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(pool.install(|| run(params(3, "1"), &rows, 5)), expected);
    }
}

#[test]
fn noise_that_swamps_says_so_for_any_number_of_parts() {
    for n in [1, 3, 8, 50] {
        let fit = Kccm::new(KccmParams { n, ..params(2, "0.000001") }, 2).unwrap();
        assert!(fit.expected_error(1000.0).swamps(), "n = {n}: {:?}", fit.expected_error(1000.0));
        // Averaging guesses does not make them less of a guess.
        let outcome = run_on(&fit, &groups(&PLACES, 300), 1);
        let clear = outcome.noise_per_centre.iter().flatten().filter(|sd| sd.0 < 0.15).count();
        assert!(clear == 0, "n = {n}: {:?}", outcome.noise_per_centre);
    }
}

#[test]
fn the_error_told_is_that_measured() {
    // One cluster whose parts all hold rows, so that merging is over the same rows at any noise.
    let rows: Vec<Vec<i16>> =
        (0..10_000i32).map(|i| vec![(i % 100 * 600 - 30_000) as i16, (i / 100 * 600 - 30_000) as i16]).collect();
    let mean = (-30_000.0 + 49.5 * 600.0) / 32_767.0;
    let ratio = |measured_at: &str, told_at: &str| {
        let (mut measured, mut stated) = (0.0, 0.0);
        for seed in 0..120 {
            let found = &run(params(1, measured_at), &rows, seed).centres[0];
            measured += found.iter().map(|x| BoxLength(x.0 - mean).in_widths().0.powi(2)).sum::<f64>();
            let outcome = run(params(1, told_at), &rows, seed);
            stated += outcome.noise_per_centre[0].iter().map(|sd| sd.0 * sd.0).sum::<f64>();
        }
        (measured / stated).sqrt()
    };
    let fair = ratio("3", "3");
    assert!((0.8..1.25).contains(&fair), "measured {fair} times what was stated");
    for wrong in ["1.8", "5"] {
        assert!(!(0.8..1.25).contains(&ratio("3", wrong)), "the error stated at ε = {wrong} passed");
    }
}

#[test]
fn senseless_parameters_are_refused() {
    assert!(matches!(Kccm::new(params(0, "1"), 2), Err(FitError::NoCentres)));
    assert!(matches!(Kccm::new(params(2, "0"), 2), Err(FitError::NoBudget)));
    assert!(matches!(Kccm::new(params(2, "1"), 0), Err(FitError::NoAttributes)));
    assert!(matches!(
        Kccm::new(KccmParams { n: 0, ..params(2, "1") }, 2),
        Err(FitError::Parameter { what: Parameter::N, .. })
    ));
    for shares in [Shares::Equal, Shares::Growing] {
        let none = Kccm::new(KccmParams { iterations: 0, shares, ..params(2, "1") }, 2);
        assert!(matches!(none, Err(FitError::NoIterations)));
    }
    let given =
        |weights: &[&str]| Kccm::new(KccmParams { shares: Shares::Given(amounts(weights)), ..params(2, "1") }, 2);
    assert!(matches!(given(&[]), Err(FitError::NoIterations)));
    for zero in [&["0"][..], &["1", "0"], &["0", "0", "0"], &["1", "0", "2"]] {
        assert!(matches!(given(zero), Err(FitError::Share { .. })), "{zero:?}");
    }
    for (n, k) in [(3, MOST_CENTRES / 3 + 1), (MOST_CENTRES + 1, 1), (usize::MAX, 2)] {
        let refused = Kccm::new(KccmParams { n, ..params(k, "1") }, 2);
        assert!(matches!(refused, Err(FitError::Parameter { what: Parameter::N, .. })), "n = {n}, k = {k}");
    }
}
