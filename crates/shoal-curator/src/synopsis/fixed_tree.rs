//! The release of a tree of fixed depth: all boxes at once, each with a noisy count.
//!
//! Every box is cut as often as every other one, where a rule says ([`CutRule`]), and the boxes of the last level are counted
//! in one query. Nothing is spent on deciding which boxes to cut, so the counts get all of the budget; where rows are few,
//! there is nothing to decide.
//!
//! *Privacy.* Pure ε-DP for adding or removing one row: the cuts follow from public or released numbers, so neighbouring
//! tables have the same boxes; boxes are disjoint and cover the space, so one row changes one count, by 1; one
//! [`NoisyCountsMechanism`] with all of ε.
//!
//! *Utility.* 2^depth boxes, standard deviation about √2/ε on each count.
//!
//! *Runtime.* One scan.
//!
//! *Assumes.* Public bounds; one row per person; a depth that is public or was released.

use shoal_noise::NoiseSource;
use shoal_privacy::{Accountant, Claim, Epsilon};

use crate::CutRule;
use crate::Decision;
use crate::FitError;
use crate::NoisyCountsMechanism;
use crate::RowMechanism;
use crate::Synopsis;
use crate::TreeLimits;
use crate::auto::steps::counts;
use crate::synopsis::tree_growth::below_before_above;
use crate::synopsis::tree_plan::{Boxes, Plan};
use shoal_release::{LocalReleaser, Releaser};
use shoal_scan::{BoxTree, Node, Question, Scan};

/// Cuts above a box at most: 2^20 boxes.
pub const MOST_DEPTH: u32 = 20;

/// The release of a tree whose boxes are all of one depth, or single positions above it.
pub struct FixedTreeRelease {
    tree: BoxTree,
    depth: u32,
    counts: NoisyCountsMechanism,
}

impl FixedTreeRelease {
    /// Boxes after `depth` cuts by `rule`, counted for exactly `epsilon`. A box that the rule leaves whole stays whole.
    pub fn new(dims: usize, depth: u32, rule: &dyn CutRule, epsilon: &Epsilon) -> Result<Self, FitError> {
        if dims == 0 {
            return Err(FitError::NoAttributes);
        }
        let depth = depth.min(MOST_DEPTH);
        let limits = TreeLimits { leaves: 1 << depth, depth, boxes_per_look: usize::MAX };
        let plan = Plan::new(Boxes::whole(dims), 0, rule, &limits);
        let node = |cut: Option<(u32, i16, u32)>| match cut {
            Some((axis, at, first)) => Node::Split { axis, at, below: first, above: first + 1 },
            None => Node::Leaf,
        };
        let level_by_level: Vec<Node> = plan.nodes.iter().map(|planned| node(planned.cut)).collect();
        let (nodes, _) = below_before_above(&level_by_level);
        Ok(Self { tree: BoxTree::new(dims, nodes), depth, counts: NoisyCountsMechanism::new(epsilon)? })
    }

    /// The boxes.
    pub fn tree(&self) -> &BoxTree {
        &self.tree
    }

    /// What the release promises.
    pub fn claim(&self) -> Claim {
        self.counts.claim()
    }

    /// Standard deviation of the noise on a count, drawn once.
    pub fn count_noise(&self) -> f64 {
        self.counts.variance().sqrt()
    }

    /// Decay of the noise on a count, per row.
    pub fn count_decay(&self) -> f64 {
        self.counts.epsilon().to_f64_up()
    }

    /// Counts the boxes and releases them with noise.
    pub fn run(
        &self,
        scan: &dyn Scan,
        accountant: &mut Accountant,
        noise: &mut dyn NoiseSource,
        decisions: &mut Vec<Decision>,
    ) -> Result<Synopsis, FitError> {
        self.run_with(&mut LocalReleaser::new(scan, accountant, noise), decisions)
    }

    /// [`FixedTreeRelease::run`] through any releaser.
    pub fn run_with(&self, releaser: &mut dyn Releaser, decisions: &mut Vec<Decision>) -> Result<Synopsis, FitError> {
        let question = Question::BoxCounts { tree: self.tree.clone() };
        let (noisy, variance) = counts(releaser, question, &self.counts.epsilon())?;
        let (boxes, depth) = (self.tree.leaves(), self.depth);
        decisions.push(Decision::FixedTree { boxes, depth, counts: self.counts.epsilon() });
        let tree = self.tree.clone();
        let synopsis = Synopsis::new(tree, noisy, variance.sqrt(), releaser.promised(), releaser.is_seeded());
        Ok(synopsis.decided(decisions))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::WidestSide;
    use shoal_lattice::HALF_WIDTH;

    fn release(dims: usize, depth: u32) -> FixedTreeRelease {
        FixedTreeRelease::new(dims, depth, &WidestSide::new(dims), &"1".parse().unwrap()).unwrap()
    }

    #[test]
    fn boxes_are_all_of_the_depth_and_fill_the_space() {
        for (dims, depth) in [(1, 0), (1, 5), (3, 7), (7, 9)] {
            let release = release(dims, depth);
            assert!(release.tree().leaves() == 1 << depth && release.tree().is_in_walking_order());
            let boxes = release.tree().leaf_boxes();
            let positions = f64::from(2 * HALF_WIDTH + 1);
            let volume = |leaf: usize| -> f64 {
                let side = |axis: usize| f64::from(boxes.high(leaf)[axis]) - f64::from(boxes.low(leaf)[axis]) + 1.0;
                (0..dims).map(|axis| side(axis) / positions).product()
            };
            let filled: f64 = (0..boxes.count()).map(volume).sum();
            assert!((filled - 1.0).abs() < 1e-9, "{dims} {depth}: {filled}");
        }
    }

    #[test]
    fn single_positions_stay_whole_and_depth_has_an_end() {
        assert_eq!(release(1, 18).tree().leaves(), 65_535);
        assert_eq!(release(2, 40).depth, MOST_DEPTH);
    }
}
