//! The walk of many rows down a tree of boxes.
//!
//! The rows of a tile go down together, a level at a time: their steps do not wait for each other, and memory answers
//! many at once. A node is eight bytes, and there is no branch to mispredict: a row that has arrived at its leaf steps from the
//! leaf to itself. A node knows which of its parts are leaves, so rows that have all arrived are not looked at again.

use crate::{BoxTree, Node};
use shoal_lattice::{LatticePoints, TILE};

/// The bits of a number that count steps; the others say what is a leaf.
const NUMBER: u32 = (1 << 30) - 1;

/// Set in the place of a row that has arrived.
const ARRIVED: u32 = 1 << 31;

/// A node: rows at `at` or above go to `below + 1`, the others to `below`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Step {
    /// The number of a step; bits 30 and 31 are set where that step and the next are leaves.
    below: u32,
    at: i16,
    axis: u16,
}

/// A tree, packed for walking.
pub(super) struct BoxWalk {
    steps: Vec<Step>,
    /// Numbers of the leaves, by step.
    leaves: Vec<u32>,
}

impl BoxWalk {
    /// The walk of a tree; none for one with more attributes or boxes than fit into a step.
    pub fn new(tree: &BoxTree) -> Option<Self> {
        u16::try_from(tree.dims()).ok()?;
        let nodes = tree.nodes();
        if nodes.len() > NUMBER as usize {
            return None;
        }
        let is_leaf = |node: u32| u32::from(matches!(nodes[node as usize], Node::Leaf));
        // Both parts of a box side by side, level after level.
        let mut order = Vec::with_capacity(nodes.len());
        order.push(0);
        let (mut steps, mut leaves) = (Vec::with_capacity(nodes.len()), Vec::with_capacity(nodes.len()));
        while let Some(&node) = order.get(steps.len()) {
            let own = steps.len() as u32;
            steps.push(match nodes[node as usize] {
                // Every coordinate is at this one or above, which leads back here.
                Node::Leaf => Step { below: own.wrapping_sub(1) | !NUMBER, at: i16::MIN, axis: 0 },
                Node::Split { axis, at, below, above } => {
                    let parts = order.len() as u32 | is_leaf(below) << 30 | is_leaf(above) << 31;
                    let step = Step { below: parts, at, axis: axis as u16 };
                    order.extend([below, above]);
                    step
                }
            });
            leaves.push(tree.leaf_number(node));
        }
        Some(Self { steps, leaves })
    }

    /// The steps: parents before children, both children of a box side by side, level after level.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The number of the leaf that a step is.
    pub fn leaf(&self, step: u32) -> u32 {
        self.leaves[step as usize]
    }

    /// The leaves of the rows of a tile; those of its padding mean nothing.
    pub fn leaves(&self, points: &LatticePoints, tile: usize) -> [u32; TILE] {
        self.walk(points, tile, [self.start(0); TILE]).map(|step| self.leaf(step))
    }

    /// A step as a place to start from.
    pub fn start(&self, step: u32) -> u32 {
        if self.steps[step as usize].is_leaf(step as usize) { step | ARRIVED } else { step }
    }

    /// The steps at which the rows of a tile arrive, each from a [start](Self::start) of its own, whose box holds it.
    pub fn walk(&self, points: &LatticePoints, tile: usize, mut at: [u32; TILE]) -> [u32; TILE] {
        let cells = points.tile_cells(tile..tile + 1);
        while at.iter().fold(ARRIVED, |all, at| all & at) == 0 {
            for (lane, at) in at.iter_mut().enumerate() {
                let step = self.steps[(*at & NUMBER) as usize];
                let axis = usize::from(step.axis);
                let x = cells[(axis / 2) * 2 * TILE + lane * 2 + axis % 2];
                let part = u32::from(x >= step.at);
                let arrived = step.below >> (30 + part) << 31;
                *at = (step.below.wrapping_add(part) & NUMBER) | arrived;
            }
        }
        at.map(|at| at & NUMBER)
    }
}

impl Step {
    /// Whether it is a leaf; `own` is its own number.
    pub fn is_leaf(self, own: usize) -> bool {
        self.below == (own as u32).wrapping_sub(1) | !NUMBER
    }

    /// The first of its two parts, for one that is not a leaf.
    pub fn parts(self) -> u32 {
        self.below & NUMBER
    }

    /// Whether both are cut, and in the same place; `own` and `others` are their own numbers.
    pub fn is_cut_like(self, own: usize, other: Self, others: usize) -> bool {
        let cut = !self.is_leaf(own) && !other.is_leaf(others);
        cut && self.axis == other.axis && self.at == other.at
    }
}
