//! A crowd at once: each row of a table as one person's record.
//!
//! The noise of a row depends on the source and on where the row is in the table, and on nothing else: rows are cut into
//! batches of a fixed size, whatever the pieces in which the table is read, and each batch has a stream of its own.

use rayon::prelude::*;
use shoal_noise::NoiseSource;
use shoal_privacy::Sensitive;
use std::io::{self, Write};

use crate::report_file::write::ReportWriter;
use shoal_device::Client;
use shoal_files::{DataError, Progress, Rows};
use shoal_lattice::{Bounds, HALF_WIDTH, LatticeMap};

/// Values of a batch: enough to keep a thread busy, and few megabytes for all threads together.
const BATCH_VALUES: usize = 1 << 15;

/// Batches for each thread that are perturbed together.
const PER_THREAD: usize = 4;

/// What happened to a table. Sensitive where it is about records.
pub struct Perturbed {
    /// Reports written. As many as rows were read: not more secret than the file.
    pub reports: u64,
    /// Records that had a value outside the bounds, which was moved to the nearest limit.
    pub clamped: Sensitive<u64>,
}

/// Why a table could not be perturbed.
#[derive(Debug, thiserror::Error)]
pub enum PerturbError {
    /// The table cannot be read.
    #[error(transparent)]
    Data(#[from] DataError),
    /// The reports cannot be written.
    #[error("the reports cannot be written ({0}); check the place for them and the space left there")]
    Write(#[from] io::Error),
}

/// Reads a table once and writes a report for each row, in the order of the rows and with little memory.
///
/// # Panics
/// When table, bounds and client differ in their number of attributes.
pub fn perturb_table<N: NoiseSource + Send, W: Write + Send>(
    table: &dyn Rows,
    bounds: &Bounds,
    client: &Client,
    noise: &mut N,
    out: &mut ReportWriter<W>,
    progress: &dyn Progress,
) -> Result<Perturbed, PerturbError> {
    let dims = bounds.dims();
    assert_eq!((table.dims(), client.dims()), (dims, dims), "one attribute per column");
    let map = LatticeMap::new(bounds);
    let rows_of_batch = (BATCH_VALUES / dims).max(1);
    let at_once = PER_THREAD * rayon::current_num_threads();
    let mut crowd = Crowd { client, dims, rows_of_batch, waiting: Vec::new(), free: Vec::new(), started: 0 };
    let (mut reports, mut clamped) = (0, 0);
    let mut lattice = Vec::new();
    table.for_each_batch(rows_of_batch, progress, |batch| {
        let rows = batch.rows();
        reports += rows as u64;
        lattice.resize(rows * dims, 0);
        let mut outside = vec![false; rows];
        for (i, interval) in bounds.intervals().iter().enumerate() {
            let values = batch.column(i);
            // Unwrap safety: a settled batch holds finite numbers only.
            map.column_to_lattice(i, values, &mut lattice[i * rows..(i + 1) * rows]).unwrap();
            for (outside, value) in outside.iter_mut().zip(values) {
                *outside |= *value < interval.lo() || *value > interval.hi();
            }
        }
        clamped += outside.iter().filter(|outside| **outside).count() as u64;
        for row in 0..rows {
            let record = (0..dims).map(|i| i64::from(lattice[i * rows + row]) + i64::from(HALF_WIDTH));
            crowd.push(record, noise);
            if crowd.waiting.len() == at_once && crowd.is_full() {
                crowd.report(out)?;
            }
        }
        Ok::<(), PerturbError>(())
    })?;
    crowd.report(out)?;
    Ok(Perturbed { reports, clamped: Sensitive::new(clamped) })
}

/// Records that wait for their noise. Sensitive.
struct Crowd<'a, N> {
    client: &'a Client,
    dims: usize,
    rows_of_batch: usize,
    waiting: Vec<Job<N>>,
    /// Jobs that are done, whose memory is used again.
    free: Vec<(Vec<i64>, Vec<Vec<i64>>)>,
    started: u64,
}

/// A batch of records, row by row, the noise for them, and their reports, attribute by attribute.
struct Job<N> {
    records: Vec<i64>,
    noise: N,
    reports: Vec<Vec<i64>>,
}

impl<N: NoiseSource + Send> Crowd<'_, N> {
    fn is_full(&self) -> bool {
        self.waiting.last().is_none_or(|job| job.records.len() == self.rows_of_batch * self.dims)
    }

    fn push(&mut self, record: impl Iterator<Item = i64>, noise: &mut N) {
        if self.is_full() {
            let (records, reports) = self.free.pop().unwrap_or_else(|| (Vec::new(), vec![Vec::new(); self.dims]));
            self.waiting.push(Job { records, noise: noise.fork(self.started), reports });
            self.started += 1;
        }
        if let Some(job) = self.waiting.last_mut() {
            job.records.extend(record);
        }
    }

    /// Perturbs all that wait, on all threads, and writes them in order.
    fn report<W: Write + Send>(&mut self, out: &mut ReportWriter<W>) -> io::Result<()> {
        let client = self.client;
        self.waiting.par_iter_mut().for_each(|job| {
            let mut report = vec![0; client.dims()];
            for record in job.records.chunks_exact(client.dims()) {
                client.report(record, &mut job.noise, &mut report);
                job.reports.iter_mut().zip(&report).for_each(|(column, value)| column.push(*value));
            }
        });
        for mut job in self.waiting.drain(..) {
            out.append(&job.reports)?;
            job.records.clear();
            job.reports.iter_mut().for_each(Vec::clear);
            self.free.push((job.records, job.reports));
        }
        Ok(())
    }
}
