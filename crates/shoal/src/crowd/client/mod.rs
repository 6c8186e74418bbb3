//! The device's side: one record in, one report out.

pub mod bpm_law;
pub mod choose_radius;
mod laplace;

pub use bpm_law::BpmLaw;
pub use laplace::LaplacePerAttribute;

use shoal_noise::NoiseSource;
use shoal_privacy::{Claim, Guarantee, NoGuarantee, Published};

use super::design::{CrowdError, Design, Mechanism, NoiseLaw, Space};

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
}

impl Client {
    /// Sets the mechanism of a design up.
    pub fn new(design: &Design) -> Result<Self, CrowdError> {
        let dims = design.bounds.dims();
        let drawn_by = match &design.mechanism {
            Mechanism::Laplace => Drawn::Laplace(LaplacePerAttribute::ldp(&design.epsilon, dims)?),
            Mechanism::LaplaceMetric => Drawn::Laplace(LaplacePerAttribute::metric(&design.epsilon, dims)?),
            Mechanism::Bpm { .. } | Mechanism::NdLaplace { .. } | Mechanism::Bpgm { .. } => {
                return Err(CrowdError::Parameter {
                    what: "the mechanism",
                    given: design.mechanism.name().into(),
                    advice: "give laplace or laplace-metric".into(),
                });
            }
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
        }
    }

    /// Where reports can lie.
    pub fn space(&self) -> Space {
        match &self.drawn_by {
            Drawn::Laplace(mechanism) => mechanism.space(),
        }
    }

    /// The law of the noise on a report, where it has a density that a server can use.
    pub fn noise_law(&self) -> Option<NoiseLaw> {
        match &self.drawn_by {
            Drawn::Laplace(mechanism) => Some(mechanism.noise_law()),
        }
    }

    /// Turns a record, in lattice steps from the lower bounds (`0..=STEPS`), into a report on the same lattice.
    ///
    /// # Panics
    /// When record or report do not have one coordinate per attribute, or a coordinate of the record is outside the box.
    pub fn report(&self, record: &[i64], noise: &mut (impl NoiseSource + ?Sized), report: &mut [i64]) {
        match &self.drawn_by {
            Drawn::Laplace(mechanism) => mechanism.report(record, noise, report),
        }
    }
}
