//! The figures and tables of the five papers, measured again with Shoal.
//!
//! A [`Figure`] says which [cells](Cell) it needs: one set of parameters each, and how to measure it once. The
//! [`lab`] runs the cells in parallel, keeps every run in a [`Store`], and hands all of them to the figure, which
//! draws a [`chart`] and judges what the paper says. [`printed`] holds the values that the papers print.
//!
//! Everything here is measured on public data with seeded noise between the data's own limits: right for measuring,
//! wrong for releasing. Nothing that comes out of this crate carries a promise.

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

pub use figure::{Drawing, Figure, Info, Paper, Statement, Status, Verdict};
pub use lab::{Cell, Effort, Key, Lab, Results, Run, Store};
pub use outcome::{Outcome, Told, reproduce};

/// What can go wrong in a measurement.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;
