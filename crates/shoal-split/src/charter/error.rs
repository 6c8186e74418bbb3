//! Why a charter was refused.

use shoal_lattice::BoundsError;

/// Why a charter was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CharterError {
    /// Too many bytes.
    #[error("a charter has less than a megabyte; this file is none")]
    TooLong,
    /// No TOML, or not these fields.
    #[error("the charter cannot be read{}: {why}", line.map_or(String::new(), |line| format!(" (line {line})")))]
    NotToml {
        /// The line, where it is known.
        line: Option<usize>,
        /// What is wrong.
        why: String,
    },
    /// Another version.
    #[error(
        "the charter has version {found}, and this program knows version 1; all parties must run the same version of Shoal"
    )]
    Version {
        /// As found.
        found: u32,
    },
    /// Fewer members than a run may have.
    #[error(
        "the charter names {there} custodians and asks for {least} at least; name more, or lower least_custodians (2 at least: with two, each sees the other's sums under the noise)"
    )]
    FewCustodians {
        /// How many.
        there: usize,
        /// The fewest.
        least: usize,
    },
    /// More members than a byte can number.
    #[error("the charter names {there} custodians; {most} is the most")]
    ManyCustodians {
        /// How many.
        there: usize,
        /// The most.
        most: usize,
    },
    /// Too few helpers to split trust, or more than make sense.
    #[error(
        "the charter names {there} helpers; name two, or up to {most}, each of another organisation (each adds its own full noise, so two are best)"
    )]
    Helpers {
        /// How many.
        there: usize,
        /// The most.
        most: usize,
    },
    /// Nobody who may ask.
    #[error("the charter names {there} drivers; name one at least: only they may ask questions")]
    Drivers {
        /// How many.
        there: usize,
    },
    /// No sensible deadline.
    #[error("round_seconds = {given} is no deadline; give 1 to 86400")]
    RoundSeconds {
        /// As given.
        given: u32,
    },
    /// No ε.
    #[error("{what} = {given:?} is no ε; give a number above 0, for example \"1\"")]
    Epsilon {
        /// The field.
        what: &'static str,
        /// As given.
        given: String,
    },
    /// No factor for noise of one's own.
    #[error(
        "fallback = {given:?} is neither \"none\" nor a number from 1 to 1000: by how many times the loss is larger when all helpers collude"
    )]
    Fallback {
        /// As given.
        given: String,
    },
    /// No name.
    #[error("{name:?} is no name of a party; use 1 to 64 letters, digits, dots, dashes and underscores")]
    Name {
        /// As given.
        name: String,
    },
    /// Two parties of one name.
    #[error("two parties are called {name}; give each a name of its own")]
    SameName {
        /// As given.
        name: String,
    },
    /// No columns, or too many.
    #[error("the charter names {there} columns; name 1 to 10000, each with public bounds")]
    Columns {
        /// How many.
        there: usize,
    },
    /// No name of a column.
    #[error("{name:?} is no name of a column")]
    ColumnName {
        /// As given.
        name: String,
    },
    /// Two columns of one name.
    #[error("the column {name} is named twice; leave one out")]
    SameColumn {
        /// As given.
        name: String,
    },
    /// Impossible bounds.
    #[error(transparent)]
    Bounds(#[from] BoundsError),
    /// No key.
    #[error("the key of {of} is not a key: write `ed25519:` and the 64 hexadecimal digits of its public key")]
    Key {
        /// Whose.
        of: String,
    },
    /// Two parties with one key.
    #[error("{of} has the key of another party; each party needs a key of its own")]
    SameKey {
        /// The second one.
        of: String,
    },
    /// No operator.
    #[error("helper {of} names no operator; say which organisation runs it")]
    Operator {
        /// Which helper.
        of: String,
    },
    /// Two helpers in one pair of hands.
    #[error("two helpers are run by {operator}: whoever runs both sees every custodian's sums; name two organisations")]
    SameOperator {
        /// As given.
        operator: String,
    },
    /// No address.
    #[error("helper {of} has no address; give HOST:PORT")]
    At {
        /// Which helper.
        of: String,
    },
    /// Two helpers at one address.
    #[error("helper {of} has the address of another helper")]
    SameAt {
        /// The second one.
        of: String,
    },
}

impl CharterError {
    /// A short name of the reason that stays the same between versions.
    pub fn code(&self) -> &'static str {
        match self {
            Self::TooLong | Self::NotToml { .. } => "charter-unreadable",
            Self::Version { .. } => "charter-version",
            Self::FewCustodians { .. } | Self::ManyCustodians { .. } => "charter-custodians",
            Self::Helpers { .. }
            | Self::SameOperator { .. }
            | Self::Operator { .. }
            | Self::At { .. }
            | Self::SameAt { .. } => "charter-helpers",
            Self::Drivers { .. } => "charter-drivers",
            Self::RoundSeconds { .. } | Self::Epsilon { .. } | Self::Fallback { .. } => "charter-limits",
            Self::Name { .. } | Self::SameName { .. } => "charter-names",
            Self::Columns { .. } | Self::ColumnName { .. } | Self::SameColumn { .. } => "charter-columns",
            Self::Bounds(error) => error.code(),
            Self::Key { .. } | Self::SameKey { .. } => "charter-keys",
        }
    }
}
