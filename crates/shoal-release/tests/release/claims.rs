//! What a step says that it costs is what the mechanism that draws its noise says.

use proptest::prelude::*;
use shoal_kernel::Reach;
use shoal_privacy::{Amount, Assumption, Loss};
use shoal_release::{
    CappedCostMechanism, GaussianCountsMechanism, GaussianSumsMechanism, KNormSumsMechanism, NoiseSpec,
    NoisyColumnCountsMechanism, NoisyCountsMechanism, RowMechanism, Step, StepBudget, StepError, Take,
};
use shoal_scan::Question;

use crate::questions::{buckets, budget, question, step};

/// The loss of the mechanism that the curator builds for a question and a budget.
fn by_mechanism(question: &Question, take: Take, budget: &StepBudget) -> Loss {
    let with_count = take == Take::SumsAndCounts;
    let sums = |reach: &Reach| match budget {
        StepBudget::Pure(epsilon) => KNormSumsMechanism::new(reach, epsilon, with_count).unwrap().loss(),
        StepBudget::Concentrated(rho) if with_count => GaussianSumsMechanism::new(reach, rho).unwrap().loss(),
        StepBudget::Concentrated(rho) => {
            GaussianSumsMechanism::with_count_share(reach, rho, &Amount::ZERO).unwrap().loss()
        }
    };
    match (question, budget) {
        (Question::ClippedSums { reach, .. }, _) => sums(reach),
        (Question::Moments { dims }, _) => {
            sums(&Reach::whole_box(1, if take == Take::OneVariance { dims + 1 } else { 2 * dims }))
        }
        (Question::CappedCost { cap, .. }, StepBudget::Pure(epsilon)) => {
            CappedCostMechanism::new(*cap, epsilon).unwrap().loss()
        }
        (Question::Buckets { lists }, StepBudget::Pure(epsilon)) => {
            NoisyColumnCountsMechanism::new(epsilon, lists.len()).unwrap().loss()
        }
        (_, StepBudget::Pure(epsilon)) => NoisyCountsMechanism::new(epsilon).unwrap().loss(),
        (_, StepBudget::Concentrated(rho)) => GaussianCountsMechanism::new(rho).unwrap().loss(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn a_claim_is_the_loss_of_the_mechanism((question, take) in question(), budget in budget()) {
        let of_cost = matches!(question, Question::CappedCost { .. });
        match Step::for_budget(question.clone(), take, &budget) {
            Ok(step) => {
                let claim = step.claim();
                prop_assert_eq!(&claim.loss, &budget.loss());
                prop_assert_eq!(&claim.loss, &by_mechanism(&question, take, &budget));
                prop_assert_eq!(&claim, &step.prepare().unwrap().claim());
                prop_assert!(claim.assumes.contains(&Assumption::BoundsPublic));
            }
            Err(_) => prop_assert!(of_cost && matches!(budget, StepBudget::Concentrated(_))),
        }
    }

    #[test]
    fn noise_half_as_large_costs_twice_as_much(step in step()) {
        let closer = step.with_noise_divided_by(&Amount::ratio(2, 1)).unwrap();
        let factor = match step.claim().loss { Loss::Zcdp(_) => 4, _ => 2 };
        let times = Amount::ratio(factor, 1);
        let expected = match step.claim().loss {
            Loss::Pure(epsilon) => Loss::Pure(epsilon.times(&times)),
            Loss::Zcdp(rho) => Loss::Zcdp(rho.times(&times)),
            other => other,
        };
        prop_assert_eq!(&closer.claim().loss, &expected);
        prop_assert_eq!(closer.claim(), closer.prepare().unwrap().claim());
        prop_assert_eq!(closer.scale(), step.scale());
        prop_assert!(closer.claim().loss != step.claim().loss, "the mutant that keeps the loss must be caught");
    }
}

#[test]
fn buckets_cost_a_decay_for_each_column_and_need_no_bounds() {
    let budget = StepBudget::Pure("1/3".parse().unwrap());
    let step = Step::for_budget(buckets(), Take::Whole, &budget).unwrap();
    assert_eq!(*step.noise(), NoiseSpec::Laplace { decay: Amount::ratio(1, 6) });
    assert_eq!((step.claim().loss, step.numbers()), (budget.loss(), 97 + 4));
    assert_eq!(step.claim(), step.prepare().unwrap().claim());
    assert!(!step.claim().assumes.contains(&Assumption::BoundsPublic));
    assert_eq!(by_mechanism(&buckets(), Take::Whole, &budget), budget.loss());
}

#[test]
fn a_scale_that_the_noise_does_not_have_changes_the_claim() {
    let reach = Reach::whole_box(2, 3);
    let question = Question::ClippedSums { centres: reach.reference().clone(), reach };
    let cube = |scale| NoiseSpec::Cube { decay: Amount::ratio(1, 128), scale };
    let loss = |scale| Step::new(question.clone(), Take::Sums, cube(scale)).unwrap().claim().loss;
    assert_eq!(loss(128), Loss::Pure("1".parse().unwrap()));
    assert_eq!(loss(256), Loss::Pure("2".parse().unwrap()));
}

#[test]
fn noise_that_hides_nothing_is_refused() {
    let laplace = |decay: &str| NoiseSpec::Laplace { decay: decay.parse().unwrap() };
    let cube = |scale| NoiseSpec::Cube { decay: Amount::ONE, scale };
    let gaussian = NoiseSpec::Gaussian { variance: Amount::ONE };
    let clipped = || {
        let reach = Reach::whole_box(1, 3);
        Question::ClippedSums { centres: reach.reference().clone(), reach }
    };
    for (question, take, noise) in [
        (Question::RowCount, Take::Whole, laplace("0")),
        (Question::RowCount, Take::Whole, cube(1)),
        (clipped(), Take::Sums, laplace("1")),
        (clipped(), Take::Sums, cube(0)),
        (clipped(), Take::Sums, cube(1025)),
        (buckets(), Take::Whole, gaussian.clone()),
    ] {
        assert!(matches!(Step::new(question, take, noise), Err(StepError::Noise { .. })));
    }
    for (question, take) in [(Question::RowCount, Take::Sums), (clipped(), Take::Whole), (clipped(), Take::Counts)] {
        assert!(matches!(Step::new(question, take, gaussian.clone()), Err(StepError::Take { .. })));
    }
    let candidates = vec![Reach::whole_box(1, 3).reference().clone()];
    assert!(matches!(
        Step::new(Question::Costs { candidates }, Take::Whole, laplace("1")),
        Err(StepError::Take { .. })
    ));
}
