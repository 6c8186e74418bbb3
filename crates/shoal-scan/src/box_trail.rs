//! Where rows were in the tree that was asked about last: a tree that grows is walked from there, not from its root.
//!
//! A tree is asked about again and again on its way to its last shape, and most of what was cut before stays cut. So each row
//! keeps a mark, two bytes: a box of the last tree that holds it, of at most 65,536 boxes that do not overlap. When the next
//! tree comes, each such box is looked up in it, as far down as both trees have the same cuts; its rows start there. Two
//! trees that have nothing in common start at the root, so a trail never changes an answer.
//!
//! *Memory.* Two bytes per row, and 12 for each of up to 131,071 boxes.
//!
//! *Privacy.* Marks are as sensitive as rows. They stay inside the scan that holds the rows, and nothing shows them.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use crate::BoxTree;
use crate::box_walk::{BoxWalk, Step};
use crate::counts::SHARED_COUNTS;
use crate::tally::{TILES_PER_TASK, rows_in};
use shoal_lattice::{LatticePoints, TILE};

/// Marks that there are.
const MARKS: usize = 1 << 16;

/// Steps that are compared to find out how much two trees have in common.
const COMPARED: usize = 64;

/// The mark of a step that is cut further than marks go.
const NONE: u32 = u32::MAX;

/// Marks up to this many bytes are kept for several trees that grow at the same time.
const SMALL: usize = 1 << 17;

/// Trees at a time, for so small a table.
const AT_A_TIME: usize = 4;

/// The trails of a table.
#[derive(Default)]
pub(crate) struct Trails(Mutex<Vec<Trail>>);

impl Trails {
    /// Counts the rows in the leaves of a tree, if marks fit into so many bytes next to the rows.
    pub fn count(&self, points: &LatticePoints, tree: &BoxTree, memory: usize) -> Option<Vec<u64>> {
        let bytes = Trail::bytes_for(points.rows());
        let walk = BoxWalk::new(tree).filter(|_| points.bytes().saturating_add(bytes) <= memory)?;
        let mut trail = self.take(&walk).unwrap_or_else(|| Trail::new(points.rows()));
        let counts = trail.count(points, &walk, tree.leaves());
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= if bytes <= SMALL { AT_A_TIME } else { 1 } {
            all.remove(0);
        }
        all.push(trail);
        Some(counts)
    }

    /// The trail that has most in common with a tree, if any has its first cut.
    fn take(&self, walk: &BoxWalk) -> Option<Trail> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (most, found) = all.iter().map(|trail| trail.in_common(walk)).zip(0..).max()?;
        (most > 1).then(|| all.remove(found))
    }
}

/// The last tree, as far as marks go, and the mark of each row.
pub(crate) struct Trail {
    steps: Vec<Step>,
    /// The mark of each step, where it has one of its own.
    own_marks: Vec<u32>,
    marks: Vec<u16>,
}

impl Trail {
    /// Bytes of the marks of so many rows.
    pub fn bytes_for(rows: usize) -> usize {
        rows.div_ceil(TILE) * TILE * size_of::<u16>()
    }

    /// Nothing is known of `rows` rows but that they are in the box.
    pub fn new(rows: usize) -> Self {
        Self { steps: Vec::new(), own_marks: vec![0], marks: vec![0; rows.div_ceil(TILE) * TILE] }
    }

    /// How many of the first cuts are the same in a tree.
    pub fn in_common(&self, walk: &BoxWalk) -> usize {
        let mut same = 0;
        self.follow(walk, |step, here| same += usize::from(step < COMPARED && here.is_some()), COMPARED);
        same
    }

    /// Counts the rows in the leaves of a tree and marks them for the next one.
    pub fn count(&mut self, points: &LatticePoints, walk: &BoxWalk, leaves: usize) -> Vec<u64> {
        let starts: Vec<u32> = self.starts(walk).into_iter().map(|step| walk.start(step)).collect();
        let (own_marks, mark_of) = marks_of(walk.steps());
        let pass = Pass { points, walk, starts: &starts, mark_of: &mark_of };
        let tasks = self.marks.par_chunks_mut(TILES_PER_TASK * TILE).enumerate();
        // By step, so that a row is counted where it arrives.
        let steps = walk.steps().len();
        let by_step: Vec<u64> = if leaves > SHARED_COUNTS {
            let counts: Vec<AtomicU64> = std::iter::repeat_with(AtomicU64::default).take(steps).collect();
            tasks.for_each(|(task, marks)| {
                // Additions commute, and the end of the pass orders them before the reading.
                pass.run(task, marks, |step| _ = counts[step as usize].fetch_add(1, Ordering::Relaxed));
            });
            counts.into_iter().map(AtomicU64::into_inner).collect()
        } else {
            let count = |mut counts: Vec<u64>, (task, marks): (usize, &mut [u16])| {
                pass.run(task, marks, |step| counts[step as usize] += 1);
                counts
            };
            let add = |mut left: Vec<u64>, right: Vec<u64>| {
                left.iter_mut().zip(right).for_each(|(total, more)| *total += more);
                left
            };
            tasks.fold(|| vec![0; steps], count).reduce(|| vec![0; steps], add)
        };
        let mut counts = vec![0; leaves];
        for (step, count) in by_step.into_iter().enumerate().filter(|(_, count)| *count > 0) {
            counts[walk.leaf(step as u32) as usize] = count;
        }
        let known = own_marks.len();
        (self.steps, self.own_marks) = (walk.steps()[..known].to_vec(), own_marks);
        counts
    }

    /// The step of a tree where the rows of each mark start.
    fn starts(&self, walk: &BoxWalk) -> Vec<u32> {
        // A cut adds a box that is cut no further, and there is one such box to begin with.
        let mut starts = vec![0; self.own_marks.len().div_ceil(2)];
        // A box that the tree does not have starts where the last one above it did that it has.
        let mut here = vec![0_u32; self.own_marks.len()];
        self.follow(
            walk,
            |step, found| {
                let place = found.unwrap_or(here[step]);
                here[step] = place;
                match self.own_marks[step] {
                    NONE => {
                        let parts = self.steps[step].parts() as usize;
                        here[parts..parts + 2].fill(place);
                    }
                    mark => starts[mark as usize] = place,
                }
            },
            self.own_marks.len(),
        );
        starts
    }

    /// Visits the first `most` boxes of the trail, parents before children, with the step of a tree that is the same box.
    fn follow(&self, walk: &BoxWalk, mut visit: impl FnMut(usize, Option<u32>), most: usize) {
        let mut same: Vec<Option<u32>> = vec![None; self.own_marks.len().min(most)];
        if let Some(root) = same.first_mut() {
            *root = Some(0);
        }
        for step in 0..same.len() {
            visit(step, same[step]);
            if self.own_marks[step] != NONE {
                continue;
            }
            let (cut, Some(other)) = (self.steps[step], same[step]) else { continue };
            let theirs = walk.steps()[other as usize];
            if cut.is_cut_like(step, theirs, other as usize) {
                for part in 0..2 {
                    if let Some(slot) = same.get_mut((cut.parts() + part) as usize) {
                        *slot = Some(theirs.parts() + part);
                    }
                }
            }
        }
    }
}

/// The marks of the first steps, those that are cut further without one, and the mark that each of all steps is under.
fn marks_of(steps: &[Step]) -> (Vec<u32>, Vec<u16>) {
    // Cuts are followed in their order as long as there is a mark for each box; each adds one.
    let last = (0..steps.len()).filter(|&step| !steps[step].is_leaf(step)).take(MARKS - 1).last();
    let followed = last.map_or(0, |last| last + 1);
    // Both parts of every cut that is followed, and the root.
    let known = last.map_or(1, |last| steps[last].parts() as usize + 2);
    let mut own_marks = Vec::with_capacity(known);
    let mut mark_of = vec![0_u16; steps.len()];
    let mut next = 0_u32;
    for step in 0..steps.len() {
        let cut = !steps[step].is_leaf(step);
        if step < known {
            let own = if cut && step < followed { NONE } else { next };
            next += u32::from(own != NONE);
            mark_of[step] = own as u16;
            own_marks.push(own);
        }
        if cut && step >= followed {
            let parts = steps[step].parts() as usize;
            mark_of[parts] = mark_of[step];
            mark_of[parts + 1] = mark_of[step];
        }
    }
    (own_marks, mark_of)
}

/// One pass over all rows.
struct Pass<'a> {
    points: &'a LatticePoints,
    walk: &'a BoxWalk,
    starts: &'a [u32],
    mark_of: &'a [u16],
}

impl Pass<'_> {
    /// The rows of a task, whose marks these are.
    fn run(&self, task: usize, marks: &mut [u16], mut count: impl FnMut(u32)) {
        for (i, marks) in marks.as_chunks_mut::<TILE>().0.iter_mut().enumerate() {
            let tile = task * TILES_PER_TASK + i;
            let arrived = self.walk.walk(self.points, tile, marks.map(|mark| self.starts[usize::from(mark)]));
            *marks = arrived.map(|step| self.mark_of[step as usize]);
            arrived[..rows_in(self.points, tile)].iter().copied().for_each(&mut count);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Node;
    use proptest::prelude::*;

    /// Cuts the leaves of a tree that `cut` says to cut.
    fn grown(tree: &BoxTree, mut cut: impl FnMut(usize) -> Option<(u32, i16)>) -> BoxTree {
        let mut nodes = tree.nodes().to_vec();
        for node in 0..nodes.len() {
            if nodes[node] == Node::Leaf
                && let Some((axis, at)) = cut(node)
            {
                let below = nodes.len() as u32;
                nodes[node] = Node::Split { axis, at, below, above: below + 1 };
                nodes.extend([Node::Leaf; 2]);
            }
        }
        BoxTree::new(tree.dims(), nodes)
    }

    fn one_by_one(points: &LatticePoints, tree: &BoxTree) -> Vec<u64> {
        let (mut counts, mut row) = (vec![0; tree.leaves()], vec![0; tree.dims()]);
        for i in 0..points.rows() {
            points.copy_row(i, &mut row);
            counts[tree.leaf(&row)] += 1;
        }
        counts
    }

    fn cloud(rows: usize, dims: usize, mut next: impl FnMut() -> u64) -> LatticePoints {
        let mut points = LatticePoints::new(dims);
        for _ in 0..rows {
            let row: Vec<i16> =
                (0..dims).map(|_| ((next() >> 20) % 65_535) as u16 as i16).map(|x| x.max(-32_767)).collect();
            points.push_row(&row);
        }
        points
    }

    /// A generator that is good enough to make up trees.
    fn random(mut state: u64) -> impl FnMut() -> u64 {
        move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state ^ (state >> 29)
        }
    }

    proptest! {
        #[test]
        fn counts_are_those_of_every_row_from_the_root(seed in any::<u64>(), rows in 0usize..200, dims in 1usize..5) {
            let mut next = random(seed);
            let points = cloud(rows, dims, &mut next);
            let trails = Trails::default();
            let mut trees = vec![BoxTree::root(dims); 2];
            for _ in 0..12 {
                // Two trees grow in turns; sometimes one loses its last cuts, or begins again.
                let which = (next() % 2) as usize;
                trees[which] = match next() % 8 {
                    0 => BoxTree::root(dims),
                    _ => {
                        let mut cut = |_: usize| {
                            let (axis, at) = ((next() >> 33) % dims as u64, (next() >> 40) as i16);
                            (next() >> 35).is_multiple_of(2).then_some((axis as u32, at))
                        };
                        let more = grown(&trees[which], &mut cut);
                        prop_assert_eq!(trails.count(&points, &more, usize::MAX), Some(one_by_one(&points, &more)));
                        if next().is_multiple_of(3) { trees[which].clone() } else { more }
                    }
                };
                prop_assert_eq!(
                    trails.count(&points, &trees[which], usize::MAX),
                    Some(one_by_one(&points, &trees[which]))
                );
                if trees[which].leaves() > 4000 {
                    break;
                }
            }
        }
    }

    #[test]
    fn more_boxes_than_marks_are_counted_right() {
        let points = cloud(3000, 2, random(1));
        let halves = |tree: &BoxTree| {
            let boxes = tree.leaf_boxes();
            let mut leaf = 0;
            grown(tree, |_| {
                let (low, high): (Vec<i32>, Vec<i32>) =
                    (0..2).map(|a| (i32::from(boxes.low(leaf)[a]), i32::from(boxes.high(leaf)[a]))).unzip();
                leaf += 1;
                let axis = usize::from(high[1] - low[1] > high[0] - low[0]);
                Some((axis as u32, ((low[axis] + high[axis] + 1).div_euclid(2)) as i16))
            })
        };
        let trails = Trails::default();
        let mut tree = BoxTree::root(2);
        for level in 0..18 {
            tree = halves(&tree);
            if [3, 16, 17].contains(&level) {
                assert_eq!(trails.count(&points, &tree, usize::MAX), Some(one_by_one(&points, &tree)), "level {level}");
            }
        }
        assert_eq!(tree.leaves(), 1 << 18);
        let (own, under) = marks_of(BoxWalk::new(&tree).unwrap().steps());
        assert_eq!(own.iter().filter(|&&mark| mark != NONE).count(), MARKS);
        assert_eq!((own.len(), under.len()), (2 * MARKS - 1, tree.nodes().len()));
    }

    #[test]
    fn a_tree_that_grows_is_walked_from_where_its_rows_were() {
        let points = cloud(50, 1, random(2));
        let trails = Trails::default();
        let first = grown(&BoxTree::root(1), |_| Some((0, 7)));
        trails.count(&points, &first, usize::MAX).unwrap();
        let second = BoxWalk::new(&grown(&first, |node| (node == 2).then_some((0, 900)))).unwrap();
        let trail = trails.take(&second).unwrap();
        // Neither half of the first tree starts at the root.
        assert_eq!(trail.starts(&second), [1, 2]);
        let other = BoxWalk::new(&grown(&BoxTree::root(1), |_| Some((0, 8)))).unwrap();
        assert_eq!(trail.starts(&other), [0, 0]);
        assert!(trails.take(&second).is_none(), "it has been taken");
    }

    #[test]
    fn without_memory_there_are_no_marks() {
        let points = cloud(100, 3, random(3));
        let needed = points.bytes() + Trail::bytes_for(100);
        assert!(Trails::default().count(&points, &BoxTree::root(3), needed - 1).is_none());
        assert_eq!(Trails::default().count(&points, &BoxTree::root(3), needed), Some(vec![100]));
    }
}
