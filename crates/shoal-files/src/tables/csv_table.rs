//! Tables as text: CSV with any separator, plain or inside gzip or zstd, read from the top in each pass.

use csv::ByteRecord;
use std::io::Read;
use std::sync::Arc;

use crate::ReadOptions;
use crate::tables::cell::{Cell, parse, text_of};
use crate::tables::csv_blank_lines::BlankLines;
use crate::tables::csv_quotes::{CsvQuotes, QuoteFault};
use crate::tables::csv_separator::{first_line, separator};
use crate::tables::format::CellRules;
use crate::tables::input::Input;
use crate::tables::unpack::{Packing, TooLong};
use crate::tables::utf16::{Utf16, Utf16Reader};
use crate::{ColumnRef, DataError};

/// Rows looked at to tell columns of numbers from others, for messages only.
const SAMPLE: usize = 100;
pub(super) const BUFFER: usize = 1 << 16;
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
    pub(super) delimiter: u8,
    /// How every cell is read.
    pub(super) rules: CellRules,
    pub(super) header: bool,
    /// Lines end in two characters. The reader ends a record at the first and counts the line at the second, so
    /// records after the first one seem to start a line early.
    pub(super) crlf: bool,
    /// Quoted cells may span lines.
    pub(super) multiline: bool,
    pub(crate) names: Vec<String>,
    /// The names are those of columns, and not the cells of a record in place of a header.
    pub(crate) named: bool,
    /// How messages refer to the columns.
    pub(super) shown: Vec<ColumnRef>,
    /// Names of columns that hold numbers in the first rows; none where the names may be a record's cells.
    pub(super) numeric: Vec<String>,
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
    pub(super) fn text(&self) -> std::io::Result<Box<dyn Read>> {
        let text = self.packing.unpack(self.input.reader(0), self.unpacked_limit)?;
        Ok(match self.utf16 {
            Some(order) => Box::new(Utf16Reader::new(text, order)),
            None => text,
        })
    }

    pub(super) fn reader(&self) -> Result<csv::Reader<Box<dyn Read>>, DataError> {
        Ok(self.parser(self.lines()?))
    }

    /// The text, with blank lines marked where they are rows. How many columns there are is known from the first record on.
    pub(super) fn lines(&self) -> Result<Box<dyn Read>, DataError> {
        let text = self.text().map_err(|error| self.unreadable(error))?;
        Ok(match self.names.len() {
            1 => Box::new(BlankLines::new(text, self.header)),
            _ => text,
        })
    }

    /// The same without open quotes.
    pub(super) fn checked_text(&self) -> Result<Box<dyn Read>, DataError> {
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
    pub(super) fn failed(&self, error: csv::Error) -> DataError {
        match error.into_kind() {
            csv::ErrorKind::Io(source) => self.unreadable(source),
            _ => DataError::Damaged { name: self.input.name().into(), format: "CSV" },
        }
    }

    pub(super) fn unreadable(&self, source: std::io::Error) -> DataError {
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
