//! A tree of boxes that is counted several times while it grows, and what all its counts together say.
//!
//! Each look counts all boxes that there are. A box with many rows is then cut into more of them, and its parts are counted
//! by the next look: their counts must add up to that of the box, but for noise. Weighted least squares uses all of it, and
//! needs two walks over the tree: upwards, what is known of a box from itself and from its parts, each weighed by its
//! variance; downwards, what is left over is divided among the parts by theirs.
//!
//! *Privacy.* Post-processing: every count that comes in was released.

use std::collections::BTreeMap;

use crate::CutRule;
use crate::synopsis::tree_growth::below_before_above;
use crate::synopsis::tree_plan::Boxes;
use shoal_scan::{BoxTree, Node};

/// A count and the variance of its error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Known {
    /// Rows.
    pub rows: f64,
    /// Of the error.
    pub variance: f64,
}

impl Known {
    /// What two independent counts of the same rows say together.
    fn and(self, other: Self) -> Self {
        let variance = 1.0 / (1.0 / self.variance + 1.0 / other.variance);
        Self { rows: variance * (self.rows / self.variance + other.rows / other.variance), variance }
    }
}

/// A tree that grows, with what its boxes were counted to hold.
pub struct CountedTree {
    boxes: Boxes,
    /// The first of the two parts of each box that is cut, and where.
    cuts: Vec<Option<(u32, i16, u32)>>,
    /// What was counted of each box itself, in all looks that counted it.
    counted: Vec<Option<Known>>,
}

impl CountedTree {
    /// The whole space, one box.
    pub fn whole(dims: usize) -> Self {
        Self { boxes: Boxes::whole(dims), cuts: vec![None], counted: vec![None] }
    }

    /// Boxes that are not cut.
    #[cfg(test)]
    fn leaves(&self) -> Vec<u32> {
        (0..self.cuts.len() as u32).filter(|&number| self.cuts[number as usize].is_none()).collect()
    }

    /// Cuts a box `times` times: it, its parts, their parts. Stops where there would be more than `most` leaves, or a box is a
    /// single position.
    pub fn cut(&mut self, number: u32, times: u32, rule: &dyn CutRule, most: usize) {
        let mut level = vec![number];
        for depth in 0..times {
            let mut parts = Vec::with_capacity(2 * level.len());
            for &number in &level {
                // Every cut adds a leaf and two boxes, so leaves are half of all boxes and one half.
                if self.cuts.len().div_ceil(2) >= most {
                    return;
                }
                let (low, high) = self.boxes.get(number as usize);
                let Some((axis, at)) = rule.cut(low, high, depth) else { continue };
                let first = self.cuts.len() as u32;
                self.boxes.push_parts(number as usize, axis, at);
                self.cuts[number as usize] = Some((axis as u32, at, first));
                self.cuts.extend([None; 2]);
                self.counted.extend([None; 2]);
                parts.extend([first, first + 1]);
            }
            level = parts;
        }
    }

    /// The tree to ask about, and the number here of each of its leaves, in their order.
    pub fn question(&self, dims: usize) -> (BoxTree, Vec<u32>) {
        let node = |cut: &Option<(u32, i16, u32)>| match *cut {
            Some((axis, at, first)) => Node::Split { axis, at, below: first, above: first + 1 },
            None => Node::Leaf,
        };
        let (nodes, from) = below_before_above(&self.cuts.iter().map(node).collect::<Vec<_>>());
        let leaves =
            from.into_iter().zip(&nodes).filter(|(_, node)| **node == Node::Leaf).map(|(old, _)| old).collect();
        (BoxTree::new(dims, nodes), leaves)
    }

    /// Takes in the noisy counts of some boxes, all with errors of one variance.
    pub fn count(&mut self, boxes: &[u32], noisy: &[i64], variance: f64) {
        for (&number, &rows) in boxes.iter().zip(noisy) {
            let new = Known { rows: rows as f64, variance };
            let counted = &mut self.counted[number as usize];
            *counted = Some(counted.map_or(new, |known| known.and(new)));
        }
    }

    /// What all counts together say of each of these boxes.
    ///
    /// # Panics
    /// When a leaf was never counted.
    pub fn known(&self, boxes: &[u32]) -> Vec<Known> {
        let mut below: Vec<Known> = vec![Known { rows: 0.0, variance: f64::INFINITY }; self.cuts.len()];
        // Parts come after the box that they are parts of.
        for number in (0..self.cuts.len()).rev() {
            let own = self.counted[number];
            below[number] = match self.cuts[number] {
                // Unwrap safety: the caller counts all leaves after each cut.
                None => own.expect("every leaf is counted"),
                Some((_, _, first)) => {
                    let (a, b) = (below[first as usize], below[first as usize + 1]);
                    let parts = Known { rows: a.rows + b.rows, variance: a.variance + b.variance };
                    own.map_or(parts, |own| own.and(parts))
                }
            };
        }
        let mut known = below.clone();
        for number in 0..self.cuts.len() {
            let Some((_, _, first)) = self.cuts[number] else { continue };
            let parts = [first as usize, first as usize + 1];
            let sum: f64 = parts.iter().map(|&part| below[part].rows).sum();
            let variance: f64 = parts.iter().map(|&part| below[part].variance).sum();
            for part in parts {
                let share = below[part].variance / variance;
                known[part].rows = below[part].rows + share * (known[number].rows - sum);
                known[part].variance =
                    below[part].variance - share * below[part].variance + share * share * known[number].variance;
            }
        }
        boxes.iter().map(|&number| known[number as usize]).collect()
    }

    /// How often each of these boxes is to be cut: as often as leaves parts of about `least` rows, `most` times at most.
    pub fn wanted(&self, boxes: &[u32], least: f64, most: u32) -> BTreeMap<u32, u32> {
        let times = |known: Known| (known.rows.max(1e-9) / least).log2().floor().clamp(0.0, f64::from(most)) as u32;
        let known = self.known(boxes).into_iter();
        boxes.iter().zip(known).map(|(&number, known)| (number, times(known))).filter(|&(_, times)| times > 0).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::WidestSide;
    use nalgebra::{DMatrix, DVector};
    use shoal_noise::SeededNoise;
    use shoal_noise::uniform::normal_f64;

    /// A tree that was counted three times, with the counts as rows of a linear system over its leaves.
    fn counted(seed: u64) -> (CountedTree, Vec<u32>, DMatrix<f64>, DVector<f64>, DVector<f64>) {
        let (rule, random) = (WidestSide::new(2), &mut SeededNoise::new(seed));
        let mut tree = CountedTree::whole(2);
        let mut looks: Vec<(Vec<u32>, Vec<i64>, f64)> = Vec::new();
        tree.cut(0, 2, &rule, 100);
        for (variance, cuts) in [(9.0, &[(1_u32, 1), (3, 2)][..]), (4.0, &[(4, 3)][..]), (25.0, &[][..])] {
            let boxes = tree.leaves();
            let noisy: Vec<i64> = boxes.iter().map(|_| (50.0 + 20.0 * normal_f64(random)) as i64).collect();
            tree.count(&boxes, &noisy, variance);
            looks.push((boxes, noisy, variance));
            for &(number, times) in cuts {
                if tree.cuts[number as usize].is_none() {
                    tree.cut(number, times, &rule, 100);
                }
            }
        }
        let leaves = tree.leaves();
        let parent: BTreeMap<u32, u32> = (0..tree.cuts.len() as u32)
            .filter_map(|number| tree.cuts[number as usize].map(|(_, _, first)| (number, first)))
            .flat_map(|(number, first)| [(first, number), (first + 1, number)])
            .collect();
        let within = |mut leaf: u32, ancestor: u32| loop {
            if leaf == ancestor {
                return true;
            }
            match parent.get(&leaf) {
                Some(&up) => leaf = up,
                None => return false,
            }
        };
        let all: Vec<(u32, i64, f64)> = looks
            .into_iter()
            .flat_map(|(boxes, noisy, variance)| boxes.into_iter().zip(noisy).map(move |(b, n)| (b, n, variance)))
            .collect();
        let system = DMatrix::from_fn(all.len(), leaves.len(), |row, leaf| f64::from(within(leaves[leaf], all[row].0)));
        let counts = DVector::from_iterator(all.len(), all.iter().map(|&(_, noisy, _)| noisy as f64));
        let weights = DVector::from_iterator(all.len(), all.iter().map(|&(.., variance)| 1.0 / variance));
        (tree, leaves, system, counts, weights)
    }

    #[test]
    fn two_walks_solve_the_least_squares() {
        for seed in 0..5 {
            let (tree, leaves, system, counts, weights) = counted(seed);
            let weighted = DMatrix::from_fn(system.nrows(), system.ncols(), |i, j| system[(i, j)] * weights[i]);
            let normal = (system.transpose() * &weighted).try_inverse().unwrap();
            let solution = &normal * (weighted.transpose() * counts);
            for (at, known) in tree.known(&leaves).into_iter().enumerate() {
                assert!((known.rows - solution[at]).abs() < 1e-6, "{seed} {at}: {known:?} {}", solution[at]);
                assert!((known.variance - normal[(at, at)]).abs() < 1e-6, "{seed} {at}: {known:?}");
            }
        }
    }

    #[test]
    fn questions_are_trees_whose_leaves_are_found_again() {
        let (tree, leaves, ..) = counted(1);
        let (question, order) = tree.question(2);
        assert!(question.is_in_walking_order() && question.leaves() == leaves.len());
        let boxes = question.leaf_boxes();
        for (leaf, &number) in order.iter().enumerate() {
            assert_eq!((boxes.low(leaf), boxes.high(leaf)), tree.boxes.get(number as usize));
        }
    }

    #[test]
    fn cutting_stops_at_the_limit_and_at_single_positions() {
        let mut tree = CountedTree::whole(1);
        tree.cut(0, 30, &WidestSide::new(1), 40);
        assert!(tree.leaves().len() <= 40);
        let mut tree = CountedTree::whole(1);
        tree.cut(0, 30, &WidestSide::new(1), 1 << 20);
        assert_eq!(tree.leaves().len(), 65_535);
    }
}
