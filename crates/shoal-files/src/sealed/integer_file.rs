//! Sealed files with a column of whole numbers for each attribute, as Parquet or as text.
//!
//! The text form is CSV with the description in the first line and the seal in the last one, which other readers take for
//! comments. Text files that were joined end to end are read as one; those after the first may lack their description,
//! if it is the same, and then also the line of names.

use crate::Source;
use crate::sealed::content::{Content, Described};
use crate::sealed::error::SealedError;
use crate::sealed::released_file::{ReleasedFile, ReleasedText};
use crate::sealed::seal::{Seal, Sealing};
use crate::sealed::sealed_parquet::{STREAM_LIMIT, SealedParquet};

/// Rows of text that are sealed at a time.
const BATCH: usize = 4096;

/// A description of columns of whole numbers.
pub trait IntegerContent: Content {
    /// The names of the columns, one at least.
    fn columns(&self) -> &[String];
}

/// Reads a file and hands every sealed part of it, one for each file that was joined to it, to `each`: its description and
/// its columns, which are what was written.
///
/// # Errors
/// A file that cannot be read, is of another kind or version, is damaged or makes no sense; and what `each` refuses.
pub fn read_integers<C: IntegerContent, E: From<SealedError>>(
    source: Source,
    mut each: impl FnMut(Described<C>, Vec<Vec<i64>>) -> Result<(), E>,
) -> Result<(), E> {
    match ReleasedFile::open(source, STREAM_LIMIT).map_err(SealedError::from)? {
        ReleasedFile::Parquet(file) => {
            let file = SealedParquet::<C>::of(file)?;
            let described = file.described();
            let missing = "a column of whole numbers is missing";
            let column = |name: &String| file.integers(name, missing);
            let columns: Vec<Vec<i64>> = described.about.columns().iter().map(column).collect::<Result<_, _>>()?;
            let mut sealing = described.sealing();
            sealing.add_rows(&columns);
            let (described, _) = file.checked(sealing)?;
            each(described, columns)
        }
        ReleasedFile::Text(text) => read_text(text, &mut each),
    }
}

fn read_text<C: IntegerContent, E: From<SealedError>>(
    mut text: ReleasedText,
    each: &mut impl FnMut(Described<C>, Vec<Vec<i64>>) -> Result<(), E>,
) -> Result<(), E> {
    let (kind, name) = (C::KIND, text.name().to_string());
    let damaged = |why: String| SealedError::Damaged { kind, name: name.clone(), why };
    let other = |why: &str| SealedError::OtherKind { kind, name: name.clone(), why: why.into() };
    let mut line = Vec::new();
    let mut last: Option<String> = None;
    let mut open: Option<Part<C>> = None;
    let mut names_due = false;
    while text.next(&mut line).map_err(SealedError::from)? {
        let at = text.line();
        match &mut open {
            Some(part) if names_due => {
                if !is_header(&line, part.described.about.columns()) {
                    return Err(damaged(format!("line {at} does not have the names of its columns")).into());
                }
                names_due = false;
            }
            Some(part) => {
                if let Some(seal) = kind.end_key.and_then(|key| after(&line, key)) {
                    let seal = serde_json::from_slice(seal).map_err(|_| damaged(format!("line {at} is no seal")))?;
                    last = Some(part.described.text.clone());
                    // Unwrap safety: the part is there, and borrowed for the last time above.
                    let (described, columns) = open.take().unwrap().checked(&seal)?;
                    each(described, columns)?;
                } else if !part.push_line(&line) {
                    return Err(damaged(format!("line {at} is no {}", kind.row)).into());
                }
            }
            None if line.is_empty() && last.is_some() => {}
            None => {
                if let Some(description) = after(&line, kind.key) {
                    let description =
                        std::str::from_utf8(description).map_err(|_| damaged(format!("line {at} is not UTF-8")))?;
                    open = Some(Part::new(Described::parse(&name, description)?));
                    names_due = true;
                } else if let Some(same) = &last {
                    let mut part = Part::new(Described::<C>::parse(&name, same)?);
                    if !is_header(&line, part.described.about.columns()) && !part.push_line(&line) {
                        return Err(damaged(format!("line {at} is no {}", kind.row)).into());
                    }
                    open = Some(part);
                } else {
                    return Err(other("it is a table or text of something else").into());
                }
            }
        }
    }
    match (open, last) {
        (Some(_), _) => Err(damaged("it was cut off: its last line is missing".into()).into()),
        (None, None) => Err(other("it has no line of text").into()),
        (None, Some(_)) => Ok(()),
    }
}

/// The rows of a text file, whose seal is still to come.
struct Part<C: Content> {
    described: Described<C>,
    columns: Vec<Vec<i64>>,
    sealing: Sealing,
    /// Rows that are not yet in the seal.
    waiting: Vec<Vec<i64>>,
}

impl<C: IntegerContent> Part<C> {
    fn new(described: Described<C>) -> Self {
        let (columns, sealing) = (vec![Vec::new(); described.about.columns().len()], described.sealing());
        Self { described, waiting: columns.clone(), columns, sealing }
    }

    /// Adds a row from a line of text. False when it is none.
    fn push_line(&mut self, line: &[u8]) -> bool {
        let mut cells = line.split(|&byte| byte == b',');
        let number = |cell: &[u8]| std::str::from_utf8(cell).ok()?.parse::<i64>().ok();
        for column in &mut self.waiting {
            match cells.next().and_then(number) {
                Some(value) => column.push(value),
                None => return false,
            }
        }
        if self.waiting.first().is_some_and(|column| column.len() == BATCH) {
            self.seal_waiting();
        }
        cells.next().is_none()
    }

    fn seal_waiting(&mut self) {
        self.sealing.add_rows(&self.waiting);
        for (column, waiting) in self.columns.iter_mut().zip(&mut self.waiting) {
            column.append(waiting);
        }
    }

    fn checked(mut self, seal: &Seal) -> Result<(Described<C>, Vec<Vec<i64>>), SealedError> {
        self.seal_waiting();
        if self.sealing.finish() != *seal {
            return Err(self.described.damaged("its checksum does not fit"));
        }
        if seal.rows == 0 {
            return Err(SealedError::Empty { kind: C::KIND, name: self.described.name });
        }
        Ok((self.described, self.columns))
    }
}

/// What follows `# key ` in a line.
pub(crate) fn after<'a>(line: &'a [u8], key: &str) -> Option<&'a [u8]> {
    line.strip_prefix(b"# ")?.strip_prefix(key.as_bytes())?.strip_prefix(b" ")
}

fn is_header(line: &[u8], names: &[String]) -> bool {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(line);
    let mut record = csv::ByteRecord::new();
    matches!(reader.read_byte_record(&mut record), Ok(true))
        && record.iter().eq(names.iter().map(|name| name.as_bytes()))
}
