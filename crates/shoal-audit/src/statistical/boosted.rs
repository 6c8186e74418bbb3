//! A small classifier: boosted trees of two levels that guess the input from the features of an output.
//!
//! A sum of trees over single features is the log-likelihood ratio of independent noises, and the second level sees pairs
//! of features. Each feature is cut into at most 32 bins at the quantiles of the training runs.

use super::features::Feature;
use crate::runs::Runs;

/// Bins of a feature.
const BINS: usize = 32;
/// Trees.
const TREES: usize = 40;
/// How much of a tree's own best is taken.
const STEP: f64 = 0.3;
/// Most runs of each side to train on.
const MOST_RUNS: usize = 20_000;
/// Cuts that gain less are what chance gains among many: there is no more to learn.
const LEAST_GAIN: f64 = 12.0;
/// Features whose middle is tried as a first cut when none is any good by itself.
const LOOKED_AHEAD: usize = 12;
/// Added to the curvature, so that leaves of few runs say little.
const RIDGE: f64 = 5.0;

/// A tree of two cuts below one, with four values.
#[derive(Clone, Debug)]
struct Tree {
    root: Cut,
    below: [Cut; 2],
    values: [f64; 4],
}

/// Whether a feature is above an edge.
#[derive(Clone, Copy, Debug, Default)]
struct Cut {
    feature: usize,
    /// Bins up to this one are on the left.
    bin: u8,
    edge: f64,
}

/// The sum of trees: larger the more an output speaks for the first input.
#[derive(Clone)]
pub struct Boosted {
    features: Vec<Feature>,
    trees: Vec<Tree>,
}

/// Features of all training runs, cut into bins.
struct Binned {
    /// Upper edges of the bins of each feature, without the last.
    edges: Vec<Vec<f64>>,
    /// Bin of each feature (outer) of each run.
    bins: Vec<Vec<u8>>,
}

impl Binned {
    fn new(features: &[Feature], outputs: &[&[f64]]) -> Self {
        let mut edges = Vec::new();
        let mut bins = Vec::new();
        for feature in features {
            let values: Vec<f64> = outputs.iter().map(|run| feature.of(run)).collect();
            let mut sorted = values.clone();
            sorted.sort_unstable_by(f64::total_cmp);
            let mut cuts: Vec<f64> = (1..BINS).map(|i| sorted[i * (sorted.len() - 1) / BINS]).collect();
            cuts.dedup();
            bins.push(values.iter().map(|value| cuts.partition_point(|edge| edge < value) as u8).collect());
            edges.push(cuts);
        }
        Self { edges, bins }
    }

    /// The cut that helps most among the runs in `of`, and how much.
    fn best_cut(&self, of: &[u32], gradient: &[f64], curvature: &[f64]) -> (Cut, f64) {
        let mut best = (Cut { edge: f64::INFINITY, bin: u8::MAX, feature: 0 }, 0.0);
        let score = |g: f64, h: f64| g * g / (h + RIDGE);
        for (feature, bins) in self.bins.iter().enumerate() {
            let mut sums = [(0.0, 0.0); BINS + 1];
            for &i in of {
                let sum = &mut sums[usize::from(bins[i as usize])];
                sum.0 += gradient[i as usize];
                sum.1 += curvature[i as usize];
            }
            let whole = sums.iter().fold((0.0, 0.0), |a, b| (a.0 + b.0, a.1 + b.1));
            let mut left = (0.0, 0.0);
            for (bin, &edge) in self.edges[feature].iter().enumerate() {
                left = (left.0 + sums[bin].0, left.1 + sums[bin].1);
                let gain = score(left.0, left.1) + score(whole.0 - left.0, whole.1 - left.1) - score(whole.0, whole.1);
                if gain > best.1 {
                    best = (Cut { feature, bin: bin as u8, edge }, gain);
                }
            }
        }
        best
    }

    fn goes_right(&self, cut: &Cut, i: u32) -> bool {
        self.bins[cut.feature][i as usize] > cut.bin
    }

    /// The first cut, at the middle of a feature, below which cuts help most, and how much: where two features reveal
    /// something together and neither does alone, no first cut helps by itself.
    fn best_pair_of_cuts(&self, of: &[u32], gradient: &[f64], curvature: &[f64]) -> (Cut, f64) {
        let mut best = (Cut::default(), 0.0);
        for (feature, edges) in self.edges.iter().enumerate().take(LOOKED_AHEAD) {
            let Some(&edge) = edges.get(edges.len() / 2) else { continue };
            let cut = Cut { feature, bin: (edges.len() / 2) as u8, edge };
            let (right, left): (Vec<u32>, Vec<u32>) = of.iter().partition(|&&i| self.goes_right(&cut, i));
            let gain = [left, right].iter().map(|side| self.best_cut(side, gradient, curvature).1).sum();
            if gain > best.1 {
                best = (cut, gain);
            }
        }
        best
    }
}

impl Boosted {
    /// Learns from the runs `range` of both sides.
    pub fn learn(features: &[Feature], first: &Runs, second: &Runs, range: std::ops::Range<usize>) -> Self {
        let range = range.start..range.end.min(range.start + MOST_RUNS);
        let outputs: Vec<&[f64]> =
            range.clone().map(|i| first.run(i)).chain(range.clone().map(|i| second.run(i))).collect();
        let binned = Binned::new(features, &outputs);
        let n = outputs.len();
        let truth = |i: usize| if i < n / 2 { 1.0 } else { 0.0 };
        let mut scores = vec![0.0; n];
        let mut trees = Vec::new();
        let everyone: Vec<u32> = (0..n as u32).collect();
        for _ in 0..TREES {
            let guess: Vec<f64> = scores.iter().map(|score: &f64| 1.0 / (1.0 + (-score).exp())).collect();
            let gradient: Vec<f64> = guess.iter().enumerate().map(|(i, p)| truth(i) - p).collect();
            let curvature: Vec<f64> = guess.iter().map(|p| p * (1.0 - p)).collect();
            let (mut root, gain) = binned.best_cut(&everyone, &gradient, &curvature);
            if gain < LEAST_GAIN {
                let (ahead, gain) = binned.best_pair_of_cuts(&everyone, &gradient, &curvature);
                if gain < 2.0 * LEAST_GAIN {
                    break;
                }
                root = ahead;
            }
            let goes_right = |cut: &Cut, i: u32| binned.goes_right(cut, i);
            let (right, left): (Vec<u32>, Vec<u32>) = everyone.iter().partition(|&&i| goes_right(&root, i));
            let mut below = [Cut::default(); 2];
            let mut values = [0.0; 4];
            for (side, members) in [left, right].iter().enumerate() {
                below[side] = binned.best_cut(members, &gradient, &curvature).0;
                let mut sums = [(0.0, 0.0); 2];
                for &i in members {
                    let sum = &mut sums[usize::from(goes_right(&below[side], i))];
                    *sum = (sum.0 + gradient[i as usize], sum.1 + curvature[i as usize]);
                }
                for (leaf, (g, h)) in sums.into_iter().enumerate() {
                    values[2 * side + leaf] = STEP * g / (h + RIDGE);
                }
                for &i in members {
                    scores[i as usize] += values[2 * side + usize::from(goes_right(&below[side], i))];
                }
            }
            trees.push(Tree { root, below, values });
        }
        Self { features: features.to_vec(), trees }
    }

    /// The sum of the trees for one output.
    #[must_use]
    pub fn score(&self, run: &[f64]) -> f64 {
        let values: Vec<f64> = self.features.iter().map(|feature| feature.of(run)).collect();
        let right = |cut: &Cut| usize::from(values[cut.feature] > cut.edge);
        let of = |tree: &Tree| {
            let side = right(&tree.root);
            tree.values[2 * side + right(&tree.below[side])]
        };
        self.trees.iter().map(of).sum()
    }
}
