//! Hybrid costs its budget on either side of its threshold, and the side follows from public numbers alone.

use crate::curator_support::{Unseeded, groups, run_seeded, table};
use shoal_curator::internals::NoisySumsMechanism;
use shoal_curator::{DesignSize, Eugkm, EugkmParams, FitError, Hybrid, HybridParams, Outcome, Synopsis, System};
use shoal_lattice::BoxPosition;
use shoal_noise::SeededNoise;
use shoal_privacy::{Allowance, Amount, Epsilon, Loss, Neighbours, Numerics, Parameter, ThisIsNotPrivate};
use shoal_scan::{LocalScan, ScanExt};

fn params(k: usize, epsilon: &str, size: DesignSize) -> HybridParams {
    HybridParams::new(EugkmParams::new(k, epsilon.parse().unwrap(), size))
}

fn scan(rows: &[Vec<i16>]) -> LocalScan {
    table(2, rows)
}

fn run(params: HybridParams, rows: &[Vec<i16>], seed: u64) -> Outcome {
    run_seeded(&Hybrid::new(params, 2).unwrap(), &scan(rows), seed)
}

const PLACES: [[f64; 2]; 3] = [[-0.6, -0.6], [0.6, -0.5], [0.0, 0.6]];

/// Design sizes on either side of the threshold for k = 3 in two attributes at ε = 0.7, each twice.
fn both_sides() -> [(bool, DesignSize); 2] {
    [(false, DesignSize::Public(500)), (true, DesignSize::Public(100_000))]
}

/// Whether there was a refining step, from what the user can read.
fn refined(outcome: &Outcome) -> bool {
    let stated = |what: &str| outcome.decisions.iter().any(|it| it.to_string().contains(what));
    assert_ne!(stated("to the step"), stated("all goes to the grid"), "{:?}", outcome.decisions);
    stated("to the step")
}

fn epsilon(loss: &str) -> Loss {
    Loss::Pure(loss.parse().unwrap())
}

#[test]
fn the_claim_is_exactly_the_budget() {
    for given in ["1", "0.1", "0.7", "2", "1/3", "7/11", "0.000001", "1000"] {
        for dims in [1, 2, 6, 10] {
            for k in [1, 5, 100] {
                for size in [
                    DesignSize::Public(1),
                    DesignSize::Public(1_000_000),
                    DesignSize::bought(),
                    DesignSize::Bought { share: Amount::ratio(3, 7) },
                ] {
                    for synopsis_share in [Amount::ratio(1, 2), Amount::ratio(1, 3), "0.99".parse().unwrap()] {
                        let params = HybridParams { synopsis_share, ..params(k, given, size.clone()) };
                        let claim = Hybrid::new(params, dims).unwrap().claim();
                        assert_eq!(claim.loss, epsilon(given), "ε = {given}, d = {dims}, k = {k}");
                        assert_eq!((claim.neighbours, claim.numerics), (Neighbours::AddRemoveOne, Numerics::Exact));
                    }
                }
            }
        }
    }
}

#[test]
fn both_sides_of_the_threshold_cost_exactly_the_budget() {
    let rows = groups(&PLACES, 200);
    for (above, size) in both_sides() {
        for synopsis_share in [Amount::ratio(1, 2), Amount::ratio(2, 7)] {
            let params = HybridParams { synopsis_share: synopsis_share.clone(), ..params(3, "0.7", size.clone()) };
            let outcome = run(params.clone(), &rows, 1);
            assert_eq!(refined(&outcome), above);
            assert_eq!(outcome.charged, epsilon("0.7"));
            assert_eq!(outcome.guarantee.claim(), None, "a seed voids the promise");

            // With real noise: the whole promise, and of the synopsis that of its own share.
            let fit = Hybrid::new(params, 2).unwrap();
            let mut noise = Unseeded(SeededNoise::new(1));
            let real = fit.run(&scan(&rows), Allowance::without_ledger(fit.claim()), &mut noise).unwrap();
            assert_eq!(real.guarantee.claim(), Some(&fit.claim()));
            let whole: Epsilon = "0.7".parse().unwrap();
            let by_then = if above { whole.times(&synopsis_share) } else { whole };
            let synopsis = real.synopsis.as_ref().unwrap();
            assert_eq!(synopsis.guarantee.claim().unwrap().loss, Loss::Pure(by_then.clone()));
            // And its noise is that of what it cost.
            let half: f64 = by_then.to_f64_up();
            assert!((synopsis.count_noise / (2f64.sqrt() / half) - 1.0).abs() < 0.05, "{}", synopsis.count_noise);

            // An allowance that is short stops the run and says nothing about the rows.
            let refusal = |rows: &[Vec<i16>]| {
                let mut short = fit.claim();
                short.loss = epsilon("0.69999");
                let refused = fit.run(&scan(rows), Allowance::without_ledger(short), &mut SeededNoise::new(1));
                assert!(matches!(refused, Err(FitError::Charge(_))));
                refused.unwrap_err().to_string()
            };
            assert_eq!(refusal(&rows), refusal(&[]));
        }
    }
}

#[test]
fn a_bought_row_count_is_part_of_the_budget_and_of_what_the_cells_promise() {
    // 600 rows are below the threshold, and 60,000 above it.
    for (above, each) in [(false, 200), (true, 20_000)] {
        let rows = groups(&PLACES, each);
        let size = DesignSize::Bought { share: Amount::ratio(1, 10) };
        let fit = Hybrid::new(params(3, "0.7", size), 2).unwrap();
        let mut noise = Unseeded(SeededNoise::new(1));
        let real = fit.run(&scan(&rows), Allowance::without_ledger(fit.claim()), &mut noise).unwrap();
        assert_eq!(refined(&real), above);
        assert_eq!(real.guarantee.claim(), Some(&fit.claim()));
        // A tenth for the count; then half of the rest, or all of it.
        let by_then = if above { "0.385" } else { "0.7" };
        assert_eq!(real.synopsis.unwrap().guarantee.claim().unwrap().loss, epsilon(by_then));
    }
}

/// Branch and grid of a system on two very different tables of different length: true when they agree.
fn shape_ignores_the_rows(of: impl Fn(&[Vec<i16>]) -> (bool, Vec<u32>)) -> bool {
    let few = groups(&[[0.9, 0.9]], 40);
    let many = groups(&PLACES, 20_000);
    let found = of(&few);
    [of(&many), of(&[])].iter().all(|other| *other == found)
}

#[test]
fn the_branch_and_the_grid_ignore_the_rows() {
    let shape = |outcome: &Outcome| {
        let grid = outcome.synopsis.as_ref().unwrap().as_grid().unwrap().cells_per_axis().to_vec();
        (refined(outcome), grid)
    };
    for (_, size) in both_sides() {
        assert!(shape_ignores_the_rows(|rows| shape(&run(params(3, "0.7", size.clone()), rows, 1))));
    }
    // The mutant: the paper's own rule, with the true number of rows.
    let published = |rows: &[Vec<i16>]| {
        let true_size = scan(rows).row_count().unwrap().without_privacy().reveal(ThisIsNotPrivate);
        shape(&run(params(3, "0.7", DesignSize::Public(true_size)), rows, 1))
    };
    assert!(!shape_ignores_the_rows(published));
}

#[test]
fn the_threshold_is_equation_15() {
    // By hand for d = 2, k = 5, N = 1000, ρ = 0.225: X/Y is ε itself, as (2 + d)/(2d) = 1.
    let x = 8.0 * 2.0 * (1.0 + 0.45f64.powi(2)) * (5.0 * 3.0 / 1000.0f64).powi(2);
    let y = 2.0 * 2.0 / (3.0 * 10.0 * 1000.0);
    let fit = Hybrid::new(params(5, "1", DesignSize::Public(1000)), 2).unwrap();
    assert!((fit.threshold(1000.0) / (x / y) - 1.0).abs() < 1e-12);
    // Where eqs (12) and (13) are equal, in other numbers of attributes.
    for dims in [1usize, 3, 6, 10] {
        let fit = Hybrid::new(params(4, "1", DesignSize::Public(1)), dims).unwrap();
        let (d, n, k) = (dims as f64, 30_000.0, 4.0f64);
        let e = fit.threshold(n);
        let hybrid = 8.0 * d * (1.0 + 0.45f64.powi(2)) * (k * (d + 1.0) / (n * e)).powi(2);
        let eugkm =
            2.0 * d * k.powf((d - 2.0) / d) / (3.0 * 10f64.powf(2.0 * d / (2.0 + d)) * (n * e).powf(4.0 / (2.0 + d)));
        assert!((hybrid / eugkm - 1.0).abs() < 1e-9, "d = {dims}: {hybrid} and {eugkm}");
        // The mutant that forgets the exponent (2 + d)/(2d) is somewhere else, but for d = 2.
        assert!((e.powf(2.0 * d / (2.0 + d)) / e - 1.0).abs() > 0.01);
    }
}

#[test]
fn the_budget_on_the_threshold_is_above_it() {
    let rows = groups(&PLACES, 100);
    let threshold = Hybrid::new(params(3, "1", DesignSize::Public(20_000)), 2).unwrap().threshold(20_000.0);
    for (factor, above) in [(1.001, true), (0.999, false)] {
        let given = format!("{:.9}", threshold * factor);
        assert_eq!(refined(&run(params(3, &given, DesignSize::Public(20_000)), &rows, 1)), above, "ε = {given}");
    }
}

#[test]
fn below_the_threshold_hybrid_is_eugkm() {
    let rows = groups(&PLACES, 200);
    let size = DesignSize::Public(500);
    let hybrid = run(params(3, "0.7", size.clone()), &rows, 9);
    let fit = Eugkm::new(EugkmParams::new(3, "0.7".parse().unwrap(), size), 2).unwrap();
    let eugkm = fit.run(&scan(&rows), Allowance::without_ledger(fit.claim()), &mut SeededNoise::new(9)).unwrap();
    // All but what was decided: that the grid is used alone.
    let counts = |synopsis: Option<Synopsis>| synopsis.map(|synopsis| Synopsis { decisions: Vec::new(), ..synopsis });
    assert_eq!((hybrid.centres, hybrid.sizes), (eugkm.centres, eugkm.sizes));
    assert_eq!(counts(hybrid.synopsis), counts(eugkm.synopsis));
    // Above it, it is something else.
    let above = run(params(3, "0.7", DesignSize::Public(100_000)), &rows, 9);
    assert_ne!(*above.synopsis.unwrap().as_grid().unwrap(), fit_grid(&rows));
}

fn fit_grid(rows: &[Vec<i16>]) -> shoal_scan::Grid {
    // EUGkM with all of ε has a finer grid than with a half.
    let fit = Eugkm::new(EugkmParams::new(3, "0.7".parse().unwrap(), DesignSize::Public(100_000)), 2).unwrap();
    let outcome = fit.run(&scan(rows), Allowance::without_ledger(fit.claim()), &mut SeededNoise::new(9)).unwrap();
    outcome.synopsis.unwrap().as_grid().unwrap().clone()
}

#[test]
fn the_refining_step_has_the_noise_of_its_share() {
    let rows = groups(&PLACES, 2000);
    let stated = |synopsis_share: Amount| {
        let params = HybridParams { synopsis_share, ..params(3, "0.7", DesignSize::Public(100_000)) };
        run(params, &rows, 2).size_noise[0]
    };
    let sd = |share: &str| NoisySumsMechanism::per_step(2, &share.parse().unwrap()).unwrap().count_variance().sqrt();
    assert_eq!(stated(Amount::ratio(1, 2)), sd("0.35"));
    assert_eq!(stated(Amount::ratio(3, 5)), sd("0.28"));
    assert_ne!(stated(Amount::ratio(3, 5)), sd("0.42"), "the shares swapped");
}

#[test]
fn a_refining_step_takes_the_coarseness_of_cells_away() {
    // All rows of a group on one point, off the middle of its cell: cells cannot show it, a noisy mean can.
    let rows: Vec<Vec<i16>> =
        (0..60_000).map(|i| vec![[-20_111, 1_234, 19_876][i % 3], [-7, 22_222, 999][i % 3]]).collect();
    let error = |outcome: &Outcome| {
        let near = |at: [f64; 2]| {
            let distance = |c: &Vec<BoxPosition>| (c[0].0 - at[0] / 32_767.0).hypot(c[1].0 - at[1] / 32_767.0);
            outcome.centres.iter().map(distance).fold(f64::INFINITY, f64::min)
        };
        near([-20_111.0, -7.0]).max(near([1_234.0, 22_222.0])).max(near([19_876.0, 999.0]))
    };
    for seed in 0..5 {
        let refined = error(&run(params(3, "1", DesignSize::Public(60_000)), &rows, seed));
        assert!(refined < 0.002, "{refined}");
    }
    let size = DesignSize::Public(60_000);
    let fit = Eugkm::new(EugkmParams::new(3, "1".parse().unwrap(), size), 2).unwrap();
    let cells = fit.run(&scan(&rows), Allowance::without_ledger(fit.claim()), &mut SeededNoise::new(1)).unwrap();
    assert!(error(&cells) > 0.002, "{}", error(&cells));
}

#[test]
fn the_same_noise_gives_the_same_bits_in_any_row_order_and_on_any_number_of_threads() {
    let rows = groups(&PLACES, 1001);
    let reversed: Vec<_> = rows.iter().rev().cloned().collect();
    for (_, size) in both_sides() {
        let with = |rows: &[Vec<i16>]| run(params(3, "0.7", size.clone()), rows, 5);
        let expected = with(&rows);
        assert_eq!(with(&reversed), expected);
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            assert_eq!(pool.install(|| with(&rows)), expected);
        }
    }
}

#[test]
fn senseless_parameters_are_refused() {
    let good = params(2, "1", DesignSize::Public(10));
    for share in ["0", "1", "1.5"] {
        let refused = Hybrid::new(HybridParams { synopsis_share: share.parse().unwrap(), ..good.clone() }, 2);
        assert!(matches!(refused, Err(FitError::Share { share: Parameter::SYNOPSIS_SHARE, .. })), "share {share}");
    }
    for rho in [-0.1, 0.51, f64::NAN, f64::INFINITY] {
        let refused = Hybrid::new(HybridParams { rho, ..good.clone() }, 2);
        assert!(matches!(refused, Err(FitError::Parameter { what: Parameter::RHO, .. })), "ρ = {rho}");
    }
    assert!(matches!(Hybrid::new(params(0, "1", DesignSize::bought()), 2), Err(FitError::NoCentres)));
    assert!(matches!(Hybrid::new(params(2, "0", DesignSize::bought()), 2), Err(FitError::NoBudget)));
    assert!(matches!(Hybrid::new(good, 0), Err(FitError::NoAttributes)));
}
