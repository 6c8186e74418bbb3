//! What a table is recognised by: SHA-256 of its content. Sensitive: whoever knows all of a table but a cell can try what
//! is in that cell until the hash agrees.

use sha2::{Digest, Sha256};
use std::io::Read;

use super::error::DataError;
use super::matrix::Matrix;
use super::table::Table;

const BUFFER: usize = 1 << 18;

impl Table {
    /// The hash of the table's bytes, as they are in the file: a copy has the same, whatever it is called.
    pub fn content_hash(&self) -> Result<[u8; 32], DataError> {
        self.input.check_unchanged()?;
        let (mut reader, mut buffer, mut hash) = (self.input.reader(0), vec![0; BUFFER], Sha256::new());
        loop {
            match reader.read(&mut buffer).map_err(|error| self.input.failed(error))? {
                0 => break,
                count => hash.update(&buffer[..count]),
            }
        }
        self.input.check_unchanged()?;
        Ok(hash.finalize().into())
    }
}

impl Matrix<'_> {
    /// The hash of all columns, selected or not, with their names.
    pub fn content_hash(&self) -> [u8; 32] {
        let mut hash = Sha256::new();
        let mut text = |text: &str| {
            hash.update((text.len() as u64).to_le_bytes());
            hash.update(text.as_bytes());
        };
        self.for_each_text(&mut text);
        self.for_each_number(|x| hash.update(x.to_bits().to_le_bytes()));
        hash.finalize().into()
    }
}
