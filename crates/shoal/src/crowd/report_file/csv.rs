//! Reports as text.

use std::io::{self, BufWriter, Write};

use super::read::{Gathering, Part};
use super::seal::Seal;
use super::{END, KEY, ReportFileError};
use crate::data::ReleasedText;

/// Bytes of text handed on at a time.
const BUFFER: usize = 1 << 16;

/// A text file being written.
pub(super) struct CsvBody<W: Write> {
    out: BufWriter<W>,
}

impl<W: Write> CsvBody<W> {
    pub(super) fn new(out: W, description: &str, columns: &[String]) -> io::Result<Self> {
        let mut out = BufWriter::with_capacity(BUFFER, out);
        writeln!(out, "# {KEY} {description}")?;
        out.write_all(&header(columns)?)?;
        Ok(Self { out })
    }

    pub(super) fn append(&mut self, columns: &[Vec<i64>]) -> io::Result<()> {
        for row in 0..columns[0].len() {
            for (i, column) in columns.iter().enumerate() {
                if i > 0 {
                    self.out.write_all(b",")?;
                }
                write!(self.out, "{}", column[row])?;
            }
            self.out.write_all(b"\n")?;
        }
        Ok(())
    }

    pub(super) fn finish(mut self, seal: &Seal) -> io::Result<()> {
        writeln!(self.out, "# {END} {}", serde_json::to_string(seal)?)?;
        self.out.flush()
    }
}

/// The line of names, with its end.
fn header(columns: &[String]) -> io::Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(columns)?;
    writer.into_inner().map_err(|error| io::Error::other(error.to_string()))
}

/// Reads a text file, which may be several that were joined end to end. Those after the first may lack their
/// description, when it is the same, and then also the line of names.
pub(super) fn read(mut text: ReleasedText, gathering: &mut Gathering) -> Result<(), ReportFileError> {
    let name = text.name().to_string();
    let damaged = |why: String| ReportFileError::Damaged { name: name.clone(), why };
    let mut line = Vec::new();
    let mut last: Option<String> = None;
    let mut open: Option<Part> = None;
    let mut names_due = false;
    while text.next(&mut line)? {
        let at = text.line();
        match &mut open {
            Some(part) if names_due => {
                if !is_header(&line, part.names()) {
                    return Err(damaged(format!("line {at} does not have the names of its columns")));
                }
                names_due = false;
            }
            Some(part) => {
                if let Some(seal) = after(&line, END) {
                    let seal = serde_json::from_slice(seal).map_err(|_| damaged(format!("line {at} is no seal")))?;
                    last = Some(part.text().to_string());
                    // Unwrap safety: the part is there, and borrowed for the last time above.
                    gathering.add(open.take().unwrap(), &seal)?;
                } else if !part.push_line(&line) {
                    return Err(damaged(format!("line {at} is no report")));
                }
            }
            None if line.is_empty() && last.is_some() => {}
            None => {
                if let Some(description) = after(&line, KEY) {
                    let description =
                        std::str::from_utf8(description).map_err(|_| damaged(format!("line {at} is not UTF-8")))?;
                    open = Some(Part::start(&name, description)?);
                    names_due = true;
                } else if let Some(same) = &last {
                    let mut part = Part::start(&name, same)?;
                    if !is_header(&line, part.names()) && !part.push_line(&line) {
                        return Err(damaged(format!("line {at} is no report")));
                    }
                    open = Some(part);
                } else {
                    let why = "it is a table or text of something else";
                    return Err(ReportFileError::NotReports { name, why });
                }
            }
        }
    }
    match (open, last) {
        (Some(_), _) => Err(damaged("it was cut off: its last line is missing".into())),
        (None, None) => Err(ReportFileError::NotReports { name, why: "it has no line of text" }),
        (None, Some(_)) => Ok(()),
    }
}

/// Whether a line of text begins a file of reports.
pub(super) fn is_start(line: &[u8]) -> bool {
    after(line, KEY).is_some()
}

/// What follows `# key ` in a line.
fn after<'a>(line: &'a [u8], key: &str) -> Option<&'a [u8]> {
    line.strip_prefix(b"# ")?.strip_prefix(key.as_bytes())?.strip_prefix(b" ")
}

fn is_header(line: &[u8], names: &[String]) -> bool {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(line);
    let mut record = csv::ByteRecord::new();
    matches!(reader.read_byte_record(&mut record), Ok(true))
        && record.iter().eq(names.iter().map(|name| name.as_bytes()))
}
