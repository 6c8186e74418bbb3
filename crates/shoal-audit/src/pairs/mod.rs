//! Pairs of inputs to whole algorithms: those that have refuted claims before, and how to find worse ones.

pub mod consortium;
pub mod curator;
pub mod outcome;
pub mod pair_scalars;
