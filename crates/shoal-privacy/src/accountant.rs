//! Spend before you look: the only way from a sensitive value to a released one.

use crate::claim::{Claim, CompositionError};
use crate::loss::Loss;
use crate::wrappers::{Released, Sensitive};

/// The right to run an algorithm that promises no less than `claim`: it was debited from a ledger, or the user has none.
///
/// Not `Clone`: one debit, one run.
pub struct Allowance {
    claim: Claim,
}

impl Allowance {
    /// An allowance that no ledger keeps track of; the caller answers for the sum over runs.
    pub fn without_ledger(claim: Claim) -> Self {
        Self { claim }
    }

    /// An allowance that a ledger has durably debited.
    pub fn debited(claim: Claim, _receipt: &crate::ledger::Receipt) -> Self {
        Self { claim }
    }

    /// The promise that must be kept.
    pub fn claim(&self) -> &Claim {
        &self.claim
    }
}

/// Charges every step of an algorithm against its allowance.
///
/// ```
/// use shoal_privacy::*;
///
/// let claim = Claim {
///     neighbours: Neighbours::AddRemoveOne,
///     loss: Loss::Pure("1".parse()?),
///     numerics: Numerics::Exact,
///     assumes: Default::default(),
/// };
/// let mut accountant = Accountant::new(Allowance::without_ledger(claim));
/// struct NoisyCount;
/// impl Mechanism for NoisyCount {
///     type Input = i64;
///     type Output = i64;
///     fn loss(&self) -> Loss {
///         Loss::Pure(Epsilon::new(Amount::ratio(3, 4)))
///     }
///     fn run(self, count: i64) -> i64 {
///         count + 1 // noise would be drawn here
///     }
/// }
/// let noisy = accountant.release(Sensitive::new(41), NoisyCount)?;
/// assert_eq!(*noisy.get(), 42);
/// assert!(accountant.release(Sensitive::new(41), NoisyCount).is_err());
/// assert_eq!(accountant.spent().loss, Loss::Pure("0.75".parse()?));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Accountant {
    limit: Claim,
    spent: Loss,
}

/// A step asked for more than is left.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ChargeError {
    /// More than the allowance.
    #[error("a step would raise the loss to {would_be}, more than the {limit} this run may spend")]
    OverLimit {
        /// The loss after the step.
        would_be: String,
        /// The allowance.
        limit: String,
    },
    /// The step's loss is in a unit that does not add to the others.
    #[error(transparent)]
    Composition(#[from] CompositionError),
}

impl Accountant {
    /// Nothing spent yet.
    pub fn new(allowance: Allowance) -> Self {
        Self { limit: allowance.claim, spent: Loss::NONE }
    }

    /// Charges the mechanism's own loss, and only then runs it.
    pub fn release<M: Mechanism>(
        &mut self,
        value: Sensitive<M::Input>,
        mechanism: M,
    ) -> Result<Released<M::Output>, ChargeError> {
        let would_be = self.spent.then(&mechanism.loss()).map_err(CompositionError::from)?;
        if !would_be.implies(&self.limit.loss) {
            return Err(ChargeError::OverLimit { would_be: would_be.symbols(), limit: self.limit.loss.symbols() });
        }
        self.spent = would_be;
        Ok(Released::by_mechanism(mechanism.run(value.0)))
    }

    /// The promise that everything charged so far keeps: computed from the steps, not from what was asked for.
    pub fn spent(&self) -> Claim {
        Claim { loss: self.spent.clone(), ..self.limit.clone() }
    }
}

/// Adds noise to a sensitive value, and knows what that costs.
///
/// The loss must follow from the mechanism's own parameters (noise scale and sensitivity), never from what a user
/// asked for: it is what the budget is charged and what the claim is computed from.
pub trait Mechanism {
    /// The sensitive value.
    type Input;
    /// What is let out.
    type Output;

    /// The loss of one run.
    fn loss(&self) -> Loss;

    /// Draws the noise. Called once, after the loss was charged.
    fn run(self, value: Self::Input) -> Self::Output;
}
