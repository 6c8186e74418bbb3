//! What protects a released file against damage: the number of its rows, and a checksum of all that was written.
//!
//! A seal detects accidents, not forgery: anyone can compute one. So what a file guarantees is never taken from the file
//! alone; each room computes it again from the description.

use serde::{Deserialize, Serialize};

use crate::sealed::kinds::SealForm;

/// The number of rows and the CRC-32 of the description and the rows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seal {
    /// Rows of the file.
    pub rows: u64,
    /// Eight hexadecimal digits.
    pub crc32: String,
}

impl Seal {
    /// The seal as it stands in a file.
    pub(crate) fn to_text(&self, form: SealForm) -> serde_json::Result<String> {
        match form {
            SealForm::RowsAndChecksum => serde_json::to_string(self),
            SealForm::Checksum => Ok(self.crc32.clone()),
        }
    }

    /// The seal of a file with `rows` rows, or nothing when the text is none.
    pub(crate) fn parse(text: &str, form: SealForm, rows: u64) -> Option<Self> {
        match form {
            SealForm::RowsAndChecksum => serde_json::from_str(text).ok(),
            SealForm::Checksum => Some(Self { rows, crc32: text.into() }),
        }
    }
}

/// Rows brought into their order at a time.
const ROWS: usize = 1024;

/// A seal that is being computed.
pub struct Sealing {
    form: SealForm,
    crc: flate2::Crc,
    rows: u64,
    bytes: Vec<u8>,
}

impl Sealing {
    /// A seal that begins with the description of a file.
    pub fn new(form: SealForm, description: &str) -> Self {
        let mut crc = flate2::Crc::new();
        crc.update(description.as_bytes());
        Self { form, crc, rows: 0, bytes: Vec::new() }
    }

    /// Adds bytes of a row.
    pub fn add(&mut self, bytes: &[u8]) {
        self.crc.update(bytes);
    }

    /// Counts rows whose bytes have been added.
    pub fn count(&mut self, rows: usize) {
        self.rows += rows as u64;
    }

    /// Adds and counts rows of whole numbers, given as columns, in the order of the rows: eight bytes each, low byte first. The
    /// result is the same for the same rows, whatever the pieces they come in.
    pub fn add_rows(&mut self, columns: &[Vec<i64>]) {
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
        self.count(rows);
    }

    /// Adds a whole column of numbers, eight bytes each, low byte first. Does not count its rows.
    pub fn add_column(&mut self, column: &[i64]) {
        for values in column.chunks(ROWS) {
            self.bytes.clear();
            self.bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
            self.crc.update(&self.bytes);
        }
    }

    /// The seal of all that was added.
    pub fn finish(mut self) -> Seal {
        if self.form == SealForm::RowsAndChecksum {
            self.crc.update(&self.rows.to_le_bytes());
        }
        Seal { rows: self.rows, crc32: format!("{:08x}", self.crc.sum()) }
    }
}
