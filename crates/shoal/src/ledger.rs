//! Budgets on disk: data sets, what was granted to each, and what is left.

use std::path::{Path, PathBuf};

use shoal_ledger::{Entry, FileLedger, Origin, Unit};
use shoal_privacy::ledger::{Balance, Debit, Ledger as _};
use shoal_privacy::{Allowance, Claim, Delta, Epsilon, Loss};

use crate::Error;
use crate::epsilon::{IntoDelta, IntoEpsilon};
use crate::watch::{Debited, Watcher};

/// The file that keeps the budget of each data set. Many programs may use it at the same time.
///
/// ```
/// use shoal::{Fit, Ledger};
///
/// # let folder = tempfile::tempdir()?;
/// # let (file, table) = (folder.path().join("shoal.ledger"), folder.path().join("people.csv"));
/// # std::fs::write(&table, "age\n".to_string() + &"41\n".repeat(200))?;
/// let mut ledger = Ledger::create_or_open(&file)?;
/// ledger.init("people", "2", "0")?;
/// let fit = Fit::new(1, "1.5")?.bounds("age=17:90")?.ledger(&file, "people")?;
/// fit.run(&table)?;
/// assert_eq!(ledger.balance("people")?.epsilon_left(), "0.5".parse()?);
/// assert!(fit.run(&table).is_err(), "the budget does not cover a second fit");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Ledger {
    file: FileLedger,
}

impl Ledger {
    /// Opens a ledger that exists.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        Ok(Self { file: FileLedger::open(path)? })
    }

    /// Opens a ledger, or makes an empty one where there is no file.
    pub fn create_or_open(path: impl AsRef<Path>) -> Result<Self, Error> {
        Ok(Self { file: FileLedger::create_or_open(path)? })
    }

    /// Enters a data set with the budget of everything that will ever be released from it. This can be done once.
    pub fn init(&mut self, dataset: &str, epsilon: impl IntoEpsilon, delta: impl IntoDelta) -> Result<(), Error> {
        Ok(self.file.init(dataset, &epsilon.into_epsilon()?, &delta.into_delta()?)?)
    }

    /// Names of all data sets, in the order in which they were entered.
    pub fn datasets(&self) -> Result<Vec<String>, Error> {
        Ok(self.file.datasets()?)
    }

    /// A data set's budget and what is left of it.
    pub fn balance(&self, dataset: &str) -> Result<Balance, Error> {
        Ok(self.file.balance(dataset)?)
    }

    /// All debits of a data set, first to last.
    pub fn entries(&self, dataset: &str) -> Result<Vec<Entry>, Error> {
        Ok(self.file.entries(dataset)?)
    }

    /// The name under which a ledger knows a file, unless it is given another: `people` for `data/people.csv.gz`.
    pub fn name_of(data: impl AsRef<Path>) -> String {
        let data = data.as_ref();
        let mut name = match data.file_name() {
            Some(name) => name.to_string_lossy().into_owned(),
            None => data.to_string_lossy().into_owned(),
        };
        for ending in [".gz", ".csv", ".parquet"] {
            if let Some(stem) = name.strip_suffix(ending).filter(|stem| !stem.is_empty()) {
                name = stem.into();
            }
        }
        name
    }
}

/// The ledger and data set that a job debits.
#[derive(Clone, Debug)]
pub(crate) struct Account {
    path: PathBuf,
    dataset: String,
    population: bool,
}

impl Account {
    /// Makes sure that the ledger and the data set in it exist, before any time is spent on reading.
    pub(crate) fn new(path: &Path, dataset: &str) -> Result<Self, Error> {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.into());
        let account = Self { path, dataset: dataset.into(), population: false };
        account.open()?;
        Ok(account)
    }

    /// The same where several tables of the same people share the budget.
    pub(crate) fn of_population(self) -> Self {
        Self { population: true, ..self }
    }

    fn open(&self) -> Result<OpenAccount, Error> {
        let population = self.population;
        let file = FileLedger::open(&self.path)?;
        file.balance(&self.dataset)?;
        Ok(OpenAccount { file, path: self.path.clone(), dataset: self.dataset.clone(), population, begun: None })
    }
}

/// An entry that was begun by a debit and waits for its release.
#[derive(Clone, Debug)]
pub(crate) struct BegunEntry {
    path: PathBuf,
    number: u64,
}

impl BegunEntry {
    /// Marks the entry as finished.
    pub(crate) fn finish(self) -> Result<(), Error> {
        Ok(FileLedger::open(&self.path)?.finish(self.number)?)
    }
}

/// An account, opened for one job.
pub(crate) struct OpenAccount {
    file: FileLedger,
    path: PathBuf,
    dataset: String,
    population: bool,
    begun: Option<BegunEntry>,
}

impl OpenAccount {
    /// The account of a job that has one.
    pub(crate) fn open(account: Option<&Account>) -> Result<Option<Self>, Error> {
        account.map(Account::open).transpose()
    }

    /// The data set's name and what is left of its budget; and the entry, which is finished here unless that is for the caller
    /// to do. Nothing where the ledger cannot be used again: a result that is paid for must not be lost over that.
    pub(crate) fn settle(account: Option<Self>, by_caller: bool) -> (Left, Option<BegunEntry>) {
        let Some(Self { file, dataset, begun, .. }) = account else { return (None, None) };
        let left = file.balance(&dataset).ok().map(|balance| (dataset, balance));
        let begun = match begun {
            Some(entry) if !by_caller => {
                let _ = entry.finish();
                None
            }
            begun => begun,
        };
        (left, begun)
    }

    fn debit(
        &mut self,
        purpose: &str,
        claim: Claim,
        table: Option<[u8; 32]>,
        watch: &Watcher,
    ) -> Result<Allowance, Error> {
        let delta = match &claim.loss {
            Loss::Approximate { delta, .. } => delta.clone(),
            _ => Delta::ZERO,
        };
        let debit = Debit::for_loss_up(&self.dataset, &claim.loss, &delta, purpose).ok_or(Error::NotForLedgers)?;
        let (epsilon, delta) = (debit.epsilon.to_string(), debit.delta.to_string());
        let _debit = tracing::info_span!("debit", dataset = self.dataset, purpose, epsilon, delta).entered();
        watch.paying();
        let origin = Origin { table, population: self.population, unit: Some(Unit::of(&claim.neighbours)) };
        let receipt = self.file.debit_from(&debit, &origin)?;
        let entry = receipt.entry();
        self.begun = Some(BegunEntry { path: self.path.clone(), number: entry });
        let (ledger, Debit { dataset, epsilon, delta, .. }) = (self.path.clone(), debit);
        watch.debited(&Debited { ledger, dataset, entry, epsilon, delta });
        Ok(Allowance::debited(claim, receipt)?)
    }
}

/// The right to run what keeps `claim`: debited durably where there is an account. The last thing that can fail before a
/// record is looked at. `table` is what the ledger knows the table by.
pub(crate) fn allow(
    account: &mut Option<OpenAccount>,
    purpose: &str,
    claim: Claim,
    table: Option<[u8; 32]>,
    watch: &Watcher,
) -> Result<Allowance, Error> {
    match account {
        Some(account) => account.debit(purpose, claim, table, watch),
        None => Ok(Allowance::without_ledger(claim)),
    }
}

/// What a job leaves of a budget, where a ledger keeps one.
pub type Left = Option<(String, Balance)>;

/// Checks that a purchase leaves something of a budget: `total − part`.
pub(crate) fn rest_of(total: &Epsilon, part: &Epsilon) -> Option<Epsilon> {
    total.amount().checked_sub(part.amount()).filter(|rest| !rest.is_zero()).map(Epsilon::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_and_its_name_are_the_same_data_set() {
        for data in ["people", "people.csv", "a/b/people.csv.gz", "people.parquet"] {
            assert_eq!(Ledger::name_of(data), "people");
        }
        assert_eq!(Ledger::name_of(".csv"), ".csv");
        assert_eq!(Ledger::name_of("visits.2024.csv"), "visits.2024");
    }
}
