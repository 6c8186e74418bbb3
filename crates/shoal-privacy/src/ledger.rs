//! What keeps the budget of a data set over many releases.

use crate::amount::Amount;
use crate::loss::Loss;
use crate::units::{Delta, Epsilon};

/// What one release asks of the budget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Debit {
    /// The data set's name in the ledger.
    pub dataset: String,
    /// ε of the release.
    pub epsilon: Epsilon,
    /// δ of the release; zero when it is pure.
    pub delta: Delta,
    /// What the release is, for the people who read the ledger.
    pub purpose: String,
}

impl Debit {
    /// The debit for a loss; `None` when the loss has no (ε, δ) form at this δ.
    pub fn for_loss_up(dataset: &str, loss: &Loss, delta: &Delta, purpose: &str) -> Option<Self> {
        let delta = if matches!(loss, Loss::Pure(_)) { Delta::ZERO } else { delta.clone() };
        let epsilon = loss.epsilon_at_up(&delta)?;
        Some(Self { dataset: dataset.into(), epsilon, delta, purpose: purpose.into() })
    }
}

/// What a ledger hands out for a debit that is on record. Not `Clone`: it pays for one run.
#[derive(Debug, PartialEq, Eq)]
pub struct Receipt {
    entry: u64,
    debit: Debit,
}

impl Receipt {
    /// For ledgers, after the debit is durable.
    pub fn on_record(entry: u64, debit: Debit) -> Self {
        Self { entry, debit }
    }

    /// The entry's number in the ledger.
    pub fn entry(&self) -> u64 {
        self.entry
    }

    /// What was debited. Uses the receipt up.
    pub fn into_debit(self) -> Debit {
        self.debit
    }
}

/// A data set's budget and what is left of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Balance {
    /// ε granted when the data set was entered.
    pub epsilon_total: Epsilon,
    /// δ granted when the data set was entered.
    pub delta_total: Delta,
    /// ε debited so far.
    pub epsilon_spent: Epsilon,
    /// δ debited so far.
    pub delta_spent: Delta,
}

impl Balance {
    /// ε that is left.
    pub fn epsilon_left(&self) -> Epsilon {
        Epsilon::new(left(self.epsilon_total.amount(), self.epsilon_spent.amount()))
    }

    /// δ that is left.
    pub fn delta_left(&self) -> Amount {
        left(self.delta_total.amount(), self.delta_spent.amount())
    }

    /// True when the debit fits.
    pub fn covers(&self, debit: &Debit) -> bool {
        debit.epsilon <= self.epsilon_left() && *debit.delta.amount() <= self.delta_left()
    }
}

fn left(total: &Amount, spent: &Amount) -> Amount {
    total.checked_sub(spent).unwrap_or(Amount::ZERO)
}

/// Keeps budgets. A debit that returns `Ok` survives a crash of the program or the machine.
pub trait Ledger {
    /// What can go wrong.
    type Error;

    /// Enters the debit, or refuses it and changes nothing.
    fn debit(&mut self, debit: &Debit) -> Result<Receipt, Self::Error>;

    /// The budget of a data set.
    fn balance(&self, dataset: &str) -> Result<Balance, Self::Error>;
}
