//! One row more never costs more than a step says, on random tables; and mutants do.

use proptest::prelude::*;
use shoal_files::PointStore;
use shoal_kernel::{LatticeCentres, Reach};
use shoal_lattice::LatticePoints;
use shoal_privacy::{Amount, Loss, ThisIsNotPrivate};
use shoal_release::{NoiseSpec, Step, StepBudget, Take};
use shoal_scan::{LocalScan, Question};

use crate::questions::{DIMS, step};

fn answer(step: &Step, rows: &[Vec<i16>]) -> Vec<i128> {
    let mut points = LatticePoints::new(DIMS);
    rows.iter().for_each(|row| points.push_row(row));
    let scan = LocalScan::new(PointStore::InMemory(points));
    step.answer(&scan).unwrap().without_privacy().reveal(ThisIsNotPrivate)
}

/// What is lost between two lists of exact numbers, from the noise alone: no sensitivity is taken for granted.
fn lost(step: &Step, before: &[i128], after: &[i128]) -> f64 {
    let moved: Vec<f64> = before.iter().zip(after).map(|(a, b)| (b - a).abs() as f64).collect();
    let amount = |amount: &Amount| amount.to_f64_up();
    // What one row may move a number by, for noise that is made for it.
    let widths: Vec<f64> = match step.question() {
        Question::ClippedSums { centres, reach } => {
            let sums = (0..centres.count()).flat_map(|j| reach.half_widths(j)).map(|&w| f64::from(w));
            sums.chain(std::iter::repeat_n(1.0, centres.count())).collect()
        }
        Question::Moments { .. } => vec![32_767.0; moved.len()],
        _ => vec![1.0; moved.len()],
    };
    match step.noise() {
        NoiseSpec::Laplace { decay } => amount(decay) * moved.iter().sum::<f64>(),
        NoiseSpec::Gaussian { variance } => {
            moved.iter().zip(&widths).map(|(moved, w)| moved * moved / (2.0 * amount(variance) * w * w)).sum()
        }
        NoiseSpec::Cube { decay, .. } => {
            // Each centre has a norm of its own.
            let (k, dims) = match step.question() {
                Question::ClippedSums { centres, .. } => (centres.count(), DIMS),
                _ => (1, moved.len()),
            };
            let norm = |j: usize| {
                let count = moved.get(k * dims + j).copied();
                let sums = (0..dims).map(|axis| moved[j * dims + axis] / widths[j * dims + axis]);
                sums.chain(count).fold(0.0, f64::max).ceil()
            };
            amount(decay) * (0..k).map(norm).sum::<f64>()
        }
    }
}

fn claimed(step: &Step) -> f64 {
    match step.claim().loss {
        Loss::Pure(epsilon) => epsilon.to_f64_up(),
        Loss::Zcdp(rho) => rho.to_f64_up(),
        _ => f64::NAN,
    }
}

fn rows() -> impl Strategy<Value = Vec<Vec<i16>>> {
    let row = prop::collection::vec(prop_oneof![-32_767_i16..=32_767, Just(32_767), Just(-32_767)], DIMS);
    prop::collection::vec(row, 1..20)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(160))]

    #[test]
    fn a_row_more_costs_what_is_claimed(step in step(), rows in rows()) {
        let (before, after) = (answer(&step, &rows[1..]), answer(&step, &rows));
        prop_assert_eq!(before.len(), step.numbers());
        let lost = lost(&step, &before, &after);
        prop_assert!(lost <= claimed(&step) * (1.0 + 1e-9), "{} of {}: {:?}", lost, claimed(&step), step);
    }
}

/// The pairs of tables on which the noise has to be as large as it is.
#[test]
fn halved_noise_and_a_wrong_scale_are_caught() {
    let budget = StepBudget::Pure("1".parse().unwrap());
    let reach = Reach::new(LatticeCentres::new(DIMS, vec![0; DIMS]), vec![900; DIMS]);
    let clipped = Question::ClippedSums { centres: reach.reference().clone(), reach };
    for (question, take) in [
        (Question::RowCount, Take::Whole),
        (Question::Moments { dims: DIMS }, Take::EachVariance),
        (Question::Moments { dims: DIMS }, Take::OneVariance),
        (clipped.clone(), Take::Sums),
        (clipped, Take::SumsAndCounts),
    ] {
        for budget in [budget.clone(), StepBudget::Concentrated("1".parse().unwrap())] {
            let step = Step::for_budget(question.clone(), take, &budget).unwrap();
            let far = vec![vec![32_767; DIMS]];
            let (before, after) = (answer(&step, &[]), answer(&step, &far));
            let honest = lost(&step, &before, &after);
            assert!(honest <= claimed(&step) * (1.0 + 1e-9) && honest > 0.99 * claimed(&step), "{step:?}: {honest}");
            let halved = step.with_noise_divided_by(&Amount::ratio(2, 1)).unwrap();
            assert!(lost(&halved, &before, &after) > 1.9 * claimed(&step), "{step:?}");
        }
        let step = Step::for_budget(question, take, &budget).unwrap();
        if let NoiseSpec::Cube { .. } = step.noise() {
            // Numbers that are multiplied by twice the scale that the noise is made for.
            let twice: Vec<i128> = answer(&step, &[vec![32_767; DIMS]]).iter().map(|x| 2 * x).collect();
            assert!(lost(&step, &answer(&step, &[]), &twice) > 1.9 * claimed(&step));
        }
    }
}
