//! The discrete Gaussian from a table has the distribution of the other one, and wrong ones do not.

use crate::support::*;
use dashu_ratio::RBig;
use shoal_noise::{DiscreteGaussian, DiscreteLaplace, NoiseError, NoiseSource, SeededNoise, TabledGaussian};

/// Variances with one step per cell, at the change to wider cells, with positions that need a word of their own, and
/// the largest.
fn variances() -> Vec<RBig> {
    vec![
        ratio(9, 100),
        ratio(1, 3),
        ratio(1, 1),
        ratio(225, 4),
        ratio(1023, 1),
        ratio(1025, 1),
        ratio(1_000_003, 7),
        ratio(1 << 40, 1),
        ratio(1 << 60, 1),
        RBig::from(1_u64 << 52).sqr(),
    ]
}

#[test]
fn law_and_mutants() {
    let mut s = source(61);
    let s = &mut *s;
    for variance in variances() {
        let name = variance.to_string();
        let law = DiscreteGaussian::new(variance.clone()).unwrap();
        let p = |zs: &[i64]| fit_tail(zs, |z| law.tail(z), i64::MIN);
        let fast = TabledGaussian::new(&variance).unwrap();
        let mut zs = vec![0; DRAWS];
        fast.fill(s, &mut zs);
        accept(&name, p(&zs));
        accept(&name, symmetry(&zs));
        if variance > RBig::from(1_u64 << 32) {
            accept(&name, low_bits(&zs, 16));
            reject(&format!("{name}, a stuck bit"), low_bits(&draws(DRAWS, || fast.sample(s) | 4), 16));
        }
        for (what, factor) in [("scale x 1.1", ratio(121, 100)), ("scale x 0.9", ratio(81, 100))] {
            let wrong = TabledGaussian::new(&(&variance * factor).min(RBig::from(1_u64 << 52).sqr())).unwrap();
            if variance < RBig::from(1_u64 << 52).sqr() || what.ends_with("0.9") {
                reject(&format!("{name}, {what}"), p(&draws(DRAWS, || wrong.sample(s))));
            }
        }
        reject(&format!("{name}, missing sign"), p(&draws(DRAWS, || fast.sample(s).abs())));
        let narrow = draws(DRAWS, || fast.sample(s) / 2 * 2);
        if variance < ratio(1000, 1) {
            reject(&format!("{name}, even only"), p(&narrow));
            reject(&format!("{name}, off by one"), p(&draws(DRAWS, || fast.sample(s) + 1)));
        }
    }
}

/// Laplace noise of the same variance is not it.
#[test]
fn laplace_is_rejected() {
    let mut s = source(62);
    let law = DiscreteGaussian::new(ratio(1 << 20, 1)).unwrap();
    let laplace = DiscreteLaplace::new(RBig::try_from(2.0_f64.sqrt() / 1024.0).unwrap()).unwrap();
    reject("Laplace", fit_tail(&draws(DRAWS, || laplace.sample(&mut *s)), |z| law.tail(z), i64::MIN));
}

#[test]
fn forced_draws_equal_fast_draws() {
    for variance in variances() {
        let fast = TabledGaussian::new(&variance).unwrap();
        let slow = fast.clone().exact_only();
        let (mut a, mut b) = (SeededNoise::new(63), SeededNoise::new(63));
        for _ in 0..5_000 {
            assert_eq!(fast.sample(&mut a), slow.sample(&mut b), "{variance}");
        }
        assert_eq!(a.next_u64(), b.next_u64());
    }
}

/// A source whose first words are given.
struct Scripted(Vec<u64>, SeededNoise);

impl NoiseSource for Scripted {
    fn next_u64(&mut self) -> u64 {
        if self.0.is_empty() { self.1.next_u64() } else { self.0.remove(0) }
    }
    fn fill_bytes(&mut self, bytes: &mut [u8]) {
        self.1.fill_bytes(bytes);
    }
    fn fork(&mut self, _: u64) -> Self {
        Self(Vec::new(), SeededNoise::new(0))
    }
}

/// The tail is out of reach of sampling, so words that lead to it are looked for: beyond 6.6 σ sizes still come.
#[test]
fn the_tail_can_be_reached() {
    let law = TabledGaussian::new(&ratio(1 << 40, 1)).unwrap();
    let mut far = 0;
    for column in 0..512_u64 {
        // The highest choice of a column is its other outcome, the lowest its own.
        for choice in [0, (1_u64 << 32) - 1] {
            let mut source = Scripted(vec![column << 55 | choice << 23, 0, 0, 0], SeededNoise::new(1));
            far += u32::from(law.sample(&mut source) > (66 << 20) / 10);
        }
    }
    assert!(far >= 1, "no word leads to the tail");
}

#[test]
fn bad_variances() {
    for given in [ratio(0, 1), ratio(-1, 2)] {
        assert!(matches!(TabledGaussian::new(&given), Err(NoiseError::NonPositiveVariance { .. })));
    }
    let large = RBig::from(1_u64 << 52).sqr() + RBig::ONE;
    assert!(matches!(TabledGaussian::new(&large), Err(NoiseError::ScaleTooLarge { .. })));
    let law = TabledGaussian::new(&(RBig::ONE / RBig::from(10_u8).pow(400))).unwrap();
    let mut s = SeededNoise::new(64);
    assert!((0..1000).all(|_| law.sample(&mut s) == 0));
}
