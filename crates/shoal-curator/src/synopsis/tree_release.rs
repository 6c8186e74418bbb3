//! The release of a tree of boxes with noisy counts: the shape first, then the leaves.
//!
//! *Privacy.* Pure ε-DP for adding or removing one row: the growth of the tree ([`TreeSplitMechanism`]) with its share of ε
//! or a little less, and one [`NoisyCountsMechanism`] on the leaves, which are disjoint, with all that is left: exactly ε
//! together.
//!
//! *Utility.* Boxes are small where rows are many, so attributes cost less than they do in a grid.
//!
//! *Runtime.* A few scans ([`crate::synopsis::tree_growth`]); the leaves' counts come with them.
//!
//! *Assumes.* Public bounds; one row per person.

use std::sync::Arc;

use shoal_lattice::{BoxLength, Widths};
use shoal_noise::NoiseSource;
use shoal_privacy::{Accountant, Amount, Claim, Epsilon, Loss, Parameter};

use crate::Decision;
use crate::ExpectedError;
use crate::FitError;
use crate::NoisyCountsMechanism;
use crate::RowMechanism;
use crate::Synopsis;
use crate::TreeLimits;
use crate::synopsis::tree_growth::{Grown, TreeGrowth, claim};
use crate::system::rest_of;
use crate::{CutRule, WidestSide};
use crate::{SplitShape, TreeSplitMechanism};
use shoal_scan::{Scan, ScanExt};

/// How a tree is released, not yet checked.
#[derive(Clone, Debug)]
pub struct TreeReleaseParams {
    /// The share of ε that decides which boxes are cut; the counts get what is left.
    pub structure_share: Amount,
    /// When boxes are cut.
    pub shape: SplitShape,
    /// Where boxes are cut.
    pub rule: Arc<dyn CutRule>,
    /// How far the tree may grow.
    pub limits: TreeLimits,
}

impl TreeReleaseParams {
    /// Half of ε for the shape, and the widest side of a box is cut.
    pub fn new(dims: usize) -> Self {
        Self {
            structure_share: Amount::ratio(1, 2),
            shape: SplitShape::default(),
            rule: Arc::new(WidestSide::new(dims)),
            limits: TreeLimits::for_dims(dims),
        }
    }
}

/// The release of a tree of boxes.
pub struct TreeRelease {
    params: TreeReleaseParams,
    dims: usize,
    split: TreeSplitMechanism,
    counts: NoisyCountsMechanism,
}

impl TreeRelease {
    /// Checks the parameters for a table of `dims` attributes. The claim is exactly `epsilon`.
    pub fn new(params: TreeReleaseParams, epsilon: &Epsilon, dims: usize) -> Result<Self, FitError> {
        if dims == 0 {
            return Err(FitError::NoAttributes);
        }
        if params.limits.leaves == 0 {
            let (given, wanted) = ("0".into(), "1 or more".into());
            return Err(FitError::Parameter { what: Parameter::MAX_BOXES, given, wanted });
        }
        rest_of(&params.structure_share, Parameter::STRUCTURE_SHARE, "the shape of the tree")?;
        let split = TreeSplitMechanism::for_epsilon(&epsilon.times(&params.structure_share), &params.shape)?;
        // Unwrap safety: the loss is not above a share below one.
        let rest = epsilon.amount().checked_sub(split.epsilon().amount()).unwrap();
        Ok(Self { counts: NoisyCountsMechanism::new(&Epsilon::new(rest))?, params, dims, split })
    }

    /// What the release promises.
    pub fn claim(&self) -> Claim {
        // Unwrap safety: both are pure and about the same neighbours.
        claim(&self.split).then(&self.counts.claim()).unwrap()
    }

    /// What decides which boxes are cut.
    pub fn split(&self) -> &TreeSplitMechanism {
        &self.split
    }

    /// Decay of the noise on a leaf's count, per row.
    pub fn count_decay(&self) -> f64 {
        match self.counts.loss() {
            Loss::Pure(epsilon) => epsilon.to_f64_up(),
            // Counts have a pure loss.
            _ => f64::INFINITY,
        }
    }

    /// Standard deviation of the noise on a leaf's count.
    pub fn count_noise(&self) -> f64 {
        self.counts.variance().sqrt()
    }

    /// Grows the tree and releases it with its noisy counts.
    pub fn run(
        &self,
        scan: &dyn Scan,
        accountant: &mut Accountant,
        noise: &mut dyn NoiseSource,
        decisions: &mut Vec<Decision>,
    ) -> Result<Synopsis, FitError> {
        let growth = TreeGrowth::new(self.dims, &self.split, &*self.params.rule, self.params.limits, noise);
        let grown = accountant.release_in_looks(growth, |tree| Ok::<_, FitError>(scan.box_counts(tree)?))?;
        let Grown { tree, counts, stopped } = grown.into_inner();
        let noisy = accountant.release(counts, self.counts.with(noise))?.into_inner();
        decisions.push(Decision::Tree {
            boxes: tree.leaves(),
            shape: self.split.epsilon().clone(),
            counts: self.counts.epsilon(),
            stopped,
        });
        let synopsis = Synopsis::new(tree, noisy, self.count_noise(), accountant.promised(), noise.is_seeded());
        Ok(synopsis.decided(decisions))
    }

    /// As for a grid (SCL16 eq. (9) per attribute), whose cells are cut as far as rows spread evenly would allow.
    pub(crate) fn expected_error(&self, rows: f64, k: usize) -> ExpectedError {
        let (d, k) = (self.dims as f64, k as f64);
        let (bias, threshold) = (self.split.bias() as f64, self.split.threshold() as f64);
        // A box of depth i holds rows/2^i and is cut while that is above θ + i·δ.
        let cut = |depth: u32| rows / 2f64.powi(depth as i32) > threshold + f64::from(depth) * bias;
        let depth = (0..self.params.limits.depth).take_while(|&depth| cut(depth)).count() as f64;
        let cells = depth.exp2().min(self.params.limits.leaves as f64);
        let variance = cells * k.powf((d - 2.0) / d) * self.counts.variance() / (3.0 * rows * rows);
        let width = cells.powf(-1.0 / d);
        let noise = BoxLength::variance_in_widths(variance);
        ExpectedError::of_width(Widths((noise + width * width / 12.0).sqrt()))
    }
}
