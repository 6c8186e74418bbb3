//! Reading the embedded store: reports to cluster, models, counts.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, Row};
use shoal_device::wire::ReportId;

use super::sqlite::{damaged, failed, signed};
use super::{Gathered, KeptModel, StoreError, StoreReader, codec};

/// Reads while the store writes.
pub(super) struct SqliteReader {
    connection: Connection,
}

impl SqliteReader {
    pub(super) fn new(connection: Connection) -> Self {
        Self { connection }
    }
}

fn model_of(row: &Row<'_>) -> Result<KeptModel, rusqlite::Error> {
    let number = |at: usize| row.get::<_, i64>(at).map(i64::unsigned_abs);
    Ok(KeptModel {
        version: number(0)?,
        made: number(1)?,
        reports: number(2)?,
        end: row.get(3)?,
        smallest_batch: number(4)?,
        json: row.get(5)?,
    })
}

impl StoreReader for SqliteReader {
    fn reports(&mut self, number: i64, dims: usize) -> Result<Vec<Vec<i64>>, StoreError> {
        Ok(self.gather(number, dims, i64::MAX, false)?.columns)
    }

    fn gather(&mut self, number: i64, dims: usize, end: i64, by_day: bool) -> Result<Gathered, StoreError> {
        let failed = failed("reading reports");
        // One statement, so that what arrives meanwhile is in all of it or in none.
        let mut rows = self
            .connection
            .prepare("SELECT seq, arrived, count, steps FROM batches WHERE collection = ?1")
            .map_err(&failed)?;
        let mut rows = rows.query([number]).map_err(&failed)?;
        let (mut columns, mut last, mut fresh) = (vec![Vec::new(); dims], end, BTreeMap::<u32, u64>::new());
        while let Some(row) = rows.next().map_err(&failed)? {
            let (seq, count): (i64, i64) = (row.get(0).map_err(&failed)?, row.get(2).map_err(&failed)?);
            let bytes = row.get_ref(3).map_err(&failed)?.as_blob().map_err(|_| damaged("values are no blob"))?;
            codec::add_to(&mut columns, bytes, usize::try_from(count).unwrap_or(0))?;
            last = last.max(seq);
            if seq > end {
                let day = if by_day { row.get(1).map_err(&failed)? } else { 0 };
                *fresh.entry(day).or_default() += count.unsigned_abs();
            }
        }
        Ok(Gathered { columns, end: last, batches: fresh.into_values().collect() })
    }

    fn fresh(&mut self, number: i64, end: i64) -> Result<u64, StoreError> {
        let count = "SELECT coalesce(sum(count), 0) FROM batches WHERE seq > ?1 AND collection = ?2";
        let fresh = self.connection.query_row(count, [end, number], |row| row.get::<_, i64>(0));
        fresh.map(i64::unsigned_abs).map_err(failed("counting reports"))
    }

    fn ids(&mut self, number: i64) -> Result<Vec<ReportId>, StoreError> {
        let failed = failed("reading the identifiers of reports");
        let mut batches = self.connection.prepare("SELECT ids FROM batches WHERE collection = ?1").map_err(&failed)?;
        let mut rows = batches.query([number]).map_err(&failed)?;
        let mut ids = Vec::new();
        while let Some(row) = rows.next().map_err(&failed)? {
            let bytes = row.get_ref(0).map_err(&failed)?.as_blob().map_err(|_| damaged("identifiers are no blob"))?;
            ids.extend(codec::ids(bytes)?);
        }
        Ok(ids)
    }

    fn newest_model(&mut self, number: i64) -> Result<Option<KeptModel>, StoreError> {
        self.connection
            .query_row(
                "SELECT version, made, reports, end, smallest_batch, json FROM models WHERE collection = ?1 ORDER BY version DESC LIMIT 1",
                [number],
                model_of,
            )
            .optional()
            .map_err(failed("reading the newest model"))
    }

    fn model(&mut self, number: i64, version: u64) -> Result<Option<KeptModel>, StoreError> {
        self.connection
            .query_row(
                "SELECT version, made, reports, end, smallest_batch, json FROM models WHERE collection = ?1 AND version = ?2",
                [number, signed(version)],
                model_of,
            )
            .optional()
            .map_err(failed("reading a model"))
    }

    fn models(&mut self, number: i64) -> Result<Vec<KeptModel>, StoreError> {
        let failed = failed("reading the models");
        let mut all = self
            .connection
            .prepare(
                "SELECT version, made, reports, end, smallest_batch, '' FROM models WHERE collection = ?1 \
                 ORDER BY version DESC",
            )
            .map_err(&failed)?;
        let all = all.query_map([number], model_of).map_err(&failed)?;
        all.collect::<Result<_, _>>().map_err(&failed)
    }

    fn days(&mut self, number: i64) -> Result<Vec<(u32, u64)>, StoreError> {
        let failed = failed("counting reports by day");
        let mut days = self
            .connection
            .prepare("SELECT arrived, sum(count) FROM batches WHERE collection = ?1 GROUP BY arrived ORDER BY arrived")
            .map_err(&failed)?;
        let days =
            days.query_map([number], |row| Ok((row.get(0)?, row.get::<_, i64>(1)?.unsigned_abs()))).map_err(&failed)?;
        days.collect::<Result<_, _>>().map_err(&failed)
    }
}
