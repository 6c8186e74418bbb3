//! The parameters that both samplers of bounded Euclidean Laplace noise share.

use dashu_ratio::RBig;

use crate::NoiseError;
use crate::exact::enclosure::numerator;
use crate::samplers::geometric::MAX_SCALE_BITS;
use crate::samplers::knorm::check_dimensions;
use crate::source::NoiseSource;
use crate::uniform;

/// Checked parameters of noise of density ∝ e^(-decay · min(distance, radius)) around a record of the lattice
/// `0..=side` in each coordinate. Reports lie in `-radius..=side + radius`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RadialParameters {
    pub(super) decay: RBig,
    pub(super) dims: usize,
    pub(super) side: u64,
    pub(super) radius: u64,
}

impl RadialParameters {
    /// Checks the parameters.
    ///
    /// # Errors
    /// When the decay is not positive or below 2^-52, for 0 or more than 1024 dimensions, and when the side or the
    /// radius is 0 or above 2^52.
    pub fn new(decay: RBig, dims: usize, side: u64, radius: u64) -> Result<Self, NoiseError> {
        if decay <= RBig::ZERO {
            return Err(NoiseError::NonPositiveDecay { given: decay.to_string() });
        }
        if numerator(&decay) << (MAX_SCALE_BITS as usize) < *decay.denominator() {
            return Err(NoiseError::ScaleTooLarge { max_bits: MAX_SCALE_BITS });
        }
        check_dimensions(dims)?;
        if side == 0 {
            return Err(NoiseError::ZeroSide);
        }
        if radius == 0 {
            return Err(NoiseError::ZeroRadius);
        }
        if side.max(radius) > 1 << MAX_SCALE_BITS {
            return Err(NoiseError::BoxTooLarge { side, radius, max_bits: MAX_SCALE_BITS });
        }
        Ok(Self { decay, dims, side, radius })
    }

    /// The decay per lattice step.
    #[must_use]
    pub fn decay(&self) -> &RBig {
        &self.decay
    }

    /// The number of coordinates.
    #[must_use]
    pub fn dims(&self) -> usize {
        self.dims
    }

    /// The largest coordinate of a record.
    #[must_use]
    pub fn side(&self) -> u64 {
        self.side
    }

    /// The distance in steps beyond which reports are uniform.
    #[must_use]
    pub fn radius(&self) -> u64 {
        self.radius
    }

    /// Panics unless the record is one of the lattice and the report has its length.
    #[inline]
    pub(super) fn check_record(&self, record: &[i64], out: &[i64]) {
        let side = self.side;
        assert_eq!(record.len(), self.dims, "the record has another dimension");
        assert_eq!(out.len(), self.dims, "the report has another dimension");
        assert!(record.iter().all(|&v| v.cast_unsigned() <= side), "the record lies outside 0..={side}");
    }

    /// Writes a uniform point of the box of reports to `out`.
    #[inline]
    pub(super) fn anywhere(&self, source: &mut (impl NoiseSource + ?Sized), out: &mut [i64]) {
        for x in out {
            *x = uniform::below(source, self.side + 1 + 2 * self.radius).cast_signed() - self.radius.cast_signed();
        }
    }
}
