//! Algorithm 1 in its four forms.

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
        Self::with_bits(steps, t, 1000, epsilon, seed)
    }

    fn with_bits(steps: Vec<i32>, t: f64, bits: u32, epsilon: Option<&str>, seed: u64) -> Self {
        let terms = terms(1, RANGE, t, bits, epsilon);
        let codes = encode(&terms, seed, &steps, &mut SeededNoise::new(seed));
        Self { terms, codes, steps }
    }

    fn uniform(records: usize, bits: u32, epsilon: Option<&str>, seed: u64) -> Self {
        let mut source = SeededNoise::new(1000 + seed);
        let steps = (0..records).map(|_| uniform::below(&mut source, STEPS + 1) as i32).collect();
        Self::with_bits(steps, 3.0, bits, epsilon, seed)
    }

    fn raw(&self) -> Condensed {
        Horizontal::new(&self.terms, &self.codes).unwrap().attribute(0).unwrap()
    }

    fn corrected(&self, share: f64) -> Condensed {
        corrected(&self.raw(), &Decoder::of(&self.terms, 0), share).unwrap()
    }

    fn layered(&self, share: f64) -> Condensed {
        layered(&self.raw(), &Decoder::of(&self.terms, 0), share).unwrap()
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

/// Mean errors over several draws of records, anchors and flips: as they are, as printed, layered, and by shortest paths.
#[allow(clippy::print_stdout)]
fn errors(epsilon: Option<&str>, bits: u32) -> [f64; 4] {
    let mut means = [0.0; 4];
    for seed in 0..10 {
        let setting = Setting::uniform(100, bits, epsilon, seed);
        let raw = setting.raw();
        let all = [&raw, &as_printed(&raw), &setting.layered(DEFAULT_SHARE), &setting.corrected(DEFAULT_SHARE)];
        means.iter_mut().zip(all).for_each(|(mean, found)| *mean += setting.error(found) / 10.0);
    }
    let [raw, printed, layered, paths] = means;
    println!(
        "ε = {epsilon:?}, s = {bits}: raw {raw:.2}, as printed {printed:.2}, layered {layered:.2}, paths {paths:.2}"
    );
    means
}

#[test]
fn errors_without_noise_are_those_of_the_papers_setting() {
    let [raw, printed, layers, paths] = errors(None, 1000);
    assert!((3.4..4.1).contains(&raw), "{raw}");
    assert!(printed > 0.9 * raw, "as printed {printed} is hardly better than {raw}");
    assert!(layers < 0.3 && paths < 0.3, "{layers} {paths}");
    // A mutant whose view reaches into where distances no longer grow.
    let setting = Setting::uniform(100, 1000, None, 1);
    for mutant in [setting.error(&setting.corrected(0.999)), setting.error(&setting.layered(0.999))] {
        assert!(mutant > 2.0 * paths, "{mutant}");
    }
}

#[test]
fn layers_lessen_the_error_where_noise_is_moderate_and_shortest_paths_do_not() {
    let [raw, printed, layers, paths] = errors(Some("5"), 1000);
    assert_eq!(printed, raw, "nothing adds up");
    assert!(layers < 0.1 * raw && paths > 3.0 * layers, "{raw} {layers} {paths}");
    let [raw, _, layers, paths] = errors(Some("2"), 1000);
    assert!(layers < 0.2 * raw && paths > raw, "{raw} {layers} {paths}");
    // Much noise needs many bits.
    let [raw, _, layers, paths] = errors(Some("1"), 1000);
    assert!(layers < 1.2 * raw && paths > raw, "{raw} {layers} {paths}");
    let [raw, _, layers, paths] = errors(Some("1"), 5000);
    assert!(layers < 0.4 * raw && paths > raw, "{raw} {layers} {paths}");
}

#[test]
fn a_round_sees_only_what_was_known_before_it() {
    // Records at 0, 1, 2, 3, 4 with a view of 1: layers are 2, 3 and 4 apart. A wrong distance between neighbours goes
    // into every chain over them, and a median over two ways halves nothing here, as every chain has to take it.
    let terms = terms(1, RANGE, 3.0, 1000, None);
    let decoder = Decoder::of(&terms, 0);
    let view = 1.0 / decoder.saturation();
    let place = [0.0, 1.0, 2.0, 3.0, 4.0_f64];
    let distances = Condensed::from_fn(5, |i, j| (place[i] - place[j]).abs().min(1.5));
    let refined = layered(&distances, &decoder, view).unwrap();
    for (i, j) in [(0, 2), (0, 3), (0, 4), (1, 4)] {
        assert!((refined.get(i, j) - (place[i] - place[j]).abs()).abs() < 1e-12, "{i} {j}: {}", refined.get(i, j));
    }
    // Two ways from 0 to 3 that differ in length: layers take their median, shortest paths the shorter one.
    let pairs = [(0, 1, 0.8), (0, 2, 1.0), (1, 3, 0.8), (2, 3, 1.0), (1, 2, 0.1), (0, 3, 9.0)];
    let length = |i: usize, j: usize| pairs.iter().find(|pair| (pair.0, pair.1) == (i, j)).unwrap().2;
    let distances = Condensed::from_fn(4, length);
    assert!((layered(&distances, &decoder, view).unwrap().get(0, 3) - 1.8).abs() < 1e-12);
    assert!((corrected(&distances, &decoder, view).unwrap().get(0, 3) - 1.6).abs() < 1e-12);
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
    assert_eq!(setting.layered(DEFAULT_SHARE).get(0, 1), raw.get(0, 1));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn the_sweep_gives_what_layers_and_shortest_paths_give(
        steps in prop::collection::vec(prop_oneof![0..=65_534i32, 0..9_000i32, Just(30_000)], 0..90),
        seed in 0u64..1000,
        t in 3.0..8.0f64,
        share in 0.5..0.7f64,
    ) {
        let setting = Setting::new(steps, t, None, seed);
        let line = sweep(&setting.terms, &setting.codes, 0, share).unwrap();
        for naive in [setting.corrected(share), setting.layered(share)] {
            for (swept, naive) in line.condensed().as_slice().iter().zip(naive.as_slice()) {
                prop_assert!((swept - naive).abs() < 1e-9, "{} against {}", swept, naive);
            }
        }
    }
}

#[test]
fn a_sweep_takes_few_rows() {
    let setting = Setting::uniform(2000, 1000, None, 7);
    let line = sweep(&setting.terms, &setting.codes, 0, DEFAULT_SHARE).unwrap();
    assert!(line.rows_used() <= 15, "{} rows", line.rows_used());
    assert!(setting.error(&line.condensed()) < 0.5);
}

#[test]
fn what_cannot_be_refined_is_refused() {
    let noisy = Setting::uniform(3, 1000, Some("1"), 1);
    assert_eq!(sweep(&noisy.terms, &noisy.codes, 0, 0.7).unwrap_err(), AggregatorError::Noisy);
    let clean = Setting::uniform(3, 1000, None, 1);
    assert_eq!(
        sweep(&clean.terms, &clean.codes, 1, 0.7).unwrap_err(),
        AggregatorError::Attribute { attribute: 1, dims: 1 }
    );
    for share in [0.0, 1.0, -1.0, f64::NAN] {
        assert!(sweep(&clean.terms, &clean.codes, 0, share).is_err());
        assert!(corrected(&clean.raw(), &Decoder::of(&clean.terms, 0), share).is_err());
        assert!(layered(&clean.raw(), &Decoder::of(&clean.terms, 0), share).is_err());
    }
    assert!(as_printed(&Condensed::new(0)).is_empty());
}
