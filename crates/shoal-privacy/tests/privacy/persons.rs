//! Claims about persons who may have several rows: group privacy, exactly, and never understated.

use shoal_privacy::ledger::{Debit, Receipt};
use shoal_privacy::{
    Accountant, Allowance, Amount, Assumption, ChargeError, Claim, Delta, Epsilon, Loss, Neighbours, Numerics,
    PrivacyUnit, budget_of_a_row,
};

fn persons(most: u64) -> PrivacyUnit {
    PrivacyUnit { rows_of_a_person: Some(most), count_public: false }
}

fn rows(loss: Loss) -> Claim {
    let assumes = [Assumption::BoundsPublic, Assumption::OneRowPerPerson].into();
    Claim { neighbours: Neighbours::AddRemoveOne, loss, numerics: Numerics::Exact, assumes }
}

fn pure(epsilon: &str) -> Loss {
    Loss::Pure(epsilon.parse().unwrap())
}

fn approximate(epsilon: &str, delta: &str) -> Loss {
    Loss::Approximate { epsilon: epsilon.parse().unwrap(), delta: delta.parse().unwrap() }
}

#[test]
fn a_group_of_m_rows_loses_m_epsilon_m_squared_rho_and_the_sum_of_deltas() {
    assert_eq!(pure("0.1").for_group_up(7), Some(pure("0.7")));
    assert_eq!(Loss::Zcdp("0.01".parse().unwrap()).for_group_up(7), Some(Loss::Zcdp("0.49".parse().unwrap())));
    assert_eq!(Loss::PerDistance("1".parse().unwrap()).for_group_up(2), None);
    // δ·(1 + e^½ + e): 5.367003... by another program (Python: 1 + math.exp(.5) + math.e).
    let Some(Loss::Approximate { epsilon, delta }) = approximate("0.5", "1e-6").for_group_up(3) else { panic!() };
    assert_eq!(epsilon, "1.5".parse::<Epsilon>().unwrap());
    let sum = delta.to_f64_up() / 1e-6;
    assert!((5.367_003_099_159..5.367_003_099_161).contains(&sum), "{sum}");
    // Never below the true sum, and two rows are what replacing a row is.
    let two = approximate("0.5", "1e-6");
    let (Some(Loss::Approximate { delta: group, .. }), Some(Loss::Approximate { delta: replaced, .. })) =
        (two.for_group_up(2), two.for_replacing_up())
    else {
        panic!()
    };
    assert!(group >= replaced && group.to_f64_up() <= replaced.to_f64_up() * (1.0 + 1e-14));
}

#[test]
fn a_group_of_one_row_is_that_row_and_of_none_is_refused() {
    for loss in [pure("1/3"), approximate("1", "1e-6"), Loss::Zcdp("0.2".parse().unwrap())] {
        assert_eq!(loss.for_group_up(1), Some(loss.clone()));
        assert_eq!(loss.for_group_up(0), None);
    }
    // δ of one or more promises nothing.
    assert_eq!(approximate("10", "1e-6").for_group_up(10), None);
    assert_eq!(approximate("1000", "1e-6").for_group_up(1000), None);
}

#[test]
fn what_a_row_may_spend_adds_up_to_the_persons_budget_exactly() {
    for most in [1, 2, 3, 5, 12, 100] {
        for (epsilon, delta) in [("1", "0"), ("0.1", "0"), ("1", "1e-6"), ("3/7", "1e-9"), ("8", "0.001")] {
            let (epsilon, delta): (Epsilon, Delta) = (epsilon.parse().unwrap(), delta.parse().unwrap());
            let (of_row, delta_of_row) = budget_of_a_row(&epsilon, &delta, most).unwrap();
            assert_eq!(of_row.times(&Amount::ratio(most, 1)), epsilon);
            if delta.amount().is_zero() {
                assert_eq!(delta_of_row, Delta::ZERO);
                assert_eq!(Loss::Pure(of_row).for_group_up(most), Some(Loss::Pure(epsilon)));
            } else {
                let row = Loss::Approximate { epsilon: of_row, delta: delta_of_row };
                assert_eq!(row.for_group_up(most), Some(Loss::Approximate { epsilon, delta }));
            }
        }
    }
    assert!(budget_of_a_row(&"1".parse().unwrap(), &Delta::ZERO, 0).is_none());
}

#[test]
fn a_claim_about_persons_does_not_assume_one_row_each() {
    let claim = rows(pure("0.25")).for_persons(4).unwrap();
    assert_eq!(claim.neighbours, Neighbours::AddRemovePerson);
    assert_eq!(claim.loss, pure("1"));
    assert_eq!(claim.assumes, [Assumption::BoundsPublic, Assumption::PersonColumn].into());
    assert_eq!(
        claim.sentence(),
        "If someone is unsure whether a given person is in this data (a coin toss), seeing this result can make them at \
         most 73.2 % sure. Formally: ε = 1 when one person, with all their rows, is added or removed (odds change by a \
         factor of at most e^1 ≈ 2.72), no matter what else they know. This holds if: the bounds were chosen without \
         looking at the data; the person column identifies people."
    );
    let replaced = claim.with_public_row_count().unwrap();
    assert_eq!(replaced.neighbours, Neighbours::ReplacePerson);
    assert_eq!(replaced.loss, pure("2"));
    assert!(replaced.assumes.contains(&Assumption::PersonCountPublic));
    assert!(!replaced.assumes.contains(&Assumption::RowCountPublic));
    let sentence = replaced.sentence();
    assert!(sentence.contains("which of two sets of rows a given person has in this data"), "{sentence}");
    assert!(sentence.contains("ε = 2 when all rows of one person are replaced"), "{sentence}");
    // Only a claim about adding or removing a row becomes one about persons.
    assert_eq!(claim.for_persons(1), None);
    assert_eq!(replaced.for_persons(1), None);
}

#[test]
fn claims_about_persons_and_about_rows_neither_add_nor_imply_each_other() {
    let (row, person) = (rows(pure("1")), rows(pure("1")).for_persons(1).unwrap());
    assert!(row.then(&person).is_err());
    assert_eq!(person.then(&person).unwrap().loss, pure("2"));
    assert!(!row.at_least_as_strong_as(&person) && !person.at_least_as_strong_as(&row));
}

#[test]
fn claims_about_persons_are_kept_under_names_of_their_own() {
    let text = |neighbours: Neighbours| serde_json::to_string(&neighbours).unwrap();
    assert_eq!(text(Neighbours::AddRemovePerson), r#""add-remove-person""#);
    assert_eq!(text(Neighbours::ReplacePerson), r#""replace-person""#);
    let claim = rows(approximate("1", "1e-6")).for_persons(2).unwrap();
    let json = serde_json::to_string(&claim).unwrap();
    assert!(json.contains("person-column"), "{json}");
    assert_eq!(serde_json::from_str::<Claim>(&json).unwrap(), claim);
}

#[test]
fn an_allowance_for_persons_pays_for_rows_that_keep_it_and_for_no_more() {
    let person = rows(pure("1")).for_persons(1).unwrap();
    let allowance = || Allowance::without_ledger(person.clone());
    let third = rows(Loss::Pure(Epsilon::new(Amount::ratio(1, 3))));
    let of_rows = allowance().for_rows(third.clone(), &persons(3)).unwrap();
    assert_eq!(*of_rows.claim(), third);
    assert_eq!(Accountant::new(of_rows).spent().neighbours, Neighbours::AddRemoveOne);
    // One row more, or a little more loss, and it is not kept.
    assert!(matches!(allowance().for_rows(third, &persons(4)), Err(ChargeError::OverLimit { .. })));
    assert!(matches!(allowance().for_rows(rows(pure("0.3334")), &persons(3)), Err(ChargeError::OverLimit { .. })));
    // Conditions that were not agreed, and an allowance that is about rows.
    let mut more = rows(pure("0.1"));
    more.assumes.insert(Assumption::RowCountPublic);
    assert!(matches!(allowance().for_rows(more, &persons(1)), Err(ChargeError::WeakerPromise(_))));
    let about_rows = Allowance::without_ledger(rows(pure("1")));
    assert!(matches!(about_rows.for_rows(rows(pure("1")), &persons(1)), Err(ChargeError::WeakerPromise(_))));
}

#[test]
fn a_debit_for_persons_is_the_persons_loss() {
    let person = rows(pure("0.5")).for_persons(4).unwrap();
    let debit = Debit::for_loss_up("visits", &person.loss, &Delta::ZERO, "test").unwrap();
    assert_eq!(debit.epsilon, "2".parse::<Epsilon>().unwrap());
    let allowance = Allowance::debited(person, Receipt::on_record(1, debit)).unwrap();
    assert!(allowance.for_rows(rows(pure("0.5")), &persons(4)).is_ok());
}

#[test]
fn an_allowance_for_a_public_number_of_rows_pays_for_half_of_it() {
    let unit = PrivacyUnit { rows_of_a_person: None, count_public: true };
    let promise = unit.promise(&rows(pure("1"))).unwrap();
    assert_eq!((&promise.neighbours, &promise.loss), (&Neighbours::ReplaceOne, &pure("2")));
    assert!(Allowance::without_ledger(promise.clone()).for_rows(rows(pure("1")), &unit).is_ok());
    assert!(Allowance::without_ledger(promise.clone()).for_rows(rows(pure("1.01")), &unit).is_err());
    // Rows are not persons, and a number that is not public is not.
    assert!(Allowance::without_ledger(promise).for_rows(rows(pure("1")), &PrivacyUnit::default()).is_err());
    let plain = rows(pure("1"));
    assert!(Allowance::without_ledger(plain.clone()).for_rows(plain, &PrivacyUnit::default()).is_ok());
}
