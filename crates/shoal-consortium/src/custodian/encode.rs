//! A custodian's whole table: each row as one record, coded and flipped.
//!
//! The flips of a row depend on the source and on the place of the row in the table, and on nothing else; see
//! [`OrderedBatches`].

use shoal_noise::{NoiseError, NoiseSource};
use shoal_privacy::Sensitive;
use std::collections::HashMap;
use std::io::{self, Write};

use crate::codes_file::write::CodesWriter;
use crate::custodian::dpbv::Dpbv;
use crate::{Terms, TermsError};
use shoal_files::{Batch, BatchBuffers, DataError, LatticeRows, OrderedBatches, Progress, Rows};
use shoal_lattice::{Bounds, BoundsError, Lattice, STEPS, Steps};

/// Bits of a batch: enough to keep a thread busy, and few megabytes for all threads together.
const BATCH_BITS: usize = 1 << 20;

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
#[non_exhaustive]
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
    /// Names that do not distinguish rows.
    #[error("row {row} {fault} in the column of names, and names distinguish rows; give each row its own")]
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

impl EncodeError {
    /// A short name of the reason that stays the same between versions.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Data(error) => error.code(),
            Self::Bounds(error) => error.code(),
            Self::Terms(error) => error.code(),
            Self::Noise(error) => error.code(),
            Self::Pairs { .. } => "number-of-pairs",
            Self::Name { .. } => "row-name",
            Self::Write(..) => "cannot-write-codes",
        }
    }
}

/// The ranges of the terms as bounds of the columns.
pub(super) fn bounds(terms: &Terms) -> Result<Bounds, BoundsError> {
    let (names, ranges) = terms.attributes().iter().map(|a| (a.name.clone(), a.range)).unzip();
    Bounds::new(names, ranges)
}

/// Evenly spaced records, in lattice steps, from one end of the range of an agreement with one attribute to the other: with
/// them, custodians make far values reachable (SZY19 §III). They belong to nobody.
pub fn intermediate_rows(count: u64) -> Vec<Steps> {
    let place = |i: u64| match count {
        1 => Lattice(0).in_steps(),
        _ => Steps((u128::from(i) * u128::from(STEPS) / u128::from(count - 1)) as i64),
    };
    (0..count).map(place).collect()
}

/// Reads a table once and writes a code for each row, in the order of the rows and with little memory, and then one for
/// each of the made-up records of `bridge`. Rows are named by the table's label column if the file has names.
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
    bridge: &[Steps],
    noise: &mut N,
    out: &mut CodesWriter<W>,
    progress: &dyn Progress,
) -> Result<Encoded, EncodeError> {
    let dims = terms.dims();
    assert_eq!((table.dims(), encoder.dims()), (dims, dims), "one attribute per column");
    assert!(bridge.is_empty() || dims == 1, "made-up records have one attribute");
    let mut coder = Coder::new(encoder, terms, out);
    let mut records = LatticeRows::new(&bounds(terms)?);
    let mut names = Names::default();
    let (mut rows, mut last) = (0, 0);
    table.for_each_batch(READ_ROWS, progress, |batch| {
        rows += batch.rows() as u64;
        last = batch.rows().checked_sub(1).map_or(last, |end| batch.row_number(end));
        names.take(batch)?;
        records.take(batch);
        for row in 0..batch.rows() {
            let id = batch.labels().map(|labels| labels[row].clone());
            coder.push(records.record(row).map(|Steps(steps)| steps as i32), id, noise)?;
        }
        Ok::<(), EncodeError>(())
    })?;
    let named = coder.named;
    for &Steps(x) in bridge {
        coder.push([x as i32].into_iter(), named.then(String::new), noise)?;
    }
    coder.finish()?;
    let (clamped, dropped) = (Sensitive::new(records.clamped()), Sensitive::new(last.saturating_sub(rows)));
    Ok(Encoded { rows: rows + bridge.len() as u64, clamped, dropped })
}

/// Names so far, and the rows that have them. Sensitive.
#[derive(Default)]
struct Names(HashMap<String, u64>);

impl Names {
    fn take(&mut self, batch: &Batch) -> Result<(), EncodeError> {
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

/// Codes records as they come and writes them in their order. Sensitive.
pub(super) struct Coder<'a, N, W: Write + Send> {
    encoder: &'a Dpbv,
    batches: OrderedBatches<Coded, N>,
    out: &'a mut CodesWriter<W>,
    /// Whether rows have names.
    named: bool,
}

/// A batch of records, row by row, their names and their codes. Sensitive.
#[derive(Default)]
struct Coded {
    records: Vec<i32>,
    ids: Vec<String>,
    codes: Vec<u64>,
}

impl BatchBuffers for Coded {
    fn clear(&mut self) {
        self.records.clear();
        self.ids.clear();
        self.codes.clear();
    }
}

impl<'a, N: NoiseSource + Send, W: Write + Send> Coder<'a, N, W> {
    pub(super) fn new(encoder: &'a Dpbv, terms: &Terms, out: &'a mut CodesWriter<W>) -> Self {
        let bits = terms.bits() as usize * encoder.dims();
        Self { encoder, batches: OrderedBatches::new(BATCH_BITS / bits), out, named: false }
    }

    /// Takes a record, and writes those that wait when every thread has enough to do.
    pub(super) fn push(
        &mut self,
        record: impl Iterator<Item = i32>,
        id: Option<String>,
        noise: &mut N,
    ) -> io::Result<()> {
        self.named |= id.is_some();
        let batch = self.batches.next_row(|number| noise.fork(number));
        batch.records.extend(record);
        batch.ids.extend(id);
        if self.batches.is_full() { self.flush() } else { Ok(()) }
    }

    /// Writes the last records.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.flush()
    }

    fn flush(&mut self) -> io::Result<()> {
        let Self { encoder, batches, out, named } = self;
        let (dims, words) = (encoder.dims(), encoder.record_words());
        let encode = |batch: &mut Coded, noise: &mut N| {
            batch.codes.resize(batch.records.len() / dims * words, 0);
            for (record, codes) in batch.records.chunks_exact(dims).zip(batch.codes.chunks_exact_mut(words)) {
                encoder.encode(record, noise, codes);
            }
        };
        batches.flush(encode, |batch| out.append(&batch.codes, named.then_some(&batch.ids[..])))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn made_up_records_reach_from_end_to_end() {
        assert!(intermediate_rows(0).is_empty());
        assert_eq!(intermediate_rows(1), [Steps(32_767)]);
        assert_eq!(intermediate_rows(3), [0, 32_767, 65_534].map(Steps));
        let many = intermediate_rows(100_000);
        assert!(many.is_sorted() && (many[0], many[99_999]) == (Steps(0), Steps(65_534)));
    }
}
