//! Rows of persons for whom there is no room, on disk: in a temporary file without a name, parted by their hash.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

/// Parts of a spill: 64, by six bits of the hash.
const PARTS: usize = 64;
const BITS: u32 = 6;

/// Rows as bytes of equal length, in parts.
pub(crate) struct Spill {
    file: File,
    buffers: Vec<Vec<u8>>,
    /// Where the blocks of each part are, in the order in which they were written.
    blocks: Vec<Vec<(u64, u32)>>,
    written: u64,
    capacity: usize,
    depth: u32,
}

impl Spill {
    /// An empty spill at this depth, with `memory` bytes for buffers.
    pub(crate) fn new(depth: u32, memory: usize, record: usize) -> io::Result<Self> {
        let capacity = (memory / PARTS).clamp(1 << 10, 1 << 16) / record.max(1) * record.max(1);
        Ok(Self {
            file: tempfile::tempfile()?,
            buffers: vec![Vec::new(); PARTS],
            blocks: vec![Vec::new(); PARTS],
            written: 0,
            capacity: capacity.max(record),
            depth,
        })
    }

    /// The buffer that a record of this person is appended to, whole.
    pub(crate) fn record(&mut self, hash: u128, append: impl FnOnce(&mut Vec<u8>)) -> io::Result<()> {
        let part = part_of(hash, self.depth);
        append(&mut self.buffers[part]);
        if self.buffers[part].len() >= self.capacity { self.flush(part) } else { Ok(()) }
    }

    fn flush(&mut self, part: usize) -> io::Result<()> {
        let buffer = &mut self.buffers[part];
        if !buffer.is_empty() {
            self.file.write_all(buffer)?;
            self.blocks[part].push((self.written, buffer.len() as u32));
            self.written += buffer.len() as u64;
            buffer.clear();
        }
        Ok(())
    }

    /// Ends writing. The parts are in the order of the hashes in them.
    pub(crate) fn parts(mut self) -> io::Result<Parts> {
        for part in 0..PARTS {
            self.flush(part)?;
        }
        Ok(Parts { file: self.file, blocks: self.blocks })
    }
}

/// The part of a hash: its highest bits that the depths above have not used.
fn part_of(hash: u128, depth: u32) -> usize {
    (hash.checked_shl(depth * BITS).unwrap_or(0) >> (u128::BITS - BITS)) as usize
}

/// A spill that can be read.
pub(crate) struct Parts {
    file: File,
    blocks: Vec<Vec<(u64, u32)>>,
}

impl Parts {
    /// How many there are.
    pub(crate) const COUNT: usize = PARTS;

    /// Hands the blocks of a part to `f`, in the order in which they were written.
    pub(crate) fn read(&mut self, part: usize, mut f: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
        let mut bytes = Vec::new();
        for &(start, length) in &self.blocks[part] {
            bytes.resize(length as usize, 0);
            self.file.seek(SeekFrom::Start(start))?;
            self.file.read_exact(&mut bytes)?;
            f(&bytes)?;
        }
        Ok(())
    }

    pub(crate) fn is_empty(&self, part: usize) -> bool {
        self.blocks[part].is_empty()
    }
}
