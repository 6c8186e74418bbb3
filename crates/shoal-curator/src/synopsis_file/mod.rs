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
//! (or the number of leaves), noise, and what its release guarantees. Under [`CHECKSUM_KEY`] is the CRC-32 of that text, the
//! counts and the columns of a tree, so that a damaged file cannot claim a stronger guarantee. It does not keep anyone
//! from forging a file. What all released files share is in [`shoal_files::sealed`]; a file that cannot be read gives a
//! [`SealedError`](shoal_files::SealedError).

mod check;
mod read;
mod tree_rows;
mod write;

use serde::{Deserialize, Serialize};
use shoal_privacy::{Guarantee, Loss, Published, Spent};

use crate::synopsis_file::tree_rows::TreeRows;
use crate::{Cells, Decision, Outcome, Synopsis};
use shoal_files::sealed::{Content, Difference, SYNOPSIS, SealedKind, Sealing};
use shoal_lattice::{Bounds, Category, Interval, Scale};
use shoal_scan::Grid;

/// The version of a file of a grid.
pub const VERSION: u32 = 1;

/// The version of a file of a tree.
pub const TREE_VERSION: u32 = 2;

/// Where a file describes itself.
pub const KEY: &str = SYNOPSIS.key;

/// Where a file has the checksum of its description and counts, in eight hexadecimal digits.
pub const CHECKSUM_KEY: &str = SYNOPSIS.seal_key;

/// The column of noisy counts.
pub const COUNT: &str = "count";

/// A released synopsis and all that is needed to cluster it again.
#[derive(Clone, Debug, PartialEq)]
pub struct SynopsisFile {
    /// The cells and their noisy counts.
    pub synopsis: Synopsis,
    /// Names and public intervals of the attributes.
    pub bounds: Bounds,
    /// The method that released it.
    pub method: String,
    /// What the paper says of the method.
    pub published: Published,
    /// Version of the program that released it.
    pub shoal: String,
}

impl SynopsisFile {
    /// The synopsis that a run released, if its method makes one. Everything in the file was released or decided by then, so
    /// that its own guarantee covers it: of the outcome, only the synopsis is used.
    pub fn of(outcome: Outcome, bounds: &Bounds, method: &str, published: Published) -> Option<Self> {
        Some(Self {
            synopsis: outcome.synopsis?,
            bounds: bounds.clone(),
            method: method.into(),
            published,
            shoal: env!("CARGO_PKG_VERSION").into(),
        })
    }

    fn description(&self) -> Description {
        let (guarantee, charged) = (&self.synopsis.guarantee, &self.synopsis.charged);
        let (version, cells_per_axis, leaves) = match &self.synopsis.cells {
            Cells::Grid(grid) => (VERSION, Some(grid.cells_per_axis().to_vec()), None),
            Cells::Boxes(boxes) => (TREE_VERSION, None, Some(boxes.tree().leaves())),
        };
        Description {
            version,
            method: self.method.clone(),
            columns: self.bounds.columns().to_vec(),
            bounds: self.bounds.intervals().to_vec(),
            scales: if self.bounds.is_plain() { Vec::new() } else { self.bounds.scales().to_vec() },
            weights: if self.bounds.is_plain() { Vec::new() } else { self.bounds.weights().to_vec() },
            categories: self.bounds.categories().to_vec(),
            cells_per_axis,
            leaves,
            count_sd: self.synopsis.count_noise,
            guarantee: guarantee.clone(),
            published: self.published.clone(),
            spent: Spent::unless_seeded(guarantee, charged),
            charged: charged.clone(),
            seeded: guarantee.is_seeded(),
            decisions: self.synopsis.decisions.clone(),
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
    /// Of each column, where one is stretched or weighs more than another.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    scales: Vec<Scale>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    weights: Vec<f64>,
    /// Whose levels the last columns are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    categories: Vec<Category>,
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

impl Content for Description {
    const KIND: &'static SealedKind = &SYNOPSIS;
    type Layout = Layout;

    fn layout(&self) -> Result<Layout, String> {
        check::layout(self)
    }

    /// Synopses are not put together.
    fn difference(&self, _: &Self) -> Option<Difference> {
        None
    }
}

/// What follows from a description: the grid, if it is one, and the bounds.
struct Layout {
    grid: Option<Grid>,
    bounds: Bounds,
}

/// Adds the columns that a seal covers: the counts, and what describes a tree.
fn seal_columns(sealing: &mut Sealing, counts: &[i64], tree: Option<&TreeRows>) {
    sealing.add_column(counts);
    for column in tree.iter().flat_map(|rows| [&rows.depth, &rows.axis, &rows.at]) {
        sealing.add_column(column);
    }
    sealing.count(counts.len());
}
