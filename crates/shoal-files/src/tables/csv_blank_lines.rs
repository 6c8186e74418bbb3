//! Blank lines of a table with one column: each is a row without a value.
//!
//! The CSV parser leaves blank lines out. Between the rows of several columns that is right; in a table of one column such a
//! line is how many programs write a missing value, and leaving it out would hide the gap. Here every blank line gets a pair
//! of quotes, which the parser reads as an empty cell.
//!
//! *Runtime.* Three searches in every buffer; only a buffer with a blank line is copied.

use memchr::memmem;
use std::io::{self, Read};

const BUFFER: usize = 1 << 16;

/// Bytes of a text table in which no line is blank.
pub(crate) struct BlankLines<R> {
    inner: R,
    /// Blank lines before the first line that is not belong to no row: the header comes first.
    header: bool,
    /// The last byte that came.
    last: Option<u8>,
    read: Vec<u8>,
    ready: Vec<u8>,
    /// Bytes of `ready` that have been handed on.
    taken: usize,
}

impl<R: Read> BlankLines<R> {
    /// The lines of `inner`; with a header, blank lines count after it.
    pub(crate) fn new(inner: R, header: bool) -> Self {
        Self { inner, header, last: None, read: vec![0; BUFFER], ready: Vec::new(), taken: 0 }
    }

    fn refill(&mut self) -> io::Result<()> {
        let count = self.inner.read(&mut self.read)?;
        let bytes = &self.read[..count];
        self.ready.clear();
        self.taken = 0;
        let begins_a_line = matches!(self.last, None | Some(b'\n' | b'\r'));
        let may_be_blank = begins_a_line && bytes.first().is_some_and(|byte| is_end(*byte));
        let blank = |ends: &[u8]| memmem::find(bytes, ends).is_some();
        if !may_be_blank && !blank(b"\n\n") && !blank(b"\n\r") && !blank(b"\r\r") {
            self.header &= bytes.is_empty();
            self.ready.extend_from_slice(bytes);
        } else {
            for &byte in bytes {
                let blank = match (self.last, byte) {
                    // The second half of one end.
                    (Some(b'\r'), b'\n') => false,
                    (None | Some(b'\n' | b'\r'), end) => is_end(end),
                    _ => false,
                };
                if blank && !self.header {
                    self.ready.extend_from_slice(b"\"\"");
                }
                self.header &= is_end(byte);
                self.ready.push(byte);
                self.last = Some(byte);
            }
        }
        self.last = bytes.last().copied().or(self.last);
        Ok(())
    }
}

impl<R: Read> Read for BlankLines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.taken == self.ready.len() {
            self.refill()?;
        }
        let rest = &self.ready[self.taken..];
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.taken += count;
        Ok(count)
    }
}

fn is_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hands out a few bytes at a time.
    struct Pieces<'a>(&'a [u8], usize);

    impl Read for Pieces<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = self.0.len().min(self.1).min(buffer.len());
            buffer[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    #[test]
    fn every_blank_line_after_the_header_becomes_an_empty_cell() {
        for (text, with_header, without) in [
            ("x\n1\n\n2\n", "x\n1\n\"\"\n2\n", "x\n1\n\"\"\n2\n"),
            ("x\r\n1\r\n\r\n2", "x\r\n1\r\n\"\"\r\n2", "x\r\n1\r\n\"\"\r\n2"),
            ("x\r1\r\r2\r", "x\r1\r\"\"\r2\r", "x\r1\r\"\"\r2\r"),
            ("\n\nx\n\n", "\n\nx\n\"\"\n", "\"\"\n\"\"\nx\n\"\"\n"),
            ("x\n\n\n", "x\n\"\"\n\"\"\n", "x\n\"\"\n\"\"\n"),
            ("x\n1\n", "x\n1\n", "x\n1\n"),
            ("", "", ""),
        ] {
            for (header, expected) in [(true, with_header), (false, without)] {
                for step in [1, 2, 3, 100] {
                    let mut found = String::new();
                    BlankLines::new(Pieces(text.as_bytes(), step), header).read_to_string(&mut found).unwrap();
                    assert_eq!(found, expected, "{text:?} by {step}");
                }
            }
        }
    }
}
