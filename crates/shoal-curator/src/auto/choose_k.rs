//! The number of clusters, chosen on released cells: free of charge.
//!
//! As many clusters as the evidence supports ([`crate::certainty::evidence`]), and one where no clusters show. Where the number
//! was given, the same evidence shows whether the release supports it.
//!
//! *Privacy.* Post-processing of a synopsis. A run with a given number draws no noise for it.

use crate::auto::counts_along::two_heaps;
use crate::auto::run::{ReleasedCells, Run};
use crate::certainty::evidence::{Effort, evidence};
use crate::{Decision, Evidence, FitError};

/// The number of clusters that budgets are planned for when it is not known.
const PLANNED: usize = 8;

/// Most clusters that are considered unless the user asks for more.
pub const MOST: usize = 20;

/// The number of clusters to plan for when up to `most` may be chosen.
pub fn planned(most: usize) -> usize {
    PLANNED.min(most)
}

/// Weighs the evidence in what `run` has released, and takes the number of clusters from it where that is to be chosen. Where
/// it is and none show, `look` thousandths of the budget pay for a query about the rows.
pub fn weigh(released: &ReleasedCells, run: &mut Run<'_>, look: Option<u64>) -> Result<Option<Evidence>, FitError> {
    let effort = match run.choose_up_to {
        Some(most) => Effort::to_choose(most),
        // Who wants no reruns wants no reference tables.
        None if run.kmeans.reruns == 0 => return Ok(None),
        None => Effort::to_check(run.kmeans.k),
    };
    let weighed = evidence(released, run, effort);
    let mut found = weighed.as_ref().map(|weighed| weighed.evidence.clone());
    if run.choose_up_to.is_some() {
        if let (Some(thousandths), Some(found), Some(weighed)) = (look, &mut found, weighed)
            && found.supported == 1
            && found.most_tried() > 1
            && two_heaps(run, &released.placed, thousandths)?
        {
            found.supported = weighed.if_any;
        }
        let k = found.as_ref().map_or(1, |evidence| evidence.supported);
        run.kmeans.k = k;
        run.decisions.push(Decision::ChoseK { k, evidence: found.clone(), scores: Vec::new() });
    }
    Ok(found)
}
