//! Why the service did not start, or did not do what the operator asked.

use std::io;
use std::path::PathBuf;

use shoal_device::DesignError;

use crate::store::StoreError;

/// Why the service did not start, or did not do what the operator asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CollectorError {
    /// The design of a collection.
    #[error(transparent)]
    Design(#[from] DesignError),
    /// The library refused.
    #[error(transparent)]
    Library(#[from] shoal::Error),
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A setting of a collection that makes no sense.
    #[error("{what} is {given}; {advice}")]
    Setting {
        /// What it is.
        what: &'static str,
        /// Its value.
        given: String,
        /// What to give instead.
        advice: String,
    },
    /// A text that does not describe a collection.
    #[error("this does not describe a collection: {why}. docs/collector.md has an example")]
    Unreadable {
        /// What does not fit.
        why: String,
    },
    /// A collection of this name exists.
    #[error("there is a collection `{id}` already; choose another name, or delete that one first")]
    Exists {
        /// The name.
        id: String,
    },
    /// No collection of this name.
    #[error("there is no collection `{id}`; `shoal collection list` shows those there are")]
    Unknown {
        /// The name.
        id: String,
    },
    /// No model yet.
    #[error("the collection `{id}` has {reports} reports, and its first clusters need {minimum}; wait for more")]
    TooFewReports {
        /// The collection.
        id: String,
        /// Reports there are.
        reports: u64,
        /// Reports there must be.
        minimum: u64,
    },
    /// A folder or a file in it that cannot be used.
    #[error("{} cannot be used ({source}); give a folder that this user may write to", .path.display())]
    Folder {
        /// Where.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Another server uses the folder.
    #[error(
        "another server uses {}; stop it first, or give this one a folder of its own: two servers would count reports twice",
        .path.display()
    )]
    InUse {
        /// The folder.
        path: PathBuf,
    },
    /// An address that cannot be listened on.
    #[error("{address} cannot be listened on ({source}); choose another address or port")]
    Listen {
        /// The address.
        address: String,
        /// Why.
        source: io::Error,
    },
    /// Files of a certificate that cannot be used.
    #[error("{} cannot be used for TLS ({why}); give PEM files of a certificate and its private key", .path.display())]
    Tls {
        /// The file.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// The running server cannot be reached.
    #[error("the server at {address} does not answer ({why}); look at its log")]
    Unreachable {
        /// The address of its operator's port.
        address: String,
        /// Why.
        why: String,
    },
    /// The running server refused, in its own words.
    #[error("{message}")]
    Refused {
        /// The code of its refusal.
        code: String,
        /// What it wrote.
        message: String,
    },
}

impl CollectorError {
    /// A short name of the reason that stays the same between versions.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Design(error) => error.code(),
            Self::Library(error) => error.code(),
            Self::Store(error) => error.code(),
            Self::Setting { .. } => "collection-setting",
            Self::Unreadable { .. } => "collection-unreadable",
            Self::Exists { .. } => "collection-exists",
            Self::Unknown { .. } => "collection-unknown",
            Self::TooFewReports { .. } => "no-model-yet",
            Self::Folder { .. } => "store-folder",
            Self::InUse { .. } => "store-in-use",
            Self::Listen { .. } => "cannot-listen",
            Self::Tls { .. } => "tls-files",
            Self::Unreachable { .. } => "server-unreachable",
            Self::Refused { .. } => "server-refused",
        }
    }
}
