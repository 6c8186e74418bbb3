//! The aggregator's own columns of the same people (a vertical partition).

use std::collections::HashMap;

use shoal_consortium::aggregator::vertical;
use shoal_consortium::codes_file::Kind;
use shoal_consortium::{Attribute, Flips, Terms};
use shoal_lattice::Interval;

use super::{OwnTable, Pooled};
use crate::Error;
use crate::consortium::ConsortiumError;
use crate::input::Reading;
use crate::watch::{Phase, Watcher};

/// Rows read at a time.
const BATCH: usize = 4096;

/// The aggregator's own attributes of the same records, in the order of the codes.
pub(super) struct Own {
    terms: Terms,
    values: Vec<f64>,
}

impl Own {
    pub(super) fn read(own: OwnTable<'_>, pooled: &Pooled, watch: &Watcher) -> Result<Self, Error> {
        if own.id.is_none() && pooled.has_ids() {
            return Err(ConsortiumError::NamesNeeded.into());
        }
        let about = |error: Error| ConsortiumError::OwnTable(error.into());
        let reading = Reading { label: own.id.clone(), memory: pooled.memory as usize, ..Reading::default() };
        let (opened, bounds) = reading.open_within(own.input, &own.spec).map_err(about)?;
        let attribute = |(name, range): (&String, &Interval)| Attribute::new(name, *range, range.width() / 2.0);
        let attributes = bounds.columns().iter().zip(bounds.intervals()).map(attribute).collect::<Result<_, _>>()?;
        let terms = Terms::new(attributes, 1, Flips::None, pooled.terms().scale())?;
        let (mut values, mut ids) = (Vec::new(), Vec::new());
        let mut row = vec![0.0; terms.dims()];
        let progress = watch.phase(Phase::Reading);
        let read = opened.rows().for_each_batch(BATCH, &progress, |batch| {
            for i in 0..batch.rows() {
                batch.copy_row(i, &mut row);
                values.extend_from_slice(&row);
            }
            ids.extend(batch.labels().into_iter().flatten().cloned());
            Ok::<(), Error>(())
        });
        read.map_err(about)?;
        let (dims, given, records) = (terms.dims(), values.len() / terms.dims(), pooled.records());
        if given != records {
            return Err(ConsortiumError::OtherPeople { given, records }.into());
        }
        if own.id.is_some() {
            let order = matched(pooled, &ids)?;
            values = order.iter().flat_map(|&row| values[row * dims..(row + 1) * dims].to_vec()).collect();
        }
        Ok(Self { terms, values })
    }

    /// L², the squared distance of two records in the own columns.
    pub(super) fn squared(&self, i: usize, j: usize) -> f64 {
        let record = |i: usize| &self.values[i * self.terms.dims()..(i + 1) * self.terms.dims()];
        vertical::exact_squared(record(i), record(j), &self.terms)
    }
}

/// For each record, the row of the own table with the same name.
fn matched(pooled: &Pooled, ids: &[String]) -> Result<Vec<usize>, Error> {
    if pooled.file.kind == Kind::Pairs {
        return Err(ConsortiumError::PairsWithoutNames.into());
    }
    let mut rows = HashMap::new();
    for (row, id) in ids.iter().enumerate() {
        if rows.insert(id.as_str(), row).is_some() {
            return Err(ConsortiumError::SameName.into());
        }
    }
    let find = |record: usize| {
        let id = pooled.id(record).ok_or(ConsortiumError::CodesWithoutNames)?;
        let row = rows.remove(id).ok_or_else(|| {
            let (file, row) = pooled.place(record);
            ConsortiumError::NameNotFound { file: file.into(), row }
        });
        Ok(row?)
    };
    (0..pooled.records()).map(find).collect()
}
