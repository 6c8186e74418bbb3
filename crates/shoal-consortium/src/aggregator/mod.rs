//! What an aggregator makes of codes: distances, and clusters by distance (SZY19).
//!
//! It knows the [`Terms`] and the [`Codes`], not the anchors.
//! - [`Decoder`]: from Hamming distances to distances of one attribute, with their error (Theorems 3, 5 and 6).
//! - [`Horizontal`]: distances of whole records (eq. 19), the metric `eq19`; all pairs, for thousands of records.
//! - [`HammingSum`]: attributes simply added up, the metric `hamming-sum`; sums to clusters from counts of bits, for a
//!   hundred thousand records.
//! - [`consistency`]: distances beyond the window, through records in between (Algorithm 1).
//! - [`vertical`]: where two custodians hold different attributes of the same records (eqs 20 to 23).
//! - [`hamming`]: the kernel under all of them.
//!
//! Clusters come from [`KCluster`](shoal_kernel::KCluster), [`Dbscan`](shoal_kernel::Dbscan) and
//! [`Dendrogram`](shoal_kernel::Dendrogram).
//!
//! ```
//! use shoal_consortium::aggregator::Horizontal;
//! use shoal_consortium::{Agreement, AnchorSecret, Attribute, Codes, Flips, Scale, Terms};
//! use shoal_lattice::Interval;
//! use shoal_kernel::KCluster;
//! use shoal_noise::SeededNoise;
//!
//! let x = Attribute::new("x", Interval::new(0.0, 65_534.0)?, 32_767.0)?;
//! let agreement = Agreement::new(Terms::new(vec![x], 640, Flips::None, Scale::Own)?, AnchorSecret::from_seed(1));
//! let anchors = &agreement.anchors()[0];
//!
//! // Custodians encode; here lattice steps are the attribute's unit, and no bit is flipped.
//! let mut codes = Codes::new(agreement.terms());
//! for value in [1_000, 60_000, 2_000, 61_000] {
//!     let mut words = vec![0u64; agreement.terms().words()];
//!     for bit in (0..anchors.len()).filter(|&bit| anchors.bit(bit, value)) {
//!         words[bit / 64] |= 1 << (bit % 64);
//!     }
//!     codes.extend(&words);
//! }
//!
//! // The aggregator decodes.
//! let distances = Horizontal::new(agreement.terms(), &codes)?.condensed();
//! assert!((distances.get(0, 1) - 59_000.0).abs() < 6_000.0);
//! let found = KCluster::new(2).run(&distances, &mut SeededNoise::new(1))?;
//! assert!(found.labels[0] == found.labels[2] && found.labels[1] == found.labels[3]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod consistency;
mod estimate;
pub mod hamming;
mod hamming_sum;
mod horizontal;
mod ones;
mod tables;
pub mod vertical;

pub use estimate::Decoder;
pub use hamming_sum::HammingSum;
pub use horizontal::Horizontal;

use crate::{Codes, Terms};

/// Codes or settings that do not belong to the terms.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AggregatorError {
    /// Codes of other terms.
    #[error(
        "the codes have {dims} attributes of {words} words each, the terms {of_terms} of {words_of_terms}; decode them \
         with the terms that they were encoded under"
    )]
    OtherTerms {
        /// Attributes of the codes.
        dims: usize,
        /// Words of a code.
        words: usize,
        /// Attributes of the terms.
        of_terms: usize,
        /// Words of a code by the terms.
        words_of_terms: usize,
    },
    /// No such attribute.
    #[error("there is no attribute number {attribute}; the terms have {dims}, counted from 0")]
    Attribute {
        /// As asked for.
        attribute: usize,
        /// Attributes of the terms.
        dims: usize,
    },
    /// Too many bits of a record to add up.
    #[error("{records} records of {bits} bits are too many to count; cluster fewer at a time")]
    TooMany {
        /// As given.
        records: usize,
        /// Of one attribute.
        bits: u32,
    },
    /// A share of the window that is none.
    #[error("a local view of {0} of the window is not possible; give a share above 0 and below 1, for example 0.7")]
    Share(f64),
    /// Codes with noise where only clean ones make sense.
    #[error("the sweep needs bits without noise; for noisy ones use the layered algorithm on their distances")]
    Noisy,
    /// Codes of pairs that do not fit the records.
    #[error("{given} codes for {expected} were given; there must be one for each pair, (0,1), (0,2), … in order")]
    Pairs {
        /// As given.
        given: usize,
        /// As needed.
        expected: usize,
    },
}

impl AggregatorError {
    /// A short name of the reason that stays the same between versions.
    pub fn code(&self) -> &'static str {
        match self {
            Self::OtherTerms { .. } => "other-terms",
            Self::Attribute { .. } => "unknown-attribute",
            Self::TooMany { .. } => "too-many-bits",
            Self::Share(..) => "view-out-of-range",
            Self::Noisy => "noisy-codes",
            Self::Pairs { .. } => "pairs-of-other-records",
        }
    }
}

/// Whether these codes can be of these terms.
fn check(terms: &Terms, codes: &Codes) -> Result<(), AggregatorError> {
    if (codes.dims(), codes.words()) == (terms.dims(), terms.words()) {
        return Ok(());
    }
    Err(AggregatorError::OtherTerms {
        dims: codes.dims(),
        words: codes.words(),
        of_terms: terms.dims(),
        words_of_terms: terms.words(),
    })
}

#[cfg(test)]
mod naive_encoder;
#[cfg(test)]
mod tests;
