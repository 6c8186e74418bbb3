//! The algebra of claims: composition, conversion, comparison, and the sentence a person reads.

use shoal_privacy::ledger::{Debit, Receipt};
use shoal_privacy::{
    Accountant, Allowance, Amount, Assumption, ChargeError, Claim, Delta, Epsilon, Guarantee, Loss, ManyLooks,
    Mechanism, Metric, Neighbours, NoGuarantee, Numerics, Rho, Sensitive, largest_rho_down, pure_to_zcdp,
    zcdp_to_epsilon_up,
};

fn pure(text: &str) -> Loss {
    Loss::Pure(text.parse().unwrap())
}

fn approximate(epsilon: &str, delta: &str) -> Loss {
    Loss::Approximate { epsilon: epsilon.parse().unwrap(), delta: delta.parse().unwrap() }
}

fn zcdp(text: &str) -> Loss {
    Loss::Zcdp(text.parse().unwrap())
}

fn claim(loss: Loss) -> Claim {
    Claim {
        neighbours: Neighbours::AddRemoveOne,
        loss,
        numerics: Numerics::Exact,
        assumes: [Assumption::BoundsPublic, Assumption::OneRowPerPerson].into(),
    }
}

#[test]
fn sequential_composition_adds() {
    assert_eq!(pure("0.1").then(&pure("0.2")).unwrap(), pure("0.3"));
    assert_eq!(approximate("1", "1e-6").then(&pure("0.5")).unwrap(), approximate("1.5", "1e-6"));
    assert_eq!(approximate("1", "1e-6").then(&approximate("1", "2e-6")).unwrap(), approximate("2", "3e-6"));
    assert_eq!(zcdp("0.1").then(&pure("1")).unwrap(), zcdp("0.6"));
    assert!(zcdp("0.1").then(&approximate("1", "1e-6")).is_err());
    assert!(approximate("1", "0.6").then(&approximate("1", "0.5")).is_err());
    assert!(Loss::PerDistance("1".parse().unwrap()).then(&pure("1")).is_err());
}

#[test]
fn nothing_changes_nothing() {
    for loss in [pure("1"), approximate("1", "1e-6"), zcdp("0.1"), Loss::PerDistance("2".parse().unwrap())] {
        assert_eq!(Loss::NONE.then(&loss).unwrap(), loss);
        assert_eq!(loss.then(&Loss::NONE).unwrap(), loss);
    }
}

#[test]
fn parallel_composition_is_the_largest_loss_and_only_for_adding_or_removing() {
    assert_eq!(Loss::parallel(&[pure("0.5"), pure("2"), pure("1")]).unwrap(), pure("2"));
    assert_eq!(Loss::parallel(&[]).unwrap(), Loss::NONE);
    let add_remove = claim(pure("2"));
    assert_eq!(add_remove.beside(&claim(pure("1"))).unwrap().loss, pure("2"));
    // Two exact row counts reveal nothing about a replaced row each, and everything together.
    let mut replace = add_remove.clone();
    replace.neighbours = Neighbours::ReplaceOne;
    assert!(replace.beside(&replace).is_err());
    assert_eq!(add_remove.beside(&claim(pure("1"))).unwrap().loss.for_replacing_up().unwrap(), pure("4"));
}

#[test]
fn a_public_row_count_leaves_the_content_of_a_row_at_twice_the_loss() {
    let public = claim(pure("1")).with_public_row_count().unwrap();
    assert_eq!((&public.neighbours, &public.loss), (&Neighbours::ReplaceOne, &pure("2")));
    assert!(public.assumes.contains(&Assumption::RowCountPublic));
    assert_eq!(public.with_public_row_count(), None);
}

#[test]
fn an_accountant_takes_the_promise_from_the_steps_and_not_from_the_caller() {
    struct Step(Claim);
    impl Mechanism for Step {
        type Input = ();
        type Output = ();
        fn claim(&self) -> Claim {
            self.0.clone()
        }
        fn run(self, (): ()) {}
    }
    let run = |limit: Claim, step: Claim| {
        let mut accountant = Accountant::new(Allowance::without_ledger(limit));
        accountant.release(Sensitive::new(()), Step(step)).map(|_| accountant.spent().clone())
    };
    let step = claim(pure("1"));
    assert_eq!(run(step.clone(), step.clone()).unwrap(), step);
    assert!(matches!(run(claim(pure("0.9")), step.clone()), Err(ChargeError::OverLimit { .. })));
    let mut unconditional = step.clone();
    unconditional.assumes.clear();
    assert!(matches!(run(unconditional, step.clone()), Err(ChargeError::WeakerPromise(_))));
    let mut replace = step.clone();
    replace.neighbours = Neighbours::ReplaceOne;
    assert!(matches!(run(replace, step.clone()), Err(ChargeError::Composition(_))));
    let mut rounded = step.clone();
    rounded.numerics = Numerics::IdealReals;
    assert!(matches!(run(step, rounded), Err(ChargeError::WeakerPromise(_))));
}

#[test]
fn a_receipt_pays_for_what_was_debited_and_no_more() {
    let receipt =
        |epsilon: &str| Receipt::on_record(1, Debit::for_loss_up("d", &pure(epsilon), &Delta::ZERO, "test").unwrap());
    assert!(Allowance::debited(claim(pure("1")), receipt("1")).is_ok());
    assert!(Allowance::debited(claim(pure("1.01")), receipt("1")).is_err());
}

#[test]
fn unequal_shares_make_exactly_the_whole() {
    // The twelve shares of NQC21: four of 1/24, four of 1/12, four of 1/8.
    let epsilon: Epsilon = "0.7".parse().unwrap();
    let mut total = Loss::NONE;
    for denominator in [24, 12, 8].into_iter().flat_map(|d| [d; 4]) {
        total = total.then(&Loss::Pure(epsilon.times(&Amount::ratio(1, denominator)))).unwrap();
    }
    assert_eq!(total, Loss::Pure(epsilon));
}

#[test]
fn pure_to_zcdp_is_half_the_square() {
    assert_eq!(pure_to_zcdp(&"2".parse().unwrap()), "2".parse::<Rho>().unwrap());
    assert_eq!(pure_to_zcdp(&"0.1".parse().unwrap()), "0.005".parse::<Rho>().unwrap());
}

#[test]
fn zcdp_to_approximate_agrees_with_an_independent_library() {
    // OpenDP 0.16: ρ = 0.036523, δ = 1e-6 gives ε = 1.24273.
    let bound = zcdp_to_epsilon_up(&"0.036523".parse().unwrap(), &"1e-6".parse().unwrap()).unwrap().to_f64_up();
    assert!((bound - 1.24273).abs() < 1e-5, "{bound}");
}

#[test]
fn zcdp_to_approximate_beats_the_simple_formula_and_never_the_truth() {
    for rho in [1e-6, 1e-3, 0.1, 0.5, 1.0, 10.0, 100.0_f64] {
        for delta in [1e-12, 1e-6, 1e-3, 0.1_f64] {
            let bound = zcdp_to_epsilon_up(
                &Rho::new(Amount::from_shortest_decimal(rho).unwrap()),
                &Delta::new(Amount::from_shortest_decimal(delta).unwrap()).unwrap(),
            )
            .unwrap()
            .to_f64_up();
            let simple = rho + 2.0 * (rho * (1.0 / delta).ln()).sqrt();
            assert!(bound <= simple * (1.0 + 1e-9), "ρ = {rho}, δ = {delta}: {bound} > {simple}");
            // The Gaussian mechanism with this ρ is a witness: no bound may fall below its exact ε.
            assert!(gaussian_delta(rho, bound) <= delta * (1.0 + 1e-9), "ρ = {rho}, δ = {delta}: {bound} is too small");
        }
    }
    assert_eq!(zcdp_to_epsilon_up(&"0.1".parse().unwrap(), &Delta::ZERO), None);
    assert_eq!(zcdp_to_epsilon_up(&Rho::ZERO, &Delta::ZERO), Some(Epsilon::ZERO));
}

/// δ of the Gaussian mechanism with sensitivity one and variance 1/(2ρ) at ε (Balle and Wang 2018), by quadrature.
fn gaussian_delta(rho: f64, epsilon: f64) -> f64 {
    let sigma = (1.0 / (2.0 * rho)).sqrt();
    // The privacy loss is Gaussian with mean ρ and variance 2ρ; δ = E[(1 − e^{ε − loss})⁺].
    let (mean, deviation) = (rho, 1.0 / sigma);
    let steps = 200_000;
    let (low, high) = (epsilon, (mean + 14.0 * deviation).max(epsilon + 14.0 * deviation));
    let width = (high - low) / f64::from(steps);
    (0..steps)
        .map(|i| {
            let loss = low + (f64::from(i) + 0.5) * width;
            let z = (loss - mean) / deviation;
            (1.0 - (epsilon - loss).exp()) * (-0.5 * z * z).exp() / (deviation * std::f64::consts::TAU.sqrt()) * width
        })
        .sum()
}

#[test]
fn replacing_a_row_costs_two_steps() {
    assert_eq!(pure("1").for_replacing_up().unwrap(), pure("2"));
    assert_eq!(zcdp("1").for_replacing_up().unwrap(), zcdp("4"));
    let Loss::Approximate { epsilon, delta } = approximate("1", "1e-6").for_replacing_up().unwrap() else {
        panic!("an approximate loss stays one")
    };
    assert_eq!(epsilon, "2".parse().unwrap());
    assert!(delta.to_f64_up() >= 1e-6 * (1.0 + 1f64.exp()) && delta.to_f64_up() < 3.72e-6);
}

#[test]
fn claims_compare() {
    assert!(pure("1").implies(&pure("1")) && !pure("1.1").implies(&pure("1")));
    assert!(pure("1").implies(&approximate("1", "1e-9")) && !approximate("1", "1e-9").implies(&pure("1")));
    assert!(pure("1").implies(&zcdp("0.5")) && !pure("1").implies(&zcdp("0.49")));
    // With a chance of one in a hundred left out, a larger pure ε will do, but not any: by randomised response it takes
    // (e^a − e^ε)/(1 + e^a), which is 0.0013 and 0.048 here.
    assert!(
        pure("0.0526").implies(&approximate("0.05", "0.01")) && !pure("0.15").implies(&approximate("0.05", "0.01"))
    );
    assert!(!pure("0.0526").implies(&approximate("0.05", "0")));
    assert!(zcdp("0.036523").implies(&approximate("1.2428", "1e-6")));
    assert!(!zcdp("0.036523").implies(&approximate("1.24", "1e-6")));

    let strong = claim(pure("1"));
    let mut weak = strong.clone();
    weak.numerics = Numerics::IdealReals;
    assert!(strong.at_least_as_strong_as(&weak) && !weak.at_least_as_strong_as(&strong));
    let mut conditional = strong.clone();
    conditional.assumes.insert(Assumption::RowCountPublic);
    assert!(strong.at_least_as_strong_as(&conditional) && !conditional.at_least_as_strong_as(&strong));
    let mut other = strong.clone();
    other.neighbours = Neighbours::ReplaceOne;
    assert!(!strong.at_least_as_strong_as(&other) && strong.then(&other).is_err());
}

#[test]
fn composition_keeps_the_weaker_numerics_and_every_assumption() {
    let mut first = claim(pure("1"));
    first.assumes = [Assumption::BoundsPublic].into();
    let mut second = claim(pure("2"));
    second.numerics = Numerics::Lattice;
    second.assumes = [Assumption::RowCountPublic].into();
    let both = first.then(&second).unwrap();
    assert_eq!(both.loss, pure("3"));
    assert_eq!(both.numerics, Numerics::Lattice);
    assert_eq!(both.assumes, [Assumption::BoundsPublic, Assumption::RowCountPublic].into());
    assert_eq!(first.beside(&second).unwrap().loss, pure("2"));
}

#[test]
fn claims_serialise_in_the_stable_form() {
    let json = serde_json::json!({
        "neighbours": "add-remove-one", "loss": {"pure": 1.0}, "numerics": "exact",
        "assumes": ["bounds-public", "one-row-per-person"]
    });
    assert_eq!(serde_json::to_value(claim(pure("1"))).unwrap(), json);
    assert_eq!(serde_json::from_value::<Claim>(json).unwrap(), claim(pure("1")));

    let local = Claim {
        neighbours: Neighbours::PerUnitOf(Metric::Euclidean),
        loss: Loss::PerDistance("4".parse().unwrap()),
        numerics: Numerics::IdealReals,
        assumes: Default::default(),
    };
    let back: Claim = serde_json::from_str(&serde_json::to_string(&local).unwrap()).unwrap();
    assert_eq!(back, local);
    assert!(serde_json::from_str::<Loss>(r#"{"pure": -1}"#).is_err());
    assert!(serde_json::from_str::<Loss>(r#"{"approximate": {"epsilon": 1, "delta": 1}}"#).is_err());
}

#[test]
fn seeded_noise_voids_the_claim() {
    assert_eq!(Guarantee::of(claim(pure("1")), false).claim(), Some(&claim(pure("1"))));
    let void = Guarantee::of(claim(pure("1")), true);
    assert_eq!(void, Guarantee::Void { none: NoGuarantee::Seeded });
    assert!(void.sentence().starts_with("NO PRIVACY"));
    assert_eq!(serde_json::to_string(&void).unwrap(), r#"{"none":"seeded"}"#);
    assert_eq!(serde_json::from_str::<Guarantee>(r#"{"none":"seeded"}"#).unwrap(), void);
}

#[test]
fn the_largest_rho_is_within_its_epsilon_and_hardly_less() {
    for (epsilon, delta, at_least) in [
        ("1", "1e-6", 0.02),
        ("0.1", "1e-6", 0.0002),
        ("10", "1e-9", 1.0),
        ("0.001", "1e-12", 1e-9),
        ("1000", "0.01", 800.0),
    ] {
        let (epsilon, delta): (Epsilon, Delta) = (epsilon.parse().unwrap(), delta.parse().unwrap());
        let rho = largest_rho_down(&epsilon, &delta).unwrap();
        let implied = |rho: &Rho| zcdp_to_epsilon_up(rho, &delta).unwrap();
        assert!(implied(&rho) <= epsilon && rho.to_f64_up() > at_least, "ρ = {rho} for ε = {epsilon}, δ = {delta}");
        assert!(Loss::Zcdp(rho.clone()).implies(&Loss::Approximate { epsilon: epsilon.clone(), delta: delta.clone() }));
        // A mutant that takes a hundred-thousandth more would promise too much.
        assert!(implied(&rho.times(&Amount::ratio(100_001, 100_000))) > epsilon, "ρ = {rho}");
        let halves = rho.split(2);
        assert_eq!(halves.plus(&halves), rho);
    }
    let one: Epsilon = "1".parse().unwrap();
    assert_eq!(largest_rho_down(&one, &Delta::ZERO), None);
    assert_eq!(largest_rho_down(&Epsilon::ZERO, &"1e-6".parse().unwrap()), None);
}

/// Asks three times, each question from what was let out before, and lets out the sum of the answers.
struct ThreeLooks {
    claim: Claim,
    answers: Vec<i64>,
}

impl ManyLooks for ThreeLooks {
    type Question = i64;
    type Input = i64;
    type Output = Vec<i64>;

    fn claim(&self) -> Claim {
        self.claim.clone()
    }

    fn question(&self) -> Option<i64> {
        (self.answers.len() < 3).then(|| self.answers.iter().sum())
    }

    fn take(&mut self, answer: i64) {
        self.answers.push(answer);
    }

    fn finish(self) -> Vec<i64> {
        self.answers
    }
}

#[test]
fn many_looks_are_charged_once_and_before_the_first() {
    let mut accountant = Accountant::new(Allowance::without_ledger(claim(pure("1"))));
    let looks = |epsilon: &str| ThreeLooks { claim: claim(pure(epsilon)), answers: Vec::new() };
    let answer = |question: &i64| Ok::<_, ChargeError>(Sensitive::new(2 * question + 1));
    let found = accountant.release_in_looks(looks("0.6"), answer).unwrap();
    assert_eq!(*found.get(), [1, 3, 9]);
    assert_eq!(accountant.spent().loss, pure("0.6"));

    let blind = |_: &i64| -> Result<Sensitive<i64>, ChargeError> { panic!("a look before the charge") };
    let refused = accountant.release_in_looks(looks("0.5"), blind);
    assert!(matches!(refused, Err(ChargeError::OverLimit { .. })));
    assert_eq!(accountant.spent().loss, pure("0.6"), "a refused step costs nothing");

    // A look that fails after others have been taken: what was charged stays charged.
    let mut left = 2;
    let failing = |question: &i64| {
        left -= 1;
        if left < 0 { Err(ChargeError::WeakerPromise("unreadable".into())) } else { Ok(Sensitive::new(*question)) }
    };
    assert!(accountant.release_in_looks(looks("0.4"), failing).is_err());
    assert_eq!(accountant.spent().loss, pure("1"));
}

#[test]
fn bounds_that_were_bought_need_not_be_public() {
    let bounds = Claim { assumes: [Assumption::OneRowPerPerson].into(), ..claim(pure("0.1")) };
    let both = bounds.then_within_its_bounds(&claim(pure("0.9"))).unwrap();
    assert_eq!((&both.loss, &both.assumes), (&pure("1"), &bounds.assumes));
    // Bounds that themselves rest on public bounds settle nothing.
    let resting = claim(pure("0.1")).then_within_its_bounds(&claim(pure("0.9"))).unwrap();
    assert!(resting.assumes.contains(&Assumption::BoundsPublic));
    // Any other composition keeps the condition.
    assert!(bounds.then(&claim(pure("0.9"))).unwrap().assumes.contains(&Assumption::BoundsPublic));
}

#[test]
fn an_allowance_is_divided_and_never_multiplied() {
    let bounds = Claim { assumes: [Assumption::OneRowPerPerson].into(), ..claim(pure("0.1")) };
    let total = Claim { loss: pure("1"), ..bounds.clone() };
    let split = |within: Claim| Allowance::without_ledger(total.clone()).split_for_bounds(bounds.clone(), within);
    let (first, second) = split(claim(pure("0.9"))).unwrap();
    assert_eq!((&first.claim().loss, &second.claim().loss), (&pure("0.1"), &pure("0.9")));
    assert!(matches!(split(claim(pure("0.91"))), Err(ChargeError::OverLimit { .. })));
    let mut weaker = claim(pure("0.9"));
    weaker.assumes.insert(Assumption::RowCountPublic);
    assert!(matches!(split(weaker), Err(ChargeError::WeakerPromise(_))));
}

/// Pure steps within an (ε, δ) may add up as pure losses or in zCDP, whichever is enough.
#[test]
fn many_pure_steps_fit_into_an_approximate_promise_as_they_do_in_zcdp() {
    struct Step(&'static str);
    impl Mechanism for Step {
        type Input = ();
        type Output = ();
        fn claim(&self) -> Claim {
            claim(pure(self.0))
        }
        fn run(self, (): ()) {}
    }
    let steps = |limit: Loss, each: &'static str, count: usize| {
        let mut accountant = Accountant::new(Allowance::without_ledger(claim(limit)));
        let done = (0..count).take_while(|_| accountant.release(Sensitive::new(()), Step(each)).is_ok()).count();
        (done, accountant.spent().loss.clone(), accountant.promised().loss)
    };
    // A hundred steps of 0.1 are ρ = 0.5, which is (1.5 + …, 0.3): far below the plain sum of 10.
    let limit = approximate("3", "0.05");
    let (done, spent, promised) = steps(limit.clone(), "0.1", 100);
    assert_eq!((done, &promised), (100, &limit));
    assert!(spent.implies(&limit) && matches!(spent, Loss::Zcdp(_)));
    // It ends where zCDP does, and a pure promise knows no such thing.
    let (most, spent, _) = steps(limit.clone(), "0.1", 10_000);
    assert!(most < 10_000 && spent.implies(&limit), "{most}");
    assert!(!spent.then(&pure("0.1")).unwrap().implies(&limit));
    assert_eq!(steps(pure("3"), "0.1", 100), (30, pure("3"), pure("3")));
    // As long as the plain sum is enough, that is what is stated.
    assert_eq!(steps(limit, "0.1", 20), (20, pure("2"), pure("2")));
}
