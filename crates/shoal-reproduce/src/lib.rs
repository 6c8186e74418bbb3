//! The figures and tables of the five papers, measured again with Shoal.
//!
//! A [`Figure`] lists the [cells](Cell) it needs: one set of parameters each, and how to measure it once. The [`lab`] runs
//! the cells in parallel, keeps every run in a [`Store`], and hands the results to the figure, which draws a [`chart`] and
//! judges the paper's statements. [`printed`] has the values that the papers print, [`recorded`] the last measurement.
//!
//! ```
//! use shoal_reproduce::{papers, recorded};
//!
//! let figure = papers::find("su16-fig1").ok_or("no such figure")?.info();
//! println!("{} of {}: {}", figure.label, figure.paper.citation(), figure.title);
//! let last = recorded::statuses().into_iter().find(|recorded| recorded.figure == figure.id);
//! assert!(last.is_some());
//! # Ok::<(), shoal_reproduce::Failure>(())
//! ```
//!
//! Everything here is measured on public data, with seeded noise, within the data's own limits: right for measuring, wrong
//! for releasing. Nothing that this crate makes carries a privacy guarantee.

pub mod chart;
pub mod comparators;
pub mod data;
pub mod figure;
pub mod lab;
pub mod measure;
pub mod outcome;
pub mod page;
pub mod papers;
pub mod printed;
pub mod recorded;
pub mod statistics;
pub mod verdict;

pub use figure::{Drawing, Figure, Info, Paper, Places, Statement, Verdict};
pub use lab::{Cell, Effort, Key, Lab, Results, Run, Store};
pub use outcome::{Outcome, reproduce};
pub use verdict::{Privacy, Told};

/// What can go wrong in a measurement.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;
