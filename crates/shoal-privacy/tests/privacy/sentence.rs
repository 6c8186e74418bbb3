//! What people read about a guarantee: true for every kind of loss, and never too favourable.

use shoal_privacy::{Assumption, Claim, Loss, Metric, Neighbours, Numerics, Strength};

fn claim(neighbours: Neighbours, loss: Loss) -> Claim {
    let assumes = [Assumption::BoundsPublic, Assumption::OneRowPerPerson].into();
    Claim { neighbours, loss, numerics: Numerics::Exact, assumes }
}

fn pure(epsilon: &str) -> Claim {
    claim(Neighbours::AddRemoveOne, Loss::Pure(epsilon.parse().unwrap()))
}

fn approximate(epsilon: &str, delta: &str) -> Claim {
    let (epsilon, delta) = (epsilon.parse().unwrap(), delta.parse().unwrap());
    claim(Neighbours::AddRemoveOne, Loss::Approximate { epsilon, delta })
}

fn zcdp(rho: &str) -> Claim {
    claim(Neighbours::AddRemoveOne, Loss::Zcdp(rho.parse().unwrap()))
}

#[test]
fn the_sentence_comes_first_and_the_formula_after_it() {
    assert_eq!(
        pure("1").sentence(),
        "If someone is unsure whether a given person is in this data (a coin toss), seeing this result can make them at \
         most 73.2 % sure. Formally: ε = 1 when one row is added or removed (odds change by a factor of at most e^1 ≈ \
         2.72), no matter what else they know. This holds if: the bounds were chosen without looking at the data; each \
         person has one row."
    );
    let statement = pure("1").statement();
    assert_eq!(statement.conditions.len(), 2);
    assert_eq!(statement.to_string(), pure("1").sentence());
}

#[test]
fn every_kind_of_loss_and_of_neighbours_has_its_own_true_sentence() {
    let starts = |claim: Claim, start: &str| {
        let sentence = claim.sentence();
        assert!(sentence.starts_with(start), "{sentence}");
    };
    starts(
        approximate("1", "1e-6"),
        "If someone is unsure whether a given person is in this data (a coin toss) and guesses after seeing this \
         result, they are right with a probability of at most 73.2 %. Formally: (ε = 1, δ = 1e-6) when one row is \
         added or removed (the probability of any finding changes by a factor of at most e^1 ≈ 2.72, plus 1e-6)",
    );
    starts(
        zcdp("0.5"),
        "If someone is unsure whether a given person is in this data (a coin toss) and guesses after seeing this \
         result, they are right with a probability of at most 75.1 %. Formally: ρ = 0.5 of zero-concentrated",
    );
    starts(
        claim(Neighbours::ReplaceOne, Loss::Pure("2".parse().unwrap())),
        "If someone is unsure which of two rows a given person has in this data (a coin toss), seeing this result can \
         make them at most 88.1 % sure. Formally: ε = 2 when one row is replaced",
    );
    starts(
        claim(Neighbours::AnyTwoInputs, Loss::Pure("1".parse().unwrap())),
        "If someone is unsure which of two records a person's report came from (a coin toss), seeing the report can \
         make them at most 73.2 % sure. Formally: ε = 1 for any two records",
    );
    let metric = Neighbours::PerUnitOf(Metric::EuclideanOnLattice { steps: 65534 });
    starts(
        claim(metric, Loss::PerDistance("4".parse().unwrap())),
        "If someone is unsure which of two records a person's report came from (a coin toss) and the two differ by a \
         tenth of one column's range, seeing the report can make them at most 59.9 % sure; the more they differ, the \
         surer. Formally: ε = 4 per unit of Euclidean distance",
    );
    let age = Neighbours::PerUnitOf(Metric::Attribute("age".into()));
    let sentence = claim(age, Loss::PerDistance("0.1".parse().unwrap())).sentence();
    assert!(sentence.contains("and the two differ by 1 in age, seeing the report can make them at most 52.5 % sure"));
    // Who has several rows is not protected as a person, so the sentence is about rows.
    let rows = Claim { assumes: Default::default(), ..pure("1") };
    assert!(rows.sentence().starts_with("If someone is unsure whether a given row is in this data"));
    assert!(!rows.sentence().contains("This holds if"));
    let rounded = Claim { numerics: Numerics::IdealReals, ..pure("1") };
    assert!(rounded.sentence().ends_with("; the rounded numbers of the computer behave like real numbers."));
}

#[test]
fn nothing_is_rounded_down() {
    for (epsilon, sure) in [("0.1", "52.5 %"), ("5", "99.34 %"), ("8", "99.967 %"), ("10", "99.9955 %"), ("0", "50 %")]
    {
        let sentence = pure(epsilon).sentence();
        assert!(sentence.contains(&format!("at most {sure} sure")), "{sentence}");
    }
    assert!(pure("20").sentence().contains("can make them almost certain."));
    assert!(pure("0.1").sentence().contains("e^0.1 ≈ 1.11)"));
    assert!(pure("5").sentence().contains("e^5 ≈ 149)"));
    assert!(pure("600").sentence().contains("more than a million"));
    assert!(pure("0").sentence().contains("e^0 = 1)"));
    for tenths in 1..150 {
        let epsilon = f64::from(tenths) / 10.0;
        let shown = pure(&format!("{epsilon}")).sentence();
        let Some((_, rest)) = shown.split_once("at most ") else { continue };
        let Ok(percent) = rest.split(' ').next().unwrap().parse::<f64>() else { continue };
        let exact = 100.0 / (1.0 + (-epsilon).exp());
        assert!(percent >= exact && percent < exact + 0.1, "{percent} against {exact} at {epsilon}");
    }
}

#[test]
fn the_best_guesser_is_right_as_often_as_the_bound_says_and_no_more_often() {
    // The mechanism that is as bad as (ε, δ) allows: δ of the time it gives the input away, otherwise it answers by
    // randomised response. The best guess is right with probability δ + (1 − δ)·e^ε/(1 + e^ε).
    for (epsilon, delta) in [("1", "0.01"), ("0.1", "0.2"), ("3", "0.000001")] {
        let (e, d): (f64, f64) = (epsilon.parse().unwrap(), delta.parse().unwrap());
        let right = d + (1.0 - d) * e.exp() / (1.0 + e.exp());
        let bound = 1.0 - approximate(epsilon, delta).doubt();
        assert!(right <= bound && bound < right + 1e-9, "{right} against {bound}");
        // A bound that forgot δ would be too small.
        assert!(d < 1e-4 || right > 1.0 - pure(epsilon).doubt());
    }
    // The Gaussian mechanism of sensitivity 1 is ρ-zCDP with ρ = 1/(2σ²); its total variation distance is
    // 2Φ(1/(2σ)) − 1: for σ = 1, 2, 4 that is 0.3829, 0.1974, 0.0995.
    for (rho, variation) in [("0.5", 0.382_924_9), ("0.125", 0.197_412_7), ("0.03125", 0.099_476_6)] {
        let (right, bound) = ((1.0 + variation) / 2.0, 1.0 - zcdp(rho).doubt());
        assert!(right <= bound && bound < right + 0.07, "{right} against {bound}");
    }
}

#[test]
fn weak_guarantees_are_called_weak() {
    let strength = |claim: Claim| claim.strength();
    assert_eq!(strength(pure("1")), Strength::Usual);
    assert_eq!(strength(pure("5")), Strength::Weak);
    assert_eq!(strength(pure("10")), Strength::Weak);
    assert_eq!(strength(pure("10.1")), Strength::VeryWeak);
    assert_eq!(strength(approximate("1000", "1e-6")), Strength::VeryWeak);
    assert_eq!(strength(zcdp("0.5")), Strength::Usual);
    assert_eq!(strength(zcdp("50")), Strength::VeryWeak);
    let near = |epsilon: &str| {
        claim(Neighbours::PerUnitOf(Metric::Euclidean), Loss::PerDistance(epsilon.parse().unwrap())).strength()
    };
    assert_eq!((near("8"), near("60"), near("200")), (Strength::Usual, Strength::Weak, Strength::VeryWeak));
}
