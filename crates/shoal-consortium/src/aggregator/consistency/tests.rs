//! Algorithm 1 in its three forms.

use proptest::prelude::*;
use shoal_noise::{SeededNoise, uniform};

use crate::aggregator::AggregatorError;
use crate::aggregator::consistency::*;
use crate::aggregator::estimate::Decoder;
use crate::aggregator::horizontal::Horizontal;
use crate::aggregator::naive_encoder::{encode, terms};
use crate::{Codes, Terms};
use shoal_kernel::Condensed;
use shoal_lattice::STEPS;

const RANGE: f64 = 25.0;

struct Setting {
    terms: Terms,
    codes: Codes,
    steps: Vec<i32>,
}

impl Setting {
    fn new(steps: Vec<i32>, t: f64, epsilon: Option<&str>, seed: u64) -> Self {
        let terms = terms(1, RANGE, t, 1000, epsilon);
        let codes = encode(&terms, seed, &steps, &mut SeededNoise::new(seed));
        Self { terms, codes, steps }
    }

    fn uniform(records: usize, epsilon: Option<&str>, seed: u64) -> Self {
        let mut source = SeededNoise::new(1000 + seed);
        let steps = (0..records).map(|_| uniform::below(&mut source, STEPS + 1) as i32).collect();
        Self::new(steps, 3.0, epsilon, seed)
    }

    fn raw(&self) -> Condensed {
        Horizontal::new(&self.terms, &self.codes).unwrap().attribute(0).unwrap()
    }

    fn corrected(&self, share: f64) -> Condensed {
        corrected(&self.raw(), &Decoder::of(&self.terms, 0), share).unwrap()
    }

    /// The mean error of eq. 24.
    fn error(&self, distances: &Condensed) -> f64 {
        let step = self.terms.step(0);
        let truth =
            Condensed::from_fn(self.steps.len(), |i, j| f64::from(self.steps[i].abs_diff(self.steps[j])) * step);
        let errors = truth.as_slice().iter().zip(distances.as_slice()).map(|(a, b)| (a - b).abs());
        errors.sum::<f64>() / truth.as_slice().len() as f64
    }
}

/// Mean errors over several draws of records, anchors and flips: as they are, as printed, and corrected.
#[allow(clippy::print_stdout)]
fn errors(epsilon: Option<&str>) -> [f64; 3] {
    let mut means = [0.0; 3];
    for seed in 0..10 {
        let setting = Setting::uniform(100, epsilon, seed);
        let raw = setting.raw();
        let all = [&raw, &as_printed(&raw), &setting.corrected(DEFAULT_SHARE)].map(|all| setting.error(all));
        means.iter_mut().zip(all).for_each(|(mean, error)| *mean += error / 10.0);
    }
    println!("ε = {epsilon:?}: raw {:.2}, as printed {:.2}, corrected {:.2}", means[0], means[1], means[2]);
    means
}

#[test]
fn errors_without_noise_are_those_of_the_papers_setting() {
    let [raw, printed, right] = errors(None);
    assert!((3.4..4.1).contains(&raw), "{raw}");
    assert!(printed > 0.9 * raw, "as printed {printed} is hardly better than {raw}");
    assert!(right < 0.3, "{right}");
    // A mutant whose view reaches into where distances no longer grow.
    let setting = Setting::uniform(100, None, 1);
    let mutant = setting.error(&setting.corrected(0.999));
    assert!(mutant > 2.0 * right, "{mutant}");
}

#[test]
fn noise_takes_the_use_away() {
    let [raw, printed, right] = errors(Some("5"));
    assert_eq!(printed, raw, "nothing adds up");
    assert!(right < raw, "little noise leaves some use");
    let [raw, _, right] = errors(Some("1"));
    assert!(right > raw, "much noise makes it worse");
    errors(Some("2"));
}

#[test]
fn as_printed_takes_two_parts_and_the_first_way() {
    // On a line 0, 1, 2, 3 with distances that stop at 1.5: 0 to 2 is no sum, but 0 to 1 and 1 to 2 are in view.
    let place = [0.0, 1.0, 2.0, 3.0_f64];
    let mut distances = Condensed::from_fn(4, |i, j| (place[i] - place[j]).abs().min(1.5));
    assert_eq!(as_printed(&distances), distances, "no two distances add up, so nothing is in view");
    // One more record at 0.5 makes 0 to 1 a sum: r = 1, and pairs two apart are found, those three apart are not.
    let place = [0.0, 1.0, 2.0, 3.0, 0.5_f64];
    distances = Condensed::from_fn(5, |i, j| (place[i] - place[j]).abs().min(1.4));
    let refined = as_printed(&distances);
    assert_eq!((refined.get(0, 1), refined.get(0, 2), refined.get(1, 3)), (1.0, 2.0, 2.0));
    assert_eq!((refined.get(0, 3), refined.get(3, 4)), (1.4, 1.4));
    // Equal records make r the largest distance, and nothing is refined.
    let place = [0.0, 1.0, 2.0, 3.0, 3.0_f64];
    distances = Condensed::from_fn(5, |i, j| (place[i] - place[j]).abs().min(1.4));
    assert_eq!(as_printed(&distances), distances);
}

#[test]
fn stretches_that_nothing_connects_keep_their_estimates() {
    // Two groups 15 apart, in a window of 2t = 6.
    let at = |x: f64| (x / RANGE * STEPS as f64) as i32;
    let steps = [1.0, 20.0, 3.0, 5.0, 22.0, 7.0, 24.0, 20.0].map(at).to_vec();
    let setting = Setting::new(steps, 3.0, None, 5);
    let line = sweep(&setting.terms, &setting.codes, 0, DEFAULT_SHARE).unwrap();
    assert_eq!(line.stretches(), [0, 1, 0, 0, 1, 0, 1, 1]);
    assert!(line.rows_used() <= 12);
    let raw = setting.raw();
    assert_eq!(line.distance(0, 1), raw.get(0, 1));
    assert!((line.distance(0, 5) - 6.0).abs() < 1.0);
    assert!((line.distance(1, 6) - 4.0).abs() < 1.0);
    assert_eq!(line.distance(1, 7), 0.0);
    assert_eq!(setting.corrected(DEFAULT_SHARE).get(0, 1), raw.get(0, 1));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn the_sweep_gives_what_shortest_paths_give(
        steps in prop::collection::vec(prop_oneof![0..=65_534i32, 0..9_000i32, Just(30_000)], 0..90),
        seed in 0u64..1000,
        t in 3.0..8.0f64,
        share in 0.5..0.7f64,
    ) {
        let setting = Setting::new(steps, t, None, seed);
        let line = sweep(&setting.terms, &setting.codes, 0, share).unwrap();
        let naive = setting.corrected(share);
        for (swept, naive) in line.condensed().as_slice().iter().zip(naive.as_slice()) {
            prop_assert!((swept - naive).abs() < 1e-9, "{} against {}", swept, naive);
        }
    }
}

#[test]
fn a_sweep_takes_few_rows() {
    let setting = Setting::uniform(2000, None, 7);
    let line = sweep(&setting.terms, &setting.codes, 0, DEFAULT_SHARE).unwrap();
    assert!(line.rows_used() <= 15, "{} rows", line.rows_used());
    assert!(setting.error(&line.condensed()) < 0.5);
}

#[test]
fn what_cannot_be_refined_is_refused() {
    let noisy = Setting::uniform(3, Some("1"), 1);
    assert_eq!(sweep(&noisy.terms, &noisy.codes, 0, 0.7).unwrap_err(), AggregatorError::Noisy);
    let clean = Setting::uniform(3, None, 1);
    assert_eq!(
        sweep(&clean.terms, &clean.codes, 1, 0.7).unwrap_err(),
        AggregatorError::Attribute { attribute: 1, dims: 1 }
    );
    for share in [0.0, 1.0, -1.0, f64::NAN] {
        assert!(sweep(&clean.terms, &clean.codes, 0, share).is_err());
        assert!(corrected(&clean.raw(), &Decoder::of(&clean.terms, 0), share).is_err());
    }
    assert!(as_printed(&Condensed::new(0)).is_empty());
}
