//! Discrete Gaussian noise from a table: the distribution of [`crate::DiscreteGaussian`], two to four
//! times faster.
//!
//! *Privacy*: as [`crate::DiscreteGaussian`].
//!
//! *Distribution*: P(z) proportional to f(z) = e^(-t z²), t = 1 / 2σ², on all integers, exactly. Sizes |z|
//! are cut into J cells of 2^s steps up to K = J 2^s, six and a half σ or more, and a tail. With an
//! integer C and A_j <= C f <= A_j + D_j on cell j, A_j and D_j integers, an outcome is chosen by
//! integer weights:
//! - A_j: any size of cell j, at once;
//! - D_j: any size k of cell j, kept with probability (C f(k) - A_j) / D_j;
//! - T: blocks of 2^q steps after K, the i-th with probability 2^-(i+1), and any size k in it, kept
//!   with probability C f(k) 2^(q-s+i+1) / T. As T >= 2 C f(K) 2^(q-s), and f loses more than half
//!   from block to block because 2 t K 2^q >= 0.7 > ln 2, that is a probability.
//!
//! So every size comes with probability C f(k) / 2^s over the total; a fair bit gives the sign, and
//! -0 is drawn again. The weights add up to 2^32, so that 32 bits and an alias table choose
//! exactly. Bounds of f come from enclosures. The coins are lazy comparisons (see the `lazy`
//! module): in doubles t k² is at most 30 within a relative 2^-50, so e^-x moves by less than
//! 2^-50, and (C e^-x - A) / D magnifies that and the 2^-45 of `libm::exp` by C / D, as the margin
//! is. The tail, one word in 2^32 on a fine lattice, is always decided in integers.
//!
//! *Utility*: as [`crate::DiscreteGaussian`].
//!
//! *Runtime*: one word for 19 draws in 20 while σ is below 2^27, two beyond. Setting up takes about
//! a tenth of a millisecond.
//!
//! *Assumes*: as [`crate::Geometric`]; σ at most 2^52; draws beyond 64 bits are saturated.
//!
//! *Paper*: Marsaglia, MacLaren, Bray, "A fast procedure for generating normal random variables"
//! (1964), for rectangles, wedges and tail; Walker (1977) for the alias table.

use dashu_int::UBig;
use dashu_ratio::RBig;

use crate::NoiseError;
use crate::exact::enclosure::{Enclosure, approx_f64, div_up, shr_up};
use crate::exact::lazy::{LazyUniform, Margin, compare};
use crate::samplers::geometric::{MAX_SCALE_BITS, SETUP_BITS};
use crate::source::NoiseSource;

/// Bits of a word: sign, position in a cell, choice within a column, column.
const LOW_BITS: u32 = 22;
const CHOICE_BITS: u32 = 32;
const MAX_COLUMN_BITS: u32 = 64 - 1 - LOW_BITS - CHOICE_BITS;
/// Cells reach this many σ.
const REACH: f64 = 6.6;

/// Exact sampler for P(z) proportional to exp(-z² / 2σ²), from a table.
#[derive(Clone)]
pub struct TabledGaussian {
    /// t = 1 / 2σ².
    rate: RBig,
    rate_f64: f64,
    /// s and J.
    cell_shift: u32,
    cells: u32,
    /// Outcomes 0..J are whole cells, J..2J what is above them, 2J is the tail.
    columns: Box<[Column]>,
    column_shift: u32,
    /// C.
    peak: u64,
    wedges: Box<[Wedge]>,
    /// T and q.
    tail_weight: u64,
    tail_shift: u32,
}

/// A column of the alias table: its own outcome below `keep`, the other one from there on.
#[derive(Clone, Copy)]
struct Column {
    keep: u32,
    other: u32,
}

/// A_j and D_j, and how well the coin between them is known.
#[derive(Clone, Copy)]
struct Wedge {
    base: u64,
    excess: u64,
    margin: Margin,
}

impl TabledGaussian {
    /// A sampler with the variance parameter in squared lattice steps, as
    /// [`crate::DiscreteGaussian::new`].
    ///
    /// # Errors
    /// When the parameter is not positive, or above 2^104.
    pub fn new(sigma_squared: &RBig) -> Result<Self, NoiseError> {
        if *sigma_squared <= RBig::ZERO {
            return Err(NoiseError::NonPositiveVariance { given: sigma_squared.to_string() });
        }
        if *sigma_squared > RBig::from(UBig::ONE << (2 * MAX_SCALE_BITS as usize)) {
            return Err(NoiseError::ScaleTooLarge { max_bits: MAX_SCALE_BITS });
        }
        Ok(Self::with_rate(RBig::ONE / (sigma_squared * RBig::from(2_u8))))
    }

    /// P(z) proportional to e^(-rate z²), for a rate the caller knows to be in range.
    pub(crate) fn with_rate(rate: RBig) -> Self {
        let sigma = (0.5 / approx_f64(&rate)).sqrt();
        // Cells between a 32nd and a 16th of σ, but never below one step.
        let cell_shift = if sigma < 32.0 { 0 } else { libm::log2(sigma / 16.0) as u32 };
        let cells = (REACH * sigma / (1_u64 << cell_shift) as f64) as usize + 1;
        let edges = falling(&rate, cell_shift, cells);
        let (end, inside) = (&edges[cells], &edges[..cells]);

        let reach = &rate * RBig::from((cells as u128) << (cell_shift + 1));
        let mut tail_shift = cell_shift;
        while &reach * RBig::from(UBig::ONE << tail_shift as usize) < RBig::from_parts(7.into(), 10_u8.into()) {
            tail_shift += 1;
        }
        let tail: UBig = &end.high << (tail_shift - cell_shift + 1) as usize;

        // Rounding up adds less than one per weight, so the sum stays within 2^32.
        let room = UBig::from((1_u64 << CHOICE_BITS) - cells as u64 - 1);
        let total: UBig = inside.iter().map(|e| &e.high).sum::<UBig>() + &tail;
        let peak = (room << SETUP_BITS) / total;
        // Unwrap safety: every weight is at most 2^32.
        let above = |e: &UBig| u64::try_from(&shr_up(&(&peak * e), SETUP_BITS)).unwrap();
        let below = |e: &UBig| u64::try_from(&((&peak * e) >> SETUP_BITS)).unwrap();
        let tail_weight = above(&tail);
        let mut weights: Vec<(u64, u64)> = (0..cells)
            .map(|j| {
                // One step is met by itself, a longer cell is bounded by the start of the next.
                let base = below(&edges[if cell_shift == 0 { j } else { j + 1 }].low);
                (base, above(&edges[j].high) - base)
            })
            .collect();
        let sum = tail_weight + weights.iter().map(|(base, excess)| base + excess).sum::<u64>();
        weights[0].1 += (1 << CHOICE_BITS) - sum;
        // Unwrap safety: as above.
        let peak = u64::try_from(&peak).unwrap();
        let wedges = weights
            .iter()
            .map(|&(base, excess)| Wedge { base, excess, margin: Margin::ROUTINE.widened(1 + peak / excess.max(1)) })
            .collect();
        let outcomes: Vec<u64> =
            weights.iter().map(|w| w.0).chain(weights.iter().map(|w| w.1)).chain([tail_weight]).collect();
        let columns = alias(&outcomes);
        Self {
            // Only size 0 meets a rate this large; keep 0 * rate at 0 for it.
            rate_f64: approx_f64(&rate).min(f64::MAX),
            rate,
            cell_shift,
            cells: cells as u32,
            column_shift: 64 - columns.len().ilog2(),
            columns,
            peak,
            wedges,
            tail_weight,
            tail_shift,
        }
    }

    /// The same sampler with every decision made in arbitrary precision; see
    /// [`crate::Geometric::exact_only`].
    #[must_use]
    pub fn exact_only(mut self) -> Self {
        for wedge in &mut self.wedges {
            wedge.margin = Margin::EVERYTHING;
        }
        self
    }

    /// One draw.
    #[inline]
    pub fn sample(&self, source: &mut (impl NoiseSource + ?Sized)) -> i64 {
        loop {
            let word = source.next_u64();
            let index = (word >> self.column_shift) as u32;
            let column = self.columns[index as usize];
            let choice = (word >> (1 + LOW_BITS)) as u32;
            // Random bits cannot be predicted, so neither the outcome nor the sign is a branch.
            let own = u32::from(choice < column.keep).wrapping_neg();
            let outcome = (index & own) | (column.other & !own);
            let size = if outcome < self.cells {
                u64::from(outcome) << self.cell_shift | self.low(source, word)
            } else {
                match self.above(source, word, outcome - self.cells) {
                    Some(size) => size,
                    None => continue,
                }
            };
            let negative = (word & 1).cast_signed();
            if size > 0 || negative == 0 {
                return (size.cast_signed() ^ -negative) + negative;
            }
        }
    }

    /// Fills `out` with independent draws.
    pub fn fill(&self, source: &mut (impl NoiseSource + ?Sized), out: &mut [i64]) {
        for z in out {
            *z = self.sample(source);
        }
    }

    /// A uniform position within a cell, from the word that chose it when it has bits enough.
    #[inline]
    fn low(&self, source: &mut (impl NoiseSource + ?Sized), word: u64) -> u64 {
        let bits = if self.cell_shift <= LOW_BITS { word >> 1 } else { source.next_u64() };
        bits & ((1 << self.cell_shift) - 1)
    }

    /// A size above the whole cells, or none when its coin says no.
    #[inline(never)]
    fn above(&self, source: &mut (impl NoiseSource + ?Sized), word: u64, cell: u32) -> Option<u64> {
        if cell == self.cells {
            return self.tail(source);
        }
        let wedge = self.wedges[cell as usize];
        let size = u64::from(cell) << self.cell_shift | self.low(source, word);
        let position = source.next_u64() >> 1;
        let k = size as f64;
        let chance = libm::exp(-self.rate_f64 * (k * k));
        let estimate = (self.peak as f64 * chance - wedge.base as f64) / wedge.excess as f64;
        let kept = compare(position, estimate, wedge.margin)
            .unwrap_or_else(|| LazyUniform::from_word(position).below(source, |bits| self.coin(size, wedge, bits)));
        kept.then_some(size)
    }

    /// (C f(k) - A) / D.
    fn coin(&self, size: u64, wedge: Wedge, bits: usize) -> Enclosure {
        let f = self.weight(size.into(), bits);
        let (base, excess) = (UBig::from(wedge.base) << f.bits, UBig::from(wedge.excess));
        let share = |end: &UBig| {
            let lifted = end * UBig::from(self.peak);
            if lifted > base { lifted - &base } else { UBig::ZERO }
        };
        let shift = f.bits - bits;
        Enclosure {
            low: (share(&f.low) / &excess) >> shift,
            high: shr_up(&div_up(&share(&f.high), &excess), shift),
            bits,
        }
    }

    /// f(k), with bits to spare for a factor C.
    fn weight(&self, size: u128, bits: usize) -> Enclosure {
        Enclosure::exp_neg(&(&self.rate * RBig::from(size).sqr()), bits + CHOICE_BITS as usize)
    }

    #[cold]
    fn tail(&self, source: &mut (impl NoiseSource + ?Sized)) -> Option<u64> {
        let mut block = 0_u32;
        while source.next_u64() & 1 == 1 {
            block += 1;
        }
        let low = source.next_u64() & ((1 << self.tail_shift) - 1);
        let first = u128::from(self.cells) << self.cell_shift;
        let size = first + (u128::from(block) << self.tail_shift) + u128::from(low);
        let doublings = (self.tail_shift - self.cell_shift + block + 1) as usize;
        let weight = UBig::from(self.tail_weight);
        let position = source.next_u64() >> 1;
        let kept = LazyUniform::from_word(position).below(source, |bits| {
            let f = self.weight(size, bits + doublings);
            let shift = f.bits - bits;
            let lift = |end: &UBig| (end * UBig::from(self.peak)) << doublings;
            Enclosure {
                low: (lift(&f.low) / &weight) >> shift,
                high: shr_up(&div_up(&lift(&f.high), &weight), shift),
                bits,
            }
        });
        kept.then(|| size.min(i64::MAX as u128) as u64)
    }
}

/// f at the starts of the cells and at their end: f((j + 1) 2^s) = f(j 2^s) q^(2j + 1) with q = f(2^s).
fn falling(rate: &RBig, cell_shift: u32, cells: usize) -> Vec<Enclosure> {
    let step = Enclosure::exp_neg(&(rate * RBig::from(UBig::ONE << (2 * cell_shift as usize))), SETUP_BITS);
    let twice = step.times(&step);
    let (mut f, mut ratio) = (Enclosure::one(SETUP_BITS), step);
    let mut edges = Vec::with_capacity(cells + 1);
    for _ in 0..=cells {
        let next = f.times(&ratio);
        edges.push(std::mem::replace(&mut f, next));
        ratio = ratio.times(&twice);
    }
    edges
}

/// Columns of 2^32 that hold each outcome with its weight times the number of columns; the weights add up to 2^32.
fn alias(weights: &[u64]) -> Box<[Column]> {
    let columns = weights.len().next_power_of_two();
    debug_assert!(columns.ilog2() <= MAX_COLUMN_BITS && weights.iter().sum::<u64>() == 1 << CHOICE_BITS);
    let full = 1_u64 << CHOICE_BITS;
    let mut left: Vec<u64> = weights.iter().map(|w| w * columns as u64).collect();
    left.resize(columns, 0);
    let (mut poor, mut rich): (Vec<usize>, Vec<usize>) = (0..columns).partition(|&i| left[i] < full);
    // A column that keeps all of itself needs no threshold: both of its outcomes are its own.
    let mut table: Vec<Column> = (0..columns as u32).map(|own| Column { keep: 0, other: own }).collect();
    while let (Some(small), Some(&large)) = (poor.pop(), rich.last()) {
        table[small] = Column { keep: left[small] as u32, other: large as u32 };
        left[large] -= full - left[small];
        if left[large] < full {
            rich.pop();
            poor.push(large);
        }
    }
    table.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn laws() -> Vec<TabledGaussian> {
        [(1_u64, 1_000_000_u64), (9, 100), (1, 3), (1, 1), (225, 4), (1023, 1), (1 << 40, 3), (1 << 62, 1)]
            .iter()
            .map(|&(top, bottom)| TabledGaussian::new(&RBig::from_parts(top.into(), bottom.into())).unwrap())
            .collect()
    }

    /// The columns give back the weights, and the weights bound f on their cells.
    #[test]
    fn table_holds_its_weights() {
        for law in laws() {
            let mut held = vec![0_u64; law.columns.len()];
            for (own, column) in law.columns.iter().enumerate() {
                held[own] += u64::from(column.keep);
                held[column.other as usize] += (1 << CHOICE_BITS) - u64::from(column.keep);
            }
            let n = law.columns.len() as u64;
            for (j, wedge) in law.wedges.iter().enumerate() {
                assert_eq!(held[j], wedge.base * n);
                assert_eq!(held[law.wedges.len() + j], wedge.excess * n);
                let first = (j as u64) << law.cell_shift;
                for size in [first, first + (1 << law.cell_shift) / 2, first + (1 << law.cell_shift) - 1] {
                    let f = law.weight(size.into(), 100);
                    let peak = UBig::from(law.peak);
                    assert!(&f.low * &peak >= UBig::from(wedge.base) << f.bits);
                    assert!(&f.high * &peak <= (UBig::from(wedge.base + wedge.excess) << f.bits) + &peak);
                }
            }
            assert_eq!(held[2 * law.wedges.len()], law.tail_weight * n);
            assert_eq!(held.iter().sum::<u64>(), n << CHOICE_BITS);
        }
    }

    /// The start of every tail block is kept with probability at most 1.
    #[test]
    fn tail_blocks_are_covered() {
        for law in laws() {
            for block in 0..60_u32 {
                let size = (u128::from(law.cells) << law.cell_shift) + (u128::from(block) << law.tail_shift);
                let doublings = (law.tail_shift - law.cell_shift + block + 1) as usize;
                let f = law.weight(size, 300);
                assert!((&f.low * UBig::from(law.peak)) << doublings <= UBig::from(law.tail_weight) << f.bits);
            }
        }
    }
}
