//! Sample and aggregate with contiguous blocks that are sized by the number of rows, as GUPT's code cuts them.
//!
//! *Sold as.* ε-DP for adding or removing one row: ℓ blocks, the median of each, Lap(1/(ℓ·ε)) on their mean, as a row is in
//! one block only.
//!
//! *Fault.* With one row more the blocks are longer, and every block after the first has other rows than before.
//!
//! *Repaired.* A row's block follows from its own number, so that others stay where they are.
//!
//! *Audit.* Events on the mean, 30 rows against 31.

use shoal_privacy::{Epsilon, Loss, Neighbours};

use super::entry::{Case, KnownBad, Version, by_events, laplace_f64, sold_as};
use crate::{RunFailure, TargetInfo, each};

/// Blocks.
const BLOCKS: usize = 10;

/// Blocks that move when a row comes.
pub struct ShiftingBlocks;

/// The rows of each block.
fn blocks(rows: &[f64], version: Version) -> Vec<Vec<f64>> {
    let size = rows.len().div_ceil(BLOCKS).max(1);
    let mut blocks = vec![Vec::new(); BLOCKS];
    for (i, row) in rows.iter().enumerate() {
        let block = if version.is_faulty() { i / size } else { i % BLOCKS };
        blocks[block].push(*row);
    }
    blocks
}

/// The lower median; the middle of the range for a block without rows.
fn median(mut rows: Vec<f64>) -> f64 {
    rows.sort_by(f64::total_cmp);
    if rows.is_empty() { 0.5 } else { rows[(rows.len() - 1) / 2] }
}

impl KnownBad for ShiftingBlocks {
    fn info(&self) -> TargetInfo {
        TargetInfo {
            name: "shifting-blocks",
            group: "known-bad",
            what: "sample and aggregate whose blocks shift when a row is added (GUPT); events on the mean",
        }
    }

    fn cases(&self, epsilon: &Epsilon, version: Version) -> Result<Vec<Case>, RunFailure> {
        let claim = sold_as(Loss::Pure(epsilon.clone()), Neighbours::AddRemoveOne);
        let scale = 1.0 / (BLOCKS as f64 * epsilon.to_f64_up());
        let mean = |rows: usize| {
            let rows: Vec<f64> = (0..rows).map(|i| if i % 3 == 0 { 0.0 } else { 1.0 }).collect();
            let exact = blocks(&rows, version).into_iter().map(median).sum::<f64>() / BLOCKS as f64;
            each(move |noise, out| out.tell(((exact + laplace_f64(scale, noise)) * 1e4).round()))
        };
        let setting = format!("{BLOCKS} blocks, 30 rows in [0, 1], ε = {epsilon}");
        let sides = (mean(30), mean(31));
        let remark = "by events on the mean: one row changes many blocks";
        Ok(vec![by_events(setting, &claim, sides, "30 rows, and the same with one more", (20_000, 400_000), remark)])
    }
}
