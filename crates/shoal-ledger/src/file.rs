//! The ledger on disk.

use std::path::Path;
use std::time::Duration;

use rusqlite::{Transaction, TransactionBehavior, params};
use shoal_privacy::ledger::{Balance, Debit, Ledger, Receipt};
use shoal_privacy::{Delta, Epsilon};

use crate::books::Books;

use crate::clock;
use crate::entry::{Entry, PROGRAM};
use crate::error::LedgerError;
use crate::origin::Origin;
use crate::store::{Store, new_secret};
use crate::{names, rules};

/// A ledger in one file, which many programs may use at the same time.
///
/// A debit that returned `Ok` is on disk: it survives the death of the program and of the machine. When a debit
/// returns an error the release must not happen; it is then almost always not on record either, except when the disk
/// failed at the last moment.
pub struct FileLedger {
    store: Store,
}

impl FileLedger {
    /// Opens a ledger that is there. Anything else at the path is refused and left as it is.
    ///
    /// A ledger without permission to write opens too; it can be read, and refuses debits.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, LedgerError> {
        Store::open(path.as_ref()).map(|store| Self { store })
    }

    /// Opens a ledger, and makes an empty one if there is no file or an empty file at the path.
    pub fn create_or_open(path: impl AsRef<Path>) -> Result<Self, LedgerError> {
        Store::create_or_open(path.as_ref()).map(|store| Self { store })
    }

    /// Waits this long, instead of ten seconds, for other programs that write.
    pub fn set_patience(&mut self, patience: Duration) -> Result<(), LedgerError> {
        self.store.set_patience(patience)
    }

    /// Enters a data set with what all its releases together may spend.
    ///
    /// A data set that is there already is refused, even with the same budget: whoever enters it twice believes that
    /// nothing was spent yet.
    pub fn init(&mut self, dataset: &str, epsilon: &Epsilon, delta: &Delta) -> Result<(), LedgerError> {
        rules::check_new(dataset, epsilon)?;
        let (epsilon, delta) = (rules::to_text(epsilon.amount())?, rules::to_text(delta.amount())?);
        let secret = new_secret()?;
        self.transact(TransactionBehavior::Immediate, |books| {
            if let Some(balance) = books.balance(dataset)? {
                return Err(LedgerError::AlreadyEntered { dataset: dataset.into(), balance: Box::new(balance) }.into());
            }
            books.upgrade(&secret)?;
            books.add_dataset(params![dataset, epsilon, delta, clock::now(), PROGRAM])?;
            Ok(())
        })
    }

    /// Names of all data sets, in the order in which they were entered.
    pub fn datasets(&self) -> Result<Vec<String>, LedgerError> {
        self.transact(TransactionBehavior::Deferred, |books| Ok(books.names()?))
    }

    /// All debits of a data set, first to last.
    pub fn entries(&self, dataset: &str) -> Result<Vec<Entry>, LedgerError> {
        names::check(dataset)?;
        self.transact(TransactionBehavior::Deferred, |books| match books.entries(dataset)? {
            Some(entries) => Ok(entries),
            None => Err(names::unknown(dataset, &books.names()?).into()),
        })
    }

    /// Enters the debit of a release from this origin, or refuses it and changes nothing: also where the table is known by
    /// another name, is another than the one of this name, or the release protects something else than those before it.
    pub fn debit_from(&mut self, debit: &Debit, origin: &Origin) -> Result<Receipt, LedgerError> {
        names::check(&debit.dataset)?;
        let (epsilon, delta) = (rules::to_text(debit.epsilon.amount())?, rules::to_text(debit.delta.amount())?);
        let secret = new_secret()?;
        self.transact(TransactionBehavior::Immediate, |books| {
            let Some(balance) = books.balance(&debit.dataset)? else {
                return Err(names::unknown(&debit.dataset, &books.names()?).into());
            };
            // Whatever is refused below takes this back, too.
            books.upgrade(&secret)?;
            rules::check_unit(&debit.dataset, books.units(&debit.dataset)?, origin.unit)?;
            let mut table = None;
            if let Some(hash) = &origin.table {
                let fingerprint = books.fingerprint(hash)?;
                let owner = books.owner(&fingerprint)?;
                let (known, name) = owner.map_or((None, None), |(number, name)| (Some(number), Some(name)));
                let others = books.tables(&debit.dataset)?;
                if rules::check_table(&debit.dataset, name.as_deref(), others, origin.population)? {
                    table = Some(books.add_table(params![debit.dataset, fingerprint, clock::now()])?);
                } else {
                    table = known;
                }
            }
            rules::check_fits(&balance, debit)?;
            let entry =
                books.add_entry(params![debit.dataset, clock::now(), debit.purpose, epsilon, delta, PROGRAM])?;
            if origin.unit.is_some() || table.is_some() {
                books.add_about(params![entry as i64, origin.unit.map(|unit| unit.name()), table])?;
            }
            Ok(Receipt::on_record(entry, debit.clone()))
        })
    }

    /// Marks an entry as finished: the release that it paid for is written. Until then it counts as unfinished, whatever ends
    /// the program. A mark is never taken back, and a second one changes nothing.
    pub fn finish(&mut self, entry: u64) -> Result<(), LedgerError> {
        let secret = new_secret()?;
        self.transact(TransactionBehavior::Immediate, |books| {
            books.upgrade(&secret)?;
            books.finish(params![i64::try_from(entry).unwrap_or(i64::MAX), clock::now()])?;
            Ok(())
        })
    }

    /// Runs `work` on one state of the books; what it writes happens wholly or, on any error, not at all.
    ///
    /// Writers ask for `Immediate`, which lets in one at a time from before the balance is read until the debit is on
    /// disk. Readers ask for `Deferred`.
    fn transact<T>(
        &self,
        behavior: TransactionBehavior,
        work: impl FnOnce(&Books) -> Result<T, Failure>,
    ) -> Result<T, LedgerError> {
        let explain = |error| self.store.explain(error);
        // Unchecked in that it borrows the connection shared, as reading does; transactions never nest here.
        let transaction = Transaction::new_unchecked(&self.store.connection, behavior).map_err(explain)?;
        let value = work(&Books::new(&transaction)).map_err(|failure| match failure {
            Failure::Refused(error) => error,
            Failure::Sqlite(error) => explain(error),
        })?;
        transaction.commit().map_err(explain)?;
        Ok(value)
    }
}

impl Ledger for FileLedger {
    type Error = LedgerError;

    fn debit(&mut self, debit: &Debit) -> Result<Receipt, LedgerError> {
        self.debit_from(debit, &Origin::default())
    }

    fn balance(&self, dataset: &str) -> Result<Balance, LedgerError> {
        names::check(dataset)?;
        self.transact(TransactionBehavior::Deferred, |books| match books.balance(dataset)? {
            Some(balance) => Ok(balance),
            None => Err(names::unknown(dataset, &books.names()?).into()),
        })
    }
}

/// Why work on the books stopped: by our rules, or because the file gave out.
enum Failure {
    Refused(LedgerError),
    Sqlite(rusqlite::Error),
}

impl From<LedgerError> for Failure {
    fn from(error: LedgerError) -> Self {
        Self::Refused(error)
    }
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}
