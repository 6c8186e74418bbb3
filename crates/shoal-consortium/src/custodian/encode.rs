//! A custodian's whole table: each row as one record, coded and flipped.
//!
//! The flips of a row depend on the source and on where the row is in the table, and on nothing else: rows are cut into
//! batches of a fixed size, whatever the pieces in which the table is read, and each batch has a stream of its own.

use rayon::prelude::*;
use shoal_noise::{NoiseError, NoiseSource};
use shoal_privacy::Sensitive;
use std::collections::HashMap;
use std::io::{self, Write};

use crate::codes_file::write::CodesWriter;
use crate::custodian::dpbv::Dpbv;
use crate::{Terms, TermsError};
use shoal_files::{DataError, Progress, Rows};
use shoal_lattice::STEPS;
use shoal_lattice::{Bounds, BoundsError, HALF_WIDTH, LatticeMap};

/// Bits of a batch: enough to keep a thread busy, and few megabytes for all threads together.
const BATCH_BITS: usize = 1 << 20;

/// Batches for each thread that are coded together.
const PER_THREAD: usize = 4;

/// Rows read from a table at a time.
const READ_ROWS: usize = 4096;

/// What happened to a table. Sensitive where it is about records.
pub struct Encoded {
    /// Rows written: as many as were read, and the made-up ones.
    pub rows: u64,
    /// Records that had a value outside the bounds, which was moved to the nearest limit.
    pub clamped: Sensitive<u64>,
    /// Rows that lacked a value and were left out, up to the last one that did not.
    pub dropped: Sensitive<u64>,
}

/// Why a table could not be encoded.
#[derive(Debug, thiserror::Error)]
pub enum EncodeError {
    /// The table cannot be read.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The ranges cannot be used.
    #[error(transparent)]
    Bounds(#[from] BoundsError),
    /// The terms do not allow it.
    #[error(transparent)]
    Terms(#[from] TermsError),
    /// No randomness.
    #[error(transparent)]
    Noise(#[from] NoiseError),
    /// Too few or too many rows for pairs.
    #[error("{given} records make {pairs} pairs, and {wanted}")]
    Pairs {
        /// Records.
        given: String,
        /// Their pairs.
        pairs: u64,
        /// What to do.
        wanted: String,
    },
    /// Names that do not tell rows apart.
    #[error("row {row} {fault} in the column of names, and names tell rows apart; give each row its own")]
    Name {
        /// The row, from 1.
        row: u64,
        /// What is wrong with its name.
        fault: String,
    },
    /// The codes cannot be written.
    #[error("the codes cannot be written ({0}); check the place for them and the space left there")]
    Write(#[from] io::Error),
}

/// The ranges of the terms as bounds of the columns.
pub(super) fn bounds(terms: &Terms) -> Result<Bounds, BoundsError> {
    let (names, ranges) = terms.attributes().iter().map(|a| (a.name.clone(), a.range)).unzip();
    Bounds::new(names, ranges)
}

/// Evenly spaced records, in lattice steps, from one end of the range of an agreement with one attribute to the other: with
/// them, custodians make far values reachable (SZY19 §III). They stand for nobody.
pub fn intermediate_rows(count: u64) -> Vec<i32> {
    let place = |i: u64| match count {
        1 => STEPS / 2,
        _ => (u128::from(i) * u128::from(STEPS) / u128::from(count - 1)) as u64,
    };
    (0..count).map(|i| place(i) as i32).collect()
}

/// Reads a table once and writes a code for each row, in the order of the rows and with little memory, and then one for each
/// of the made-up records of `bridge`. Rows are named by the table's label column if the file has names.
///
/// # Errors
/// A table that cannot be read, names that are empty or not each row's own, and a file that cannot be written.
///
/// # Panics
/// When table, terms and encoder differ in their number of attributes, when there is a bridge and more than one, or
/// when the file has names and the table no labels.
pub fn encode_table<N: NoiseSource + Send, W: Write + Send>(
    table: &dyn Rows,
    terms: &Terms,
    encoder: &Dpbv,
    bridge: &[i32],
    noise: &mut N,
    out: &mut CodesWriter<W>,
    progress: &dyn Progress,
) -> Result<Encoded, EncodeError> {
    let dims = terms.dims();
    assert_eq!((table.dims(), encoder.dims()), (dims, dims), "one attribute per column");
    assert!(bridge.is_empty() || dims == 1, "made-up records have one attribute");
    let mut batches = Batches::new(encoder, terms);
    let mut steps = Steps::new(terms)?;
    let mut names = Names::default();
    let (mut rows, mut last) = (0, 0);
    table.for_each_batch(READ_ROWS, progress, |batch| {
        rows += batch.rows() as u64;
        last = batch.rows().checked_sub(1).map_or(last, |end| batch.row_number(end));
        names.take(batch)?;
        steps.take(batch)?;
        for row in 0..batch.rows() {
            let id = batch.labels().map(|labels| labels[row].clone());
            batches.push(steps.record(row), id, noise);
            if batches.is_full() {
                batches.write(out)?;
            }
        }
        Ok::<(), EncodeError>(())
    })?;
    let named = batches.named();
    for x in bridge {
        batches.push([*x].into_iter(), named.then(String::new), noise);
        if batches.is_full() {
            batches.write(out)?;
        }
    }
    batches.write(out)?;
    let (clamped, dropped) = (Sensitive::new(steps.clamped), Sensitive::new(last.saturating_sub(rows)));
    Ok(Encoded { rows: rows + bridge.len() as u64, clamped, dropped })
}

/// Names so far, and the rows that have them. Sensitive.
#[derive(Default)]
struct Names(HashMap<String, u64>);

impl Names {
    fn take(&mut self, batch: &shoal_files::Batch) -> Result<(), EncodeError> {
        for (i, name) in batch.labels().into_iter().flatten().enumerate() {
            let row = batch.row_number(i);
            if name.trim().is_empty() {
                return Err(EncodeError::Name { row, fault: "has nothing".into() });
            }
            if let Some(first) = self.0.insert(name.clone(), row) {
                return Err(EncodeError::Name { row, fault: format!("has the same as row {first}") });
            }
        }
        Ok(())
    }
}

/// Records of a batch in lattice steps. Sensitive.
pub(super) struct Steps {
    bounds: Bounds,
    map: LatticeMap,
    lattice: Vec<i16>,
    rows: usize,
    /// Records that had a value outside.
    pub(super) clamped: u64,
}

impl Steps {
    pub(super) fn new(terms: &Terms) -> Result<Self, BoundsError> {
        let bounds = bounds(terms)?;
        let map = LatticeMap::new(&bounds);
        Ok(Self { bounds, map, lattice: Vec::new(), rows: 0, clamped: 0 })
    }

    pub(super) fn take(&mut self, batch: &shoal_files::Batch) -> Result<(), DataError> {
        self.rows = batch.rows();
        self.lattice.resize(self.rows * self.bounds.dims(), 0);
        let mut outside = vec![false; self.rows];
        for (i, interval) in self.bounds.intervals().iter().enumerate() {
            let values = batch.column(i);
            // Unwrap safety: a settled batch holds finite numbers only.
            self.map.column_to_lattice(i, values, &mut self.lattice[i * self.rows..(i + 1) * self.rows]).unwrap();
            for (outside, value) in outside.iter_mut().zip(values) {
                *outside |= *value < interval.lo() || *value > interval.hi();
            }
        }
        self.clamped += outside.iter().filter(|outside| **outside).count() as u64;
        Ok(())
    }

    pub(super) fn record(&self, row: usize) -> impl Iterator<Item = i32> + '_ {
        (0..self.bounds.dims()).map(move |i| i32::from(self.lattice[i * self.rows + row]) + HALF_WIDTH)
    }
}

/// Records that wait for their codes. Sensitive.
pub(super) struct Batches<'a, N> {
    encoder: &'a Dpbv,
    rows_of_batch: usize,
    at_once: usize,
    waiting: Vec<Job<N>>,
    started: u64,
    named: bool,
}

/// A batch of records, row by row, their names, the noise for them, and their codes.
struct Job<N> {
    records: Vec<i32>,
    ids: Vec<String>,
    noise: N,
    codes: Vec<u64>,
}

impl<'a, N: NoiseSource + Send> Batches<'a, N> {
    pub(super) fn new(encoder: &'a Dpbv, terms: &Terms) -> Self {
        let bits = terms.bits() as usize * encoder.dims();
        let at_once = PER_THREAD * rayon::current_num_threads();
        let rows_of_batch = (BATCH_BITS / bits).max(1);
        Self { encoder, rows_of_batch, at_once, waiting: Vec::new(), started: 0, named: false }
    }

    fn last_is_full(&self) -> bool {
        self.waiting.last().is_none_or(|job| job.records.len() == self.rows_of_batch * self.encoder.dims())
    }

    /// True when all threads have enough to do.
    pub(super) fn is_full(&self) -> bool {
        self.waiting.len() == self.at_once && self.last_is_full()
    }

    fn named(&self) -> bool {
        self.named
    }

    pub(super) fn push(&mut self, record: impl Iterator<Item = i32>, id: Option<String>, noise: &mut N) {
        if self.last_is_full() {
            let noise = noise.fork(self.started);
            self.waiting.push(Job { records: Vec::new(), ids: Vec::new(), noise, codes: Vec::new() });
            self.started += 1;
        }
        self.named |= id.is_some();
        if let Some(job) = self.waiting.last_mut() {
            job.records.extend(record);
            job.ids.extend(id);
        }
    }

    /// Codes all that wait, on all threads, and writes them in order.
    pub(super) fn write<W: Write + Send>(&mut self, out: &mut CodesWriter<W>) -> io::Result<()> {
        let encoder = self.encoder;
        self.waiting.par_iter_mut().for_each(|job| {
            let (dims, words) = (encoder.dims(), encoder.record_words());
            job.codes.resize(job.records.len() / dims * words, 0);
            for (record, codes) in job.records.chunks_exact(dims).zip(job.codes.chunks_exact_mut(words)) {
                encoder.encode(record, &mut job.noise, codes);
            }
        });
        for job in self.waiting.drain(..) {
            out.append(&job.codes, self.named.then_some(&job.ids[..]))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn made_up_records_reach_from_end_to_end() {
        assert!(intermediate_rows(0).is_empty());
        assert_eq!(intermediate_rows(1), [32_767]);
        assert_eq!(intermediate_rows(3), [0, 32_767, 65_534]);
        let many = intermediate_rows(100_000);
        assert!(many.is_sorted() && (many[0], many[99_999]) == (0, 65_534));
    }
}
