//! Tables as text: CSV, plain or inside gzip, read from the top in each pass.

use csv::ByteRecord;
use flate2::read::MultiGzDecoder;
use std::io::Read;
use std::sync::Arc;

use crate::Batch;
use crate::ReadOptions;
use crate::tables::cell::{Cell, parse};
use crate::tables::input::Input;
use crate::tables::select::Selection;
use crate::{DataError, Place};

/// Rows looked at to tell columns of numbers from others, for messages only.
const SAMPLE: usize = 100;
const BUFFER: usize = 1 << 16;

/// What the top of a text table says.
pub(crate) struct CsvTable {
    input: Arc<Input>,
    gzip: bool,
    header: bool,
    /// Lines end in two characters. The reader ends a record at the first and counts the line at the second, so
    /// records after the first one seem to start a line early.
    crlf: bool,
    pub(crate) names: Vec<String>,
    /// Names of columns that hold numbers in the first rows.
    numeric: Vec<String>,
}

impl CsvTable {
    pub(crate) fn open(input: Arc<Input>, gzip: bool, options: &ReadOptions) -> Result<Self, DataError> {
        let mut table =
            Self { input, gzip, header: !options.no_header, crlf: false, names: Vec::new(), numeric: Vec::new() };
        let mut reader = table.reader();
        let mut first = ByteRecord::new();
        let found = reader.read_byte_record(&mut first).map_err(|error| table.failed(error))?;
        if !found || first.iter().all(|cell| cell.trim_ascii().is_empty()) {
            return Err(DataError::Empty { name: table.input.name().into() });
        }
        table.check_first_row(&first, options.columns.is_some())?;
        let inner_lines = first.as_slice().iter().filter(|&&byte| byte == b'\n').count() as u64;
        table.crlf = reader.position().line() == 1 + inner_lines;
        table.names = if options.no_header {
            (1..=first.len()).map(|i| format!("c{i}")).collect()
        } else {
            let name = |cell: &[u8]| std::str::from_utf8(cell).map(|text| text.trim().to_string());
            first.iter().map(name).collect::<Result<_, _>>().map_err(|_| DataError::NotUtf8 { line: 1, hint: "" })?
        };
        let mut numbers = vec![true; first.len()];
        for record in reader.byte_records().take(SAMPLE).map_while(Result::ok) {
            for (numeric, cell) in numbers.iter_mut().zip(&record) {
                *numeric &= !matches!(parse(cell), Cell::Other(_));
            }
        }
        table.numeric = table.names.iter().zip(numbers).filter(|(_, n)| *n).map(|(name, _)| name.clone()).collect();
        Ok(table)
    }

    /// Recognises the usual tables that are not what they seem.
    fn check_first_row(&self, first: &ByteRecord, named: bool) -> Result<(), DataError> {
        let name = || self.input.name().to_string();
        if first.as_slice().starts_with(&[0xff, 0xfe]) || first.as_slice().starts_with(&[0xfe, 0xff]) {
            return Err(DataError::NotUtf8 { line: 1, hint: " (it seems to be UTF-16)" });
        }
        if self.gzip && first.as_slice().starts_with(b"PAR1") {
            return Err(DataError::PackedParquet { name: name() });
        }
        if first.len() == 1 {
            let marks = [(b';', "semicolons"), (b'\t', "tabs"), (b'|', "vertical bars")];
            if let Some((_, separator)) = marks.into_iter().find(|(mark, _)| first[0].contains(mark)) {
                return Err(DataError::Separator { name: name(), separator });
            }
        }
        // A number among the names: probably a record, which must not end up as names in a model or a message. Someone
        // who names columns knows what they are called.
        if self.header && !named && first.iter().any(|cell| matches!(parse(cell), Cell::Number(_))) {
            return Err(DataError::NoHeader { name: name() });
        }
        Ok(())
    }

    fn reader(&self) -> csv::Reader<Box<dyn Read>> {
        let raw = self.input.reader(0);
        let text: Box<dyn Read> = if self.gzip {
            Box::new(MultiGzDecoder::new(std::io::BufReader::with_capacity(BUFFER, raw)))
        } else {
            Box::new(raw)
        };
        csv::ReaderBuilder::new().has_headers(false).flexible(true).buffer_capacity(BUFFER).from_reader(text)
    }

    /// The reason without its text, which may hold part of a record.
    fn failed(&self, error: csv::Error) -> DataError {
        let name = self.input.name().to_string();
        match error.into_kind() {
            csv::ErrorKind::Io(source) => match source.kind() {
                std::io::ErrorKind::UnexpectedEof if self.gzip => DataError::Truncated { name, format: "gzip" },
                std::io::ErrorKind::InvalidInput | std::io::ErrorKind::InvalidData if self.gzip => {
                    DataError::Damaged { name, format: "gzip" }
                }
                _ => DataError::Io { name, source },
            },
            _ => DataError::Damaged { name, format: "CSV" },
        }
    }

    /// Starts a pass from the top.
    pub(crate) fn pass<'a>(&'a self, selection: &'a Selection) -> Result<CsvPass<'a>, DataError> {
        let mut pass = CsvPass { table: self, selection, reader: self.reader(), record: ByteRecord::new(), row: 0 };
        if self.header {
            pass.reader.read_byte_record(&mut pass.record).map_err(|error| self.failed(error))?;
        }
        Ok(pass)
    }
}

/// One pass over a text table.
pub(crate) struct CsvPass<'a> {
    table: &'a CsvTable,
    selection: &'a Selection,
    reader: csv::Reader<Box<dyn Read>>,
    record: ByteRecord,
    row: u64,
}

impl CsvPass<'_> {
    /// Appends up to `rows` rows to `batch`, missing values as NaN. Returns how many were read; zero is the end.
    pub(crate) fn fill(&mut self, batch: &mut Batch, rows: usize) -> Result<usize, DataError> {
        for filled in 0..rows {
            if !self.reader.read_byte_record(&mut self.record).map_err(|error| self.table.failed(error))? {
                return Ok(filled);
            }
            self.row += 1;
            let late = u64::from(self.table.crlf && (self.table.header || self.row > 1));
            let line = self.record.position().map(|position| position.line() + late);
            let place = Place { row: self.row, line };
            if self.record.len() != self.table.names.len() {
                return Err(DataError::Ragged {
                    line: line.unwrap_or(self.row),
                    found: self.record.len() as u64,
                    expected: self.table.names.len() as u64,
                });
            }
            for (&pick, column) in self.selection.picks.iter().zip(&mut batch.columns) {
                let cell = &self.record[pick];
                column.push(match parse(cell) {
                    Cell::Number(number) => number,
                    Cell::Missing => f64::NAN,
                    Cell::Other(_) if std::str::from_utf8(cell).is_err() => return Err(not_utf8(place)),
                    Cell::Other(look) => {
                        let (column, numeric) = (self.table.names[pick].clone(), self.table.numeric.clone());
                        return Err(DataError::NotANumber { place, column, look, numeric });
                    }
                });
            }
            if let (Some(at), Some(labels)) = (self.selection.label, &mut batch.labels) {
                let label = std::str::from_utf8(&self.record[at]).map_err(|_| not_utf8(place))?;
                labels.push(label.trim().to_string());
            }
            batch.places.push(place);
        }
        Ok(rows)
    }
}

fn not_utf8(place: Place) -> DataError {
    DataError::NotUtf8 { line: place.line.unwrap_or(place.row), hint: "" }
}
