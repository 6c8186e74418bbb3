//! How far a row may pull at the centre it is nearest to: public limits around a public place.

use serde::{Deserialize, Serialize};

use crate::LatticeCentres;
use crate::ShapeError;
use shoal_lattice::HALF_WIDTH;

/// For each centre and attribute, the place from which rows are measured and the distance beyond which they count as
/// being at that distance.
///
/// The place of measurement need not be the centre of the search: a first round, which knows nothing of the rows,
/// measures from the middle of the box whatever centre a row is nearest to ([`Reach::whole_box`]).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct Reach {
    reference: LatticeCentres,
    half_widths: Vec<u32>,
}

/// Limits as they are written, before anyone has checked them.
#[derive(Deserialize)]
struct Unchecked {
    reference: LatticeCentres,
    half_widths: Vec<u32>,
}

impl TryFrom<Unchecked> for Reach {
    type Error = ShapeError;

    fn try_from(read: Unchecked) -> Result<Self, ShapeError> {
        Self::checked(read.reference, read.half_widths)
    }
}

impl Reach {
    /// The widest half-width that can matter: from one border of the box to the other.
    pub const MOST: u32 = 2 * HALF_WIDTH as u32;

    /// Rows are measured from `reference`, at most `half_widths` (one per centre and attribute, centre after centre)
    /// lattice units to either side.
    ///
    /// No row is farther from the reference than the border of the box, so a half-width that reaches beyond it on both
    /// sides is cut down to the farther border: that changes no sum, and noise made for the reach becomes less.
    ///
    /// # Panics
    /// When a half-width is missing, or is zero: a row could not pull at all, and no noise hides in a width of zero.
    pub fn new(reference: LatticeCentres, half_widths: Vec<u32>) -> Self {
        Self::checked(reference, half_widths).unwrap_or_else(|wrong| panic!("{wrong}"))
    }

    /// [`Reach::new`] for numbers that may be anything: an error where that would panic.
    pub fn checked(reference: LatticeCentres, mut half_widths: Vec<u32>) -> Result<Self, ShapeError> {
        let dims = reference.dims();
        if half_widths.len() != reference.count() * dims {
            return Err(ShapeError::Uneven);
        }
        if half_widths.contains(&0) {
            return Err(ShapeError::NoWidth);
        }
        for (j, widths) in half_widths.chunks_exact_mut(dims).enumerate() {
            for (width, &from) in widths.iter_mut().zip(reference.centre(j)) {
                *width = (*width).min(HALF_WIDTH as u32 + u32::from(from.unsigned_abs()));
            }
        }
        Ok(Self { reference, half_widths })
    }

    /// The whole box around its middle, for `count` centres: nothing is clipped, and sums are plain sums.
    pub fn whole_box(count: usize, dims: usize) -> Self {
        Self::new(LatticeCentres::new(dims, vec![0; count * dims]), vec![HALF_WIDTH as u32; count * dims])
    }

    /// Number of centres.
    pub fn count(&self) -> usize {
        self.reference.count()
    }

    /// Number of attributes.
    pub fn dims(&self) -> usize {
        self.reference.dims()
    }

    /// Where the rows of each centre are measured from.
    pub fn reference(&self) -> &LatticeCentres {
        &self.reference
    }

    /// How far a row of centre `j` counts at most, per attribute.
    pub fn half_widths(&self, j: usize) -> &[u32] {
        &self.half_widths[j * self.dims()..][..self.dims()]
    }

    /// The lowest and the highest lattice coordinate that a row of centre `j` counts as having in attribute `axis`.
    pub(crate) fn limits(&self, j: usize, axis: usize) -> (i16, i16) {
        let (from, width) = (i64::from(self.reference.centre(j)[axis]), i64::from(self.half_widths(j)[axis]));
        let half = i64::from(HALF_WIDTH);
        ((from - width).max(-half) as i16, (from + width).min(half) as i16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_widths_end_at_the_farther_border() {
        let reach = Reach::new(LatticeCentres::new(2, vec![100, -32_767]), vec![u32::MAX, 65_534]);
        assert_eq!(reach.half_widths(0), [32_867, 65_534]);
        assert_eq!((reach.limits(0, 0), reach.limits(0, 1)), ((-32_767, 32_767), (-32_767, 32_767)));
        let narrow = Reach::new(LatticeCentres::new(1, vec![32_760]), vec![20]);
        assert_eq!((narrow.half_widths(0), narrow.limits(0, 0)), (&[20][..], (32_740, 32_767)));
        assert_eq!(Reach::whole_box(3, 2).half_widths(2), [32_767; 2]);
    }

    #[test]
    #[should_panic(expected = "at least one lattice unit")]
    fn a_width_of_zero_is_refused() {
        Reach::new(LatticeCentres::new(1, vec![0]), vec![0]);
    }
}
