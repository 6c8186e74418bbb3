//! The ledger in memory.

use shoal_privacy::ledger::{Balance, Debit, Ledger, Receipt};
use shoal_privacy::{Amount, Delta, Epsilon};

use crate::clock;
use crate::entry::{Entry, EntryState, PROGRAM};
use crate::error::LedgerError;
use crate::origin::Origin;
use crate::{names, rules};

/// A ledger that lasts as long as the program: for tests, and for budgets within one run.
#[derive(Clone, Debug, Default)]
pub struct MemoryLedger {
    accounts: Vec<Account>,
    last_entry: u64,
    /// Tables with the names under which they are known, in the order in which they came.
    tables: Vec<([u8; 32], String)>,
}

#[derive(Clone, Debug)]
struct Account {
    name: String,
    balance: Balance,
    entries: Vec<Entry>,
}

impl MemoryLedger {
    /// Without any data set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Enters a data set with what all its releases together may spend; refuses one that is there already.
    pub fn init(&mut self, dataset: &str, epsilon: &Epsilon, delta: &Delta) -> Result<(), LedgerError> {
        rules::check_new(dataset, epsilon)?;
        can_be_kept(epsilon, delta)?;
        if let Ok(there) = self.account(dataset) {
            let balance = Box::new(there.balance.clone());
            return Err(LedgerError::AlreadyEntered { dataset: dataset.into(), balance });
        }
        let balance = Balance {
            epsilon_total: epsilon.clone(),
            delta_total: delta.clone(),
            epsilon_spent: Epsilon::ZERO,
            delta_spent: Delta::ZERO,
        };
        self.accounts.push(Account { name: dataset.into(), balance, entries: Vec::new() });
        Ok(())
    }

    /// Names of all data sets, in the order in which they were entered.
    pub fn datasets(&self) -> Vec<String> {
        self.accounts.iter().map(|account| account.name.clone()).collect()
    }

    /// All debits of a data set, first to last.
    pub fn entries(&self, dataset: &str) -> Result<Vec<Entry>, LedgerError> {
        Ok(self.account(dataset)?.entries.clone())
    }

    /// Marks an entry as finished: the release that it paid for is written.
    pub fn finish(&mut self, entry: u64) {
        let entries = self.accounts.iter_mut().flat_map(|account| &mut account.entries);
        entries.filter(|it| it.number == entry).for_each(|it| it.state = EntryState::Finished);
    }

    /// Enters the debit of a release from this origin, or refuses it and changes nothing.
    pub fn debit_from(&mut self, debit: &Debit, origin: &Origin) -> Result<Receipt, LedgerError> {
        names::check(&debit.dataset)?;
        can_be_kept(&debit.epsilon, &debit.delta)?;
        let account = self.account(&debit.dataset)?;
        rules::check_unit(&debit.dataset, account.entries.iter().map(|entry| entry.unit), origin.unit)?;
        let mut table = None;
        if let Some(hash) = origin.table {
            let known = self.tables.iter().position(|(it, _)| *it == hash);
            let others = self.tables.iter().filter(|(_, name)| *name == debit.dataset).count();
            let owner = known.map(|at| self.tables[at].1.as_str());
            rules::check_table(&debit.dataset, owner, others, origin.population)?;
            table = Some((known.unwrap_or(self.tables.len()) as u64 + 1, hash));
        }
        let mut balance = account.balance.clone();
        rules::check_fits(&balance, debit)?;
        if let Some((number, hash)) = table
            && number as usize > self.tables.len()
        {
            self.tables.push((hash, debit.dataset.clone()));
        }
        balance.epsilon_spent = balance.epsilon_spent.plus(&debit.epsilon);
        balance.delta_spent = balance.delta_spent.plus(&debit.delta);
        let entry = self.last_entry + 1;
        // Unwrap safety: the account was found above, under the same name.
        let account = self.accounts.iter_mut().find(|account| account.name == debit.dataset).unwrap();
        account.balance = balance;
        account.entries.push(Entry {
            number: entry,
            time: clock::now(),
            purpose: debit.purpose.clone(),
            epsilon: debit.epsilon.clone(),
            delta: debit.delta.clone(),
            program: PROGRAM.into(),
            unit: origin.unit,
            table: table.map(|(number, _)| number),
            state: EntryState::Unfinished,
        });
        self.last_entry = entry;
        Ok(Receipt::on_record(entry, debit.clone()))
    }

    fn account(&self, dataset: &str) -> Result<&Account, LedgerError> {
        names::check(dataset)?;
        self.accounts
            .iter()
            .find(|account| account.name == dataset)
            .ok_or_else(|| names::unknown(dataset, &self.datasets()))
    }
}

impl Ledger for MemoryLedger {
    type Error = LedgerError;

    fn debit(&mut self, debit: &Debit) -> Result<Receipt, LedgerError> {
        self.debit_from(debit, &Origin::default())
    }

    fn balance(&self, dataset: &str) -> Result<Balance, LedgerError> {
        Ok(self.account(dataset)?.balance.clone())
    }
}

/// The limits of a file hold here too, so that what works in memory works on disk.
fn can_be_kept(epsilon: &Epsilon, delta: &Delta) -> Result<(), LedgerError> {
    let keep = |amount: &Amount| rules::to_text(amount).map(drop);
    keep(epsilon.amount()).and_then(|()| keep(delta.amount()))
}
