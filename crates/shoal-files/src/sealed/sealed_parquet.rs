//! Reading sealed Parquet files: the description under one key, the seal under another.

use crate::Source;
use crate::kind::SEALED;
use crate::sealed::content::{Content, Described};
use crate::sealed::error::SealedError;
use crate::sealed::released_file::ReleasedFile;
use crate::sealed::released_parquet::ReleasedParquet;
use crate::sealed::seal::{Seal, Sealing};

/// The most bytes of a stream, which has to be held in memory.
pub(crate) const STREAM_LIMIT: u64 = 4 << 30;

/// An opened file whose description makes sense; its rows are still to be read and compared with its seal.
pub struct SealedParquet<C: Content> {
    file: ReleasedParquet,
    described: Described<C>,
    seal: Seal,
}

impl<C: Content> SealedParquet<C> {
    /// Opens a file of a kind that has no text form.
    ///
    /// # Errors
    /// A file that cannot be read, is of another kind or version, has no rows, or makes no sense.
    pub fn open(source: Source) -> Result<Self, SealedError> {
        match ReleasedFile::open(source, STREAM_LIMIT)? {
            ReleasedFile::Parquet(file) => Self::of(file),
            ReleasedFile::Text(text) => {
                let why = "it is text or of some other format, no Parquet file";
                Err(SealedError::OtherKind { kind: C::KIND, name: text.name().into(), why: why.into() })
            }
        }
    }

    /// [`Self::open`] for a Parquet file that is open already.
    pub(crate) fn of(file: ReleasedParquet) -> Result<Self, SealedError> {
        let kind = C::KIND;
        let Some(text) = file.described(kind.key) else {
            return Err(SealedError::OtherKind { kind, name: file.name().into(), why: instead(&file) });
        };
        let described = Described::<C>::parse(file.name(), text)?;
        let rows = file.rows() as u64;
        let seal = file.described(kind.seal_key).ok_or_else(|| described.damaged("it has no seal"))?;
        let seal = Seal::parse(seal, kind.seal, rows).ok_or_else(|| described.damaged("its seal cannot be read"))?;
        if seal.rows != rows {
            return Err(described.damaged("it does not have as many rows as were written"));
        }
        if rows == 0 {
            return Err(SealedError::Empty { kind, name: described.name });
        }
        Ok(Self { file, described, seal })
    }

    /// The description.
    pub fn described(&self) -> &Described<C> {
        &self.described
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.file.rows()
    }

    /// A column of whole numbers.
    ///
    /// # Errors
    /// The file is damaged if there is no such column without gaps: `missing` says so.
    pub fn integers(&self, column: &str, missing: &str) -> Result<Vec<i64>, SealedError> {
        self.file.integers(column)?.ok_or_else(|| self.described.damaged(missing))
    }

    /// A column of text.
    ///
    /// # Errors
    /// As for [`Self::integers`].
    pub fn texts(&self, column: &str, missing: &str) -> Result<Vec<String>, SealedError> {
        self.file.texts(column)?.ok_or_else(|| self.described.damaged(missing))
    }

    /// Hands every row's value of a column of byte strings of this length to `each`, with the row's number.
    ///
    /// # Errors
    /// As for [`Self::integers`].
    pub fn fixed_bytes(
        &self,
        column: &str,
        length: usize,
        missing: &str,
        each: impl FnMut(usize, &[u8]),
    ) -> Result<(), SealedError> {
        let found = self.file.fixed_bytes(column, length, each)?;
        if found { Ok(()) } else { Err(self.described.damaged(missing)) }
    }

    /// Compares the seal with that of the rows that were read, and gives both the description and the seal back.
    ///
    /// # Errors
    /// The file is damaged if they differ.
    pub fn checked(self, sealing: Sealing) -> Result<(Described<C>, Seal), SealedError> {
        if sealing.finish() != self.seal {
            return Err(self.described.damaged("its checksum does not fit"));
        }
        Ok((self.described, self.seal))
    }
}

/// What else a Parquet file may be.
fn instead(file: &ReleasedParquet) -> String {
    match SEALED.iter().find(|(_, kind)| file.described(kind.key).is_some()) {
        Some((_, other)) => format!("it holds {}", other.purpose),
        None => "it is a Parquet file of something else".into(),
    }
}
