//! From the Hamming distance of two codes to the distance of two values, and how far off it is (SZY19, Section III).
//!
//! *Distribution*: over the draw of anchors and flips each bit of two codes differs with probability q = (1−τ²)/2 + 2Δτ²/μ,
//! τ = tanh(ε/2) = (e^ε−1)/(e^ε+1), for values Δ ≤ 2t apart (eq. 12). The bits are independent, so their number is
//! binomial, and the estimate of eq. 11 unbiased with variance μ²q(1−q)/(4sτ⁴). Without flips τ is 1. All of it is exact on
//! the lattice, with μ as [`Attribute::mu_steps`](crate::Attribute::mu_steps) counts it.
//!
//! *Assumes*: Δ ≤ 2t and one pair. All pairs share the anchors, so that their errors go together; beyond 2t the estimate
//! stays near 2t.

use crate::{Flips, Terms};

/// The decoder of one attribute. Distances are in the unit in which the terms combine attributes.
#[derive(Clone, Debug, PartialEq)]
pub struct Decoder {
    bits: f64,
    /// In combined units.
    mu: f64,
    /// The width of a window, 2t and the step that both ends add.
    window: f64,
    /// The attribute's own unit in a combined unit.
    own_per_combined: f64,
    tau: f64,
    slope: f64,
    offset: f64,
}

impl Decoder {
    /// The decoder of an attribute.
    ///
    /// ```
    /// use shoal_consortium::aggregator::Decoder;
    /// use shoal_consortium::{Attribute, Flips, Scale, Terms};
    /// use shoal_lattice::Interval;
    /// let attribute = Attribute::new("x", Interval::new(0.0, 50.0)?, 25.0)?;
    /// let terms = Terms::new(vec![attribute], 1000, Flips::PerBit("1".parse()?), Scale::Own)?;
    /// let decoder = Decoder::of(&terms, 0);
    /// // Half of all bits differ in codes that have nothing in common; these are 25 apart.
    /// assert!((decoder.distance(500) - 25.0).abs() < 0.01);
    /// assert!(decoder.distance(0) < -90.0, "equal codes are not what noise leaves of equal values");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// When there is no such attribute.
    pub fn of(terms: &Terms, attribute: usize) -> Self {
        let own = &terms.attributes()[attribute];
        let step = terms.step(attribute);
        let bits = f64::from(terms.bits());
        let mu = own.mu_steps() as f64 * step;
        let (tau, from_noise) = match terms.flips() {
            Flips::None => (1.0, 0.0),
            Flips::PerBit(epsilon) => {
                let half = epsilon.amount().to_f64_up() / 2.0;
                // e^ε/(e^ε−1)² = 1/(2·sinh(ε/2))²
                (libm::tanh(half), (2.0 * libm::sinh(half)).powi(-2))
            }
        };
        Self {
            bits,
            mu,
            window: (2.0 * f64::from(own.t_steps) + 1.0) * step,
            own_per_combined: own.step() / step,
            tau,
            slope: mu / (2.0 * bits * tau * tau),
            offset: mu * from_noise,
        }
    }

    /// The estimate of eq. 11. It can be negative.
    pub fn distance(&self, hamming: u32) -> f64 {
        self.slope * f64::from(hamming) - self.offset
    }

    /// [`distance`](Self::distance) in the attribute's own unit.
    pub fn distance_in_own_unit(&self, hamming: u32) -> f64 {
        self.distance(hamming) * self.own_per_combined
    }

    /// What a differing bit adds to a distance: (μ/2s)·((e^ε+1)/(e^ε−1))².
    pub fn slope(&self) -> f64 {
        self.slope
    }

    /// What noise adds and eq. 11 subtracts: μe^ε/(e^ε−1)².
    pub fn offset(&self) -> f64 {
        self.offset
    }

    /// Bits s of a code.
    pub fn bits(&self) -> u32 {
        self.bits as u32
    }

    /// The largest distance that codes show, 2t; values farther apart look 2t apart.
    pub fn saturation(&self) -> f64 {
        self.window
    }

    /// The probability q that a bit of two codes differs, for values so far apart.
    pub fn differs(&self, distance: f64) -> f64 {
        let between = (2.0 * distance.min(self.window) / self.mu).min(1.0);
        (1.0 - self.tau * self.tau) / 2.0 + between * self.tau * self.tau
    }

    /// The expected Hamming distance of values so far apart (eq. 12), beyond 2t that of 2t.
    pub fn expected_hamming(&self, distance: f64) -> f64 {
        self.bits * self.differs(distance)
    }

    /// DBSCAN's reach as a Hamming distance, for one attribute: the largest one that is decoded to at most `distance`;
    /// nothing when even equal codes are decoded to more.
    pub fn hamming_threshold(&self, distance: f64) -> Option<u32> {
        let threshold = ((distance + self.offset) / self.slope + 1e-9).floor();
        (threshold >= 0.0).then(|| threshold.min(self.bits) as u32)
    }

    /// The error that is exceeded with probability at most β (Theorem 6, eq. 13).
    pub fn bound(&self, beta: f64) -> f64 {
        self.mu / 2.0 / (self.tau * self.tau) * (libm::log(2.0 / beta) / (2.0 * self.bits)).sqrt()
    }

    /// The standard deviation of the estimate for values so far apart.
    pub fn sd(&self, distance: f64) -> f64 {
        let q = self.differs(distance);
        self.slope * (self.bits * q * (1.0 - q)).sqrt()
    }

    /// What estimates of squared distances are too large by on average, per h(s−h): variances are estimated by
    /// slope²·h(s−h)/(s−1) without bias.
    pub(super) fn excess(&self) -> f64 {
        if self.bits > 1.0 { self.slope * self.slope / (self.bits - 1.0) } else { 0.0 }
    }

    /// The expected number of ones in a code (Theorem 3, eq. 9), the same for all values.
    pub fn expected_ones(&self) -> f64 {
        self.bits * (self.window / self.mu * self.tau + (1.0 - self.tau) / 2.0)
    }
}
