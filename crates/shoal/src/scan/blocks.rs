//! Rows dealt to blocks at random, each on its own.

use shoal_noise::uniform::below;
use shoal_noise::{NoiseSource, SeededNoise};

/// A deal of rows to blocks: uniform, independent over rows, and the same every time it is dealt again.
///
/// A table too large for memory is scanned several times for one deal, so the deal must repeat itself; hence a stream
/// from a seed, which is itself drawn from the run's noise. Privacy does not rest on it: one row is in one block
/// whatever the deal.
pub struct BlockDraw {
    seed: u64,
    blocks: u64,
}

impl BlockDraw {
    /// A fresh deal to `blocks` blocks.
    ///
    /// # Panics
    /// When `blocks` is zero.
    pub fn new(blocks: u32, noise: &mut (impl NoiseSource + ?Sized)) -> Self {
        assert!(blocks > 0, "rows are dealt to at least one block");
        Self { seed: noise.next_u64(), blocks: blocks.into() }
    }

    /// Number of blocks.
    pub fn blocks(&self) -> usize {
        self.blocks as usize
    }

    /// The blocks of row 0, row 1 and so on, without end.
    pub fn deal(&self) -> impl Iterator<Item = usize> + use<> {
        let mut stream = SeededNoise::new(self.seed);
        let blocks = self.blocks;
        std::iter::repeat_with(move || below(&mut stream, blocks) as usize)
    }
}
