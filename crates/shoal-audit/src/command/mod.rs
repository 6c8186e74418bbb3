//! Audits of other people's programs: anything that reads a data set on standard input and prints numbers.

pub mod program;
pub mod tables;

pub use program::Program;
pub use tables::{OneMoreRow, TableSpace};
