//! `auto` on steps: what a releaser gives it is all that it takes from the rows.

use shoal_curator::{Auto, AutoParams, DesignSize, FitError, Outcome, Route, SynopsisKMeans, System};
use shoal_noise::{NoiseSource, SeededNoise};
use shoal_privacy::{Accountant, Allowance, Assumption, ChargeError, Claim, Loss, Released};
use shoal_release::{LocalReleaser, ReleaseError, Releaser, Step};
use shoal_scan::{LocalScan, Question};

use crate::curator_support::{groups, table};

/// Steps and nothing else, each sent as bytes: as if rows were elsewhere.
struct Elsewhere<'a> {
    there: LocalReleaser<'a>,
    steps: Vec<Step>,
}

impl Releaser for Elsewhere<'_> {
    fn dims(&self) -> usize {
        self.there.dims()
    }

    fn copies(&self) -> u32 {
        self.there.copies()
    }

    fn release(&mut self, step: &Step) -> Result<Released<Vec<i64>>, ReleaseError> {
        let sent = Step::from_bytes(&step.to_bytes())?;
        let released = self.there.release(&sent)?;
        assert_eq!(released.get().len(), step.numbers());
        self.steps.push(sent);
        Ok(released)
    }

    fn randomness(&mut self) -> &mut dyn NoiseSource {
        self.there.randomness()
    }

    fn rely_on(&mut self, assumption: Assumption) -> Result<(), ChargeError> {
        self.there.rely_on(assumption)
    }

    fn promised(&self) -> Claim {
        self.there.promised()
    }

    fn is_seeded(&self) -> bool {
        self.there.is_seeded()
    }
}

fn fit(route: Option<Route>, size: DesignSize, epsilon: &str, delta: &str) -> Auto {
    let kmeans = SynopsisKMeans { inits: 5, reruns: 3, ..SynopsisKMeans::new(3) };
    let params = AutoParams::new(3, epsilon.parse().unwrap(), size);
    Auto::new(AutoParams { route, kmeans, delta: delta.parse().unwrap(), ..params }, 2).unwrap()
}

fn rows() -> LocalScan {
    table(2, &groups(&[[0.6, 0.6], [-0.5, 0.1], [0.1, -0.7]], 2000))
}

/// A run without the rows in one place, and its steps.
fn elsewhere(fit: &Auto, copies: u32, seed: u64) -> (Result<Outcome, FitError>, Vec<Step>, Loss) {
    let scan = rows();
    let mut accountant = Accountant::new(Allowance::without_ledger(fit.claim()));
    let mut noise = SeededNoise::new(seed);
    let there = LocalReleaser::new(&scan, &mut accountant, &mut noise).with_copies(copies);
    let mut releaser = Elsewhere { there, steps: Vec::new() };
    let outcome = fit.run_with(&mut releaser, &|_| ());
    let steps = releaser.steps;
    (outcome, steps, accountant.spent().loss.clone())
}

#[test]
fn routes_of_steps_are_the_same_wherever_the_rows_are() {
    for route in Route::ALL.into_iter().filter(|route| route.is_of_steps()) {
        for delta in ["0", "1e-6"] {
            let fit = fit(Some(route), DesignSize::Public(6000), "1", delta);
            let here = fit.run(&rows(), Allowance::without_ledger(fit.claim()), &mut SeededNoise::new(3)).unwrap();
            let (there, steps, _) = elsewhere(&fit, 1, 3);
            let there = there.unwrap();
            assert!(!steps.is_empty() && here.centres == there.centres && here.sizes == there.sizes, "{route:?}");
            assert_eq!((here.noise_per_centre, here.nicv), (there.noise_per_centre, there.nicv), "{route:?}");
        }
    }
}

#[test]
fn what_a_run_is_charged_is_what_its_steps_claim() {
    for (size, count) in [(DesignSize::Public(6000), 0), (DesignSize::bought(), 1)] {
        let fit = fit(None, size, "1", "0");
        let (outcome, steps, spent) = elsewhere(&fit, 2, 1);
        outcome.unwrap();
        let sum = steps.iter().fold(Loss::NONE, |sum, step| sum.then(&step.claim().loss).unwrap());
        assert_eq!((sum, spent), (Loss::Pure("1".parse().unwrap()), Loss::Pure("1".parse().unwrap())));
        assert_eq!(steps.iter().filter(|step| matches!(step.question(), Question::RowCount)).count(), count);
    }
}

#[test]
fn two_noises_still_find_the_groups_and_are_in_what_is_stated() {
    let fit = fit(Some(Route::Looks), DesignSize::Public(6000), "1", "0");
    let of = |copies| elsewhere(&fit, copies, 5).0.unwrap();
    let (one, two) = (of(1), of(2));
    for outcome in [&one, &two] {
        for place in [[0.6, 0.6], [-0.5, 0.1], [0.1, -0.7]] {
            let near = |centre: &[f64]| centre.iter().zip(&place).all(|(x, y)| (x - y).abs() < 0.05);
            let found = |centre: &Vec<shoal_lattice::BoxPosition>| near(&shoal_lattice::BoxPosition::numbers(centre));
            assert!(outcome.centres.iter().any(found), "{place:?} {:?}", outcome.centres);
        }
    }
    let noise = |outcome: &Outcome| outcome.synopsis.as_ref().unwrap().count_noise;
    let ratio = noise(&two) / noise(&one);
    assert!((1.2..1.7).contains(&ratio), "{ratio}");
    let error = |outcome: &Outcome| outcome.noise_per_centre.iter().flatten().map(|w| w.0).sum::<f64>();
    // Clipping bounds shrink where noise grows, which keeps the error of a centre about as it was. If the second noise were
    // left out of what is stated, the stated error would be 0.71 times that of one.
    let ratio = error(&two) / error(&one);
    assert!((0.85..1.6).contains(&ratio), "{ratio}");
    // The interval of the NICV reaches 1.37 times as far, in units of what one row can add: e^(−t)·(1 + t/2) against e^(−t).
    let far = |outcome: &Outcome| outcome.nicv.map(|it| (it.high - it.nicv) / it.capped_at).unwrap();
    let ratio = far(&two) / far(&one);
    assert!((1.3..1.45).contains(&ratio), "{ratio}");
}

#[test]
fn hidden_comparisons_need_all_rows_and_cost_nothing_without() {
    let refined = fit(Some(Route::RefinedTree), DesignSize::Public(6000), "1", "0");
    let (outcome, steps, spent) = elsewhere(&refined, 1, 1);
    assert!(matches!(outcome, Err(FitError::NeedsAllRows { method: "refined-tree" })));
    assert!(steps.is_empty() && spent == Loss::NONE);
    // In two columns with 6,000 rows `auto` takes the refined tree where it can, and looks where it cannot.
    let auto = fit(None, DesignSize::Public(6000), "1", "0");
    assert_eq!(auto.choice(6000.0).route, Route::RefinedTree);
    let (outcome, steps, _) = elsewhere(&auto, 2, 1);
    assert!(outcome.is_ok() && steps.iter().any(|step| matches!(step.question(), Question::BoxCounts { .. })));
}
