//! Reading the store in a Postgres database: reports to cluster, models, counts.

use std::collections::BTreeMap;

use postgres::fallible_iterator::FallibleIterator;
use postgres::{Client, Row};
use shoal_device::wire::ReportId;

use super::postgres_tables::failed;
use super::{Gathered, KeptModel, StoreError, StoreReader, codec};

/// Reads while the store writes, on a connection of its own.
pub(super) struct PostgresReader {
    client: Client,
}

impl PostgresReader {
    pub(super) fn new(client: Client) -> Self {
        Self { client }
    }
}

fn model_of(row: &Row) -> KeptModel {
    let number = |at: usize| row.get::<_, i64>(at).unsigned_abs();
    KeptModel {
        version: number(0),
        made: number(1),
        reports: number(2),
        end: row.get(3),
        smallest_batch: number(4),
        json: row.get(5),
    }
}

impl StoreReader for PostgresReader {
    fn reports(&mut self, number: i64, dims: usize) -> Result<Vec<Vec<i64>>, StoreError> {
        Ok(self.gather(number, dims, i64::MAX, false)?.columns)
    }

    fn gather(&mut self, number: i64, dims: usize, end: i64, by_day: bool) -> Result<Gathered, StoreError> {
        let failed = failed("reading reports");
        // One statement, so that what arrives meanwhile is in all of it or in none; row by row, so that memory holds values only.
        let all = "SELECT seq, arrived, count, steps FROM shoal_batches WHERE collection = $1";
        let mut rows = self.client.query_raw(all, [number]).map_err(&failed)?;
        let (mut columns, mut last, mut fresh) = (vec![Vec::new(); dims], end, BTreeMap::<i64, u64>::new());
        while let Some(row) = rows.next().map_err(&failed)? {
            let (seq, count): (i64, i64) = (row.get(0), row.get(2));
            codec::add_to(&mut columns, row.get(3), usize::try_from(count).unwrap_or(0))?;
            last = last.max(seq);
            if seq > end {
                *fresh.entry(if by_day { row.get(1) } else { 0 }).or_default() += count.unsigned_abs();
            }
        }
        Ok(Gathered { columns, end: last, batches: fresh.into_values().collect() })
    }

    fn fresh(&mut self, number: i64, end: i64) -> Result<u64, StoreError> {
        let count = "SELECT coalesce(sum(count), 0)::bigint FROM shoal_batches WHERE seq > $1 AND collection = $2";
        let fresh = self.client.query_one(count, &[&end, &number]).map_err(failed("counting reports"))?;
        Ok(fresh.get::<_, i64>(0).unsigned_abs())
    }

    fn ids(&mut self, number: i64) -> Result<Vec<ReportId>, StoreError> {
        let failed = failed("reading the identifiers of reports");
        let mut rows =
            self.client.query_raw("SELECT id FROM shoal_ids WHERE collection = $1", [number]).map_err(&failed)?;
        let mut ids = Vec::new();
        while let Some(row) = rows.next().map_err(&failed)? {
            ids.extend(codec::ids(row.get(0))?);
        }
        Ok(ids)
    }

    fn newest_model(&mut self, number: i64) -> Result<Option<KeptModel>, StoreError> {
        let newest = "SELECT version, made, reports, end_seq, smallest_batch, json FROM shoal_models \
                      WHERE collection = $1 ORDER BY version DESC LIMIT 1";
        let newest = self.client.query_opt(newest, &[&number]).map_err(failed("reading the newest model"))?;
        Ok(newest.as_ref().map(model_of))
    }

    fn model(&mut self, number: i64, version: u64) -> Result<Option<KeptModel>, StoreError> {
        let one = "SELECT version, made, reports, end_seq, smallest_batch, json FROM shoal_models \
                   WHERE collection = $1 AND version = $2";
        let version = i64::try_from(version).unwrap_or(i64::MAX);
        let one = self.client.query_opt(one, &[&number, &version]).map_err(failed("reading a model"))?;
        Ok(one.as_ref().map(model_of))
    }

    fn models(&mut self, number: i64) -> Result<Vec<KeptModel>, StoreError> {
        let all = "SELECT version, made, reports, end_seq, smallest_batch, '' FROM shoal_models \
                   WHERE collection = $1 ORDER BY version DESC";
        let all = self.client.query(all, &[&number]).map_err(failed("reading the models"))?;
        Ok(all.iter().map(model_of).collect())
    }

    fn days(&mut self, number: i64) -> Result<Vec<(u32, u64)>, StoreError> {
        let days = "SELECT arrived, sum(count)::bigint FROM shoal_batches WHERE collection = $1 \
                    GROUP BY arrived ORDER BY arrived";
        let days = self.client.query(days, &[&number]).map_err(failed("counting reports by day"))?;
        let day = |row: &Row| (u32::try_from(row.get::<_, i64>(0)).unwrap_or(0), row.get::<_, i64>(1).unsigned_abs());
        Ok(days.iter().map(day).collect())
    }
}
