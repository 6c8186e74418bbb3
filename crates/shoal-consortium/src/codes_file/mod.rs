//! Codes as a file: all that an aggregator needs, and nothing about any record but its code.
//!
//! An ordinary Parquet file with a row for each record and a column of byte strings for each attribute, named as it.
//! Bit i of a code is bit i % 8, from the lowest, of byte i / 8; bits that fill up the last byte are zero. A column of
//! names in the clear may come before them. Key-value metadata: a description in JSON (versioned) under [`KEY`], and
//! under [`SEAL_KEY`] the number of rows and a CRC-32, so that neither a damaged file nor one cut short passes.
//!
//! Codes of *pairs* of records (eqs 21–23) have two columns, `squares` and `products`, and a row for each pair (1, 2),
//! (1, 3), …, (n−1, n).
//!
//! The terms are in the file and the anchors are not. The seal does not keep anyone from forging a file, so the guarantee
//! is not taken from the file: it is computed again from the terms, for the worst anchors there can be, because an
//! aggregator does not have them. What the custodian computed for the true ones is kept apart, as the custodian's
//! statement. What all released files share is in [`shoal_files::sealed`].

mod check;
mod description;
mod error;
mod mixed;
mod read;
pub(crate) mod write;

pub use error::CodesFileError;
pub use write::CodesWriter;

use serde::{Deserialize, Serialize};
use shoal_privacy::Guarantee;

use crate::{Attribute, Codes, Partition, Promise, Scale, Terms, TermsError};
use shoal_files::sealed::{CODES, Sealing};

/// The version this program writes and reads.
pub const VERSION: u32 = 1;

/// Where a file describes itself.
pub const KEY: &str = CODES.key;

/// Where a file has its seal.
pub const SEAL_KEY: &str = CODES.seal_key;

/// What the rows of a file are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Records, a code for each attribute.
    Records,
    /// Pairs of records, two codes each.
    Pairs,
}

/// What a custodian says of a file before the first row is written.
#[derive(Clone, Debug)]
pub struct About {
    /// What the rows are.
    pub kind: Kind,
    /// The terms that custodians agreed on, those of records also for a file of pairs.
    pub terms: Terms,
    /// The fingerprint of the agreement.
    pub fingerprint: String,
    /// What the codes promise, for the very anchors of the agreement.
    pub promise: Promise,
    /// The flips came from a seed.
    pub seeded: bool,
    /// Made-up records at the end, which belong to nobody.
    pub bridge: u64,
    /// The column of names in the clear.
    pub id: Option<String>,
    /// Records that pairs were made of.
    pub paired_records: Option<u64>,
}

/// Codes of one agreement, from one file or several.
#[derive(Clone, Debug)]
pub struct CodesFile {
    /// What the rows are.
    pub kind: Kind,
    /// The terms of the agreement.
    pub terms: Terms,
    /// Its fingerprint.
    pub fingerprint: String,
    /// What the codes promise whatever the anchors are, computed from the terms.
    pub promise: Promise,
    /// The flips came from a seed.
    pub seeded: bool,
    /// The files, in their order.
    pub parts: Vec<FilePart>,
    /// All rows, in the order of the files.
    pub codes: Codes,
}

/// One file among those that were read.
#[derive(Clone, Debug)]
pub struct FilePart {
    /// Its name.
    pub name: String,
    /// Its rows.
    pub rows: usize,
    /// How many of them, the last ones, belong to nobody.
    pub bridge: usize,
    /// What its custodian says it promises. Not checked: it takes the anchors.
    pub said: Guarantee,
    /// Names of the rows, where the custodian gave any.
    pub ids: Option<Vec<String>>,
    /// Records that pairs were made of.
    pub paired_records: Option<u64>,
}

impl CodesFile {
    /// Which file a row is from, and which row of it, from 0.
    pub fn place(&self, row: usize) -> (usize, usize) {
        let mut before = 0;
        for (i, part) in self.parts.iter().enumerate() {
            if row < before + part.rows {
                return (i, row - before);
            }
            before += part.rows;
        }
        (self.parts.len(), row - before)
    }

    /// The name of a row, where its custodian gave one.
    pub fn id(&self, row: usize) -> Option<&str> {
        let (part, row) = self.place(row);
        self.parts.get(part)?.ids.as_ref()?.get(row).map(String::as_str)
    }

    /// Whether a row is a made-up one, which belongs to nobody.
    pub fn is_bridge(&self, row: usize) -> bool {
        let (part, row) = self.place(row);
        self.parts.get(part).is_some_and(|part| row >= part.rows - part.bridge)
    }

    /// Records that a file of pairs is about.
    pub fn paired_records(&self) -> Option<u64> {
        self.parts.first()?.paired_records
    }
}

/// The terms of a file's columns: for pairs, two of them with the anchors of [`Terms::decomposed`].
pub(crate) fn columns_of(kind: Kind, terms: &Terms) -> Result<Terms, TermsError> {
    match kind {
        Kind::Records => Ok(terms.clone()),
        Kind::Pairs => {
            let pair = terms.decomposed()?;
            let column = |name: &str| Attribute { name: name.into(), ..pair.attributes()[0].clone() };
            Terms::new(vec![column("squares"), column("products")], pair.bits(), pair.flips().clone(), Scale::Own)
        }
    }
}

fn partition(kind: Kind, records: Option<u64>) -> Partition {
    match (kind, records) {
        (Kind::Pairs, Some(records)) => Partition::Pairs { records },
        _ => Partition::Records,
    }
}

/// Adds a row to a seal: its name, where it has one, as length and text, then the `bytes` bytes of each code of `words`
/// words.
fn seal_row(sealing: &mut Sealing, id: Option<&str>, record: &[u64], (words, bytes): (usize, usize)) {
    if let Some(id) = id {
        sealing.add(&(id.len() as u64).to_le_bytes());
        sealing.add(id.as_bytes());
    }
    let mut buffer = [0; 512];
    for code in record.chunks_exact(words) {
        let mut left = bytes;
        for words in code.chunks(buffer.len() / 8) {
            for (bytes, word) in buffer.chunks_exact_mut(8).zip(words) {
                bytes.copy_from_slice(&word.to_le_bytes());
            }
            let part = left.min(8 * words.len());
            sealing.add(&buffer[..part]);
            left -= part;
        }
    }
    sealing.count(1);
}
