//! One run of a system on data, and how good its clustering is.

pub mod consortium;
pub mod crowd;
pub mod curator;
pub mod lloyd;
pub mod on_demand;
pub mod tally;
