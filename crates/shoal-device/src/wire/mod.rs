//! Reports on their way to a collector: a compact binary form, and JSON.
//!
//! An [`Envelope`] is a report with what a collector needs to count it once: a random identifier, the short form of
//! the design's digest, and the day. It names nobody. Two forms hold the same.
//!
//! # Binary, `application/vnd.shoal.reports`
//!
//! A body is one batch after the other, at least one, so bodies can be joined end to end by whoever relays them. A
//! batch holds reports of one design:
//!
//! | bytes | what |
//! |---|---|
//! | 1 | `0x53` |
//! | 1 | version, `0x01` |
//! | 8 | the first eight bytes of the design's digest |
//! | varint | number of columns, 1 to 4,096 |
//! | varint | number of reports, at least 1 |
//! | … | the reports |
//!
//! A report:
//!
//! | bytes | what |
//! |---|---|
//! | 16 | random identifier |
//! | varint | day, counted from 1 January 1970 in UTC, at most 2³² − 1 |
//! | varint for each column | noisy value in lattice steps, zig-zag: 0, −1, 1, −2, … are 0, 1, 2, 3, … |
//!
//! A varint has seven bits in each byte, the lowest first, and the highest bit of every byte but the last is set. It
//! is as short as it can be and fits into 64 bits. A reader refuses everything else, so a batch has one form only.
//! A report of four columns takes 41 to 46 bytes with any sensible noise.
//!
//! # JSON, `application/json`
//!
//! ```json
//! {"version":1,"design":"877de09d27df0cbe",
//!  "reports":[{"id":"00112233445566778899aabbccddeeff","day":20500,"steps":[-34247,-44854,87334]}]}
//! ```
//!
//! `design` is the short form of the digest, or the whole of it, in lower-case hexadecimal digits. JSON holds reports
//! of one design.

mod binary;
mod error;
mod json;

pub use binary::{Head, Reader, decode, encode, put_steps, take_steps};
pub use error::WireError;
pub use json::{decode_json, encode_json};

use std::fmt;
use std::str::FromStr;

use shoal_lattice::Steps;
use shoal_noise::NoiseSource;

use crate::{Design, Report};

/// The media type of the binary form.
pub const MEDIA_TYPE: &str = "application/vnd.shoal.reports";

/// The version that is written and read.
pub const VERSION: u8 = 1;

/// Columns that a report may have.
pub const MOST_COLUMNS: usize = 4096;

/// A random name of one report, by which it is counted once however often it is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReportId(pub [u8; 16]);

impl ReportId {
    /// A fresh identifier. Draw the report first and then this, so that all clients read a tape in one order.
    pub fn random(noise: &mut (impl NoiseSource + ?Sized)) -> Self {
        let mut bytes = [0; 16];
        noise.fill_bytes(&mut bytes);
        Self(bytes)
    }
}

/// The first eight bytes of a design's digest: enough to notice a report of another design.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DesignTag(pub [u8; 8]);

impl DesignTag {
    /// The short form of a digest in hexadecimal digits.
    ///
    /// # Errors
    /// When the text is not a digest of 64 lower-case hexadecimal digits.
    pub fn of_digest(digest: &str) -> Result<Self, WireError> {
        let whole: [u8; 32] =
            from_hex(digest).ok_or(WireError::Text { what: "the digest of the design", digits: 64 })?;
        // Unwrap safety: the first 8 of 32 bytes.
        Ok(Self(whole[..8].try_into().unwrap()))
    }
}

impl Design {
    /// The short form of the digest, as reports carry it.
    pub fn tag(&self) -> DesignTag {
        // Unwrap safety: a digest has 64 hexadecimal digits.
        DesignTag::of_digest(&self.digest()).unwrap()
    }
}

/// A day, counted from 1 January 1970 in UTC: reports say no more about when they were made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(pub u32);

impl Day {
    /// The day of a time in seconds since 1970 began. Times beyond the last day are on the last day.
    pub fn of_unix_seconds(seconds: u64) -> Self {
        Self(u32::try_from(seconds / 86_400).unwrap_or(u32::MAX))
    }
}

/// A report that is ready to be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Envelope {
    /// The short form of the digest of its design.
    pub design: DesignTag,
    /// Its random name.
    pub id: ReportId,
    /// The day on which it was made.
    pub day: Day,
    /// The noisy values in lattice steps, as in [`Report::steps`].
    pub steps: Vec<Steps>,
}

impl Envelope {
    /// Wraps a report. An envelope that may have arrived is sent again as it is: a new identifier would count twice.
    ///
    /// # Errors
    /// When the report names no digest, or has no column or more than [`MOST_COLUMNS`].
    pub fn new(report: &Report, id: ReportId, day: Day) -> Result<Self, WireError> {
        check_columns(report.steps.len() as u64)?;
        Ok(Self { design: DesignTag::of_digest(&report.design)?, id, day, steps: report.steps.clone() })
    }
}

/// The number of columns, if a report may have it.
fn check_columns(columns: u64) -> Result<usize, WireError> {
    match usize::try_from(columns) {
        Ok(columns @ 1..=MOST_COLUMNS) => Ok(columns),
        _ => Err(WireError::Columns { most: MOST_COLUMNS }),
    }
}

/// Bytes from as many lower-case hexadecimal digits as they need, and nothing else.
fn from_hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digit = |byte: u8| match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    };
    if text.len() != 2 * N {
        return None;
    }
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().as_chunks::<2>().0) {
        *byte = digit(pair[0])? << 4 | digit(pair[1])?;
    }
    Some(bytes)
}

macro_rules! hexadecimal {
    ($name:ident, $what:literal, $digits:literal) => {
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
            }
        }

        impl FromStr for $name {
            type Err = WireError;

            fn from_str(text: &str) -> Result<Self, WireError> {
                from_hex(text).map(Self).ok_or(WireError::Text { what: $what, digits: $digits })
            }
        }
    };
}

hexadecimal!(ReportId, "a report's identifier", 32);
hexadecimal!(DesignTag, "the short form of a design's digest", 16);
