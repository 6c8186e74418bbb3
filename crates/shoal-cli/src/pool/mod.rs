//! The codes that an aggregator pools, and records of its own beside them.

pub mod codes;
pub mod found;
pub mod own;
