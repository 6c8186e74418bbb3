//! A tree of boxes that grows level by level, where a noisy count says that there are rows.
//!
//! Each look counts the rows in boxes several levels below those that are not decided yet, so that a table on disk is read a
//! few times and not once a level; then the levels are decided from the top, each from exact counts and fresh noise.
//!
//! *Privacy.* That of [`TreeSplitMechanism`], whatever the number of boxes: the decisions are all that the shape of the tree,
//! the number of looks and what is asked in them depend on. A limit on leaves or depth stops the growth as a function
//! of earlier decisions, and a box that is left whole for it costs nothing.
//!
//! *Runtime.* A look per five to seventeen levels, and one draw per box.
//!
//! *Assumes.* As [`TreeSplitMechanism`].

use shoal_noise::NoiseSource;
use shoal_privacy::{Assumption, Claim, ManyLooks, Neighbours, Numerics, Sensitive};

use crate::CutRule;
use crate::TreeSplitMechanism;
use crate::synopsis::tree_plan::{Boxes, Plan};
use shoal_release::transcript::witness_tree;
use shoal_scan::{BoxTree, Node};

/// Limits of the growth; all public.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeLimits {
    /// Leaves at most.
    pub leaves: usize,
    /// Cuts above a box at most.
    pub depth: u32,
    /// Boxes that a look counts, as long as one level more does not need more.
    pub boxes_per_look: usize,
}

impl TreeLimits {
    /// What suits a table of `dims` attributes: up to a million leaves, and six cuts of every side.
    pub fn for_dims(dims: usize) -> Self {
        Self { leaves: 1 << 20, depth: (6 * dims).clamp(32, 128) as u32, boxes_per_look: 1 << 17 }
    }
}

/// A grown tree, and the exact counts of its leaves, which are still sensitive.
pub struct Grown {
    /// The tree, its nodes in the order of a walk that goes below before above.
    pub tree: BoxTree,
    /// How many rows each leaf has.
    pub counts: Sensitive<Vec<u64>>,
    /// True when the limit on leaves stopped the growth.
    pub stopped: bool,
}

/// The growth of a tree, for an accountant to run.
pub(crate) struct TreeGrowth<'a> {
    split: &'a TreeSplitMechanism,
    rule: &'a dyn CutRule,
    limits: TreeLimits,
    noise: &'a mut dyn NoiseSource,
    /// Decided boxes, parents before children; those still open are leaves here.
    nodes: Vec<Node>,
    /// Rows of each leaf.
    rows: Vec<u64>,
    /// The nodes that are open, all of one depth.
    open: Vec<u32>,
    depth: u32,
    leaves: usize,
    stopped: bool,
    plan: Plan,
    dims: usize,
}

impl<'a> TreeGrowth<'a> {
    /// One box, the whole space.
    pub fn new(
        dims: usize,
        split: &'a TreeSplitMechanism,
        rule: &'a dyn CutRule,
        limits: TreeLimits,
        noise: &'a mut dyn NoiseSource,
    ) -> Self {
        let plan = Plan::new(Boxes::whole(dims), 0, rule, &limits);
        let (nodes, rows) = (vec![Node::Leaf], vec![0]);
        witness_tree(split, noise);
        Self { split, rule, limits, noise, nodes, rows, open: vec![0], depth: 0, leaves: 1, stopped: false, plan, dims }
    }

    /// The number that a planned box has in the tree of the question.
    fn in_question(&self, planned: u32) -> u32 {
        match self.open.get(planned as usize) {
            Some(&open) => open,
            None => (self.nodes.len() + planned as usize - self.open.len()) as u32,
        }
    }

    /// Exact counts of all planned boxes.
    fn sum_up(&self, answer: &[u64]) -> Vec<u64> {
        let mut rows = vec![0; self.plan.nodes.len()];
        let question = self.tree_of_question();
        let mut leaf = 0;
        let mut planned_of = vec![u32::MAX; question.len()];
        for planned in 0..rows.len() as u32 {
            planned_of[self.in_question(planned) as usize] = planned;
        }
        for (node, planned) in question.iter().zip(planned_of) {
            if *node == Node::Leaf {
                if planned != u32::MAX {
                    rows[planned as usize] = answer[leaf];
                }
                leaf += 1;
            }
        }
        for number in (0..rows.len()).rev() {
            if let Some((_, _, first)) = self.plan.nodes[number].cut {
                rows[number] = rows[first as usize] + rows[first as usize + 1];
            }
        }
        rows
    }

    fn tree_of_question(&self) -> Vec<Node> {
        let mut nodes = self.nodes.clone();
        nodes.resize(nodes.len() + self.plan.nodes.len() - self.open.len(), Node::Leaf);
        for (number, planned) in self.plan.nodes.iter().enumerate() {
            if let Some((axis, at, first)) = planned.cut {
                let (below, above) = (self.in_question(first), self.in_question(first + 1));
                nodes[self.in_question(number as u32) as usize] = Node::Split { axis, at, below, above };
            }
        }
        nodes
    }

    /// Decides the planned boxes level by level; those of the last level stay open if they can be cut at all.
    fn decide(&mut self, rows: &[u64]) {
        let plan = std::mem::replace(&mut self.plan, Plan::none(self.dims));
        // The decided node of each planned box that was reached.
        let mut reached: Vec<Option<u32>> = vec![None; plan.nodes.len()];
        for (reached, &open) in reached.iter_mut().zip(&self.open) {
            *reached = Some(open);
        }
        let mut boxes = Boxes::none(self.dims);
        let mut level_end = self.open.len();
        let (mut level, mut next_end) = (0, level_end);
        self.open.clear();
        for number in 0..plan.nodes.len() {
            if number == level_end {
                level += 1;
                level_end = next_end;
            }
            if let Some((_, _, first)) = plan.nodes[number].cut {
                next_end = first as usize + 2;
            }
            let Some(node) = reached[number] else { continue };
            self.rows[node as usize] = rows[number];
            if level == plan.levels {
                self.open.push(node);
                let (low, high) = plan.boxes.get(number);
                boxes.push(low, high);
                continue;
            }
            let Some((axis, at, first)) = plan.nodes[number].cut else { continue };
            if self.leaves >= self.limits.leaves {
                self.stopped = true;
            } else if self.split.cuts(rows[number], self.depth + level, self.noise) {
                let below = self.nodes.len() as u32;
                self.nodes[node as usize] = Node::Split { axis, at, below, above: below + 1 };
                self.nodes.extend([Node::Leaf; 2]);
                self.rows.extend([0; 2]);
                (reached[first as usize], reached[first as usize + 1]) = (Some(below), Some(below + 1));
                self.leaves += 1;
            }
        }
        self.depth += plan.levels;
        if self.depth >= self.limits.depth || self.stopped {
            self.open.clear();
        } else {
            self.plan = Plan::new(boxes, self.depth, self.rule, &self.limits);
            if self.plan.nodes.len() == self.open.len() {
                // None of them can be cut, and their rows are known.
                self.open.clear();
            }
        }
    }
}

impl ManyLooks for TreeGrowth<'_> {
    type Question = BoxTree;
    type Input = Vec<u64>;
    type Output = Grown;

    fn claim(&self) -> Claim {
        claim(self.split)
    }

    fn question(&self) -> Option<BoxTree> {
        (!self.open.is_empty()).then(|| BoxTree::new(self.dims, self.tree_of_question()))
    }

    fn take(&mut self, answer: Vec<u64>) {
        let rows = self.sum_up(&answer);
        self.decide(&rows);
    }

    fn finish(self) -> Grown {
        let (nodes, from) = below_before_above(&self.nodes);
        let leaves = nodes.iter().zip(&from).filter(|(node, _)| **node == Node::Leaf);
        let counts = leaves.map(|(_, &old)| self.rows[old as usize]).collect();
        Grown { tree: BoxTree::new(self.dims, nodes), counts: Sensitive::new(counts), stopped: self.stopped }
    }
}

/// What a tree promises.
pub(crate) fn claim(split: &TreeSplitMechanism) -> Claim {
    Claim {
        neighbours: Neighbours::AddRemoveOne,
        loss: split.loss(),
        numerics: Numerics::Exact,
        assumes: [Assumption::BoundsPublic, Assumption::OneRowPerPerson].into(),
    }
}

/// The nodes in the order of a walk, and the number that each had before.
pub(crate) fn below_before_above(nodes: &[Node]) -> (Vec<Node>, Vec<u32>) {
    let (mut walked, mut from) = (Vec::with_capacity(nodes.len()), Vec::with_capacity(nodes.len()));
    // A node, and the one that is waiting to hear where its upper part went.
    let mut waiting: Vec<(u32, Option<usize>)> = vec![(0, None)];
    while let Some((old, parent)) = waiting.pop() {
        let new = walked.len() as u32;
        if let Some(Node::Split { above, .. }) = parent.map(|parent: usize| &mut walked[parent]) {
            *above = new;
        }
        let mut node = nodes[old as usize];
        if let Node::Split { below, above, .. } = &mut node {
            waiting.push((*above, Some(new as usize)));
            waiting.push((*below, None));
            *below = new + 1;
        }
        walked.push(node);
        from.push(old);
    }
    (walked, from)
}
