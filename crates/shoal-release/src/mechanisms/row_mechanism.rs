//! What the curator's mechanisms have in common: they hide one row, exactly.
//!
//! A mechanism says what it takes and gives, what adding or removing one row can cost, computed from its own noise and
//! sensitivity, and how it draws. The claim follows: that loss, pure or concentrated, between tables of which one has one
//! row more, exact, given public bounds and one row per person.

use dashu_ratio::RBig;
use shoal_noise::NoiseSource;
use shoal_privacy::{Amount, Assumption, Claim, Epsilon, Loss, Mechanism, Neighbours, Numerics, Rho};

use crate::mechanisms::distribution::Part;
use crate::mechanisms::transcript::witnessed;

/// Adds exact noise to integers, with a known loss for adding or removing one row.
pub trait RowMechanism {
    /// The sensitive value.
    type Input;
    /// What is let out.
    type Output: Clone + 'static;

    /// The loss, from the noise's decay and what one row can change.
    fn loss(&self) -> Loss;

    /// Draws the noise.
    fn draw(&self, exact: Self::Input, noise: &mut dyn NoiseSource) -> Self::Output;

    /// The distribution of the output for this input, part by part in the order of [`RowMechanism::draw`], with the
    /// samplers that draw it. An exact audit compares it for two tables with [`RowMechanism::loss`]; a mechanism without one
    /// cannot be checked that way.
    fn distribution(&self, _exact: &Self::Input) -> Option<Vec<Part<'_>>> {
        None
    }

    /// What one run promises.
    fn claim(&self) -> Claim {
        Claim {
            neighbours: Neighbours::AddRemoveOne,
            loss: self.loss(),
            numerics: Numerics::Exact,
            assumes: [Assumption::BoundsPublic, Assumption::OneRowPerPerson].into(),
        }
    }

    /// The mechanism with a source of noise, for the accountant to run.
    fn with<'a>(&'a self, noise: &'a mut dyn NoiseSource) -> Running<'a, Self> {
        Running { mechanism: self, noise }
    }
}

/// A [`RowMechanism`] about to run.
pub struct Running<'a, M: ?Sized> {
    mechanism: &'a M,
    noise: &'a mut dyn NoiseSource,
}

impl<M: RowMechanism + ?Sized> Mechanism for Running<'_, M> {
    type Input = M::Input;
    type Output = M::Output;

    fn claim(&self) -> Claim {
        self.mechanism.claim()
    }

    fn run(self, exact: M::Input) -> M::Output {
        match witnessed(self.mechanism, exact, self.noise) {
            Ok(output) => output,
            Err(exact) => self.mechanism.draw(exact, self.noise),
        }
    }
}

/// A pure loss that is a product of decays and sensitivities, neither of which can be negative.
pub fn pure(loss: RBig) -> Loss {
    // Unwrap safety: the samplers refuse a decay that is not positive.
    Loss::Pure(Epsilon::new(Amount::from_rational(loss).unwrap()))
}

/// A concentrated loss that is a sum of squared sensitivities over twice the variances, none of which can be negative.
pub fn concentrated(loss: RBig) -> Loss {
    // Unwrap safety: the samplers refuse a variance that is not positive.
    Loss::Zcdp(Rho::new(Amount::from_rational(loss).unwrap()))
}

/// Noisy numbers are clamped here. The samplers themselves stop at 2^63, and no exact number comes near 2^61, so a draw
/// beyond gives the same clamped number as the exact draw would: the clamp is a function of the exact noisy number.
const FARTHEST: i128 = 1 << 62;

/// An exact number with a draw of noise on it.
pub fn noisy(exact: impl Into<i128>, noise: i64) -> i64 {
    (exact.into() + i128::from(noise)).clamp(-FARTHEST, FARTHEST) as i64
}
