//! Rows dealt to blocks at random, each on its own.

use std::fmt;

use serde::{Deserialize, Serialize};
use shoal_noise::{NoiseSource, SeededNoise};

/// A deal of rows to blocks: each row's block is a keyed hash of its *place*, its number in the whole table.
///
/// The hash is ChaCha20: row `p` takes the 128 bits at position `16·p` of the key stream, a number `w`, and goes to block
/// `⌊w·ℓ / 2^128⌋` of ℓ. So any machine that knows the key and the place of its first row deals its own rows, and deals
/// them again in the same way when it is asked twice or scans a large table in several passes.
///
/// *Privacy.* For random bits the blocks of different places are independent and have the same distribution. One more
/// row changes one block only, under the right pairing of deals: pair each deal of the smaller table with the deals of
/// the larger one that treat the common rows alike. Whatever places the common rows have in either table, their blocks
/// are independent and identically distributed, so the pairing covers both distributions. It rests on the deal being
/// random and secret: for a *fixed* deal by place, a row inserted at the top would shift all others into other blocks.
/// Places need only differ from each other; neither their order nor gaps matter for this argument.
///
/// The distribution is uniform up to rounding: a block's probability differs from 1/ℓ by less than 2^−128, so a row's
/// block is within ℓ·2^−128 < 2^−96 of uniform in total variation. The argument above does not use uniformity, so the
/// rounding costs no privacy.
///
/// The key is a secret of the run. [`Debug`] does not show it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockDraw {
    key: [u8; 32],
    blocks: u32,
}

impl BlockDraw {
    /// A fresh deal to `blocks` blocks.
    ///
    /// # Panics
    /// When `blocks` is zero.
    pub fn new(blocks: u32, noise: &mut (impl NoiseSource + ?Sized)) -> Self {
        assert!(blocks > 0, "rows are dealt to at least one block");
        let mut key = [0; 32];
        noise.fill_bytes(&mut key);
        Self { key, blocks }
    }

    /// One block and a key that everyone knows: for a query about no blocks at all.
    pub(crate) fn idle() -> Self {
        Self { key: [0; 32], blocks: 1 }
    }

    /// Number of blocks.
    pub fn blocks(&self) -> usize {
        self.blocks as usize
    }

    /// The blocks of the rows at places 0, 1 and so on.
    pub fn deal(&self) -> Deal {
        self.deal_from(0)
    }

    /// The blocks of the rows at `place` and after it.
    pub fn deal_from(&self, place: u64) -> Deal {
        Deal { draw: self.clone(), stream: self.stream_at(place), next: place }
    }

    fn stream_at(&self, place: u64) -> SeededNoise {
        SeededNoise::from_key_at(self.key, 2 * u128::from(place))
    }
}

impl fmt::Debug for BlockDraw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BlockDraw({} blocks, key hidden)", self.blocks)
    }
}

/// The blocks of consecutive places, without end; it can jump to a later place.
pub struct Deal {
    draw: BlockDraw,
    stream: SeededNoise,
    next: u64,
}

impl Deal {
    /// Rows that are dealt and forgotten rather than jumped over: reading on is faster for short distances.
    const NEAR: u64 = 32;

    /// The block of the row at `place`.
    pub fn block_of(&mut self, place: u64) -> usize {
        match place.checked_sub(self.next) {
            Some(distance) if distance <= Self::NEAR => (0..distance).for_each(|_| {
                self.take();
            }),
            _ => {
                self.stream = self.draw.stream_at(place);
                self.next = place;
            }
        }
        self.take()
    }

    fn take(&mut self) -> usize {
        self.next = self.next.wrapping_add(1);
        let (high, low) = (u128::from(self.stream.next_u64()), u128::from(self.stream.next_u64()));
        let blocks = u128::from(self.draw.blocks);
        ((high * blocks + ((low * blocks) >> 64)) >> 64) as usize
    }
}

impl Iterator for Deal {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        Some(self.take())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_has_the_same_block_however_it_is_reached() {
        let draw = BlockDraw::new(1000, &mut SeededNoise::new(5));
        let expected: Vec<usize> = draw.deal().take(3000).collect();
        for first in [0, 1, 7, 8, 100, 2999] {
            assert_eq!(draw.deal_from(first).next(), Some(expected[first as usize]));
        }
        let mut deal = draw.deal();
        for place in [3, 4, 5, 36, 37, 70, 500, 2000, 2998, 2, 0] {
            assert_eq!(deal.block_of(place), expected[place as usize], "{place}");
        }
        // The last place there is.
        assert!(draw.deal_from(u64::MAX).block_of(u64::MAX) < 1000);
    }

    #[test]
    fn blocks_are_dealt_evenly_and_independently() {
        let (blocks, rows) = (16, 160_000usize);
        // χ² of the blocks, of neighbours' differences, and of every other row, each with 15 degrees of freedom.
        let chi_square = |values: &mut dyn Iterator<Item = usize>| {
            let (mut seen, mut all) = ([0.0; 16], 0.0);
            values.for_each(|value| {
                seen[value] += 1.0;
                all += 1.0;
            });
            seen.iter().map(|count: &f64| (count - all / 16.0).powi(2) / (all / 16.0)).sum::<f64>()
        };
        let dealt: Vec<usize> = BlockDraw::new(blocks, &mut SeededNoise::new(6)).deal().take(rows).collect();
        let steps = || dealt.windows(2).map(|pair| (16 + pair[1] - pair[0]) % 16);
        // Above 60 with a probability below 1e-6.
        assert!(chi_square(&mut dealt.iter().copied()) < 60.0);
        assert!(chi_square(&mut steps()) < 60.0);
        assert!(chi_square(&mut dealt.iter().step_by(2).copied()) < 60.0);
        // A deal in turn is even, and its steps show it.
        assert!(chi_square(&mut (0..rows).map(|_| 1)) > 60.0);
    }

    #[test]
    fn the_key_is_not_shown() {
        let draw = BlockDraw::new(3, &mut SeededNoise::new(5));
        assert_eq!(format!("{draw:?}"), "BlockDraw(3 blocks, key hidden)");
    }
}
