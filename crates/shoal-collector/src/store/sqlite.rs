//! The embedded store: one SQLite file in write-ahead mode, synced at every commit.
//!
//! Reports of a commit are one row for each collection: a blob of identifiers and a blob of values. Which identifiers there
//! are is kept in sorted files next to it ([`Seen`]), which are made again from the reports if they are lost.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, Row, Transaction, params};
use shoal_device::wire::ReportId;

use super::codec::{self, Batch};
use super::seen::{Recorded, Seen};
use super::sqlite_reader::SqliteReader;
use super::{Appended, Forgotten, Group, Kept, KeptModel, Store, StoreError, StoreReader, TokenMark};

/// The version that is written and read.
const VERSION: i64 = 2;

/// The version before, which had no tokens. It is brought up to date when it is opened.
const WITHOUT_TOKENS: i64 = 1;

/// `PRAGMA application_id`: "shol".
const APPLICATION: i64 = 0x7368_6f6c;

/// Pages after which the write-ahead log is copied to the file: 32 MiB.
const CHECKPOINT_PAGES: i64 = 8192;

/// Identifiers that are read at a time when the store is opened.
const PART: usize = 100_000;

const TABLES: &str = "
CREATE TABLE collections (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    description TEXT NOT NULL,
    created INTEGER NOT NULL,
    closed INTEGER
) STRICT;
CREATE TABLE batches (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    collection INTEGER NOT NULL,
    arrived INTEGER NOT NULL,
    count INTEGER NOT NULL,
    ids BLOB NOT NULL,
    steps BLOB NOT NULL
) STRICT;
CREATE INDEX batches_by_day ON batches (collection, arrived, count);
CREATE TABLE counted (
    collection INTEGER NOT NULL,
    kind TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (collection, kind)
) STRICT, WITHOUT ROWID;
CREATE TABLE models (
    collection INTEGER NOT NULL,
    version INTEGER NOT NULL,
    made INTEGER NOT NULL,
    reports INTEGER NOT NULL,
    end INTEGER NOT NULL,
    smallest_batch INTEGER NOT NULL,
    json TEXT NOT NULL,
    PRIMARY KEY (collection, version)
) STRICT;
CREATE TABLE runs (
    name TEXT PRIMARY KEY,
    collection INTEGER NOT NULL,
    last INTEGER NOT NULL
) STRICT;
";

/// Tokens that were spent, by their hash: nothing shows when, nor on which report.
const TOKENS: &str = "
CREATE TABLE spent (
    collection INTEGER NOT NULL,
    token BLOB NOT NULL,
    PRIMARY KEY (collection, token)
) STRICT, WITHOUT ROWID;
";

/// The embedded store.
pub struct SqliteStore {
    connection: Connection,
    path: PathBuf,
    seen: Seen,
    /// Collections whose runs have identifiers of deleted reports. They are used until the end and made anew at the next start.
    unrecorded: BTreeSet<i64>,
}

pub(super) fn failed(doing: &'static str) -> impl Fn(rusqlite::Error) -> StoreError {
    move |error| StoreError::Failed { doing, why: error.to_string() }
}

fn disk(doing: &'static str) -> impl Fn(io::Error) -> StoreError {
    move |error| StoreError::Failed { doing, why: error.to_string() }
}

pub(super) fn damaged(what: &str) -> StoreError {
    StoreError::Damaged { what: what.into() }
}

/// SQLite's integers are signed.
pub(super) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn is_spent(connection: &Connection, number: i64, token: &TokenMark) -> Result<bool, rusqlite::Error> {
    connection
        .prepare_cached("SELECT 1 FROM spent WHERE collection = ?1 AND token = ?2")
        .and_then(|mut find| find.exists(params![number, token]))
}

impl SqliteStore {
    /// Opens a store, or makes one. Nobody else may write to it: whoever opens it makes sure of that.
    ///
    /// # Errors
    /// A file that cannot be opened or written, or that is something else.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let failed = failed("opening the store");
        let mut connection = Connection::open(path).map_err(&failed)?;
        connection.busy_timeout(Duration::from_secs(5)).map_err(&failed)?;
        let pragma = |name: &str| connection.query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, i64>(0));
        let (application, version) =
            (pragma("application_id").map_err(&failed)?, pragma("user_version").map_err(&failed)?);
        let tables: i64 =
            connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).map_err(&failed)?;
        if tables > 0 && application != APPLICATION {
            return Err(damaged("it is the file of another program"));
        }
        if tables > 0 && version != VERSION && version != WITHOUT_TOKENS {
            return Err(StoreError::Version { found: version, known: VERSION });
        }
        connection
            .execute_batch(&format!(
                "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; \
                 PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}; PRAGMA journal_size_limit = 134217728; \
                 PRAGMA cache_size = -65536;"
            ))
            .map_err(&failed)?;
        if tables == 0 || version != VERSION {
            let new = if tables == 0 { TABLES } else { "" };
            let transaction = connection.transaction().map_err(&failed)?;
            transaction
                .execute_batch(&format!(
                    "{new} {TOKENS} PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION};"
                ))
                .map_err(&failed)?;
            transaction.commit().map_err(&failed)?;
        }
        let seen = Seen::new(path.with_extension("ids")).map_err(disk("opening the folder of identifiers"))?;
        let mut store = Self { connection, path: path.into(), seen, unrecorded: BTreeSet::new() };
        store.remember()?;
        Ok(store)
    }

    /// Opens the runs of identifiers, and reads those of the batches that are in none.
    fn remember(&mut self) -> Result<(), StoreError> {
        let failed = failed("reading the identifiers of reports");
        let numbers: Vec<i64> = {
            let mut all = self.connection.prepare("SELECT number FROM collections").map_err(&failed)?;
            let all = all.query_map([], |row| row.get(0)).map_err(&failed)?;
            all.collect::<Result<_, _>>().map_err(&failed)?
        };
        let mut covered = Vec::new();
        for number in &numbers {
            let recorded: Vec<Recorded> = {
                let mut runs =
                    self.connection.prepare("SELECT name, last FROM runs WHERE collection = ?1").map_err(&failed)?;
                let recorded = |row: &Row<'_>| Ok(Recorded { name: row.get(0)?, last: row.get(1)? });
                let runs = runs.query_map([number], recorded).map_err(&failed)?;
                runs.collect::<Result<_, _>>().map_err(&failed)?
            };
            let mut last = recorded.iter().map(|run| run.last).max().unwrap_or(0);
            if !self.seen.open(*number, &recorded) {
                self.connection.execute("DELETE FROM runs WHERE collection = ?1", [number]).map_err(&failed)?;
                last = 0;
            }
            covered.push((*number, last));
        }
        self.seen.sweep().map_err(disk("sweeping the folder of identifiers"))?;
        // What is recorded covers everything up to `last`; the rest is read in parts that become runs themselves.
        for (number, mut last) in covered {
            while let Some(read) = self.remember_more(number, last)? {
                last = read;
                self.keep_runs(number, last)?;
            }
        }
        Ok(())
    }

    /// Reads the identifiers of some batches after `last`; returns the last of them.
    fn remember_more(&mut self, number: i64, last: i64) -> Result<Option<i64>, StoreError> {
        let failed = failed("reading the identifiers of reports");
        let Self { connection, seen, .. } = self;
        let mut batches = connection
            .prepare_cached("SELECT seq, ids FROM batches WHERE seq > ?1 AND collection = ?2 ORDER BY seq LIMIT 1000")
            .map_err(&failed)?;
        let mut rows = batches.query([last, number]).map_err(&failed)?;
        let (mut read, mut count) = (None, 0);
        while let Some(row) = rows.next().map_err(&failed)? {
            let bytes = row.get_ref(1).map_err(&failed)?.as_blob().map_err(|_| damaged("identifiers are no blob"))?;
            for id in codec::ids(bytes)? {
                seen.insert(number, id).map_err(disk("reading identifiers"))?;
                count += 1;
            }
            read = Some(row.get(0).map_err(&failed)?);
            if count > PART {
                break;
            }
        }
        Ok(read)
    }

    /// Lets identifiers become runs when it is time, and records them.
    fn keep_runs(&mut self, number: i64, last: i64) -> Result<(), StoreError> {
        let Some(change) = self.seen.change(number, last).map_err(disk("writing identifiers"))? else { return Ok(()) };
        if !self.unrecorded.contains(&number) {
            let failed = failed("recording identifiers");
            let record = |transaction: &Transaction<'_>| {
                for name in &change.gone {
                    transaction.execute("DELETE FROM runs WHERE name = ?1", [name])?;
                }
                transaction.execute(
                    "INSERT INTO runs (name, collection, last) VALUES (?1, ?2, ?3)",
                    params![change.added.name, number, change.added.last],
                )
            };
            let recorded = self.connection.transaction().and_then(|transaction| {
                record(&transaction)?;
                transaction.commit()
            });
            if let Err(error) = recorded {
                Seen::drop_change(change);
                return Err(failed(error));
            }
        }
        self.seen.settle(number, change);
        Ok(())
    }

    /// Writes what is new of the groups and notes it in `fresh`.
    fn append_new(&mut self, groups: &[Group], fresh: &mut Vec<(i64, ReportId)>) -> Result<Vec<Appended>, StoreError> {
        let failed = failed("storing reports");
        let Self { connection, seen, .. } = self;
        let mut batches: BTreeMap<(i64, u32), Batch<'_>> = BTreeMap::new();
        let mut outcomes = Vec::with_capacity(groups.len());
        let mut tokens: BTreeSet<(i64, TokenMark)> = BTreeSet::new();
        for group in groups {
            let mut appended = Appended::default();
            let batch = batches.entry((group.number, group.arrived)).or_default();
            for (id, values) in group.ids.iter().zip(group.steps.chunks_exact(group.dims.max(1))) {
                if seen.insert(group.number, *id).map_err(disk("looking for identifiers"))? {
                    fresh.push((group.number, *id));
                    // The token of a report that came before is spent on itself: only a new report needs one.
                    if let Some(token) = group.token
                        && (is_spent(connection, group.number, &token).map_err(&failed)?
                            || !tokens.insert((group.number, token)))
                    {
                        seen.remove(group.number, id);
                        fresh.pop();
                        appended.spent += 1;
                        continue;
                    }
                    batch.reports.push((*id, values));
                    appended.accepted += 1;
                } else {
                    appended.repeated += 1;
                }
            }
            outcomes.push(appended);
        }
        if fresh.is_empty() {
            return Ok(outcomes);
        }
        let transaction = connection.transaction().map_err(&failed)?;
        for (number, token) in &tokens {
            transaction
                .prepare_cached("INSERT INTO spent (collection, token) VALUES (?1, ?2)")
                .and_then(|mut insert| insert.execute(params![number, token]))
                .map_err(&failed)?;
        }
        {
            let mut insert = transaction
                .prepare_cached(
                    "INSERT INTO batches (collection, arrived, count, ids, steps) VALUES (?1, ?2, ?3, ?4, ?5)",
                )
                .map_err(&failed)?;
            for ((number, arrived), batch) in batches {
                let count = batch.reports.len() as i64;
                if count > 0 {
                    let (ids, steps) = batch.bytes();
                    insert.execute(params![number, arrived, count, ids, steps]).map_err(&failed)?;
                }
            }
        }
        let last = transaction.last_insert_rowid();
        transaction.commit().map_err(&failed)?;
        let numbers: BTreeSet<i64> = groups.iter().map(|group| group.number).collect();
        for number in numbers {
            // The reports are stored, whatever becomes of this; it is tried again after the next commit.
            if let Err(error) = self.keep_runs(number, last) {
                tracing::warn!(code = error.code(), %error, "identifiers stay in memory");
            }
        }
        Ok(outcomes)
    }
}

impl Store for SqliteStore {
    fn collections(&mut self) -> Result<Vec<Kept>, StoreError> {
        let failed = failed("reading the collections");
        let mut all = self
            .connection
            .prepare(
                "SELECT number, description, created, closed, \
                 (SELECT coalesce(sum(count), 0) FROM batches WHERE collection = number) FROM collections ORDER BY number",
            )
            .map_err(&failed)?;
        let kept = |row: &Row<'_>| {
            Ok(Kept {
                number: row.get(0)?,
                description: row.get(1)?,
                created: row.get::<_, i64>(2)?.unsigned_abs(),
                closed: row.get::<_, Option<i64>>(3)?.map(i64::unsigned_abs),
                reports: row.get::<_, i64>(4)?.unsigned_abs(),
                counted: Vec::new(),
            })
        };
        let mut all = all.query_map([], kept).map_err(&failed)?.collect::<Result<Vec<_>, _>>().map_err(&failed)?;
        let mut counted =
            self.connection.prepare("SELECT kind, count FROM counted WHERE collection = ?1").map_err(&failed)?;
        for kept in &mut all {
            let rows = counted
                .query_map([kept.number], |row| Ok((row.get(0)?, row.get::<_, i64>(1)?.unsigned_abs())))
                .map_err(&failed)?;
            kept.counted = rows.collect::<Result<_, _>>().map_err(&failed)?;
        }
        Ok(all)
    }

    fn create(&mut self, id: &str, description: &str, now: u64) -> Result<i64, StoreError> {
        self.connection
            .execute(
                "INSERT INTO collections (id, description, created) VALUES (?1, ?2, ?3)",
                params![id, description, signed(now)],
            )
            .map_err(failed("creating the collection"))?;
        Ok(self.connection.last_insert_rowid())
    }

    fn close(&mut self, number: i64, now: u64) -> Result<(), StoreError> {
        self.connection
            .execute("UPDATE collections SET closed = ?2 WHERE number = ?1", params![number, signed(now)])
            .map_err(failed("closing the collection"))?;
        Ok(())
    }

    fn delete(&mut self, number: i64) -> Result<(), StoreError> {
        let failed = failed("deleting the collection");
        let transaction = self.connection.transaction().map_err(&failed)?;
        let run = |transaction: &Transaction<'_>| {
            for table in ["batches", "counted", "models", "runs", "spent"] {
                transaction.execute(&format!("DELETE FROM {table} WHERE collection = ?1"), [number])?;
            }
            transaction.execute("DELETE FROM collections WHERE number = ?1", [number])
        };
        run(&transaction).map_err(&failed)?;
        transaction.commit().map_err(&failed)?;
        self.seen.forget(number);
        Ok(())
    }

    fn append(&mut self, groups: &[Group]) -> Result<Vec<Appended>, StoreError> {
        let mut fresh = Vec::new();
        let appended = self.append_new(groups, &mut fresh);
        if appended.is_err() {
            fresh.iter().for_each(|(number, id)| self.seen.remove(*number, id));
        }
        appended
    }

    fn count(&mut self, number: i64, counted: &[(&str, u64)]) -> Result<(), StoreError> {
        let failed = failed("storing counters");
        let transaction = self.connection.transaction().map_err(&failed)?;
        for (kind, more) in counted {
            transaction
                .execute(
                    "INSERT INTO counted (collection, kind, count) VALUES (?1, ?2, ?3) \
                     ON CONFLICT DO UPDATE SET count = count + excluded.count",
                    params![number, kind, signed(*more)],
                )
                .map_err(&failed)?;
        }
        transaction.commit().map_err(&failed)
    }

    fn keep_model(&mut self, number: i64, model: &KeptModel, most: u64) -> Result<(), StoreError> {
        let failed = failed("storing a model");
        let transaction = self.connection.transaction().map_err(&failed)?;
        let (version, oldest) = (signed(model.version), signed(model.version) - signed(most));
        transaction
            .execute(
                "INSERT INTO models (collection, version, made, reports, end, smallest_batch, json) \
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
                params![
                    number,
                    version,
                    signed(model.made),
                    signed(model.reports),
                    model.end,
                    signed(model.smallest_batch),
                    model.json
                ],
            )
            .map_err(&failed)?;
        transaction
            .execute("DELETE FROM models WHERE collection = ?1 AND version <= ?2", [number, oldest])
            .map_err(&failed)?;
        transaction.commit().map_err(&failed)
    }

    fn forget_before(&mut self, number: i64, day: u32, end: i64) -> Result<Forgotten, StoreError> {
        let failed = failed("deleting old reports");
        let transaction = self.connection.transaction().map_err(&failed)?;
        let mut gone = Forgotten::default();
        {
            let mut old = transaction
                .prepare("DELETE FROM batches WHERE collection = ?1 AND arrived < ?2 RETURNING count, seq")
                .map_err(&failed)?;
            let mut rows = old.query(params![number, day]).map_err(&failed)?;
            while let Some(row) = rows.next().map_err(&failed)? {
                let count = row.get::<_, i64>(0).map_err(&failed)?.unsigned_abs();
                gone.reports += count;
                if row.get::<_, i64>(1).map_err(&failed)? > end {
                    gone.fresh += count;
                }
            }
        }
        if gone.reports > 0 {
            transaction.execute("DELETE FROM runs WHERE collection = ?1", [number]).map_err(&failed)?;
        }
        transaction.commit().map_err(&failed)?;
        if gone.reports > 0 {
            self.unrecorded.insert(number);
        }
        Ok(gone)
    }

    fn tidy(&mut self) -> Result<(), StoreError> {
        let failed = failed("tidying the store");
        self.connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(())).map_err(&failed)?;
        self.connection.execute_batch("PRAGMA optimize").map_err(&failed)
    }

    fn reader(&self) -> Result<Box<dyn StoreReader>, StoreError> {
        let failed = failed("opening the store to read");
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&self.path, flags).map_err(&failed)?;
        connection.busy_timeout(Duration::from_secs(5)).map_err(&failed)?;
        Ok(Box::new(SqliteReader::new(connection)))
    }
}
