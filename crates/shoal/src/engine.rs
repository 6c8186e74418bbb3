//! Rows that stay where they are: an engine turns them into lattice points there and answers for them.

use shoal_files::{ArrowRows, BoundsSpec, DataError, Missing, ReadOptions};
use shoal_lattice::Bounds;
use shoal_privacy::Assumption;
use shoal_scan::{Question, Scan, ScanError};

use crate::Error;
use crate::input::Reading;
use crate::watch::{Phase, Watcher};

/// A table on other machines, or in another program, before its bounds are settled: what [`Fit::run_engine`] and
/// [`EstimateBounds::run_engine`] work on. The engine reads rows in any order and any number of times; what it does with a
/// column is settled by the [`Bounds`] and the [`Missing`] rule that it is given, with [`ArrowRows`] as the way to keep
/// both to the letter.
///
/// [`Fit::run_engine`]: crate::Fit::run_engine
/// [`EstimateBounds::run_engine`]: crate::EstimateBounds::run_engine
pub trait Engine: Sync {
    /// The names of all columns, in the table's order.
    fn columns(&self) -> &[String];

    /// The rows on the lattice of these bounds. Columns that cannot be read are refused here.
    fn scan(&self, bounds: &Bounds, missing: Missing) -> Result<Box<dyn Scan + '_>, ScanError>;

    /// The raw values of these columns, before there are bounds: it answers [`Question::Buckets`].
    fn raw_scan(&self, columns: &[String], missing: Missing) -> Result<Box<dyn Scan + '_>, ScanError>;

    /// What must be true of the world for a guarantee about these rows, beside what the settings of a job add: that a query
    /// which chose them is public.
    fn conditions(&self) -> Vec<Assumption> {
        Vec::new()
    }
}

impl Reading {
    /// The columns of numbers that were named, or all.
    pub(crate) fn numbers_of(
        &self,
        engine: &dyn Engine,
        columns: Option<Vec<String>>,
    ) -> Result<Vec<String>, DataError> {
        let options = ReadOptions { categories: self.categories.clone(), columns, ..ReadOptions::default() };
        ArrowRows::numbers(engine.columns(), &options)
    }

    /// The bounds of an engine's rows, with scales, weights and categories; and the rows on their lattice. Every row is read
    /// once, so that bad input and lost workers cost nothing: nobody looks at that answer.
    pub(crate) fn scan_within<'e>(
        &self,
        engine: &'e dyn Engine,
        spec: &BoundsSpec,
        watch: &Watcher,
    ) -> Result<(Box<dyn Scan + 'e>, Bounds), Error> {
        let numbers = self.numbers_of(engine, self.columns_within(spec))?;
        let bounds = spec.resolve(&numbers, engine.columns()).map_err(DataError::from)?;
        let bounds = self.scaling.apply_with(bounds, &self.settled_categories()?)?;
        self.announce_keys_among(engine.columns(), &numbers, watch);
        let scan = engine.scan(&bounds, self.missing)?;
        read_through(&*scan, &Question::RowCount, watch)?;
        Ok((scan, bounds))
    }
}

/// Asks a question whose answer nobody looks at, before anything is paid.
pub(crate) fn read_through(scan: &dyn Scan, question: &Question, watch: &Watcher) -> Result<(), Error> {
    let _read = tracing::info_span!("read", columns = scan.dims()).entered();
    let _reading = watch.phase(Phase::Reading);
    drop(scan.ask(question)?);
    Ok(())
}
