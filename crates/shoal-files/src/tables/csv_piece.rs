//! Some whole lines of a text table as numbers, with the texts beside them.
//!
//! Without quotes a line is cells between delimiters, and digits are read while the end of their cell is looked for. A piece
//! with quotes, or with line ends of two kinds, goes through the CSV parser.

use csv::ByteRecord;
use memchr::{memchr, memchr_iter};
use std::io::Read;
use std::sync::Arc;

use super::cell::{Cell, parse, parse_text, plain_cell};
use super::csv_texts::TextColumns;
use super::format::CellRules;
use super::levels::Levels;
use crate::{Batch, CellLook, Place};

/// Where the wanted cells are in a line.
pub(crate) struct Layout {
    delimiter: u8,
    rules: CellRules,
    /// The character by which lines are counted.
    pub(crate) line_end: u8,
    /// What each column of the table is for.
    uses: Vec<Use>,
    numbers: usize,
    levels: Arc<[Levels]>,
    texts: TextColumns,
}

/// What a column is for, with its place among those that are read: numbers first, then categories.
#[derive(Clone, Copy)]
enum Use {
    Nothing,
    Number(usize),
    Word(usize),
    Text,
    NumberAndText(usize),
    WordAndText(usize),
}

impl Use {
    fn is_text(self) -> bool {
        matches!(self, Self::Text | Self::NumberAndText(_) | Self::WordAndText(_))
    }
}

impl Layout {
    /// `picks` are the columns of numbers among `columns` columns, `words` the categories; no column is both, or one of them
    /// twice.
    pub(crate) fn new(
        delimiter: u8,
        rules: CellRules,
        columns: usize,
        picks: &[usize],
        (words, levels): (&[usize], &Arc<[Levels]>),
        texts: TextColumns,
    ) -> Self {
        let (mut uses, numbers) = (vec![Use::Nothing; columns], picks.len());
        for (slot, &pick) in picks.iter().enumerate() {
            uses[pick] = Use::Number(slot);
        }
        for (slot, &word) in words.iter().enumerate() {
            uses[word] = Use::Word(numbers + slot);
        }
        for &column in &texts.columns {
            uses[column] = match uses[column] {
                Use::Number(slot) => Use::NumberAndText(slot),
                Use::Word(slot) => Use::WordAndText(slot),
                _ => Use::Text,
            };
        }
        Self { delimiter, rules, line_end: b'\n', uses, numbers, levels: Arc::clone(levels), texts }
    }

    /// Columns that are read as numbers or as levels.
    fn wanted(&self) -> usize {
        self.numbers + self.levels.len()
    }

    /// The code of a cell's level, by the slot of its category.
    fn code(&self, slot: usize, cell: &[u8]) -> f64 {
        self.levels[slot - self.numbers].code(cell)
    }
}

/// What is wrong with a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum FaultKind {
    /// So many cells.
    Ragged(u64),
    /// The cell in this column of the table.
    NotANumber(usize, CellLook),
    /// The cell in this column of the table orders no rows.
    NoMoment(usize),
}

/// The first row that cannot be read, by its line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Fault {
    pub(crate) line: u64,
    pub(crate) kind: FaultKind,
}

/// Lines and their numbers. Sensitive: it holds records.
#[derive(Default)]
pub(crate) struct Piece {
    bytes: Vec<u8>,
    columns: Vec<Vec<f64>>,
    /// Cells that are wanted as text, one after another, row by row.
    text: Vec<u8>,
    text_ends: Vec<u32>,
    /// The line of each row, counted from 1.
    line_of: Vec<u32>,
    /// Line ends.
    pub(crate) lines: u64,
    taken: usize,
    /// What is wrong with the row after the last.
    pub(crate) fault: Option<Fault>,
}

impl Piece {
    /// Begins again with these lines.
    pub(crate) fn start(&mut self, bytes: &[u8]) {
        self.bytes.clear();
        self.bytes.extend_from_slice(bytes);
        self.columns.iter_mut().for_each(Vec::clear);
        self.text.clear();
        self.text_ends.clear();
        self.line_of.clear();
        (self.lines, self.taken, self.fault) = (0, 0, None);
    }

    /// Rows that were read.
    pub(crate) fn rows(&self) -> usize {
        self.line_of.len()
    }

    /// Appends up to `most` rows that were not taken yet to `batch`. So many rows and lines came before this piece. A row whose
    /// texts are refused ends it.
    pub(crate) fn take(
        &mut self,
        most: usize,
        batch: &mut Batch,
        layout: &Layout,
        (rows, lines): (u64, u64),
    ) -> Result<usize, (Place, FaultKind)> {
        let range = self.taken..self.rows().min(self.taken.saturating_add(most));
        let (of_numbers, of_words) = self.columns.split_at(layout.numbers.min(self.columns.len()));
        let to = of_numbers.iter().zip(&mut batch.columns).chain(of_words.iter().zip(&mut batch.codes));
        for (from, to) in to {
            to.extend_from_slice(&from[range.clone()]);
        }
        let place = |at: usize| Place { row: rows + at as u64 + 1, line: Some(lines + u64::from(self.line_of[at])) };
        let texts = layout.texts.columns.len();
        if texts > 0 {
            for row in range.clone() {
                let appended = layout.texts.append(batch, |at| self.text(row * texts + at));
                appended.map_err(|column| (place(row), FaultKind::NoMoment(column)))?;
            }
        }
        batch.places.extend(range.clone().map(place));
        self.taken = range.end;
        Ok(range.len())
    }

    /// The cell at this place among those that are wanted as text.
    fn text(&self, at: usize) -> &[u8] {
        let start = if at == 0 { 0 } else { self.text_ends[at - 1] };
        &self.text[start as usize..self.text_ends[at] as usize]
    }

    fn push_text(&mut self, cell: &[u8]) {
        self.text.extend_from_slice(cell);
        self.text_ends.push(self.text.len() as u32);
    }

    /// Reads all lines, or those before the first fault.
    pub(crate) fn parse(&mut self, layout: &Layout) {
        self.columns.resize_with(layout.wanted(), Vec::new);
        let bytes = std::mem::take(&mut self.bytes);
        let plain =
            memchr(b'"', &bytes).is_none() && memchr_iter(b'\r', &bytes).all(|at| bytes.get(at + 1) == Some(&b'\n'));
        if plain {
            self.parse_plain(&bytes, layout);
        } else {
            self.parse_quoted(&bytes, layout);
        }
        self.bytes = bytes;
        // A row that failed half-way leaves nothing behind.
        let rows = self.rows();
        self.columns.iter_mut().for_each(|column| column.truncate(rows));
        self.text_ends.truncate(rows * layout.texts.columns.len());
    }

    fn parse_plain(&mut self, bytes: &[u8], layout: &Layout) {
        let mut at = 0;
        while at < bytes.len() {
            let end = memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |found| at + found);
            let line = &bytes[at..end];
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            self.lines += 1;
            // The parser leaves empty lines out, too.
            if !line.is_empty() {
                if let Err(kind) = self.parse_line(line, layout) {
                    self.fault = Some(Fault { line: self.lines, kind });
                    return;
                }
                self.line_of.push(self.lines as u32);
            }
            at = end + 1;
        }
        self.lines -= u64::from(bytes.last() != Some(&b'\n'));
    }

    #[inline]
    fn parse_line(&mut self, line: &[u8], layout: &Layout) -> Result<(), FaultKind> {
        let cells = || memchr_iter(layout.delimiter, line).count() as u64 + 1;
        let (mut at, last) = (0, layout.uses.len() - 1);
        for (place, &kind) in layout.uses.iter().enumerate() {
            let end = match kind {
                Use::Word(slot) | Use::WordAndText(slot) => {
                    let end = memchr(layout.delimiter, &line[at..]).map_or(line.len(), |found| at + found);
                    self.columns[slot].push(layout.code(slot, &line[at..end]));
                    end
                }
                Use::Number(slot) | Use::NumberAndText(slot) => {
                    let (length, plain) = plain_cell(&line[at..], layout.delimiter, layout.rules);
                    let number = match plain {
                        Some(number) => number,
                        None => match parse_text(&line[at..at + length], layout.rules) {
                            Cell::Number(number) => number,
                            Cell::Missing => f64::NAN,
                            Cell::Other(look) => {
                                // A row of another length is the fault that matters.
                                let fits = cells() == layout.uses.len() as u64;
                                let ragged = FaultKind::Ragged(cells());
                                return Err(if fits { FaultKind::NotANumber(place, look) } else { ragged });
                            }
                        },
                    };
                    self.columns[slot].push(number);
                    at + length
                }
                Use::Nothing | Use::Text => {
                    memchr(layout.delimiter, &line[at..]).map_or(line.len(), |found| at + found)
                }
            };
            if (end == line.len()) != (place == last) {
                return Err(FaultKind::Ragged(cells()));
            }
            if kind.is_text() {
                self.push_text(&line[at..end]);
            }
            at = end + 1;
        }
        Ok(())
    }

    fn parse_quoted(&mut self, bytes: &[u8], layout: &Layout) {
        // The parser would leave out a mark of UTF-8 at its start, which is somewhere in the table here. A blank line it leaves
        // out for certain.
        let text = (&b"\n"[..]).chain(bytes);
        let mut reader =
            csv::ReaderBuilder::new().delimiter(layout.delimiter).has_headers(false).flexible(true).from_reader(text);
        let mut record = ByteRecord::new();
        let (mut seen, mut lines) = (0, 0);
        // Reading from memory does not fail, and bytes are not checked to be text.
        while reader.read_byte_record(&mut record).unwrap_or(false) {
            let start = record.position().map_or(0, |position| position.byte() as usize).saturating_sub(1);
            let ends = bytes[start..].iter().take_while(|byte| matches!(byte, b'\n' | b'\r')).count();
            lines += memchr_iter(layout.line_end, &bytes[seen.min(start + ends)..start + ends]).count();
            seen = start + ends;
            if let Err(kind) = self.parse_record(&record, layout) {
                self.fault = Some(Fault { line: lines as u64 + 1, kind });
                return;
            }
            self.line_of.push(lines as u32 + 1);
        }
        self.lines = memchr_iter(layout.line_end, bytes).count() as u64;
    }

    fn parse_record(&mut self, record: &ByteRecord, layout: &Layout) -> Result<(), FaultKind> {
        if record.len() != layout.uses.len() {
            return Err(FaultKind::Ragged(record.len() as u64));
        }
        for (place, &kind) in layout.uses.iter().enumerate() {
            match kind {
                Use::Number(slot) | Use::NumberAndText(slot) => {
                    self.columns[slot].push(match parse(&record[place], layout.rules) {
                        Cell::Number(number) => number,
                        Cell::Missing => f64::NAN,
                        Cell::Other(look) => return Err(FaultKind::NotANumber(place, look)),
                    });
                }
                Use::Word(slot) | Use::WordAndText(slot) => {
                    self.columns[slot].push(layout.code(slot, &record[place]));
                }
                Use::Nothing | Use::Text => {}
            }
            if kind.is_text() {
                self.push_text(&record[place]);
            }
        }
        Ok(())
    }
}
