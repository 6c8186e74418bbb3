//! Exact decisions at the price of a comparison.
//!
//! *Distribution*: a decision with probability p is "a uniform real U is below p". U is never written out:
//! one 63-bit word says that U lies in [w, w + 1) / 2^63. If p is certainly above that cell the
//! answer is yes, if certainly below it is no, and only a word whose cell may contain p goes to
//! [`LazyUniform`], which keeps the bits already seen, encloses p with integers
//! ([`crate::exact::enclosure`]) and appends fresh words to U until its cell and p part. The answer is
//! always the one the infinitely precise comparison gives, so p is met exactly.
//!
//! *Runtime*: thresholds known to 63 bits are undecided for about one word in 2^63; probabilities
//! estimated in doubles are compared with [`Margin::ROUTINE`], 2^-40, and undecided for one word
//! in about 2^39. Exact work costs microseconds.
//!
//! *Assumes*: for the estimates in doubles, that `libm::exp` (a translation of the FreeBSD code,
//! whose stated error is below one unit in the last place) is within 2^-45 on [-inf, 0]; the
//! callers show that their arguments add less than 2^-45 more. The margin is 16 times the sum.
//! Nothing is assumed beyond integer arithmetic where thresholds come from enclosures.
//!
//! *Determinism*: which words are consumed depends on the words and the parameters, not on the
//! float unit. A decision that was undecided in doubles is first retried with the bits at hand
//! and 64 further bits of p, and another word is drawn only if that does not settle it. Hence
//! [`Margin::EVERYTHING`] gives the same draws from the same seed, slowly.

use dashu_int::UBig;
use dashu_ratio::RBig;

use crate::exact::enclosure::Enclosure;
use crate::source::NoiseSource;

/// Bits of U that the first word supplies; the 64th is free for a sign.
pub(crate) const WORD_BITS: usize = 63;
const GUARD_BITS: usize = 64;
const TWO_63: f64 = (1_u64 << 63) as f64;

/// How close to its estimate a comparison in doubles is still believed, in units of 2^-63.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Margin(u64);

impl Margin {
    /// 2^-40.
    pub const ROUTINE: Self = Self(1 << 23);
    /// Believe nothing: every decision is made in integers.
    pub const EVERYTHING: Self = Self(u64::MAX);

    /// For a probability that magnifies the error of its estimate so many times.
    pub fn widened(self, times: u64) -> Self {
        Self(self.0.saturating_mul(times))
    }

    /// Words below this are certainly below the probability that was estimated.
    #[inline]
    pub fn under(self, estimate: f64) -> u64 {
        ((estimate * TWO_63) as u64).saturating_sub(self.0)
    }

    /// Words from this one on are certainly not below the probability that was estimated.
    #[inline]
    pub fn over(self, estimate: f64) -> u64 {
        ((estimate * TWO_63) as u64).saturating_add(self.0)
    }
}

/// A uniform real in [0, 1) of which only the leading bits have been drawn.
pub(crate) struct LazyUniform {
    head: UBig,
    bits: usize,
}

impl LazyUniform {
    pub fn from_word(word: u64) -> Self {
        debug_assert!(word < 1 << WORD_BITS);
        Self { head: UBig::from(word), bits: WORD_BITS }
    }

    fn extend(&mut self, source: &mut (impl NoiseSource + ?Sized)) {
        self.head = (&self.head << 64) + UBig::from(source.next_u64());
        self.bits += 64;
    }

    /// Both ends of the cell that holds U, at the resolution at which p is enclosed.
    fn cell(&self) -> (UBig, UBig) {
        (&self.head << GUARD_BITS, (&self.head + UBig::ONE) << GUARD_BITS)
    }

    /// Whether U is below the enclosed probability. `enclose` is asked for so many bits.
    pub fn below(&mut self, source: &mut (impl NoiseSource + ?Sized), enclose: impl Fn(usize) -> Enclosure) -> bool {
        loop {
            let p = enclose(self.bits + GUARD_BITS);
            let (from, to) = self.cell();
            if to <= p.low {
                return true;
            }
            if from >= p.high {
                return false;
            }
            self.extend(source);
        }
    }

    /// How many of the enclosed thresholds, given in ascending order, U has reached.
    pub fn rank(
        &mut self,
        source: &mut (impl NoiseSource + ?Sized),
        enclose: impl Fn(usize) -> Vec<Enclosure>,
    ) -> usize {
        loop {
            let thresholds = enclose(self.bits + GUARD_BITS);
            let (from, to) = self.cell();
            let reached = thresholds.iter().filter(|t| from >= t.high).count();
            let ahead = thresholds.iter().filter(|t| to <= t.low).count();
            if reached + ahead == thresholds.len() {
                return reached;
            }
            self.extend(source);
        }
    }
}

/// Whether the word is below an estimated probability, or `None` when it is too close to call.
#[inline]
pub(crate) fn compare(word: u64, estimate: f64, margin: Margin) -> Option<bool> {
    if word < margin.under(estimate) {
        Some(true)
    } else if word >= margin.over(estimate) {
        Some(false)
    } else {
        None
    }
}

/// A coin with probability e^-x, decided by `word`. `estimate` is x in doubles, good enough that
/// e^-x moves by less than 2^-45; `exact` is x itself and is only asked for when that matters.
#[inline]
pub(crate) fn accept_exp_neg(
    source: &mut (impl NoiseSource + ?Sized),
    word: u64,
    estimate: f64,
    margin: Margin,
    exact: impl Fn() -> RBig,
) -> bool {
    match compare(word, libm::exp(-estimate), margin) {
        Some(answer) => answer,
        None => accept_exp_neg_exactly(source, word, &exact()),
    }
}

#[cold]
pub(crate) fn accept_exp_neg_exactly(source: &mut (impl NoiseSource + ?Sized), word: u64, x: &RBig) -> bool {
    LazyUniform::from_word(word).below(source, |bits| Enclosure::exp_neg(x, bits))
}

/// Turns enclosed weights into the ascending thresholds at which U passes from one index to the
/// next: the k-th is the share of the weights up to and including k. The last one is 1 and left
/// out, so `n` weights give `n - 1` thresholds.
pub(crate) fn cumulative_shares(weights: &[Enclosure], bits: usize) -> Vec<Enclosure> {
    let mut ahead_low: UBig = weights.iter().map(|w| &w.low).sum();
    let mut ahead_high: UBig = weights.iter().map(|w| &w.high).sum();
    let (mut low, mut high) = (UBig::ZERO, UBig::ZERO);
    let mut shares = Vec::with_capacity(weights.len().saturating_sub(1));
    for weight in weights.iter().take(weights.len().saturating_sub(1)) {
        low += &weight.low;
        high += &weight.high;
        ahead_low -= &weight.low;
        ahead_high -= &weight.high;
        // A share a / (a + b) grows with a and falls with b.
        shares.push(Enclosure {
            low: Enclosure::ratio(&low, &(&low + &ahead_high), bits).low,
            high: Enclosure::ratio(&high, &(&high + &ahead_low), bits).high,
            bits,
        });
    }
    shares
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SeededNoise;
    use dashu_base::BitTest;

    /// What the margin assumes of `libm::exp`, at ten thousand arguments: within 2^-45; in fact
    /// it stays within 2^-53 or so.
    #[test]
    fn exp_in_doubles_is_within_its_bound() {
        let mut source = SeededNoise::new(3);
        for n in 0..10_000_u32 {
            let scale = libm::ldexp(1.0, (n % 60) as i32 - 56);
            let x = crate::uniform::unit_f64(&mut source) * scale;
            let estimate = (libm::exp(-x) * TWO_63) as u64;
            let truth = Enclosure::exp_neg(&RBig::try_from(x).unwrap(), 127);
            let (low, high) = truth.words();
            let slack = 1 << (63 - 52);
            assert!(estimate + slack >= low && estimate <= high + slack, "e^-{x}");
        }
    }

    #[test]
    fn margins_enclose_the_estimate_and_take_in_everything() {
        for p in [0.0, 1e-30, 0.3, 0.999_999, 1.0] {
            let word = (p * TWO_63) as u64;
            assert!(Margin::ROUTINE.under(p) <= word && Margin::ROUTINE.over(p) > word);
            assert_eq!(Margin::EVERYTHING.under(p), 0);
            assert_eq!(Margin::EVERYTHING.over(p), u64::MAX);
        }
        assert_eq!(compare(5, 0.0, Margin::ROUTINE), None);
        assert_eq!(compare(1 << 40, 0.0, Margin::ROUTINE), Some(false));
        assert_eq!(compare((1 << 63) - (1 << 24), 1.0, Margin::ROUTINE), Some(true));
    }

    /// Shares of 1 : 2 : 5, known exactly.
    #[test]
    fn shares_of_known_weights() {
        let weights: Vec<Enclosure> =
            [1_u8, 2, 5].iter().map(|&w| Enclosure::ratio(&UBig::from(w), &UBig::ONE, 90)).collect();
        let shares = cumulative_shares(&weights, 70);
        assert_eq!(shares.len(), 2);
        for (share, eighths) in shares.iter().zip([1_u8, 3]) {
            let want = UBig::from(eighths) << 67;
            assert!(share.low <= want && want <= share.high);
            assert!((&share.high - &share.low).bit_len() <= 2);
        }
    }
}
