//! Several custodians and an aggregator, who cluster records together without showing them to each other: by merging what
//! each of them released, by split trust, or by codes of records (SZY19).
//!
//! | you | start with |
//! |---|---|
//! | want to know what codes cost before anybody agrees on them | [`Price`] |
//! | make the agreement that all custodians encode by | [`Agree`] |
//! | are a custodian with a table and a limit of your own | [`Encode`] |
//! | are the aggregator, who has codes and nothing else | [`Pool`], then [`Decode`] or [`Group`] |
//! | have models or synopses that custodians fitted, each alone | [`Merge`] |
//! | want rounds with helpers, so that nobody is trusted with another's rows | [`SplitFit`], [`SplitTable`] |
//! | want to know which way to take | [`Plan`] |
//!
//! Whatever an aggregator computes from codes keeps their guarantee: the bits were flipped before they were sent.
//!
//! ```
//! use shoal::consortium::{Agree, Encode, Group, Grouping, Pool};
//! use shoal_files::{Matrix, Source};
//!
//! // One custodian makes the agreement and gives it to the others.
//! let agreed = Agree::new("age=0:100")?.bits(200).epsilon("1")?.run()?;
//! // Each custodian encodes a table, if the codes stay within the custodian's own limit.
//! let mut codes = Vec::new();
//! let ages: Vec<f64> = (0..60).map(|i| if i % 2 == 0 { 20.0 } else { 70.0 }).collect();
//! let table = Matrix::from_rows(&["age"], &ages)?;
//! Encode::new(agreed.file().clone()).limit("200", None)?.run_to(table, &mut codes)?;
//! // The aggregator clusters what it was sent.
//! let pooled = Pool::new().read([Source::Memory(codes)])?;
//! let grouped = Group::new(Grouping::KCluster).k(2).run(&pooled)?;
//! assert_eq!(grouped.labels.len(), 60);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! What attackers read out of codes is measured by the crate `shoal-audit`, and what SZY19 compares itself with by
//! `shoal-reproduce`; both know the rooms below this library and not the library.

mod agree;
mod clusters;
mod columns;
mod decode;
mod encode;
mod error;
mod group;
mod merge;
mod metric;
mod plan;
mod pool;
mod price;
mod split;
mod worth;

pub use agree::{Agree, Agreed};
pub use clusters::ClusterOfRecords;
pub use decode::{Decode, Decoded};
pub use encode::{Coded, Encode};
pub use error::{Bytes, ConsortiumError, Instead};
pub use group::{Group, Grouped, Grouping};
pub use merge::{Merge, MergeRelease};
pub use metric::Metric;
pub use plan::{Plan, PlannedConsortium, PlannedWay, Way};
pub use pool::{Consistency, FileRows, Pool, Pooled};
pub use price::{Affordable, Price, Priced, SHARES};
pub use split::{
    Rehearsed, SplitError, SplitFit, SplitFitted, SplitPurse, SplitRehearsal, SplitSettings, SplitTable, SplitVerified,
};
pub use worth::Worth;

/// Bits of an attribute's code unless others are asked for: those of SZY19.
pub const DEFAULT_BITS: u32 = 1000;

/// Half the width of a window as a share of its column's range, unless another is asked for: SZY19's, which keeps distances
/// across the whole range.
pub const DEFAULT_WINDOW: f64 = 0.5;

/// The δ at which a loss is shown next to the pure one, unless another is asked for.
pub const DEFAULT_DELTA: &str = "1e-6";

/// Bytes for codes and distances, unless others are allowed.
pub const DEFAULT_MEMORY: u64 = 4 << 30;
