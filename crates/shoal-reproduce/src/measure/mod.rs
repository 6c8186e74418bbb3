//! One run of a system on data, and how good its clustering is.

pub mod curator;
pub mod lloyd;
pub mod on_demand;
pub mod tally;
