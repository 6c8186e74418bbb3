//! A tree of axis-parallel boxes that covers the whole box, and the box each row falls into.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use shoal_lattice::HALF_WIDTH;

/// A box that is cut in two, or one that is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Node {
    /// Rows with a coordinate below `at` go to node `below`, the others to node `above`.
    Split {
        /// The attribute that decides.
        axis: u32,
        /// The first coordinate of the upper part.
        at: i16,
        /// Number of the node for the lower part.
        below: u32,
        /// Number of the node for the upper part.
        above: u32,
    },
    /// A box of the frontier.
    Leaf,
}

/// A tree of boxes. Node 0 is the root; leaves are numbered by their order in the list.
///
/// A copy shares its nodes with the original: trees can be large, and each query about one holds a copy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct BoxTree {
    dims: usize,
    #[serde(serialize_with = "write_nodes")]
    nodes: Arc<Vec<Node>>,
    #[serde(skip)]
    leaf_numbers: Arc<Vec<u32>>,
    #[serde(skip)]
    leaves: usize,
}

/// A tree as it is written, before anyone has checked it.
#[derive(Deserialize)]
struct Unchecked {
    dims: usize,
    nodes: Vec<Node>,
}

impl TryFrom<Unchecked> for BoxTree {
    type Error = NotATree;

    fn try_from(read: Unchecked) -> Result<Self, NotATree> {
        Self::checked(read.dims, read.nodes)
    }
}

fn write_nodes<S: serde::Serializer>(nodes: &Arc<Vec<Node>>, to: S) -> Result<S::Ok, S::Error> {
    nodes.as_slice().serialize(to)
}

/// Why nodes do not make a tree: such nodes could send a row in circles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "node {node} is not a tree node: the attribute of a split must exist, and its two children must come after it \
     and have no other parent"
)]
pub struct NotATree {
    /// The first such node, from zero. A tree without nodes lacks node 0.
    pub node: usize,
}

impl BoxTree {
    /// The whole box as one leaf.
    pub fn root(dims: usize) -> Self {
        Self::new(dims, vec![Node::Leaf])
    }

    /// A tree from its nodes.
    ///
    /// # Panics
    /// Where [`BoxTree::checked`] returns an error.
    pub fn new(dims: usize, nodes: Vec<Node>) -> Self {
        Self::checked(dims, nodes).unwrap_or_else(|wrong| panic!("{wrong}"))
    }

    /// A tree from nodes that may be anything.
    ///
    /// # Errors
    /// When there is no node, or a split names an attribute that does not exist, or a node that does not come after it or
    /// has another parent already.
    pub fn checked(dims: usize, nodes: Vec<Node>) -> Result<Self, NotATree> {
        if nodes.is_empty() || u32::try_from(nodes.len()).is_err() {
            return Err(NotATree { node: 0 });
        }
        let mut has_parent = vec![false; nodes.len()];
        let mut leaf_numbers = Vec::with_capacity(nodes.len());
        let mut leaves = 0;
        for (node, &kind) in nodes.iter().enumerate() {
            match kind {
                Node::Leaf => {
                    leaf_numbers.push(leaves as u32);
                    leaves += 1;
                }
                Node::Split { axis, below, above, .. } => {
                    let mut leads_to = |child: u32| {
                        let later = child as usize > node;
                        later && has_parent.get_mut(child as usize).is_some_and(|taken| !std::mem::replace(taken, true))
                    };
                    if axis as usize >= dims || !leads_to(below) || !leads_to(above) {
                        return Err(NotATree { node });
                    }
                    leaf_numbers.push(u32::MAX);
                }
            }
        }
        Ok(Self { dims, nodes: Arc::new(nodes), leaf_numbers: Arc::new(leaf_numbers), leaves })
    }

    /// Number of attributes.
    pub fn dims(&self) -> usize {
        self.dims
    }

    /// Number of leaves.
    pub fn leaves(&self) -> usize {
        self.leaves
    }

    /// The nodes, parents before children.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The number of the leaf that a node is; no number of a leaf for one that is cut.
    pub(crate) fn leaf_number(&self, node: u32) -> u32 {
        self.leaf_numbers[node as usize]
    }

    /// True when the nodes are in the order of a walk that goes below before above: leaves are numbered from below to
    /// above then, and no node is left out.
    pub fn is_in_walking_order(&self) -> bool {
        let mut waiting = vec![0];
        let in_order = |number: usize| {
            let follows = waiting.pop() == Some(number as u32);
            if let Node::Split { below, above, .. } = self.nodes[number] {
                waiting.extend([above, below]);
            }
            follows
        };
        (0..self.nodes.len()).all(in_order)
    }

    /// The boxes of the leaves, by number.
    pub fn leaf_boxes(&self) -> LeafBoxes {
        let whole = (vec![-HALF_WIDTH as i16; self.dims], vec![HALF_WIDTH as i16; self.dims]);
        let mut boxes: Vec<Option<(Vec<i16>, Vec<i16>)>> = vec![None; self.nodes.len()];
        boxes[0] = Some(whole);
        let mut leaves = LeafBoxes { dims: self.dims, low: Vec::new(), high: Vec::new() };
        for (number, node) in self.nodes.iter().enumerate() {
            // A node that no other leads to holds no row, and no box.
            let Some((low, high)) = boxes[number].take() else {
                if *node == Node::Leaf {
                    leaves.low.extend(std::iter::repeat_n(0, self.dims));
                    leaves.high.extend(std::iter::repeat_n(-1, self.dims));
                }
                continue;
            };
            match *node {
                Node::Leaf => {
                    leaves.low.extend(low);
                    leaves.high.extend(high);
                }
                Node::Split { axis, at, below, above } => {
                    let (mut ends, mut begins) = (high.clone(), low.clone());
                    // Nothing is below the lowest coordinate.
                    ends[axis as usize] = at.saturating_sub(1);
                    begins[axis as usize] = at;
                    boxes[below as usize] = Some((low, ends));
                    boxes[above as usize] = Some((begins, high));
                }
            }
        }
        leaves
    }

    /// The number of the leaf that holds a row.
    pub fn leaf(&self, row: &[i16]) -> usize {
        let mut number = 0;
        while let Node::Split { axis, at, below, above } = self.nodes[number] {
            number = if row[axis as usize] < at { below } else { above } as usize;
        }
        self.leaf_numbers[number] as usize
    }
}

/// The boxes of a tree's leaves, in lattice coordinates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeafBoxes {
    dims: usize,
    low: Vec<i16>,
    high: Vec<i16>,
}

impl LeafBoxes {
    /// Boxes from their least and greatest coordinates, box after box.
    ///
    /// # Panics
    /// When the lists do not fit together.
    pub fn new(dims: usize, low: Vec<i16>, high: Vec<i16>) -> Self {
        assert!(dims > 0 && low.len() == high.len() && low.len().is_multiple_of(dims), "two corners for each box");
        Self { dims, low, high }
    }

    /// Number of leaves.
    pub fn count(&self) -> usize {
        self.low.len() / self.dims
    }

    /// The least coordinates of a leaf.
    pub fn low(&self, leaf: usize) -> &[i16] {
        &self.low[leaf * self.dims..][..self.dims]
    }

    /// The greatest coordinates of a leaf.
    pub fn high(&self, leaf: usize) -> &[i16] {
        &self.high[leaf * self.dims..][..self.dims]
    }

    /// The middles of a leaf's sides, rounded down.
    pub fn middle(&self, leaf: usize) -> impl Iterator<Item = i16> + '_ {
        let sides = self.low(leaf).iter().zip(self.high(leaf));
        sides.map(|(&low, &high)| (i32::from(low) + i32::from(high)).div_euclid(2) as i16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_find_their_leaf() {
        let tree = BoxTree::new(
            2,
            vec![
                Node::Split { axis: 0, at: 0, below: 1, above: 2 },
                Node::Leaf,
                Node::Split { axis: 1, at: 100, below: 3, above: 4 },
                Node::Leaf,
                Node::Leaf,
            ],
        );
        assert_eq!(tree.leaves(), 3);
        assert_eq!([[-1, 500], [0, 99], [0, 100]].map(|row| tree.leaf(&row)), [0, 1, 2]);
        assert_eq!(BoxTree::root(2).leaf(&[5, 5]), 0);
        let boxes = tree.leaf_boxes();
        assert_eq!((boxes.low(1), boxes.high(1)), (&[0, -32_767][..], &[32_767, 99][..]));
        assert_eq!(boxes.middle(2).collect::<Vec<_>>(), [16_383, 16_433]);
        assert_eq!(boxes.count(), 3);
        assert!(tree.is_in_walking_order() && BoxTree::root(2).is_in_walking_order());
        let mut nodes = tree.nodes().to_vec();
        nodes[0] = Node::Split { axis: 0, at: 0, below: 2, above: 1 };
        assert!(!BoxTree::new(2, nodes).is_in_walking_order());
    }

    #[test]
    fn nodes_that_share_a_child_are_no_tree() {
        // Walked level by level, thirty such nodes would have 2^30 leaves.
        let twice = |at: u32| Node::Split { axis: 0, at: 0, below: at + 1, above: at + 1 };
        let nodes = (0..30).map(twice).chain([Node::Leaf]).collect();
        assert_eq!(BoxTree::checked(1, nodes), Err(NotATree { node: 0 }));
        assert_eq!(BoxTree::checked(1, vec![]), Err(NotATree { node: 0 }));
        let json = serde_json::to_string(&BoxTree::root(2)).unwrap();
        assert_eq!(serde_json::from_str::<BoxTree>(&json).unwrap(), BoxTree::root(2));
        assert!(serde_json::from_str::<BoxTree>(&json.replace("[\"Leaf\"]", "[]")).is_err());
    }

    #[test]
    #[should_panic(expected = "not a tree")]
    fn a_circle_is_refused() {
        BoxTree::new(1, vec![Node::Split { axis: 0, at: 0, below: 0, above: 1 }, Node::Leaf]);
    }
}
