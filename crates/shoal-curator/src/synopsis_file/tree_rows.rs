//! A tree of boxes as three numbers for each leaf, from below to above.
//!
//! Of two leaves that follow each other, one is the last below some cut and the other the first above it, and every cut lies
//! between two such leaves. So a leaf's row has its depth and the cut between it and the next leaf; depths and cuts
//! give the tree back, and a cut that does not go through its box gives the file away.

use shoal_lattice::HALF_WIDTH;
use shoal_scan::{BoxTree, Node};

/// The axis of the last leaf's cut, which there is none of.
const NO_CUT: i64 = -1;

/// The columns that describe a tree: name and values, one per leaf.
pub(crate) struct TreeRows {
    /// Cuts above each leaf.
    pub depth: Vec<i64>,
    /// The attribute of the cut between a leaf and the next, from zero; the last leaf has −1.
    pub axis: Vec<i64>,
    /// The first lattice coordinate above that cut; the last leaf has 0.
    pub at: Vec<i64>,
}

/// The names of the columns.
pub(crate) const DEPTH: &str = "depth";
pub(crate) const AXIS: &str = "cut_column";
pub(crate) const AT: &str = "cut_at";

/// What is still to be visited.
enum Visit {
    Node(u32, i64),
    Cut(u32, i16),
}

impl TreeRows {
    /// The rows of a tree whose nodes are in walking order.
    pub fn of(tree: &BoxTree) -> Self {
        let mut rows = Self { depth: Vec::new(), axis: Vec::new(), at: Vec::new() };
        let mut visits = vec![Visit::Node(0, 0)];
        while let Some(visit) = visits.pop() {
            match visit {
                Visit::Cut(axis, at) => {
                    // Something below every cut was visited before it.
                    let last = rows.depth.len() - 1;
                    (rows.axis[last], rows.at[last]) = (axis.into(), at.into());
                }
                Visit::Node(number, depth) => match tree.nodes()[number as usize] {
                    Node::Leaf => {
                        rows.depth.push(depth);
                        rows.axis.push(NO_CUT);
                        rows.at.push(0);
                    }
                    Node::Split { axis, at, below, above } => {
                        visits.push(Visit::Node(above, depth + 1));
                        visits.push(Visit::Cut(axis, at));
                        visits.push(Visit::Node(below, depth + 1));
                    }
                },
            }
        }
        rows
    }

    /// The tree, or what is wrong with the rows.
    pub fn tree(&self, dims: usize) -> Result<BoxTree, &'static str> {
        // Neighbours of equal depth are the parts of one box: join them until one box is left.
        struct Joined {
            node: usize,
            depth: i64,
            last_leaf: usize,
        }
        let mut parts: Vec<Option<(usize, usize, usize)>> = Vec::new();
        let mut joined: Vec<Joined> = Vec::new();
        for (leaf, &depth) in self.depth.iter().enumerate() {
            parts.push(None);
            joined.push(Joined { node: parts.len() - 1, depth, last_leaf: leaf });
            while let [.., below, above] = &joined[..]
                && below.depth == above.depth
            {
                parts.push(Some((below.node, above.node, below.last_leaf)));
                let whole =
                    Joined { node: parts.len() - 1, depth: above.depth.saturating_sub(1), last_leaf: above.last_leaf };
                joined.truncate(joined.len() - 2);
                joined.push(whole);
            }
        }
        let [Joined { node: root, depth: 0, last_leaf }] = joined[..] else {
            return Err("its boxes do not fill the space");
        };
        if self.axis[last_leaf] != NO_CUT || self.at[last_leaf] != 0 {
            return Err("there is nothing above its last box");
        }
        self.in_walking_order(dims, &parts, root)
    }

    fn in_walking_order(
        &self,
        dims: usize,
        parts: &[Option<(usize, usize, usize)>],
        root: usize,
    ) -> Result<BoxTree, &'static str> {
        let whole = (vec![-HALF_WIDTH as i16; dims], vec![HALF_WIDTH as i16; dims]);
        let mut nodes: Vec<Node> = Vec::with_capacity(parts.len());
        let mut waiting = vec![(root, whole, None)];
        while let Some((part, (low, high), parent)) = waiting.pop() {
            let number = nodes.len() as u32;
            if let Some(parent) = parent
                && let Node::Split { above, .. } = &mut nodes[parent as usize]
            {
                *above = number;
            }
            let Some((below, above, cut)) = parts[part] else {
                nodes.push(Node::Leaf);
                continue;
            };
            let axis = usize::try_from(self.axis[cut]).ok().filter(|&axis| axis < dims);
            let axis = axis.ok_or("a cut is across no column")?;
            let at = i16::try_from(self.at[cut]).ok().filter(|&at| low[axis] < at && at <= high[axis]);
            let at = at.ok_or("a cut does not go through its box")?;
            nodes.push(Node::Split { axis: axis as u32, at, below: number + 1, above: 0 });
            let (mut ends, mut begins) = (high.clone(), low.clone());
            (ends[axis], begins[axis]) = (at - 1, at);
            waiting.push((above, (begins, high), Some(number)));
            waiting.push((below, (low, ends), None));
        }
        Ok(BoxTree::new(dims, nodes))
    }
}
