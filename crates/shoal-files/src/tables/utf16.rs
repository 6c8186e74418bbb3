//! UTF-16 text as UTF-8, on its way to the CSV parser: what "Unicode text" of a spreadsheet is.

use std::io::{self, Read};

/// The order of the two bytes of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Utf16 {
    LittleEndian,
    BigEndian,
}

impl Utf16 {
    /// Recognises UTF-16 by its mark, or by a first character that only UTF-16 has so: a letter with a zero byte.
    pub(crate) fn of(start: &[u8]) -> Option<Self> {
        match start {
            [0xff, 0xfe, ..] => Some(Self::LittleEndian),
            [0xfe, 0xff, ..] => Some(Self::BigEndian),
            [first, 0, second, 0, ..] if first.is_ascii_graphic() && second.is_ascii() => Some(Self::LittleEndian),
            [0, first, 0, second, ..] if first.is_ascii_graphic() && second.is_ascii() => Some(Self::BigEndian),
            _ => None,
        }
    }
}

const BUFFER: usize = 1 << 15;

/// Passes UTF-16 on as UTF-8. Units that are no character become the replacement character, which no number has.
pub(crate) struct Utf16Reader<R> {
    inner: R,
    order: Utf16,
    /// Bytes that came and are not decoded yet: half a unit, or half a pair of units.
    raw: Vec<u8>,
    ready: Vec<u8>,
    /// Bytes of `ready` that have been handed on.
    taken: usize,
    ended: bool,
}

impl<R: Read> Utf16Reader<R> {
    pub(crate) fn new(inner: R, order: Utf16) -> Self {
        Self { inner, order, raw: Vec::new(), ready: Vec::new(), taken: 0, ended: false }
    }

    fn refill(&mut self) -> io::Result<()> {
        let held = self.raw.len();
        self.raw.resize(held + BUFFER, 0);
        let count = self.inner.read(&mut self.raw[held..])?;
        self.raw.truncate(held + count);
        self.ended = count == 0;
        let unit = |pair: &[u8]| match self.order {
            Utf16::LittleEndian => u16::from_le_bytes([pair[0], pair[1]]),
            Utf16::BigEndian => u16::from_be_bytes([pair[0], pair[1]]),
        };
        let mut whole = self.raw.len() / 2 * 2;
        // A pair of units may have been cut in two.
        if !self.ended && whole >= 2 && (0xd800..0xdc00).contains(&unit(&self.raw[whole - 2..])) {
            whole -= 2;
        }
        self.ready.clear();
        self.taken = 0;
        let mut bytes = [0; 4];
        for decoded in char::decode_utf16(self.raw[..whole].chunks_exact(2).map(unit)) {
            let character = decoded.unwrap_or(char::REPLACEMENT_CHARACTER);
            self.ready.extend_from_slice(character.encode_utf8(&mut bytes).as_bytes());
        }
        self.raw.drain(..whole);
        if self.ended && !self.raw.is_empty() {
            self.raw.clear();
            self.ready.extend_from_slice("\u{fffd}".as_bytes());
        }
        Ok(())
    }
}

impl<R: Read> Read for Utf16Reader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.taken == self.ready.len() && !self.ended {
            self.refill()?;
        }
        let rest = &self.ready[self.taken..];
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.taken += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    struct Pieces<'a>(&'a [u8], usize);

    impl Read for Pieces<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = self.0.len().min(self.1).min(buffer.len());
            buffer[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    fn read(bytes: &[u8], order: Utf16, step: usize) -> String {
        let mut text = String::new();
        Utf16Reader::new(Pieces(bytes, step), order).read_to_string(&mut text).unwrap();
        text
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(text in any::<String>(), step in 1usize..9) {
            let units: Vec<u16> = text.encode_utf16().collect();
            let little: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
            let big: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
            prop_assert_eq!(read(&little, Utf16::LittleEndian, step), text.clone());
            prop_assert_eq!(read(&big, Utf16::BigEndian, step), text);
        }

        #[test]
        fn no_bytes_stop_it(bytes in prop::collection::vec(any::<u8>(), 0..40), step in 1usize..9) {
            read(&bytes, Utf16::LittleEndian, step);
        }
    }

    #[test]
    fn it_is_recognised_by_its_beginning() {
        assert_eq!(Utf16::of(b"\xff\xfea\0"), Some(Utf16::LittleEndian));
        assert_eq!(Utf16::of(b"\xfe\xff\0a"), Some(Utf16::BigEndian));
        assert_eq!(Utf16::of(b"a\0;\0"), Some(Utf16::LittleEndian));
        assert_eq!(Utf16::of(b"\0a\0;"), Some(Utf16::BigEndian));
        assert_eq!(Utf16::of(b"a,b\n"), None);
        assert_eq!(Utf16::of(b""), None);
    }
}
