//! The checksum of codes, in the making.

use shoal_files::Seal;

/// A seal in the making.
pub(super) struct Sealing {
    crc: flate2::Crc,
    rows: u64,
    /// Words of a code, and its bytes in the file.
    words: usize,
    bytes: usize,
}

impl Sealing {
    pub(super) fn new(description: &str, words: usize, bytes: usize) -> Self {
        let mut crc = flate2::Crc::new();
        crc.update(description.as_bytes());
        Self { crc, rows: 0, words, bytes }
    }

    /// Adds a row: its name, where it has one, as length and text, then every code's bytes.
    pub(super) fn add(&mut self, id: Option<&str>, record: &[u64]) {
        if let Some(id) = id {
            self.crc.update(&(id.len() as u64).to_le_bytes());
            self.crc.update(id.as_bytes());
        }
        let mut buffer = [0; 512];
        for code in record.chunks_exact(self.words) {
            let mut left = self.bytes;
            for words in code.chunks(buffer.len() / 8) {
                for (bytes, word) in buffer.chunks_exact_mut(8).zip(words) {
                    bytes.copy_from_slice(&word.to_le_bytes());
                }
                let part = left.min(8 * words.len());
                self.crc.update(&buffer[..part]);
                left -= part;
            }
        }
        self.rows += 1;
    }

    /// The seal of all that was added.
    pub(super) fn finish(self) -> Seal {
        Seal::new(self.crc, self.rows)
    }
}
