//! Distances of records that different custodians hold (eq. 19), the metric `eq19`.
//!
//! As printed: the root of the sum of squared decoded distances. A decoded distance can be negative, and is squared all
//! the same; so noise makes all distances longer. [`Horizontal::unbiased`] takes the expected excess off before the root,
//! and what is then below zero is zero.
//!
//! *Runtime*: n²/2 comparisons of whole records, see `bench/src/bin/consortium.rs`. Memory for all pairs:
//! [`Condensed::bytes_needed`].

use crate::aggregator::estimate::Decoder;
use crate::aggregator::hamming::{Combine, Kernel, distance};
use crate::aggregator::{AggregatorError, check};
use crate::{Codes, Terms};
use shoal_kernel::{Condensed, Distances};

/// Records that stay in the second-level cache while all others pass by, in bytes.
const GROUP_BYTES: usize = 128 << 10;

/// Codes, seen through the distances of their records.
#[derive(Clone, Debug)]
pub struct Horizontal<'a> {
    codes: &'a Codes,
    decoders: Vec<Decoder>,
    how: Combine,
    unbiased: bool,
}

impl<'a> Horizontal<'a> {
    /// As printed.
    pub fn new(terms: &Terms, codes: &'a Codes) -> Result<Self, AggregatorError> {
        check(terms, codes)?;
        let decoders: Vec<Decoder> = (0..terms.dims()).map(|a| Decoder::of(terms, a)).collect();
        let how = Combine::new(&decoders, terms.words(), false);
        Ok(Self { codes, decoders, how, unbiased: false })
    }

    /// Squared distances less their expected excess, none below zero.
    #[must_use]
    pub fn unbiased(mut self) -> Self {
        let kernel = self.how.kernel;
        self.how = Combine::new(&self.decoders, self.codes.words(), true);
        self.how.kernel = kernel;
        self.unbiased = true;
        self
    }

    /// With another kernel than the fastest; nothing when this machine cannot run it.
    #[must_use]
    pub fn with_kernel(mut self, kernel: Kernel) -> Option<Self> {
        self.how.kernel = kernel;
        kernel.available().then_some(self)
    }

    /// Number of records.
    pub fn len(&self) -> usize {
        self.codes.rows()
    }

    /// True when there is no record.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The squared distance of two records; can be negative when the excess is subtracted.
    pub fn squared(&self, i: usize, j: usize) -> f64 {
        let mut out = [0.0];
        self.how.against::<true>(self.codes.record(i), self.codes.record(j), &mut out);
        out[0]
    }

    /// The distance of two records.
    pub fn pair(&self, i: usize, j: usize) -> f64 {
        self.squared(i, j).max(0.0).sqrt()
    }

    /// What the distance of a record to itself is estimated as: the squares of what equal codes decode to, which is
    /// negative, add up to a positive number. Zero when the excess is subtracted or there is no noise.
    pub fn own_distance(&self) -> f64 {
        if self.unbiased {
            return 0.0;
        }
        self.decoders.iter().map(|decoder| decoder.offset() * decoder.offset()).sum::<f64>().sqrt()
    }

    /// The squared distances of all pairs, on the threads of the current rayon pool.
    pub fn condensed_squares(&self) -> Condensed {
        all_pairs::<true>(self.codes, &self.how, |sum| sum)
    }

    /// The distances of all pairs, on the threads of the current rayon pool.
    pub fn condensed(&self) -> Condensed {
        all_pairs::<true>(self.codes, &self.how, |sum| sum.max(0.0).sqrt())
    }

    /// The decoded distances of all pairs in one attribute alone (eq. 11), which can be negative.
    pub fn attribute(&self, attribute: usize) -> Result<Condensed, AggregatorError> {
        let dims = self.decoders.len();
        let decoder = self.decoders.get(attribute).ok_or(AggregatorError::Attribute { attribute, dims })?;
        let code = |i| self.codes.code(i, attribute);
        Ok(Condensed::from_fn(self.len(), |i, j| decoder.distance(distance(code(i), code(j)))))
    }
}

impl Distances for Horizontal<'_> {
    fn len(&self) -> usize {
        self.codes.rows()
    }

    fn row(&self, i: usize, out: &mut [f64]) {
        self.how.against::<true>(self.codes.record(i), self.codes.as_words(), out);
        out.iter_mut().for_each(|d| *d = d.max(0.0).sqrt());
    }
}

/// All pairs, a group of records at a time against everything after them.
pub(super) fn all_pairs<const SQUARED: bool>(
    codes: &Codes,
    how: &Combine,
    finish: impl Fn(f64) -> f64 + Sync,
) -> Condensed {
    let (n, len) = (codes.rows(), codes.record_words());
    let group = (GROUP_BYTES / (len * size_of::<u64>())).clamp(4, 64) / 4 * 4;
    Condensed::from_row_groups(n, group, |first, rows| {
        let together = &codes.as_words()[first * len..(first + rows.len()) * len];
        let mut sums = vec![0.0; rows.len()];
        for j in first + 1..n {
            // Among themselves, only those before j.
            let before = rows.len().min(j - first);
            how.against::<SQUARED>(codes.record(j), &together[..before * len], &mut sums[..before]);
            for (r, (row, &sum)) in rows.iter_mut().zip(&sums[..before]).enumerate() {
                row[j - first - r - 1] = finish(sum);
            }
        }
    })
}
