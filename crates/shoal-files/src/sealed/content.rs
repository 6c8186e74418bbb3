//! What a room adds to a sealed file: its description, and what makes sense in it.

use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io;

use crate::sealed::error::{Difference, SealedError};
use crate::sealed::kinds::SealedKind;
use crate::sealed::seal::Sealing;
use crate::sealed::versioned::{VersionedFault, read_versioned};

/// The description of a kind of sealed file: versioned JSON in the file, a struct in memory.
pub trait Content: Serialize + DeserializeOwned {
    /// The kind of file.
    const KIND: &'static SealedKind;

    /// What follows from a description and is needed to read the rows.
    type Layout;

    /// Checks what can be checked without computing much, so that a damaged file costs no time. The error completes
    /// "the file contradicts itself (…)".
    ///
    /// # Errors
    /// What in the description makes no sense.
    fn layout(&self) -> Result<Self::Layout, String>;

    /// In what another file differs, if their rows may not be put together.
    fn difference(&self, other: &Self) -> Option<Difference>;
}

/// The description of a file, which makes sense on its own.
pub struct Described<C: Content> {
    /// The file, for messages.
    pub name: String,
    /// The JSON.
    pub text: String,
    /// What it says.
    pub about: C,
    /// What follows from it.
    pub layout: C::Layout,
}

impl<C: Content> Described<C> {
    /// Reads a description.
    ///
    /// # Errors
    /// Another version, text that is no description, and one that makes no sense.
    pub fn parse(name: &str, text: &str) -> Result<Self, SealedError> {
        let (kind, name) = (C::KIND, name.to_string());
        let about: C = match read_versioned(text, kind.versions) {
            Ok(about) => about,
            Err(VersionedFault::Version(found)) => return Err(SealedError::Version { kind, name, found }),
            Err(VersionedFault::Damaged(why)) => return Err(SealedError::Damaged { kind, name, why }),
        };
        match about.layout() {
            Ok(layout) => Ok(Self { name, text: text.into(), about, layout }),
            Err(why) => Err(SealedError::Inconsistent { kind, name, why }),
        }
    }

    /// A description that is to be written.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidInput`] for one that could not be read again.
    pub fn to_write(about: C) -> io::Result<Self> {
        let layout = about.layout().map_err(invalid)?;
        Ok(Self { name: String::new(), text: serde_json::to_string(&about)?, about, layout })
    }

    /// The beginning of the file's seal.
    pub fn sealing(&self) -> Sealing {
        Sealing::new(C::KIND.seal, &self.text)
    }

    /// The error for bytes that are not those that were written.
    pub fn damaged(&self, why: impl Into<String>) -> SealedError {
        SealedError::Damaged { kind: C::KIND, name: self.name.clone(), why: why.into() }
    }

    /// The error for statements that contradict each other.
    pub fn inconsistent(&self, why: impl Into<String>) -> SealedError {
        SealedError::Inconsistent { kind: C::KIND, name: self.name.clone(), why: why.into() }
    }
}

/// The error for something that could not be read again if it were written.
pub fn invalid(why: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, why.into())
}

/// Files whose rows are put together. All have to be made like the first.
pub struct Joined<C: Content> {
    first: Option<Described<C>>,
}

/// How a file goes with those before it.
pub enum Addition<C: Content> {
    /// It is the first.
    First,
    /// It has the description of the first.
    Same,
    /// It was made in the same way; its description differs in something else, such as conditions of its guarantee.
    Alike(Described<C>),
}

impl<C: Content> Default for Joined<C> {
    fn default() -> Self {
        Self { first: None }
    }
}

impl<C: Content> Joined<C> {
    /// Adds a file.
    ///
    /// # Errors
    /// [`SealedError::Mixed`] when it was not made like the first.
    pub fn add(&mut self, next: Described<C>) -> Result<Addition<C>, SealedError> {
        let Some(first) = &self.first else {
            self.first = Some(next);
            return Ok(Addition::First);
        };
        if first.text == next.text {
            return Ok(Addition::Same);
        }
        match first.about.difference(&next.about) {
            None => Ok(Addition::Alike(next)),
            Some(difference) => Err(SealedError::Mixed {
                kind: C::KIND,
                first: first.name.clone(),
                second: next.name,
                difference: difference.into(),
            }),
        }
    }

    /// The first file.
    ///
    /// # Errors
    /// [`SealedError::NoFiles`] when there is none.
    pub fn first(&self) -> Result<&Described<C>, SealedError> {
        self.first.as_ref().ok_or(SealedError::NoFiles { kind: C::KIND })
    }

    /// The description of the first file.
    ///
    /// # Errors
    /// [`SealedError::NoFiles`] when there is none.
    pub fn into_first(self) -> Result<C, SealedError> {
        self.first.map(|first| first.about).ok_or(SealedError::NoFiles { kind: C::KIND })
    }
}
