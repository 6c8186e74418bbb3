//! Lloyd with cube or Gaussian noise costs what it was given, states it, and clusters with less noise than DPLloyd.

use crate::curator_support::{groups, run_seeded, table};
use shoal_curator::{Decision, DpLloyd, DpLloydParams, FitError, KNormLloyd, KNormLloydParams, Outcome, System};
use shoal_lattice::{BoxLength, BoxPosition, HALF_WIDTH};
use shoal_noise::{OsNoise, SeededNoise};
use shoal_privacy::{Allowance, Delta, Guarantee, Loss, Neighbours};

const PLACES: [[f64; 2]; 3] = [[-0.6, -0.6], [0.6, -0.5], [0.0, 0.6]];

fn params(k: usize, epsilon: &str, delta: &str) -> KNormLloydParams {
    KNormLloydParams { delta: delta.parse().unwrap(), ..KNormLloydParams::new(k, epsilon.parse().unwrap()) }
}

fn run(params: KNormLloydParams, rows: &[Vec<i16>], seed: u64) -> Outcome {
    run_seeded(&KNormLloyd::new(params, rows[0].len()).unwrap(), &table(rows[0].len(), rows), seed)
}

fn loss(epsilon: &str, delta: &str) -> Loss {
    let (epsilon, delta): (_, Delta) = (epsilon.parse().unwrap(), delta.parse().unwrap());
    if delta.amount().is_zero() { Loss::Pure(epsilon) } else { Loss::Approximate { epsilon, delta } }
}

#[test]
fn the_claim_is_exactly_the_budget_and_the_run_keeps_it() {
    let rows = groups(&PLACES, 50);
    for (epsilon, delta) in [("1", "0"), ("0.7", "0"), ("1", "1e-6"), ("1/3", "1e-9"), ("4", "0.01")] {
        for iterations in [1, 2, 3, 7] {
            let params = KNormLloydParams { iterations, ..params(3, epsilon, delta) };
            let fit = KNormLloyd::new(params.clone(), 2).unwrap();
            assert_eq!(fit.claim().loss, loss(epsilon, delta));
            assert_eq!(fit.claim().neighbours, Neighbours::AddRemoveOne);
            let outcome = run(params, &rows, 1);
            assert_eq!(outcome.charged, loss(epsilon, delta));
            assert!(outcome.guarantee.claim().is_none() && outcome.also.is_empty(), "a seed voids every promise");

            // An allowance that is short by little stops the run, in ε and in δ.
            let shorter = if delta == "0" { loss("0.3333", "0") } else { loss(epsilon, "1e-10") };
            let short = shoal_privacy::Claim { loss: shorter, ..fit.claim() };
            let refused = fit.run(&table(2, &rows), Allowance::without_ledger(short), &mut SeededNoise::new(1));
            assert!(matches!(refused, Err(FitError::Charge(_))), "ε = {epsilon}, δ = {delta}");
        }
    }
}

#[test]
fn the_promise_tells_epsilon_and_delta_and_rho_besides() {
    let rows = groups(&PLACES, 50);
    let fit = KNormLloyd::new(params(3, "1", "1e-6"), 2).unwrap();
    let mut noise = OsNoise::new().unwrap();
    let outcome = fit.run(&table(2, &rows), Allowance::without_ledger(fit.claim()), &mut noise).unwrap();
    let Guarantee::Holds(claim) = &outcome.guarantee else { panic!("no seed, no excuse") };
    assert_eq!(claim.loss, loss("1", "1e-6"));
    assert!(claim.sentence().contains("plus 1e-6"), "{}", claim.sentence());
    let [steps] = &outcome.also[..] else { panic!("the steps' own guarantee is stated as well") };
    assert!(matches!(&steps.loss, Loss::Zcdp(rho) if (0.02..0.03).contains(&rho.to_f64_up())), "{:?}", steps.loss);
    assert!(steps.loss.implies(&claim.loss));
    assert!(matches!(outcome.decisions[0], Decision::GaussianSteps { .. }));

    // With a public number of rows, all promises are about replacing a row.
    let replaced = outcome.with_public_row_count();
    let claims = replaced.guarantee.claim().into_iter().chain(&replaced.also);
    assert_eq!(claims.filter(|claim| claim.neighbours == Neighbours::ReplaceOne).count(), 2);

    let pure = KNormLloyd::new(params(3, "1", "0"), 2).unwrap();
    let outcome = pure.run(&table(2, &rows), Allowance::without_ledger(pure.claim()), &mut noise).unwrap();
    assert_eq!((outcome.guarantee.claim().map(|claim| &claim.loss), outcome.also.len()), (Some(&loss("1", "0")), 0));
    assert!(outcome.decisions.is_empty());
}

#[test]
fn separated_groups_are_found() {
    let rows = groups(&PLACES, 2000);
    let found = |epsilon: &str, delta: &str| {
        (0..20)
            .filter(|&seed| {
                let outcome = run(params(3, epsilon, delta), &rows, seed);
                let near =
                    |c: &[BoxPosition], p: &[f64; 2]| (c[0].0 - p[0]).abs() < 0.06 && (c[1].0 - p[1]).abs() < 0.06;
                PLACES.iter().all(|p| outcome.centres.iter().any(|c| near(c, p)))
            })
            .count()
    };
    for delta in ["0", "1e-6"] {
        assert!(found("1", delta) >= 15, "found in {} of 20 runs with δ = {delta}", found("1", delta));
        // What noise a thousand times larger leaves must not pass for found.
        assert!(found("0.001", delta) <= 2, "noise alone found them with δ = {delta}");
    }
}

#[test]
fn the_noise_is_less_than_that_of_dplloyd_and_gaussian_is_less_in_many_attributes_only() {
    for dims in [2, 10, 20, 30, 64] {
        let mut stated = DpLloydParams::new(3, "1".parse().unwrap());
        stated.iterations = 2;
        let laplace = DpLloyd::new(stated, dims).unwrap().expected_error(1e6).center_rmse.0;
        let error =
            |delta: &str| KNormLloyd::new(params(3, "1", delta), dims).unwrap().expected_error(1e6).center_rmse.0;
        let d = dims as f64;
        // √2·(d + 1) against √((d + 2)(d + 3)/3).
        let expected = 2f64.sqrt() * (d + 1.0) / ((d + 2.0) * (d + 3.0) / 3.0).sqrt();
        assert!((laplace / error("0") / expected - 1.0).abs() < 0.02, "d = {dims}: {}", laplace / error("0"));
        // A box in d attributes has a diagonal of √d: with two steps, cube noise of the pure ε is better below about 26.
        assert_eq!(error("1e-6") < error("0"), dims >= 30, "d = {dims}");
        let rows = [vec![0i16; dims], vec![9; dims]];
        let decisions = run(params(1, "1", "1e-6"), &rows, 1).decisions;
        let [decision @ Decision::GaussianSteps { pays, .. }] = &decisions[..] else { panic!("{decisions:?}") };
        assert_eq!(*pays, dims >= 30, "{decision}");
        assert_eq!(decision.to_string().contains("Without a δ"), dims < 30, "{decision}");
    }
}

#[test]
fn the_expected_error_is_what_is_measured() {
    let rows = groups(&[[0.3, -0.3]], 4000);
    let mean = |i: usize| rows.iter().map(|r| f64::from(r[i])).sum::<f64>() / 4000.0 / f64::from(HALF_WIDTH);
    let exact = [mean(0), mean(1)];
    for delta in ["0", "1e-6"] {
        // Error measured at one budget over the error stated at another.
        let ratio = |measured_at: &str, told_at: &str| {
            let fit = |epsilon: &str| KNormLloyd::new(params(1, epsilon, delta), 2).unwrap();
            let (measured_by, told_by, scan) = (fit(measured_at), fit(told_at), table(2, &rows));
            let (mut measured, mut stated) = (0.0, 0.0);
            for seed in 0..400 {
                let found = &run_seeded(&measured_by, &scan, seed).centres[0];
                let error = |(found, exact): (&BoxPosition, &f64)| BoxLength(found.0 - exact).in_widths().0.powi(2);
                measured += found.iter().zip(&exact).map(error).sum::<f64>();
                let outcome = run_seeded(&told_by, &scan, seed);
                stated += outcome.noise_per_centre[0].iter().map(|sd| sd.0.powi(2)).sum::<f64>();
            }
            (measured / stated).sqrt()
        };
        let true_ratio = ratio("0.5", "0.5");
        assert!((0.88..1.12).contains(&true_ratio), "measured {true_ratio} times what was stated, δ = {delta}");
        for wrong in ["0.4", "0.65"] {
            assert!(!(0.88..1.12).contains(&ratio("0.5", wrong)), "the error stated at ε = {wrong} passed");
        }
    }
}

#[test]
fn senseless_parameters_are_refused() {
    let new = |params, dims| KNormLloyd::new(params, dims).err().expect("this makes no sense");
    assert!(matches!(new(params(0, "1", "0"), 2), FitError::NoCentres));
    assert!(matches!(new(params(2, "0", "0"), 2), FitError::NoBudget));
    assert!(matches!(new(params(2, "1", "0"), 0), FitError::NoAttributes));
    assert!(matches!(new(params(2, "1", "0"), 1024), FitError::Noise(_)));
    assert!(matches!(new(KNormLloydParams { iterations: 0, ..params(2, "1", "0") }, 2), FitError::NoIterations));
    assert!(matches!(
        new(KNormLloydParams { iterations: 20_000, ..params(2, "1", "0") }, 2),
        FitError::Parameter { .. }
    ));
}
