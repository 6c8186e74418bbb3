//! Grouping against a plain computation, for every way, memory and order; and mutants of it that must be found.

use std::collections::HashMap;

use proptest::prelude::*;

use super::*;

const DIMS: usize = 2;

#[derive(Clone, Debug, PartialEq)]
struct Row {
    person: u16,
    values: [i16; DIMS],
    moment: i64,
}

fn key() -> PersonKey {
    PersonKey::new([1, 2, 3, 4])
}

fn hash(person: u16) -> u128 {
    key().of(&person.to_le_bytes())
}

/// Room for so many persons in memory, in place of whole blocks.
fn grouped(rows: &[Row], way: Way, memory: usize) -> Vec<(u128, Vec<i16>)> {
    let mut grouping = Grouping::<i16>::new(DIMS, way, key(), memory);
    rows.iter().for_each(|row| grouping.add(hash(row.person), &row.values, row.moment).unwrap());
    let mut out = Vec::new();
    grouping
        .finish(&mut |hash, rows| {
            out.push((hash, rows.to_vec()));
            Ok(())
        })
        .unwrap();
    out
}

/// The same by sorting and thinking.
fn expected(rows: &[Row], way: Way) -> HashMap<u128, Vec<i16>> {
    let mut of: HashMap<u16, Vec<&Row>> = HashMap::new();
    rows.iter().for_each(|row| of.entry(row.person).or_default().push(row));
    let one = |person: u16, rows: &[&Row]| match way {
        Way::Mean => (0..DIMS)
            .map(|d| {
                let sum: f64 = rows.iter().map(|row| f64::from(row.values[d])).sum();
                (sum / rows.len() as f64 + 0.5).floor() as i16
            })
            .collect(),
        Way::First => rows.iter().min_by_key(|row| (row.moment, row.values)).unwrap().values.to_vec(),
        Way::Last => {
            let last = rows.iter().map(|row| row.moment).max().unwrap();
            rows.iter().filter(|row| row.moment == last).map(|row| row.values).min().unwrap().to_vec()
        }
        Way::UpTo(most) => {
            let mut lots: Vec<(i64, [i16; DIMS])> =
                (0..).zip(rows).map(|(nth, row)| (key().lot(hash(person), nth) as i64, row.values)).collect();
            lots.sort_unstable();
            lots.truncate(most);
            let mut kept: Vec<_> = lots.into_iter().map(|(_, values)| values).collect();
            kept.sort_unstable();
            kept.concat()
        }
    };
    of.into_iter().map(|(person, rows)| (hash(person), one(person, &rows))).collect()
}

fn sorted(rows: &[i16]) -> Vec<i16> {
    let mut rows: Vec<&[i16]> = rows.chunks_exact(DIMS).collect();
    rows.sort_unstable();
    rows.concat()
}

fn check(rows: &[Row], way: Way, memory: usize) {
    let (found, expected) = (grouped(rows, way, memory), expected(rows, way));
    assert!(found.windows(2).all(|pair| pair[0].0 < pair[1].0), "each person once, in the order of the hashes");
    assert_eq!(found.len(), expected.len(), "no person is forgotten");
    for (hash, rows) in &found {
        assert_eq!(sorted(rows), expected[hash]);
    }
}

const WAYS: [Way; 5] = [Way::Mean, Way::First, Way::Last, Way::UpTo(1), Way::UpTo(3)];

fn rows(persons: u16, most: usize) -> impl Strategy<Value = Vec<Row>> {
    let row = (0..persons, any::<[i16; DIMS]>(), -3_i64..3);
    let row = row.prop_map(|(person, values, moment)| {
        // Few different values, so that some rows are equal; none below the lattice.
        Row { person, values: values.map(|x| if x % 3 == 0 { 7 } else { x.max(-32_767) }), moment }
    });
    prop::collection::vec(row, 0..most)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn grouping_is_what_it_says(rows in rows(40, 400)) {
        WAYS.iter().for_each(|&way| check(&rows, way, 1 << 20));
    }

    /// A block of 256 persons fits at each depth, so thousands of them go two files deep.
    #[test]
    fn neither_memory_nor_the_order_of_persons_changes_anything(rows in rows(6000, 12_000), turn in 0..12_000_usize) {
        for way in WAYS {
            let all = grouped(&rows, way, 1 << 26);
            prop_assert_eq!(&grouped(&rows, way, 0), &all);
            // Rows of each person stay in their order, and persons change places.
            let mut others = rows.clone();
            others.sort_by_key(|row| (usize::from(row.person) * 7919 + turn) % 6007);
            prop_assert_eq!(&grouped(&others, way, 0), &all);
        }
    }

    /// The neighbour property: all rows of one person come or go, and nobody else's rows change.
    #[test]
    fn one_persons_rows_change_that_person_alone(rows in rows(3000, 6000), person in 0..3000_u16) {
        for way in WAYS {
            let most = if let Way::UpTo(most) = way { most } else { 1 };
            let with = grouped(&rows, way, 0);
            let others: Vec<Row> = rows.iter().filter(|row| row.person != person).cloned().collect();
            let without = grouped(&others, way, 0);
            prop_assert!(differ_in(&with, &without, hash(person), most));
        }
    }
}

/// Whether two tables of persons differ in at most `most` rows of this person, and in nothing else.
fn differ_in(with: &[(u128, Vec<i16>)], without: &[(u128, Vec<i16>)], person: u128, most: usize) -> bool {
    let theirs: usize = with.iter().filter(|(hash, _)| *hash == person).map(|(_, rows)| rows.len() / DIMS).sum();
    let others: Vec<_> = with.iter().filter(|(hash, _)| *hash != person).collect();
    theirs <= most && others.into_iter().eq(without)
}

fn few() -> Vec<Row> {
    (0..60).map(|i| Row { person: i % 7, values: [i as i16 * 100, -(i as i16)], moment: i64::from(i % 4) }).collect()
}

fn without(rows: &[Row], person: u16) -> Vec<Row> {
    rows.iter().filter(|row| row.person != person).cloned().collect()
}

/// Tests that cannot fail protect nobody: each of these is a way to get it wrong.
#[test]
fn mutants_of_grouping_are_found() {
    let (rows, others) = (few(), without(&few(), 3));
    let honest = |rows: &[Row]| grouped(rows, Way::UpTo(3), 1 << 20);
    assert!(differ_in(&honest(&rows), &honest(&others), hash(3), 3));

    // One row too many of a person.
    let one_more = |rows: &[Row]| grouped(rows, Way::UpTo(4), 1 << 20);
    assert!(!differ_in(&one_more(&rows), &one_more(&others), hash(3), 3));

    // Lots by the place in the table, which the rows of others shift.
    let by_place = |rows: &[Row]| -> Vec<(u128, Vec<i16>)> {
        let lot = |place: usize, row: &Row| key().lot(hash(row.person), place as u64);
        let mut lots: Vec<_> = rows.iter().enumerate().map(|(place, row)| (lot(place, row), row)).collect();
        lots.sort_unstable_by_key(|(lot, _)| *lot);
        let mut of: std::collections::BTreeMap<u128, Vec<i16>> = Default::default();
        for (_, row) in lots {
            let kept = of.entry(hash(row.person)).or_default();
            if kept.len() < 3 * DIMS {
                kept.extend(row.values);
            }
        }
        of.into_iter().collect()
    };
    assert!(!differ_in(&by_place(&rows), &by_place(&others), hash(3), 3));

    // A part that is grouped apart from the rest of its person's rows.
    let in_halves = |rows: &[Row]| {
        let (first, second) = rows.split_at(rows.len() / 2);
        let mut both = grouped(first, Way::Mean, 1 << 20);
        both.extend(grouped(second, Way::Mean, 1 << 20));
        both.sort_unstable();
        both
    };
    assert!(!differ_in(&in_halves(&rows), &in_halves(&others), hash(3), 1));

    // A part that is forgotten: nobody is harmed, and it is found all the same.
    let forgetful = |rows: &[Row]| -> Vec<_> {
        grouped(rows, Way::Mean, 1 << 20).into_iter().filter(|(hash, _)| hash >> 127 == 0).collect()
    };
    assert_ne!(forgetful(&rows).len(), expected(&rows, Way::Mean).len());
}

#[test]
fn a_mean_is_rounded_by_one_rule() {
    for (values, mean) in
        [([1, 2], 2), ([-1, -2], -1), ([-3, -4], -3), ([32_767, 32_767], 32_767), ([-32_767, 32_766], 0)]
    {
        let rows: Vec<Row> = values.iter().map(|&x| Row { person: 0, values: [x; DIMS], moment: 0 }).collect();
        assert_eq!(grouped(&rows, Way::Mean, 0)[0].1, [mean; DIMS], "{values:?}");
    }
}

#[test]
fn a_million_rows_of_one_person_who_comes_too_late_for_memory() {
    let mut grouping = Grouping::<i16>::new(DIMS, Way::Mean, key(), 0);
    for person in 0..1500_u16 {
        grouping.add(hash(person), &[0, 0], 0).unwrap();
    }
    // Whoever is not among the first goes to disk.
    for i in 0..1_000_000 {
        grouping.add(hash(1499), &[if i % 2 == 0 { 32_767 } else { -1 }, 100], 0).unwrap();
    }
    let mut found = Vec::new();
    grouping
        .finish(&mut |hash, rows| {
            found.push((hash, rows.to_vec()));
            Ok(())
        })
        .unwrap();
    assert_eq!(found.len(), 1500);
    let theirs = &found.iter().find(|(it, _)| *it == hash(1499)).unwrap().1;
    assert_eq!(theirs, &[16_383, 100], "a zero among a million");
}
