//! BV: the clean bits of one value (eq. 1).
//!
//! *Privacy*: none. Whoever knows the anchors reads the value off its bits, and equal values have equal bits.
//! *Runtime*: one comparison per bit, sixteen or so at once where the machine can.

use shoal_privacy::MethodInfo;

use crate::Anchors;
use crate::catalogue::ENCODING;

/// Its row in the catalogue.
pub(crate) const METHOD: MethodInfo = MethodInfo {
    name: "bv",
    published: "anonymous",
    guarantee: "NONE: nothing is random but the anchors, which all custodians know; needs accept-unsound",
    status: "as published, for research only; papers/SZY19.md",
    summary: "bits that show which windows a value is in, none flipped",
    options: &["no-flips", "accept-unsound"],
    ..ENCODING
};

/// The encoder of one attribute.
#[derive(Clone, Debug)]
pub struct Bv {
    /// Where each window begins, r_i − t, filled up to whole words.
    starts: Vec<i32>,
    /// How far the windows reach from there, 2t.
    width: u32,
    /// The bits of the last word that are bits of the code.
    last: u64,
}

impl Bv {
    /// The encoder with these anchors.
    pub fn new(anchors: &Anchors) -> Self {
        // Anchors and t are below 2^26, so neither overflows.
        let t = anchors.t_steps() as i32;
        let mut starts: Vec<i32> = anchors.positions().iter().map(|r| r - t).collect();
        let tail = starts.len() % 64;
        let last = if tail == 0 { u64::MAX } else { (1 << tail) - 1 };
        starts.resize(starts.len().next_multiple_of(64), 0);
        Self { starts, width: 2 * anchors.t_steps(), last }
    }

    /// Words of a code.
    pub fn words(&self) -> usize {
        self.starts.len() / 64
    }

    /// The bits of the last word that belong to the code; the others are zero in every code.
    pub fn last_word(&self) -> u64 {
        self.last
    }

    /// Writes the code of the value at `x` steps. Sensitive: these bits are the value.
    ///
    /// # Panics
    /// When `code` has another number of words.
    pub fn encode(&self, x: i32, code: &mut [u64]) {
        assert_eq!(code.len(), self.words(), "a code has {} words", self.words());
        for (word, starts) in code.iter_mut().zip(self.starts.chunks_exact(64)) {
            // |x − r_i| ≤ t (eq. 1) is 0 ≤ x − (r_i − t) ≤ 2t, one comparison without a sign.
            let mut inside = [0_u8; 64];
            for (inside, start) in inside.iter_mut().zip(starts) {
                *inside = u8::from(x.wrapping_sub(*start) as u32 <= self.width);
            }
            *word = packed(&inside);
        }
        if let Some(last) = code.last_mut() {
            *last &= self.last;
        }
    }
}

/// Sixty-four zeros and ones as bits, the first one lowest.
fn packed(bits: &[u8; 64]) -> u64 {
    // Eight bytes of one bit each: the product brings bit i of the result to place 56 + i, without carries.
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let mut word = 0;
    for (i, eight) in bits.chunks_exact(8).enumerate() {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(eight);
        word |= (u64::from_le_bytes(bytes).wrapping_mul(GATHER) >> 56) << (8 * i);
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Attribute;
    use proptest::prelude::*;
    use shoal_lattice::Interval;
    use shoal_lattice::STEPS;
    use shoal_noise::SeededNoise;

    proptest! {
        #[test]
        fn bits_are_those_of_the_definition(seed: u64, bits in 1u32..300, t in 1u32..100_000, x in 0..=STEPS as i32) {
            let attribute = Attribute { name: "x".into(), range: Interval::new(0.0, 1.0).unwrap(), t_steps: t };
            let anchors = Anchors::draw(&attribute, bits, &mut SeededNoise::new(seed));
            let bv = Bv::new(&anchors);
            let mut code = vec![u64::MAX; bits.div_ceil(64) as usize];
            for x in [x, 0, STEPS as i32] {
                bv.encode(x, &mut code);
                for i in 0..64 * code.len() {
                    let expected = i < bits as usize && anchors.bit(i, x);
                    prop_assert_eq!(code[i / 64] >> (i % 64) & 1 == 1, expected, "bit {} of {}", i, bits);
                }
            }
        }
    }

    #[test]
    fn window_ends_are_inside() {
        let bv = Bv::new(&Anchors::from_positions(vec![100, -5, 65_534], 10));
        let code = |x| {
            let mut code = [0];
            bv.encode(x, &mut code);
            code[0]
        };
        assert_eq!((code(90), code(89), code(110), code(111)), (1, 0, 1, 0));
        assert_eq!((code(5), code(6), code(0), code(65_524), code(65_534)), (2, 0, 2, 4, 4));
    }
}
