//! How the distances of attributes are combined.

/// How a distance of two records is decoded from their codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Metric {
    /// The decoded distance of a single attribute (eq. 11).
    Eq11,
    /// The root of the sum of squared distances of all attributes (eq. 19), for thousands of records.
    Eq19,
    /// The same with what noise adds to the squares taken off before the root, and zero for what is then below zero. Ours:
    /// eq. 19 as printed makes all distances longer. With an own table or codes of pairs [`Metric::Eq19`] does so already.
    Eq19Unbiased,
    /// The sum of the distances of all attributes, for a hundred thousand records.
    HammingSum,
}

impl Metric {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Eq11 => "eq11",
            Self::Eq19 => "eq19",
            Self::Eq19Unbiased => "eq19-unbiased",
            Self::HammingSum => "hamming-sum",
        }
    }

    /// The same for codes of so many attributes: the sum over one attribute is its distance.
    pub(super) fn of_dims(self, dims: usize) -> Self {
        match self {
            Self::HammingSum if dims == 1 => Self::Eq11,
            other => other,
        }
    }

    /// Whether distances are added up as they are, without squares.
    pub(super) fn adds_up(self) -> bool {
        !matches!(self, Self::Eq19 | Self::Eq19Unbiased)
    }
}
