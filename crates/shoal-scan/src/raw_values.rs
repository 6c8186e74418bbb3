//! Counts of raw values, for the one question that comes before there are bounds: where the values lie.
//!
//! It is the counterpart of [`Scan`](super::Scan) for values in the user's units: integers only, the same for any row
//! order and batching, of a length that depends on the question alone, and [`Sensitive`].

use shoal_privacy::Sensitive;

use crate::{ScanError, ValueBuckets};
use shoal_files::{DataError, Progress, Table};

/// Rows read at a time.
const BATCH: usize = 4096;

/// What can be asked about the raw values of a table: how many fall into each bucket.
pub trait RawScan {
    /// Number of columns. Public.
    fn dims(&self) -> usize;

    /// For each column, the number of rows in each bucket of its list. One row changes one count of each column, by 1.
    fn bucket_counts(&self, lists: &[ValueBuckets]) -> Result<Sensitive<Vec<Vec<u64>>>, ScanError>;
}

/// Raw values of a table on this machine, read again for each question. Rows that lack a value are refused or left out,
/// as the table was told.
pub struct TableScan<'a> {
    table: &'a Table,
    progress: &'a dyn Progress,
}

impl<'a> TableScan<'a> {
    /// Scans of `table`, with a listener for the bytes read.
    pub fn new(table: &'a Table, progress: &'a dyn Progress) -> Self {
        Self { table, progress }
    }
}

impl RawScan for TableScan<'_> {
    fn dims(&self) -> usize {
        self.table.dims()
    }

    fn bucket_counts(&self, lists: &[ValueBuckets]) -> Result<Sensitive<Vec<Vec<u64>>>, ScanError> {
        if lists.len() != self.dims() {
            return Err(ScanError::Dimensions { asked: lists.len(), has: self.dims() });
        }
        let mut counts: Vec<Vec<u64>> = lists.iter().map(|list| vec![0; list.count()]).collect();
        self.table.for_each_batch(BATCH, self.progress, |batch| {
            for (column, (list, counts)) in lists.iter().zip(&mut counts).enumerate() {
                batch.column(column).iter().for_each(|value| counts[list.bucket(*value)] += 1);
            }
            Ok::<(), DataError>(())
        })?;
        Ok(Sensitive::new(counts))
    }
}
