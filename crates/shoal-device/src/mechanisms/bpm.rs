//! BPM, the bounded perturbation mechanism of YTL22 (Definition 2).
//!
//! *Privacy*: ε per unit of Euclidean distance (Theorem 8, with k = ε), and, beyond the paper, ε·min(√d, L)
//! between any two records. See the `radial` module for the proof on the lattice.
//!
//! *Distribution*: P(x | v) ∝ e^(−ε·min(‖x − v‖, L)) on the box −ℓ..=m + ℓ of the lattice in each attribute, where m is its
//! width and ℓ is L in steps. Exact with the exact sampler. [`BpmLaw`] is the same distribution for real numbers, from which
//! that on the lattice differs by the width of a step.
//!
//! *Utility*: [`BpmLaw::zeta`] is the mean squared error, [`BpmLaw::information`] the information of a report. The mean
//! of a report is drawn to the middle of the box by β (Lemma 10).
//!
//! *Runtime*: O(d) draws with the exact sampler, see `shoal_noise`.
//!
//! *Assumes*: public bounds, one report per person, L chosen from public numbers
//! ([`choose_radius`](crate::choose_radius)).
//!
//! *Paper*: YTL22, Definition 2, Theorem 8, Algorithms 1 (user side) and 2 to 4.
//!
//! *Deviations*: Algorithms 2 to 4 (inversion of the radius in doubles, Muller's directions) are replaced by samplers
//! on the lattice. A radius by inversion of 53 bits never falls below 0.116/ε at d = 10 and so excludes a ball of
//! records.

use shoal_noise::NoiseSource;
use shoal_privacy::{Epsilon, Guarantee, Published};

use shoal_lattice::STEPS;

use super::radial::RadialNoise;
use crate::{BpmLaw, DesignError, NoiseLaw, Promises, Sampler, Space};

/// The bounded perturbation mechanism.
#[derive(Clone)]
pub struct Bpm {
    noise: RadialNoise,
}

impl Bpm {
    /// BPM with k = ε and L in lattice steps.
    pub fn new(epsilon: &Epsilon, dims: usize, radius_steps: u64, sampler: Sampler) -> Result<Self, DesignError> {
        Ok(Self { noise: RadialNoise::new(epsilon, dims, radius_steps, sampler)? })
    }

    /// Whether the parameters are in range, without the work of setting up a sampler.
    pub(crate) fn check(epsilon: &Epsilon, dims: usize, radius_steps: u64) -> Result<(), DesignError> {
        RadialNoise::check(epsilon, dims, radius_steps)
    }

    /// What a report guarantees, from the decay and the radius of the noise.
    pub fn promises(&self) -> Promises {
        let (per_distance, any_two) = self.noise.claims();
        Promises {
            guarantee: Guarantee::Holds(per_distance),
            also: vec![any_two],
            published: Published::new("ε·d_E-privacy", "YTL22, Theorem 8"),
        }
    }

    /// Reports lie in the box of the records, widened by the radius on each side.
    pub fn space(&self) -> Space {
        let radius = self.noise.radius_steps() as i64;
        Space { low: -radius, high: STEPS as i64 + radius }
    }

    /// The distribution of a report for real numbers.
    pub fn law(&self) -> BpmLaw {
        self.noise.law()
    }

    /// What a server needs to know of the noise.
    pub fn noise_law(&self) -> NoiseLaw {
        let law = self.law();
        NoiseLaw::Radial { rate: law.rate, radius: law.radius }
    }

    /// One report.
    ///
    /// # Panics
    /// When a slice has another length than there are attributes, or the record is outside the box.
    pub fn report(&self, record: &[i64], noise: &mut (impl NoiseSource + ?Sized), report: &mut [i64]) {
        self.noise.sample(record, noise, report);
    }
}
