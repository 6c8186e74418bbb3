//! Steps released where all rows are.

use shoal_files::PointStore;
use shoal_kernel::{LatticeCentres, Reach};
use shoal_lattice::LatticePoints;
use shoal_noise::SeededNoise;
use shoal_privacy::{Accountant, Allowance, Claim, Loss};
use shoal_release::{KNormSumsMechanism, LocalReleaser, ReleaseError, Releaser, RowMechanism, Step, StepBudget, Take};
use shoal_scan::{LocalScan, Question, ScanExt};

fn scan() -> LocalScan {
    let mut points = LatticePoints::new(2);
    (0..1000).for_each(|i| points.push_row(&[i, -3 * i]));
    LocalScan::new(PointStore::InMemory(points))
}

fn allowance(epsilon: &str, like: &Step) -> Allowance {
    Allowance::without_ledger(Claim { loss: Loss::Pure(epsilon.parse().unwrap()), ..like.claim() })
}

fn rows(epsilon: &str) -> Step {
    Step::for_budget(Question::RowCount, Take::Whole, &StepBudget::Pure(epsilon.parse().unwrap())).unwrap()
}

#[test]
fn a_step_is_what_its_mechanism_releases() {
    let (scan, epsilon) = (scan(), "1/2".parse().unwrap());
    let reach = Reach::new(LatticeCentres::new(2, vec![0, 0, 500, -900]), vec![400, 400, 300, 2000]);
    let question = Question::ClippedSums { centres: reach.reference().clone(), reach: reach.clone() };
    let step = Step::for_budget(question, Take::SumsAndCounts, &StepBudget::Pure(epsilon)).unwrap();
    let mut accountant = Accountant::new(allowance("1/2", &step));
    let mut noise = SeededNoise::new(8);
    let released = LocalReleaser::new(&scan, &mut accountant, &mut noise).release(&step).unwrap().into_inner();
    let mechanism = KNormSumsMechanism::new(&reach, &"1/2".parse().unwrap(), true).unwrap();
    let mut accountant = Accountant::new(allowance("1/2", &step));
    let exact = scan.clipped_sums(reach.reference(), &reach).unwrap();
    let expected = accountant.release(exact, mechanism.with(&mut SeededNoise::new(8))).unwrap().into_inner();
    assert_eq!(released, [expected.sums, expected.counts.unwrap()].concat());
    assert_eq!(step.scale(), expected.scale);
}

#[test]
fn what_is_too_dear_is_refused_and_costs_nothing() {
    let (scan, step) = (scan(), rows("2/3"));
    let mut accountant = Accountant::new(allowance("1", &step));
    let mut noise = SeededNoise::new(1);
    let mut releaser = LocalReleaser::new(&scan, &mut accountant, &mut noise);
    assert!(releaser.release(&step).is_ok());
    assert!(matches!(releaser.release(&step), Err(ReleaseError::Charge(_))));
    assert!(releaser.release(&rows("1/3")).is_ok());
    assert_eq!(releaser.spent().loss, Loss::Pure("1".parse().unwrap()));
}

#[test]
fn copies_are_as_many_noises_at_the_price_of_one() {
    let (scan, step) = (scan(), rows("1/10"));
    let variance = |copies: u32| {
        let mut noise = SeededNoise::new(4);
        let draws = 4000;
        let squares: f64 = (0..draws)
            .map(|_| {
                let mut accountant = Accountant::new(allowance("1/10", &step));
                let mut releaser = LocalReleaser::new(&scan, &mut accountant, &mut noise).with_copies(copies);
                assert_eq!(releaser.copies(), copies);
                let count = releaser.release(&step).unwrap().into_inner()[0];
                assert_eq!(releaser.spent().loss, step.claim().loss);
                (count as f64 - 1000.0).powi(2)
            })
            .sum();
        squares / f64::from(draws)
    };
    let one = step.prepare().unwrap().variance(0);
    for copies in [1, 2, 3] {
        let ratio = variance(copies) / one;
        assert!((ratio / f64::from(copies) - 1.0).abs() < 0.12, "{copies}: {ratio}");
    }
}

#[test]
fn a_table_of_other_columns_is_an_error() {
    let step =
        Step::for_budget(Question::Moments { dims: 3 }, Take::EachVariance, &StepBudget::Pure("1".parse().unwrap()));
    let step = step.unwrap();
    let (scan, mut accountant) = (scan(), Accountant::new(allowance("1", &step)));
    let mut noise = SeededNoise::new(1);
    let refused = LocalReleaser::new(&scan, &mut accountant, &mut noise).release(&step);
    assert!(matches!(refused, Err(ReleaseError::Scan(_))));
    assert_eq!(accountant.spent().loss, Loss::NONE);
}
