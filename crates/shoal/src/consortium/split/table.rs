//! A custodian's table and budget.

use std::path::{Path, PathBuf};

use shoal_files::BoundsSpec;
use shoal_ledger::{FileLedger, Origin, Unit};
use shoal_privacy::ledger::Ledger as _;
use shoal_privacy::{Allowance, Claim};
use shoal_scan::{LocalScan, Scan};
use shoal_split::{Charter, Purse, Why, debit_for};

use crate::Error;
use crate::input::{Input, Reading};
use crate::persons::Persons;
use crate::watch::Watcher;

/// A custodian's rows within the charter's bounds: a snapshot, which stays the same for a run.
pub struct SplitTable {
    scan: LocalScan,
    hash: [u8; 32],
}

impl SplitTable {
    /// Reads every row once, so that bad input is found before anything is asked. Rows that lack a value are refused.
    pub fn open<'a>(input: impl Into<Input<'a>>, charter: &Charter) -> Result<Self, Error> {
        let bounds = charter.bounds();
        let named = bounds.columns().iter().cloned().zip(bounds.intervals().iter().copied()).collect();
        let reading = Reading::of_release();
        let (opened, within) = reading.open_within(input.into(), &BoundsSpec::Named(named))?;
        reading.check_memory(&opened)?;
        let hash = opened.content_hash()?;
        let store = reading.load(opened, &within, Persons::key(None)?, &Watcher::default())?;
        Ok(Self { scan: LocalScan::new(store), hash })
    }

    /// The rows, to be asked about.
    pub fn scan(&self) -> &dyn Scan {
        &self.scan
    }

    /// What a ledger knows the table by. Sensitive.
    pub fn content_hash(&self) -> [u8; 32] {
        self.hash
    }
}

/// A custodian's budget in a ledger file, known by the table's content.
pub struct SplitPurse {
    ledger: FileLedger,
    dataset: String,
    table: [u8; 32],
    last: Option<u64>,
    at: PathBuf,
}

impl SplitPurse {
    /// The budget of a data set that is in the ledger already.
    pub fn open(ledger: impl AsRef<Path>, dataset: &str, table: &SplitTable) -> Result<Self, Error> {
        let at = ledger.as_ref().to_path_buf();
        let ledger = FileLedger::open(&at)?;
        ledger.balance(dataset)?;
        Ok(Self { ledger, dataset: dataset.into(), table: table.hash, last: None, at })
    }

    /// What is left, for people.
    pub fn left(&self) -> Result<String, Error> {
        Ok(self.ledger.balance(&self.dataset)?.epsilon_left().to_string())
    }

    /// The ledger's file.
    pub fn path(&self) -> &Path {
        &self.at
    }
}

impl Purse for SplitPurse {
    fn covers(&self, whole: &Claim) -> Result<(), Why> {
        let balance = self.ledger.balance(&self.dataset).map_err(|_| Why::Ledger)?;
        if balance.covers(&debit_for(&self.dataset, whole, "")?) { Ok(()) } else { Err(Why::Budget) }
    }

    fn debit(&mut self, round: &Claim, purpose: &str) -> Result<Allowance, Why> {
        let debit = debit_for(&self.dataset, round, purpose)?;
        let origin = Origin { table: Some(self.table), population: false, unit: Some(Unit::of(&round.neighbours)) };
        let receipt = self.ledger.debit_from(&debit, &origin).map_err(|_| Why::Ledger)?;
        self.last = Some(receipt.entry());
        Allowance::debited(round.clone(), receipt).map_err(|_| Why::Ledger)
    }

    fn answered(&mut self) {
        // A mark that cannot be made leaves the entry unfinished; the debit stands either way.
        if let Some(entry) = self.last.take() {
            let _ = self.ledger.finish(entry);
        }
    }
}
