//! A tree of fixed depth: one row changes one count by one, the cuts follow from what was released, and mutants are caught.

use std::sync::Arc;

use shoal_curator::internals::FixedTreeRelease;
use shoal_curator::{Auto, AutoParams, CutRule, Decision, DesignSize, Route, SynopsisKMeans};
use shoal_noise::uniform::unit_f64;
use shoal_noise::{NoiseSource, SeededNoise};
use shoal_privacy::{Accountant, Allowance, Epsilon, Loss, ThisIsNotPrivate};
use shoal_scan::{BoxTree, Node, ScanExt};

use crate::curator_support::{groups, run_seeded, table};

fn epsilon(text: &str) -> Epsilon {
    text.parse().unwrap()
}

/// Cuts at places that were known before the table was: in place of those by released moments.
#[derive(Debug)]
struct Known(Vec<f64>);

impl CutRule for Known {
    fn cut(&self, low: &[i16], high: &[i16], depth: u32) -> Option<(usize, i16)> {
        let axis = depth as usize % low.len();
        let (low, high) = (i32::from(low[axis]), i32::from(high[axis]));
        let part = self.0[axis];
        (low < high).then(|| (axis, (low + 1 + (part * f64::from(high - low - 1)) as i32) as i16))
    }
}

fn counts(dims: usize, tree: &BoxTree, rows: &[Vec<i16>]) -> Vec<u64> {
    table(dims, rows).box_counts(tree).unwrap().without_privacy().reveal(ThisIsNotPrivate)
}

/// By how much all counts together differ.
fn moved(before: &[u64], after: &[u64]) -> u64 {
    assert_eq!(before.len(), after.len());
    before.iter().zip(after).map(|(a, b)| a.abs_diff(*b)).sum()
}

fn random_row(dims: usize, random: &mut SeededNoise) -> Vec<i16> {
    (0..dims).map(|_| (65_534.0 * (unit_f64(random) - 0.5)) as i16).collect()
}

/// Rows that have broken counts before: corners, and both sides of every cut.
fn odd_rows(dims: usize, tree: &BoxTree) -> Vec<Vec<i16>> {
    let mut rows: Vec<Vec<i16>> = [-32_767, 0, 32_767].map(|x| vec![x; dims]).to_vec();
    for node in tree.nodes().iter().take(200) {
        if let Node::Split { axis, at, .. } = *node {
            for x in [at - 1, at] {
                let mut row = vec![17; dims];
                row[axis as usize] = x;
                rows.push(row);
            }
        }
    }
    rows
}

#[test]
fn one_row_changes_one_count_by_one() {
    let random = &mut SeededNoise::new(7);
    for (dims, depth) in [(1, 6), (2, 5), (4, 8), (7, 10)] {
        let rule = Known((0..dims).map(|_| unit_f64(random)).collect());
        let release = FixedTreeRelease::new(dims, depth, &rule, &epsilon("1")).unwrap();
        let rows: Vec<Vec<i16>> = (0..120).map(|_| random_row(dims, random)).collect();
        let before = counts(dims, release.tree(), &rows);
        assert_eq!(before.iter().sum::<u64>(), 120);
        let mut extra = odd_rows(dims, release.tree());
        extra.extend((0..60).map(|_| random_row(dims, random)));
        for row in extra {
            let mut more = rows.clone();
            more.insert(random.next_u64() as usize % 120, row.clone());
            assert_eq!(moved(&before, &counts(dims, release.tree(), &more)), 1, "{dims} columns: {row:?}");
        }
    }
}

/// A mutant releases the counts of every level with the noise that is meant for one: found out by the same test.
#[test]
fn counts_of_all_levels_would_be_found_out() {
    let release = |depth| FixedTreeRelease::new(2, depth, &Known(vec![0.4, 0.6]), &epsilon("1")).unwrap();
    let all_levels =
        |rows: &[Vec<i16>]| -> Vec<u64> { (0..=4).flat_map(|depth| counts(2, release(depth).tree(), rows)).collect() };
    let rows = groups(&[[0.3, 0.3]], 40);
    let mut more = rows.clone();
    more.push(vec![-20_000, 9_000]);
    assert_eq!(moved(&all_levels(&rows), &all_levels(&more)), 5);
}

#[test]
fn the_claim_is_exactly_what_is_asked_for_and_less_is_refused() {
    let scan = table(2, &groups(&[[0.5, 0.5]], 60));
    for text in ["1", "1/3", "0.007"] {
        let release = FixedTreeRelease::new(2, 4, &Known(vec![0.5, 0.5]), &epsilon(text)).unwrap();
        assert_eq!(release.claim().loss, Loss::Pure(epsilon(text)));
        let run = |claim| {
            let mut accountant = Accountant::new(Allowance::without_ledger(claim));
            let synopsis = release.run(&scan, &mut accountant, &mut SeededNoise::new(1), &mut Vec::new())?;
            assert_eq!(accountant.promised().loss, Loss::Pure(epsilon(text)));
            Ok::<_, shoal_curator::FitError>(synopsis)
        };
        assert_eq!(run(release.claim()).unwrap().counts.len(), 16);
        let mut less = release.claim();
        less.loss = Loss::Pure(epsilon("0.0069"));
        assert!(run(less).is_err());
    }
}

fn fit(rows: u64, budget: &str) -> Auto {
    let kmeans = SynopsisKMeans { inits: 2, rounds: 3, reruns: 0, ..SynopsisKMeans::new(3) };
    let params = AutoParams::new(3, epsilon(budget), DesignSize::Public(rows));
    Auto::new(AutoParams { route: Some(Route::FixedTree), kmeans, ..params }, 4).unwrap()
}

#[test]
fn the_depth_follows_from_public_numbers_and_not_from_the_table() {
    let tables = [vec![], groups(&[[0.1, 0.2, 0.3, 0.4]], 50), groups(&[[-0.9; 4], [0.9; 4]], 2000)];
    let shape = |rows: u64, data: &[Vec<i16>]| {
        let outcome = run_seeded(&fit(rows, "1"), &table(4, data), 3);
        let of = outcome.decisions.iter().find_map(|decision| match decision {
            Decision::FixedTree { boxes, depth, .. } => Some((*boxes, *depth)),
            _ => None,
        });
        of.unwrap()
    };
    for data in &tables {
        // 700 rows, noise of 3.5 rows: 2^8 boxes.
        assert_eq!(shape(700, data), (256, 8));
    }
    // A size read off the table would be seen, few rows still have a box for every cluster, and there is an end.
    assert_ne!(shape(60, &tables[1]), shape(4000, &tables[2]));
    assert_eq!(shape(1, &tables[0]).1, 2);
    assert_eq!(shape(1_000_000_000, &tables[0]).1, 13);
}

/// Cuts at the mean of the rows themselves, which nobody released.
#[derive(Debug)]
struct Peeking(Arc<Vec<Vec<i16>>>);

impl CutRule for Peeking {
    fn cut(&self, low: &[i16], high: &[i16], depth: u32) -> Option<(usize, i16)> {
        let axis = depth as usize % low.len();
        let inside = self.0.iter().map(|row| row[axis]).filter(|x| (low[axis]..=high[axis]).contains(x));
        let (sum, rows) = inside.fold((0i64, 0), |(sum, rows), x| (sum + i64::from(x), rows + 1));
        let mean = if rows == 0 { 0 } else { (sum / rows) as i16 };
        (low[axis] < high[axis]).then(|| (axis, mean.clamp(low[axis] + 1, high[axis])))
    }
}

#[test]
fn neighbours_have_the_same_boxes_and_cuts_by_the_rows_would_be_found_out() {
    let rows = groups(&[[0.3, -0.2], [-0.5, 0.5]], 20);
    let mut more = rows.clone();
    more.push(vec![32_767, 32_767]);
    let tree = |rule: &dyn CutRule| FixedTreeRelease::new(2, 4, rule, &epsilon("1")).unwrap().tree().clone();
    let of_rows = |rows: &[Vec<i16>]| tree(&Peeking(Arc::new(rows.to_vec())));
    assert_ne!(of_rows(&rows), of_rows(&more), "a mutant");
    assert!(moved(&counts(2, &of_rows(&rows), &rows), &counts(2, &of_rows(&more), &more)) > 1, "more than it pays for");
    let known = Known(vec![0.3, 0.7]);
    assert_eq!(moved(&counts(2, &tree(&known), &rows), &counts(2, &tree(&known), &more)), 1);
}

#[test]
fn groups_are_found_and_sizes_add_up_to_the_counts() {
    let places = [[-0.6, -0.6, 0.3, 0.0], [0.6, -0.5, -0.3, 0.5], [0.0, 0.6, 0.0, -0.5]];
    let scan = table(4, &groups(&places, 400));
    // The number of rows that it is designed for is a guess, and sizes do not follow it.
    for designed_for in [1200, 2400] {
        let outcome = run_seeded(&fit(designed_for, "4"), &scan, 5);
        for place in places {
            let apart = |centre: &Vec<shoal_lattice::BoxPosition>| {
                centre.iter().zip(place).map(|(a, b)| (a.0 - b).powi(2)).sum::<f64>().sqrt()
            };
            let nearest = outcome.centres.iter().map(apart).fold(f64::INFINITY, f64::min);
            assert!(nearest < 0.15, "{nearest} from {place:?}");
        }
        let total: f64 = outcome.sizes.iter().sum();
        assert!((total - 1200.0).abs() < 200.0, "{total}");
        assert!(outcome.synopsis.is_some());
    }
}
