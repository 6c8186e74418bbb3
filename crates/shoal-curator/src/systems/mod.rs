//! One file for each system of a paper.

pub(crate) mod block_sums;
pub(crate) mod breeding;
pub(crate) mod dplloyd;
pub(crate) mod eugkm;
pub(crate) mod gkm;
pub(crate) mod hybrid;
pub(crate) mod kccm;
pub(crate) mod knorm_lloyd;
pub(crate) mod output_quartiles;
pub(crate) mod output_range;
pub(crate) mod pgkm;
pub(crate) mod select_by_cost;
pub(crate) mod tree;

pub use block_sums::BlockSumsMechanism;
pub use breeding::{Genome, children, random_genome};
pub use dplloyd::{DpLloyd, DpLloydParams, Start};
pub use eugkm::{Eugkm, EugkmParams};
pub use gkm::{Blocks, Gkm, GkmParams};
pub use hybrid::{Hybrid, HybridParams};
pub use kccm::{Kccm, KccmParams, Merge, Shares};
pub use knorm_lloyd::{KNormLloyd, KNormLloydParams};
pub use output_quartiles::OutputQuartilesMechanism;
pub use output_range::{OutputRange, RangeRule};
pub use pgkm::{MOST_PUBLISHED_ROUNDS, Pgkm, PgkmParams, Rounds};
pub use select_by_cost::SelectByCostMechanism;
pub use tree::{Tree, TreeParams};
