//! The branch that is almost never taken gives the answer of infinite precision.

use crate::support::*;
use shoal_noise::{
    DiscreteGaussian, DiscreteLaplace, ExponentialMechanism, Geometric, LInfinityKNorm, MaxNoise, NoiseSource,
    NoisyMax, ScoreKind, SeededNoise,
};

/// Given words first, then a seeded stream.
struct Scripted {
    words: Vec<u64>,
    next: usize,
    rest: SeededNoise,
}

impl Scripted {
    fn new(words: &[u64]) -> Self {
        Self { words: words.to_vec(), next: 0, rest: SeededNoise::new(0) }
    }
}

impl NoiseSource for Scripted {
    fn next_u64(&mut self) -> u64 {
        self.next += 1;
        match self.words.get(self.next - 1) {
            Some(&word) => word,
            None => self.rest.next_u64(),
        }
    }

    fn fill_bytes(&mut self, bytes: &mut [u8]) {
        self.rest.fill_bytes(bytes);
    }

    fn fork(&mut self, _: u64) -> Self {
        Self::new(&[])
    }
}

/// Same words, same draws, whether decisions are made in tables, in doubles or in integers, and
/// the same number of words consumed.
#[test]
fn forced_draws_equal_fast_draws() {
    let n = 3_000;
    for decay in
        [ratio(10, 3), ratio(1, 1), ratio(2, 15), ratio(1, 1000), ratio(1, 1 << 20), ratio(1, 1_000_000_000_000_000)]
    {
        let fast = DiscreteLaplace::new(decay.clone()).unwrap();
        let slow = fast.clone().exact_only();
        let (mut a, mut b) = (SeededNoise::new(31), SeededNoise::new(31));
        for _ in 0..n {
            assert_eq!(fast.sample(&mut a), slow.sample(&mut b), "Laplace, {decay}");
        }
        assert_eq!(a.next_u64(), b.next_u64());

        let fast = DiscreteGaussian::new(decay.sqr()).unwrap();
        let wide = DiscreteGaussian::new(dashu_ratio::RBig::ONE / decay.sqr()).unwrap();
        for fast in [fast, wide] {
            let slow = fast.clone().exact_only();
            for _ in 0..n {
                assert_eq!(fast.sample(&mut a), slow.sample(&mut b), "Gaussian, {decay}");
            }
            assert_eq!(a.next_u64(), b.next_u64());
        }
    }
    for (decay, widths) in [(ratio(1, 1), vec![1_u64, 1]), (ratio(1, 50), vec![1; 8]), (ratio(2, 1), vec![1000, 1, 30])]
    {
        let fast = LInfinityKNorm::with_half_widths(decay, &widths).unwrap();
        let slow = fast.clone().exact_only();
        let (mut a, mut b) = (SeededNoise::new(32), SeededNoise::new(32));
        let (mut x, mut y) = (vec![0; widths.len()], vec![0; widths.len()]);
        for _ in 0..500 {
            fast.sample(&mut a, &mut x);
            slow.sample(&mut b, &mut y);
            assert_eq!(x, y, "K-norm");
        }
        assert_eq!(a.next_u64(), b.next_u64());
    }
    let scores = [3_i64, 5, -2, 5, 4, i64::MIN];
    let fast = ExponentialMechanism::new(&ratio(1, 3), &ratio(1, 1), ScoreKind::Monotone).unwrap();
    let slow = fast.clone().exact_only();
    let max = NoisyMax::new(MaxNoise::Geometric, &ratio(1, 3), &ratio(1, 1), ScoreKind::General);
    let fast_max = max.unwrap();
    let slow_max = fast_max.clone().exact_only();
    let (mut a, mut b) = (SeededNoise::new(33), SeededNoise::new(33));
    for _ in 0..n {
        assert_eq!(fast.choose(&mut a, &scores), slow.choose(&mut b, &scores));
    }
    for _ in 0..500 {
        assert_eq!(fast_max.choose(&mut a, &scores), slow_max.choose(&mut b, &scores));
    }
    assert_eq!(a.next_u64(), b.next_u64());
}

/// The forced branch against the distribution itself, and against one that it must not have.
#[test]
fn forced_branch_meets_the_law() {
    let n = 25_000;
    for decay in [ratio(1, 1), ratio(1, 37)] {
        let law = DiscreteLaplace::new(decay.clone()).unwrap();
        let slow = law.clone().exact_only();
        let mut s = source(34);
        let zs = draws(n, || slow.sample(&mut *s));
        accept("forced Laplace", fit_tail(&zs, |z| law.tail(z), i64::MIN));
        let wrong = DiscreteLaplace::new(decay * ratio(10, 11)).unwrap();
        reject("forced Laplace x 1.1", fit_tail(&zs, |z| wrong.tail(z), i64::MIN));
    }
    let law = DiscreteGaussian::new(ratio(50, 3)).unwrap();
    let slow = law.clone().exact_only();
    let mut s = source(35);
    let zs = draws(n, || slow.sample(&mut *s));
    accept("forced Gaussian", fit_tail(&zs, |z| law.tail(z), i64::MIN));
    let wrong = DiscreteGaussian::new(ratio(60, 3)).unwrap();
    reject("forced Gaussian x 1.1", fit_tail(&zs, |z| wrong.tail(z), i64::MIN));
}

/// e^-100 = 2^-144.27 lies far below one word. With 63 + 64 zero bits drawn, the third word says
/// on which side of 2^(191 - 144.27) = 2^46.73 the uniform real falls.
#[test]
fn undecided_words_are_extended() {
    let law = Geometric::new(ratio(100, 1)).unwrap();
    for (third, want) in [(1 << 46, 1), (1 << 47, 0), (117_000_000_000_000, 0)] {
        let mut s = Scripted::new(&[0, 0, third]);
        assert_eq!(law.sample(&mut s), want, "third word {third}");
        assert_eq!(s.next, 3, "words used");
    }
    // One bit is enough where it decides: no further word is drawn.
    let mut s = Scripted::new(&[2]);
    assert_eq!(law.sample(&mut s), 0);
    assert_eq!(s.next, 1);
}

/// e^-1 at 63 bits: the words around the threshold, one of which must be extended.
#[test]
fn words_at_a_threshold_are_decided_by_the_next_word() {
    // floor(e^-1 * 2^63) and the following 64 bits of e^-1, computed with mpmath.
    let (head, next) = (3_393_088_950_634_442_637_u64, 6_732_709_649_732_762_758_u64);
    let law = Geometric::new(ratio(1, 1)).unwrap();
    let draw = |words: &[u64]| {
        let mut s = Scripted::new(words);
        (law.sample(&mut s), s.next)
    };
    assert_eq!(draw(&[(head - 1) << 1]), (1, 1));
    assert_eq!(draw(&[(head + 1) << 1]), (0, 1));
    assert_eq!(draw(&[head << 1, next - 1]), (1, 2));
    assert_eq!(draw(&[head << 1, next + 1]), (0, 2));
    assert_eq!(draw(&[head << 1, next, 0]).1, 3);
}

/// Equal weights put a threshold at exactly 1/2, which no enclosure can separate from its neighbours;
/// the uniform real then has to move away from it.
#[test]
fn a_threshold_on_a_cell_edge_terminates() {
    let mechanism = ExponentialMechanism::new(&ratio(1, 3), &ratio(1, 1), ScoreKind::Monotone).unwrap();
    let choice = mechanism.prepare(&[7_i64, 7, 0, 0]).unwrap();
    let mut s = Scripted::new(&[1 << 63]);
    assert!(choice.sample(&mut s) < 4);
    let even = mechanism.prepare(&[7_i64, 7]).unwrap();
    let mut s = Scripted::new(&[1 << 63, 5]);
    assert_eq!(even.sample(&mut s), 1);
    let mut s = Scripted::new(&[(1 << 63) - 2, u64::MAX - 1]);
    assert_eq!(even.sample(&mut s), 0);
}
