//! The number of clusters, chosen on released cells: free of charge.
//!
//! As many clusters as the evidence supports ([`crate::certainty::evidence`]), and one where no clusters show. Where the number
//! was given, the same evidence shows whether the release supports it.
//!
//! *Privacy.* Post-processing of a synopsis. A run with a given number draws no noise for it.

use crate::auto::run::{ReleasedCells, Run};
use crate::certainty::evidence::{Effort, evidence};
use crate::{Decision, Evidence};

/// The number of clusters that budgets are planned for when it is not known.
const PLANNED: usize = 8;

/// Most clusters that are considered unless the user asks for more.
pub const MOST: usize = 20;

/// The number of clusters to plan for when up to `most` may be chosen.
pub fn planned(most: usize) -> usize {
    PLANNED.min(most)
}

/// Weighs the evidence in what `run` has released, and takes the number of clusters from it where that is to be chosen.
pub fn weigh(released: &ReleasedCells, run: &mut Run<'_>) -> Option<Evidence> {
    let effort = match run.choose_up_to {
        Some(most) => Effort::to_choose(most),
        // Who wants no reruns wants no reference tables.
        None if run.kmeans.reruns == 0 => return None,
        None => Effort::to_check(run.kmeans.k),
    };
    let found = evidence(released, run, effort);
    if run.choose_up_to.is_some() {
        let k = found.as_ref().map_or(1, |evidence| evidence.supported);
        run.kmeans.k = k;
        run.decisions.push(Decision::ChoseK { k, evidence: found.clone(), scores: Vec::new() });
    }
    found
}
