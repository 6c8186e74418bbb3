//! Drawing a number by its tail probabilities.
//!
//! *Distribution*: with U a uniform real and P(V > 0) >= P(V > 1) >= ... given, V is how many of them U
//! undercuts. The tails are enclosed at the resolution of one word, down to the first that no
//! word resolves, and a guide over the leading bits of the word names V outright for nearly all
//! words. What the table leaves open is decided by the `lazy` module, tail after tail.
//!
//! *Runtime*: one look-up for nine words in ten or more, otherwise a binary search; exact work
//! for about one word in 2^55 (some three hundred tails, each open for one or two words).

use crate::exact::enclosure::Enclosure;
use crate::exact::lazy::{LazyUniform, WORD_BITS};
use crate::source::NoiseSource;

/// Leading bits of a word that index the guide, and the entry of a cell that more than one V can
/// reach.
const GUIDE_BITS: usize = 10;
const MIXED: u16 = u16::MAX;
const CELL_SHIFT: usize = WORD_BITS - GUIDE_BITS;

/// Tail probabilities that fall by a constant ratio, enclosed.
#[derive(Clone)]
pub(crate) struct Tails {
    low: Box<[u64]>,
    high: Box<[u64]>,
    /// Per cell of words: the V that all of them certainly give, or [`MIXED`].
    guide: Box<[u16]>,
}

impl Tails {
    /// P(V > v) = first * ratio^v.
    pub fn new(first: Enclosure, ratio: &Enclosure) -> Self {
        let (mut low, mut high) = (Vec::new(), Vec::new());
        let mut tail = first;
        while low.last() != Some(&0) {
            let (floor, ceiling) = tail.words();
            low.push(floor);
            high.push(ceiling);
            tail = tail.times(ratio);
        }
        let guide = (0..1_u64 << GUIDE_BITS)
            .map(|cell| {
                let (start, end) = (cell << CELL_SHIFT, ((cell + 1) << CELL_SHIFT) - 1);
                let v = low.partition_point(|&low| end < low);
                if start >= high[v] { v as u16 } else { MIXED }
            })
            .collect();
        Self { low: low.into(), high: high.into(), guide }
    }

    /// The same with nothing known, so that every draw is decided exactly.
    pub fn exact_only(mut self) -> Self {
        self.low.fill(0);
        self.high.fill(1 << WORD_BITS);
        self.guide.fill(MIXED);
        self
    }

    /// V for the uniform real that starts with this word. `tail` encloses P(V > v) in so many
    /// bits, and must be what the table was made from.
    #[inline]
    pub fn count(
        &self,
        source: &mut (impl NoiseSource + ?Sized),
        position: u64,
        tail: impl Fn(u64, usize) -> Enclosure,
    ) -> u64 {
        match self.guide[(position >> CELL_SHIFT) as usize] {
            MIXED => self.search(source, position, tail),
            v => u64::from(v),
        }
    }

    fn search(
        &self,
        source: &mut (impl NoiseSource + ?Sized),
        position: u64,
        tail: impl Fn(u64, usize) -> Enclosure,
    ) -> u64 {
        // The last tail has lower end 0, so the search ends inside the table.
        let v = self.low.partition_point(|&low| position < low);
        if position >= self.high[v] { v as u64 } else { decide(source, position, v as u64, tail) }
    }
}

/// V, when U certainly undercuts the first `known` tails.
#[cold]
fn decide(
    source: &mut (impl NoiseSource + ?Sized),
    position: u64,
    known: u64,
    tail: impl Fn(u64, usize) -> Enclosure,
) -> u64 {
    let mut uniform = LazyUniform::from_word(position);
    let mut v = known;
    while uniform.below(source, |bits| tail(v, bits)) {
        v += 1;
    }
    v
}

#[cfg(test)]
mod tests {
    use super::*;
    use dashu_ratio::RBig;

    /// Every entry against a fresh enclosure of its own exponent.
    #[test]
    fn tables_enclose_their_probabilities() {
        for (top, bottom) in [(40_u64, 1_u64), (10, 3), (1, 1), (2, 15), (126, 1000)] {
            let decay = RBig::from_parts(top.into(), bottom.into());
            let ratio = Enclosure::exp_neg(&decay, 126);
            let tails = Tails::new(ratio.clone(), &ratio);
            for (v, (&low, &high)) in tails.low.iter().zip(&tails.high).enumerate() {
                let (floor, ceiling) = Enclosure::exp_neg(&(&decay * RBig::from(v as u64 + 1)), 300).words();
                assert!(low <= floor && high >= ceiling, "tail {v} of {decay}");
                assert!(high - low <= 2, "tail {v} of {decay} is loose");
            }
            for (cell, &v) in tails.guide.iter().enumerate().filter(|(_, v)| **v != MIXED) {
                let (start, end) = ((cell as u64) << CELL_SHIFT, ((cell as u64 + 1) << CELL_SHIFT) - 1);
                let v = usize::from(v);
                assert!(start >= tails.high[v], "cell {cell} reaches past {v}");
                assert!(v == 0 || end < tails.low[v - 1], "cell {cell} falls short of {v}");
            }
            let mixed = tails.guide.iter().filter(|&&v| v == MIXED).count();
            assert!(mixed < tails.guide.len() / 8, "{mixed} cells of the guide are of no use");
        }
    }
}
