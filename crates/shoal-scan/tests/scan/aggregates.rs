//! What a scan answers must not depend on row order, threads or chunks, and one row more or less must change it by no
//! more than the table in `shoal_scan` says.

use proptest::prelude::*;
use shoal_files::{BoundsSpec, LoadOptions, PointStore, ReadOptions, Silent, Source, Table, load_points};
use shoal_kernel::{BlockKMeans, ClusterSums, LatticeCentres, Matching};
use shoal_lattice::{LatticeMap, LatticePoints};
use shoal_noise::SeededNoise;
use shoal_privacy::{Sensitive, ThisIsNotPrivate};
use shoal_scan::{BlockDraw, BoxTree, Grid, LocalScan, Node, ScanExt};

const M: i64 = 32_767;

type Rows = Vec<Vec<i16>>;

fn scan(rows: &Rows, dims: usize) -> LocalScan {
    let mut points = LatticePoints::new(dims);
    rows.iter().for_each(|row| points.push_row(row));
    LocalScan::new(PointStore::InMemory(points))
}

fn open<T, E: std::fmt::Debug>(answer: Result<Sensitive<T>, E>) -> T {
    answer.unwrap().without_privacy().reveal(ThisIsNotPrivate)
}

/// Coordinates with a liking for corners, the middle and its neighbours, where ties are.
fn coordinate() -> impl Strategy<Value = i16> {
    prop_oneof![Just(-32_767i16), Just(32_767), Just(0), Just(1), Just(-1), -32_767..=32_767i16]
}

fn table(dims: usize) -> impl Strategy<Value = (Rows, Vec<i16>, Vec<i16>)> {
    let row = || prop::collection::vec(coordinate(), dims);
    (
        prop::collection::vec(row(), 0..40),
        row(),
        (1..6usize).prop_flat_map(move |k| prop::collection::vec(coordinate(), k * dims)),
    )
}

/// The largest change of the pre-noise sums and counts, as the loss of DPLloyd's noise counts it: how many centres
/// changed, by how much at most in a sum, and by how much in a count.
fn change(with: &ClusterSums, without: &ClusterSums, dims: usize) -> (usize, i64, i64) {
    let changed = (0..with.counts.len())
        .filter(|&j| {
            with.counts[j] != without.counts[j] || with.sums[j * dims..][..dims] != without.sums[j * dims..][..dims]
        })
        .count();
    let widest = |a: &[i64], b: &[i64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).max().unwrap_or(0);
    (changed, widest(&with.sums, &without.sums), widest(&with.counts, &without.counts))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    fn one_row_changes_one_centre_by_the_sensitivity_at_most((rows, extra, centres) in table(3), at in any::<prop::sample::Index>()) {
        let centres = LatticeCentres::new(3, centres);
        let mut more = rows.clone();
        more.insert(at.index(rows.len() + 1), extra.clone());
        let (with, without) = (open(scan(&more, 3).sums_and_counts(&centres)), open(scan(&rows, 3).sums_and_counts(&centres)));
        let (changed, sum, count) = change(&with, &without, 3);
        prop_assert!(changed == 1 && sum <= M && count == 1);
        prop_assert_eq!(sum, extra.iter().map(|&x| i64::from(x).abs()).max().unwrap(), "the bound is tight at the corners");
    }

    #[test]
    fn one_row_changes_one_cell_one_box_and_each_cost_by_no_more_than_a_diagonal(
        (rows, extra, centres) in table(2), along in 1..50u32,
    ) {
        let mut more = rows.clone();
        more.push(extra);
        let (with, without) = (scan(&more, 2), scan(&rows, 2));
        let moved = |a: Vec<u64>, b: Vec<u64>| a.iter().zip(&b).map(|(a, b)| a.abs_diff(*b)).sum::<u64>();
        let grid = Grid::new(vec![along, 3], 1000).unwrap();
        prop_assert_eq!(moved(open(with.cell_counts(&grid)), open(without.cell_counts(&grid))), 1);
        let tree = BoxTree::new(2, vec![Node::Split { axis: 1, at: along as i16, below: 1, above: 2 }, Node::Leaf, Node::Leaf]);
        prop_assert_eq!(moved(open(with.box_counts(&tree)), open(without.box_counts(&tree))), 1);
        let candidates: Vec<_> = centres.chunks(2).map(|c| LatticeCentres::new(2, c.to_vec())).collect();
        for (a, b) in open(with.costs(&candidates)).into_iter().zip(open(without.costs(&candidates))) {
            prop_assert!(a >= b && a - b <= 2 * (2 * M as u128).pow(2));
        }
        prop_assert_eq!(open(with.row_count()), open(without.row_count()) + 1);
    }
}

/// Costs by the definition: every row against every centre.
fn naive_costs(rows: &Rows, candidates: &[LatticeCentres]) -> Vec<u128> {
    let distance = |row: &[i16], centre: &[i16]| {
        row.iter().zip(centre).map(|(&x, &c)| (i64::from(x) - i64::from(c)).pow(2) as u128).sum::<u128>()
    };
    let nearest = |row: &[i16], set: &LatticeCentres| (0..set.count()).map(|j| distance(row, set.centre(j))).min();
    candidates.iter().map(|set| rows.iter().map(|row| nearest(row, set).unwrap()).sum()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn costs_are_sums_of_squared_distances((rows, _, centres) in table(3), (_, _, others) in table(3)) {
        let candidates = [LatticeCentres::new(3, centres), LatticeCentres::new(3, others)];
        prop_assert_eq!(open(scan(&rows, 3).costs(&candidates)), naive_costs(&rows, &candidates));
    }
}

#[test]
fn costs_of_many_far_rows_are_exact() {
    // Every row as far as the box is wide, in more rows than one task or one 32-bit partial sum takes.
    for dims in [1, 2, 5] {
        let rows: Rows = (0..70_001).map(|i| vec![if i % 3 == 0 { -32_767 } else { 32_767 }; dims]).collect();
        let candidates = [vec![-32_767; dims], [vec![32_767; dims], vec![-32_766; dims]].concat()]
            .map(|coordinates| LatticeCentres::new(dims, coordinates));
        assert_eq!(open(scan(&rows, dims).costs(&candidates)), naive_costs(&rows, &candidates));
    }
}

#[test]
fn the_sensitivity_test_can_fail() {
    // The mutant of a peer: sums over a box that excludes zero, where a row adds its distance from the lower bound.
    let centres = LatticeCentres::new(1, vec![0]);
    let rows = vec![vec![32_767i16]];
    let shifted = |rows: &Rows| {
        let mut sums = open(scan(rows, 1).sums_and_counts(&centres));
        sums.sums[0] += M * sums.counts[0];
        sums
    };
    let (_, sum, _) = change(&shifted(&rows), &shifted(&Vec::new()), 1);
    assert!(sum > M);
}

/// A table with several thousand rows in three attributes, as CSV.
fn csv(order: impl Iterator<Item = usize>) -> String {
    let mut text = String::from("a,b,c\n");
    for i in order {
        let x = |salt: usize| ((i * 7919 + salt) * 104_729 % 100_003) as f64 / 100_003.0;
        text.push_str(&format!("{},{},{}\n", x(1), x(2), x(3)));
    }
    text
}

fn from_csv(text: String, memory: usize, chunk_rows: Option<usize>) -> LocalScan {
    let table = Table::open(Source::Memory(text.into_bytes()), &ReadOptions::default()).unwrap();
    let bounds = BoundsSpec::parse("0,1").unwrap().resolve(table.columns(), table.all_columns()).unwrap();
    let options = LoadOptions { memory, chunk_rows, ..LoadOptions::default() };
    LocalScan::new(load_points(table, LatticeMap::new(&bounds), &options, &Silent).unwrap())
        .with_memory(memory.max(4096))
}

/// Every answer of a scan that has no randomness of its own.
#[derive(Debug, PartialEq)]
struct Answers {
    sums: ClusterSums,
    cells: Vec<u64>,
    boxes: Vec<u64>,
    costs: Vec<u128>,
    rows: u64,
}

fn answers(scan: &LocalScan) -> Answers {
    let centres = LatticeCentres::from_unit(3, &[-0.5, 0.1, 0.3, 0.5, -0.2, 0.8, 0.0, 0.0, 0.0, 0.9, 0.9, -0.9]);
    let grid = Grid::new(vec![5, 4, 3], 1000).unwrap();
    let tree = BoxTree::new(3, vec![Node::Split { axis: 2, at: 100, below: 1, above: 2 }, Node::Leaf, Node::Leaf]);
    Answers {
        sums: open(scan.sums_and_counts(&centres)),
        cells: open(scan.cell_counts(&grid)),
        boxes: open(scan.box_counts(&tree)),
        costs: open(scan.costs(&[centres.clone(), LatticeCentres::new(3, vec![5, 6, 7])])),
        rows: open(scan.row_count()),
    }
}

#[test]
fn row_order_threads_and_chunks_change_nothing() {
    let n = 20_011;
    let expected = answers(&from_csv(csv(0..n), 1 << 30, None));
    assert_eq!(expected.rows, n as u64);
    assert_eq!(answers(&from_csv(csv((0..n).rev()), 1 << 30, None)), expected, "row order");
    for chunk_rows in [16, 160, 4096, 8192] {
        assert_eq!(answers(&from_csv(csv(0..n), 1024, Some(chunk_rows))), expected, "chunks of {chunk_rows}");
    }
    for threads in [1, 2, 3, 8] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let answer = pool.install(|| answers(&from_csv(csv(0..n), 1 << 30, None)));
        assert_eq!(answer, expected, "{threads} threads");
    }
}

/// k-means whose result changes with nearly every change of a block: where two centres come to rest.
fn sensitive_work(dims: usize) -> BlockKMeans {
    BlockKMeans::new((2, dims), (3, 10), Matching::Sort, &mut SeededNoise::new(11))
}

#[test]
fn blocks_are_dealt_the_same_way_whatever_the_memory() {
    let n = 5000;
    let draw = BlockDraw::new(37, &mut SeededNoise::new(3));
    let work = sensitive_work(3);
    let once = open(from_csv(csv(0..n), 1 << 30, None).block_results(&draw, &work));
    let many = open(from_csv(csv(0..n), 2048, Some(160)).block_results(&draw, &work));
    assert_eq!(once, many);
    assert_eq!(once.len(), 37);
    let mut rows = [0; 37];
    draw.deal().take(n).for_each(|block| rows[block] += 1);
    assert!(rows.iter().all(|rows| (60..250).contains(rows)), "about {} rows a block", n / 37);
    let other = BlockDraw::new(37, &mut SeededNoise::new(4));
    assert_ne!(once, open(from_csv(csv(0..n), 1 << 30, None).block_results(&other, &work)));
}

#[test]
fn one_row_more_changes_one_block() {
    // The pairing of deals: with the new row last, the same key deals the common rows alike.
    let rows: Rows = (0..500).map(|i| vec![i as i16, 3 * i as i16]).collect();
    let work = sensitive_work(2);
    for seed in 0..20 {
        let draw = BlockDraw::new(31, &mut SeededNoise::new(seed));
        let mut more = rows.clone();
        more.push(vec![-7000, -7000]);
        let without = open(scan(&rows, 2).block_results(&draw, &work));
        let with = open(scan(&more, 2).block_results(&draw, &work));
        assert_eq!(without.iter().zip(&with).filter(|(a, b)| a != b).count(), 1);
        // For a fixed deal the place of the row matters, which is why the deal must be secret.
        more.rotate_right(1);
        let shifted = open(scan(&more, 2).block_results(&draw, &work));
        assert!(without.iter().zip(&shifted).filter(|(a, b)| a != b).count() > 25);
    }
}

#[test]
fn every_block_answers_even_without_rows() {
    let draw = BlockDraw::new(50, &mut SeededNoise::new(3));
    let work = sensitive_work(2);
    let results = open(scan(&vec![vec![5, 5]], 2).block_results(&draw, &work));
    let public = work.centres(&LatticePoints::new(2));
    assert_eq!((results.len(), results.iter().filter(|&block| *block == [5, 5, 5, 5]).count()), (50, 1));
    assert_eq!(results.iter().filter(|&block| *block == public).count(), 49);
}

#[test]
fn questions_about_other_attributes_are_refused() {
    let scan = scan(&vec![vec![1, 2]], 2);
    assert!(scan.sums_and_counts(&LatticeCentres::new(3, vec![0; 3])).is_err());
    assert!(scan.cell_counts(&Grid::new(vec![2], 10).unwrap()).is_err());
    assert!(scan.costs(&[LatticeCentres::new(1, vec![0])]).is_err());
}
