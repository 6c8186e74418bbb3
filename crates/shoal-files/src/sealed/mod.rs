//! Files that are released: what reports, codes and synopses have in common. Nothing here is sensitive.

pub(crate) mod form;
pub(crate) mod released_file;
pub(crate) mod released_parquet;
pub(crate) mod seal;
pub(crate) mod versioned;

pub use form::Form;
pub use released_file::{ReleasedFile, ReleasedText};
pub use released_parquet::{ReleasedParquet, plain_error};
pub use seal::Seal;
pub use versioned::{VersionedFault, read_versioned};
