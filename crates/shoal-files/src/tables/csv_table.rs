//! Tables as text: CSV with any separator, plain or inside gzip or zstd, read from the top in each pass.

use csv::ByteRecord;
use std::io::Read;
use std::sync::Arc;

use crate::Batch;
use crate::ReadOptions;
use crate::tables::cell::{Cell, parse, text_of};
use crate::tables::csv_blank_lines::BlankLines;
use crate::tables::csv_piece::{FaultKind, Layout};
use crate::tables::csv_pieces::{CsvPieces, Stopped};
use crate::tables::csv_quotes::{CsvQuotes, QuoteFault};
use crate::tables::csv_separator::{first_line, separator};
use crate::tables::format::CellRules;
use crate::tables::input::Input;
use crate::tables::persons::names::NoMoment;
use crate::tables::select::Selection;
use crate::tables::unpack::{Packing, TooLong};
use crate::tables::utf16::{Utf16, Utf16Reader};
use crate::{ColumnRef, DataError, Place};

/// Rows looked at to tell columns of numbers from others, for messages only.
const SAMPLE: usize = 100;
const BUFFER: usize = 1 << 16;
/// Bytes in which the header line has to end for its separators to be counted.
const HEADER_BYTES: usize = 1 << 22;
/// The most columns of a table that has neither a header nor rows.
const MOST_WITHOUT_ROWS: usize = 1 << 16;

/// What the top of a text table says.
pub(crate) struct CsvTable {
    input: Arc<Input>,
    packing: Packing,
    unpacked_limit: u64,
    utf16: Option<Utf16>,
    delimiter: u8,
    /// How every cell is read.
    rules: CellRules,
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
    /// Opens a text. Its header line shows the separator, unless that is declared; no record does.
    pub(crate) fn open(input: Arc<Input>, packing: Packing, options: &ReadOptions) -> Result<Self, DataError> {
        Self::open_with(input, packing, options, SAMPLE)
    }

    /// [`Self::open`] without a look at any row below the header.
    pub(crate) fn open_head(input: Arc<Input>, packing: Packing, options: &ReadOptions) -> Result<Self, DataError> {
        Self::open_with(input, packing, options, 0)
    }

    /// The character between columns.
    pub(crate) fn delimiter(&self) -> u8 {
        self.delimiter
    }

    fn open_with(input: Arc<Input>, packing: Packing, options: &ReadOptions, sample: usize) -> Result<Self, DataError> {
        let mut table = Self {
            input,
            packing,
            unpacked_limit: options.format.unpacked_limit,
            utf16: None,
            delimiter: options.format.delimiter.unwrap_or(b','),
            rules: CellRules::default(),
            header: !options.no_header,
            crlf: false,
            multiline: options.multiline,
            names: Vec::new(),
            named: true,
            shown: Vec::new(),
            numeric: Vec::new(),
        };
        let mut start = Vec::with_capacity(4);
        table.text().and_then(|text| text.take(4).read_to_end(&mut start)).map_err(|error| table.unreadable(error))?;
        table.utf16 = Utf16::of(&start);
        table.check_start(&start)?;
        if table.header && options.format.delimiter.is_none() {
            table.delimiter = separator(&table.header_line()?);
        }
        table.rules = CellRules::of_text(&options.format, table.delimiter);
        let rules = table.rules;
        let mut reader = match sample {
            // Nothing after the header line may play a part.
            0 => table.parser(Box::new(std::io::Cursor::new(table.header_line()?))),
            _ => table.reader()?,
        };
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
            first.iter().map(|cell| text_of(cell).trim().to_string()).collect()
        };
        let mut below = vec![Below::default(); first.len()];
        for record in reader.byte_records().take(sample).map_while(Result::ok) {
            below.iter_mut().zip(&record).for_each(|(below, cell)| below.add(parse(cell, rules)));
        }
        let is_name =
            |(top, below): (&[u8], &Below)| matches!(parse(top, rules), Cell::Other(_)) && below.is_mostly_numbers();
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

    /// Refuses what is no text, by its first bytes.
    fn check_start(&self, start: &[u8]) -> Result<(), DataError> {
        let name = || self.input.name().to_string();
        let known = [
            (&b"PAR1"[..], "a Parquet file"),
            (b"ARRO", "an Arrow file"),
            (b"PK\x03\x04", "a workbook or zip archive"),
            (b"\xd0\xcf\x11\xe0", "an old Excel workbook (.xls) or one with a password"),
            (b"\xff\xff\xff\xff", "an Arrow stream"),
            (b"%PDF", "a PDF file"),
            (b"FEA1", "an old Feather file"),
            (b"SQLi", "an SQLite file"),
            (b"\x89HDF", "an HDF5 file"),
            (b"BZh", "a bzip2 archive"),
            (b"\xfd7zX", "an xz archive"),
            (b"7z\xbc\xaf", "a 7z archive"),
        ];
        match known.iter().find(|(magic, _)| start.starts_with(magic)) {
            Some((_, inside)) if self.packing != Packing::Plain => {
                Err(DataError::PackedTable { name: name(), packing: self.packing.name(), inside })
            }
            Some((_, found)) => Err(DataError::OtherFormat { name: name(), found }),
            None => Ok(()),
        }
    }

    /// The header line, or what there is of it.
    fn header_line(&self) -> Result<Vec<u8>, DataError> {
        let (mut text, mut start) = (self.text().map_err(|error| self.unreadable(error))?, Vec::new());
        while start.len() < HEADER_BYTES && first_line(&start).is_none() {
            let more = text.by_ref().take(start.len().max(1 << 12) as u64).read_to_end(&mut start);
            if more.map_err(|error| self.unreadable(error))? == 0 {
                break;
            }
        }
        Ok(first_line(&start).map(<[u8]>::to_vec).unwrap_or(start))
    }

    /// Recognises the usual tables that are not what they seem.
    fn check_first_row(&self, first: &ByteRecord, named: bool) -> Result<(), DataError> {
        let name = || self.input.name().to_string();
        if first.as_slice().iter().any(|byte| *byte < b' ' && !b"\t\n\r".contains(byte)) {
            return Err(DataError::NotUtf8 { line: 1, hint: " (it holds control characters)" });
        }
        if first.len() == 1 && !self.header {
            let marks = [(b';', "semicolons"), (b'\t', "tabs"), (b'|', "vertical bars")];
            if let Some((_, separator)) =
                marks.into_iter().find(|(mark, _)| *mark != self.delimiter && first[0].contains(mark))
            {
                return Err(DataError::Separator { name: name(), separator });
            }
        }
        // A number among the names, or nothing but words for missing values: probably a record, which must not end up as
        // names in a model or a message. Someone who names columns knows what they are called.
        let is_number = |cell: &[u8]| matches!(parse(cell, self.rules), Cell::Number(_));
        let is_gap = |cell: &[u8]| parse(cell, self.rules) == Cell::Missing;
        if self.header && !named && (first.iter().any(is_number) || first.iter().all(is_gap)) {
            return Err(DataError::NoHeader { name: name() });
        }
        Ok(())
    }

    /// The text as UTF-8, unpacked.
    fn text(&self) -> std::io::Result<Box<dyn Read>> {
        let text = self.packing.unpack(self.input.reader(0), self.unpacked_limit)?;
        Ok(match self.utf16 {
            Some(order) => Box::new(Utf16Reader::new(text, order)),
            None => text,
        })
    }

    fn reader(&self) -> Result<csv::Reader<Box<dyn Read>>, DataError> {
        Ok(self.parser(self.lines()?))
    }

    /// The text, with blank lines marked where they are rows. How many columns there are is known from the first record on.
    fn lines(&self) -> Result<Box<dyn Read>, DataError> {
        let text = self.text().map_err(|error| self.unreadable(error))?;
        Ok(match self.names.len() {
            1 => Box::new(BlankLines::new(text, self.header)),
            _ => text,
        })
    }

    /// The same without open quotes.
    fn checked_text(&self) -> Result<Box<dyn Read>, DataError> {
        Ok(self.checked(self.lines()?))
    }

    fn checked(&self, text: Box<dyn Read>) -> Box<dyn Read> {
        Box::new(CsvQuotes::new(text, self.multiline, self.delimiter))
    }

    fn parser(&self, text: Box<dyn Read>) -> csv::Reader<Box<dyn Read>> {
        let mut builder = csv::ReaderBuilder::new();
        let text = self.checked(text);
        builder.delimiter(self.delimiter).has_headers(false).flexible(true).buffer_capacity(BUFFER).from_reader(text)
    }

    /// The reason without its text, which may hold part of a record.
    fn failed(&self, error: csv::Error) -> DataError {
        match error.into_kind() {
            csv::ErrorKind::Io(source) => self.unreadable(source),
            _ => DataError::Damaged { name: self.input.name().into(), format: "CSV" },
        }
    }

    fn unreadable(&self, source: std::io::Error) -> DataError {
        match QuoteFault::of(&source) {
            Some(QuoteFault::SpansLines { line }) => return DataError::SpansLines { line },
            Some(QuoteFault::NotClosed { line }) => return DataError::OpenQuote { line },
            Some(QuoteFault::TooLong { line }) => return DataError::LongRecord { line },
            None => {}
        }
        let (name, packed) = (self.input.name().to_string(), self.packing != Packing::Plain);
        if let Some(TooLong { limit }) = TooLong::of(&source) {
            return DataError::Bomb { name, limit };
        }
        // The operating system's own errors have a number; those of a decoder do not.
        match source.kind() {
            _ if !packed || source.raw_os_error().is_some() => DataError::Io { name, source },
            std::io::ErrorKind::UnexpectedEof => DataError::Truncated { name, format: self.packing.name() },
            _ => DataError::Damaged { name, format: self.packing.name() },
        }
    }

    /// Starts a pass from the top.
    pub(crate) fn pass<'a>(&'a self, selection: &'a Selection) -> Result<CsvPass<'a>, DataError> {
        // Texts beside the numbers, and cells that span lines, are read record by record.
        let numbers_only =
            !self.multiline && selection.label.is_none() && selection.person.is_empty() && selection.kept.is_empty();
        let categories = (&selection.words[..], &selection.levels);
        let layout = Layout::new(self.delimiter, self.rules, self.names.len(), &selection.picks, categories)
            .filter(|_| numbers_only);
        if let Some(layout) = layout {
            return Ok(CsvPass::Pieces(self, CsvPieces::new(self.checked_text()?, layout, self.header)));
        }
        let mut pass = RecordPass { table: self, selection, reader: self.reader()?, record: ByteRecord::new(), row: 0 };
        if self.header {
            pass.reader.read_byte_record(&mut pass.record).map_err(|error| self.failed(error))?;
        }
        Ok(CsvPass::Records(pass))
    }

    /// About how many bytes a pass holds.
    pub(crate) fn pass_memory(&self, dims: usize) -> usize {
        (128 << 10) + dims * (32 << 10) + CsvPieces::<Box<dyn Read>>::memory(dims)
    }

    /// A row that is no row of numbers.
    fn faulty(&self, place: Place, kind: FaultKind) -> DataError {
        match kind {
            FaultKind::Ragged(found) => {
                let (line, expected) = (place.line.unwrap_or(place.row), self.names.len() as u64);
                DataError::Ragged { line, found, expected }
            }
            FaultKind::NotANumber(pick, look) => {
                let (column, numeric) = (self.shown[pick].clone(), self.numeric.clone());
                DataError::NotANumber { place, column, look, numeric }
            }
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
    reader: csv::Reader<Box<dyn Read>>,
    record: ByteRecord,
    row: u64,
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
            let line = self.record.position().map(|position| position.line() + late);
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
            if let (Some(at), Some(labels)) = (self.selection.label, &mut batch.labels) {
                labels.push(text_of(&self.record[at]).trim().to_string());
            }
            for ((&at, levels), codes) in
                self.selection.words.iter().zip(self.selection.levels.iter()).zip(&mut batch.codes)
            {
                codes.push(levels.code(&self.record[at]));
            }
            for (column, &at) in self.selection.kept.iter().enumerate() {
                let cell = &self.record[at];
                batch.kept.push(column, (!cell.is_empty()).then(|| text_of(cell).into_owned()));
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
