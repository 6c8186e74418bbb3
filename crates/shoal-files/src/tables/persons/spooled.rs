//! Rows of persons: in memory while they fit, and otherwise in a temporary file without a name.

use std::fs::File;
use std::io::{self, Write};
use std::marker::PhantomData;

use shoal_lattice::{LatticePoints, TILE};

use super::cell::Cell;
use crate::tables::input::read_at;

/// Bytes that go to or come from the file at a time.
const BUFFER: usize = 1 << 16;

/// Rows of `dims` values, one after the other. Sensitive.
pub(crate) struct Spooled<C> {
    file: File,
    dims: usize,
    rows: usize,
    buffer: Vec<u8>,
    cells: PhantomData<C>,
}

impl<C: Cell> Spooled<C> {
    pub(crate) fn new(dims: usize) -> io::Result<Self> {
        let buffer = Vec::with_capacity(BUFFER + dims * C::BYTES);
        Ok(Self { file: tempfile::tempfile()?, dims, rows: 0, buffer, cells: PhantomData })
    }

    pub(crate) fn push(&mut self, row: &[C]) -> io::Result<()> {
        row.iter().for_each(|x| x.put(&mut self.buffer));
        self.rows += 1;
        if self.buffer.len() >= BUFFER { self.flush() } else { Ok(()) }
    }

    /// Writes what is left. Before this the rows cannot be read.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.file.write_all(&self.buffer)?;
        self.buffer.clear();
        Ok(())
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Hands all rows to `f`, one at a time.
    pub(crate) fn for_each<E: From<io::Error>>(&self, mut f: impl FnMut(&[C]) -> Result<(), E>) -> Result<(), E> {
        let record = self.dims * C::BYTES;
        let mut bytes = vec![0; (BUFFER / record).max(1) * record];
        let mut row = vec![C::default(); self.dims];
        let (mut at, end) = (0, self.rows as u64 * record as u64);
        while at < end {
            let wanted = (end - at).min(bytes.len() as u64) as usize;
            read_exactly_at(&self.file, &mut bytes[..wanted], at)?;
            for record in bytes[..wanted].chunks_exact(record) {
                row.iter_mut().zip(record.chunks_exact(C::BYTES)).for_each(|(x, bytes)| *x = C::get(bytes));
                f(&row)?;
            }
            at += wanted as u64;
        }
        Ok(())
    }
}

fn read_exactly_at(file: &File, mut bytes: &mut [u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match read_at(file, bytes, at)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            count => {
                bytes = &mut bytes[count..];
                at += count as u64;
            }
        }
    }
    Ok(())
}

/// Points of persons that do not fit in memory, read again in each scan. Sensitive.
pub struct SpooledPoints {
    rows: Spooled<i16>,
    chunk_rows: usize,
}

impl SpooledPoints {
    pub(crate) fn new(rows: Spooled<i16>, chunk_rows: usize) -> Self {
        Self { rows, chunk_rows: (chunk_rows / TILE * TILE).max(TILE) }
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows.rows()
    }

    pub(crate) fn dims(&self) -> usize {
        self.rows.dims
    }

    pub(crate) fn for_each_chunk<E>(
        &self,
        failed: impl Fn(io::Error) -> E,
        mut f: impl FnMut(&LatticePoints) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut chunk = LatticePoints::with_capacity(self.dims(), self.chunk_rows.min(self.rows()));
        let read = self.rows.for_each(|row| {
            chunk.push_row(row);
            if chunk.rows() == self.chunk_rows {
                f(&chunk).map_err(Ended::Refused)?;
                chunk.clear();
            }
            Ok(())
        });
        match read {
            Ok(()) if chunk.rows() > 0 => f(&chunk),
            Ok(()) => Ok(()),
            Err(Ended::Refused(error)) => Err(error),
            Err(Ended::Unreadable(error)) => Err(failed(error)),
        }
    }
}

/// Why a pass ended early.
enum Ended<E> {
    Refused(E),
    Unreadable(io::Error),
}

impl<E> From<io::Error> for Ended<E> {
    fn from(error: io::Error) -> Self {
        Self::Unreadable(error)
    }
}
