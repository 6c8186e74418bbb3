//! Coins for randomised response, 64 at a time.
//!
//! *Privacy*: a bit that is flipped by such a coin is ε-locally differentially private, exactly: either value is kept
//! with e^ε times the probability with which it is turned. Bits that differ between two inputs add up: h of them lose
//! hε.
//!
//! *Distribution*: every coin is 1 with probability p = 1 / (1 + e^ε), independently of all others. A coin is "a uniform real U
//! is below p". Bit j of 64 reals is one random word; the digits of p are gone through from the highest, and a lane is
//! settled at the first digit from which its own bit differs: below p where the digit is 1 and the bit 0. p is
//! irrational for every rational ε above zero, so its digits are unique and no enclosure stays undecided; those beyond
//! the [`KNOWN_DIGITS`] at hand come from finer enclosures when a lane gets there, once in 2^186 words.
//!
//! *Runtime*: a lane needs two words in expectation and the last of 64 about 7.3; there is no multiplication and no
//! table.
//!
//! *Assumes*: as [`crate::source`].
//!
//! *Paper*: Warner (1965) for the response; the comparison digit by digit is Knuth and Yao's (1976), here 64 at once.

use dashu_base::BitTest;
use dashu_int::UBig;
use dashu_ratio::RBig;

use crate::NoiseError;
use crate::exact::enclosure::{Enclosure, approx_f64, div_up};
use crate::source::NoiseSource;

/// Digits of p that are worked out beforehand.
pub const KNOWN_DIGITS: usize = 192;
const GUARD_BITS: usize = 64;

/// Exact sampler of independent coins with probability 1 / (1 + e^ε), packed into words.
///
/// ```
/// use dashu_ratio::RBig;
/// use shoal_noise::{BitFlips, SeededNoise};
///
/// let flips = BitFlips::new(RBig::from(2))?;
/// let code = [0xFFFF_0000_FFFF_0000_u64; 4];
/// let mut sent = [0; 4];
/// flips.fill(&mut SeededNoise::new(7), &mut sent);
/// for (sent, bits) in sent.iter_mut().zip(code) {
///     *sent ^= bits;
/// }
/// assert!((flips.probability() - 0.1192).abs() < 1e-4);
/// # Ok::<(), shoal_noise::NoiseError>(())
/// ```
#[derive(Clone)]
pub struct BitFlips {
    epsilon: RBig,
    epsilon_f64: f64,
    /// Each digit of p as a word of 64 equal bits.
    digits: Vec<u64>,
}

impl BitFlips {
    /// Coins that flip a bit with probability 1 / (1 + e^ε).
    ///
    /// # Errors
    /// When ε is not positive.
    pub fn new(epsilon: RBig) -> Result<Self, NoiseError> {
        if epsilon <= RBig::ZERO {
            return Err(NoiseError::NonPositiveEpsilon { given: epsilon.to_string() });
        }
        let digits = known_digits(&epsilon);
        Ok(Self { epsilon_f64: approx_f64(&epsilon).min(f64::MAX), epsilon, digits })
    }

    /// The same coins with every digit worked out anew when it is met; the draws are the same, slowly.
    #[must_use]
    pub fn exact_only(mut self) -> Self {
        self.digits.clear();
        self
    }

    /// ε of one bit.
    #[must_use]
    pub fn epsilon(&self) -> &RBig {
        &self.epsilon
    }

    /// 64 coins; those that came up are 1.
    #[inline]
    pub fn sample(&self, source: &mut (impl NoiseSource + ?Sized)) -> u64 {
        let (mut below, mut undecided) = (0, u64::MAX);
        for &digit in &self.digits {
            let bits = source.next_u64();
            below |= undecided & digit & !bits;
            undecided &= !(bits ^ digit);
            if undecided == 0 {
                return below;
            }
        }
        self.sample_further(source, below, undecided)
    }

    /// Fills `mask` with independent coins, 64 a word. A code of whole words is noised by ⊕ with it.
    pub fn fill(&self, source: &mut (impl NoiseSource + ?Sized), mask: &mut [u64]) {
        for word in mask {
            *word = self.sample(source);
        }
    }

    #[cold]
    fn sample_further(&self, source: &mut (impl NoiseSource + ?Sized), mut below: u64, mut undecided: u64) -> u64 {
        let mut place = self.digits.len();
        while undecided != 0 {
            let (digit, bits) = (digit(&self.epsilon, place), source.next_u64());
            below |= undecided & digit & !bits;
            undecided &= !(bits ^ digit);
            place += 1;
        }
        below
    }

    /// p, the probability of a flip.
    #[must_use]
    pub fn probability(&self) -> f64 {
        self.pmf(true)
    }

    /// ln P of a coin.
    #[must_use]
    pub fn ln_pmf(&self, flipped: bool) -> f64 {
        let kept = -libm::log1p(libm::exp(-self.epsilon_f64));
        if flipped { kept - self.epsilon_f64 } else { kept }
    }

    /// P of a coin.
    #[must_use]
    pub fn pmf(&self, flipped: bool) -> f64 {
        let alpha = libm::exp(-self.epsilon_f64);
        if flipped { alpha / (1.0 + alpha) } else { 1.0 / (1.0 + alpha) }
    }
}

/// p = α / (1 + α), α = e^-ε.
fn enclose(epsilon: &RBig, bits: usize) -> Enclosure {
    let alpha = Enclosure::exp_neg(epsilon, bits);
    let one = UBig::ONE << bits;
    // p rises with α.
    Enclosure {
        low: (&alpha.low << bits) / (&one + &alpha.low),
        high: div_up(&(&alpha.high << bits), &(one + &alpha.high)),
        bits,
    }
}

/// The first so many digits of p as an integer. Both ends of a fine enough enclosure share them.
fn head(epsilon: &RBig, digits: usize) -> UBig {
    let mut guard = GUARD_BITS;
    loop {
        let p = enclose(epsilon, digits + guard);
        let (low, high) = (p.low >> guard, p.high >> guard);
        if low == high {
            return low;
        }
        guard *= 2;
    }
}

/// Digit number `place` of p, counted from 0, as 64 equal bits.
fn digit(epsilon: &RBig, place: usize) -> u64 {
    spread(&head(epsilon, place + 1), 0)
}

fn known_digits(epsilon: &RBig) -> Vec<u64> {
    let head = head(epsilon, KNOWN_DIGITS);
    (0..KNOWN_DIGITS).rev().map(|bit| spread(&head, bit)).collect()
}

/// A bit of a number as 64 equal bits.
fn spread(number: &UBig, bit: usize) -> u64 {
    if number.bit(bit) { u64::MAX } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SeededNoise;

    /// floor(p * 2^512) in hexadecimal, made with mpmath at 1200 bits.
    const EXPANSIONS: [(&str, &str); 7] = [
        (
            "1/1000",
            "7fef9db243f665bdde19071ded94717cc9c5cec85c02a65a383044bdbd47b2cc\
             4f947d7333f1ab4207ef1b0d94f71a6f75be0a78c2589115d3d3e6e1820d7c12",
        ),
        (
            "1/10",
            "799af6c6b28241e8428c89a8d1adb24f61bac4456997c9b6c036cba3273199aa\
             a720dd2cd27446a6901d20b7c7e463e776f882253f50893404f8425d72c8f949",
        ),
        (
            "1/1",
            "44d9585152ea1935dae23bc7349ee58b066cd42fa414b2df6931a02fd276d114\
             1cc9e9e75b702fbc7a331ba04e5d27364702e9a27ff448613f3a1803ed69a999",
        ),
        (
            "2/1",
            "1e84152bac31aea9e735075b0ef62c06750cc9e1472feeeff5270996b04b2dac\
             6aee6c946d3f8c31830141ec64e3b4d8a16cf0f7d1dc1a0aedc3d0ac852cb5cc",
        ),
        (
            "10/1",
            "0002f9a65c83bb2bffa473c9a5469b2239d9133835f16151af2da20cc497022f\
             51142bead8e9a6e76ce5a74a4eb193a978435b050533f9515c379bce337dd513",
        ),
        (
            "40/1",
            "000000000000004e5e49266c68908d54edd39fc6b591768518f07f9cb6e82a17\
             4cc66e15d65076e2b987cd1649321cab43c0413efdf9a0dc83dc9816ed78ccbd",
        ),
        (
            "300/1",
            "0000000000000000000000000000000000000000000000000000000000000000\
             00000000000000000000000000000000000000000000922b1ce1d24fba5e103d",
        ),
    ];

    fn rational(text: &str) -> RBig {
        let (top, bottom) = text.split_once('/').unwrap();
        RBig::from_parts(top.parse().unwrap(), bottom.parse().unwrap())
    }

    /// Digits of an expansion, from the highest.
    fn expected(hexadecimal: &str) -> Vec<bool> {
        let nibble = |c: char| c.to_digit(16).unwrap();
        hexadecimal.chars().flat_map(|c| (0..4).rev().map(move |bit| nibble(c) >> bit & 1 == 1)).collect()
    }

    #[test]
    fn digits_are_those_of_an_independent_program() {
        for (epsilon, hexadecimal) in EXPANSIONS {
            let epsilon = rational(epsilon);
            let expected = expected(hexadecimal);
            let known = known_digits(&epsilon);
            assert_eq!(known.len(), KNOWN_DIGITS);
            for (place, &truth) in expected.iter().enumerate() {
                let word = if truth { u64::MAX } else { 0 };
                if place < KNOWN_DIGITS {
                    assert_eq!(known[place], word, "{epsilon}: digit {place}");
                }
                // Beyond the known ones, and a few of them again.
                if place > 150 {
                    assert_eq!(digit(&epsilon, place), word, "{epsilon}: digit {place} on demand");
                }
            }
        }
    }

    /// Equal to p in its first `agree` digits in all lanes, then a lane by lane mixture; then a seeded stream.
    struct NearTie {
        digits: Vec<u64>,
        last: u64,
        next: usize,
        rest: SeededNoise,
    }

    impl NoiseSource for NearTie {
        fn next_u64(&mut self) -> u64 {
            self.next += 1;
            match self.digits.get(self.next - 1) {
                Some(&word) => word,
                None if self.next == self.digits.len() + 1 => self.last,
                None => self.rest.next_u64(),
            }
        }

        fn fill_bytes(&mut self, bytes: &mut [u8]) {
            self.rest.fill_bytes(bytes);
        }

        fn fork(&mut self, _: u64) -> Self {
            unreachable!("coins do not fork")
        }
    }

    /// A lane that follows p for hundreds of digits is settled by the digit at which it leaves.
    #[test]
    fn ties_are_settled_beyond_the_known_digits() {
        for (epsilon, hexadecimal) in &EXPANSIONS[..6] {
            let flips = BitFlips::new(rational(epsilon)).unwrap();
            let digits: Vec<u64> = expected(hexadecimal).iter().map(|d| if *d { u64::MAX } else { 0 }).collect();
            for agree in [0, 1, 63, 64, 191, 192, 193, 300, 511] {
                let last = !digits[agree];
                let source = || NearTie { digits: digits[..agree].into(), last, next: 0, rest: SeededNoise::new(0) };
                let (mut a, mut b) = (source(), source());
                let coins = flips.sample(&mut a);
                // Leaving downward means below p, so all coins are 1; upward, none is.
                assert_eq!(coins, digits[agree], "{epsilon} after {agree} digits");
                assert_eq!(a.next, agree + 1, "settled at once");
                if agree < 64 {
                    assert_eq!(flips.clone().exact_only().sample(&mut b), coins);
                }
            }
        }
    }

    #[test]
    fn every_epsilon_above_zero_is_taken_and_no_other() {
        for good in ["1/1000000000000000000000000000000000000000000", "1000000000000000000000000000000/1"] {
            let flips = BitFlips::new(rational(good)).unwrap();
            assert!((0.0..=0.5).contains(&flips.probability()));
            flips.sample(&mut SeededNoise::new(1));
        }
        assert!(BitFlips::new(RBig::ZERO).is_err());
        assert!(BitFlips::new(-RBig::ONE).err().unwrap().to_string().contains("above zero"));
    }
}
