//! Split trust: custodians keep their rows, helpers add shares and noise, and nobody is trusted with another's rows.
//!
//! | you | start with |
//! |---|---|
//! | want to try it on your own tables, all roles in one process and without privacy | [`SplitRehearsal`] |
//! | hold a table | [`SplitTable`], with a [`SplitPurse`] for its budget |
//! | ask the questions and want the model | [`SplitFit`] |
//! | were given a model and its transcript | [`SplitFit::verify`] |
//!
//! The protocol is `shoal-split`; what it promises, and why, is in docs/split-trust.md. Custodians compute every charge
//! themselves, so nothing here decides about anyone's privacy.

mod error;
mod fit;
mod rehearsal;
mod settings;
mod table;

pub use error::SplitError;
pub use fit::{SplitFit, SplitFitted, SplitVerified};
pub use rehearsal::{Rehearsed, SplitRehearsal};
pub use settings::SplitSettings;
pub use table::{SplitPurse, SplitTable};
