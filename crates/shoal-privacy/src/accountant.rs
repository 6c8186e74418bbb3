//! Spend before you look: the only way from a sensitive value to a released one.

use std::collections::BTreeSet;

use crate::claim::{Assumption, Claim, CompositionError, Numerics};
use crate::ledger::Receipt;
use crate::loss::Loss;
use crate::units::Rho;
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

    /// An allowance that a ledger has durably debited. Uses the receipt up: one debit, one run.
    pub fn debited(claim: Claim, receipt: Receipt) -> Result<Self, ChargeError> {
        let debit = receipt.into_debit();
        if claim.loss.epsilon_at_up(&debit.delta).is_some_and(|epsilon| epsilon <= debit.epsilon) {
            Ok(Self { claim })
        } else {
            let limit = format!("ε = {}, δ = {} that were debited", debit.epsilon, debit.delta);
            Err(ChargeError::OverLimit { would_be: claim.loss.symbols(), limit })
        }
    }

    /// Divides this allowance between a release of bounds and what takes those as its public bounds.
    ///
    /// # Errors
    /// When the two together promise less than this allowance must keep.
    pub fn split_for_bounds(self, bounds: Claim, within: Claim) -> Result<(Self, Self), ChargeError> {
        let both = bounds.then_within_its_bounds(&within)?;
        if !both.loss.implies(&self.claim.loss) {
            let limit = format!("{} this run may spend", self.claim.loss.symbols());
            return Err(ChargeError::OverLimit { would_be: both.loss.symbols(), limit });
        }
        if !both.at_least_as_strong_as(&self.claim) {
            return Err(ChargeError::WeakerPromise(both.sentence()));
        }
        Ok((Self { claim: bounds }, Self { claim: within }))
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
///     fn claim(&self) -> Claim {
///         Claim {
///             neighbours: Neighbours::AddRemoveOne,
///             loss: Loss::Pure(Epsilon::new(Amount::ratio(3, 4))),
///             numerics: Numerics::Exact,
///             assumes: Default::default(),
///         }
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
    spent: Claim,
    /// All steps in zCDP, where each of them is pure or concentrated: several pure steps add up to less there.
    concentrated: Option<Loss>,
}

/// A step asked for more than is left.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChargeError {
    /// More than the allowance.
    #[error("a step would raise the loss to {would_be}, more than the {limit}")]
    OverLimit {
        /// The loss after the step.
        would_be: String,
        /// The allowance.
        limit: String,
    },
    /// The step promises something else: other neighbours, weaker numerics, or on conditions that were not agreed.
    #[error("a step keeps a weaker promise than this run must keep ({0})")]
    WeakerPromise(String),
    /// The step's promise does not add to the others.
    #[error(transparent)]
    Composition(#[from] CompositionError),
}

impl ChargeError {
    /// A short name of the reason that stays the same between versions.
    pub fn code(&self) -> &'static str {
        match self {
            Self::OverLimit { .. } => "allowance-exceeded",
            Self::WeakerPromise(..) => "weaker-guarantee",
            Self::Composition(error) => error.code(),
        }
    }
}

impl Accountant {
    /// Nothing spent yet.
    pub fn new(allowance: Allowance) -> Self {
        let limit = allowance.claim;
        let spent = Claim {
            neighbours: limit.neighbours.clone(),
            loss: Loss::NONE,
            numerics: Numerics::Exact,
            assumes: BTreeSet::new(),
        };
        Self { limit, spent, concentrated: Some(Loss::Zcdp(Rho::ZERO)) }
    }

    /// Charges the mechanism's own claim, and only then runs it.
    pub fn release<M: Mechanism>(
        &mut self,
        value: Sensitive<M::Input>,
        mechanism: M,
    ) -> Result<Released<M::Output>, ChargeError> {
        let claim = mechanism.claim();
        #[cfg(feature = "tracing")]
        let _release = tracing::info_span!("release", loss = claim.loss.symbols()).entered();
        self.charge(&claim)?;
        Ok(Released::by_mechanism(mechanism.run(value.0)))
    }

    /// Charges the claim of all looks together, and only then takes the first. `look` answers a question about the records.
    pub fn release_in_looks<M: ManyLooks, E: From<ChargeError>>(
        &mut self,
        mut mechanism: M,
        mut look: impl FnMut(&M::Question) -> Result<Sensitive<M::Input>, E>,
    ) -> Result<Released<M::Output>, E> {
        let claim = mechanism.claim();
        #[cfg(feature = "tracing")]
        let _release = tracing::info_span!("release", loss = claim.loss.symbols()).entered();
        self.charge(&claim)?;
        while let Some(question) = mechanism.question() {
            mechanism.take(look(&question)?.0);
        }
        Ok(Released::by_mechanism(mechanism.finish()))
    }

    fn charge(&mut self, claim: &Claim) -> Result<(), ChargeError> {
        let mut would_be = self.spent.then(claim)?;
        let concentrated = match &claim.loss {
            Loss::Pure(_) | Loss::Zcdp(_) => {
                self.concentrated.as_ref().and_then(|before| before.then(&claim.loss).ok())
            }
            _ => None,
        };
        // Only an (ε, δ) leaves a choice of how to add up, and the plain sum is stated where it is enough.
        if let (Loss::Approximate { .. }, Some(total)) = (&self.limit.loss, &concentrated)
            && !would_be.loss.implies(&self.limit.loss)
            && total.implies(&self.limit.loss)
        {
            would_be.loss = total.clone();
        }
        if !would_be.loss.implies(&self.limit.loss) {
            let limit = format!("{} this run may spend", self.limit.loss.symbols());
            return Err(ChargeError::OverLimit { would_be: would_be.loss.symbols(), limit });
        }
        if !would_be.at_least_as_strong_as(&self.limit) {
            return Err(ChargeError::WeakerPromise(would_be.sentence()));
        }
        self.spent = would_be;
        self.concentrated = concentrated;
        Ok(())
    }

    /// Makes the promise rest on one condition more, which was agreed.
    pub fn rely_on(&mut self, assumption: Assumption) -> Result<(), ChargeError> {
        if !self.limit.assumes.contains(&assumption) {
            return Err(ChargeError::WeakerPromise(format!("it would hold only if {}", assumption.words())));
        }
        self.spent.assumes.insert(assumption);
        Ok(())
    }

    /// The guarantee to state: what was spent, in the unit of the allowance where that is (ε, δ) and the steps were charged in
    /// zCDP, or as a pure ε above the agreed one. Every step was checked to leave the allowance's own promise standing, so
    /// that is the one stated.
    pub fn promised(&self) -> Claim {
        let mut promised = self.spent.clone();
        let told_as_agreed = match (&promised.loss, &self.limit.loss) {
            (Loss::Zcdp(_), Loss::Approximate { .. }) => true,
            (Loss::Pure(spent), Loss::Approximate { epsilon, .. }) => spent > epsilon,
            _ => false,
        };
        if told_as_agreed {
            promised.loss = self.limit.loss.clone();
        }
        promised
    }

    /// The promise that everything charged so far keeps: composed from the steps, not from what was asked for.
    pub fn spent(&self) -> &Claim {
        &self.spent
    }
}

/// Adds noise to a sensitive value, and knows what that costs.
///
/// The claim must follow from the mechanism's own parameters (noise scale and sensitivity), never from what a user
/// asked for: it is what the budget is charged and what the printed promise is composed of.
pub trait Mechanism {
    /// The sensitive value.
    type Input;
    /// What is let out.
    type Output;

    /// What one run promises.
    fn claim(&self) -> Claim;

    /// Draws the noise. Called once, after the claim was charged.
    fn run(self, value: Self::Input) -> Self::Output;
}

/// A mechanism that looks at the records more than once, and whose next question may depend on what it has let out.
///
/// Its claim is about everything that it lets out together. A question must follow from public numbers and from outputs of
/// the looks before, never from an exact answer: whoever sees the output may know the questions.
pub trait ManyLooks {
    /// What is asked about the records.
    type Question;
    /// The sensitive answer.
    type Input;
    /// What is let out in the end.
    type Output;

    /// What all looks together promise.
    fn claim(&self) -> Claim;

    /// What to ask next; none when there is nothing left to ask.
    fn question(&self) -> Option<Self::Question>;

    /// Draws the noise for one answer.
    fn take(&mut self, answer: Self::Input);

    /// Called once, after the last look.
    fn finish(self) -> Self::Output;
}
