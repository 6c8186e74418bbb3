//! The ledger that a run debits.

use std::path::Path;

use shoal_ledger::FileLedger;
use shoal_privacy::ledger::{Balance, Debit, Ledger};
use shoal_privacy::{Allowance, Claim, Delta, Loss};

use crate::failure::Failure;
use crate::table;

/// The ledger of this run and the data set's name in it.
pub struct OpenLedger {
    ledger: FileLedger,
    dataset: String,
}

impl OpenLedger {
    /// Opens the ledger and makes sure that the data set is in it, before any time is spent on reading. The data set goes
    /// by the name given, or by that of the table.
    pub fn open(path: &Path, data: &str, dataset: Option<&str>) -> Result<Self, Failure> {
        let dataset = match dataset {
            Some(name) => name.into(),
            None if data == "-" => {
                return Err(Failure::usage("standard input has no name; say which data set it is with --dataset NAME"));
            }
            None => table::dataset_name(data),
        };
        let ledger = FileLedger::open(path)?;
        ledger.balance(&dataset)?;
        Ok(Self { ledger, dataset })
    }

    /// Debits what `claim` costs.
    pub fn debit(&mut self, purpose: &str, claim: Claim) -> Result<Allowance, Failure> {
        let delta = match &claim.loss {
            Loss::Approximate { delta, .. } => delta.clone(),
            _ => Delta::ZERO,
        };
        let debit = Debit::for_loss_up(&self.dataset, &claim.loss, &delta, purpose)
            .ok_or_else(|| Failure::refused("this method's loss cannot be kept in a ledger"))?;
        let receipt = self.ledger.debit(&debit)?;
        Ok(Allowance::debited(claim, receipt)?)
    }

    /// The data set's name and what is left of its budget.
    pub fn balance(self) -> Result<(String, Balance), Failure> {
        let balance = self.ledger.balance(&self.dataset)?;
        Ok((self.dataset, balance))
    }
}

/// The right to run what keeps `claim`: debited where there is a ledger.
pub fn allow(ledger: &mut Option<OpenLedger>, purpose: &str, claim: Claim) -> Result<Allowance, Failure> {
    match ledger {
        Some(ledger) => ledger.debit(purpose, claim),
        None => Ok(Allowance::without_ledger(claim)),
    }
}
