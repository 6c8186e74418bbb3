//! k-means on the noisy counts of the leaves of a tree of boxes.
//!
//! Each leaf stands at its middle with its noisy count as its weight. Initial centres are drawn by k-means++ among the
//! leaves with positive counts: sphere packing would put most of them into the large empty boxes.
//!
//! *Utility.* The variance of a centre is Σ (t − o)²·Var/C² over the leaves t of its cluster, and rows are taken to sit in the
//! middle of their leaf: those that share an interval along an attribute are off together, by width/√12.
//!
//! *Runtime.* Initialisations × rounds × leaves × k × d.

use std::collections::BTreeMap;

use rayon::prelude::*;
use shoal_noise::NoiseSource;

use crate::expected_error::HOPELESS;
use crate::synopsis::released::NoisyCounts;
use crate::{Step, SynopsisClusters, SynopsisKMeans, Watch};
use shoal_kernel::kmeanspp;
use shoal_kernel::{BestKMeans, LatticeCentres, SearchCentres, assign, usual_candidates};
use shoal_lattice::{BoxLength, BoxPosition, HALF_WIDTH, LatticePoints, TILE, Widths};
use shoal_scan::{BoxTree, LeafBoxes};

/// A cluster whose count is no more standard deviations of its noise above zero than this may have no rows at all.
const DOUBTFUL: f64 = 3.0;

/// A released tree and the boxes of its leaves, which are numbered from below to above.
#[derive(Clone, Debug, PartialEq)]
pub struct TreeBoxes {
    tree: BoxTree,
    leaves: LeafBoxes,
}

impl TreeBoxes {
    /// The boxes of a tree.
    ///
    /// # Panics
    /// When the nodes are not in walking order.
    pub fn new(tree: BoxTree) -> Self {
        assert!(tree.is_in_walking_order(), "the nodes of a released tree are in walking order");
        Self { leaves: tree.leaf_boxes(), tree }
    }

    /// The tree.
    pub fn tree(&self) -> &BoxTree {
        &self.tree
    }

    /// The boxes of its leaves.
    pub fn leaves(&self) -> &LeafBoxes {
        &self.leaves
    }

    fn middles(&self) -> LatticePoints {
        let dims = self.tree.dims();
        let mut points = LatticePoints::with_capacity(dims, self.leaves.count());
        let mut row = Vec::with_capacity(dims);
        for leaf in 0..self.leaves.count() {
            row.clear();
            row.extend(self.leaves.middle(leaf));
            points.push_row(&row);
        }
        points
    }
}

fn weights(counts: &[i64]) -> Vec<f64> {
    counts.iter().map(|&count| count as f64).collect()
}

/// k-means on the leaves from each of the given initialisations.
pub(super) fn kmeans_from(
    boxes: &TreeBoxes,
    counts: &[i64],
    starts: &[LatticeCentres],
    rounds: usize,
) -> Vec<BestKMeans> {
    shoal_kernel::kmeans_from(&boxes.middles(), Some(&weights(counts)), starts, rounds)
}

/// The best clustering from k-means++ initialisations.
pub(super) fn cluster(
    boxes: &TreeBoxes,
    noisy: NoisyCounts<'_>,
    how: &SynopsisKMeans,
    noise: &mut dyn NoiseSource,
    watch: Watch<'_>,
) -> SynopsisClusters {
    let (points, weights) = (boxes.middles(), weights(noisy.counts));
    let candidates = usual_candidates(how.k);
    let mut draw = || {
        let mut bytes = [0; 8];
        noise.fill_bytes(&mut bytes);
        u64::from_le_bytes(bytes)
    };
    let of = how.inits.max(1);
    let mut best: Option<BestKMeans> = None;
    for done in 0..of {
        let start = kmeanspp(&points, Some(&weights), how.k, candidates, &mut draw);
        let run = shoal_kernel::kmeans_from(&points, Some(&weights), &[start], how.rounds).swap_remove(0);
        if best.as_ref().is_none_or(|best| run.cost < best.cost) {
            best = Some(run);
        }
        watch(Step { what: "starts on the boxes", done: done + 1, of });
    }
    // Unwrap safety: there is at least one start.
    describe_at(boxes, &points, noisy, &best.unwrap().centres)
}

/// Sizes and errors of the clusters around the given centres, in box units, centre after centre.
pub(super) fn describe(boxes: &TreeBoxes, noisy: NoisyCounts<'_>, centres: &[f64]) -> SynopsisClusters {
    describe_at(boxes, &boxes.middles(), noisy, centres)
}

fn describe_at(boxes: &TreeBoxes, points: &LatticePoints, noisy: NoisyCounts<'_>, centres: &[f64]) -> SynopsisClusters {
    let NoisyCounts { counts, variance } = noisy;
    let dims = boxes.tree.dims();
    let search = SearchCentres::new(&LatticeCentres::from_unit(dims, centres));
    let mut labels = vec![0; counts.len()];
    labels.par_chunks_mut(64 * TILE).enumerate().for_each(|(part, labels)| {
        let first = part * 64;
        assign(points, first..first + labels.len().div_ceil(TILE), &search, labels);
    });
    let mut clusters = vec![Members::none(dims); centres.len() / dims];
    let (mut cost, mut row) = (0.0, vec![0; dims]);
    for (leaf, (&count, &label)) in counts.iter().zip(&labels).enumerate() {
        points.copy_row(leaf, &mut row);
        let centre = &centres[label as usize * dims..][..dims];
        cost += count as f64 * clusters[label as usize].add(count, &row, centre, &boxes.leaves, leaf);
    }
    SynopsisClusters {
        centres: centres.chunks_exact(dims).map(BoxPosition::list).collect(),
        sizes: clusters.iter().map(|cluster| cluster.count().max(0.0)).collect(),
        size_noise: clusters.iter().map(|cluster| (variance * cluster.leaves).sqrt()).collect(),
        noise_per_centre: clusters.iter().map(|cluster| cluster.error(variance)).collect(),
        nicv: noisy.mean(cost),
        certainty: None,
    }
}

/// Counts of the leaves with the same interval along an attribute, and their number.
type Slabs = BTreeMap<(i16, i16), (i128, f64)>;

/// Sums over the leaves of a cluster.
#[derive(Clone)]
struct Members {
    leaves: f64,
    count: i128,
    /// Squared distances from the centre, per attribute.
    spreads: Vec<f64>,
    /// Per attribute.
    slabs: Vec<Slabs>,
}

impl Members {
    fn none(dims: usize) -> Self {
        Self { leaves: 0.0, count: 0, spreads: vec![0.0; dims], slabs: vec![BTreeMap::new(); dims] }
    }

    fn count(&self) -> f64 {
        self.count as f64
    }

    /// Adds a leaf; gives its squared distance from the centre.
    fn add(&mut self, count: i64, row: &[i16], centre: &[f64], boxes: &LeafBoxes, leaf: usize) -> f64 {
        self.leaves += 1.0;
        self.count += i128::from(count);
        let mut distance = 0.0;
        for (axis, (&x, &centre)) in row.iter().zip(centre).enumerate() {
            let square = (f64::from(x) / f64::from(HALF_WIDTH) - centre).powi(2);
            distance += square;
            self.spreads[axis] += square;
            let slab = self.slabs[axis].entry((boxes.low(leaf)[axis], boxes.high(leaf)[axis])).or_default();
            slab.0 += i128::from(count);
            slab.1 += 1.0;
        }
        distance
    }

    /// Standard deviation of the centre's error per attribute.
    fn error(&self, variance: f64) -> Vec<Widths> {
        let count = self.count();
        // A count that noise alone may well have produced does not show where rows are.
        if count <= DOUBTFUL * (variance * self.leaves).sqrt() {
            return vec![HOPELESS; self.spreads.len()];
        }
        let positions = f64::from(2 * HALF_WIDTH + 1);
        let per_axis = |(spread, slabs): (&f64, &Slabs)| {
            let place = |(&(low, high), &(rows, leaves)): (&(i16, i16), &(i128, f64))| {
                let width = f64::from(i32::from(high) - i32::from(low) + 1) / positions;
                // The noise adds its own variance to the square, on average.
                let square = ((rows as f64).powi(2) - variance * leaves).max(0.0) / (count * count);
                square.min(1.0) * width * width / 12.0
            };
            let noise = BoxLength::variance_in_widths(variance * spread / (count * count));
            Widths((noise + slabs.iter().map(place).sum::<f64>()).sqrt()).at_most(HOPELESS)
        };
        self.spreads.iter().zip(&self.slabs).map(per_axis).collect()
    }
}
