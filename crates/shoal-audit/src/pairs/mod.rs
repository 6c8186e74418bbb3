//! Pairs of inputs to whole algorithms: those that have broken promises before, and how to find worse ones.

pub mod consortium;
pub mod curator;
pub mod outcome;
pub mod pair_scalars;
