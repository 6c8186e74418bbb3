//! The checksum of reports, in the making.

use shoal_files::Seal;

/// Rows brought into their order at a time.
const ROWS: usize = 1024;

/// A seal in the making.
pub(super) struct Sealing {
    crc: flate2::Crc,
    rows: u64,
    bytes: Vec<u8>,
}

impl Sealing {
    pub(super) fn new(description: &str) -> Self {
        let mut crc = flate2::Crc::new();
        crc.update(description.as_bytes());
        Self { crc, rows: 0, bytes: Vec::new() }
    }

    /// Adds reports: the same for the same rows, however they come in pieces.
    pub(super) fn add(&mut self, columns: &[Vec<i64>]) {
        let (rows, width) = (columns.first().map_or(0, Vec::len), 8 * columns.len());
        for start in (0..rows).step_by(ROWS) {
            let part = start..(start + ROWS).min(rows);
            self.bytes.resize(part.len() * width, 0);
            for (i, column) in columns.iter().enumerate() {
                for (row, value) in self.bytes.chunks_exact_mut(width).zip(&column[part.clone()]) {
                    row[8 * i..8 * (i + 1)].copy_from_slice(&value.to_le_bytes());
                }
            }
            self.crc.update(&self.bytes);
        }
        self.rows += rows as u64;
    }

    /// The seal of all that was added.
    pub(super) fn finish(self) -> Seal {
        Seal::new(self.crc, self.rows)
    }
}
