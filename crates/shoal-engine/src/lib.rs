//! Shoal's questions, answered by a query engine: [Apache DataFusion](https://datafusion.apache.org) in this process, for
//! tables in folders and object stores.
//!
//! A fit asks 10 to 20 questions about the rows, and every answer is a sum of integers. [`EngineScan`] puts each question as
//! one aggregate over a plan: the [aggregate function](aggregate) takes the columns and the question, turns rows into
//! lattice points by the same code as Shoal's own readers ([`shoal_files::ArrowRows`]), runs the same kernels, and returns
//! a [`Partial`](shoal_scan::Partial). Integers add up to the same in any order, so results are the same, bit for bit, as
//! on one machine, for any number of partitions.
//!
//! | module | what it does |
//! |---|---|
//! | [`source`] | finds the files of a table, in folders, globs, partitioned data sets and object stores; notices changes |
//! | [`rowwise`] | refuses SQL whose result for one row depends on others |
//! | [`task`] | a question with all that a worker needs to answer it, as bytes |
//! | [`aggregate`] | the aggregate function |
//! | `held` | lattice points that stay in memory between questions, when they fit |
//! | [`engine`] | a table as an [`Engine`](shoal::Engine) for the library; its scans |
//!
//! ```no_run
//! use shoal_engine::{Options, TableEngine};
//!
//! let table = TableEngine::open(&["people/"], &Options::default())?;
//! let fitted = shoal::Fit::new(5, "1")?.bounds("age=17:90,hours=1:99")?.run_engine(&table)?;
//! println!("{}", fitted.model);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod aggregate;
pub mod engine;
mod error;
mod held;
pub mod rowwise;
pub mod source;
pub mod task;

pub use engine::{EngineScan, Options, TableEngine};
pub use error::EngineError;
