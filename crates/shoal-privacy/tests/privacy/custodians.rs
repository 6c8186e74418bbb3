//! Releases of several custodians: what they give away together, by exact distributions, against what is claimed.

use shoal_privacy::{Assumption, Claim, CompositionError, Loss, Neighbours, Numerics, OfCustodians};

fn claim(neighbours: Neighbours, loss: Loss) -> Claim {
    let assumes = match neighbours {
        Neighbours::AddRemovePerson | Neighbours::ReplacePerson => [Assumption::BoundsPublic, Assumption::PersonColumn],
        _ => [Assumption::BoundsPublic, Assumption::OneRowPerPerson],
    };
    Claim { neighbours, loss, numerics: Numerics::Exact, assumes: assumes.into() }
}

fn pure(epsilon: &str) -> Loss {
    Loss::Pure(epsilon.parse().unwrap())
}

fn approximate(epsilon: &str, delta: &str) -> Loss {
    Loss::Approximate { epsilon: epsilon.parse().unwrap(), delta: delta.parse().unwrap() }
}

fn rows(epsilons: &[&str]) -> Vec<Claim> {
    epsilons.iter().map(|epsilon| claim(Neighbours::AddRemoveOne, pure(epsilon))).collect()
}

fn epsilon(loss: &Loss) -> f64 {
    match loss {
        Loss::Pure(epsilon) => epsilon.to_f64_up(),
        other => panic!("{}", other.symbols()),
    }
}

/// The largest log ratio of the probabilities of any outcome, where each custodian answers truthfully with probability
/// e^ε/(1 + e^ε) whether the person is in their table: all 2^m outcomes, and the person in the tables of `present`.
fn exact_loss(epsilons: &[f64], present: &[bool]) -> f64 {
    let probability = |outcome: usize, there: &dyn Fn(usize) -> bool| -> f64 {
        let one = |(i, epsilon): (usize, &f64)| {
            let truthful = epsilon.exp() / (1.0 + epsilon.exp());
            if (outcome >> i & 1 == 1) == there(i) { truthful } else { 1.0 - truthful }
        };
        epsilons.iter().enumerate().map(one).product()
    };
    let outcomes = 0..1 << epsilons.len();
    let ratio = |outcome: usize| (probability(outcome, &|i| present[i]) / probability(outcome, &|_| false)).ln().abs();
    outcomes.map(ratio).fold(0.0, f64::max)
}

/// What is wrong with a promise for custodians with these ε, by exact distributions.
fn fault(epsilons: &[&str], promised: &OfCustodians) -> Option<&'static str> {
    let each: Vec<f64> = epsilons.iter().map(|text| text.parse().unwrap()).collect();
    let in_table = |i: usize| (0..each.len()).map(|j| i == j).collect::<Vec<_>>();
    let one = (0..each.len()).map(|i| exact_loss(&each, &in_table(i))).fold(0.0, f64::max);
    let all = exact_loss(&each, &vec![true; each.len()]);
    let conditional = promised.in_one.assumes.contains(&Assumption::OneCustodianPerPerson);
    if epsilon(&promised.in_one.loss) < one - 1e-9 {
        Some("more is lost than claimed for someone in one table")
    } else if epsilon(&promised.in_all.loss) < all - 1e-9 {
        Some("more is lost than claimed for someone in all tables")
    } else if !conditional && epsilon(&promised.in_one.loss) < all - 1e-9 {
        Some("more is lost than claimed for someone in all tables, and nothing excludes them")
    } else {
        None
    }
}

#[test]
fn the_largest_loss_for_one_table_and_the_sum_for_all_are_what_is_lost() {
    for epsilons in [&["1", "1"][..], &["0.5", "2", "1"], &["0.25"], &["0.1", "0.1", "0.1", "3"]] {
        let found = OfCustodians::of(&rows(epsilons)).unwrap();
        assert_eq!(fault(epsilons, &found), None, "{epsilons:?}");
        let each: Vec<f64> = epsilons.iter().map(|text| text.parse().unwrap()).collect();
        // And no more than that is claimed to be lost.
        assert!((epsilon(&found.in_one.loss) - each.iter().copied().fold(0.0, f64::max)).abs() < 1e-12);
        assert!((epsilon(&found.in_all.loss) - each.iter().sum::<f64>()).abs() < 1e-12);
    }
}

#[test]
fn mutants_are_caught() {
    let epsilons = ["0.5", "2", "1"];
    let sound = OfCustodians::of(&rows(&epsilons)).unwrap();
    let with_loss = |loss: Loss| Claim { loss, ..sound.in_one.clone() };
    // The smallest loss, or the mean, instead of the largest.
    for epsilon in ["0.5", "1.16"] {
        let mutant = OfCustodians { in_one: with_loss(pure(epsilon)), ..sound.clone() };
        assert!(fault(&epsilons, &mutant).is_some(), "{epsilon}");
    }
    // The condition left out.
    let mut without = sound.clone();
    without.in_one.assumes.remove(&Assumption::OneCustodianPerPerson);
    assert!(fault(&epsilons, &without).is_some());
    // The largest loss also for someone in all tables.
    let mutant = OfCustodians { in_all: Claim { loss: pure("2"), ..sound.in_all.clone() }, ..sound.clone() };
    assert!(fault(&epsilons, &mutant).is_some());
}

#[test]
fn conditions_follow_the_unit() {
    let found = OfCustodians::of(&rows(&["1", "1"])).unwrap();
    assert_eq!(found.in_one.neighbours, Neighbours::AddRemoveOne);
    assert!(found.in_one.assumes.contains(&Assumption::OneRowPerPerson));
    assert_eq!(found.in_all.neighbours, Neighbours::AddRemovePerson);
    // Whoever is in two tables does not have one row.
    assert!(!found.in_all.assumes.contains(&Assumption::OneRowPerPerson));
    assert!(found.in_all.assumes.contains(&Assumption::OneRowPerTable));
    assert!(!found.in_all.assumes.contains(&Assumption::OneCustodianPerPerson));
    let persons = vec![claim(Neighbours::AddRemovePerson, pure("1")); 2];
    let found = OfCustodians::of(&persons).unwrap();
    assert_eq!(found.in_one.neighbours, found.in_all.neighbours);
    assert!(!found.in_all.assumes.contains(&Assumption::OneRowPerTable), "any number of rows is covered");
    let replaced = vec![claim(Neighbours::ReplaceOne, pure("2")); 3];
    let found = OfCustodians::of(&replaced).unwrap();
    assert_eq!((found.in_one.loss, found.in_all.loss), (pure("2"), pure("6")));
    assert_eq!(found.in_all.neighbours, Neighbours::ReplacePerson);
}

#[test]
fn conditions_and_numerics_of_every_table_are_kept() {
    let mut other = claim(Neighbours::AddRemoveOne, pure("1"));
    other.numerics = Numerics::IdealReals;
    other.assumes.insert(Assumption::RowsComplete);
    let found = OfCustodians::of(&[claim(Neighbours::AddRemoveOne, pure("2")), other]).unwrap();
    for claim in [found.in_one, found.in_all] {
        assert_eq!(claim.numerics, Numerics::IdealReals);
        assert!(claim.assumes.contains(&Assumption::RowsComplete) && claim.assumes.contains(&Assumption::BoundsPublic));
    }
}

#[test]
fn what_does_not_add_is_refused() {
    let of = |neighbours: Neighbours| claim(neighbours, pure("1"));
    let kinds = [
        Neighbours::AddRemoveOne,
        Neighbours::ReplaceOne,
        Neighbours::AddRemovePerson,
        Neighbours::ReplacePerson,
        Neighbours::AnyTwoInputs,
    ];
    for (i, first) in kinds.iter().enumerate() {
        for (j, second) in kinds.iter().enumerate() {
            let found = OfCustodians::of(&[of(first.clone()), of(second.clone())]);
            assert_eq!(found.is_ok(), i == j && *first != Neighbours::AnyTwoInputs, "{first:?} {second:?}");
        }
    }
    assert_eq!(OfCustodians::of(&[]), Err(CompositionError::NothingReleased));
    let per_distance = claim(Neighbours::AddRemoveOne, Loss::PerDistance("1".parse().unwrap()));
    assert!(OfCustodians::of(&[per_distance, of(Neighbours::AddRemoveOne)]).is_err());
}

#[test]
fn of_losses_that_do_not_imply_each_other_both_imply_what_is_claimed() {
    let of = |loss: Loss| claim(Neighbours::AddRemoveOne, loss);
    let found = OfCustodians::of(&[of(pure("2")), of(approximate("1", "1e-6"))]).unwrap();
    assert_eq!(found.in_one.loss, approximate("2", "1e-6"));
    assert_eq!(found.in_all.loss, approximate("3", "1e-6"));
    let found = OfCustodians::of(&[of(approximate("1", "1e-6")), of(approximate("2", "1e-9"))]).unwrap();
    assert_eq!(found.in_one.loss, approximate("2", "1e-6"));
    for part in [approximate("1", "1e-6"), approximate("2", "1e-9")] {
        assert!(part.implies(&found.in_one.loss));
    }
}

#[test]
fn the_sentence_names_the_condition() {
    let found = OfCustodians::of(&rows(&["1", "1"])).unwrap();
    let sentence = found.in_one.sentence();
    assert!(sentence.contains("at most 73.2 %") && sentence.contains("nobody is in the tables of two custodians"));
    let all = found.in_all.sentence();
    assert!(
        all.contains("ε = 2 when one person, with all their rows") && all.contains("in however many of the tables")
    );
    assert!(!all.contains("each person has one row"));
}
