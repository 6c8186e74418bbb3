//! The file behind a ledger: how it is recognised, made and opened.
//!
//! # Why a rollback journal and not a write-ahead log
//! With a write-ahead log the last debits live in a second file until somebody folds them in. Whoever copies, mails or
//! restores the ledger without that second file silently gets money back. With a rollback journal a debit is in the
//! one file the moment it is granted, and its journal exists only while a debit is being written. The log's
//! gain, readers that never wait for writers, is worth nothing for a few debits a day; and it needs shared memory,
//! which network disks lack.
//!
//! # Why `synchronous = EXTRA`
//! A transaction is final when its journal is deleted. With `FULL` that deletion may still be only in the memory of
//! the system: after a power cut the journal comes back, the debit is rolled back, and a release that was made has no
//! debit. `EXTRA` also writes the folder to disk before a debit is granted.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use crate::error::LedgerError;

/// Marks a file as ours, in the place where SQLite keeps such marks: “SHOL”.
const APPLICATION_ID: i64 = 0x5348_4f4c;

/// The newest format this program reads and writes: 3, in which tables are known by their content and entries say whom they
/// protect. A ledger of an older format is read as it is, and becomes one of format 3 when something is written to it.
const FORMAT: i64 = 3;

/// The format in which entries are marked when they are finished, and say nothing else.
pub(crate) const FORMAT_WITH_MARKS: i64 = 2;

/// The format without marks.
pub(crate) const FIRST_FORMAT: i64 = 1;

/// How long to wait for another program before giving up. A debit takes milliseconds.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// The books can only be added to; whoever wants to rewrite them has to mean it.
const SCHEMA: &str = "
CREATE TABLE datasets (
    id      INTEGER PRIMARY KEY,
    name    TEXT NOT NULL UNIQUE,
    epsilon TEXT NOT NULL,
    delta   TEXT NOT NULL,
    time    TEXT NOT NULL,
    program TEXT NOT NULL
) STRICT;
CREATE TABLE entries (
    number  INTEGER PRIMARY KEY,
    dataset INTEGER NOT NULL REFERENCES datasets(id),
    time    TEXT NOT NULL,
    purpose TEXT NOT NULL,
    epsilon TEXT NOT NULL,
    delta   TEXT NOT NULL,
    program TEXT NOT NULL
) STRICT;
CREATE INDEX entries_by_dataset ON entries(dataset, number);
CREATE TRIGGER datasets_stay BEFORE DELETE ON datasets BEGIN SELECT RAISE(ABORT, 'a data set stays in the ledger'); END;
CREATE TRIGGER datasets_keep BEFORE UPDATE ON datasets BEGIN SELECT RAISE(ABORT, 'a budget is never changed'); END;
CREATE TRIGGER entries_stay BEFORE DELETE ON entries BEGIN SELECT RAISE(ABORT, 'an entry stays in the ledger'); END;
CREATE TRIGGER entries_keep BEFORE UPDATE ON entries BEGIN SELECT RAISE(ABORT, 'an entry is never changed'); END;
";

/// What format 2 adds. An entry from before has a mark without a time: nobody noted what became of it.
const MARKS: &str = "
CREATE TABLE finished (
    entry INTEGER PRIMARY KEY REFERENCES entries(number),
    time  TEXT
) STRICT;
INSERT INTO finished (entry, time) SELECT number, NULL FROM entries;
CREATE TRIGGER finished_stay BEFORE DELETE ON finished BEGIN SELECT RAISE(ABORT, 'a mark stays in the ledger'); END;
CREATE TRIGGER finished_keep BEFORE UPDATE ON finished BEGIN SELECT RAISE(ABORT, 'a mark is never changed'); END;
";

/// What format 3 adds. Entries from before say neither whom they protect nor which table they are about.
const ORIGINS: &str = "
CREATE TABLE secret (
    one   INTEGER PRIMARY KEY CHECK (one = 1),
    bytes BLOB NOT NULL
) STRICT;
CREATE TABLE tables (
    number      INTEGER PRIMARY KEY,
    dataset     INTEGER NOT NULL REFERENCES datasets(id),
    fingerprint BLOB NOT NULL UNIQUE,
    time        TEXT NOT NULL
) STRICT;
CREATE TABLE about (
    entry  INTEGER PRIMARY KEY REFERENCES entries(number),
    unit   TEXT,
    origin INTEGER REFERENCES tables(number)
) STRICT;
CREATE TRIGGER secret_stay BEFORE DELETE ON secret BEGIN SELECT RAISE(ABORT, 'the secret stays in the ledger'); END;
CREATE TRIGGER secret_keep BEFORE UPDATE ON secret BEGIN SELECT RAISE(ABORT, 'the secret is never changed'); END;
CREATE TRIGGER tables_stay BEFORE DELETE ON tables BEGIN SELECT RAISE(ABORT, 'a table stays in the ledger'); END;
CREATE TRIGGER tables_keep BEFORE UPDATE ON tables BEGIN SELECT RAISE(ABORT, 'a table is never changed'); END;
CREATE TRIGGER about_stay BEFORE DELETE ON about BEGIN SELECT RAISE(ABORT, 'an entry stays in the ledger'); END;
CREATE TRIGGER about_keep BEFORE UPDATE ON about BEGIN SELECT RAISE(ABORT, 'an entry is never changed'); END;
";

/// Random bytes for the secret of a ledger that has none yet.
pub(crate) fn new_secret() -> Result<[u8; 32], LedgerError> {
    let mut secret = [0; 32];
    getrandom::fill(&mut secret).map_err(|error| LedgerError::NoRandomness { what: error.to_string() })?;
    Ok(secret)
}

/// An open file that was found to be a ledger.
pub(crate) struct Store {
    pub(crate) connection: Connection,
    pub(crate) path: PathBuf,
    pub(crate) patience: Duration,
}

/// What is at a path.
enum Found {
    Nothing,
    EmptyFile,
    Ledger,
}

impl Store {
    /// Opens a ledger that is there.
    pub(crate) fn open(path: &Path) -> Result<Self, LedgerError> {
        let path = absolute(path)?;
        match look(&path)? {
            Found::Nothing => Err(LedgerError::Missing { path }),
            Found::EmptyFile => Err(LedgerError::NotALedger { path, found: EMPTY_FILE }),
            Found::Ledger => Self::connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?.checked(),
        }
    }

    /// Opens a ledger, and makes one if there is none.
    ///
    /// An empty file counts as none: it has nothing to lose, and a crash while making a ledger leaves one behind.
    pub(crate) fn create_or_open(path: &Path) -> Result<Self, LedgerError> {
        let path = absolute(path)?;
        if matches!(look(&path)?, Found::Ledger) {
            match Self::open(&path) {
                // It was being made when its program died, and opening it undid that.
                Err(LedgerError::NotALedger { found: EMPTY_FILE, .. }) => {}
                opened => return opened,
            }
        }
        if !path.parent().is_some_and(Path::is_dir) {
            return Err(LedgerError::Storage { path, what: "its folder does not exist".into() });
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        let mut store = Self::connect(path, flags)?;
        let secret = new_secret()?;
        let made = store.connection.transaction_with_behavior(TransactionBehavior::Immediate).and_then(|transaction| {
            // Another program may have been faster, or a journal may have brought something back.
            let tables: i64 = transaction.query_one("SELECT COUNT(*) FROM sqlite_schema", [], |row| row.get(0))?;
            if tables == 0 && marks(&transaction)? == (0, 0) {
                transaction.execute_batch(SCHEMA)?;
                transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
                transaction.pragma_update(None, "user_version", FIRST_FORMAT)?;
                upgrade(&transaction, &secret)?;
            }
            transaction.commit()
        });
        made.map_err(|error| store.explain(error))?;
        store.checked()
    }

    fn connect(path: PathBuf, flags: OpenFlags) -> Result<Self, LedgerError> {
        let connection = open_uri(&path, "", flags).map_err(|error| explain(&path, PATIENCE, error))?;
        let store = Self { connection, path, patience: PATIENCE };
        store.set_up().map_err(|error| store.explain(error))?;
        Ok(store)
    }

    fn set_up(&self) -> rusqlite::Result<()> {
        self.connection.busy_timeout(self.patience)?;
        self.connection.pragma_update(None, "synchronous", "EXTRA")?;
        // On a Mac a plain sync stops at the drive's own memory.
        self.connection.pragma_update(None, "fullfsync", "ON")?;
        self.connection.pragma_update(None, "foreign_keys", "ON")?;
        self.connection.pragma_update(None, "trusted_schema", "OFF")
    }

    /// Makes sure, under SQLite's own locks, that this is a sound ledger that keeps its promises.
    fn checked(self) -> Result<Self, LedgerError> {
        match marks(&self.connection).map_err(|error| self.explain(error))? {
            (APPLICATION_ID, 1..=FORMAT) => {}
            (0, 0) => return Err(LedgerError::NotALedger { path: self.path, found: EMPTY_FILE }),
            (APPLICATION_ID, found) => return Err(wrong_format(self.path, found)),
            _ => return Err(LedgerError::NotALedger { path: self.path, found: OTHER_DATABASE }),
        }
        let mode: String = self
            .connection
            .pragma_update_and_check(None, "journal_mode", "DELETE", |row| row.get(0))
            .map_err(|error| self.explain(error))?;
        if mode != "delete" {
            let what = format!("its journal is in mode {mode}, which may lose debits");
            return Err(LedgerError::Storage { path: self.path, what });
        }
        match self.flaw().map_err(|error| self.explain(error))? {
            None => Ok(self),
            Some(what) => Err(LedgerError::Damaged { path: self.path, what }),
        }
    }

    /// What is wrong with the file's structure, if anything.
    fn flaw(&self) -> rusqlite::Result<Option<String>> {
        // Within one transaction no other program changes the file's length.
        let transaction = self.connection.unchecked_transaction()?;
        let verdict: String = transaction.query_one("PRAGMA quick_check(1)", [], |row| row.get(0))?;
        let pragma = |name| transaction.pragma_query_value(None, name, |row| row.get::<_, u32>(0));
        let expected = u64::from(pragma("page_count")?) * u64::from(pragma("page_size")?);
        if verdict != "ok" {
            return Ok(Some(verdict));
        }
        // SQLite fills up a last page that was cut short with zeros, and calls it sound.
        let cut = fs::metadata(&self.path).is_ok_and(|metadata| metadata.len() < expected);
        Ok(cut.then(|| "its end is missing".into()))
    }

    /// Waits this long for other programs from now on.
    pub(crate) fn set_patience(&mut self, patience: Duration) -> Result<(), LedgerError> {
        self.patience = patience;
        self.connection.busy_timeout(patience).map_err(|error| self.explain(error))
    }

    /// What SQLite's word means for the user.
    pub(crate) fn explain(&self, error: rusqlite::Error) -> LedgerError {
        explain(&self.path, self.patience, error)
    }
}

const EMPTY_FILE: &str = "an empty file";
const OTHER_DATABASE: &str = "a database of another program";
const NO_DATABASE: &str = "not a database at all";

/// The least that SQLite calls a database. It takes anything shorter for an empty one.
const SHORTEST_DATABASE: u64 = 512;

/// Recognises a file without changing it, creating another file, or taking a lock.
///
/// SQLite does the reading, in the mode in which nobody writes: the two marks never change once they are there. Reading the first
/// bytes by hand would be shorter, but closing a file drops all locks that this process has on it, also those
/// under which another thread is just writing a debit.
fn look(path: &Path) -> Result<Found, LedgerError> {
    let metadata = match fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Found::Nothing),
        Err(error) => return Err(LedgerError::Storage { path: path.into(), what: error.to_string() }),
    };
    let not_a_ledger = |found| Err(LedgerError::NotALedger { path: path.into(), found });
    if metadata.is_dir() {
        return not_a_ledger("a folder");
    }
    if !metadata.is_file() {
        return not_a_ledger("not a regular file");
    }
    if metadata.len() == 0 {
        return Ok(Found::EmptyFile);
    }
    if metadata.len() < SHORTEST_DATABASE {
        return not_a_ledger(NO_DATABASE);
    }
    let marks = open_uri(path, "?immutable=1", OpenFlags::SQLITE_OPEN_READ_ONLY).and_then(|connection| {
        // Nothing is written here. The setting makes SQLite bear with a file that is shorter than its first page says,
        // as it is while another program lengthens it, and after that program died.
        connection.pragma_update(None, "writable_schema", "ON")?;
        marks(&connection)
    });
    match marks {
        Ok((APPLICATION_ID, 1..=FORMAT)) => Ok(Found::Ledger),
        Ok((APPLICATION_ID, found)) => Err(wrong_format(path.into(), found)),
        Ok(_) => not_a_ledger(OTHER_DATABASE),
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::NotADatabase) => not_a_ledger(NO_DATABASE),
        Err(error) => Err(explain(path, PATIENCE, error)),
    }
}

/// The format of the open ledger.
pub(crate) fn format(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Brings a ledger to the newest format, within the transaction that writes to it.
pub(crate) fn upgrade(connection: &Connection, secret: &[u8; 32]) -> rusqlite::Result<()> {
    let found = format(connection)?;
    if found == FIRST_FORMAT {
        connection.execute_batch(MARKS)?;
    }
    if found < FORMAT {
        connection.execute_batch(ORIGINS)?;
        connection.execute("INSERT INTO secret (one, bytes) VALUES (1, ?1)", [secret])?;
        connection.pragma_update(None, "user_version", FORMAT)?;
    }
    Ok(())
}

fn marks(connection: &Connection) -> rusqlite::Result<(i64, i64)> {
    let mark = |name| connection.pragma_query_value(None, name, |row| row.get(0));
    Ok((mark("application_id")?, mark("user_version")?))
}

fn wrong_format(path: PathBuf, found: i64) -> LedgerError {
    if found > FORMAT {
        LedgerError::NewerFormat { path, found, known: FORMAT }
    } else {
        LedgerError::Damaged { path, what: format!("format {found} does not exist") }
    }
}

fn absolute(path: &Path) -> Result<PathBuf, LedgerError> {
    std::path::absolute(path)
        .map_err(|error| LedgerError::Storage { path: path.into(), what: format!("its path does not work: {error}") })
}

/// Opens by a URI of the absolute path, so that no file name has a special meaning: SQLite would take `:memory:` for
/// a ledger that is gone at the end of the program.
fn open_uri(path: &Path, query: &str, flags: OpenFlags) -> rusqlite::Result<Connection> {
    let mut uri = String::from(if cfg!(windows) { "file:///" } else { "file:" });
    for &byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'\\' if cfg!(windows) => uri.push('/'),
            b'/' | b'.' | b'-' | b'_' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => uri.push(byte.into()),
            b':' if cfg!(windows) => uri.push(':'),
            _ => uri.push_str(&format!("%{byte:02x}")),
        }
    }
    let flags = flags | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(uri + query, flags)
}

fn explain(path: &Path, waited: Duration, error: rusqlite::Error) -> LedgerError {
    let path = path.to_path_buf();
    let what = error.to_string();
    let moved = error.sqlite_error().is_some_and(|e| e.extended_code == rusqlite::ffi::SQLITE_READONLY_DBMOVED);
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => LedgerError::Busy { path, waited },
        Some(ErrorCode::ReadOnly) if moved => LedgerError::Moved { path },
        Some(ErrorCode::ReadOnly) => LedgerError::ReadOnly { path, what },
        Some(
            ErrorCode::CannotOpen | ErrorCode::PermissionDenied | ErrorCode::DiskFull | ErrorCode::SystemIoFailure,
        ) => LedgerError::Storage { path, what },
        _ => LedgerError::Damaged { path, what },
    }
}
