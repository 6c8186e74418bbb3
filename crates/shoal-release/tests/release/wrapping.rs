//! Noise is whole where it is added modulo 2^64: wrapped, never saturated.

use proptest::prelude::*;
use shoal_kernel::{LatticeCentres, Reach};
use shoal_noise::{DiscreteGaussian, DiscreteLaplace, LInfinityKNorm, NoiseSource, SeededNoise};
use shoal_release::{NoiseSpec, Step, Take, wrapped};
use shoal_scan::Question;

use crate::questions::step;

/// Random words with some zeros among them: a uniform real of zeros is below all probabilities, so a draw becomes as large
/// as the number of zeros allows.
struct Stubborn {
    words: SeededNoise,
    zeros: std::ops::Range<usize>,
    at: usize,
}

impl Stubborn {
    fn new(zeros: usize) -> Self {
        Self { words: SeededNoise::new(5), zeros: 2..2 + zeros, at: 0 }
    }
}

impl NoiseSource for Stubborn {
    fn next_u64(&mut self) -> u64 {
        let word = self.words.next_u64();
        self.at += 1;
        if self.zeros.contains(&(self.at - 1)) { 0 } else { word }
    }

    fn fill_bytes(&mut self, bytes: &mut [u8]) {
        self.words.fill_bytes(bytes);
    }

    fn fork(&mut self, label: u64) -> Self {
        Self { words: self.words.fork(label), zeros: self.zeros.clone(), at: 0 }
    }
}

#[test]
fn numbers_wrap_around_at_the_ends() {
    let edge = 1_i128 << 63;
    for (number, word) in [
        (0, 0),
        (-1, u64::MAX),
        (edge - 1, (1 << 63) - 1),
        (edge, 1 << 63),
        (edge + 1, (1 << 63) + 1),
        (-edge, 1 << 63),
        (-edge - 1, (1 << 63) - 1),
        (2 * edge, 0),
        (2 * edge + 7, 7),
    ] {
        assert_eq!(wrapped(number), word, "{number}");
    }
    // A sum is read as a signed number: beyond the end it comes back from the other side.
    assert_eq!(wrapped(edge - 1).wrapping_add(wrapped(2)) as i64, i64::MIN + 1);
}

proptest! {
    #[test]
    fn shares_add_up_modulo_two_to_the_sixty_four(numbers in prop::collection::vec(any::<i128>(), 0..9)) {
        let exact = numbers.iter().fold(0_i128, |sum, &number| sum.wrapping_add(number));
        let shares = numbers.iter().fold(0_u64, |sum, &number| sum.wrapping_add(wrapped(number)));
        prop_assert_eq!(wrapped(exact), shares);
    }

    #[test]
    fn a_step_draws_what_its_mechanism_draws(step in step(), seed in any::<u64>()) {
        let prepared = step.prepare().unwrap();
        let wide = prepared.draw_wide(&mut SeededNoise::new(seed));
        prop_assert_eq!(wide.len(), step.numbers());
        let words: Vec<u64> = wide.iter().map(|&z| wrapped(z)).collect();
        prop_assert_eq!(step.draw_wrapped(&mut SeededNoise::new(seed)).unwrap(), words);
    }
}

/// A saturating sampler is the mutant: it must differ where draws are beyond 64 bits.
#[test]
fn draws_beyond_sixty_four_bits_are_whole() {
    let finest = || "1/4503599627370496".parse().unwrap();
    let laplace = DiscreteLaplace::new(finest()).unwrap();
    let (mut beyond, zeros) = (0, [0, 8, 60]);
    for zeros in zeros {
        let wide = laplace.sample_wide(&mut Stubborn::new(zeros));
        let saturated = laplace.sample(&mut Stubborn::new(zeros));
        assert_eq!(wide.clamp(-i128::from(i64::MAX), i128::from(i64::MAX)), i128::from(saturated));
        if wide.unsigned_abs() >= 1 << 63 {
            beyond += 1;
            assert_ne!(wrapped(wide), saturated as u64, "the saturating mutant must be caught");
        }
    }
    assert!(beyond > 0, "no draw was large enough to show anything");
}

#[test]
fn wide_draws_are_the_usual_ones_within_sixty_four_bits() {
    let (laplace, gaussian) = (
        DiscreteLaplace::new("1/1000".parse().unwrap()).unwrap(),
        DiscreteGaussian::new("1000000".parse().unwrap()).unwrap(),
    );
    let cube = LInfinityKNorm::with_half_widths("1/50".parse().unwrap(), &[3, 700, 1]).unwrap();
    let (mut wide, mut usual) = (SeededNoise::new(3), SeededNoise::new(3));
    for _ in 0..2000 {
        assert_eq!(laplace.sample_wide(&mut wide), i128::from(laplace.sample(&mut usual)));
        assert_eq!(gaussian.sample_wide(&mut wide), i128::from(gaussian.sample(&mut usual)));
        let (mut whole, mut saturated) = ([0_i128; 3], [0_i64; 3]);
        cube.sample_wide(&mut wide, &mut whole);
        cube.sample(&mut usual, &mut saturated);
        assert_eq!(whole, saturated.map(i128::from));
    }
}

#[test]
fn variances_are_those_of_the_draws() {
    let reach = Reach::new(LatticeCentres::new(2, vec![0; 4]), vec![10, 4000, 7, 7]);
    let question = Question::ClippedSums { centres: reach.reference().clone(), reach };
    for noise in [
        NoiseSpec::Cube { decay: "1/40".parse().unwrap(), scale: 16 },
        NoiseSpec::Gaussian { variance: "9".parse().unwrap() },
    ] {
        let prepared = Step::new(question.clone(), Take::SumsAndCounts, noise).unwrap().prepare().unwrap();
        let (source, draws) = (&mut SeededNoise::new(1), 20_000);
        let mut squares = [0.0; 6];
        for _ in 0..draws {
            squares.iter_mut().zip(prepared.draw_wide(source)).for_each(|(sum, z)| *sum += (z as f64).powi(2));
        }
        for (number, sum) in squares.into_iter().enumerate() {
            let ratio = sum / f64::from(draws) / prepared.variance(number);
            assert!((ratio - 1.0).abs() < 0.06, "number {number}: {ratio}");
        }
    }
}
