//! One run of a system on data, and how good its clustering is.

pub mod consortium;
pub mod crowd;
pub mod curator;
