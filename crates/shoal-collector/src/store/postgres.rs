//! The store in a Postgres database.
//!
//! Which reports there are is decided by the database alone, by the primary key of their identifiers, so that a connection
//! that was lost in the middle of a commit cannot make a report count twice. One server at a time writes: it holds an
//! advisory lock for as long as it is connected.

use std::collections::{BTreeMap, HashMap, HashSet};

use postgres::error::{DbError, Severity};
use postgres::{Client, Transaction};
use shoal_device::wire::ReportId;

use super::codec::Batch;
use super::postgres_reader::PostgresReader;
use super::postgres_tables::{Database, LOCK, TABLES, VERSION, failed};
use super::{Appended, Forgotten, Group, Kept, KeptModel, Store, StoreError, StoreReader, TokenMark};

/// The store in a Postgres database.
pub struct PostgresStore {
    database: Database,
    client: Option<Client>,
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Reports that are known already, and tokens that are spent, of each collection in a commit.
#[derive(Default)]
struct Known {
    ids: HashSet<ReportId>,
    tokens: HashSet<TokenMark>,
}

/// Reports and tokens of a collection that are looked for.
type Asked<'a> = (Vec<&'a [u8]>, Vec<&'a [u8]>);

/// What a commit adds to one collection on one day.
#[derive(Default)]
struct New<'a> {
    reports: Vec<(ReportId, &'a [i64])>,
    tokens: Vec<TokenMark>,
}

impl PostgresStore {
    /// Opens a store, or makes its tables.
    ///
    /// # Errors
    /// A database that cannot be reached, that another server writes to, or whose tables are of another version.
    pub fn open(database: Database) -> Result<Self, StoreError> {
        let mut store = Self { database, client: None };
        store.client()?;
        Ok(store)
    }

    /// The connection; a new one if the last was lost.
    fn client(&mut self) -> Result<&mut Client, StoreError> {
        if self.client.as_ref().is_none_or(Client::is_closed) {
            self.client = None;
            let client = self.connect()?;
            return Ok(self.client.insert(client));
        }
        // Unwrap safety: looked at above.
        Ok(self.client.as_mut().unwrap())
    }

    fn connect(&self) -> Result<Client, StoreError> {
        let failed = failed("opening the store");
        let mut client = self.database.connect()?;
        let alone: bool = client.query_one("SELECT pg_try_advisory_lock($1)", &[&LOCK]).map_err(&failed)?.get(0);
        if !alone {
            return Err(StoreError::InUse { what: self.database.shown().into() });
        }
        let there: bool =
            client.query_one("SELECT to_regclass('shoal_store') IS NOT NULL", &[]).map_err(&failed)?.get(0);
        if !there {
            let mut transaction = client.transaction().map_err(&failed)?;
            transaction.batch_execute(TABLES).map_err(&failed)?;
            transaction.execute("INSERT INTO shoal_store (version) VALUES ($1)", &[&VERSION]).map_err(&failed)?;
            transaction.commit().map_err(&failed)?;
        }
        let found: i64 = client.query_one("SELECT version FROM shoal_store", &[]).map_err(&failed)?.get(0);
        if found != VERSION {
            return Err(StoreError::Version { found, known: VERSION });
        }
        Ok(client)
    }

    /// Does something in one transaction, which is on disk when this returns.
    fn in_transaction<T>(
        &mut self,
        doing: &'static str,
        work: impl FnOnce(&mut Transaction<'_>) -> Result<T, postgres::Error>,
    ) -> Result<T, StoreError> {
        let done = self.client()?.transaction().and_then(|mut transaction| {
            let done = work(&mut transaction)?;
            transaction.commit()?;
            Ok(done)
        });
        done.map_err(|error| {
            let lasting = |error: &DbError| !matches!(error.parsed_severity(), Some(Severity::Fatal | Severity::Panic));
            if !error.as_db_error().is_some_and(lasting) {
                // The next one finds another connection, and looks anew who writes.
                self.client = None;
            }
            failed(doing)(error)
        })
    }
}

/// Which of the reports and tokens of a commit the database has.
fn look_up(transaction: &mut Transaction<'_>, groups: &[Group]) -> Result<HashMap<i64, Known>, postgres::Error> {
    let mut asked: HashMap<i64, Asked<'_>> = HashMap::new();
    for group in groups {
        let (ids, tokens) = asked.entry(group.number).or_default();
        ids.extend(group.ids.iter().map(|id| id.0.as_slice()));
        tokens.extend(group.token.as_ref().map(<[u8; 32]>::as_slice));
    }
    let mut all = HashMap::new();
    for (number, (ids, tokens)) in asked {
        let mut known = Known::default();
        let there = "SELECT id FROM shoal_ids WHERE collection = $1 AND id = ANY($2)";
        for row in transaction.query(there, &[&number, &ids])? {
            known.ids.extend(<[u8; 16]>::try_from(row.get::<_, &[u8]>(0)).map(ReportId));
        }
        if !tokens.is_empty() {
            let there = "SELECT token FROM shoal_spent WHERE collection = $1 AND token = ANY($2)";
            for row in transaction.query(there, &[&number, &tokens])? {
                known.tokens.extend(<[u8; 32]>::try_from(row.get::<_, &[u8]>(0)));
            }
        }
        all.insert(number, known);
    }
    Ok(all)
}

/// What becomes of each group, and what is to be written.
fn decide<'a>(groups: &'a [Group], known: &mut HashMap<i64, Known>) -> (Vec<Appended>, BTreeMap<(i64, u32), New<'a>>) {
    let mut new: BTreeMap<(i64, u32), New<'a>> = BTreeMap::new();
    let outcome = |group: &'a Group| {
        let mut appended = Appended::default();
        let known = known.entry(group.number).or_default();
        for (id, values) in group.ids.iter().zip(group.steps.chunks_exact(group.dims.max(1))) {
            if known.ids.contains(id) {
                appended.repeated += 1;
                continue;
            }
            // The token of a report that came before is spent on itself: only a new report needs one.
            if group.token.is_some_and(|token| !known.tokens.insert(token)) {
                appended.spent += 1;
                continue;
            }
            known.ids.insert(*id);
            let new = new.entry((group.number, group.arrived)).or_default();
            new.reports.push((*id, values));
            new.tokens.extend(group.token);
            appended.accepted += 1;
        }
        appended
    };
    (groups.iter().map(outcome).collect(), new)
}

/// Writes what is new. Identifiers go in by their order, which is random, and not with their values.
fn write(transaction: &mut Transaction<'_>, number: i64, day: u32, new: New<'_>) -> Result<(), postgres::Error> {
    let (count, day) = (new.reports.len() as i64, i64::from(day));
    let (ids, steps) = Batch { reports: new.reports }.bytes();
    let ids: Vec<&[u8]> = ids.as_chunks::<16>().0.iter().map(<[u8; 16]>::as_slice).collect();
    transaction.execute(
        "INSERT INTO shoal_ids (collection, id, arrived) SELECT $1, id, $2 FROM unnest($3::bytea[]) AS id",
        &[&number, &day, &ids],
    )?;
    if !new.tokens.is_empty() {
        let mut tokens: Vec<&[u8]> = new.tokens.iter().map(<[u8; 32]>::as_slice).collect();
        tokens.sort_unstable();
        transaction.execute(
            "INSERT INTO shoal_spent (collection, token) SELECT $1, token FROM unnest($2::bytea[]) AS token",
            &[&number, &tokens],
        )?;
    }
    transaction.execute(
        "INSERT INTO shoal_batches (collection, arrived, count, steps) VALUES ($1, $2, $3, $4)",
        &[&number, &day, &count, &steps],
    )?;
    Ok(())
}

impl Store for PostgresStore {
    fn collections(&mut self) -> Result<Vec<Kept>, StoreError> {
        let failed = failed("reading the collections");
        let client = self.client()?;
        let all = client
            .query(
                "SELECT number, description, created, closed, (SELECT coalesce(sum(count), 0)::bigint \
                 FROM shoal_batches WHERE collection = number) FROM shoal_collections ORDER BY number",
                &[],
            )
            .map_err(&failed)?;
        let mut kept: Vec<Kept> = all
            .iter()
            .map(|row| Kept {
                number: row.get(0),
                description: row.get(1),
                created: row.get::<_, i64>(2).unsigned_abs(),
                closed: row.get::<_, Option<i64>>(3).map(i64::unsigned_abs),
                reports: row.get::<_, i64>(4).unsigned_abs(),
                counted: Vec::new(),
            })
            .collect();
        for kept in &mut kept {
            let counted = client
                .query("SELECT kind, count FROM shoal_counted WHERE collection = $1", &[&kept.number])
                .map_err(&failed)?;
            kept.counted = counted.iter().map(|row| (row.get(0), row.get::<_, i64>(1).unsigned_abs())).collect();
        }
        Ok(kept)
    }

    fn create(&mut self, id: &str, description: &str, now: u64) -> Result<i64, StoreError> {
        self.in_transaction("creating the collection", |transaction| {
            let insert =
                "INSERT INTO shoal_collections (id, description, created) VALUES ($1, $2, $3) RETURNING number";
            Ok(transaction.query_one(insert, &[&id, &description, &signed(now)])?.get(0))
        })
    }

    fn close(&mut self, number: i64, now: u64) -> Result<(), StoreError> {
        self.in_transaction("closing the collection", |transaction| {
            transaction
                .execute("UPDATE shoal_collections SET closed = $2 WHERE number = $1", &[&number, &signed(now)])?;
            Ok(())
        })
    }

    fn delete(&mut self, number: i64) -> Result<(), StoreError> {
        self.in_transaction("deleting the collection", |transaction| {
            for table in ["batches", "ids", "spent", "counted", "models"] {
                transaction.execute(&format!("DELETE FROM shoal_{table} WHERE collection = $1"), &[&number])?;
            }
            transaction.execute("DELETE FROM shoal_collections WHERE number = $1", &[&number])?;
            Ok(())
        })
    }

    fn append(&mut self, groups: &[Group]) -> Result<Vec<Appended>, StoreError> {
        self.in_transaction("storing reports", |transaction| {
            let mut known = look_up(transaction, groups)?;
            let (outcomes, new) = decide(groups, &mut known);
            for ((number, day), new) in new {
                write(transaction, number, day, new)?;
            }
            Ok(outcomes)
        })
    }

    fn count(&mut self, number: i64, counted: &[(&str, u64)]) -> Result<(), StoreError> {
        self.in_transaction("storing counters", |transaction| {
            for (kind, more) in counted {
                transaction.execute(
                    "INSERT INTO shoal_counted (collection, kind, count) VALUES ($1, $2, $3) \
                     ON CONFLICT (collection, kind) DO UPDATE SET count = shoal_counted.count + excluded.count",
                    &[&number, kind, &signed(*more)],
                )?;
            }
            Ok(())
        })
    }

    fn keep_model(&mut self, number: i64, model: &KeptModel, most: u64) -> Result<(), StoreError> {
        let (version, oldest) = (signed(model.version), signed(model.version) - signed(most));
        self.in_transaction("storing a model", |transaction| {
            transaction.execute(
                "INSERT INTO shoal_models (collection, version, made, reports, end_seq, smallest_batch, json) \
                 VALUES ($1, $2, $3, $4, $5, $6, $7)",
                &[
                    &number,
                    &version,
                    &signed(model.made),
                    &signed(model.reports),
                    &model.end,
                    &signed(model.smallest_batch),
                    &model.json,
                ],
            )?;
            transaction
                .execute("DELETE FROM shoal_models WHERE collection = $1 AND version <= $2", &[&number, &oldest])?;
            Ok(())
        })
    }

    fn forget_before(&mut self, number: i64, day: u32, end: i64) -> Result<Forgotten, StoreError> {
        let day = i64::from(day);
        self.in_transaction("deleting old reports", |transaction| {
            let mut gone = Forgotten::default();
            let old = "DELETE FROM shoal_batches WHERE collection = $1 AND arrived < $2 RETURNING count, seq";
            for row in transaction.query(old, &[&number, &day])? {
                let count = row.get::<_, i64>(0).unsigned_abs();
                gone.reports += count;
                if row.get::<_, i64>(1) > end {
                    gone.fresh += count;
                }
            }
            transaction.execute("DELETE FROM shoal_ids WHERE collection = $1 AND arrived < $2", &[&number, &day])?;
            Ok(gone)
        })
    }

    /// The database looks after itself.
    fn tidy(&mut self) -> Result<(), StoreError> {
        Ok(())
    }

    fn reader(&self) -> Result<Box<dyn StoreReader>, StoreError> {
        Ok(Box::new(PostgresReader::new(self.database.connect()?)))
    }
}
