//! Which boxes the next look counts, on the way to a tree: those that are not decided yet, and several levels of their parts.
//!
//! A plan follows from earlier decisions and public numbers; no count has a part in it.

use crate::CutRule;
use crate::TreeLimits;
use shoal_lattice::HALF_WIDTH;

/// Boxes side by side in memory.
pub(crate) struct Boxes {
    dims: usize,
    low: Vec<i16>,
    high: Vec<i16>,
}

impl Boxes {
    pub fn whole(dims: usize) -> Self {
        Self { dims, low: vec![-HALF_WIDTH as i16; dims], high: vec![HALF_WIDTH as i16; dims] }
    }

    pub fn none(dims: usize) -> Self {
        Self { dims, low: Vec::new(), high: Vec::new() }
    }

    pub fn get(&self, number: usize) -> (&[i16], &[i16]) {
        let range = number * self.dims..(number + 1) * self.dims;
        (&self.low[range.clone()], &self.high[range])
    }

    pub fn push(&mut self, low: &[i16], high: &[i16]) {
        self.low.extend(low);
        self.high.extend(high);
    }

    /// Makes room for so many boxes and no more: lists that double their room would take half as much again.
    pub fn reserve(&mut self, boxes: usize) {
        self.low.reserve_exact(boxes * self.dims);
        self.high.reserve_exact(boxes * self.dims);
    }

    /// Adds both parts of a box of this list.
    pub fn push_parts(&mut self, number: usize, axis: usize, at: i16) {
        let (from, to) = (number * self.dims, self.low.len());
        for _ in 0..2 {
            self.low.extend_from_within(from..from + self.dims);
            self.high.extend_from_within(from..from + self.dims);
        }
        self.high[to + axis] = at - 1;
        self.low[to + self.dims + axis] = at;
    }
}

/// A box on the way to being decided, level after level.
#[derive(Clone, Copy)]
pub(crate) struct Planned {
    /// Where it would be cut, and the first of its two parts in the plan.
    pub cut: Option<(u32, i16, u32)>,
}

/// The boxes that the next look counts: those that are not decided yet, then their parts, level by level.
pub(crate) struct Plan {
    /// The boxes themselves.
    pub boxes: Boxes,
    /// How they hang together.
    pub nodes: Vec<Planned>,
    /// Levels that can be decided.
    pub levels: u32,
}

impl Plan {
    /// Nothing to ask.
    pub fn none(dims: usize) -> Self {
        Self { boxes: Boxes::none(dims), nodes: Vec::new(), levels: 0 }
    }

    /// As many levels below these boxes, which are of one depth, as a look may count.
    pub fn new(boxes: Boxes, depth: u32, rule: &dyn CutRule, limits: &TreeLimits) -> Self {
        let open = boxes.low.len() / boxes.dims;
        let mut plan = Self { nodes: vec![Planned { cut: None }; open], boxes, levels: 0 };
        let mut level = 0..open;
        // The first level is always planned: without it nothing would be decided.
        while !level.is_empty()
            && depth + plan.levels < limits.depth
            && (plan.levels == 0 || 2 * level.len() <= limits.boxes_per_look)
        {
            plan.boxes.reserve(2 * level.len());
            plan.nodes.reserve_exact(2 * level.len());
            for number in level.clone() {
                let (low, high) = plan.boxes.get(number);
                if let Some((axis, at)) = rule.cut(low, high, depth + plan.levels) {
                    assert!(low[axis] < at && at <= high[axis], "a cut goes through its box");
                    plan.nodes[number].cut = Some((axis as u32, at, plan.nodes.len() as u32));
                    plan.nodes.extend([Planned { cut: None }; 2]);
                    plan.boxes.push_parts(number, axis, at);
                }
            }
            level = level.end..plan.nodes.len();
            plan.levels += 1;
        }
        plan
    }
}
