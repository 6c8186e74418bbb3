//! A released synopsis as a file: noisy cells that can be clustered again, for any k and free of charge.
//!
//! An ordinary Parquet file with a row for each cell: its box in the user's units (`age_low`, `age_high`, …), and its noisy
//! `count`, which may be negative. Cells are numbered with the last attribute fastest; their boxes cover the public bounds
//! without gaps. Every name of a box ends in `_low` or `_high`, so neither attributes called `a` and `a_low` nor one
//! called `count` can get in each other's way.
//!
//! A tree of boxes has a row for each leaf instead, from below to above, and three columns more: the `depth` of the leaf, and
//! the cut between it and the next, as `cut_column` (from zero; −1 after the last leaf) and `cut_at` (the first lattice
//! coordinate above it). They give the tree back, and boxes that would not fill the space are refused. Grids are version
//! 1 of the format, and trees version 2, so that a program which knows only grids says so.
//!
//! Under the key [`KEY`] the file describes itself in JSON (versioned): method, columns, bounds, cells along each axis
//! (or the number of leaves),
//! noise, and what its release promises. Under [`CHECKSUM_KEY`] is the CRC-32 of that text and the counts, so that a file
//! which was damaged on its way cannot promise more than was promised. It does not keep anyone from forging a file.

mod read;
mod tree_rows;
mod write;

use serde::{Deserialize, Serialize};
use shoal_privacy::{Guarantee, Loss, Published, Spent};

use crate::{AnySynopsis, Decision, Outcome};
use shoal_files::DataError;
use shoal_lattice::{Bounds, Interval};

/// The version of a file of a grid.
pub const VERSION: u32 = 1;

/// The version of a file of a tree.
pub const TREE_VERSION: u32 = 2;

/// Where a file describes itself.
pub const KEY: &str = shoal_files::SYNOPSIS_KEY;

/// Where a file has the checksum of its description and counts, in eight hexadecimal digits.
pub const CHECKSUM_KEY: &str = "shoal.synopsis.crc32";

/// The column of noisy counts.
pub const COUNT: &str = "count";

/// A released synopsis and all that is needed to cluster it again.
#[derive(Clone, Debug, PartialEq)]
pub struct SynopsisFile {
    /// The cells and their noisy counts.
    pub synopsis: AnySynopsis,
    /// Names and public intervals of the attributes.
    pub bounds: Bounds,
    /// The method that released it.
    pub method: String,
    /// What the paper says of the method.
    pub published: Published,
    /// What public or released numbers decided on the way.
    pub decisions: Vec<Decision>,
    /// Version of the program that released it.
    pub shoal: String,
}

impl SynopsisFile {
    /// The synopsis that a run released, if its method makes one.
    pub fn of(outcome: Outcome, bounds: &Bounds, method: &str, published: Published) -> Option<Self> {
        Some(Self {
            synopsis: outcome.synopsis?,
            bounds: bounds.clone(),
            method: method.into(),
            published,
            // Clustered again for another k, the cells would report a choice that was not made.
            decisions: outcome.decisions.into_iter().filter(|it| !matches!(it, Decision::ChoseK { .. })).collect(),
            shoal: env!("CARGO_PKG_VERSION").into(),
        })
    }

    fn description(&self) -> Description {
        let (guarantee, charged) = (self.synopsis.guarantee(), self.synopsis.charged());
        let (version, cells_per_axis, leaves) = match &self.synopsis {
            AnySynopsis::Grid(cells) => (VERSION, Some(cells.grid.cells_per_axis().to_vec()), None),
            AnySynopsis::Tree(boxes) => (TREE_VERSION, None, Some(boxes.tree.leaves())),
        };
        Description {
            version,
            method: self.method.clone(),
            columns: self.bounds.columns().to_vec(),
            bounds: self.bounds.intervals().to_vec(),
            cells_per_axis,
            leaves,
            count_sd: self.synopsis.count_noise(),
            guarantee: guarantee.clone(),
            published: self.published.clone(),
            spent: Spent::unless_seeded(guarantee, charged),
            charged: charged.clone(),
            seeded: guarantee.is_seeded(),
            decisions: self.decisions.clone(),
            shoal: self.shoal.clone(),
        }
    }
}

/// The JSON under [`KEY`].
#[derive(Serialize, Deserialize)]
struct Description {
    version: u32,
    method: String,
    columns: Vec<String>,
    bounds: Vec<Interval>,
    /// Of a grid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cells_per_axis: Option<Vec<u32>>,
    /// Of a tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    leaves: Option<usize>,
    count_sd: f64,
    guarantee: Guarantee,
    published: Published,
    spent: Option<Spent>,
    /// What had been charged, seeded or not.
    charged: Loss,
    seeded: bool,
    decisions: Vec<Decision>,
    shoal: String,
}

/// The checksum of a description and its columns: the counts, and what describes a tree.
fn checksum(description: &str, columns: &[&[i64]]) -> String {
    let mut crc = flate2::Crc::new();
    crc.update(description.as_bytes());
    let mut bytes = Vec::new();
    for chunk in columns.iter().flat_map(|column| column.chunks(4096)) {
        bytes.clear();
        bytes.extend(chunk.iter().flat_map(|value| value.to_le_bytes()));
        crc.update(&bytes);
    }
    format!("{:08x}", crc.sum())
}

/// Why a file could not be read as a synopsis.
#[derive(Debug, thiserror::Error)]
pub enum SynopsisFileError {
    /// Another kind of file.
    #[error(
        "{name} is not a Shoal synopsis ({why}); give the file that `shoal fit --method eugkm --synopsis FILE` wrote"
    )]
    NotASynopsis {
        /// The file.
        name: String,
        /// What it is instead.
        why: &'static str,
    },
    /// Another version of the format.
    #[error(
        "{name} has synopsis format version {found}, and this program reads versions {VERSION} and {TREE_VERSION}; use a program that reads it"
    )]
    Version {
        /// The file.
        name: String,
        /// The version in the file.
        found: u64,
    },
    /// Bytes that are not those that were written.
    #[error("the synopsis {name} is damaged ({why}); copy it again from where it was written")]
    Damaged {
        /// The file.
        name: String,
        /// What does not fit.
        why: String,
    },
    /// Numbers that do not go together.
    #[error(
        "the synopsis {name} contradicts itself ({why}); it was edited or damaged, so copy it again from where it was written"
    )]
    Inconsistent {
        /// The file.
        name: String,
        /// What does not fit.
        why: String,
    },
    /// The file cannot be read at all.
    #[error(transparent)]
    Data(#[from] DataError),
}
