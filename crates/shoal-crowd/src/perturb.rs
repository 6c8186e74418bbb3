//! A crowd at once: each row of a table as one person's record.
//!
//! The noise of a row depends on the source and on the place of the row in the table, and on nothing else; see
//! [`OrderedBatches`].

use shoal_noise::NoiseSource;
use shoal_privacy::Sensitive;
use std::io::{self, Write};

use crate::report_file::write::ReportWriter;
use shoal_device::{Client, Design};
use shoal_files::{BatchBuffers, DataError, LatticeRows, OrderedBatches, Progress, Rows};
use shoal_lattice::{Category, STEPS, Steps};

/// Values of a batch: enough to keep a thread busy, and few megabytes for all threads together.
const BATCH_VALUES: usize = 1 << 15;

/// What happened to a table. Sensitive where it is about records.
pub struct Perturbed {
    /// Reports written. As many as rows were read: not more secret than the file.
    pub reports: u64,
    /// Records that had a value outside the bounds, which was moved to the nearest limit.
    pub clamped: Sensitive<u64>,
}

/// Why a table could not be perturbed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PerturbError {
    /// The table cannot be read.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The reports cannot be written.
    #[error("the reports cannot be written ({0}); check the place for them and the space left there")]
    Write(#[from] io::Error),
}

impl PerturbError {
    /// A short name of the reason that stays the same between versions.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Data(error) => error.code(),
            Self::Write(..) => "cannot-write-reports",
        }
    }
}

/// Reads a table once and writes a report for each row, in the order of the rows and with little memory.
///
/// The table has a column for each of the design's [coordinates](Design::coordinates): numbers, then indicators of levels. The word
/// that is reported is the level with the largest indicator, the first of several, or *other* where that is larger: for a row, the
/// level that it has, and for the mean of a person's rows, their most frequent one.
///
/// # Panics
/// When table, design and client differ in their number of attributes.
pub fn perturb_table<N: NoiseSource + Send, W: Write + Send>(
    table: &dyn Rows,
    design: &Design,
    client: &Client,
    noise: &mut N,
    out: &mut ReportWriter<W>,
    progress: &dyn Progress,
) -> Result<Perturbed, PerturbError> {
    // All coordinates to their ends, whatever they weigh: no indicator is shortened.
    let bounds = design.coordinates();
    let scales = bounds.scales().to_vec();
    let bounds = bounds.scaled(scales, vec![1.0; table.dims()]);
    // Unwrap safety: a weight of one is a weight, and there is one for each coordinate, as is checked next.
    let bounds = bounds.expect("a column for each coordinate");
    let dims = client.dims();
    let sizes: Vec<usize> = design.categories().iter().map(Category::size).collect();
    assert_eq!((bounds.dims(), dims), (table.dims(), client.numbers() + sizes.len()), "one attribute per column");
    let mut coordinates = Vec::with_capacity(bounds.dims());
    let rows_per_batch = (BATCH_VALUES / dims).max(1);
    let mut batches = OrderedBatches::<Crowd, N>::new(rows_per_batch);
    let mut records = LatticeRows::new(&bounds);
    let mut reports = 0;
    let mut flush = |batches: &mut OrderedBatches<Crowd, N>| {
        batches.flush(|crowd, noise| crowd.report(client, noise), |crowd| out.append(&crowd.reports))
    };
    table.for_each_batch(rows_per_batch, progress, |batch| {
        reports += batch.rows() as u64;
        records.take(batch);
        for row in 0..batch.rows() {
            let crowd = batches.next_row(|number| noise.fork(number));
            coordinates.clear();
            coordinates.extend(records.record(row).map(|Steps(steps)| steps));
            let (numbers, mut indicators) = coordinates.split_at(client.numbers());
            crowd.records.extend(numbers);
            for &size in &sizes {
                let (of_this, others) = indicators.split_at(size);
                crowd.records.push(outcome(of_this));
                indicators = others;
            }
            if batches.is_full() {
                flush(&mut batches)?;
            }
        }
        Ok::<(), PerturbError>(())
    })?;
    flush(&mut batches)?;
    Ok(Perturbed { reports, clamped: Sensitive::new(records.clamped()) })
}

/// The place of the largest indicator, or one beyond them where *other*, which is what they leave of the whole, is larger.
fn outcome(indicators: &[i64]) -> i64 {
    let other = STEPS as i64 - indicators.iter().sum::<i64>();
    let mut best = (indicators.len(), other);
    for (place, &indicator) in indicators.iter().enumerate().rev() {
        if indicator >= best.1 {
            best = (place, indicator);
        }
    }
    best.0 as i64
}

/// A batch of records, row by row, and their reports, attribute by attribute. Sensitive.
#[derive(Default)]
struct Crowd {
    records: Vec<i64>,
    reports: Vec<Vec<i64>>,
}

impl Crowd {
    fn report(&mut self, client: &Client, noise: &mut impl NoiseSource) {
        let dims = client.dims();
        self.reports.resize(dims, Vec::new());
        let mut report = vec![0; dims];
        for record in self.records.chunks_exact(dims) {
            client.report(record, noise, &mut report);
            self.reports.iter_mut().zip(&report).for_each(|(column, value)| column.push(*value));
        }
    }
}

impl BatchBuffers for Crowd {
    fn clear(&mut self) {
        self.records.clear();
        self.reports.iter_mut().for_each(Vec::clear);
    }
}
