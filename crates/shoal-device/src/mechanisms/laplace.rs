//! Independent Laplace noise on each attribute: the baselines of YTL22 (Section IV-A.3).
//!
//! *Privacy*: discrete Laplace noise of decay a per lattice step on every coordinate loses a·‖v − v'‖₁ between records v
//! and v'. With m steps across an attribute:
//! - [`LaplacePerAttribute::ldp`], a = ε/(d·m): at most a·d·m = ε between any two records, and, as ‖·‖₁ ≤ √d·‖·‖₂,
//!   ε/√d per unit of Euclidean distance.
//! - [`LaplacePerAttribute::metric`], a = ε·q/m with q the largest multiple of 2^-60 that is not above 1/√d: at most
//!   ε·q·√d ≤ ε per unit of distance, and a·d·m = ε·q·d between any two records.
//!
//! *Distribution*: P(x | v) = Π (1 − e^-a)/(1 + e^-a) · e^(-a|x_i − v_i|), exact.
//!
//! *Utility*: variance 2d²/ε² and 2d/ε² per attribute.
//!
//! *Assumes*: public bounds, one report per person.
//!
//! *Paper*: YTL22 compares with the first. The second is in its supplement, which we do not have; it is our reading.

use dashu_ratio::RBig;
use shoal_noise::{DiscreteLaplace, NoiseError, NoiseSource};
use shoal_privacy::{Amount, Assumption, Claim, Epsilon, Guarantee, Loss, Metric, Neighbours, Numerics, Published};

use shoal_lattice::STEPS;

use crate::{DesignError, NoiseLaw, Promises, Space};

/// Bits of the rational below 1/√d.
const ROOT_BITS: u32 = 60;

/// Reports beyond this are moved here. A draw that does not fit 64 bits is cut off by the sampler, and would then lie at a
/// distance from the record that no other record can have; this far inside all such draws are one point, for every record.
const FARTHEST: i64 = 1 << 62;

/// Laplace noise on each attribute.
#[derive(Clone)]
pub struct LaplacePerAttribute {
    noise: DiscreteLaplace,
    dims: usize,
    /// The loss per unit of distance, where it is this that was asked for: checked to be one in [`Self::metric`].
    per_distance: Option<Epsilon>,
}

impl LaplacePerAttribute {
    /// ε/d on each of d attributes.
    pub fn ldp(epsilon: &Epsilon, dims: usize) -> Result<Self, DesignError> {
        some(dims)?;
        let decay = epsilon.amount().split(dims as u64).split(STEPS);
        Ok(Self { noise: DiscreteLaplace::new(decay.as_rational().clone())?, dims, per_distance: None })
    }

    /// Scale √d/ε on each of d attributes.
    pub fn metric(epsilon: &Epsilon, dims: usize) -> Result<Self, DesignError> {
        some(dims)?;
        // ⌊2^60/√d⌋ = ⌊√(2^120/d)⌋, rounded down twice: never above.
        let root = ((1_u128 << (2 * ROOT_BITS)) / dims as u128).isqrt() as u64;
        let decay = epsilon.amount().times(&Amount::ratio(root, 1 << ROOT_BITS)).split(STEPS);
        let made = Self {
            noise: DiscreteLaplace::new(decay.as_rational().clone())?,
            dims,
            per_distance: Some(epsilon.clone()),
        };
        // a·m·√d ≤ ε, squared so that both sides are rational.
        let squared = made.per_attribute_loss().sqr() * RBig::from(dims);
        assert!(squared <= epsilon.amount().as_rational().sqr(), "the noise is enough for the distance");
        Ok(made)
    }

    /// The loss per whole attribute: decay times steps.
    fn per_attribute_loss(&self) -> RBig {
        self.noise.decay() * RBig::from(STEPS)
    }

    /// What a report guarantees, from the decay of the noise.
    pub fn promises(&self) -> Promises {
        let claim = |neighbours, loss| Claim {
            neighbours,
            loss,
            numerics: Numerics::Exact,
            assumes: [Assumption::BoundsPublic, Assumption::OneReportPerPerson].into(),
        };
        let amount = |value: RBig| {
            // Unwrap safety: a product of positive numbers is not negative.
            Epsilon::new(Amount::from_rational(value).unwrap())
        };
        let any_two =
            claim(Neighbours::AnyTwoInputs, Loss::Pure(amount(self.per_attribute_loss() * RBig::from(self.dims))));
        let distance =
            self.per_distance.clone().unwrap_or_else(|| amount(self.per_attribute_loss() * root_up(self.dims)));
        let per_distance =
            claim(Neighbours::PerUnitOf(Metric::EuclideanOnLattice { steps: STEPS }), Loss::PerDistance(distance));
        if self.per_distance.is_none() {
            Promises {
                guarantee: Guarantee::Holds(any_two),
                also: vec![per_distance],
                published: Published::new("ε-local differential privacy", "YTL22, baseline"),
            }
        } else {
            Promises {
                guarantee: Guarantee::Holds(per_distance),
                also: vec![any_two],
                published: Published::new("ε·d_E-privacy", "YTL22, supplement, as we read it"),
            }
        }
    }

    /// Reports can lie anywhere on the lattice, as far as numbers go.
    pub fn space(&self) -> Space {
        Space { low: -FARTHEST, high: FARTHEST }
    }

    /// The noise in widths of the box: a Laplace density whose scale is one over the loss per attribute.
    pub fn noise_law(&self) -> NoiseLaw {
        NoiseLaw::PerAttribute { scale: 1.0 / self.per_attribute_loss().to_f64().value() }
    }

    /// One report.
    ///
    /// # Panics
    /// When a slice has another length than there are attributes, or the record is outside the box.
    pub fn report(&self, record: &[i64], noise: &mut (impl NoiseSource + ?Sized), report: &mut [i64]) {
        assert_eq!((record.len(), report.len()), (self.dims, self.dims), "one coordinate per attribute");
        for (&v, x) in record.iter().zip(report) {
            assert!((0..=STEPS as i64).contains(&v), "the record is inside its bounds");
            *x = v.saturating_add(self.noise.sample(noise)).clamp(-FARTHEST, FARTHEST);
        }
    }
}

/// Refuses a record without attributes.
fn some(dims: usize) -> Result<(), DesignError> {
    if dims == 0 { Err(NoiseError::NoDimensions.into()) } else { Ok(()) }
}

/// A rational that is not below √n, by less than 2^-50 of it.
pub(crate) fn root_up(n: usize) -> RBig {
    let scaled = (n as u128) << 100;
    let root = scaled.isqrt();
    let up = if root * root == scaled { root } else { root + 1 };
    RBig::from_parts(up.into(), (1_u64 << 50).into())
}
