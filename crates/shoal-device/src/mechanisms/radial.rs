//! Noise of density ∝ e^(−ε·min(distance, L)), drawn exactly or through doubles: what [`Bpm`](super::Bpm) and
//! [`NdLaplace`](super::NdLaplace) share.
//!
//! *Privacy*: with decay a per lattice step and radius ℓ, every report has a weight e^(−a·min(‖x − v‖, ℓ)) under record
//! v, on the same box of the lattice and with the same sum of weights for all records. So the privacy
//! loss between records v and v' is at most a·min(‖v − v'‖, ℓ): with m steps to a width, ε = a·m per unit of distance,
//! and ε·min(√d, ℓ/m) between any two records. Both are computed from the sampler's own decay and radius.
//!
//! *Assumes*: public bounds, one report per person. The records are those on the lattice: what lies between two of
//! its points was rounded before.

use dashu_ratio::RBig;
use shoal_noise::{EuclideanLaplace, EuclideanLaplaceDoubles, NoiseSource, RadialParameters};
use shoal_privacy::{Amount, Assumption, Claim, Epsilon, Loss, Metric, Neighbours, Numerics};

use shoal_lattice::STEPS;

use super::laplace::root_up;
use crate::{BpmLaw, DesignError, Sampler};

/// The largest radius: what the samplers take.
const MOST_STEPS: u64 = 1 << 52;

/// Radial noise on records of the lattice.
#[derive(Clone)]
pub(crate) enum RadialNoise {
    Exact(EuclideanLaplace),
    Doubles(EuclideanLaplaceDoubles),
}

impl RadialNoise {
    pub(crate) fn new(
        epsilon: &Epsilon,
        dims: usize,
        radius_steps: u64,
        sampler: Sampler,
    ) -> Result<Self, DesignError> {
        Self::check(epsilon, dims, radius_steps)?;
        let decay = decay(epsilon);
        Ok(match sampler {
            Sampler::Exact => Self::Exact(EuclideanLaplace::new(decay, dims, STEPS, radius_steps)?),
            Sampler::Doubles => Self::Doubles(EuclideanLaplaceDoubles::new(decay, dims, STEPS, radius_steps)?),
        })
    }

    /// Whether the parameters are in range, without the work of setting up a sampler.
    pub(crate) fn check(epsilon: &Epsilon, dims: usize, radius_steps: u64) -> Result<(), DesignError> {
        if !(1..=MOST_STEPS).contains(&radius_steps) {
            return Err(DesignError::Parameter {
                what: "the radius in lattice steps",
                given: radius_steps.to_string(),
                advice: format!("give at least 1 and at most {MOST_STEPS}"),
            });
        }
        Ok(RadialParameters::new(decay(epsilon), dims, STEPS, radius_steps).map(drop)?)
    }

    fn parameters(&self) -> &RadialParameters {
        match self {
            Self::Exact(noise) => noise.parameters(),
            Self::Doubles(noise) => noise.parameters(),
        }
    }

    pub(crate) fn radius_steps(&self) -> u64 {
        self.parameters().radius()
    }

    /// The loss per width: decay times steps.
    fn per_width(&self) -> RBig {
        self.parameters().decay() * RBig::from(self.parameters().side())
    }

    /// The distribution for real numbers, in widths.
    pub(crate) fn law(&self) -> BpmLaw {
        BpmLaw {
            dims: self.parameters().dims(),
            rate: self.per_width().to_f64().value(),
            radius: self.radius_steps() as f64 / STEPS as f64,
        }
    }

    /// The loss per unit of Euclidean distance, and the loss between any two records.
    pub(crate) fn claims(&self) -> (Claim, Claim) {
        let claim = |neighbours, loss| Claim {
            neighbours,
            loss,
            numerics: match self {
                Self::Exact(_) => Numerics::Exact,
                Self::Doubles(_) => Numerics::IdealReals,
            },
            assumes: [Assumption::BoundsPublic, Assumption::OneReportPerPerson].into(),
        };
        let amount = |value: RBig| {
            // Unwrap safety: a product of positive numbers is not negative.
            Epsilon::new(Amount::from_rational(value).unwrap())
        };
        let radius = RBig::from_parts(self.radius_steps().into(), STEPS.into());
        let farthest = root_up(self.parameters().dims()).min(radius);
        (
            claim(
                Neighbours::PerUnitOf(Metric::EuclideanOnLattice { steps: STEPS }),
                Loss::PerDistance(amount(self.per_width())),
            ),
            claim(Neighbours::AnyTwoInputs, Loss::Pure(amount(self.per_width() * farthest))),
        )
    }

    /// A noisy record.
    pub(crate) fn sample(&self, record: &[i64], source: &mut (impl NoiseSource + ?Sized), noisy: &mut [i64]) {
        match self {
            Self::Exact(noise) => noise.sample(source, record, noisy),
            Self::Doubles(noise) => noise.sample(source, record, noisy),
        }
    }
}

/// ε per lattice step.
fn decay(epsilon: &Epsilon) -> RBig {
    epsilon.amount().split(STEPS).as_rational().clone()
}
