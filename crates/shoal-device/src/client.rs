//! A mechanism, ready to perturb records that are already on the lattice: what [`Device`](crate::Device) and whoever
//! simulates many devices at once build on.

use shoal_noise::NoiseSource;

use crate::mechanisms::{Bpgm, Bpm, LaplacePerAttribute, NdLaplace, bpgm};
use crate::{BpmLaw, Design, DesignError, Mechanism, NoiseLaw, Promises, Space};

/// A mechanism, ready to perturb records on the lattice.
#[derive(Clone)]
pub struct Client {
    drawn_by: Drawn,
    dims: usize,
    promises: Promises,
    space: Space,
    noise_law: Option<NoiseLaw>,
}

#[derive(Clone)]
enum Drawn {
    Laplace(LaplacePerAttribute),
    Bpm(Bpm),
    NdLaplace(NdLaplace),
    Bpgm(Bpgm),
}

impl Client {
    /// Sets up the mechanism of a design. Refuses one without any guarantee: see [`Self::accepting_unsound`].
    pub fn new(design: &Design) -> Result<Self, DesignError> {
        match design.mechanism() {
            Mechanism::Bpgm { form, .. } => Err(DesignError::Unsound { reason: bpgm::reason(*form).into() }),
            _ => Self::accepting_unsound(design),
        }
    }

    /// Sets up the mechanism of a design, even one whose reports protect nobody.
    pub fn accepting_unsound(design: &Design) -> Result<Self, DesignError> {
        let (epsilon, dims, sampler) = (design.epsilon(), design.bounds().dims(), design.sampler());
        // Everything but the drawing is computed once, from the noise itself.
        let (promises, space, noise_law, drawn_by) = match design.mechanism() {
            mechanism @ (Mechanism::Laplace | Mechanism::LaplaceMetric) => {
                let noise = match mechanism {
                    Mechanism::Laplace => LaplacePerAttribute::ldp(epsilon, dims)?,
                    _ => LaplacePerAttribute::metric(epsilon, dims)?,
                };
                (noise.promises(), noise.space(), Some(noise.noise_law()), Drawn::Laplace(noise))
            }
            Mechanism::Bpm { radius_steps } => {
                let noise = Bpm::new(epsilon, dims, *radius_steps, sampler)?;
                (noise.promises(), noise.space(), Some(noise.noise_law()), Drawn::Bpm(noise))
            }
            Mechanism::NdLaplace { radius_steps, ending } => {
                let noise = NdLaplace::new(epsilon, dims, *radius_steps, *ending, sampler)?;
                (noise.promises(), noise.space(), noise.noise_law(), Drawn::NdLaplace(noise))
            }
            Mechanism::Bpgm { bound, form } => {
                let noise = Bpgm::new(epsilon, dims, bound, *form)?;
                (noise.promises(), noise.space(), None, Drawn::Bpgm(noise))
            }
        };
        Ok(Self { drawn_by, dims, promises, space, noise_law })
    }

    /// Number of attributes.
    pub fn dims(&self) -> usize {
        self.dims
    }

    /// What a report guarantees, computed from the noise that is added.
    pub fn promises(&self) -> Promises {
        self.promises.clone()
    }

    /// Where reports can lie.
    pub fn space(&self) -> Space {
        self.space
    }

    /// Whether a coordinate of a report can have this value.
    pub fn may_report(&self, value: i64) -> bool {
        let on_grid = match &self.drawn_by {
            Drawn::NdLaplace(mechanism) => mechanism.may_end_at(value),
            _ => true,
        };
        (self.space.low..=self.space.high).contains(&value) && on_grid
    }

    /// Whether the mechanism can have made this report, in lattice steps: one value for each attribute, each of them one
    /// that [`Self::may_report`].
    pub fn could_have_made(&self, report: &[i64]) -> bool {
        report.len() == self.dims && report.iter().all(|&value| self.may_report(value))
    }

    /// The distribution of the noise on a report, where it has a density that a server can use.
    pub fn noise_law(&self) -> Option<NoiseLaw> {
        self.noise_law
    }

    /// The squared distance between report and record, in widths², on average over reports and over all records of the
    /// box. `None` where it is not known.
    pub fn expected_squared_error(&self) -> Option<f64> {
        self.noise_law.map(|law| match law {
            NoiseLaw::PerAttribute { scale } => 2.0 * self.dims as f64 * scale * scale,
            // That is d(d + 1)/ε² for nD-Laplace.
            NoiseLaw::Radial { rate, radius } => BpmLaw { dims: self.dims, rate, radius }.zeta(),
        })
    }

    /// Fisher information about each coordinate of the record in one report, in 1/widths²: one over the smallest
    /// variance that an unbiased estimate from it can have. `None` where it is not known.
    pub fn information_per_report(&self) -> Option<f64> {
        self.noise_law.map(|law| match law {
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
