//! Columns of a text table that are read as text beside the numbers: labels, persons, moments, and cells that are handed on.

use super::cell::text_of;
use super::persons::names::NoMoment;
use super::select::Selection;
use crate::Batch;

/// Which columns are text, and what each is for. Uses are places in `columns`.
#[derive(Default)]
pub(crate) struct TextColumns {
    /// Columns of the table in their order, each once.
    pub(crate) columns: Vec<usize>,
    label: Option<usize>,
    person: Vec<usize>,
    order: Option<usize>,
    kept: Vec<usize>,
}

impl TextColumns {
    pub(crate) fn new(selection: &Selection) -> Self {
        let Selection { label, person, order, kept, .. } = selection;
        let mut columns: Vec<usize> = label.iter().chain(person).chain(order).chain(kept).copied().collect();
        columns.sort_unstable();
        columns.dedup();
        let place = |column: &usize| columns.partition_point(|known| known < column);
        Self {
            label: label.as_ref().map(place),
            person: person.iter().map(place).collect(),
            order: order.as_ref().map(place),
            kept: kept.iter().map(place).collect(),
            columns,
        }
    }

    /// Appends the texts of one row to `batch`, which `cell` finds by their place in `columns`. The column of the table whose
    /// cell is no moment, if one is not.
    pub(crate) fn append<'a>(&self, batch: &mut Batch, cell: impl Fn(usize) -> &'a [u8]) -> Result<(), usize> {
        if let (Some(at), Some(labels)) = (self.label, &mut batch.labels) {
            labels.push(text_of(cell(at)).trim().to_string());
        }
        for (column, &at) in self.kept.iter().enumerate() {
            let cell = cell(at);
            batch.kept.push(column, (!cell.is_empty()).then(|| text_of(cell).into_owned()));
        }
        if let Some(names) = &mut batch.names {
            self.person.iter().for_each(|&at| names.push_part(cell(at)));
            names.end_row();
            if let Some(at) = self.order {
                names.push_moment_text(cell(at)).map_err(|NoMoment| self.columns[at])?;
            }
        }
        Ok(())
    }
}
