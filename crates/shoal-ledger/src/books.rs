//! The tables of a ledger file, within one transaction.

use rusqlite::types::Type;
use rusqlite::{Connection, Error, Params, Result, Row};
use sha2::{Digest, Sha256};
use shoal_privacy::ledger::Balance;
use shoal_privacy::{Amount, Delta, Epsilon};

use crate::entry::{Entry, EntryState};
use crate::origin::Unit;
use crate::store;

/// What a transaction sees.
pub(crate) struct Books<'a> {
    connection: &'a Connection,
}

impl<'a> Books<'a> {
    pub(crate) fn new(connection: &'a Connection) -> Self {
        Self { connection }
    }

    pub(crate) fn names(&self) -> Result<Vec<String>> {
        self.all("SELECT name FROM datasets ORDER BY id", [], |row| row.get(0))
    }

    /// The balance of a data set, if it is there.
    ///
    /// Adds up the entries themselves: a total that is stored, too, could come to disagree with them.
    pub(crate) fn balance(&self, dataset: &str) -> Result<Option<Balance>> {
        let budget = self.all("SELECT epsilon, delta FROM datasets WHERE name = ?1", [dataset], loss)?;
        let Some((epsilon_total, delta_total)) = budget.into_iter().next() else { return Ok(None) };
        let sql = "SELECT e.epsilon, e.delta FROM entries e JOIN datasets d ON e.dataset = d.id WHERE d.name = ?1";
        let (mut epsilon_spent, mut delta_spent) = (Epsilon::ZERO, Amount::ZERO);
        for (epsilon, delta) in self.all(sql, [dataset], loss)? {
            epsilon_spent = epsilon_spent.plus(&epsilon);
            delta_spent = delta_spent.plus(delta.amount());
        }
        let delta_spent = Delta::new(delta_spent).map_err(|error| unreadable(1, error))?;
        Ok(Some(Balance { epsilon_total, delta_total, epsilon_spent, delta_spent }))
    }

    /// The debits of a data set, if it is there.
    pub(crate) fn entries(&self, dataset: &str) -> Result<Option<Vec<Entry>>> {
        if self.all("SELECT id FROM datasets WHERE name = ?1", [dataset], |row| row.get::<_, i64>(0))?.is_empty() {
            return Ok(None);
        }
        // Whether there is a mark, and whether it has a time; whom the release protects, and its table.
        let marked = "LEFT JOIN finished f ON f.entry = e.number";
        let (marks, join) = match store::format(self.connection)? {
            store::FIRST_FORMAT => ("1, 0, NULL, NULL", String::new()),
            store::FORMAT_WITH_MARKS => ("f.entry IS NOT NULL, f.time IS NOT NULL, NULL, NULL", marked.into()),
            _ => (
                "f.entry IS NOT NULL, f.time IS NOT NULL, a.unit, a.origin",
                format!("{marked} LEFT JOIN about a ON a.entry = e.number"),
            ),
        };
        let sql = format!(
            "SELECT e.epsilon, e.delta, e.number, e.time, e.purpose, e.program, {marks}
             FROM entries e JOIN datasets d ON e.dataset = d.id {join} WHERE d.name = ?1 ORDER BY e.number"
        );
        let entries = self.all(&sql, [dataset], |row| {
            let (epsilon, delta) = loss(row)?;
            let number = entry_number(row.get(2)?)?;
            let state = match (row.get(6)?, row.get(7)?) {
                (false, _) => EntryState::Unfinished,
                (true, true) => EntryState::Finished,
                (true, false) => EntryState::Unmarked,
            };
            let unit = unit_of(row.get(8)?, 8)?;
            let table = row.get::<_, Option<i64>>(9)?.map(entry_number).transpose()?;
            let (time, purpose, program) = (row.get(3)?, row.get(4)?, row.get(5)?);
            Ok(Entry { number, time, purpose, epsilon, delta, program, unit, table, state })
        })?;
        Ok(Some(entries))
    }

    /// Brings the tables to the newest format; for transactions that write.
    pub(crate) fn upgrade(&self, secret: &[u8; 32]) -> Result<()> {
        store::upgrade(self.connection, secret)
    }

    /// What the entries of a data set protect.
    pub(crate) fn units(&self, dataset: &str) -> Result<Vec<Option<Unit>>> {
        let sql = "SELECT DISTINCT a.unit FROM entries e JOIN datasets d ON e.dataset = d.id
                   LEFT JOIN about a ON a.entry = e.number WHERE d.name = ?1";
        self.all(sql, [dataset], |row| unit_of(row.get(0)?, 0))
    }

    /// What a table of this content is known by here: a hash under the secret of this ledger.
    pub(crate) fn fingerprint(&self, content: &[u8; 32]) -> Result<[u8; 32]> {
        let secret: Vec<u8> = self.connection.query_one("SELECT bytes FROM secret", [], |row| row.get(0))?;
        let mut hash = Sha256::new();
        hash.update(b"shoal-ledger table ");
        hash.update(secret);
        hash.update(content);
        Ok(hash.finalize().into())
    }

    /// The number of a table and the data set that it belongs to, if it is known.
    pub(crate) fn owner(&self, fingerprint: &[u8; 32]) -> Result<Option<(i64, String)>> {
        let sql = "SELECT t.number, d.name FROM tables t JOIN datasets d ON t.dataset = d.id WHERE t.fingerprint = ?1";
        Ok(self.all(sql, [fingerprint], |row| Ok((row.get(0)?, row.get(1)?)))?.into_iter().next())
    }

    /// How many tables of a data set are known.
    pub(crate) fn tables(&self, dataset: &str) -> Result<usize> {
        let sql = "SELECT t.number FROM tables t JOIN datasets d ON t.dataset = d.id WHERE d.name = ?1";
        Ok(self.all(sql, [dataset], |row| row.get::<_, i64>(0))?.len())
    }

    /// Takes the data set's name, the fingerprint and the time; gives the number of the table.
    pub(crate) fn add_table(&self, fields: impl Params) -> Result<i64> {
        let sql = "INSERT INTO tables (dataset, fingerprint, time)
                   VALUES ((SELECT id FROM datasets WHERE name = ?1), ?2, ?3) RETURNING number";
        self.connection.query_one(sql, fields, |row| row.get(0))
    }

    /// Takes the number of an entry, its unit and the number of its table.
    pub(crate) fn add_about(&self, fields: impl Params) -> Result<usize> {
        self.connection.execute("INSERT INTO about (entry, unit, origin) VALUES (?1, ?2, ?3)", fields)
    }

    /// Marks an entry, once and for all. Takes its number and the time.
    pub(crate) fn finish(&self, fields: impl Params) -> Result<usize> {
        self.connection.execute("INSERT OR IGNORE INTO finished (entry, time) VALUES (?1, ?2)", fields)
    }

    /// Takes name, ε, δ, time and program.
    pub(crate) fn add_dataset(&self, fields: impl Params) -> Result<usize> {
        let sql = "INSERT INTO datasets (name, epsilon, delta, time, program) VALUES (?1, ?2, ?3, ?4, ?5)";
        self.connection.execute(sql, fields)
    }

    /// Takes the data set's name, time, purpose, ε, δ and program; gives the number of the entry.
    pub(crate) fn add_entry(&self, fields: impl Params) -> Result<u64> {
        let sql = "INSERT INTO entries (dataset, time, purpose, epsilon, delta, program)
                   VALUES ((SELECT id FROM datasets WHERE name = ?1), ?2, ?3, ?4, ?5, ?6) RETURNING number";
        self.connection.query_one(sql, fields, |row| entry_number(row.get(0)?))
    }

    fn all<T>(&self, sql: &str, fields: impl Params, read: impl FnMut(&Row) -> Result<T>) -> Result<Vec<T>> {
        self.connection.prepare_cached(sql)?.query_map(fields, read)?.collect()
    }
}

/// ε and δ from the first two columns.
fn loss(row: &Row) -> Result<(Epsilon, Delta)> {
    let amount = |column: usize| -> Result<Amount> {
        row.get_ref(column)?.as_str()?.parse().map_err(|error| unreadable(column, error))
    };
    Ok((Epsilon::new(amount(0)?), Delta::new(amount(1)?).map_err(|error| unreadable(1, error))?))
}

/// A unit by its name; a name that is not known is damage, or from a program that knows more.
fn unit_of(name: Option<String>, column: usize) -> Result<Option<Unit>> {
    let unknown = || Error::FromSqlConversionFailure(column, Type::Text, "no such unit".into());
    name.map(|name| Unit::named(&name).ok_or_else(unknown)).transpose()
}

fn entry_number(number: i64) -> Result<u64> {
    u64::try_from(number).map_err(|error| unreadable(2, error))
}

fn unreadable(column: usize, why: impl std::error::Error + Send + Sync + 'static) -> Error {
    Error::FromSqlConversionFailure(column, Type::Text, Box::new(why))
}
