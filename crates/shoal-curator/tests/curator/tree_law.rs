//! The exact law of the private tree: its loss is what it says, for every pair of neighbours that is tried, and the sampler
//! follows the law.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::curator_support::table;
use dashu_ratio::RBig;
use shoal_curator::internals::{TreeRelease, TreeSplitMechanism, WidestSide};
use shoal_curator::{TreeLimits, TreeReleaseParams};
use shoal_noise::SeededNoise;
use shoal_privacy::{Accountant, Allowance};
use shoal_scan::{BoxTree, Node};

/// The distribution of a decision, written down again, with the faults that the tests must catch.
#[derive(Clone, Copy)]
struct Law {
    decay: f64,
    bias: i64,
    floor: Option<i64>,
    threshold: i64,
}

impl Law {
    fn of(split: &TreeSplitMechanism) -> Self {
        let decay = split.decay().to_f64().value();
        let (bias, floor) = (split.bias() as i64, Some(split.floor() as i64));
        Self { decay, bias, floor, threshold: split.threshold() }
    }

    /// How far noise must be above zero for a cut.
    fn needed(&self, rows: i64, depth: i64) -> i64 {
        let score = rows - depth * self.bias;
        self.threshold + 1 - self.floor.map_or(score, |floor| score.max(self.threshold - floor))
    }

    /// P(cut) and P(no cut), each by its own sum, so that neither is the small rest of the other.
    fn cut(&self, rows: i64, depth: i64) -> (f64, f64) {
        let needed = self.needed(rows, depth);
        let alpha = (-self.decay).exp();
        let tail = |z: i64| alpha.powi(z as i32) / (1.0 + alpha);
        if needed > 0 { (tail(needed), 1.0 - tail(needed)) } else { (1.0 - tail(1 - needed), tail(1 - needed)) }
    }
}

fn mechanism(decay: (u32, u32), threshold: i64, bias: u64, floor: u64) -> TreeSplitMechanism {
    TreeSplitMechanism::new(RBig::from_parts(decay.0.into(), decay.1.into()), threshold, bias, floor).unwrap()
}

fn loss(split: &TreeSplitMechanism) -> f64 {
    split.epsilon().to_f64_up()
}

/// Every sequence of counts that do not grow along a path, each at least 1 (the row that comes or goes is in all of them).
fn paths(most: i64, length: usize) -> Vec<Vec<i64>> {
    let mut all = vec![vec![]];
    for _ in 0..length {
        let longer = |path: &Vec<i64>| {
            let last = path.last().copied().unwrap_or(most);
            (1..=last).map(|next| [&path[..], &[next]].concat()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

/// The largest logarithm of a ratio, either way round, of "cut, cut, …, not cut" along any path.
fn worst_path(law: &Law, most: i64, length: usize) -> f64 {
    let mut worst = 0.0f64;
    for path in paths(most, length) {
        let mut cuts = 0.0;
        for (depth, &rows) in path.iter().enumerate() {
            let (with, without) = (law.cut(rows, depth as i64), law.cut(rows - 1, depth as i64));
            worst = worst.max((cuts + (with.1 / without.1).ln()).abs());
            cuts += (with.0 / without.0).ln();
            // The depth limit may leave the next box whole.
            worst = worst.max(cuts.abs());
        }
    }
    worst
}

#[test]
fn the_loss_bounds_every_path_and_is_reached() {
    for decay in [(1, 10), (1, 3), (1, 1), (5, 2)] {
        for bias in 1..=3 {
            for floor in 0..=4 {
                for threshold in [-1, 0, 2] {
                    let split = mechanism(decay, threshold, bias, floor);
                    let worst = worst_path(&Law::of(&split), 9, 5);
                    assert!(worst <= loss(&split) + 1e-12, "{worst} against {} at {decay:?}", loss(&split));
                }
            }
        }
    }
    // All rows in one place, and many of them: the sum is reached to its last digits.
    for (decay, bias, floor) in [((1, 3), 2, 2), ((1, 3), 4, 2), ((1, 10), 7, 7), ((2, 1), 1, 0), ((1, 5), 3, 11)] {
        let split = mechanism(decay, 0, bias, floor);
        let law = Law::of(&split);
        let levels = 200;
        let rows = levels * bias as i64 - floor as i64 + 1;
        let ratio = |depth| (law.cut(rows, depth).0 / law.cut(rows - 1, depth).0).ln();
        let reached: f64 = (0..=levels).map(ratio).sum();
        assert!(reached <= loss(&split) + 1e-12 && reached > 0.99999 * loss(&split), "{reached}, {}", loss(&split));
    }
}

#[test]
fn mutants_of_the_decision_break_the_bound() {
    let split = mechanism((1, 3), 0, 4, 2);
    let right = Law::of(&split);
    assert!(worst_path(&right, 10, 5) <= loss(&split));
    let less_noise = Law { decay: 1.3 * right.decay, ..right };
    let no_floor = Law { floor: None, ..right };
    let no_bias = Law { bias: 0, ..right };
    let half_bias = Law { bias: 1, ..right };
    for (what, mutant) in
        [("less noise", less_noise), ("no floor", no_floor), ("no bias", no_bias), ("less bias", half_bias)]
    {
        let worst = worst_path(&mutant, 10, 5);
        assert!(worst > 1.01 * loss(&split), "{what}: {worst} against {}", loss(&split));
    }
}

/// A tree as text: brackets around what is cut.
fn shape(tree: &BoxTree, node: usize) -> String {
    match tree.nodes()[node] {
        Node::Leaf => ".".into(),
        Node::Split { below, above, .. } => {
            format!("({}{})", shape(tree, below as usize), shape(tree, above as usize))
        }
    }
}

/// Every tree that a table on the line can give, with its probability, when each box has noise of its own.
fn trees(law: &Law, rows: &[i16], low: i32, high: i32, depth: i64, limit: i64) -> BTreeMap<String, f64> {
    if depth == limit {
        return [(".".to_string(), 1.0)].into();
    }
    let (cut, whole) = law.cut(rows.len() as i64, depth);
    let at = low + (high - low + 1) / 2;
    let (below, above): (Vec<i16>, Vec<i16>) = rows.iter().partition(|&&x| i32::from(x) < at);
    let mut all = BTreeMap::from([(".".to_string(), whole)]);
    for (left, p) in trees(law, &below, low, at - 1, depth + 1, limit) {
        for (right, q) in trees(law, &above, at, high, depth + 1, limit) {
            all.insert(format!("({left}{right})"), cut * p * q);
        }
    }
    all
}

fn law_of_table(law: &Law, rows: &[i16], limit: i64) -> BTreeMap<String, f64> {
    let all = trees(law, rows, -32_767, 32_767, 0, limit);
    assert!((all.values().sum::<f64>() - 1.0).abs() < 1e-12);
    all
}

fn worst_ratio(with: &BTreeMap<String, f64>, without: &BTreeMap<String, f64>) -> f64 {
    with.iter().map(|(tree, p)| (p / without[tree]).ln().abs()).fold(0.0, f64::max)
}

/// Tables and the row that comes and goes: none, few, many, all in one place, spread out.
fn neighbours() -> Vec<Vec<i16>> {
    vec![
        vec![100],
        vec![-32_767, -32_767],
        vec![5, 5, 5, 5],
        vec![-30_000, -10_000, 10_000, 30_000],
        vec![1; 9],
        vec![20_000; 14],
        [vec![20_000; 5], vec![-20_000; 5]].concat(),
    ]
}

#[test]
fn the_law_of_whole_trees_keeps_the_promise_and_uses_it() {
    for (decay, bias, floor) in [((1, 2), 2, 1), ((1, 3), 4, 2), ((1, 3), 2, 2), ((1, 1), 1, 0), ((2, 1), 1, 1)] {
        let split = mechanism(decay, 0, bias, floor);
        let law = Law::of(&split);
        let mut worst = 0.0f64;
        for rows in neighbours() {
            let without = law_of_table(&law, &rows[1..], 4);
            worst = worst.max(worst_ratio(&law_of_table(&law, &rows, 4), &without));
        }
        assert!(worst <= loss(&split) + 1e-9, "{worst} against {}", loss(&split));
        assert!(worst >= 0.5 * loss(&split), "{worst} of {} is little", loss(&split));
        // The distribution that the mechanism states is the one that was written down here.
        for (rows, depth) in [(0, 0), (0, 7), (3, 0), (3, 1), (9, 2), (40, 3)] {
            let stated = split.cut_probability(rows, depth);
            assert!((stated - law.cut(rows as i64, depth.into()).0).abs() < 1e-14);
        }
    }
}

#[test]
fn noise_shared_by_a_level_would_break_the_promise() {
    // Two boxes of one level with the same number of rows get the same answer, unless one of them has a row more.
    let law = Law::of(&mechanism((1, 3), 0, 4, 2));
    let only_below = |below: i64, above: i64| {
        let probability = |z: i64| (-law.decay * z.abs() as f64).exp();
        let hits = (-200..=200).filter(|&z| z >= law.needed(below, 1) && z < law.needed(above, 1));
        hits.map(probability).sum::<f64>()
    };
    assert!(only_below(9, 8) > 0.0 && only_below(8, 8) == 0.0, "an infinite ratio");
}

fn release(epsilon: &str, limits: TreeLimits) -> TreeRelease {
    let params = TreeReleaseParams { limits, rule: Arc::new(WidestSide::new(1)), ..TreeReleaseParams::new(1) };
    TreeRelease::new(params, &epsilon.parse().unwrap(), 1).unwrap()
}

#[test]
fn the_sampler_follows_the_law() {
    // With one level a look and with all levels in one look.
    for boxes_per_look in [1, 1 << 10] {
        let release = release("2", TreeLimits { leaves: 1000, depth: 3, boxes_per_look });
        let right = Law::of(release.split());
        let rows: Vec<i16> = vec![-20_000, 9_000, 9_100, 9_200, 30_000];
        let scan = table(1, &rows.iter().map(|&x| vec![x]).collect::<Vec<_>>());
        let mut noise = SeededNoise::new(11);
        let mut seen: BTreeMap<String, f64> = BTreeMap::new();
        let runs = 20_000;
        for _ in 0..runs {
            let mut accountant = Accountant::new(Allowance::without_ledger(release.claim()));
            let found = release.run(&scan, &mut accountant, &mut noise, &mut Vec::new()).unwrap();
            *seen.entry(shape(found.as_boxes().unwrap().tree(), 0)).or_default() += 1.0;
        }
        let deviation = |law: &Law| {
            let (mut sum, mut cells, mut rare, mut rare_seen) = (0.0, 0.0, 0.0, 0.0);
            for (tree, p) in law_of_table(law, &rows, 3) {
                let (expected, seen) = (p * f64::from(runs), seen.get(&tree).copied().unwrap_or(0.0));
                if expected < 10.0 {
                    (rare, rare_seen) = (rare + expected, rare_seen + seen);
                } else {
                    sum += (seen - expected).powi(2) / expected;
                    cells += 1.0;
                }
            }
            // In standard deviations of χ², all rare trees together.
            (sum + (rare_seen - rare).powi(2) / rare.max(1e-9) - cells) / (2.0f64 * cells).sqrt()
        };
        assert!(deviation(&right) < 5.0, "{} at {boxes_per_look} boxes a look", deviation(&right));
        for mutant in [
            Law { decay: 1.1 * right.decay, ..right },
            Law { floor: right.floor.map(|floor| floor + 1), ..right },
            Law { threshold: 1, ..right },
            Law { bias: right.bias + 1, ..right },
        ] {
            assert!(deviation(&mutant) > 10.0, "a mutant is only {} off", deviation(&mutant));
        }
    }
}
