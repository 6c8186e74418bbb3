//! A text table in pieces of whole lines, which all threads read at once.
//!
//! Lines end records as long as no quoted cell spans lines, which [`super::csv_quotes`] makes sure of. So the text can be cut
//! behind any line end. Rows leave in the order in which they came, and the first fault is the one that is reported,
//! whatever the number of threads.

use std::collections::VecDeque;
use std::io::{self, Read};

use memchr::memrchr;
use rayon::prelude::*;

use super::csv_piece::{Fault, FaultKind, Layout, Piece};
use super::csv_separator::line_end;
use crate::{Batch, Place};

/// Bytes of a piece: large enough to keep a thread busy, small enough for its cache.
const PIECE: usize = 1 << 17;
/// Pieces for each thread that are in memory at once.
const PER_THREAD: usize = 2;

/// What ended a pass before the end of the text.
pub(crate) enum Stopped {
    Unreadable(io::Error),
    Faulty(Place, FaultKind),
}

/// A pass over the lines of `text`.
pub(crate) struct CsvPieces<R> {
    text: R,
    layout: Layout,
    /// Bytes of a piece, about.
    size: usize,
    /// The start of a line whose end has not come yet.
    rest: Vec<u8>,
    /// Nothing more comes from `text`.
    ended: bool,
    unreadable: Option<io::Error>,
    ready: VecDeque<Piece>,
    free: Vec<Piece>,
    /// Data rows and lines before the first piece that is ready.
    rows: u64,
    lines: u64,
}

impl<R: Read> CsvPieces<R> {
    /// The rows below a header, if there is one.
    pub(crate) fn new(text: R, layout: Layout, header: bool) -> Self {
        Self::of_size(PIECE, text, layout, header)
    }

    fn of_size(size: usize, text: R, layout: Layout, header: bool) -> Self {
        let mut pieces = Self {
            text,
            layout,
            size,
            rest: Vec::new(),
            ended: false,
            unreadable: None,
            ready: VecDeque::new(),
            free: Vec::new(),
            rows: 0,
            lines: 0,
        };
        pieces.skip_mark();
        pieces.layout.line_end = line_end(&pieces.rest);
        if header {
            pieces.skip_header();
        }
        pieces
    }

    /// About how many bytes a pass holds, for so many columns of numbers and of text.
    pub(crate) fn memory(columns: usize, texts: usize) -> usize {
        // At least two bytes of text for a number of eight; and a row's place. Texts are held twice.
        let rows = PIECE / (2 * (columns + texts).max(1));
        let text = if texts > 0 { PIECE } else { 0 };
        rayon::current_num_threads() * PER_THREAD * (PIECE + text + rows * (8 * columns + 4 * texts + 4))
    }

    /// Leaves out the mark of UTF-8 at the start.
    fn skip_mark(&mut self) {
        self.read_up_to(self.size.max(3));
        if self.rest.starts_with(b"\xef\xbb\xbf") {
            self.rest.drain(..3);
        }
    }

    /// Leaves out the first record, and the blank lines before it.
    fn skip_header(&mut self) {
        let mut wanted = self.size;
        loop {
            let mut at = 0;
            // A record ends at the first line end behind something.
            let start = self.rest.iter().position(|byte| !matches!(byte, b'\n' | b'\r'));
            if let Some(start) = start {
                let end = self.rest[start..].iter().position(|byte| matches!(byte, b'\n' | b'\r'));
                if let Some(end) = end.map(|end| start + end) {
                    at = end + 1;
                    // Both halves of one end; the second may not have come yet.
                    if self.rest[end] == b'\r' && at == self.rest.len() && !self.ended {
                        at = 0;
                    } else if self.rest[end] == b'\r' && self.rest.get(at) == Some(&b'\n') {
                        at += 1;
                    }
                }
            }
            if at > 0 || self.ended {
                let header = self.rest.drain(..if at > 0 { at } else { self.rest.len() });
                self.lines += memchr::memchr_iter(self.layout.line_end, header.as_slice()).count() as u64;
                return;
            }
            wanted += self.size;
            self.read_up_to(wanted);
        }
    }

    /// Reads until `rest` has so many bytes, or nothing more comes.
    fn read_up_to(&mut self, wanted: usize) {
        while self.rest.len() < wanted && !self.ended {
            let start = self.rest.len();
            self.rest.resize(wanted, 0);
            let read = self.text.read(&mut self.rest[start..]);
            self.rest.truncate(start + *read.as_ref().unwrap_or(&0));
            match read {
                Ok(0) => self.ended = true,
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => (self.ended, self.unreadable) = (true, Some(error)),
            }
        }
    }

    /// The next lines, whole.
    fn next_piece(&mut self) -> Option<Piece> {
        let mut wanted = self.size;
        let end = loop {
            self.read_up_to(wanted);
            let length = self.rest.len();
            if let Some(end) = memrchr(b'\n', &self.rest) {
                break end + 1;
            }
            if self.ended {
                // Of a line that could not be read to its end nothing counts.
                break if self.unreadable.is_some() { 0 } else { length };
            }
            // Tables that know no other line end; the last one may be the first half of two.
            if let Some(end) = memrchr(b'\r', &self.rest[..length.saturating_sub(1)]) {
                break end + 1;
            }
            wanted += self.size;
        };
        if end == 0 {
            return None;
        }
        let mut piece = self.free.pop().unwrap_or_default();
        piece.start(&self.rest[..end]);
        self.rest.drain(..end);
        Some(piece)
    }

    /// Reads and parses the next pieces.
    fn refill(&mut self) {
        let at_once = PER_THREAD * rayon::current_num_threads();
        let mut pieces: Vec<Piece> = std::iter::from_fn(|| self.next_piece()).take(at_once).collect();
        let layout = &self.layout;
        match &mut pieces[..] {
            [piece] => piece.parse(layout),
            pieces => pieces.par_iter_mut().for_each(|piece| piece.parse(layout)),
        }
        self.ready.extend(pieces);
    }

    /// Appends up to `rows` rows to `batch`, missing values as NaN. Returns how many; zero is the end.
    pub(crate) fn fill(&mut self, batch: &mut Batch, rows: usize) -> Result<usize, Stopped> {
        let mut filled = 0;
        while filled < rows {
            let Some(piece) = self.ready.front_mut() else {
                self.refill();
                if self.ready.is_empty() {
                    return self.unreadable.take().map_or(Ok(filled), |error| Err(Stopped::Unreadable(error)));
                }
                continue;
            };
            let taken = piece.take(rows - filled, batch, &self.layout, (self.rows, self.lines));
            filled += taken.map_err(|(place, kind)| Stopped::Faulty(place, kind))?;
            if filled == rows {
                break;
            }
            if let Some(Fault { line, kind }) = piece.fault.take() {
                let place = Place { row: self.rows + piece.rows() as u64 + 1, line: Some(self.lines + line) };
                return Err(Stopped::Faulty(place, kind));
            }
            self.rows += piece.rows() as u64;
            self.lines += piece.lines;
            self.free.extend(self.ready.pop_front());
        }
        Ok(filled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::cell::{Cell, parse};
    use crate::tables::csv_texts::TextColumns;
    use crate::tables::format::{CellRules, DecimalMark};
    use csv::ByteRecord;
    use proptest::prelude::*;

    const RULES: CellRules = CellRules { decimal: Some(DecimalMark::Point), dates: None };

    /// Rows, the lines that they are on, and what ended the pass.
    type Read = (Vec<[u64; 2]>, Vec<u64>, Option<(u64, FaultKind)>);

    fn in_pieces(text: &[u8], header: bool, size: usize, rows: usize) -> Read {
        let layout = Layout::new(b',', RULES, 2, &[1, 0], (&[], &std::sync::Arc::default()), TextColumns::default());
        let mut pieces = CsvPieces::of_size(size, text, layout, header);
        let (mut found, mut lines, mut stopped) = (Vec::new(), Vec::new(), None);
        loop {
            let mut batch = Batch::new(2, false);
            match pieces.fill(&mut batch, rows) {
                Ok(0) => break,
                Ok(count) => assert!(count == batch.rows() && count <= rows),
                Err(Stopped::Faulty(place, kind)) => stopped = Some((place.row, kind)),
                Err(Stopped::Unreadable(error)) => panic!("{error}"),
            }
            for (row, place) in batch.places.iter().enumerate() {
                assert_eq!(place.row, found.len() as u64 + 1);
                // The wanted columns come in the order in which they were asked for.
                found.push([1, 0].map(|at: usize| batch.columns[at][row].to_bits()));
                lines.push(place.line.unwrap());
            }
            if stopped.is_some() {
                break;
            }
        }
        (found, lines, stopped)
    }

    fn record_by_record(text: &[u8], header: bool) -> Read {
        let mut reader =
            csv::ReaderBuilder::new().has_headers(false).flexible(true).buffer_capacity(1 << 10).from_reader(text);
        let (mut found, mut stopped, mut record) = (Vec::new(), None, ByteRecord::new());
        let mut skip = header;
        'records: while reader.read_byte_record(&mut record).unwrap() {
            if std::mem::take(&mut skip) {
                continue;
            }
            let row = found.len() as u64 + 1;
            if record.len() != 2 {
                stopped = Some((row, FaultKind::Ragged(record.len() as u64)));
                break;
            }
            let mut numbers = [0; 2];
            for (at, number) in numbers.iter_mut().enumerate() {
                *number = match parse(&record[at], RULES) {
                    Cell::Number(number) => number.to_bits(),
                    Cell::Missing => f64::NAN.to_bits(),
                    Cell::Other(look) => {
                        stopped = Some((row, FaultKind::NotANumber(at, look)));
                        break 'records;
                    }
                };
            }
            found.push(numbers);
        }
        (found, Vec::new(), stopped)
    }

    fn line() -> impl Strategy<Value = String> {
        let cell = prop_oneof![
            12 => "-?[0-9]{1,4}(\\.[0-9]{1,3})?",
            2 => Just("\"7\"".to_string()),
            1 => Just("\"1,5\"".to_string()),
            1 => Just(String::new()),
            1 => Just("\u{feff}4".to_string()),
            1 => Just("word".to_string()),
        ];
        let cells = prop_oneof![20 => Just(2), 1 => 0..4_usize];
        let end = prop_oneof![10 => Just("\n"), 3 => Just("\r\n"), 1 => Just("\r"), 1 => Just("\n\n")];
        (cells, prop::collection::vec(cell, 3), end)
            .prop_map(|(count, cells, end)| cells[..count.min(3)].join(",") + end)
    }

    proptest! {
        /// Wherever the text is cut and however many rows are asked for, the rows and the first fault are those of the parser.
        #[test]
        fn pieces_are_the_records_of_the_parser(
            lines in prop::collection::vec(line(), 0..14),
            last in "[0-9]?(,[0-9])?",
            header: bool,
            size in 1..60_usize,
            rows in 1..7_usize,
        ) {
            let text = lines.concat() + &last;
            let (found, _, stopped) = in_pieces(text.as_bytes(), header, size, rows);
            let (expected, _, at) = record_by_record(text.as_bytes(), header);
            prop_assert_eq!(stopped, at, "{:?}", &text);
            // A batch that ends in a fault is not handed on.
            prop_assert_eq!(&found[..], &expected[..found.len()], "{:?}", &text);
            prop_assert!(stopped.is_some() || found.len() == expected.len(), "{:?}", &text);
        }

        /// Lines are counted as an editor does.
        #[test]
        fn rows_know_their_lines(blank in prop::collection::vec(0..3_usize, 1..9), end in 0..3_usize, quoted: bool, size in 1..40_usize) {
            let end = ["\n", "\r\n", "\r"][end];
            let (mut text, mut expected, mut line) = (format!("a,b{end}"), Vec::new(), 2);
            for blanks in blank {
                text += &end.repeat(blanks);
                line += blanks as u64;
                text += &format!("{},2{end}", if quoted { "\"1\"" } else { "1" });
                expected.push(line);
                line += 1;
            }
            // What ends a line is known from the start, which holds one and a half here.
            let (_, lines, stopped) = in_pieces(text.as_bytes(), true, size.max(6), 3);
            prop_assert!(stopped.is_none());
            prop_assert_eq!(lines, expected);
        }
    }
}
