//! Passes over a text table from its top: in pieces by all threads, or record by record.

use csv::ByteRecord;
use std::io::Read;

use super::cell::{Cell, parse};
use super::csv_piece::{FaultKind, Layout};
use super::csv_pieces::{CsvPieces, Stopped};
use super::csv_separator::line_end;
use super::csv_table::{BUFFER, CsvTable};
use super::csv_texts::TextColumns;
use super::select::Selection;
use crate::{Batch, DataError, Place};

impl CsvTable {
    /// Starts a pass from the top.
    pub(crate) fn pass<'a>(&'a self, selection: &'a Selection) -> Result<CsvPass<'a>, DataError> {
        let texts = TextColumns::new(selection);
        // Cells that span lines are read record by record.
        if !self.multiline {
            let (picks, categories) = (&selection.picks, (&selection.words[..], &selection.levels));
            let layout = Layout::new(self.delimiter, self.rules, self.names.len(), picks, categories, texts);
            return Ok(CsvPass::Pieces(self, CsvPieces::new(self.checked_text()?, layout, self.header)));
        }
        let mut start = Vec::new();
        let text = self.text().map_err(|error| self.unreadable(error))?;
        // What cannot be read here cannot be read below.
        let _ = text.take(BUFFER as u64).read_to_end(&mut start);
        let (reader, record, counted) = (self.reader()?, ByteRecord::new(), line_end(&start) == b'\n');
        let mut pass = RecordPass { table: self, selection, texts, reader, record, row: 0, counted };
        if self.header {
            pass.reader.read_byte_record(&mut pass.record).map_err(|error| self.failed(error))?;
        }
        Ok(CsvPass::Records(pass))
    }

    /// About how many bytes a pass holds.
    pub(crate) fn pass_memory(&self, selection: &Selection) -> usize {
        let dims = selection.picks.len() + selection.words.len();
        let texts = TextColumns::new(selection).columns.len();
        (128 << 10) + dims * (32 << 10) + CsvPieces::<Box<dyn Read>>::memory(dims, texts)
    }

    /// A row that is no row of numbers.
    fn faulty(&self, place: Place, kind: FaultKind) -> DataError {
        match kind {
            FaultKind::Ragged(found) => {
                let (line, expected) =
                    (place.line.unwrap_or(place.row + u64::from(self.header)), self.names.len() as u64);
                DataError::Ragged { line, found, expected }
            }
            FaultKind::NotANumber(pick, look) => {
                let (column, numeric) = (self.shown[pick].clone(), self.numeric.clone());
                DataError::NotANumber { place, column, look, numeric }
            }
            FaultKind::NoMoment(column) => DataError::NoMoment { place, column: self.shown[column].clone() },
        }
    }
}

/// One pass over a text table.
pub(crate) enum CsvPass<'a> {
    /// By all threads.
    Pieces(&'a CsvTable, CsvPieces<Box<dyn Read>>),
    /// Record by record.
    Records(RecordPass<'a>),
}

impl CsvPass<'_> {
    /// Appends up to `rows` rows to `batch`, missing values as NaN. Returns how many were read; zero is the end.
    pub(crate) fn fill(&mut self, batch: &mut Batch, rows: usize) -> Result<usize, DataError> {
        match self {
            Self::Records(pass) => pass.fill(batch, rows),
            Self::Pieces(table, pieces) => pieces.fill(batch, rows).map_err(|stopped| match stopped {
                Stopped::Unreadable(error) => table.unreadable(error),
                Stopped::Faulty(place, kind) => table.faulty(place, kind),
            }),
        }
    }
}

/// A pass record by record.
pub(crate) struct RecordPass<'a> {
    table: &'a CsvTable,
    selection: &'a Selection,
    texts: TextColumns,
    reader: csv::Reader<Box<dyn Read>>,
    record: ByteRecord,
    row: u64,
    /// The reader knows lines: it counts none in a table whose lines end in a lone carriage return.
    counted: bool,
}

impl RecordPass<'_> {
    /// Appends up to `rows` rows to `batch`, missing values as NaN. Returns how many were read; zero is the end.
    fn fill(&mut self, batch: &mut Batch, rows: usize) -> Result<usize, DataError> {
        let rules = self.table.rules;
        for filled in 0..rows {
            if !self.reader.read_byte_record(&mut self.record).map_err(|error| self.table.failed(error))? {
                return Ok(filled);
            }
            self.row += 1;
            let late = u64::from(self.table.crlf && (self.table.header || self.row > 1));
            let line = self.record.position().filter(|_| self.counted).map(|position| position.line() + late);
            let place = Place { row: self.row, line };
            if self.record.len() != self.table.names.len() {
                return Err(self.table.faulty(place, FaultKind::Ragged(self.record.len() as u64)));
            }
            for (&pick, column) in self.selection.picks.iter().zip(&mut batch.columns) {
                let cell = &self.record[pick];
                column.push(match parse(cell, rules) {
                    Cell::Number(number) => number,
                    Cell::Missing => f64::NAN,
                    Cell::Other(look) => return Err(self.table.faulty(place, FaultKind::NotANumber(pick, look))),
                });
            }
            let categories = self.selection.words.iter().zip(self.selection.levels.iter());
            for ((&at, levels), codes) in categories.zip(&mut batch.codes) {
                codes.push(levels.code(&self.record[at]));
            }
            let appended = self.texts.append(batch, |at| &self.record[self.texts.columns[at]]);
            appended.map_err(|column| self.table.faulty(place, FaultKind::NoMoment(column)))?;
            batch.places.push(place);
        }
        Ok(rows)
    }
}
