//! Laws that are known, compared without a draw: what is promised is reached and not passed, and mutants are caught.

use dashu_ratio::RBig;
use shoal_audit::exact::{FiniteLaws, Law, Part, product};
use shoal_audit::{Allowed, Measure, Verdict};
use shoal_noise::{DiscreteGaussian, DiscreteLaplace, LInfinityKNorm};

fn figures(measure: &Measure) -> (f64, f64, &str) {
    match measure {
        Measure::Enumeration { allowed, worst, at, .. } => (*allowed, *worst, at),
        other => panic!("{other:?}"),
    }
}

fn ratio(top: i64, bottom: u64) -> RBig {
    RBig::from_parts(top.into(), bottom.into())
}

fn laplace(decay: RBig, values: &[i64]) -> FiniteLaws {
    let law = DiscreteLaplace::new(decay).unwrap();
    FiniteLaws::of_noise(|z| law.ln_pmf(z), |z| law.tail(z), values, 200).unwrap()
}

fn gaussian(sigma_squared: RBig, values: &[i64]) -> FiniteLaws {
    let law = DiscreteGaussian::new(sigma_squared).unwrap();
    FiniteLaws::of_noise(|z| law.ln_pmf(z), |z| law.tail(z), values, 400).unwrap()
}

/// Randomised response between two answers.
fn response(epsilon: f64) -> FiniteLaws {
    let truth = epsilon.exp() / (1.0 + epsilon.exp());
    let laws =
        vec![Law::of_probabilities("no", &[truth, 1.0 - truth]), Law::of_probabilities("yes", &[1.0 - truth, truth])];
    FiniteLaws::new(laws, |i| ["no", "yes"][i].into()).unwrap()
}

#[test]
fn what_is_not_a_number_does_not_pass() {
    let measure = |worst| Measure::DensityRatio { allowed: 1.0, worst, at: String::new(), compared: 1 };
    assert_eq!([1.0, 1.1, f64::NAN].map(|worst| measure(worst).verdict() == Verdict::Broken), [false, true, true]);
    let test = |p_value| shoal_audit::report::LawTest { what: String::new(), p_value };
    let law = |p_value| Measure::SamplerLaw { tests: vec![test(0.5), test(p_value)], runs: 1, alpha: 1e-3 };
    assert_eq!([0.1, 4e-4, f64::NAN].map(|p| law(p).verdict() == Verdict::Broken), [false, true, true]);
}

#[test]
fn laplace_noise_loses_its_decay_for_each_step() {
    let laws = laplace(ratio(1, 2), &[0, 1, 3]);
    let distance = |i: usize, j: usize| ([0_i64, 1, 3][i] - [0, 1, 3][j]).abs() as f64;
    let kept = laws.audit(|i, j| Some(Allowed::Pure(0.5 * distance(i, j))));
    let (allowed, worst, at) = figures(&kept);
    assert_eq!(kept.verdict(), Verdict::NotBroken);
    // All pairs are tight: the one with most to lose is reported.
    assert!((allowed, at.starts_with("inputs 0 and 3, output ")) == (1.5, true), "{at}");
    assert!((worst - 1.5).abs() < 1e-9);
    for decay in [ratio(11, 20), ratio(51, 100)] {
        let mutant = laplace(decay, &[0, 1, 3]).audit(|i, j| Some(Allowed::Pure(0.5 * distance(i, j))));
        assert_eq!(mutant.verdict(), Verdict::Broken);
    }
    let one_sided = |i, j| (i < j).then_some(Allowed::Pure(0.5 * distance(i, j)));
    assert_eq!(laws.audit(one_sided).verdict(), Verdict::NotBroken);
}

#[test]
fn an_output_of_one_input_only_is_an_infinite_loss() {
    let laws = vec![Law::of_probabilities("a", &[0.5, 0.5, 0.0]), Law::of_probabilities("b", &[0.5, 0.4, 0.1])];
    let laws = FiniteLaws::new(laws, |i| i.to_string()).unwrap();
    let measure = laws.audit(|_, _| Some(Allowed::Pure(3.0)));
    let (_, worst, at) = figures(&measure);
    assert_eq!((worst, at), (f64::INFINITY, "inputs b and a, output 2"));
    assert_eq!(laws.epsilon_at(1, 0, 0.1), 0.0);
    assert_eq!(laws.epsilon_at(1, 0, 0.05), f64::INFINITY);
}

#[test]
fn laws_that_do_not_add_up_are_refused() {
    for wrong in [&[0.5, 0.4][..], &[0.5, 0.6], &[f64::NAN, 0.5]] {
        let laws = vec![Law::of_probabilities("a", &[0.5, 0.5]), Law::of_probabilities("b", wrong)];
        let refusal = FiniteLaws::new(laws, |i| i.to_string()).err().unwrap().to_string();
        assert!(refusal.contains("on b"), "{refusal}");
    }
    let laws = vec![Law::of_probabilities("a", &[0.5, 0.5]), Law::of_probabilities("b", &[0.2, 0.3, 0.5])];
    assert!(FiniteLaws::new(laws, |i| i.to_string()).is_err());
    // A window that is too narrow reports how much it leaves out.
    let law = DiscreteLaplace::new(ratio(1, 2)).unwrap();
    assert!(FiniteLaws::of_noise(|z| law.ln_pmf(z), |_| 0.0, &[0, 1], 5).is_err());
    let narrow = FiniteLaws::of_noise(|z| law.ln_pmf(z), |z| law.tail(z), &[0, 1], 5).unwrap();
    let measure = narrow.audit(|_, _| Some(Allowed::Pure(0.5)));
    assert!(figures(&measure).2.contains("are not listed"), "{measure:?}");
}

#[test]
fn the_hockey_stick_of_randomised_response_is_what_pure_promises_allow() {
    let laws = response(1.0);
    for delta in [0.0, 1e-3, 0.1, 0.4] {
        let allowed = Allowed::Pure(1.0).epsilon_at(delta);
        assert!((laws.epsilon_at(0, 1, delta) - allowed).abs() < 1e-9, "δ = {delta}");
    }
    let claim = |epsilon| Allowed::Approximate { epsilon, delta: 0.1 };
    let exact = laws.epsilon_at(0, 1, 0.1);
    assert_eq!(laws.audit(|_, _| Some(claim(exact * 1.0001))).verdict(), Verdict::NotBroken);
    assert_eq!(laws.audit(|_, _| Some(claim(exact * 0.999))).verdict(), Verdict::Broken);
}

#[test]
fn what_is_not_listed_counts_in_full_for_delta() {
    let law = DiscreteLaplace::new(ratio(1, 2)).unwrap();
    let of = |reach| FiniteLaws::of_noise(|z| law.ln_pmf(z), |z| law.tail(z), &[0, 1], reach).unwrap();
    let (narrow, wide) = (of(5).delta_at(0, 1, 0.2), of(200).delta_at(0, 1, 0.2));
    assert!(narrow > wide + 0.01 && narrow < wide + 0.2, "{narrow} {wide}");
    // P(x ≤ 0 | 0) − e^0.2·P(x ≤ 0 | 1) in closed form.
    let alpha = (-0.5_f64).exp();
    let closed = (1.0 - 0.2_f64.exp() * alpha) / (1.0 + alpha);
    assert!((wide - closed).abs() < 1e-12, "{wide} {closed}");
}

#[test]
fn gaussian_noise_keeps_its_concentrated_promise_and_less_noise_does_not() {
    // σ² = 25 for a step of 1 is ρ = 0.02.
    let rho = |_, _| Some(0.02);
    let laws = gaussian(RBig::from(25), &[0, 1]);
    let measure = laws.audit_concentrated(rho);
    let (_, worst, _) = figures(&measure);
    assert!(measure.verdict() == Verdict::NotBroken && worst > 0.02 * 0.999_999, "{measure:?}");
    let mutant = gaussian(RBig::from(24), &[0, 1]).audit_concentrated(rho);
    assert_eq!(mutant.verdict(), Verdict::Broken, "{mutant:?}");
    // The converted promise leaves a few per cent: the exact curve lies below, and σ × 0.8 above.
    let converted = laws.audit(|_, _| Some(Allowed::Zcdp(0.02)));
    let (allowed, worst, _) = figures(&converted);
    assert!(converted.verdict() == Verdict::NotBroken && worst > 0.7 * allowed, "{converted:?}");
    let mutant = gaussian(RBig::from(16), &[0, 1]).audit(|_, _| Some(Allowed::Zcdp(0.02)));
    assert_eq!(mutant.verdict(), Verdict::Broken, "{mutant:?}");
}

#[test]
fn the_exact_curve_of_a_wide_gaussian_is_that_of_real_numbers() {
    // δ(ε) = Φ(Δ/2σ − εσ/Δ) − e^ε·Φ(−Δ/2σ − εσ/Δ), with Δ = 20 steps and σ = 20.
    let laws = gaussian(RBig::from(400), &[0, 20]);
    let phi = |x: f64| 0.5 * libm::erfc(-x / std::f64::consts::SQRT_2);
    for epsilon in [0.1, 0.5, 1.0, 2.0, 4.0] {
        let closed = phi(0.5 - epsilon) - epsilon.exp() * phi(-0.5 - epsilon);
        let exact = laws.delta_at(0, 1, epsilon);
        assert!((exact / closed - 1.0).abs() < 0.02, "ε = {epsilon}: {exact} {closed}");
    }
}

#[test]
fn cubes_lose_their_decay_for_every_move_within_their_half_widths() {
    let law = LInfinityKNorm::with_half_widths(ratio(1, 2), &[2, 3]).unwrap();
    let laws = |moves: &[[i64; 2]]| {
        let window: Vec<[i64; 2]> = (-60..=60).flat_map(|x| (-60..=60).map(move |y| [x, y])).collect();
        let of = |by: &[i64; 2]| {
            let ln: Vec<f64> = window.iter().map(|x| law.ln_pmf(&[x[0] - by[0], x[1] - by[1]])).collect();
            let rest = 1.0 - ln.iter().map(|p| p.exp()).sum::<f64>();
            Law { input: format!("{by:?}"), ln_probabilities: ln, rest: rest.max(0.0) }
        };
        FiniteLaws::new(moves.iter().map(of).collect(), move |i| format!("{:?}", window[i])).unwrap()
    };
    let allowed = |first: usize, second: usize| (first == 0 || second == 0).then_some(Allowed::Pure(0.5));
    let moves: Vec<[i64; 2]> = (-2..=2).flat_map(|x| (-3..=3).map(move |y| [x, y])).collect();
    let with_zero: Vec<[i64; 2]> = [[0, 0]].into_iter().chain(moves).collect();
    let kept = laws(&with_zero).audit(allowed);
    let (_, worst, _) = figures(&kept);
    assert!(kept.verdict() == Verdict::NotBroken && worst > 0.4999, "{kept:?}");
    for too_far in [[3, 0], [0, 4]] {
        assert_eq!(laws(&[[0, 0], too_far]).audit(allowed).verdict(), Verdict::Broken, "{too_far:?}");
    }
}

#[test]
fn independent_numbers_lose_the_sum_of_their_losses() {
    // A count with decay 1/4, and two sums that a row moves by 3, with decay 1/12.
    let count = laplace(ratio(1, 4), &[0, 1]);
    let sum = laplace(ratio(1, 12), &[0, 3]);
    let parts = |sums: usize| -> Vec<Part> {
        let sums = (0..sums).map(|i| Part::new(format!("sum {}", i + 1), &sum, 0, 1));
        [Part::new("count", &count, 0, 1)].into_iter().chain(sums).collect()
    };
    let measure = product::audit("no row and one", &parts(2), 0.75);
    let (_, worst, at) = figures(&measure);
    assert!((worst - 0.75).abs() < 1e-9 && measure.verdict() == Verdict::NotBroken, "{measure:?}");
    assert!(at.contains("count ") && at.contains("sum 2 "), "{at}");
    // A sum that the budget forgot.
    assert_eq!(product::audit("no row and one", &parts(3), 0.75).verdict(), Verdict::Broken);
    // A part that is worst towards the other input does not add up with the others.
    let turned = [Part::new("a", &response_with_rare_yes(), 0, 1), Part::new("b", &response_with_rare_yes(), 1, 0)];
    let measure = product::audit("x and y", &turned, 10.0);
    let (_, worst, _) = figures(&measure);
    assert!((worst - (0.5_f64 / 0.1).ln() - (0.9_f64 / 0.5).ln()).abs() < 1e-12, "{worst}");
}

fn response_with_rare_yes() -> FiniteLaws {
    let laws = vec![Law::of_probabilities("x", &[0.5, 0.5]), Law::of_probabilities("y", &[0.9, 0.1])];
    FiniteLaws::new(laws, |i| ["no", "yes"][i].into()).unwrap()
}
