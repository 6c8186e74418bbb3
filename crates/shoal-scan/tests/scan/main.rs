//! Answers of scans against their definitions.

mod aggregates;
mod clipped_sums;
