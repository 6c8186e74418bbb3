//! The number of clusters, chosen on released cells: free of charge.
//!
//! As many clusters as the evidence supports ([`crate::certainty::evidence`]), and one where no clusters show. Where the number
//! was given, the same evidence shows whether the release supports it.
//!
//! *Privacy.* Post-processing of a synopsis, and one paid look ([`crate::auto::counts_along`]). A run with a given number draws no noise for it.

use crate::auto::counts_along::in_two_heaps;
use crate::auto::run::{ReleasedCells, Run};
use crate::certainty::evidence::{Effort, Stage, Weighed, evidence};
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
/// it is, a part of the budget pays for a look at the rows: so many thousandths for each number of clusters to look at, if
/// the route can spare any.
pub fn weigh(
    released: &ReleasedCells,
    stage: Stage,
    run: &mut Run<'_>,
    look: Option<&dyn Fn(usize) -> u64>,
) -> Result<Option<Evidence>, FitError> {
    let effort = match run.choose_up_to {
        Some(most) => Effort::to_choose(most),
        // Who wants no reruns wants no reference tables.
        None if run.kmeans.reruns == 0 => return Ok(None),
        None => Effort::to_check(run.kmeans.k),
    };
    let Some(Weighed { mut evidence, if_any }) = evidence(released, stage, run, effort) else {
        if run.choose_up_to.is_some() {
            run.kmeans.k = 1;
            run.decisions.push(Decision::ChoseK { k: 1, evidence: None, scores: Vec::new() });
        }
        return Ok(None);
    };
    if let Some(most) = run.choose_up_to {
        if let Some(look) = look.filter(|_| evidence.most_tried() > 1) {
            let found = evidence.supported;
            let two_heaps = in_two_heaps(run, &released.placed, found, look(found))?;
            evidence.supported = match (found, two_heaps) {
                (_, 0) => found,
                (1, _) => if_any,
                (_, more) => (found + more).min(most),
            };
        }
        run.kmeans.k = evidence.supported;
        let (k, evidence) = (evidence.supported, Some(evidence.clone()));
        run.decisions.push(Decision::ChoseK { k, evidence, scores: Vec::new() });
    }
    Ok(Some(evidence))
}
