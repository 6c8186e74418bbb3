//! Workbooks (.xlsx, .ods): the cells of one sheet, by `calamine`. A formula counts with the value that it had when the file
//! was saved; of merged cells the first one has the value and the others have none.
//!
//! *Memory.* The archive is unpacked once against a limit before anything in it is interpreted. Then only the selected columns
//! are held, eight bytes a cell; a sheet has at most 1,048,576 rows.

use calamine::{Data, Ods, OdsError, Reader, SheetType, SheetVisible, Xlsx, XlsxError};
use std::io::Read;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::cell::{Cell, parse};
use super::cell_date;
use super::format::CellRules;
use super::held::{Fault, HeldRows};
use super::input::{Input, SeekInput};
use super::select::Selection;
use crate::{ColumnRef, DataError, Place, ReadOptions};

pub(crate) const ZIP: [u8; 4] = *b"PK\x03\x04";

/// The most rows of a sheet, of any program.
const MOST_ROWS: u32 = 1 << 20;
/// The most columns.
const MOST_COLUMNS: u32 = 1 << 14;

/// A sheet with its header read.
pub(crate) struct Workbook {
    input: Arc<Input>,
    book: Book,
    sheet: String,
    rules: CellRules,
    header: bool,
    /// Row and first column of the first row that is not blank.
    corner: (u32, u32),
    pub(crate) names: Vec<String>,
    /// The names are those of columns, and not the cells of a record in place of a header.
    pub(crate) named: bool,
}

enum Book {
    Xlsx(Box<Xlsx<SeekInput>>),
    Ods(Box<Ods<SeekInput>>),
}

/// What a cell holds.
enum Value {
    Number(f64),
    Text(String),
    Missing,
}

impl Workbook {
    pub(crate) fn open(input: Arc<Input>, options: &ReadOptions) -> Result<Self, DataError> {
        let is_ods = check_archive(&input, options.format.unpacked_limit)?;
        let book = if is_ods {
            Book::Ods(Box::new(caught(&input, || Ods::new(SeekInput::new(Arc::clone(&input))))?))
        } else {
            Book::Xlsx(Box::new(caught(&input, || Xlsx::new(SeekInput::new(Arc::clone(&input))))?))
        };
        let sheet = chosen(&book, &input, options.format.sheet.as_deref())?;
        let mut workbook = Self {
            input,
            book,
            sheet,
            rules: CellRules::declared(&options.format),
            header: !options.no_header,
            corner: (0, 0),
            names: Vec::new(),
            named: true,
        };
        let first = workbook.first_row()?;
        let (Some(&(row, left, _)), Some(&(_, right, _))) = (first.first(), first.last()) else {
            return Err(DataError::Empty { name: workbook.input.name().into() });
        };
        workbook.corner = (row, left);
        workbook.names = vec![String::new(); (right - left) as usize + 1];
        let mut numbers = false;
        for (_, column, value) in first {
            let name = &mut workbook.names[(column - left) as usize];
            *name = match value {
                _ if options.no_header => String::new(),
                Value::Text(text) => text.trim().to_string(),
                Value::Number(number) => number.to_string(),
                Value::Missing => String::new(),
            };
            numbers |= matches!(parse(name.as_bytes(), workbook.rules), Cell::Number(_));
        }
        // A number among the names is probably part of a record, which must not end up as a name in a model or a message.
        // Someone who names columns knows what they are called.
        workbook.named = !numbers;
        if workbook.header && numbers && options.columns.is_none() {
            return Err(DataError::NoHeader { name: workbook.input.name().into() });
        }
        if options.no_header {
            let numbered = workbook.names.iter_mut().enumerate();
            numbered.for_each(|(i, name)| *name = format!("c{}", i + 1));
        }
        Ok(workbook)
    }

    /// The cells that are not blank of the first row that has any: row, column, value, from left to right.
    fn first_row(&mut self) -> Result<Vec<(u32, u32, Value)>, DataError> {
        let mut first: Vec<(u32, u32, Value)> = Vec::new();
        self.for_each_cell(|row, column, data| {
            let value = value(data);
            if first.first().is_some_and(|(first, ..)| *first != row) {
                return ControlFlow::Break(());
            }
            if !is_blank(&value) {
                first.push((row, column, value));
            }
            ControlFlow::Continue(())
        })?;
        first.sort_by_key(|(_, column, _)| *column);
        Ok(first)
    }

    /// Reads the selected columns.
    pub(crate) fn hold(&mut self, selection: &Selection, options: &ReadOptions) -> Result<HeldRows, DataError> {
        let (corner, width, rules) = (self.corner, self.names.len() as u32, self.rules);
        let first = corner.0 + u32::from(self.header);
        let shown: Vec<ColumnRef> =
            self.names.iter().enumerate().map(|(i, name)| options.column(i, name, self.named)).collect();
        let uses = |column: u32| selection.picks.iter().position(|&pick| pick == column as usize);
        let mut held = HeldRows::new(
            selection.picks.len(),
            selection.label.is_some(),
            selection.kept.len(),
            selection.words.len(),
        );
        let mut last = None;
        let mut ordered = true;
        self.for_each_cell(|row, column, data| {
            let value = value(data.clone());
            let inside = row >= first && (corner.1..corner.1 + width).contains(&column);
            if !inside || is_blank(&value) {
                return ControlFlow::Continue(());
            }
            if last != Some(row) {
                ordered &= last.is_none_or(|last| last < row);
                // Blank rows are no rows, but gaps in a table of one column.
                let gaps = if width == 1 { last.map_or(first, |last| last + 1)..row } else { row..row };
                for row in gaps.chain([row]) {
                    held.columns.iter_mut().for_each(|column| column.push(f64::NAN));
                    held.labels.iter_mut().for_each(|labels| labels.push(String::new()));
                    (0..selection.kept.len()).for_each(|kept| held.kept.push(kept, None));
                    held.codes.iter_mut().for_each(|codes| codes.push(f64::NAN));
                    let number = held.places.len() as u64 + 1;
                    held.places.push(Place { row: number, line: Some(u64::from(row) + 1) });
                }
                last = Some(row);
            }
            let (at, column) = (held.places.len() - 1, column - corner.1);
            if let (Some(labels), true) = (&mut held.labels, selection.label == Some(column as usize)) {
                labels[at] = match &value {
                    Value::Number(number) => number.to_string(),
                    Value::Text(text) => text.trim().to_string(),
                    Value::Missing => String::new(),
                };
            }
            for (word, _) in selection.words.iter().enumerate().filter(|(_, at)| **at == column as usize) {
                held.codes[word][at] = selection.levels[word].code_of(shown_as(&data).as_deref());
            }
            for (kept, _) in selection.kept.iter().enumerate().filter(|(_, at)| **at == column as usize) {
                held.kept.set(kept, at, shown_as(&data));
            }
            let Some(used) = uses(column) else { return ControlFlow::Continue(()) };
            let number = match value {
                Value::Number(number) => Ok(number),
                Value::Missing => Ok(f64::NAN),
                Value::Text(text) => match parse(text.as_bytes(), rules) {
                    Cell::Number(number) => Ok(number),
                    Cell::Missing => Ok(f64::NAN),
                    Cell::Other(look) => Err(look),
                },
            };
            match number {
                Ok(number) => held.columns[used][at] = number,
                Err(look) => {
                    held.fault.get_or_insert(Fault { row: at, column: shown[column as usize].clone(), look });
                }
            }
            ControlFlow::Continue(())
        })?;
        if ordered { Ok(held) } else { Err(self.damaged()) }
    }

    /// Hands every cell of the sheet to `f`, row by row, until it breaks off.
    fn for_each_cell(&mut self, mut f: impl FnMut(u32, u32, Data) -> ControlFlow<()>) -> Result<(), DataError> {
        let (input, sheet) = (&self.input, &self.sheet);
        let mut each = |row: u32, column: u32, value: Data| {
            if row >= MOST_ROWS || column >= MOST_COLUMNS { ControlFlow::Continue(()) } else { f(row, column, value) }
        };
        match &mut self.book {
            Book::Xlsx(book) => caught(input, || {
                let mut cells = book.worksheet_cells_reader(sheet)?;
                while let Some(cell) = cells.next_cell()? {
                    let (row, column) = cell.get_position();
                    if each(row, column, cell.get_value().clone().into()).is_break() {
                        break;
                    }
                }
                Ok::<(), XlsxError>(())
            }),
            Book::Ods(book) => caught(input, || {
                let range = book.worksheet_range(sheet)?;
                let (top, left) = range.start().unwrap_or((0, 0));
                for (row, column, cell) in range.used_cells() {
                    if each(top + row as u32, left + column as u32, cell.clone()).is_break() {
                        break;
                    }
                }
                Ok::<(), OdsError>(())
            }),
        }
    }

    fn damaged(&self) -> DataError {
        damaged(&self.input)
    }
}

/// The sheet asked for, or the only one that is not hidden.
fn chosen(book: &Book, input: &Input, asked: Option<&str>) -> Result<String, DataError> {
    let sheets = match book {
        Book::Xlsx(book) => book.sheets_metadata(),
        Book::Ods(book) => book.sheets_metadata(),
    };
    let of_cells = || sheets.iter().filter(|sheet| sheet.typ == SheetType::WorkSheet);
    let visible = || of_cells().filter(|sheet| sheet.visible == SheetVisible::Visible);
    let names = || of_cells().map(|sheet| sheet.name.clone()).collect();
    let name = || input.name().to_string();
    match asked {
        Some(asked) => match of_cells().find(|sheet| sheet.name == asked) {
            Some(sheet) => Ok(sheet.name.clone()),
            None => Err(DataError::UnknownSheet { name: name(), wanted: asked.into(), sheets: names() }),
        },
        None if visible().count() > 1 => Err(DataError::SeveralSheets { name: name(), sheets: names() }),
        None => visible().next().map(|sheet| sheet.name.clone()).ok_or_else(|| damaged(input)),
    }
}

/// Refuses an archive that unpacks to more than `limit` bytes, before anything in it is interpreted. True for the parts of an
/// open document.
fn check_archive(input: &Arc<Input>, limit: u64) -> Result<bool, DataError> {
    let unpacked = caught(input, || {
        let mut archive = zip::ZipArchive::new(SeekInput::new(Arc::clone(input)))?;
        let mut left = limit;
        for i in 0..archive.len() {
            let mut part = archive.by_index(i)?.take(left.saturating_add(1));
            let length = std::io::copy(&mut part, &mut std::io::sink())?;
            match left.checked_sub(length) {
                Some(rest) => left = rest,
                None => return Ok(None),
            }
        }
        Ok::<Option<bool>, zip::result::ZipError>(Some(archive.index_for_name("content.xml").is_some()))
    })?;
    unpacked.ok_or_else(|| DataError::Bomb { name: input.name().into(), limit })
}

fn damaged(input: &Input) -> DataError {
    DataError::Damaged { name: input.name().into(), format: ".xlsx or .ods" }
}

/// Runs the decoder. Its reasons may hold parts of the table, so they are not passed on; should it panic, the file is damaged.
fn caught<T, E>(input: &Input, decode: impl FnOnce() -> Result<T, E>) -> Result<T, DataError> {
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(decode)) {
        Ok(Ok(decoded)) => Ok(decoded),
        Ok(Err(_)) | Err(_) => Err(damaged(input)),
    }
}

fn is_blank(value: &Value) -> bool {
    match value {
        Value::Number(_) | Value::Missing => false,
        Value::Text(text) => text.trim().is_empty(),
    }
}

/// A cell as text tables have it: a date is its year with decimals, a time its hours, an error is a missing value.
fn value(data: Data) -> Value {
    match data {
        Data::Int(number) => Value::Number(number as f64),
        Data::Float(number) => Value::Number(number),
        Data::Bool(yes) => Value::Number(f64::from(u8::from(yes))),
        Data::String(text) => Value::Text(text),
        Data::DateTime(time) => {
            let days = time.as_f64();
            if !days.is_finite() {
                Value::Missing
            } else if time.is_duration() || (0.0..1.0).contains(&days) {
                Value::Number(days * 24.0)
            } else {
                let (year, month, day, hours, minutes, seconds, millis) = time.to_ymd_hms_milli();
                let seconds = f64::from(hours) * 3600.0 + f64::from(minutes) * 60.0 + f64::from(seconds);
                Value::Number(cell_date::of_calendar(
                    [year.into(), month.into(), day.into()],
                    seconds + f64::from(millis) / 1e3,
                ))
            }
        }
        // A time zone does not count, and everything else of ISO 8601 is what text tables have.
        Data::DateTimeIso(text) => Value::Text(text),
        Data::DurationIso(text) => hours(&text).map_or(Value::Text(text), Value::Number),
        Data::Error(_) => Value::Missing,
        Data::Empty => Value::Text(String::new()),
    }
}

/// A cell as people see it: numbers in digits, dates and times as ISO 8601 has them.
fn shown_as(data: &Data) -> Option<String> {
    match data {
        Data::Int(number) => Some(number.to_string()),
        Data::Float(number) => Some(number.to_string()),
        Data::Bool(yes) => Some(yes.to_string()),
        Data::String(text) | Data::DateTimeIso(text) | Data::DurationIso(text) => Some(text.clone()),
        Data::DateTime(time) if time.is_duration() || (0.0..1.0).contains(&time.as_f64()) => {
            Some(cell_date::clock((time.as_f64() * 86_400.0).round() as i64, 0))
        }
        Data::DateTime(time) => {
            let (year, month, day, hours, minutes, seconds, millis) = time.to_ymd_hms_milli();
            let date = format!("{year:04}-{month:02}-{day:02}");
            let of_day = (i64::from(hours) * 60 + i64::from(minutes)) * 60 + i64::from(seconds);
            let midnight = of_day == 0 && millis == 0;
            let time = || cell_date::clock(of_day, u32::from(millis) * 1_000_000);
            Some(if midnight { date } else { format!("{date}T{}", time()) })
        }
        Data::Error(_) | Data::Empty => None,
    }
}

/// The hours of `PT08H30M00S`.
fn hours(text: &str) -> Option<f64> {
    let mut rest = text.strip_prefix("PT")?;
    let mut hours = 0.0;
    while !rest.is_empty() {
        let end = rest.find(|c: char| c.is_ascii_alphabetic())?;
        let number: f64 = rest[..end].parse().ok()?;
        hours += match &rest[end..=end] {
            "H" => number,
            "M" => number / 60.0,
            "S" => number / 3600.0,
            _ => return None,
        };
        rest = &rest[end + 1..];
    }
    Some(hours)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_hours() {
        assert_eq!(hours("PT08H30M00S"), Some(8.5));
        assert_eq!(hours("PT36S"), Some(0.01));
        for text in ["", "P1D", "PT8", "PTH", "PT1X", "PTé"] {
            assert_eq!(hours(text), None, "{text}");
        }
    }
}
