//! A whole Parquet file straight into lattice points.
//!
//! Column by column, so that only one page and one dictionary of a column (of two columns, for a large table) are in
//! memory beside the points, whatever the size of the row groups.

use std::sync::Mutex;

use crate::Missing;
use crate::Progress;
use crate::tables::parquet_pages::guarded;
use crate::tables::parquet_table::ParquetTable;
use crate::tables::select::Selection;
use crate::{ColumnRef, DataError, Place};
use shoal_lattice::{BoxPosition, Lattice, LatticeMap, LatticePoints};

/// Rows decoded at a time: small enough that a batch stays in the first cache levels on its way.
const ROWS: usize = 4096;

/// Points from this size on, in bytes, are loaded by two threads. A reader holds about five megabytes of pages with the
/// usual writers; for a smaller table a second one would weigh more than the time it saves.
const TWO_READERS: usize = 32 << 20;

/// Loads every row, or stops at the first column that has a missing value when that is the policy.
pub(crate) fn load(
    table: &ParquetTable,
    selection: &Selection,
    map: &LatticeMap,
    missing: Missing,
    two_readers: bool,
    progress: &dyn Progress,
) -> Result<LatticePoints, DataError> {
    let rows = table.rows();
    let mut points = LatticePoints::try_with_capacity(map.dims(), rows)
        .map_err(|_| DataError::OutOfMemory { bytes: LatticePoints::bytes_for(map.dims(), rows) })?;
    points.extend_zeros(rows);
    let two_readers = two_readers && points.bytes() >= TWO_READERS;
    let job = Job { table, selection, map, missing, progress, points: Mutex::new(points), gaps: Mutex::default() };
    let mut first_row = 0;
    for (group, rows) in table.groups().enumerate() {
        let place = Group { group, first_row, rows };
        for attribute in (0..map.dims()).step_by(if two_readers { 2 } else { 1 }) {
            if two_readers && attribute + 1 < map.dims() {
                std::thread::scope(|scope| {
                    let even = scope.spawn(|| job.column(place, attribute));
                    let odd = job.column(place, attribute + 1);
                    // The decoder's panics are caught where they happen; anything else is a fault of the program.
                    even.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)).and(odd)
                })?;
            } else {
                job.column(place, attribute)?;
            }
        }
        first_row += rows;
    }
    // Unwrap safety: a lock is poisoned only by a panic, and that would have ended the scope above.
    let (mut points, gaps) = (job.points.into_inner().unwrap(), job.gaps.into_inner().unwrap());
    if !gaps.is_empty() {
        points.retain_rows(|row| gaps[row / 64] >> (row % 64) & 1 == 0);
        points.shrink_to_fit();
    }
    Ok(points)
}

struct Job<'a> {
    table: &'a ParquetTable,
    selection: &'a Selection,
    map: &'a LatticeMap,
    missing: Missing,
    progress: &'a dyn Progress,
    /// Held for the few microseconds it takes to write a decoded batch; decoding takes ten times as long.
    points: Mutex<LatticePoints>,
    /// A bit for each row that lacks a value; empty as long as none does.
    gaps: Mutex<Vec<u64>>,
}

#[derive(Clone, Copy)]
struct Group {
    group: usize,
    first_row: usize,
    rows: usize,
}

impl Job<'_> {
    /// Reads one column of one row group.
    fn column(&self, place: Group, attribute: usize) -> Result<(), DataError> {
        let Group { group, first_row, rows } = place;
        let pick = self.selection.picks[attribute];
        let mut column = self.table.numbers(group, pick)?;
        // The same number that other formats put into their batches.
        let middle = self.map.to_user(attribute, BoxPosition(0.0));
        let middle = self.map.to_lattice(attribute, middle).map_or(0, |Lattice(middle)| middle);
        let (mut values, mut coordinates) = (Vec::with_capacity(ROWS), Vec::with_capacity(ROWS));
        let mut done = 0;
        while done < rows {
            values.clear();
            let count = guarded(|| column.read(ROWS.min(rows - done), &mut values))
                .map_err(|error| self.table.failed(error))?;
            if count == 0 {
                return Err(self.table.damaged());
            }
            coordinates.resize(count, 0);
            if let Err(at) = self.map.column_to_lattice(attribute, &values, &mut coordinates) {
                match self.missing {
                    Missing::Refuse => {
                        let place = Place { row: (first_row + done + at) as u64 + 1, line: None };
                        return Err(DataError::Missing { place, column: ColumnRef::name(&self.table.names[pick]) });
                    }
                    Missing::Drop => self.note_gaps(first_row + done, &values),
                    Missing::Middle | Missing::Category => {
                        let gaps = values.iter().zip(&mut coordinates).filter(|(value, _)| !value.is_finite());
                        gaps.for_each(|(_, coordinate)| *coordinate = middle);
                    }
                }
            }
            // Unwrap safety: poisoned only by a panic of the other column, which ends the load anyway.
            self.points.lock().unwrap().set_column(first_row + done, attribute, &coordinates);
            done += count;
            self.progress.bytes(self.table.input.counted(), self.table.input.len());
        }
        Ok(())
    }

    fn note_gaps(&self, first_row: usize, values: &[f64]) {
        // Unwrap safety: as above.
        let mut gaps = self.gaps.lock().unwrap();
        gaps.resize(self.table.rows().div_ceil(64), 0);
        for (i, _) in values.iter().enumerate().filter(|(_, x)| !x.is_finite()) {
            let row = first_row + i;
            gaps[row / 64] |= 1 << (row % 64);
        }
    }
}
