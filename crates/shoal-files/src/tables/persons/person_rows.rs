//! The persons of a table: on the lattice, for clustering, or as they are, for finding bounds.

use std::io;
use std::ops::ControlFlow;

use shoal_lattice::{Interval, LatticeMap, LatticePoints, TILE};

use super::PerPerson;
use super::cell::Cell;
use super::grouping::Grouping;
use super::keyed_hash::PersonKey;
use super::roster::Way;
use super::spooled::{Spooled, SpooledPoints};
use crate::tables::batch::Batch;
use crate::tables::error::{DataError, Place};
use crate::tables::progress::Progress;
use crate::tables::rows::Rows;
use crate::tables::store::{LARGEST_CHUNK, LoadOptions, PointStore};

/// Rows grouped at a time.
const BATCH: usize = 4096;

/// Reads all rows once and groups them by person, within the memory allowed: three quarters of it for grouping, the rest for the
/// rows of persons, which are kept on disk where they need more. `rows` must have been opened with naming columns
/// ([`ReadOptions::person`](crate::ReadOptions::person)).
///
/// # Panics
/// When `map` has another number of attributes than there are columns.
pub fn load_persons(
    rows: &dyn Rows,
    map: &LatticeMap,
    per_person: &PerPerson,
    key: PersonKey,
    options: &LoadOptions,
    progress: &dyn Progress,
) -> Result<PointStore, DataError> {
    let dims = map.dims();
    assert_eq!(rows.dims(), dims, "bounds are resolved against the selected columns");
    let mut grouping = Grouping::<i16>::new(dims, Way::of(per_person), key, options.memory / 4 * 3);
    let mut columns = vec![Vec::new(); dims];
    group(rows, &mut grouping, key, progress, |batch, wide| {
        for (attribute, column) in columns.iter_mut().enumerate() {
            column.resize(batch.rows(), 0);
            // Unwrap safety: a settled batch holds finite numbers only.
            map.column_to_lattice(attribute, batch.column(attribute), column).unwrap();
        }
        spread(&columns, wide);
    })?;
    let mut points = LatticePoints::new(dims);
    let mut spooled: Option<Spooled<i16>> = None;
    let grouped = grouping.finish(&mut |_, rows| {
        for row in rows.chunks_exact(dims) {
            match &mut spooled {
                Some(spooled) => spooled.push(row)?,
                None => points.push_row(row),
            }
        }
        if spooled.is_none() && points.bytes() > options.memory / 4 {
            let (mut on_disk, mut row) = (Spooled::new(dims)?, vec![0; dims]);
            for r in 0..points.rows() {
                points.copy_row(r, &mut row);
                on_disk.push(&row)?;
            }
            points = LatticePoints::new(dims);
            spooled = Some(on_disk);
        }
        Ok(())
    });
    let flushed = grouped.and_then(|()| spooled.as_mut().map_or(Ok(()), Spooled::flush));
    flushed.map_err(on_disk)?;
    Ok(match spooled {
        None => {
            points.shrink_to_fit();
            PointStore::InMemory(points)
        }
        Some(spooled) => {
            let row_bytes = LatticePoints::bytes_for(dims, TILE) / TILE;
            let chunk_rows = options.chunk_rows.unwrap_or((options.memory / 2 / row_bytes).min(LARGEST_CHUNK));
            PointStore::Persons(SpooledPoints::new(spooled, chunk_rows))
        }
    })
}

/// Reads rows, turns each batch into rows of cells with `cells`, and adds them.
fn group<C: Cell>(
    rows: &dyn Rows,
    grouping: &mut Grouping<C>,
    key: PersonKey,
    progress: &dyn Progress,
    mut cells: impl FnMut(&Batch, &mut Vec<C>),
) -> Result<(), DataError> {
    let dims = rows.dims();
    let mut wide = Vec::new();
    rows.for_each_batch(BATCH, progress, |batch| {
        let names = batch.names.as_ref().ok_or(DataError::NoPersons)?;
        cells(batch, &mut wide);
        for (r, row) in wide.chunks_exact(dims).enumerate() {
            grouping.add(key.of(names.name(r)), row, names.moment(r)).map_err(on_disk)?;
        }
        Ok::<(), DataError>(())
    })
}

/// Columns as rows, one after the other.
fn spread<C: Cell>(columns: &[Vec<C>], wide: &mut Vec<C>) {
    let (dims, rows) = (columns.len(), columns.first().map_or(0, Vec::len));
    wide.clear();
    wide.resize(rows * dims, C::default());
    for (attribute, column) in columns.iter().enumerate() {
        column.iter().enumerate().for_each(|(r, &x)| wide[r * dims + attribute] = x);
    }
}

fn on_disk(source: io::Error) -> DataError {
    DataError::PersonsOnDisk { source }
}

/// The rows of persons in the user's units, where there are no bounds yet. Sensitive.
///
/// A person's mean is that of the numbers as they are: nothing is known that they could be moved into.
pub struct PersonRows {
    dims: usize,
    rows: Kept,
}

enum Kept {
    Memory(Vec<f64>),
    Disk(Spooled<f64>),
}

impl PersonRows {
    /// Reads all rows once and groups them by person with about `memory` bytes.
    pub fn group(
        rows: &dyn Rows,
        per_person: &PerPerson,
        key: PersonKey,
        memory: usize,
        progress: &dyn Progress,
    ) -> Result<Self, DataError> {
        Self::group_within(rows, &[], per_person, key, memory, progress)
    }

    /// The same with values of the first columns moved into these bounds before anything is made of them.
    pub fn group_within(
        rows: &dyn Rows,
        bounds: &[Interval],
        per_person: &PerPerson,
        key: PersonKey,
        memory: usize,
        progress: &dyn Progress,
    ) -> Result<Self, DataError> {
        let dims = rows.dims();
        let mut grouping = Grouping::<f64>::new(dims, Way::of(per_person), key, memory / 4 * 3);
        group(rows, &mut grouping, key, progress, |batch, wide| {
            spread(&batch.columns, wide);
            for row in wide.chunks_exact_mut(dims) {
                row.iter_mut().zip(bounds).for_each(|(x, bounds)| *x = x.clamp(bounds.lo(), bounds.hi()));
            }
        })?;
        let mut kept = Kept::Memory(Vec::new());
        let grouped = grouping.finish(&mut |_, rows| match &mut kept {
            Kept::Disk(spooled) => rows.chunks_exact(dims).try_for_each(|row| spooled.push(row)),
            // A list that grows has room for twice what it holds.
            Kept::Memory(values) if size_of_val(values.as_slice()) <= memory / 12 => {
                values.extend_from_slice(rows);
                Ok(())
            }
            Kept::Memory(values) => {
                let mut spooled = Spooled::new(dims)?;
                values.chunks_exact(dims).chain(rows.chunks_exact(dims)).try_for_each(|row| spooled.push(row))?;
                kept = Kept::Disk(spooled);
                Ok(())
            }
        });
        let flushed = grouped.and_then(|()| match &mut kept {
            Kept::Disk(spooled) => spooled.flush(),
            Kept::Memory(_) => Ok(()),
        });
        flushed.map_err(on_disk)?;
        Ok(Self { dims, rows: kept })
    }

    /// The least memory that grouping takes, here and in [`load_persons`], whatever it is given.
    pub fn least_memory(dims: usize, per_person: &PerPerson) -> usize {
        Grouping::<f64>::least(dims, Way::of(per_person)) / 3 * 4
    }

    /// Number of rows, of all persons. Sensitive.
    pub fn rows(&self) -> u64 {
        match &self.rows {
            Kept::Memory(values) => (values.len() / self.dims) as u64,
            Kept::Disk(spooled) => spooled.rows() as u64,
        }
    }
}

/// Why a pass ended.
enum Ended {
    Broken,
    Unreadable(io::Error),
}

impl From<io::Error> for Ended {
    fn from(error: io::Error) -> Self {
        Self::Unreadable(error)
    }
}

impl Rows for PersonRows {
    fn dims(&self) -> usize {
        self.dims
    }

    fn read(
        &self,
        rows: usize,
        _progress: &dyn Progress,
        f: &mut dyn FnMut(&Batch) -> ControlFlow<()>,
    ) -> Result<(), DataError> {
        let (mut batch, mut number) = (Batch::new(self.dims, false), 0);
        let mut take = |row: &[f64], f: &mut dyn FnMut(&Batch) -> ControlFlow<()>| {
            batch.columns.iter_mut().zip(row).for_each(|(column, &x)| column.push(x));
            number += 1;
            batch.places.push(Place { row: number, line: None });
            if batch.rows() < rows.max(1) {
                return Ok(());
            }
            let went_on = f(&batch);
            batch.clear();
            if went_on.is_break() { Err(Ended::Broken) } else { Ok(()) }
        };
        let read = match &self.rows {
            Kept::Memory(values) => values.chunks_exact(self.dims).try_for_each(|row| take(row, f)),
            Kept::Disk(spooled) => spooled.for_each(|row| take(row, f)),
        };
        match read {
            Ok(()) if batch.rows() > 0 => {
                let _ = f(&batch);
                Ok(())
            }
            Ok(()) | Err(Ended::Broken) => Ok(()),
            Err(Ended::Unreadable(error)) => Err(on_disk(error)),
        }
    }
}
