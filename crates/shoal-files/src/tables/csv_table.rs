//! Tables as text: CSV, plain or inside gzip, read from the top in each pass.

use csv::ByteRecord;
use flate2::read::MultiGzDecoder;
use std::io::Read;
use std::sync::Arc;

use crate::Batch;
use crate::ReadOptions;
use crate::tables::cell::{Cell, parse};
use crate::tables::csv_blank_lines::BlankLines;
use crate::tables::csv_quotes::{CsvQuotes, QuoteFault};
use crate::tables::input::Input;
use crate::tables::persons::names::NoMoment;
use crate::tables::select::Selection;
use crate::{ColumnRef, DataError, Place};

/// Rows looked at to tell columns of numbers from others, for messages only.
const SAMPLE: usize = 100;
const BUFFER: usize = 1 << 16;
/// The most columns of a table that has neither a header nor rows.
const MOST_WITHOUT_ROWS: usize = 1 << 16;

/// What the top of a text table says.
pub(crate) struct CsvTable {
    input: Arc<Input>,
    gzip: bool,
    header: bool,
    /// Lines end in two characters. The reader ends a record at the first and counts the line at the second, so
    /// records after the first one seem to start a line early.
    crlf: bool,
    /// Quoted cells may span lines.
    multiline: bool,
    pub(crate) names: Vec<String>,
    /// The names are those of columns, and not the cells of a record in place of a header.
    pub(crate) named: bool,
    /// How messages refer to the columns.
    shown: Vec<ColumnRef>,
    /// Names of columns that hold numbers in the first rows; none where the names may be a record's cells.
    numeric: Vec<String>,
}

impl CsvTable {
    pub(crate) fn open(input: Arc<Input>, gzip: bool, options: &ReadOptions) -> Result<Self, DataError> {
        let mut table = Self {
            input,
            gzip,
            header: !options.no_header,
            crlf: false,
            multiline: options.multiline,
            names: Vec::new(),
            named: true,
            shown: Vec::new(),
            numeric: Vec::new(),
        };
        let mut reader = table.reader();
        let mut first = ByteRecord::new();
        let found = reader.read_byte_record(&mut first).map_err(|error| table.failed(error))?;
        if !found || first.iter().all(|cell| cell.trim_ascii().is_empty()) {
            return match columns_without_rows(options).filter(|_| !found) {
                Some(names) => Ok(table.called(names, options)),
                None => Err(DataError::Empty { name: table.input.name().into() }),
            };
        }
        table.check_first_row(&first, options.columns.is_some())?;
        let inner_lines = first.as_slice().iter().filter(|&&byte| byte == b'\n').count() as u64;
        table.crlf = reader.position().line() == 1 + inner_lines;
        let names = if options.no_header {
            numbered(first.len())
        } else {
            let name = |cell: &[u8]| std::str::from_utf8(cell).map(|text| text.trim().to_string());
            first.iter().map(name).collect::<Result<_, _>>().map_err(|_| DataError::NotUtf8 { line: 1, hint: "" })?
        };
        let mut below = vec![Below::default(); first.len()];
        for record in reader.byte_records().take(SAMPLE).map_while(Result::ok) {
            below.iter_mut().zip(&record).for_each(|(below, cell)| below.add(parse(cell)));
        }
        let is_name = |(top, below): (&[u8], &Below)| matches!(parse(top), Cell::Other(_)) && below.is_mostly_numbers();
        table.named = options.no_header || first.iter().zip(&below).any(is_name);
        if table.named {
            let numeric = names.iter().zip(&below).filter(|(_, below)| below.others == 0);
            table.numeric = numeric.map(|(name, _)| name.clone()).collect();
        }
        Ok(table.called(names, options))
    }

    fn called(self, names: Vec<String>, options: &ReadOptions) -> Self {
        let shown = names.iter().enumerate().map(|(place, name)| options.column(place, name, self.named)).collect();
        Self { names, shown, ..self }
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
        // A number among the names, or nothing but words for missing values: probably a record, which must not end up as
        // names in a model or a message. Someone who names columns knows what they are called.
        let is_number = |cell: &[u8]| matches!(parse(cell), Cell::Number(_));
        let is_gap = |cell: &[u8]| parse(cell) == Cell::Missing;
        if self.header && !named && (first.iter().any(is_number) || first.iter().all(is_gap)) {
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
        // How many columns there are is known from the first record on.
        let text = match self.names.len() {
            1 => Box::new(BlankLines::new(text, self.header)),
            _ => text,
        };
        let text: Box<dyn Read> = Box::new(CsvQuotes::new(text, self.multiline));
        csv::ReaderBuilder::new().has_headers(false).flexible(true).buffer_capacity(BUFFER).from_reader(text)
    }

    /// The reason without its text, which may hold part of a record.
    fn failed(&self, error: csv::Error) -> DataError {
        let name = self.input.name().to_string();
        let fault = match error.kind() {
            csv::ErrorKind::Io(source) => QuoteFault::of(source),
            _ => None,
        };
        match fault {
            Some(QuoteFault::SpansLines { line }) => return DataError::SpansLines { line },
            Some(QuoteFault::NotClosed { line }) => return DataError::OpenQuote { line },
            None => {}
        }
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
                        let (column, numeric) = (self.table.shown[pick].clone(), self.table.numeric.clone());
                        return Err(DataError::NotANumber { place, column, look, numeric });
                    }
                });
            }
            if let (Some(at), Some(labels)) = (self.selection.label, &mut batch.labels) {
                let label = std::str::from_utf8(&self.record[at]).map_err(|_| not_utf8(place))?;
                labels.push(label.trim().to_string());
            }
            if let Some(names) = &mut batch.names {
                self.selection.person.iter().for_each(|&at| names.push_part(&self.record[at]));
                names.end_row();
                if let Some(at) = self.selection.order {
                    let column = || self.table.shown[at].clone();
                    let pushed = names.push_moment_text(&self.record[at]);
                    pushed.map_err(|NoMoment| DataError::NoMoment { place, column: column() })?;
                }
            }
            batch.places.push(place);
        }
        Ok(rows)
    }
}

/// What the rows below the first one hold in a column.
#[derive(Clone, Copy, Default)]
struct Below {
    numbers: usize,
    others: usize,
}

impl Below {
    fn add(&mut self, cell: Cell) {
        match cell {
            Cell::Number(_) => self.numbers += 1,
            Cell::Missing => {}
            Cell::Other(_) => self.others += 1,
        }
    }

    /// Text above it is a name then: as a cell it would be the odd one out.
    fn is_mostly_numbers(&self) -> bool {
        self.numbers > self.others
    }
}

/// `c1`, `c2`, and so on.
fn numbered(columns: usize) -> Vec<String> {
    (1..=columns).map(|i| format!("c{i}")).collect()
}

/// The columns of a table that has neither a header nor rows: those that are asked for, where that is allowed.
fn columns_without_rows(options: &ReadOptions) -> Option<Vec<String>> {
    let asked = options.columns.as_ref().filter(|_| options.no_header && options.allow_empty)?;
    let number = |name: &String| name.strip_prefix('c')?.parse::<usize>().ok().filter(|&number| number > 0);
    let numbers = asked.iter().map(number).collect::<Option<Vec<usize>>>()?;
    Some(numbered(numbers.into_iter().max().filter(|&most| most <= MOST_WITHOUT_ROWS)?))
}

fn not_utf8(place: Place) -> DataError {
    DataError::NotUtf8 { line: place.line.unwrap_or(place.row), hint: "" }
}
