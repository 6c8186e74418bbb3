//! What stands at the end of a released file: how many rows it has, and a checksum of all that was written.

use serde::{Deserialize, Serialize};

/// The number of rows and the CRC-32 of what stands before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seal {
    /// Rows of the file.
    pub rows: u64,
    /// Eight hexadecimal digits.
    pub crc32: String,
}

impl Seal {
    /// Of a description and rows that are in the checksum already; their number is added here.
    pub fn new(mut crc: flate2::Crc, rows: u64) -> Self {
        crc.update(&rows.to_le_bytes());
        Self { rows, crc32: format!("{:08x}", crc.sum()) }
    }
}
