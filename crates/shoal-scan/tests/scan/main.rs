//! Answers of scans against their definitions, on one machine and on several.

mod aggregates;
mod clipped_sums;
mod partials;
mod sharded;
