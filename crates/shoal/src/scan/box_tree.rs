//! A tree of axis-parallel boxes that covers the whole box, and the box each row falls into.

/// A box that is cut in two, or one that is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// A tree of boxes. Node 0 is the root; leaves are numbered in the order in which they stand in the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoxTree {
    dims: usize,
    nodes: Vec<Node>,
    leaf_numbers: Vec<u32>,
    leaves: usize,
}

impl BoxTree {
    /// The whole box as one leaf.
    pub fn root(dims: usize) -> Self {
        Self::new(dims, vec![Node::Leaf])
    }

    /// A tree from its nodes.
    ///
    /// # Panics
    /// When a split names an attribute that is not there or a node that does not come after it: such a tree could
    /// send a row in circles.
    pub fn new(dims: usize, nodes: Vec<Node>) -> Self {
        let mut leaves = 0;
        let leaf_numbers = nodes
            .iter()
            .enumerate()
            .map(|(number, node)| match *node {
                Node::Leaf => {
                    leaves += 1;
                    leaves as u32 - 1
                }
                Node::Split { axis, below, above, .. } => {
                    let follows = |next: u32| number < next as usize && (next as usize) < nodes.len();
                    assert!(
                        (axis as usize) < dims && follows(below) && follows(above),
                        "node {number} is not a tree's"
                    );
                    u32::MAX
                }
            })
            .collect();
        Self { dims, nodes, leaf_numbers, leaves }
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

    /// The number of the leaf that holds a row.
    pub fn leaf(&self, row: &[i16]) -> usize {
        let mut number = 0;
        while let Node::Split { axis, at, below, above } = self.nodes[number] {
            number = if row[axis as usize] < at { below } else { above } as usize;
        }
        self.leaf_numbers[number] as usize
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
    }

    #[test]
    #[should_panic(expected = "not a tree")]
    fn a_circle_is_refused() {
        BoxTree::new(1, vec![Node::Split { axis: 0, at: 0, below: 0, above: 1 }, Node::Leaf]);
    }
}
