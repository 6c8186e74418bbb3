//! Records as packed bits.

use crate::Terms;

/// The codes of many records, record by record and attribute by attribute.
///
/// Bit i of a code is bit i % 64, from the lowest, of its word i / 64; the last word is filled up with zeros.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Codes {
    dims: usize,
    words: usize,
    data: Vec<u64>,
}

impl Codes {
    /// No records yet.
    pub fn new(terms: &Terms) -> Self {
        Self { dims: terms.dims(), words: terms.words(), data: Vec::new() }
    }

    /// Adds records, each as the words of all its attributes.
    ///
    /// # Panics
    /// When the words do not make whole records.
    pub fn extend(&mut self, records: &[u64]) {
        assert_eq!(records.len() % self.record_words(), 0, "whole records");
        self.data.extend_from_slice(records);
    }

    /// Adds so many records with all bits zero and returns the words of all records; or the bytes that memory lacks.
    pub(crate) fn add_rows(&mut self, rows: usize) -> Result<&mut [u64], usize> {
        let more = rows.saturating_mul(self.record_words());
        self.data.try_reserve_exact(more).map_err(|_| more.saturating_mul(8))?;
        self.data.resize(self.data.len() + more, 0);
        Ok(&mut self.data)
    }

    /// Number of records.
    pub fn rows(&self) -> usize {
        self.data.len() / self.record_words()
    }

    /// Number of attributes.
    pub fn dims(&self) -> usize {
        self.dims
    }

    /// Words of one code.
    pub fn words(&self) -> usize {
        self.words
    }

    /// Words of a record.
    pub fn record_words(&self) -> usize {
        self.dims * self.words
    }

    /// All codes of a record, attribute by attribute.
    pub fn record(&self, row: usize) -> &[u64] {
        &self.data[row * self.record_words()..(row + 1) * self.record_words()]
    }

    /// One attribute's code of a record.
    pub fn code(&self, row: usize, attribute: usize) -> &[u64] {
        &self.record(row)[attribute * self.words..(attribute + 1) * self.words]
    }

    /// All words.
    pub fn as_words(&self) -> &[u64] {
        &self.data
    }
}
