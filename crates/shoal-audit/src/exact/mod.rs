//! Audits without a single draw: distributions that are known are compared, all outputs or the worst that a search can find.
//!
//! - [`finite`]: distributions over a list of outputs, by enumeration. Infinite ones are cut to a window, with the probability of what
//!   lies outside stated.
//! - [`product`]: independent numbers, whose losses add up.
//! - [`density_ratio`]: densities over records and reports, by a grid and a local search.
//!
//! What is found holds for the distribution that a mechanism says it has. Whether its sampler follows that distribution is for
//! [`statistical`](crate::statistical), [`law`](crate::law) and [`lattice`](crate::lattice) to find out.

pub mod density_ratio;
pub mod finite;
pub mod product;

pub use density_ratio::DensityRatio;
pub use finite::{FiniteLaws, Law};
pub use product::Part;

use crate::Measure;

/// One comparison of what is lost with what is allowed.
#[derive(Clone, Debug)]
pub(crate) struct Compared {
    pub(crate) allowed: f64,
    pub(crate) lost: f64,
    pub(crate) at: String,
}

impl Compared {
    fn is_broken(&self) -> bool {
        // The very rule of the report, so that what is shown is broken whenever anything is.
        let measure =
            Measure::Enumeration {
                unit: "ε", allowed: self.allowed, worst: self.lost, at: String::new(), compared: 0
            };
        measure.verdict() == crate::Verdict::Broken
    }

    /// What is lost in parts of what is allowed.
    fn part(&self) -> f64 {
        if self.lost <= 0.0 {
            0.0
        } else if self.allowed > 0.0 {
            self.lost / self.allowed
        } else {
            f64::INFINITY
        }
    }

    /// Whether this shows more than another: a broken claim before a kept one, then the closest to its claim, and of
    /// those that are as close the one with most to lose.
    pub(crate) fn is_worse_than(&self, other: &Self) -> bool {
        match (self.is_broken(), other.is_broken()) {
            (true, false) => true,
            (false, true) => false,
            _ => {
                let (mine, theirs) = (self.part(), other.part());
                let alike = mine == theirs || (mine - theirs).abs() <= 1e-9 * theirs.abs();
                if alike { self.lost > other.lost } else { mine > theirs }
            }
        }
    }
}
