//! A crash-safe file that keeps the privacy budget of each data set.
//!
//! Each data set is entered once with the ε and δ that its people were promised in total. Every release is debited
//! before it is computed, and refused when it no longer fits. [`FileLedger`] keeps the books in one file that many
//! programs may use at the same time; [`MemoryLedger`] follows the same rules and forgets them at the end.
//!
//! ```
//! use shoal_ledger::{FileLedger, LedgerError};
//! use shoal_privacy::Delta;
//! use shoal_privacy::ledger::{Debit, Ledger};
//!
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("budget.ledger");
//! let mut ledger = FileLedger::create_or_open(&path)?;
//! ledger.init("patients", &"1".parse()?, &Delta::ZERO)?;
//!
//! let debit = Debit {
//!     dataset: "patients".into(),
//!     epsilon: "0.7".parse()?,
//!     delta: Delta::ZERO,
//!     purpose: "five clusters".into(),
//! };
//! assert_eq!(ledger.debit(&debit)?.entry(), 1);
//! assert!(matches!(ledger.debit(&debit), Err(LedgerError::Overspent(_))));
//! assert_eq!(ledger.balance("patients")?.epsilon_left(), "0.3".parse()?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Entries that are begun and entries that are finished
//! A debit begins an entry, and [`FileLedger::finish`] marks it once the release is written. An entry without that mark
//! ([`EntryState::Unfinished`]) was paid for by a program that is still at work, was interrupted, or failed. Its budget stays
//! spent: nobody can know how much of the release was seen.
//!
//! # Whose budget it is
//! A data set is known by the content of its table: [`FileLedger::debit_from`] keeps a fingerprint with the first debit. A copy
//! under another name is refused under that name, and so is another table under the same name, unless the budget is that of a
//! population, which several tables of the same people share ([`Origin::population`]). Entries say whom they protect
//! ([`Unit`]): what is about persons does not add to what is about rows, and is refused.
//!
//! The fingerprint is a hash under a secret of this ledger. Whoever has the ledger has the secret, too, and can check whether
//! a table that they have, or guess to the last cell, is the one. So a ledger is kept like the table itself.
//!
//! # What it protects against
//! Crashes of the program or the machine, programs that spend at the same moment, and rounding: amounts are exact
//! fractions, so ten tenths are one. An error may leave a debit on record that bought nothing; it never leaves a
//! release without its debit.
//!
//! It does not protect against the owner of the file, who can delete it, put an old copy back, or enter the same
//! people under a second name.

mod books;
mod clock;
mod entry;
mod error;
mod file;
mod memory;
mod names;
mod origin;
mod rules;
mod store;

pub use entry::{Entry, EntryState};
pub use error::{LedgerError, Overspent};
pub use file::FileLedger;
pub use memory::MemoryLedger;
pub use names::LONGEST_NAME;
pub use origin::{Origin, Unit};
