//! Where a custodian's budget is kept (R8).

use shoal_privacy::ledger::{Debit, Ledger};
use shoal_privacy::{Allowance, ChargeError, Claim, Delta};

use crate::why::Why;

/// A custodian's budget.
pub trait Purse {
    /// Refuses a run whose whole loss the budget does not cover. Asked at joining; nothing is debited.
    fn covers(&self, whole: &Claim) -> Result<(), Why>;

    /// Debits one round. When it returns, the debit survives a crash.
    fn debit(&mut self, round: &Claim, purpose: &str) -> Result<Allowance, Why>;

    /// The round that was debited last has been answered.
    fn answered(&mut self) {}
}

/// A purse in a ledger.
#[derive(Clone, Debug)]
pub struct LedgerPurse<L> {
    ledger: L,
    dataset: String,
}

impl<L: Ledger> LedgerPurse<L> {
    /// The budget of a data set.
    pub fn new(ledger: L, dataset: &str) -> Self {
        Self { ledger, dataset: dataset.into() }
    }

    /// The ledger.
    pub fn ledger(&self) -> &L {
        &self.ledger
    }
}

/// The debit for a claim.
pub fn debit_for(dataset: &str, claim: &Claim, purpose: &str) -> Result<Debit, Why> {
    Debit::for_loss_up(dataset, &claim.loss, &Delta::ZERO, purpose).ok_or(Why::Budget)
}

impl<L: Ledger> Purse for LedgerPurse<L> {
    fn covers(&self, whole: &Claim) -> Result<(), Why> {
        let balance = self.ledger.balance(&self.dataset).map_err(|_| Why::Ledger)?;
        if balance.covers(&debit_for(&self.dataset, whole, "")?) { Ok(()) } else { Err(Why::Budget) }
    }

    fn debit(&mut self, round: &Claim, purpose: &str) -> Result<Allowance, Why> {
        let debit = debit_for(&self.dataset, round, purpose)?;
        let receipt = self.ledger.debit(&debit).map_err(|_| Why::Ledger)?;
        Allowance::debited(round.clone(), receipt).map_err(|_: ChargeError| Why::Ledger)
    }
}

/// No ledger: the custodian answers for the sum over runs. For rehearsals.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoLedger;

impl Purse for NoLedger {
    fn covers(&self, _: &Claim) -> Result<(), Why> {
        Ok(())
    }

    fn debit(&mut self, round: &Claim, _: &str) -> Result<Allowance, Why> {
        Ok(Allowance::without_ledger(round.clone()))
    }
}
