//! Where cells are measured: in parallel, once, and kept.

mod cell;
mod results;
mod runner;
mod store;
mod version;

pub use cell::{Cell, Key, Run};
pub use results::{Measured, Results};
pub use runner::{Progress, measure, work_left};
pub use store::Store;
pub use version::fingerprint;

use crate::data::DataRoom;

/// How much work a figure is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// The paper's own number of runs.
    Paper,
    /// Fewer runs, and fewer points where a figure says so: a first look in minutes.
    Quick,
}

impl Effort {
    /// One number for the paper's protocol, another for a first look.
    #[must_use]
    pub fn pick<T>(self, paper: T, quick: T) -> T {
        match self {
            Self::Paper => paper,
            Self::Quick => quick,
        }
    }
}

/// What a figure can use: data, and how much work it is worth.
pub struct Lab {
    /// The data sets.
    pub data: DataRoom,
    /// How much work.
    pub effort: Effort,
}
