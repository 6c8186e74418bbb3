//! Large pages handed out in small pieces.
//!
//! The decoder keeps its page until it has the next one, so that two pages, a compressed page and a dictionary are in
//! memory at once, a megabyte each with the usual writers. A page of plain numbers without gaps can be cut anywhere:
//! the decoder gets copies of small pieces, and the page is gone before the next one is read.

use bytes::{Bytes, BytesMut};
use parquet::basic::Encoding;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::Result;

use crate::tables::parquet_pages::CheckedPages;

/// Values in a piece: 64 KB of doubles.
const PIECE: u32 = 8192;

/// Passes pages on, large plain ones in pieces.
pub(crate) struct SlicedPages {
    pages: CheckedPages,
    /// Bytes of a value, where all have the same.
    width: Option<usize>,
    nullable: bool,
    rest: Option<Rest>,
}

/// What is left of a page.
struct Rest {
    values: Bytes,
    count: u32,
}

impl SlicedPages {
    pub(crate) fn new(pages: CheckedPages, width: Option<usize>, nullable: bool) -> Self {
        Self { pages, width, nullable, rest: None }
    }

    /// The values of a page that can be cut, or nothing for any other page.
    fn values(&self, page: &Page) -> Option<Rest> {
        let width = self.width?;
        let Page::DataPage { buf, num_values, encoding: Encoding::PLAIN, def_level_encoding, .. } = page else {
            return None;
        };
        let levels = match (self.nullable, def_level_encoding) {
            (false, _) => 0,
            (true, Encoding::RLE) => 4 + length_if_no_gaps(buf, *num_values)?,
            (true, _) => return None,
        };
        let bytes = (*num_values as usize).checked_mul(width)?;
        let end = levels.checked_add(bytes).filter(|&end| end <= buf.len() && *num_values > PIECE)?;
        Some(Rest { values: buf.slice(levels..end), count: *num_values })
    }

    fn piece(&self, rest: &mut Rest) -> Page {
        let count = rest.count.min(PIECE);
        let bytes = rest.values.split_to(count as usize * self.width.unwrap_or(0));
        rest.count -= count;
        let mut buf = BytesMut::with_capacity(16 + bytes.len());
        if self.nullable {
            let run = run_of_ones(count);
            buf.extend_from_slice(&(run.len() as u32).to_le_bytes());
            buf.extend_from_slice(&run);
        }
        // A copy, because a part of the page would keep all of it.
        buf.extend_from_slice(&bytes);
        Page::DataPage {
            buf: buf.freeze(),
            num_values: count,
            encoding: Encoding::PLAIN,
            def_level_encoding: Encoding::RLE,
            rep_level_encoding: Encoding::RLE,
            statistics: None,
        }
    }
}

/// The marks for `count` values of which none is null, run-length encoded: the count with a zero bit, then the mark.
fn run_of_ones(count: u32) -> Vec<u8> {
    let mut header = u64::from(count) << 1;
    let mut bytes = Vec::with_capacity(7);
    while header >= 0x80 {
        bytes.push(header as u8 | 0x80);
        header >>= 7;
    }
    bytes.extend([header as u8, 1]);
    bytes
}

/// The length of the marks at the start of a page, if they are one run that says that no value is null.
fn length_if_no_gaps(buf: &[u8], count: u32) -> Option<usize> {
    let run = run_of_ones(count);
    let length = u32::from_le_bytes(buf.get(..4)?.try_into().ok()?) as usize;
    (length == run.len() && buf.get(4..4 + length)? == run.as_slice()).then_some(length)
}

impl PageReader for SlicedPages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        if let Some(mut rest) = self.rest.take().filter(|rest| rest.count > 0) {
            let piece = self.piece(&mut rest);
            self.rest = Some(rest);
            return Ok(Some(piece));
        }
        let Some(page) = self.pages.get_next_page()? else { return Ok(None) };
        match self.values(&page) {
            Some(mut rest) => {
                let piece = self.piece(&mut rest);
                self.rest = Some(rest);
                Ok(Some(piece))
            }
            None => Ok(Some(page)),
        }
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        // Asked only by a reader that skips rows, which ours never does.
        self.pages.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.pages.skip_next_page()
    }

    fn at_record_boundary(&mut self) -> Result<bool> {
        // Columns with lists are refused, so every value is a record.
        Ok(true)
    }
}

impl Iterator for SlicedPages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_written_as_a_count_and_a_mark() {
        assert_eq!(run_of_ones(1), [2, 1]);
        assert_eq!(run_of_ones(64), [0x80, 1, 1]);
        assert_eq!(run_of_ones(8192), [0x80, 0x80, 1, 1]);
    }

    #[test]
    fn only_marks_without_gaps_are_recognised() {
        let page = |marks: &[u8]| [&(marks.len() as u32).to_le_bytes()[..], marks, &[9; 64]].concat();
        assert_eq!(length_if_no_gaps(&page(&[0x80, 1, 1]), 64), Some(3));
        assert_eq!(length_if_no_gaps(&page(&[0x80, 1, 0]), 64), None, "all null");
        assert_eq!(length_if_no_gaps(&page(&[0x7e, 1]), 64), None, "one value too few");
        assert_eq!(length_if_no_gaps(&page(&[0x11, 0xff]), 64), None, "bit-packed");
        assert_eq!(length_if_no_gaps(&[3, 0, 0], 64), None, "cut off");
    }
}
