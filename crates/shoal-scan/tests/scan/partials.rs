//! Partial answers: they add up to the whole however rows are split, survive the wire, and nothing else does.

use crate::sharded::{Fault, ShardedScan};
use proptest::prelude::*;
use shoal_files::PointStore;
use shoal_kernel::{BlockKMeans, Cap, LatticeCentres, Matching, Reach};
use shoal_lattice::LatticePoints;
use shoal_noise::{NoiseSource, SeededNoise};
use shoal_privacy::{Sensitive, ThisIsNotPrivate};
use shoal_scan::{
    Answer, BlockDraw, BoxTree, Gathering, Grid, LocalScan, MergeError, Node, Partial, Question, Scan, ScanError,
    ScanExt, ValueBuckets, WireError,
};

type Rows = Vec<Vec<i16>>;

fn points(rows: &[Vec<i16>]) -> LatticePoints {
    let mut points = LatticePoints::new(2);
    rows.iter().for_each(|row| points.push_row(row));
    points
}

fn local(rows: &[Vec<i16>]) -> LocalScan {
    LocalScan::new(PointStore::InMemory(points(rows)))
}

fn reveal<T>(answer: Sensitive<T>) -> T {
    answer.without_privacy().reveal(ThisIsNotPrivate)
}

fn random_rows(count: usize, seed: u64) -> Rows {
    let mut random = SeededNoise::new(seed);
    let mut coordinate = || (random.next_u64() % 65_535) as i32 - 32_767;
    (0..count).map(|_| vec![coordinate() as i16, coordinate() as i16]).collect()
}

/// One question of every kind about rows of two attributes on the lattice.
fn questions() -> Vec<Question> {
    let centres = LatticeCentres::new(2, vec![-9_000, 50, 9_000, -50, 0, 20_000]);
    let split = |axis, below| Node::Split { axis, at: 7, below, above: below + 1 };
    let tree = BoxTree::new(2, vec![split(0, 1), split(1, 3), Node::Leaf, Node::Leaf, Node::Leaf]);
    let noise = &mut SeededNoise::new(4);
    let work = BlockKMeans::new((2, 2), (2, 5), Matching::Assign, noise);
    let draw = BlockDraw::new(20, noise);
    vec![
        Question::SumsAndCounts { centres: centres.clone() },
        Question::ClippedSums { centres: centres.clone(), reach: Reach::new(centres.clone(), vec![700; 6]) },
        Question::CellCounts { grid: Grid::new(vec![9, 4], 100).unwrap() },
        Question::CellCounts { grid: Grid::new(vec![200, 100], 1 << 20).unwrap() },
        Question::BoxCounts { tree },
        Question::Costs { candidates: vec![centres.clone(), LatticeCentres::new(2, vec![1, 2])] },
        Question::Costs { candidates: vec![] },
        Question::Blocks { draw: draw.clone(), wanted: 0..20, work: work.clone() },
        Question::Blocks { draw, wanted: 3..5, work },
        Question::Moments { dims: 2 },
        Question::CappedCost { centres, cap: Cap::near(123_456_789) },
        Question::RowCount,
    ]
}

fn buckets() -> Question {
    Question::Buckets { lists: vec![ValueBuckets::Magnitudes, ValueBuckets::equal_parts(-1.0, 4.0, 7)] }
}

fn bytes(partial: &Partial) -> Vec<u8> {
    partial.to_bytes_with_rows()
}

#[test]
fn shards_answer_what_one_machine_answers() {
    let rows = random_rows(777, 1);
    for question in questions() {
        let expected = reveal(local(&rows).ask(&question).unwrap());
        assert!(expected.fits(&question), "{}", question.name());
        for shards in [1, 2, 3, 7] {
            let found = ShardedScan::new(2, &rows, shards, Fault::None).ask(&question).unwrap();
            assert!(reveal(found) == expected, "{} on {shards} shards", question.name());
        }
        let whole = Partial::of(&question, &points(&rows)).unwrap().finish(&question).unwrap();
        assert!(reveal(whole) == expected, "{} in one piece", question.name());
        let worker = local(&rows).partial(&question, 0).unwrap().finish(&question).unwrap();
        assert!(reveal(worker) == expected, "{} of a worker", question.name());
    }
}

#[test]
fn raw_columns_in_shards_count_as_one_table() {
    let columns = [vec![0.5, -3.0, 1e9, 0.0, 2.0], vec![-7.0, 0.1, 3.9, 4.0, 1e-20]];
    let question = buckets();
    let whole = Partial::of_columns(&question, &columns).unwrap();
    let part = |range: std::ops::Range<usize>| {
        let part = Partial::of_columns(&question, &columns.each_ref().map(|column| &column[range.clone()])).unwrap();
        Partial::from_bytes(&question, &part.to_bytes().unwrap()).unwrap()
    };
    let merged = part(3..5).merge(part(0..1)).unwrap().merge(part(1..3)).unwrap();
    assert_eq!(bytes(&merged), bytes(&whole));
    let Answer::Buckets(counts) = reveal(whole.finish(&question).unwrap()) else { panic!("another kind") };
    assert_eq!(counts.iter().map(|list| list.iter().sum::<u64>()).collect::<Vec<_>>(), [5, 5]);

    let short = [vec![0.5], vec![1.0, 2.0]];
    assert!(matches!(Partial::of_columns(&question, &short), Err(ScanError::Columns { column: 1 })));
    let gap = [vec![f64::NAN], vec![1.0]];
    assert!(matches!(Partial::of_columns(&question, &gap), Err(ScanError::Columns { column: 0 })));
    assert!(matches!(Partial::of_columns(&question, &columns[..1]), Err(ScanError::Dimensions { .. })));
    assert!(matches!(Partial::of_columns(&Question::RowCount, &columns), Err(ScanError::Unanswerable { .. })));
    assert!(matches!(local(&[]).ask(&question), Err(ScanError::Unanswerable { .. })));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn merging_is_commutative_and_associative_and_nothing_is_neutral(
        rows in prop::collection::vec(prop::collection::vec(-32_767i16..=32_767, 2), 0..60),
        cuts in (any::<prop::sample::Index>(), any::<prop::sample::Index>()),
    ) {
        let (a, b) = (cuts.0.index(rows.len() + 1), cuts.1.index(rows.len() + 1));
        let (a, b) = (a.min(b), a.max(b));
        for question in questions() {
            let shard = |from: usize, to: usize| Partial::of_shard(&question, &points(&rows[from..to]), from as u64).unwrap();
            let (x, y, z) = (|| shard(0, a), || shard(a, b), || shard(b, rows.len()));
            let whole = bytes(&shard(0, rows.len()));
            let left = x().merge(y()).unwrap().merge(z()).unwrap();
            let right = z().merge(Partial::nothing(&question).unwrap()).unwrap().merge(x().merge(y()).unwrap()).unwrap();
            let other = y().merge(z().merge(x()).unwrap()).unwrap();
            prop_assert!([left, right, other].iter().all(|merged| bytes(merged) == whole), "{}", question.name());
        }
    }
}

/// A question as JSON has its version before everything else, and no other version is read.
#[test]
fn json_of_another_version_is_refused() {
    let json = serde_json::to_string(&Question::Moments { dims: 3 }).unwrap();
    assert_eq!(json, r#"{"format_version":1,"question":{"Moments":{"dims":3}}}"#);
    let refused = |json: &str| serde_json::from_str::<Question>(json).unwrap_err().to_string();
    let later = r#"{"format_version":2,"question":{"Medians":{"of":[3]}}}"#;
    assert!(refused(later).contains("version 2 of its format, and this program reads version 1"), "{}", refused(later));
    for (json, words) in [
        (r#"{"Moments":{"dims":3}}"#, "`format_version` where `Moments`"),
        (r#""RowCount""#, "starts with its `format_version`"),
        ("{}", "lacks its `format_version`"),
        (r#"{"format_version":1}"#, "lacks its `question`"),
        (r#"{"format_version":1,"question":"RowCount","more":1}"#, "no `more`"),
        (r#"{"format_version":1,"question":"Medians"}"#, "unknown variant"),
        (r#"{"format_version":"1","question":"RowCount"}"#, "invalid type"),
    ] {
        assert!(refused(json).contains(words), "{json}: {}", refused(json));
    }
}

/// Bytes as they were written before questions had a version in JSON.
#[test]
fn bytes_of_old_are_still_read() {
    let moments = [115, 104, 81, 10, 1, 0, 2, 0, 0, 0, 0, 0, 0, 0, 6, 3, 193, 120, 240, 183, 53, 245, 30, 32];
    assert_eq!(Question::from_bytes(&moments).unwrap(), Question::Moments { dims: 3 });
    assert_eq!(Question::Moments { dims: 3 }.to_bytes(), moments);
}

#[test]
fn bytes_of_questions_and_partial_answers_come_back_as_they_were() {
    let rows = random_rows(100, 2);
    for question in questions() {
        assert_eq!(Question::from_bytes(&question.to_bytes()).unwrap(), question);
        let json = serde_json::to_string(&question).unwrap();
        assert_eq!(serde_json::from_str::<Question>(&json).unwrap(), question);
        let partial = Partial::of(&question, &points(&rows)).unwrap();
        let back = Partial::from_bytes(&question, &bytes(&partial)).unwrap();
        assert_eq!(bytes(&back), bytes(&partial));
        assert_eq!(partial.to_bytes().is_err(), question.moves_rows());
        // The length depends on the question alone.
        let nothing = Partial::nothing(&question).unwrap();
        assert!(question.moves_rows() || bytes(&nothing).len() == bytes(&partial).len());
        let shown = format!("{partial:?}") + &format!("{:?}", reveal(partial.finish(&question).unwrap()));
        assert!(!shown.contains(char::is_numeric), "{shown}");
    }
    assert_eq!(Question::from_bytes(&buckets().to_bytes()).unwrap(), buckets());
}

#[test]
fn a_changed_or_missing_byte_is_refused() {
    let rows = random_rows(30, 3);
    for question in questions().into_iter().chain([buckets()]) {
        let partial = match question {
            Question::Buckets { .. } => Partial::of_columns(&question, &[[1.0, 2.0], [3.0, 4.0]]).unwrap(),
            _ => Partial::of(&question, &points(&rows)).unwrap(),
        };
        let (sent, good) = (question.to_bytes(), bytes(&partial));
        // Large answers are tried at some of their bytes.
        for at in (0..good.len()).step_by(1 + good.len() / 500) {
            let mut damaged = good.clone();
            damaged[at] ^= 1 << (at % 8);
            assert!(Partial::from_bytes(&question, &damaged).is_err(), "{}: byte {at}", question.name());
            assert!(Partial::from_bytes(&question, &good[..at]).is_err());
        }
        for at in (0..sent.len()).step_by(1 + sent.len() / 500) {
            let mut damaged = sent.clone();
            damaged[at] ^= 1 << (at % 8);
            assert!(Question::from_bytes(&damaged).is_err() && Question::from_bytes(&sent[..at]).is_err());
        }
    }
}

/// Bytes whose checksum is right, whatever the body.
fn with_checksum(tag: &[u8; 4], body: &[u8]) -> Vec<u8> {
    use sha2::{Digest, Sha256};
    let mut bytes = [&tag[..], &1u16.to_le_bytes(), &(body.len() as u64).to_le_bytes(), body].concat();
    let checksum = Sha256::digest(&bytes);
    bytes.extend(&checksum[..8]);
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    /// Questions and answers that someone changed, with a checksum that fits again: refused or usable, and no panic.
    #[test]
    fn forged_bytes_are_refused_or_usable(
        which in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let question = which.get(&questions()).clone();
        let rows = points(&random_rows(20, 8));
        let forge = |bytes: &[u8]| {
            let mut body = bytes[14..bytes.len() - 8].to_vec();
            changes.iter().for_each(|(at, value)| *at.get_mut(&mut body) = *value);
            body.truncate(cut.map_or(body.len(), |cut| cut.index(body.len()) + 1));
            body
        };
        let read = Question::from_bytes_within(&with_checksum(b"shQ\n", &forge(&question.to_bytes())), 1 << 20);
        if let Ok(forged) = read && forged.check_for(2).is_ok() {
            prop_assert_eq!(&Question::from_bytes(&forged.to_bytes()).unwrap(), &forged);
            let partial = Partial::of(&forged, &rows);
            prop_assert!(partial.is_err() || partial.unwrap().finish(&forged).is_ok());
        }
        let partial = bytes(&Partial::of(&question, &rows).unwrap());
        // The name of the question stays, so that the numbers are read.
        let forged = forge(&partial);
        let body = [&partial[14..30], forged.get(16..).unwrap_or(&[])].concat();
        if let Ok(forged) = Partial::from_bytes(&question, &with_checksum(b"shP\n", &body)) {
            let again = Partial::from_bytes(&question, &bytes(&forged)).unwrap();
            // Numbers may now be too large to add, and rows are there already.
            if let Ok(merged) = forged.merge(again) {
                prop_assert!(merged.finish(&question).is_ok());
            }
        }
    }
}

#[test]
fn an_answer_to_another_question_is_refused() {
    let all = questions();
    let rows = points(&random_rows(20, 4));
    for (i, one) in all.iter().enumerate() {
        let partial = bytes(&Partial::of(one, &rows).unwrap());
        for (j, other) in all.iter().enumerate().filter(|(j, _)| *j != i) {
            assert_eq!(Partial::from_bytes(other, &partial).unwrap_err(), WireError::OtherQuestion, "{i} for {j}");
            let merged = Partial::of(one, &rows).unwrap().merge(Partial::of(other, &rows).unwrap());
            assert_eq!(merged.unwrap_err(), MergeError::OtherQuestion);
            assert!(Partial::of(one, &rows).unwrap().finish(other).is_err());
        }
    }
    // A question of the same shape, as in the next iteration of Lloyd's algorithm.
    let near = |x| Question::SumsAndCounts { centres: LatticeCentres::new(2, vec![x, 0]) };
    let late = Partial::of(&near(1), &rows).unwrap().to_bytes().unwrap();
    assert_eq!(Partial::from_bytes(&near(2), &late).unwrap_err(), WireError::OtherQuestion);
    assert_ne!(near(1).id(), near(2).id());
}

#[test]
fn numbers_beyond_any_table_are_an_error() {
    let question = Question::CellCounts { grid: Grid::new(vec![1, 1], 1).unwrap() };
    let mut sum = Partial::of(&question, &points(&[vec![0, 0]])).unwrap();
    let merged = loop {
        let same = Partial::from_bytes(&question, &bytes(&sum)).unwrap();
        match sum.merge(same) {
            Ok(twice) => sum = twice,
            Err(error) => break error,
        }
    };
    assert_eq!(merged, MergeError::Overflow);
}

#[test]
fn questions_that_ask_for_too_much_are_refused_before_memory_is_taken() {
    // Few bytes, many cells: 2^32 counts.
    let grid = Question::CellCounts { grid: Grid::new(vec![65_535, 65_535], usize::MAX).unwrap() };
    assert!(grid.to_bytes().len() < 100);
    assert!(matches!(Question::from_bytes(&grid.to_bytes()), Err(WireError::TooLarge { .. })));
    let moments = Question::Moments { dims: usize::MAX };
    assert!(matches!(Question::from_bytes(&moments.to_bytes()), Err(WireError::TooLarge { .. })));
    let work = BlockKMeans::new((9, 2), (1, 1), Matching::Sort, &mut SeededNoise::new(1));
    let draw = BlockDraw::new(u32::MAX, &mut SeededNoise::new(1));
    let blocks = Question::Blocks { draw, wanted: 0..u32::MAX, work };
    assert!(matches!(Question::from_bytes(&blocks.to_bytes()), Err(WireError::TooLarge { .. })));
    let small = Question::Moments { dims: 3 };
    assert!(Question::from_bytes_within(&small.to_bytes(), 56).is_ok());
    assert!(Question::from_bytes_within(&small.to_bytes(), 55).is_err());
}

#[test]
fn senseless_questions_are_refused_by_everyone() {
    let noise = &mut SeededNoise::new(4);
    let (work, draw) = (BlockKMeans::new((2, 2), (2, 5), Matching::Sort, noise), BlockDraw::new(20, noise));
    let centres = LatticeCentres::new(2, vec![5, 5]);
    let wrong = [
        Question::Blocks { draw: draw.clone(), wanted: 3..21, work: work.clone() },
        #[allow(clippy::reversed_empty_ranges)]
        Question::Blocks { draw, wanted: 4..3, work },
        Question::CappedCost { centres: centres.clone(), cap: Cap { most: 1, shift: 64 } },
        Question::ClippedSums { centres: centres.clone(), reach: Reach::whole_box(2, 2) },
        Question::ClippedSums { centres: centres.clone(), reach: Reach::whole_box(1, 3) },
        Question::Costs { candidates: vec![centres, LatticeCentres::new(1, vec![5])] },
        Question::Buckets { lists: vec![ValueBuckets::Parts(vec![]), ValueBuckets::Magnitudes] },
        Question::Buckets { lists: vec![ValueBuckets::Parts(vec![1.0, 0.0]), ValueBuckets::Magnitudes] },
        Question::Buckets { lists: vec![ValueBuckets::Parts(vec![1.0, f64::NAN]), ValueBuckets::Magnitudes] },
    ];
    for question in wrong {
        assert!(local(&[]).ask(&question).is_err());
        assert!(Partial::nothing(&question).is_err() && Partial::of(&question, &points(&[])).is_err());
        assert!(Partial::of_columns(&question, &[[0.0], [0.0]]).is_err());
        assert!(matches!(Question::from_bytes(&question.to_bytes()), Err(WireError::Question { .. })));
    }
}

#[test]
fn each_worker_counts_once_and_none_may_be_missing() {
    let question = Question::RowCount;
    let answer = |rows: usize| Partial::of(&question, &points(&random_rows(rows, 5))).unwrap();
    let engine = |error: ScanError| match error {
        ScanError::Engine { worker, source } => (worker, source.downcast_ref::<MergeError>().copied()),
        other => panic!("{other}"),
    };
    let mut gathering = Gathering::new(&question, ["a", "b"]).unwrap();
    gathering.take("b", answer(7)).unwrap();
    gathering.take("b", answer(7)).unwrap();
    assert_eq!(engine(gathering.take("c", answer(1)).unwrap_err()), ("c".into(), Some(MergeError::Unknown)));
    let damaged = gathering.take_bytes("a", b"?").unwrap_err();
    assert!(damaged.to_string().contains("worker a") && damaged.to_string().contains("nothing more was spent"));
    assert_eq!(gathering.missing().collect::<Vec<_>>(), ["a"]);
    gathering.take_bytes("a", &answer(5).to_bytes().unwrap()).unwrap();
    assert_eq!(gathering.missing().count(), 0);
    assert!(reveal(gathering.finish().unwrap()) == Answer::RowCount(12));

    let mut missing = Gathering::new(&question, ["a", "b"]).unwrap();
    missing.take("b", answer(7)).unwrap();
    assert_eq!(engine(missing.finish().map(drop).unwrap_err()), ("a".into(), Some(MergeError::NoAnswer)));

    let mut torn = Gathering::new(&question, ["a"]).unwrap();
    torn.take("a", answer(7)).unwrap();
    assert_eq!(engine(torn.take("a", answer(8)).unwrap_err()), ("a".into(), Some(MergeError::Disagrees)));
    assert_eq!(engine(torn.finish().map(drop).unwrap_err()).1, Some(MergeError::Disagrees));

    assert_eq!(engine(Gathering::new(&question, ["a", "a"]).unwrap_err()).1, Some(MergeError::NamedTwice));
    let mut other = Gathering::new(&question, ["a"]).unwrap();
    let late = Partial::nothing(&Question::Moments { dims: 2 }).unwrap();
    assert_eq!(engine(other.take("a", late).unwrap_err()).1, Some(MergeError::OtherQuestion));
}

#[test]
fn a_lost_doubled_or_misplaced_shard_does_not_pass_unseen() {
    let rows = random_rows(500, 6);
    for question in questions().into_iter().filter(|question| question.answer_bytes() > 0) {
        let expected = reveal(local(&rows).ask(&question).unwrap());
        let with = |fault| ShardedScan::new(2, &rows, 3, fault).ask(&question);
        assert!(reveal(with(Fault::Drops).unwrap()) != expected, "{}", question.name());
        match with(Fault::Doubles) {
            Ok(answer) => assert!(reveal(answer) != expected, "{}", question.name()),
            // Rows have a place, so two shards cannot claim the same ones.
            Err(ScanError::Engine { source, .. }) => {
                assert_eq!(source.downcast_ref(), Some(&MergeError::Overlap));
                assert!(question.moves_rows());
            }
            Err(other) => panic!("{other}"),
        }
        let lost = with(Fault::Loses).map(drop).unwrap_err();
        assert!(matches!(&lost, ScanError::Engine { worker, .. } if worker == "shard 2"), "{lost}");
        if question.moves_rows() {
            assert!(with(Fault::KeepsRows).is_err());
            assert!(with(Fault::ForgetsPlaces).is_err(), "shards that all begin at the first row");
        }
    }
}

#[test]
fn an_engine_that_keeps_rows_can_be_found_out_for_nothing() {
    let rows = random_rows(50, 7);
    assert!(local(&rows).check_blocks().is_ok());
    assert!(ShardedScan::new(2, &rows, 2, Fault::None).check_blocks().is_ok());
    let refused = ShardedScan::new(2, &rows, 2, Fault::KeepsRows).check_blocks().unwrap_err();
    assert!(matches!(refused, ScanError::RowsStay { question: "blocks" }));
    assert!(refused.to_string().contains("nothing was spent"));
}

/// A scan that answers something else than it is asked.
struct Confused(fn() -> Answer);

impl Scan for Confused {
    fn dims(&self) -> usize {
        2
    }

    fn ask(&self, _: &Question) -> Result<Sensitive<Answer>, ScanError> {
        Ok(Sensitive::new((self.0)()))
    }
}

#[test]
fn answers_of_the_wrong_kind_or_length_are_refused() {
    let grid = Grid::new(vec![2, 2], 9).unwrap();
    for wrong in [|| Answer::RowCount(4), || Answer::CellCounts(vec![0; 3]), || Answer::BoxCounts(vec![0; 4])] {
        assert!(matches!(Confused(wrong).cell_counts(&grid), Err(ScanError::WrongAnswer { .. })));
    }
    assert!(Confused(|| Answer::CellCounts(vec![0; 4])).cell_counts(&grid).is_ok());
}
