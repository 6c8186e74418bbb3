//! At what distance BPM's noise should end: the choice of L (YTL22, Remark 2), from public numbers only.
//!
//! *Distribution*: p_L, β, ζ and J(L) of [`BpmLaw`], for real numbers. Any L gives the same guarantee, so doubles are good enough.
//!
//! - [`information`], the default: the smallest L at which a report lies within L of its record with probability 0.95
//!   or more, so that it keeps 95 % of the information k²/d that any radius could give, and at which the unbiased mean
//!   of reports is at most 5 % worse than under nD-Laplace noise.
//! - [`remark_2`], as published: the L with the smallest mean squared error ζ. ζ has no minimum inside: from d/6 at L →
//!   0, where reports are uniform on the box of the records, it rises and then falls to d(d + 1)/ε² at L → ∞. So for ε
//!   below √(6(d + 1)) this picks the smallest L there is, and reports that say nothing; above, the largest.
//! - [`nd_laplace`]: so large an L that the box has a weight of 2^-100 or less: noise without a bound, for all anyone
//!   will see.
//!
//! *Runtime*: some hundred evaluations of the distribution.
//!
//! *Paper*: YTL22, Remark 2; the first rule is ours.
//!
//! *Deviations*: Remark 2 suggests gradient descent, which stalls at L = 0. Here ζ is searched over a fixed range: from
//! one lattice step to the radius of nD-Laplace.

use std::f64::consts::LN_2;

use crate::BpmLaw;
use shoal_lattice::STEPS;

/// The smallest p_L of [`information`].
const LEAST_INSIDE: f64 = 0.95;
/// The largest J of [`information`].
const MOST_COST: f64 = 1.05;
/// ln of the largest weight of the box for noise that passes for unbounded.
const LN_NEGLIGIBLE: f64 = -100.0 * LN_2;
/// The largest radius in widths: what the samplers take.
const LARGEST: f64 = (1_u64 << 52) as f64 / STEPS as f64;
/// Neighbouring radii of a search.
const SEARCH_RATIO: f64 = 1.05;
/// ζ within this share of its value at the upper end is taken for that value.
const SAME: f64 = 1e-9;

/// A radius, in lattice steps, rounded up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChosenRadius {
    /// L in lattice steps, at least one.
    pub steps: u64,
    /// What came of Remark 2, where it was followed.
    pub note: Option<Remark2Note>,
}

/// Where the search of Remark 2 ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remark2Note {
    /// At the lower end of the range.
    LowerEnd,
    /// At the upper end of the range.
    UpperEnd,
    /// Inside the range.
    Inside,
}

impl Remark2Note {
    /// What that means for the reports.
    pub fn words(self) -> &'static str {
        match self {
            Self::LowerEnd => {
                "Remark 2 ran to the smallest radius there is: the mean squared error is lowest for reports that are \
                 uniform on the box and say nothing about the record. Choose the radius by information instead."
            }
            Self::UpperEnd => {
                "Remark 2 ran to the largest radius of the search: the mean squared error falls all the way to that of \
                 nD-Laplace noise, and the bound no longer bounds anything."
            }
            Self::Inside => "Remark 2 found its minimum inside the range of the search.",
        }
    }
}

/// A radius given in widths.
pub fn given(radius: f64) -> ChosenRadius {
    // A float converts to the nearest whole number of the type: too large a radius to the largest.
    ChosenRadius { steps: ((radius * STEPS as f64).ceil() as u64).max(1), note: None }
}

/// The smallest radius that keeps nearly all the information of a report.
pub fn information(dims: usize, rate: f64) -> ChosenRadius {
    given(smallest_radius(dims, rate, |law| law.p_inside() >= LEAST_INSIDE && law.ln_cost_of_bound() <= MOST_COST.ln()))
}

/// The smallest radius from which on the bound makes no difference.
pub fn nd_laplace(dims: usize, rate: f64) -> ChosenRadius {
    given(nd_laplace_radius(dims, rate))
}

fn nd_laplace_radius(dims: usize, rate: f64) -> f64 {
    smallest_radius(dims, rate, |law| law.ln_beta() <= LN_NEGLIGIBLE)
}

/// The radius with the smallest mean squared error ζ, as published.
pub fn remark_2(dims: usize, rate: f64) -> ChosenRadius {
    let ln_zeta = |radius| BpmLaw { dims, rate, radius }.ln_zeta();
    let (low, high) = (1.0 / STEPS as f64, nd_laplace_radius(dims, rate));
    let (mut best, mut best_zeta) = (high, ln_zeta(high));
    let mut radius = low;
    while radius < high {
        let zeta = ln_zeta(radius);
        if zeta < best_zeta - SAME {
            (best, best_zeta) = (radius, zeta);
        }
        radius *= SEARCH_RATIO;
    }
    let note = if best == low {
        Remark2Note::LowerEnd
    } else if best == high {
        Remark2Note::UpperEnd
    } else {
        Remark2Note::Inside
    };
    ChosenRadius { note: Some(note), ..given(best) }
}

/// The smallest radius, in widths, at which the distribution passes: the first that does on a fine scan, then halved down to.
fn smallest_radius(dims: usize, rate: f64, passes: impl Fn(BpmLaw) -> bool) -> f64 {
    let passes = |radius| passes(BpmLaw { dims, rate, radius });
    let mut low = 1.0 / STEPS as f64;
    if passes(low) {
        return low;
    }
    // Ends: β → 0, p_L → 1 and J → 1 as the radius grows; and at the largest radius that there is, for rates so small
    // that doubles run out before.
    while !passes(low * SEARCH_RATIO) {
        low *= SEARCH_RATIO;
        if low > LARGEST {
            return LARGEST;
        }
    }
    let mut high = low * SEARCH_RATIO;
    while high - low > low * 1e-12 {
        let middle = 0.5 * (low + high);
        if passes(middle) { high = middle } else { low = middle }
    }
    high
}
