//! Reports as text.

use std::io::{self, BufWriter, Write};

use crate::report_file::error::ReportFileError;
use crate::report_file::read::{Gathering, Part};
use crate::report_file::{END, KEY};
use shoal_files::ReleasedText;
use shoal_files::Seal;

/// Bytes of text handed on at a time.
const BUFFER: usize = 1 << 16;

/// A text file being written.
pub(super) struct CsvBody<W: Write> {
    out: BufWriter<W>,
    /// The line being made.
    line: Vec<u8>,
}

impl<W: Write> CsvBody<W> {
    pub(super) fn new(out: W, description: &str, columns: &[String]) -> io::Result<Self> {
        let mut out = BufWriter::with_capacity(BUFFER, out);
        writeln!(out, "# {KEY} {description}")?;
        out.write_all(&header(columns)?)?;
        Ok(Self { out, line: Vec::new() })
    }

    pub(super) fn append(&mut self, columns: &[Vec<i64>]) -> io::Result<()> {
        for row in 0..columns[0].len() {
            self.line.clear();
            for column in columns {
                push_number(&mut self.line, column[row]);
                self.line.push(b',');
            }
            self.line.pop();
            self.line.push(b'\n');
            self.out.write_all(&self.line)?;
        }
        Ok(())
    }

    pub(super) fn finish(mut self, seal: &Seal) -> io::Result<()> {
        writeln!(self.out, "# {END} {}", serde_json::to_string(seal)?)?;
        self.out.flush()
    }
}

/// Digits by hand: with the formatter of the language, writing took longer than all the rest.
fn push_number(text: &mut Vec<u8>, value: i64) {
    let (mut digits, mut at, mut rest) = ([0; 20], 20, value.unsigned_abs());
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if value < 0 {
        text.push(b'-');
    }
    text.extend_from_slice(&digits[at..]);
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

#[cfg(test)]
mod tests {
    use super::push_number;

    #[test]
    fn numbers_are_written_as_the_language_writes_them() {
        for value in [0, 7, -7, 10, 99, -100, 65_534, i64::MAX, i64::MIN] {
            let mut text = Vec::new();
            push_number(&mut text, value);
            assert_eq!(String::from_utf8(text).unwrap(), value.to_string());
        }
    }
}
