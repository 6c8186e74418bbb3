//! DPBV: a record's bits, each flipped with probability 1/(1+e^ε) (eq. 7).
//!
//! *Privacy*: every bit of every attribute is flipped by a coin of its own, so what leaves is ε-private in each bit that
//! two records differ in; what that comes to for whole records is computed by [`Promise`](crate::Promise).
//! *Distribution*: exact, [`BitFlips`]. *Deviations*: none; bits that only fill up a word are zero before and after.

use shoal_noise::{BitFlips, NoiseError, NoiseSource};
use shoal_privacy::MethodInfo;

use crate::Anchors;
use crate::catalogue::ENCODING;
use crate::custodian::bv::Bv;
use crate::{Agreement, Codes, Flips, Terms};

/// Its row in the catalogue.
pub(crate) const METHOD: MethodInfo = MethodInfo {
    name: "dpbv",
    summary: "bits that show which windows a value is in, each flipped with probability 1/(1+e^ε)",
    options: &["bits", "epsilon", "window", "t"],
    ..ENCODING
};

/// The encoder of whole records.
#[derive(Clone)]
pub struct Dpbv {
    attributes: Vec<Bv>,
    flips: Option<BitFlips>,
    bits: usize,
}

impl Dpbv {
    /// The encoder on which custodians agreed. Without flips it is BV.
    pub fn new(agreement: &Agreement) -> Result<Self, NoiseError> {
        Self::of(&agreement.anchors(), agreement.terms().flips())
    }

    /// An encoder with one list of anchors for each attribute, all of one length.
    ///
    /// # Panics
    /// When they are not: bits beyond the first list's would leave as they are.
    pub fn of(anchors: &[Anchors], flips: &Flips) -> Result<Self, NoiseError> {
        let flips = match flips {
            Flips::None => None,
            Flips::PerBit(epsilon) => Some(BitFlips::new(epsilon.amount().as_rational().clone())?),
        };
        let bits = anchors.first().map_or(0, Anchors::len);
        assert!(anchors.iter().all(|anchors| anchors.len() == bits), "as many anchors for each attribute");
        Ok(Self { attributes: anchors.iter().map(Bv::new).collect(), flips, bits })
    }

    /// Number of attributes.
    pub fn dims(&self) -> usize {
        self.attributes.len()
    }

    /// Words of a record's codes.
    pub fn record_words(&self) -> usize {
        self.attributes.iter().map(Bv::words).sum()
    }

    /// Writes the code of a record, given in lattice steps, attribute by attribute.
    ///
    /// # Panics
    /// When the record has not one value for each attribute, or `codes` another number of words.
    pub fn encode(&self, record: &[i32], noise: &mut (impl NoiseSource + ?Sized), codes: &mut [u64]) {
        assert_eq!(record.len(), self.dims(), "one value for each attribute");
        assert_eq!(codes.len(), self.record_words(), "room for every code");
        let Some(first) = self.attributes.first() else { return };
        let words = first.words();
        for ((bv, x), code) in self.attributes.iter().zip(record).zip(codes.chunks_exact_mut(words)) {
            bv.encode(*x, code);
        }
        if let Some(flips) = &self.flips {
            self.flip(flips, noise, codes);
        }
    }

    /// The codes of records in lattice steps, one after the other. `terms` are those of the encoder's anchors.
    ///
    /// # Panics
    /// When the values do not make whole records, or the terms are others.
    pub fn encode_all(&self, terms: &Terms, records: &[i32], noise: &mut (impl NoiseSource + ?Sized)) -> Codes {
        assert!(records.len().is_multiple_of(self.dims()), "whole records");
        let mut codes = Codes::new(terms);
        let mut words = vec![0; codes.record_words()];
        for record in records.chunks_exact(self.dims()) {
            self.encode(record, noise, &mut words);
            codes.extend(&words);
        }
        codes
    }

    /// Eq. 7: every bit meets a coin of its own.
    fn flip(&self, flips: &BitFlips, noise: &mut (impl NoiseSource + ?Sized), codes: &mut [u64]) {
        let Some(first) = self.attributes.first() else { return };
        let (words, last) = (first.words(), first.last_word());
        // Coins come sixty-four at a time: where codes are short, one word of them serves several.
        let of_one_word = 64 / self.bits.clamp(1, 64);
        if of_one_word > 1 {
            for codes in codes.chunks_mut(of_one_word) {
                let mut coins = [0];
                flips.fill(noise, &mut coins);
                for (i, code) in codes.iter_mut().enumerate() {
                    *code ^= coins[0] >> (i * self.bits) & last;
                }
            }
            return;
        }
        let mut coins = [0; 16];
        for code in codes.chunks_exact_mut(words) {
            for part in code.chunks_mut(coins.len()) {
                let coins = &mut coins[..part.len()];
                flips.fill(noise, coins);
                part.iter_mut().zip(coins.iter()).for_each(|(word, coins)| *word ^= coins);
            }
            if let Some(word) = code.last_mut() {
                *word &= last;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AnchorSecret, Attribute, Scale, Terms};
    use shoal_lattice::Interval;
    use shoal_noise::SeededNoise;

    fn agreement(bits: u32, dims: usize, epsilon: Option<&str>) -> Agreement {
        let attribute = |i| Attribute::new(format!("a{i}"), Interval::new(0.0, 1.0).unwrap(), 0.5).unwrap();
        let flips = epsilon.map_or(Flips::None, |epsilon| Flips::PerBit(epsilon.parse().unwrap()));
        let terms = Terms::new((0..dims).map(attribute).collect(), bits, flips, Scale::Own).unwrap();
        Agreement::new(terms, AnchorSecret::from_seed(3))
    }

    /// Where the bits of a record's codes are among the bits of its words.
    fn places(bits: usize, dims: usize) -> Vec<usize> {
        let words = bits.div_ceil(64);
        (0..dims).flat_map(|i| 64 * words * i..64 * words * i + bits).collect()
    }

    /// How often each bit of a record differs from its clean one, padding included, and how often two neighbours both do:
    /// each bit of a code and the next one, the last and the first of the next attribute.
    fn flipped(encoder: &Dpbv, clean: &[u64], record: &[i32], rounds: usize) -> (Vec<usize>, Vec<usize>) {
        let mut noise = SeededNoise::new(11);
        let mut codes = vec![0; encoder.record_words()];
        let (mut counts, mut both) = (vec![0; 64 * codes.len()], vec![0; 64 * codes.len()]);
        let places = places(encoder.bits, encoder.dims());
        for _ in 0..rounds {
            encoder.encode(record, &mut noise, &mut codes);
            let bit = |i: usize| (codes[i / 64] ^ clean[i / 64]) >> (i % 64) & 1 == 1;
            (0..counts.len()).for_each(|i| counts[i] += usize::from(bit(i)));
            for (n, &i) in places.iter().enumerate() {
                both[i] += usize::from(bit(i) && bit(places[(n + 1) % places.len()]));
            }
        }
        (counts, both)
    }

    /// True when every bit of a code is flipped as often as it should be, apart from its neighbour, and no other is at all.
    fn law_holds(counts: &[usize], both: &[usize], bits: usize, p: f64, rounds: usize) -> bool {
        let near = |count: usize, p: f64| {
            let (mean, sd) = (rounds as f64 * p, (rounds as f64 * p * (1.0 - p)).sqrt());
            (count as f64 - mean).abs() < 6.0 * sd
        };
        (0..counts.len()).all(|i| match i % (64 * bits.div_ceil(64)) < bits {
            true => near(counts[i], p) && near(both[i], p * p),
            false => counts[i] == 0,
        })
    }

    #[test]
    fn every_bit_is_flipped_and_none_beyond_them() {
        let rounds = 4000;
        for (bits, dims, epsilon) in
            [(1, 3, "1"), (5, 13, "1"), (32, 3, "2"), (33, 2, "0.5"), (64, 2, "1"), (130, 2, "1")]
        {
            let record: Vec<i32> = (0..dims).map(|i| 9000 * i as i32 % 65_535).collect();
            let encoder = Dpbv::new(&agreement(bits, dims, Some(epsilon))).unwrap();
            let mut clean = vec![0; encoder.record_words()];
            Dpbv::new(&agreement(bits, dims, None)).unwrap().encode(&record, &mut SeededNoise::new(0), &mut clean);
            let (mut counts, mut both) = flipped(&encoder, &clean, &record, rounds);
            let p = 1.0 / (1.0 + epsilon.parse::<f64>().unwrap().exp());
            let holds = |counts: &[usize], both: &[usize]| law_holds(counts, both, bits as usize, p, rounds);
            assert!(holds(&counts, &both), "{bits} bits, {dims} attributes");
            assert!(!law_holds(&counts, &both, bits as usize, 1.2 * p, rounds), "another ε passes");
            // Mutants: the last bit in the clear, one bit too many, and neighbours that share a coin.
            let last = (bits as usize - 1) % 64 + 64 * (bits as usize - 1).div_euclid(64);
            let true_count = std::mem::replace(&mut counts[last], 0);
            assert!(!holds(&counts, &both), "a bit in the clear passes");
            counts[last] = true_count;
            for place in [0, last] {
                let apart = std::mem::replace(&mut both[place], counts[place]);
                assert!(!holds(&counts, &both), "a coin that bit {place} and the next one share passes");
                both[place] = apart;
            }
            if bits % 64 > 0 {
                counts[bits as usize] = rounds / 2;
                assert!(!holds(&counts, &both), "a flipped filling bit passes");
            }
        }
    }

    #[test]
    fn coins_are_not_shared_between_attributes_or_records() {
        let of = |epsilon| Dpbv::new(&agreement(20, 4, epsilon)).unwrap();
        let mut noise = SeededNoise::new(5);
        let (mut clean, mut codes) = ([0; 4], [0; 4]);
        of(None).encode(&[7; 4], &mut noise, &mut clean);
        // Clean codes differ from attribute to attribute, so coins have to be looked at without them.
        let coins: Vec<[u64; 4]> = (0..200)
            .map(|_| {
                of(Some("0.000001")).encode(&[7; 4], &mut noise, &mut codes);
                std::array::from_fn(|i| codes[i] ^ clean[i])
            })
            .collect();
        let distinct = |coins: &[[u64; 4]]| coins.iter().flatten().collect::<std::collections::HashSet<_>>().len();
        // Of 800 words of 20 nearly fair coins, less than one pair is expected to be equal.
        assert!(distinct(&coins) > 790, "{}", distinct(&coins));
        let attributes: Vec<_> = coins.iter().map(|&[a, b, c, _]| [a, b, c, a]).collect();
        assert!(distinct(&attributes) <= 790, "coins of another attribute pass");
        let records: Vec<_> = (0..200).map(|i| coins[i / 2]).collect();
        assert!(distinct(&records) <= 790, "coins of another record pass");
    }

    #[test]
    #[should_panic(expected = "as many anchors for each attribute")]
    fn codes_of_different_lengths_are_refused() {
        let short = Anchors::from_positions(vec![5; 10], 3);
        let long = Anchors::from_positions(vec![5; 20], 3);
        let _ = Dpbv::of(&[short, long], &Flips::PerBit("1".parse().unwrap()));
    }
}
