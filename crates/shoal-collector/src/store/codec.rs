//! Reports of one commit as bytes: identifiers, and values in the same order. They are sorted by identifier, which is
//! random, so that nobody can read off in which order they came.

use shoal_device::wire::{ReportId, put_steps, take_steps};

use super::StoreError;

/// Reports that are to be written.
#[derive(Default)]
pub(super) struct Batch<'a> {
    pub reports: Vec<(ReportId, &'a [i64])>,
}

impl Batch<'_> {
    /// Identifiers and values.
    pub(super) fn bytes(mut self) -> (Vec<u8>, Vec<u8>) {
        self.reports.sort_unstable_by_key(|(id, _)| *id);
        let mut ids = Vec::with_capacity(16 * self.reports.len());
        let mut steps = Vec::with_capacity(12 * self.reports.len());
        for (id, values) in self.reports {
            ids.extend(id.0);
            put_steps(&mut steps, values);
        }
        (ids, steps)
    }
}

/// The identifiers of a batch.
pub(super) fn ids(bytes: &[u8]) -> Result<impl Iterator<Item = ReportId>, StoreError> {
    let (ids, rest) = bytes.as_chunks::<16>();
    if !rest.is_empty() {
        return Err(StoreError::Damaged { what: "identifiers of reports are cut off".into() });
    }
    Ok(ids.iter().map(|id| ReportId(*id)))
}

/// The values of a batch of `count` reports, added to the columns.
pub(super) fn add_to(columns: &mut [Vec<i64>], bytes: &[u8], count: usize) -> Result<(), StoreError> {
    let mut steps = Vec::with_capacity(count * columns.len());
    take_steps(bytes, &mut steps).map_err(|error| StoreError::Damaged { what: error.to_string() })?;
    if steps.len() != count * columns.len() {
        return Err(StoreError::Damaged { what: "a batch has more or fewer values than its reports have".into() });
    }
    for row in steps.chunks_exact(columns.len()) {
        columns.iter_mut().zip(row).for_each(|(column, &x)| column.push(x));
    }
    Ok(())
}
