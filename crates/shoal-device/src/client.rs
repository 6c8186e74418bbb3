//! The device's side: one record in, one report out.

use shoal_noise::NoiseSource;
use shoal_privacy::{Assumption, Claim, Guarantee, NoGuarantee, Published};

use crate::bpgm;
use crate::{Bpgm, Bpm, BpmLaw, CrowdError, Design, LaplacePerAttribute, Mechanism, NdLaplace, NoiseLaw, Space};

/// What a report promises to the person who sends it.
#[derive(Clone, Debug, PartialEq)]
pub struct Promises {
    /// What holds.
    pub guarantee: Guarantee,
    /// What holds besides, told in another unit.
    pub also: Vec<Claim>,
    /// What the paper says.
    pub published: Published,
}

impl Promises {
    /// The same on further conditions.
    #[must_use]
    pub fn assuming(mut self, more: impl IntoIterator<Item = Assumption> + Clone) -> Self {
        if let Guarantee::Holds(claim) = &mut self.guarantee {
            claim.assumes.extend(more.clone());
        }
        for claim in &mut self.also {
            claim.assumes.extend(more.clone());
        }
        self
    }

    /// The same when the noise came from a seed: none.
    #[must_use]
    pub fn with_seeded_noise(self) -> Self {
        Self { guarantee: Guarantee::Void { none: NoGuarantee::Seeded }, also: Vec::new(), ..self }
    }
}

/// A mechanism, ready to perturb records.
#[derive(Clone)]
pub struct Client {
    drawn_by: Drawn,
    dims: usize,
}

#[derive(Clone)]
enum Drawn {
    Laplace(LaplacePerAttribute),
    Bpm(Bpm),
    NdLaplace(NdLaplace),
    Bpgm(Bpgm),
}

impl Client {
    /// Sets the mechanism of a design up. Refuses one that keeps no promise: see [`Self::accepting_unsound`].
    pub fn new(design: &Design) -> Result<Self, CrowdError> {
        match design.mechanism {
            Mechanism::Bpgm { .. } => Err(CrowdError::Unsound { reason: bpgm::reason().into() }),
            _ => Self::accepting_unsound(design),
        }
    }

    /// Sets the mechanism of a design up, even one whose reports protect nobody.
    pub fn accepting_unsound(design: &Design) -> Result<Self, CrowdError> {
        let (epsilon, dims) = (&design.epsilon, design.bounds.dims());
        let drawn_by = match &design.mechanism {
            Mechanism::Laplace => Drawn::Laplace(LaplacePerAttribute::ldp(epsilon, dims)?),
            Mechanism::LaplaceMetric => Drawn::Laplace(LaplacePerAttribute::metric(epsilon, dims)?),
            Mechanism::Bpm { radius_steps } => Drawn::Bpm(Bpm::new(epsilon, dims, *radius_steps, design.sampler)?),
            Mechanism::NdLaplace { radius_steps, ending } => {
                Drawn::NdLaplace(NdLaplace::new(epsilon, dims, *radius_steps, *ending, design.sampler)?)
            }
            Mechanism::Bpgm { bound, form } => Drawn::Bpgm(Bpgm::new(epsilon, dims, bound, *form)?),
        };
        Ok(Self { drawn_by, dims })
    }

    /// Number of attributes.
    pub fn dims(&self) -> usize {
        self.dims
    }

    /// What a report promises, computed from the noise that is added.
    pub fn promises(&self) -> Promises {
        match &self.drawn_by {
            Drawn::Laplace(mechanism) => mechanism.promises(),
            Drawn::Bpm(mechanism) => mechanism.promises(),
            Drawn::NdLaplace(mechanism) => mechanism.promises(),
            Drawn::Bpgm(mechanism) => mechanism.promises(),
        }
    }

    /// Where reports can lie.
    pub fn space(&self) -> Space {
        match &self.drawn_by {
            Drawn::Laplace(mechanism) => mechanism.space(),
            Drawn::Bpm(mechanism) => mechanism.space(),
            Drawn::NdLaplace(mechanism) => mechanism.space(),
            Drawn::Bpgm(mechanism) => mechanism.space(),
        }
    }

    /// Whether a coordinate of a report can have this value.
    pub fn may_report(&self, value: i64) -> bool {
        let Space { low, high } = self.space();
        let on_grid = match &self.drawn_by {
            Drawn::NdLaplace(mechanism) => mechanism.may_end_at(value),
            _ => true,
        };
        (low..=high).contains(&value) && on_grid
    }

    /// The law of the noise on a report, where it has a density that a server can use.
    pub fn noise_law(&self) -> Option<NoiseLaw> {
        match &self.drawn_by {
            Drawn::Laplace(mechanism) => Some(mechanism.noise_law()),
            Drawn::Bpm(mechanism) => Some(mechanism.noise_law()),
            Drawn::NdLaplace(mechanism) => mechanism.noise_law(),
            Drawn::Bpgm(_) => None,
        }
    }

    /// The squared distance between report and record, in widths², on average over reports and over all records of the
    /// box. `None` where it is not known.
    pub fn expected_squared_error(&self) -> Option<f64> {
        self.noise_law().map(|law| match law {
            NoiseLaw::PerAttribute { scale } => 2.0 * self.dims as f64 * scale * scale,
            // That is d(d + 1)/ε² for nD-Laplace.
            NoiseLaw::Radial { rate, radius } => BpmLaw { dims: self.dims, rate, radius }.zeta(),
        })
    }

    /// Fisher information about each coordinate of the record in one report, in 1/widths²: one over the smallest
    /// variance that an unbiased estimate from it can have. `None` where it is not known.
    pub fn information_per_report(&self) -> Option<f64> {
        self.noise_law().map(|law| match law {
            NoiseLaw::PerAttribute { scale } => 1.0 / (scale * scale),
            NoiseLaw::Radial { rate, radius } => BpmLaw { dims: self.dims, rate, radius }.information(),
        })
    }

    /// Turns a record, in lattice steps from the lower bounds (`0..=STEPS`), into a report on the same lattice.
    ///
    /// # Panics
    /// When record or report do not have one coordinate per attribute, or a coordinate of the record is outside the
    /// box.
    pub fn report(&self, record: &[i64], noise: &mut (impl NoiseSource + ?Sized), report: &mut [i64]) {
        match &self.drawn_by {
            Drawn::Laplace(mechanism) => mechanism.report(record, noise, report),
            Drawn::Bpm(mechanism) => mechanism.report(record, noise, report),
            Drawn::NdLaplace(mechanism) => mechanism.report(record, noise, report),
            Drawn::Bpgm(mechanism) => mechanism.report(record, noise, report),
        }
    }
}
