//! Text tables inside gzip or zstd, unpacked while they are read and within a limit.
//!
//! Nothing of what is unpacked is held but a window (for zstd at most 128 MiB, which its decoder checks) and one record, so a
//! bomb takes time and no memory. The limit on its length is a number that the user gives, or a terabyte.

use flate2::read::MultiGzDecoder;
use std::io::{self, BufReader, Read};

use super::input::InputReader;

pub(crate) const GZIP: [u8; 2] = [0x1f, 0x8b];
pub(crate) const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

const BUFFER: usize = 1 << 16;

/// How a text table is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packing {
    Plain,
    Gzip,
    Zstd,
}

impl Packing {
    /// The packing by the first bytes of a file.
    pub(crate) fn of(start: &[u8]) -> Self {
        if start.starts_with(&GZIP) {
            Self::Gzip
        } else if start.starts_with(&ZSTD) {
            Self::Zstd
        } else {
            Self::Plain
        }
    }

    /// The name of the format in messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Plain => "CSV",
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
        }
    }

    /// The text inside.
    pub(crate) fn unpack(self, raw: InputReader, limit: u64) -> io::Result<Box<dyn Read>> {
        let buffered = |raw| BufReader::with_capacity(BUFFER, raw);
        Ok(match self {
            Self::Plain => Box::new(raw),
            Self::Gzip => Box::new(Limited { inner: MultiGzDecoder::new(buffered(raw)), left: limit, limit }),
            Self::Zstd => Box::new(Limited { inner: zstd::Decoder::with_buffer(buffered(raw))?, left: limit, limit }),
        })
    }
}

/// Why unpacking was stopped, inside the [`io::Error`] that stops it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("more than {limit} bytes come out")]
pub(crate) struct TooLong {
    pub(crate) limit: u64,
}

impl TooLong {
    /// The reason inside an error, if it is this one.
    pub(crate) fn of(error: &io::Error) -> Option<Self> {
        error.get_ref()?.downcast_ref().copied()
    }
}

struct Limited<R> {
    inner: R,
    left: u64,
    limit: u64,
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        match self.left.checked_sub(count as u64) {
            Some(left) => self.left = left,
            None => return Err(io::Error::new(io::ErrorKind::FileTooLarge, TooLong { limit: self.limit })),
        }
        Ok(count)
    }
}
