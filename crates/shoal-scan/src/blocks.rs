//! Rows dealt to blocks at random, each on its own.

use shoal_noise::uniform::below;
use shoal_noise::{NoiseSource, SeededNoise};

/// A deal of rows to blocks: uniform, independent over rows, and the same every time it is dealt again.
///
/// A table too large for memory is scanned several times for one deal, so the deal must repeat itself; hence a stream
/// from a 32-byte key, which is drawn from the run's noise and forgotten with it.
///
/// *Privacy.* One row more changes one block only under the right pairing of deals: pair each deal of the smaller table
/// with the deals of the larger one that treat the common rows alike. Rows are dealt independently and uniformly, so the
/// pairing covers both laws, whatever place the row has in the table. It rests on the deal being random and secret:
/// for a *fixed* deal by row number, a row inserted at the top would shift all others into other blocks.
pub struct BlockDraw {
    key: [u8; 32],
    blocks: u64,
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
        Self { key, blocks: blocks.into() }
    }

    /// Number of blocks.
    pub fn blocks(&self) -> usize {
        self.blocks as usize
    }

    /// The blocks of row 0, row 1 and so on, without end.
    pub fn deal(&self) -> impl Iterator<Item = usize> + use<> {
        let mut stream = SeededNoise::from_key(self.key);
        let blocks = self.blocks;
        std::iter::repeat_with(move || below(&mut stream, blocks) as usize)
    }
}
