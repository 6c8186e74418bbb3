//! What is wrong with centres, or with what belongs to them, that came from elsewhere.

/// Why numbers do not make a set of centres, their clipping bounds, or k-means for blocks.
///
/// The constructors named `checked` return it, and so does reading with `serde`; those named `new` panic with the same
/// words, for code that knows its numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// No centre, or no attribute.
    #[error("there is at least one centre with one attribute")]
    Empty,
    /// The numbers do not make whole centres.
    #[error("every centre has one number per attribute")]
    Uneven,
    /// A coordinate below the lowest of the lattice.
    #[error("lattice coordinates are symmetric around zero")]
    OffLattice,
    /// A clipping bound of zero: a row could not count at all, and no noise hides in a width of zero.
    #[error("a half-width is at least one lattice unit")]
    NoWidth,
    /// Too many centres to match by assignment.
    #[error("at most {} centres are matched by assignment", crate::BlockKMeans::MOST_ASSIGNED)]
    TooManyToAssign,
}

impl ShapeError {
    /// A short name of the reason that stays the same between versions.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Empty => "no-centres",
            Self::Uneven => "uneven-centres",
            Self::OffLattice => "off-lattice",
            Self::NoWidth => "no-clipping-bound",
            Self::TooManyToAssign => "too-many-to-assign",
        }
    }
}
