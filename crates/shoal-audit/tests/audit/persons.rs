//! What every method loses between tables that differ in all rows of one person, and mutants that must be found.

use shoal_audit::releases::persons::{Found, Grouped, Setting};
use shoal_audit::targets::curator::for_releases;
use shoal_curator::{Method, methods};
use shoal_files::PerPerson;

/// Rows of the person who comes and goes: more than any limit below.
const ROWS: usize = 9;

fn found(method: &'static Method, per_person: &PerPerson, grouped: Grouped, dims: usize) -> Vec<(String, Found)> {
    let cases = for_releases(&method.info, dims);
    let check = |(number, case): (usize, &_)| {
        let case: &shoal_audit::targets::curator::Case = case;
        let system = case.make_with(method, ["1", "0.2", "4"][number % 3].parse().unwrap())().unwrap();
        let setting = Setting { dims, per_person, grouped, rows: ROWS, seed: 5 + number as u64 };
        (format!("{}, d = {dims}, {case:?}, {per_person}", method.info.name), setting.check(&*system).unwrap())
    };
    cases.iter().enumerate().map(check).collect()
}

/// What a person may lose, as a multiple of what a row is charged.
fn limit(found: &Found, most: u64) -> f64 {
    (if found.concentrated { most * most } else { most }) as f64
}

/// What is wrong apart from amounts. The cuts of a tree are followed for one row at a time, so for several this audit says
/// nothing about them: there the chain of tables with one row more each stands on what holds for one.
fn faults<'a>(found: &'a Found, way: &PerPerson) -> Vec<&'a String> {
    let beyond = |fault: &&String| way.most_rows() > 1 && fault.starts_with("TreeSplitMechanism: one row changes");
    found.tally.faults.iter().filter(|fault| !beyond(fault)).collect()
}

#[test]
fn no_method_loses_more_on_a_person_than_their_rows_that_count() {
    let ways = ["mean", "first:when", "last:when", "up-to:1", "up-to:3"].map(|way| way.parse::<PerPerson>().unwrap());
    for method in methods() {
        for (number, way) in ways.iter().enumerate() {
            // Grouped in memory and on disk.
            let memory = if number % 2 == 0 { 1 << 24 } else { 0 };
            for (words, found) in found(method, way, Grouped::ByPerson(memory), 1 + number % 2) {
                assert!(faults(&found, way).is_empty(), "{words}: {:#?}", found.tally.faults);
                assert!(found.tally.compared > 0, "{words}: nothing was compared");
                let limit = limit(&found, way.most_rows());
                assert!(found.tally.worst <= limit, "{words}: {} at {}", found.tally.worst, found.tally.at);
                // A charge that nothing comes near would not be checked at all.
                assert!(found.tally.worst > 0.0, "{words}: nobody changes anything");
            }
        }
    }
}

#[test]
fn one_row_too_many_and_rows_that_are_not_grouped_are_found() {
    let (three, four) = (PerPerson::UpTo(3), PerPerson::UpTo(4));
    let mut caught = Vec::new();
    for method in methods() {
        // Where a choice by score stays far below its charge (PGkM), a row more does not show.
        for (_, found) in found(method, &four, Grouped::ByPerson(1 << 24), 2) {
            caught.extend((found.tally.worst > limit(&found, three.most_rows())).then_some(method.info.name));
        }
        // Places shift where a row comes in between, so only methods that do not deal rows by place can be followed.
        if method.info.name.starts_with("gkm") {
            continue;
        }
        for (words, found) in found(method, &PerPerson::Mean, Grouped::NotAtAll, 2) {
            let found = found.tally.worst > 1.0 || !found.tally.faults.is_empty();
            assert!(found, "{words}: ungrouped rows pass for persons");
        }
    }
    for method in ["dplloyd", "eugkm", "knorm-lloyd", "grid", "directions", "mean"] {
        assert!(caught.contains(&method), "one row too many is not found in {method}, only in {caught:?}");
    }
}

#[test]
fn bought_bounds_lose_no_more_on_a_person_than_their_rows_that_count() {
    let epsilon = "1".parse().unwrap();
    for (way, most) in [("mean", 1.0), ("last:when", 1.0), ("up-to:3", 3.0)] {
        let per_person = way.parse().unwrap();
        let setting = Setting { dims: 2, per_person: &per_person, grouped: Grouped::ByPerson(0), rows: ROWS, seed: 8 };
        let found = setting.check_bounds(&epsilon).unwrap();
        assert!(found.tally.faults.is_empty(), "{way}: {:#?}", found.tally.faults);
        assert!(found.tally.worst <= most && found.tally.worst > most / 2.0, "{way}: {}", found.tally.worst);
    }
    let four = PerPerson::UpTo(4);
    let setting = Setting { dims: 2, per_person: &four, grouped: Grouped::ByPerson(0), rows: ROWS, seed: 8 };
    assert!(setting.check_bounds(&epsilon).unwrap().tally.worst > 3.0);
}
