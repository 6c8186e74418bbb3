//! Quotes in a text table: an open one swallows the rows after it, so it is found before it does. So is a record that never
//! ends.
//!
//! The bytes pass through unchanged on their way to the CSV parser. A quote that opens a cell and is not closed on the same
//! line stops the pass at once, unless cells may span lines; one that is not closed at the end of the table always does. This
//! follows the parser's own rules: a quote opens a cell only as its first character, and two quotes inside a quoted cell are
//! one that belongs to its text.
//!
//! *Runtime.* A search for quotes and line ends in every buffer: 64 kB take a few microseconds, which the parser takes for
//! every kilobyte. Only from a quote on are single characters looked at.

use memchr::{memchr, memchr_iter, memchr3, memrchr2};
use std::io::{self, Read};

/// Bytes of a record beyond which a pass is stopped: the parser holds it in memory.
const LONGEST_RECORD: usize = 64 << 20;

/// Why a pass was stopped, inside the [`io::Error`] that stops it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum QuoteFault {
    /// A quoted cell goes on after the end of its line.
    #[error("a quoted cell that begins on line {line} spans lines")]
    SpansLines { line: u64 },
    /// The table ends inside a quoted cell.
    #[error("the quote of line {line} is not closed")]
    NotClosed { line: u64 },
    /// A record is longer than any table needs.
    #[error("the record of line {line} does not end")]
    TooLong { line: u64 },
}

impl QuoteFault {
    /// The fault inside an error, if it is one.
    pub(crate) fn of(error: &io::Error) -> Option<Self> {
        error.get_ref()?.downcast_ref().copied()
    }
}

/// Where the last byte left the parser.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// Before the first byte of the table.
    Start,
    /// A cell begins with the next byte.
    CellStart,
    /// In a cell without quotes, or behind the quotes of one.
    InCell,
    InQuotes,
    /// Behind a quote inside quotes: it closes them unless another one follows.
    QuoteInQuotes,
}

/// Lets bytes pass and stops at a quote that is left open.
pub(crate) struct CsvQuotes<R> {
    inner: R,
    multiline: bool,
    delimiter: u8,
    state: State,
    /// Line ends in all bytes before the current buffer: `\n`, and `\r` for tables that know no other.
    lines: [u64; 2],
    /// The line of the last quote that opened a cell.
    opened: u64,
    /// Bytes of the record that the last buffer ended in.
    held: usize,
}

impl<R: Read> CsvQuotes<R> {
    pub(crate) fn new(inner: R, multiline: bool, delimiter: u8) -> Self {
        Self { inner, multiline, delimiter, state: State::Start, lines: [0; 2], opened: 1, held: 0 }
    }

    /// Follows the parser through the next bytes.
    fn follow(&mut self, bytes: &[u8]) -> Result<(), QuoteFault> {
        let mut at = 0;
        // Where in these bytes the last quote opened a cell: its line is counted only where it matters.
        let mut opening = None;
        if self.state == State::Start {
            // The parser leaves out a mark of UTF-8 in the same place.
            at = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
            self.state = State::CellStart;
        }
        while at < bytes.len() {
            match self.state {
                State::Start | State::CellStart | State::InCell => {
                    let Some(quote) = next_quote(&bytes[at..]).map(|found| at + found) else {
                        let last = bytes[bytes.len() - 1];
                        self.state = if self.is_separator(last) { State::CellStart } else { State::InCell };
                        break;
                    };
                    let opens =
                        if quote == at { self.state == State::CellStart } else { self.is_separator(bytes[quote - 1]) };
                    self.state = State::InCell;
                    if opens {
                        (self.state, opening) = (State::InQuotes, Some(quote));
                    }
                    at = quote + 1;
                }
                State::InQuotes => {
                    let Some(found) = next_quote_or_end(&bytes[at..]).map(|found| at + found) else { break };
                    match bytes[found] {
                        // The usual end of a cell in one step.
                        b'"' if bytes.get(found + 1).is_some_and(|&next| self.is_separator(next)) => {
                            (self.state, at) = (State::CellStart, found + 2);
                            continue;
                        }
                        b'"' => self.state = State::QuoteInQuotes,
                        _ if self.multiline => {}
                        _ => return Err(QuoteFault::SpansLines { line: self.opened_on(bytes, opening) }),
                    }
                    at = found + 1;
                }
                State::QuoteInQuotes => {
                    self.state = match bytes[at] {
                        b'"' => State::InQuotes,
                        byte if self.is_separator(byte) => State::CellStart,
                        _ => State::InCell,
                    };
                    at += 1;
                }
            }
        }
        if matches!(self.state, State::InQuotes | State::QuoteInQuotes) {
            self.opened = self.opened_on(bytes, opening);
        }
        let inside = matches!(self.state, State::InQuotes | State::QuoteInQuotes);
        self.held = match memrchr2(b'\n', b'\r', bytes) {
            Some(end) if !inside => bytes.len() - end - 1,
            _ => self.held + bytes.len(),
        };
        let [newlines, returns] = line_ends(bytes);
        self.lines = [self.lines[0] + newlines, self.lines[1] + returns];
        match self.held > LONGEST_RECORD {
            true => {
                Err(QuoteFault::TooLong { line: 1 + if self.lines[0] > 0 { self.lines[0] } else { self.lines[1] } })
            }
            false => Ok(()),
        }
    }

    fn is_separator(&self, byte: u8) -> bool {
        byte == self.delimiter || matches!(byte, b'\n' | b'\r')
    }

    /// The line of the last quote that opened a cell, in the current buffer or before it.
    fn opened_on(&self, bytes: &[u8], opening: Option<usize>) -> u64 {
        let Some(quote) = opening else { return self.opened };
        let [newlines, returns] = line_ends(&bytes[..quote]);
        match self.lines[0] + newlines {
            0 => 1 + self.lines[1] + returns,
            newlines => 1 + newlines,
        }
    }
}

impl<R: Read> Read for CsvQuotes<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        let followed = match count {
            0 if !buffer.is_empty() && self.state == State::InQuotes => {
                Err(QuoteFault::NotClosed { line: self.opened })
            }
            _ => self.follow(&buffer[..count]),
        };
        followed.map_err(|fault| io::Error::new(io::ErrorKind::InvalidData, fault))?;
        Ok(count)
    }
}

/// Bytes that are looked at one by one: in most cells the search ends there, before a faster one has begun.
const NEAR: usize = 16;

fn next_quote(bytes: &[u8]) -> Option<usize> {
    let (near, far) = bytes.split_at(bytes.len().min(NEAR));
    near.iter().position(|&byte| byte == b'"').or_else(|| memchr(b'"', far).map(|found| near.len() + found))
}

fn next_quote_or_end(bytes: &[u8]) -> Option<usize> {
    let (near, far) = bytes.split_at(bytes.len().min(NEAR));
    let wanted = |&byte: &u8| matches!(byte, b'"' | b'\n' | b'\r');
    let found = || memchr3(b'"', b'\n', b'\r', far).map(|found| near.len() + found);
    near.iter().position(wanted).or_else(found)
}

/// How many `\n` and how many `\r` there are.
fn line_ends(bytes: &[u8]) -> [u64; 2] {
    [b'\n', b'\r'].map(|end| memchr_iter(end, bytes).count() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Passes `text` in pieces of `step` bytes.
    fn fault(text: &[u8], multiline: bool, step: usize) -> Option<QuoteFault> {
        let mut quotes = CsvQuotes::new(text, multiline, b',');
        let (mut buffer, mut passed) = (vec![0; step], Vec::new());
        loop {
            match quotes.read(&mut buffer) {
                Ok(0) => break assert_eq!(passed, text),
                Ok(count) => passed.extend_from_slice(&buffer[..count]),
                Err(error) => return Some(QuoteFault::of(&error).unwrap()),
            }
        }
        None
    }

    #[test]
    fn quotes_that_are_left_open_are_found_with_their_line() {
        use QuoteFault::{NotClosed, SpansLines};
        for (text, alone, multiline) in [
            ("a,b\n1,2\n3,\"Bob\n4,5\n", Some(SpansLines { line: 3 }), Some(NotClosed { line: 3 })),
            ("a,b\n1,\"x\ny\"\n", Some(SpansLines { line: 2 }), None),
            ("a,b\r\n1,\"x\r\ny\"\r\n", Some(SpansLines { line: 2 }), None),
            ("a,b\r1,\"x\ry\"\r", Some(SpansLines { line: 2 }), None),
            ("\"a\nb\",c\n1,2\n", Some(SpansLines { line: 1 }), None),
            ("\u{feff}\"a\nb\",c\n1,2\n", Some(SpansLines { line: 1 }), None),
            ("a\n1\n\"2", Some(NotClosed { line: 3 }), Some(NotClosed { line: 3 })),
            ("a\n\"", Some(NotClosed { line: 2 }), Some(NotClosed { line: 2 })),
            ("a\n\"x\"\"", Some(NotClosed { line: 2 }), Some(NotClosed { line: 2 })),
            ("a\n\n\n\"x\ny\" z\n", Some(SpansLines { line: 4 }), None),
            ("a,b\n\"x\",\"y \"\"z\"\"\"\n5\" pipe,\"\"\n", None, None),
            ("a,b\n\"x\" \"y\n1,2\n", None, None),
            ("", None, None),
            ("\"", Some(NotClosed { line: 1 }), Some(NotClosed { line: 1 })),
        ] {
            // A mark of UTF-8 that comes in pieces is text for the parser, too.
            let whole = text.len().max(1);
            let steps = if text.starts_with('\u{feff}') { vec![whole, 3, 4] } else { vec![whole, 1, 2, 3, 7] };
            for step in steps {
                assert_eq!(fault(text.as_bytes(), false, step), alone, "{text:?} by {step}");
                assert_eq!(fault(text.as_bytes(), true, step), multiline, "{text:?} by {step}");
            }
        }
    }

    #[test]
    fn a_record_that_never_ends_is_stopped() {
        let endless = |first: &'static [u8], multiline: bool| {
            let text = first.chain(io::repeat(b'x'));
            let mut quotes = CsvQuotes::new(text, multiline, b',');
            let mut buffer = vec![0; 1 << 20];
            let mut read = 0;
            loop {
                match quotes.read(&mut buffer) {
                    Ok(count) => read += count,
                    Err(error) => return (QuoteFault::of(&error).unwrap(), read),
                }
                assert!(read < 2 * LONGEST_RECORD);
            }
        };
        assert_eq!(endless(b"a\nb\n", false).0, QuoteFault::TooLong { line: 3 });
        assert_eq!(endless(b"", false).0, QuoteFault::TooLong { line: 1 });
        assert_eq!(endless(b"a\n\"b\n", true).0, QuoteFault::TooLong { line: 3 });
        let lines = b"1,2\n".repeat(LONGEST_RECORD / 2);
        assert_eq!(fault(&lines, false, 1 << 16), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        /// The parser itself is asked: a record with a line end in it spans lines, and a record that takes up what is added
        /// to the end had an open quote.
        #[test]
        fn the_parser_agrees(text in "[a\",\n\r]{0,14}", step in 1usize..6) {
            let records = |text: &str| {
                let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
                reader.records().map(|record| record.unwrap()).collect::<Vec<_>>()
            };
            let spans = |records: &[csv::StringRecord]| {
                records.iter().any(|record| record.iter().any(|cell| cell.contains(['\n', '\r'])))
            };
            let open = records(&format!("{text}\nend\n")).last().is_none_or(|last| last.len() != 1 || &last[0] != "end");
            let found = fault(text.as_bytes(), true, step);
            prop_assert_eq!(matches!(found, Some(QuoteFault::NotClosed { .. })), open);
            let found = fault(text.as_bytes(), false, step);
            prop_assert_eq!(found.is_some(), open || spans(&records(&text)));
        }
    }
}
