//! Counts of raw values, for the one query that comes before there are bounds: where the values lie.

use shoal_files::{DataError, Progress, Rows};
use shoal_privacy::Sensitive;

use crate::{Answer, Question, Scan, ScanError};

/// Rows read at a time.
const BATCH: usize = 4096;

/// Raw values on this machine, in the user's units, read again for each query from a file or from memory. It answers
/// [`Question::Buckets`] and nothing else: without bounds there is no lattice. Rows that lack a value are refused or left
/// out, as the table's reading options say.
pub struct TableScan<'a> {
    table: &'a dyn Rows,
    progress: &'a dyn Progress,
}

impl<'a> TableScan<'a> {
    /// Scans of `table`, with a listener for the bytes read.
    pub fn new(table: &'a dyn Rows, progress: &'a dyn Progress) -> Self {
        Self { table, progress }
    }
}

impl Scan for TableScan<'_> {
    fn dims(&self) -> usize {
        self.table.dims()
    }

    fn ask(&self, question: &Question) -> Result<Sensitive<Answer>, ScanError> {
        let Question::Buckets { lists } = question else {
            let why = "it needs rows on the lattice, and the table's values have no bounds yet";
            return Err(ScanError::Unanswerable { question: question.name(), why });
        };
        question.check_for(self.dims())?;
        let mut counts: Vec<Vec<u64>> = lists.iter().map(|list| vec![0; list.count()]).collect();
        self.table.for_each_batch(BATCH, self.progress, |batch| {
            for (column, (list, counts)) in lists.iter().zip(&mut counts).enumerate() {
                list.add_counts(batch.column(column), counts);
            }
            Ok::<(), DataError>(())
        })?;
        Ok(Sensitive::new(Answer::Buckets(counts)))
    }
}
