//! Clipped sums are what they are defined to be, whatever the code path, and one row moves them by its reach at most.

use proptest::prelude::*;
use shoal_files::PointStore;
use shoal_kernel::clipped_sums;
use shoal_kernel::internals::Path;
use shoal_kernel::{ClipLimits, ClusterSums, LatticeCentres, Reach, SearchCentres};
use shoal_lattice::LatticePoints;
use shoal_noise::{NoiseSource, SeededNoise};
use shoal_privacy::{Sensitive, ThisIsNotPrivate};
use shoal_scan::{LocalScan, ScanError, ScanExt};

type Rows = Vec<Vec<i16>>;

fn points(rows: &Rows, dims: usize) -> LatticePoints {
    let mut points = LatticePoints::new(dims);
    rows.iter().for_each(|row| points.push_row(row));
    points
}

fn scan(rows: &Rows, dims: usize) -> LocalScan {
    LocalScan::new(PointStore::InMemory(points(rows, dims)))
}

fn open<T, E: std::fmt::Debug>(answer: Result<Sensitive<T>, E>) -> T {
    answer.unwrap().without_privacy().reveal(ThisIsNotPrivate)
}

/// By the definition: every row against every centre, in wide integers.
fn naive(rows: &Rows, centres: &LatticeCentres, reach: &Reach) -> ClusterSums {
    let dims = centres.dims();
    let mut all = ClusterSums::zero(centres.count(), dims);
    for row in rows {
        let distance = |j: usize| {
            centres.centre(j).iter().zip(row).map(|(&c, &x)| (i64::from(c) - i64::from(x)).pow(2)).sum::<i64>()
        };
        let j = (0..centres.count()).min_by_key(|&j| distance(j)).unwrap();
        all.counts[j] += 1;
        for (axis, &x) in row.iter().enumerate() {
            let width = i64::from(reach.half_widths(j)[axis]);
            let from = i64::from(reach.reference().centre(j)[axis]);
            all.sums[j * dims + axis] += (i64::from(x) - from).clamp(-width, width);
        }
    }
    all
}

/// Coordinates with a liking for corners, the middle and its neighbours, where ties are.
fn coordinate() -> impl Strategy<Value = i16> {
    prop_oneof![Just(-32_767i16), Just(32_767), Just(0), Just(1), Just(-1), -32_767..=32_767i16]
}

/// Half-widths of all sizes, the extremes often.
fn half_width() -> impl Strategy<Value = u32> {
    prop_oneof![Just(1u32), Just(2), Just(32_767), Just(65_534), 1..300u32, 1..=65_534u32]
}

#[derive(Debug)]
struct Case {
    rows: Rows,
    extra: Vec<i16>,
    centres: LatticeCentres,
    reach: Reach,
}

fn case(dims: usize) -> impl Strategy<Value = Case> {
    let row = move || prop::collection::vec(coordinate(), dims);
    let places = move |k: usize| prop::collection::vec(coordinate(), k * dims);
    let of_centres = move |k: usize| (places(k), places(k), prop::collection::vec(half_width(), k * dims));
    (prop::collection::vec(row(), 0..40), row(), (1..6usize).prop_flat_map(of_centres)).prop_map(
        move |(rows, extra, (centres, reference, widths))| Case {
            rows,
            extra,
            centres: LatticeCentres::new(dims, centres),
            reach: Reach::new(LatticeCentres::new(dims, reference), widths),
        },
    )
}

/// How far the sums of the one centre that changed moved, in half-widths, if no more than one centre changed.
fn moved(with: &ClusterSums, without: &ClusterSums, reach: &Reach) -> Option<Vec<(i64, u32)>> {
    let changed: Vec<usize> = (0..with.counts.len())
        .filter(|&j| with.counts[j] != without.counts[j] || with.sum(j) != without.sum(j))
        .collect();
    let [j] = changed[..] else { return None };
    let moves = with.sum(j).iter().zip(without.sum(j)).map(|(a, b)| (a - b).abs());
    ((with.counts[j] - without.counts[j]).abs() == 1).then(|| moves.zip(reach.half_widths(j).iter().copied()).collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    fn one_row_moves_one_centre_by_its_reach_at_most(Case { rows, extra, centres, reach } in case(3), at in any::<prop::sample::Index>()) {
        let mut more = rows.clone();
        more.insert(at.index(rows.len() + 1), extra);
        let (with, without) = (open(scan(&more, 3).clipped_sums(&centres, &reach)), open(scan(&rows, 3).clipped_sums(&centres, &reach)));
        let moves = moved(&with, &without, &reach);
        prop_assert!(moves.as_ref().is_some_and(|moves| moves.iter().all(|&(by, width)| by <= width.into())), "{:?}", moves);
        prop_assert_eq!(with, naive(&more, &centres, &reach));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn the_whole_box_around_its_middle_gives_plain_sums(Case { rows, centres, .. } in case(2)) {
        let scan = scan(&rows, 2);
        let whole = Reach::whole_box(centres.count(), 2);
        prop_assert_eq!(open(scan.clipped_sums(&centres, &whole)), open(scan.sums_and_counts(&centres)));
    }

    #[test]
    fn a_wide_reach_gives_sums_less_the_reference(Case { rows, centres, reach, .. } in case(2)) {
        let scan = scan(&rows, 2);
        let wide = Reach::new(reach.reference().clone(), vec![Reach::MOST; centres.count() * 2]);
        let mut expected = open(scan.sums_and_counts(&centres));
        for j in 0..centres.count() {
            for axis in 0..2 {
                expected.sums[2 * j + axis] -= expected.counts[j] * i64::from(reach.reference().centre(j)[axis]);
            }
        }
        prop_assert_eq!(open(scan.clipped_sums(&centres, &wide)), expected);
    }

    #[test]
    fn every_path_and_dimension_agrees_with_the_definition(case in (1..40usize).prop_flat_map(case)) {
        let Case { rows, centres, reach, .. } = case;
        let points = points(&rows, centres.dims());
        let expected = naive(&rows, &centres, &reach);
        for path in Path::ALL.into_iter().filter(|path| path.available()) {
            let search = SearchCentres::with_path(&centres, path);
            let found = clipped_sums(&points, 0..points.tiles(), &search, &reach, &ClipLimits::new(&reach));
            prop_assert_eq!(&found, &expected, "{:?}", path);
        }
    }
}

#[test]
fn the_neighbour_test_can_fail() {
    // A mutant that clips by the reach of the centre before, and one that does not clip.
    let centres = LatticeCentres::new(1, vec![-20_000, 20_000]);
    let (narrow, wide) = (Reach::new(centres.clone(), vec![50, 5]), Reach::new(centres.clone(), vec![5, 50]));
    let rows = vec![vec![32_767i16]];
    for wrong in [&wide, &Reach::whole_box(2, 1)] {
        let with = open(scan(&rows, 1).clipped_sums(&centres, wrong));
        let moves = moved(&with, &ClusterSums::zero(2, 1), &narrow).unwrap();
        assert!(moves.iter().any(|&(by, width)| by > width.into()));
    }
}

#[test]
fn many_rows_at_the_border_do_not_overflow_and_threads_and_order_change_nothing() {
    let mut random = SeededNoise::new(4);
    let mut anywhere = || (random.next_u64() % 65_535) as i32 - 32_767;
    let rows: Rows = (0..200_003).map(|_| vec![32_767, -32_767, anywhere() as i16]).collect();
    let centres = LatticeCentres::new(3, vec![-32_767, 32_767, -5, 32_767, -32_767, 5]);
    let reach =
        Reach::new(LatticeCentres::new(3, vec![0, 0, 0, -32_767, 32_767, 700]), vec![7, 7, 7, 65_534, 60_000, 99]);
    let expected = naive(&rows, &centres, &reach);
    assert_eq!(open(scan(&rows, 3).clipped_sums(&centres, &reach)), expected);
    let reversed: Rows = rows.iter().rev().cloned().collect();
    for threads in [1, 3] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        assert_eq!(pool.install(|| open(scan(&reversed, 3).clipped_sums(&centres, &reach))), expected);
    }
}

#[test]
fn questions_that_do_not_go_together_are_refused() {
    let scan = scan(&vec![vec![1, 2]], 2);
    let centres = LatticeCentres::new(2, vec![0, 0, 5, 5]);
    assert!(matches!(
        scan.clipped_sums(&centres, &Reach::whole_box(3, 2)),
        Err(ScanError::Reaches { centres: 2, reaches: 3 })
    ));
    assert!(matches!(scan.clipped_sums(&centres, &Reach::whole_box(2, 3)), Err(ScanError::Dimensions { .. })));
    let other = LatticeCentres::new(1, vec![0]);
    assert!(matches!(scan.clipped_sums(&other, &Reach::whole_box(1, 1)), Err(ScanError::Dimensions { .. })));
}
