//! Rows that can be read from beginning to end, wherever they are.

use std::ops::ControlFlow;

use super::batch::Batch;
use super::error::DataError;
use super::matrix::Matrix;
use super::progress::Progress;
use super::table::Table;

/// Rows of people in the user's units: a file, or columns in memory. Sensitive.
pub trait Rows: Sync {
    /// Number of columns.
    fn dims(&self) -> usize;

    /// Reads all rows once, up to `rows` at a time, with missing values settled, until `f` breaks off.
    fn read(
        &self,
        rows: usize,
        progress: &dyn Progress,
        f: &mut dyn FnMut(&Batch) -> ControlFlow<()>,
    ) -> Result<(), DataError>;
}

impl dyn Rows + '_ {
    /// Hands all rows to `f` in batches. An error of `f` ends the pass.
    pub fn for_each_batch<E: From<DataError>>(
        &self,
        rows: usize,
        progress: &dyn Progress,
        mut f: impl FnMut(&Batch) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut ended = Ok(());
        self.read(rows, progress, &mut |batch| match f(batch) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                ended = Err(error);
                ControlFlow::Break(())
            }
        })?;
        ended
    }
}

/// Ends a pass that was broken off, without an error of its own.
enum Ended {
    Broken,
    Failed(DataError),
}

impl From<DataError> for Ended {
    fn from(error: DataError) -> Self {
        Self::Failed(error)
    }
}

/// Turns a pass with [`Ended`] as its error into one that may be broken off.
fn unless_broken(
    pass: impl FnOnce(&mut dyn FnMut(&Batch) -> Result<(), Ended>) -> Result<(), Ended>,
    f: &mut dyn FnMut(&Batch) -> ControlFlow<()>,
) -> Result<(), DataError> {
    let ended = pass(&mut |batch| match f(batch) {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(()) => Err(Ended::Broken),
    });
    match ended {
        Ok(()) | Err(Ended::Broken) => Ok(()),
        Err(Ended::Failed(error)) => Err(error),
    }
}

impl Rows for Table {
    fn dims(&self) -> usize {
        self.dims()
    }

    fn read(
        &self,
        rows: usize,
        progress: &dyn Progress,
        f: &mut dyn FnMut(&Batch) -> ControlFlow<()>,
    ) -> Result<(), DataError> {
        unless_broken(|f| self.for_each_batch(rows, progress, f), f)
    }
}

impl Rows for Matrix<'_> {
    fn dims(&self) -> usize {
        self.dims()
    }

    fn read(
        &self,
        rows: usize,
        progress: &dyn Progress,
        f: &mut dyn FnMut(&Batch) -> ControlFlow<()>,
    ) -> Result<(), DataError> {
        let mut done = 0;
        let mut watched = |batch: &Batch| {
            done += batch.rows() as u64;
            progress.bytes(done, self.rows() as u64);
            f(batch)
        };
        unless_broken(|f| self.for_each_batch(rows, f), &mut watched)
    }
}
