//! Reports as a file: all that a server needs, and nothing about any record but its report.
//!
//! A row for each report, an INT64 column for each attribute, named as it. Values are whole lattice steps from the lower
//! bound: 0 is the lower bound and [`STEPS`](shoal_lattice::STEPS) the upper one, reports may lie outside, and the user's
//! value is `low + value · (high − low) / 65534`.
//!
//! After these come columns of words, where the design has any: the number of the reported outcome, from 0 for the first level to
//! that of *other*, the last one. The description then has `categories`, and bounds for the numbers only.
//!
//! Two forms hold the same. An ordinary Parquet file has a description in JSON (versioned) under the key [`KEY`] and a
//! seal under [`SEAL_KEY`]. A CSV file has the description in its first line and the seal in its last one, which other
//! readers take for comments:
//!
//! ```text
//! # shoal.reports {"version":1,"mechanism":{"name":"laplace"},"epsilon":4.0, … ,"steps":65534, … }
//! age,hours
//! 40312,-7100
//! # shoal.reports.end {"rows":1,"crc32":"0a1b2c3d"}
//! ```
//!
//! CSV files that were joined end to end are one file. The seal has the number of reports and the CRC-32 of the description,
//! the values row by row (eight bytes each, low byte first) and that number, so that neither a file cut short nor a damaged
//! one passes. It does not keep anyone from forging a file, so the guarantee is not taken from the file: it is computed
//! again from the design. What all released files share is in [`shoal_files::sealed`].

mod check;
mod collected;
mod copies;
mod description;
mod error;
mod mixed;
mod read;
pub(crate) mod write;

pub use error::ReportFileError;
pub use shoal_files::Form;
pub use write::ReportWriter;

use crate::server::{ReportPoints, WordLaw};
use shoal_device::{Design, Promises};
use shoal_files::sealed::REPORTS;

/// The version this program writes and reads.
pub const VERSION: u32 = 1;

/// Where a file describes itself.
pub const KEY: &str = REPORTS.key;

/// Where a Parquet file has its seal.
pub const SEAL_KEY: &str = REPORTS.seal_key;

/// The first word of the last line of a CSV file, after the `#`.
pub const END: &str = match REPORTS.end_key {
    Some(key) => key,
    None => "",
};

/// Reports of one design, from one file or several.
#[derive(Clone, Debug, PartialEq)]
pub struct Reports {
    /// What everyone agreed on.
    pub design: Design,
    /// What each report guarantees to its sender, computed from the design.
    pub promises: Promises,
    /// The noise came from a seed.
    pub seeded: bool,
    /// The values of each attribute in lattice steps from its lower bound, then the reported outcomes of each column of words.
    pub columns: Vec<Vec<i64>>,
    /// Files they came from; CSV files joined end to end count each.
    pub files: usize,
}

/// What is known about reports apart from the reports themselves.
#[derive(Clone, Debug, PartialEq)]
pub struct Collected {
    /// What everyone agreed on.
    pub design: Design,
    /// What each report guarantees to its sender, computed from the design.
    pub promises: Promises,
    /// The noise came from a seed.
    pub seeded: bool,
    /// Files they came from; CSV files joined end to end count each.
    pub files: usize,
    /// Number of reports.
    pub rows: usize,
}

impl Reports {
    /// The reports as points for a server, and what is known about them. The columns are freed on the way, so that the
    /// reports are not in memory twice.
    pub fn into_points(self) -> (Collected, ReportPoints) {
        let rows = self.rows();
        let Self { design, promises, seeded, columns, files } = self;
        let points = ReportPoints::of_reports(columns, &WordLaw::of_design(&design));
        (Collected { design, promises, seeded, files, rows }, points)
    }

    /// The same reports in an order that depends on nothing but their values: by the first column, then the second, and so on.
    /// What is computed from them then does not depend on who reported when.
    #[must_use]
    pub fn in_canonical_order(self) -> Self {
        let mut order: Vec<usize> = (0..self.rows()).collect();
        let row = |i: usize| self.columns.iter().map(move |column| column[i]);
        order.sort_unstable_by(|&a, &b| row(a).cmp(row(b)));
        let columns = self.columns.iter().map(|column| order.iter().map(|&i| column[i]).collect()).collect();
        Self { columns, ..self }
    }

    /// Number of reports.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, Vec::len)
    }

    /// Number of attributes.
    pub fn dims(&self) -> usize {
        self.columns.len()
    }
}
