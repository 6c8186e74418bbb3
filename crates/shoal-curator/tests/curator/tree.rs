//! The release of a tree and method `tree`: what they cost, what they depend on, and what they refuse.

use std::sync::Arc;

use crate::curator_support::{groups, run_seeded, table};
use shoal_curator::internals::{SplitShape, TreeRelease, TreeSplitMechanism};
use shoal_curator::{
    CutRule, Decision, FitError, Outcome, Synopsis, SynopsisKMeans, System, Tree, TreeLimits, TreeParams,
    TreeReleaseParams,
};
use shoal_files::{BoundsSpec, LoadOptions, PointStore, ReadOptions, Silent, Source, Table, load_points};
use shoal_lattice::{BoxPosition, LatticeMap};
use shoal_noise::{OsNoise, SeededNoise};
use shoal_privacy::{Accountant, Allowance, Amount, Epsilon, Loss, ThisIsNotPrivate};
use shoal_scan::{BoxTree, LocalScan, Scan, ScanExt};

fn epsilon(text: &str) -> Epsilon {
    text.parse().unwrap()
}

fn grow(params: TreeReleaseParams, given: &str, scan: &LocalScan, seed: u64) -> (Synopsis, Vec<Decision>) {
    let release = TreeRelease::new(params, &epsilon(given), scan.dims()).unwrap();
    let mut accountant = Accountant::new(Allowance::without_ledger(release.claim()));
    let mut decisions = Vec::new();
    let found = release.run(scan, &mut accountant, &mut SeededNoise::new(seed), &mut decisions).unwrap();
    assert_eq!(accountant.spent().loss, Loss::Pure(epsilon(given)), "all of ε, and no more");
    (found, decisions)
}

fn tree_of(found: &Synopsis) -> &BoxTree {
    found.as_boxes().unwrap().tree()
}

#[test]
fn the_claim_is_exactly_the_budget() {
    for given in ["1", "0.1", "1/3", "0.0001", "7", "100", "1e-9"] {
        for share in ["1/2", "0.7", "1/3", "0.01", "0.99"] {
            for shape in [(2.0, 1.0), (1.0, 1.0), (2.0, 2.0), (0.5, 0.0), (64.0, 64.0)] {
                let shape = SplitShape { bias: shape.0, floor: shape.1, ..SplitShape::default() };
                let structure_share: Amount = share.parse().unwrap();
                let params =
                    TreeReleaseParams { structure_share: structure_share.clone(), shape, ..TreeReleaseParams::new(3) };
                let release = TreeRelease::new(params, &epsilon(given), 3).unwrap();
                assert_eq!(release.claim().loss, Loss::Pure(epsilon(given)));
                let (spent, offered) = (release.split().epsilon().clone(), epsilon(given).times(&structure_share));
                assert!(spent <= offered && spent.to_f64_up() > 0.99 * offered.to_f64_up(), "{spent} of {offered}");
            }
        }
    }
}

#[test]
fn a_charge_that_does_not_fit_is_refused_before_the_first_look() {
    struct Blind;
    impl CutRule for Blind {
        fn cut(&self, _: &[i16], _: &[i16], _: u32) -> Option<(usize, i16)> {
            None
        }
    }
    impl std::fmt::Debug for Blind {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            f.write_str("Blind")
        }
    }
    // Scans of a table with other attributes fail: an error about the charge shows that none was made.
    let scan = table(5, &[vec![0; 5]]);
    let release = TreeRelease::new(TreeReleaseParams::new(2), &epsilon("1"), 2).unwrap();
    let small = TreeRelease::new(TreeReleaseParams::new(2), &epsilon("0.1"), 2).unwrap();
    let run = |claim| {
        let mut accountant = Accountant::new(Allowance::without_ledger(claim));
        release.run(&scan, &mut accountant, &mut SeededNoise::new(1), &mut Vec::new()).unwrap_err()
    };
    assert!(matches!(run(small.claim()), FitError::Charge(_)));
    assert!(matches!(run(release.claim()), FitError::Scan(_)));
    // A box that no rule cuts is still counted.
    let whole = TreeReleaseParams { rule: Arc::new(Blind), ..TreeReleaseParams::new(5) };
    let (found, _) = grow(whole, "1000", &scan, 1);
    assert_eq!((tree_of(&found).leaves(), &found.counts[..]), (1, &[1][..]));
}

#[test]
fn leaves_tile_the_space_and_hold_the_rows() {
    let rows = groups(&[&[-0.5, 0.5, 0.1], &[0.5, -0.5, 0.9], &[0.0, 0.0, -0.9]], 1000);
    let scan = table(3, &rows);
    for boxes_per_look in [1, 64, 1 << 17] {
        let limits = TreeLimits { boxes_per_look, ..TreeLimits::for_dims(3) };
        let (found, decisions) = grow(TreeReleaseParams { limits, ..TreeReleaseParams::new(3) }, "500", &scan, 3);
        assert!(tree_of(&found).is_in_walking_order() && found.counts.len() > 100, "{decisions:?}");
        let boxes = found.cells.boxes();
        let volume = |leaf: usize| -> u128 {
            let sides = boxes.low(leaf).iter().zip(boxes.high(leaf));
            sides.map(|(&low, &high)| (i32::from(high) - i32::from(low) + 1) as u128).product()
        };
        assert_eq!((0..found.counts.len()).map(volume).sum::<u128>(), 65_535u128.pow(3));
        for row in rows.iter().step_by(7) {
            let leaf = tree_of(&found).leaf(row);
            let inside = |(axis, x): (usize, &i16)| (boxes.low(leaf)[axis]..=boxes.high(leaf)[axis]).contains(x);
            assert!(row.iter().enumerate().all(inside));
        }
        // At this ε the noise is zero but for once in e^250, so that the counts are those of a scan.
        let mut by_row = vec![0; found.counts.len()];
        rows.iter().for_each(|row| by_row[tree_of(&found).leaf(row)] += 1);
        assert_eq!(found.counts, by_row);
        let exact = scan.box_counts(tree_of(&found)).unwrap().without_privacy().reveal(ThisIsNotPrivate);
        assert!(found.counts.iter().zip(&exact).all(|(&noisy, &exact)| noisy == exact as i64));
    }
}

#[test]
fn the_same_noise_gives_the_same_bits_in_any_row_order_look_and_number_of_threads() {
    let rows = groups(&[&[-0.6, -0.6], &[0.6, -0.5], &[0.0, 0.6]], 3001);
    let reversed: Vec<_> = rows.iter().rev().cloned().collect();
    let fit = |rows: &[Vec<i16>], boxes_per_look: usize| -> Outcome {
        let params = TreeParams::new(3, epsilon("1"), 2);
        let limits = TreeLimits { boxes_per_look, ..params.release.limits };
        let release = TreeReleaseParams { limits, ..params.release };
        run_seeded(&Tree::new(TreeParams { release, ..params }, 2).unwrap(), &table(2, rows), 5)
    };
    let expected = fit(&rows, 1 << 17);
    assert_eq!(fit(&reversed, 1 << 17), expected);
    // Levels are decided in order, so it does not matter how many are counted at a time.
    for boxes_per_look in [1, 2, 50, 1000] {
        assert_eq!(fit(&rows, boxes_per_look), expected, "{boxes_per_look} boxes a look");
    }
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(pool.install(|| fit(&rows, 1 << 17)), expected);
    }
}

#[test]
fn a_streamed_table_gives_the_same_bits_as_one_in_memory() {
    let mut text = String::from("a,b,c\n");
    for i in 0..5000usize {
        let x = |salt: usize| ((i * 7919 + salt) * 104_729 % 100_003) as f64 / 100_003.0;
        text.push_str(&format!("{},{},{}\n", x(1), x(2), x(3)));
    }
    let load = |memory: usize, chunk_rows: Option<usize>| {
        let table = Table::open(Source::Memory(text.clone().into_bytes()), &ReadOptions::default()).unwrap();
        let bounds = BoundsSpec::parse("0,1").unwrap().resolve(table.columns(), table.all_columns()).unwrap();
        let options = LoadOptions { memory, chunk_rows, ..LoadOptions::default() };
        load_points(table, LatticeMap::new(&bounds), &options, &Silent).unwrap()
    };
    let (whole, streamed) = (load(1 << 30, None), load(1024, Some(160)));
    assert!(matches!((&whole, &streamed), (PointStore::InMemory(_), PointStore::Streaming(_))));
    let fit = Tree::new(TreeParams::new(4, epsilon("1"), 3), 3).unwrap();
    let expected = run_seeded(&fit, &LocalScan::new(whole), 8);
    assert_eq!(run_seeded(&fit, &LocalScan::new(streamed).with_memory(4096), 8), expected);
}

#[test]
fn limits_hold_and_are_told() {
    let scan = table(2, &groups(&[&[-0.6, -0.6], &[0.6, -0.5]], 2000));
    for (leaves, depth) in [(1, 32), (7, 32), (100, 32), (1 << 20, 0), (1 << 20, 3)] {
        let limits = TreeLimits { leaves, depth, boxes_per_look: 1 << 10 };
        let (found, decisions) = grow(TreeReleaseParams { limits, ..TreeReleaseParams::new(2) }, "10", &scan, 2);
        let most = leaves.min(1usize << depth.min(30));
        assert_eq!(found.counts.len(), if depth == 3 { found.counts.len().min(most) } else { most });
        assert_eq!(
            decisions.iter().any(|it| matches!(it, Decision::Tree { stopped: true, .. })),
            leaves <= 100,
            "{decisions:?}"
        );
        let total: i64 = found.counts.iter().sum();
        assert!((total - 4000).abs() < 100, "all rows are in some box: {total}");
    }
}

#[test]
fn groups_are_found_and_the_promise_is_the_whole_budget() {
    let places = [[-0.6, -0.6, 0.3, 0.0], [0.6, -0.5, -0.3, 0.5], [0.0, 0.6, 0.0, -0.5]];
    let scan = table(4, &groups(&places, 3000));
    let fit = Tree::new(TreeParams::new(3, epsilon("1"), 4), 4).unwrap();
    let outcome = fit.run(&scan, Allowance::without_ledger(fit.claim()), &mut OsNoise::new().unwrap()).unwrap();
    assert_eq!(outcome.guarantee.claim().unwrap(), &fit.claim());
    let synopsis = outcome.synopsis.unwrap();
    assert_eq!(synopsis.guarantee, outcome.guarantee);
    for place in places {
        let distance =
            |centre: &Vec<BoxPosition>| centre.iter().zip(place).map(|(a, b)| (a.0 - b).powi(2)).sum::<f64>().sqrt();
        let nearest = outcome.centres.iter().map(distance).fold(f64::INFINITY, f64::min);
        assert!(nearest < 0.15, "{nearest} from {place:?}");
    }
    assert!(outcome.sizes.iter().all(|size| (size - 3000.0).abs() < 300.0), "{:?}", outcome.sizes);
    // The synopsis can be clustered again, for free.
    let again = synopsis.cluster(&SynopsisKMeans::new(7), &mut SeededNoise::new(1));
    assert_eq!((again.centres.len(), again.sizes.len()), (7, 7));
}

#[test]
fn senseless_parameters_are_refused_with_a_way_out() {
    let good = TreeParams::new(2, epsilon("1"), 2);
    let refused = |params: TreeParams, dims: usize, words: &str| {
        let message = Tree::new(params, dims).err().unwrap().to_string();
        assert!(message.contains(words), "{message}");
    };
    refused(TreeParams::new(0, epsilon("1"), 2), 2, "`k` 1 or more");
    refused(TreeParams::new(2, epsilon("0"), 2), 2, "`epsilon` above 0");
    refused(good.clone(), 0, "`columns`");
    refused(TreeParams { kmeans: SynopsisKMeans { inits: 0, ..good.kmeans }, ..good.clone() }, 2, "`inits`");
    refused(TreeParams { kmeans: SynopsisKMeans { rounds: 0, ..good.kmeans }, ..good.clone() }, 2, "`iterations`");
    for share in ["0", "1", "3/2"] {
        let release = TreeReleaseParams { structure_share: share.parse().unwrap(), ..good.release.clone() };
        refused(TreeParams { release, ..good.clone() }, 2, "`structure-share`");
    }
    for (bias, floor) in [(0.0, 1.0), (f64::NAN, 1.0), (1.0, -1.0), (65.0, 1.0), (1.0, f64::INFINITY)] {
        let shape = SplitShape { bias, floor, ..SplitShape::default() };
        let release = TreeReleaseParams { shape, ..good.release.clone() };
        refused(TreeParams { release, ..good.clone() }, 2, "a number from");
    }
    let none = TreeReleaseParams { limits: TreeLimits { leaves: 0, ..good.release.limits }, ..good.release.clone() };
    refused(TreeParams { release: none, ..good.clone() }, 2, "`max-boxes`");
    assert!(TreeSplitMechanism::new(dashu_ratio::RBig::ONE, 0, 0, 1).is_err(), "no bias, no bound");
    assert!(TreeSplitMechanism::new(dashu_ratio::RBig::ZERO, 0, 1, 1).is_err(), "no decay, no noise");
    assert!(TreeSplitMechanism::new(dashu_ratio::RBig::ONE, i64::MIN, 1, 1).is_err());
    assert!(TreeSplitMechanism::new(dashu_ratio::RBig::ONE, 0, u64::MAX, 1).is_ok());
    assert!(TreeSplitMechanism::new(dashu_ratio::RBig::ONE, 0, 1, u64::MAX).is_err());
}
