//! The values that the papers print are next to what was measured, within tolerances that follow from the spread.

use std::collections::{BTreeMap, BTreeSet};

use shoal_reproduce::lab::Measured;
use shoal_reproduce::printed::{self, Printed, Relation};
use shoal_reproduce::statistics::{CLEAR, widened};
use shoal_reproduce::{Key, Results, papers, recorded};

fn value(text: &str, relation: Relation, runs: Option<usize>) -> Printed {
    Printed {
        figure: "su16-fig1".into(),
        source: "§1".into(),
        what: "a value".into(),
        cell: BTreeMap::from([("method".into(), "eugkm".into())]),
        measure: "nicv".into(),
        value: text.into(),
        relation,
        runs,
        claimed: true,
        why: String::new(),
        cut: false,
        shown_only: false,
    }
}

/// Runs with mean 10 and standard deviation 1.
fn measured(runs: usize) -> Results {
    let key = Key::new("test").with("method", "eugkm");
    let step = ((runs - 1) as f64 / runs as f64).sqrt();
    let runs = (0..runs).map(|i| vec![10.0 + if i % 2 == 0 { step } else { -step }]).collect();
    Results::new(vec![Measured { key, measures: &["nicv"], runs }])
}

fn agrees(printed: &Printed) -> bool {
    printed.compare(&measured(100)).unwrap().agrees.unwrap()
}

#[test]
fn tolerances_follow_from_the_spread_and_the_digits() {
    // 3.08 deviations of a mean of 100 runs are 0.308, and half of the last digit 0.05.
    assert!(agrees(&value("10.3", Relation::Equal, None)) && !agrees(&value("10.4", Relation::Equal, None)));
    // The paper's own mean has a spread too: 3.08·√(1/100 + 1/25) = 0.688.
    assert!(agrees(&value("10.7", Relation::Equal, Some(25))) && !agrees(&value("10.8", Relation::Equal, Some(25))));
    let apart = value("10.7", Relation::Equal, Some(25)).compare(&measured(100)).unwrap().standard_errors.unwrap();
    assert!((apart - 0.65 / 0.05f64.sqrt()).abs() < 0.01, "{apart}");
    assert!(agrees(&value("9", Relation::Above, None)) && !agrees(&value("11", Relation::Above, None)));
    assert!(agrees(&value("11", Relation::Below, None)) && !agrees(&value("9.0", Relation::Below, None)));
    assert!(agrees(&value("12", Relation::About, None)) && !agrees(&value("20", Relation::About, None)));
    assert!((value("8.9e-137", Relation::Equal, None).rounding() / 5e-139 - 1.0).abs() < 1e-9);
    assert_eq!(value("3160", Relation::Equal, None).rounding(), 0.5);
    let cut = Printed { cut: true, ..value("8.9e-137", Relation::Equal, None) };
    assert!((cut.rounding() / 1e-138 - 1.0).abs() < 1e-9);
}

#[test]
fn a_value_of_no_cell_or_few_runs_is_not_compared_and_one_of_two_cells_is_an_error() {
    let mut printed = value("10", Relation::Equal, None);
    printed.cell.insert("epsilon".into(), "1".into());
    assert!(printed.compare(&measured(10)).unwrap().agrees.is_none());
    let few = value("10", Relation::Equal, None);
    assert!(few.compare(&measured(4)).unwrap().agrees.is_none() && few.compare(&measured(6)).unwrap().agrees.is_some());
    printed.cell.clear();
    assert!(printed.compare(&measured(10)).unwrap().agrees.is_none());
    let twice = ["0.1", "1"].map(|epsilon| Measured {
        key: Key::new("test").with("method", "eugkm").with("epsilon", epsilon),
        measures: &["nicv"],
        runs: vec![vec![10.0]],
    });
    let error = value("10", Relation::Equal, None).compare(&Results::new(twice.into())).unwrap_err();
    assert!(error.to_string().contains("fits both"), "{error}");
}

#[test]
fn every_printed_value_has_a_figure_a_source_and_a_reason() {
    let known: BTreeSet<String> = papers::all().iter().map(|figure| figure.info().id).collect();
    let all = printed::all().unwrap();
    assert!(all.len() >= 20, "{} values", all.len());
    for value in &all {
        assert!(known.contains(&value.figure), "{} belongs to no figure", value.what);
        assert!(
            !value.source.is_empty() && !value.what.is_empty() && (!value.cell.is_empty() || !value.claimed),
            "{value:?}"
        );
        assert!(value.number().unwrap().is_finite() && (value.claimed || !value.why.is_empty()), "{value:?}");
    }
}

/// The record has each printed value, and those that we claim agree on it.
#[test]
fn what_we_claim_to_reproduce_is_on_the_record() {
    let rows: Vec<Vec<String>> = recorded::COMPARED.lines().skip(1).map(fields).collect();
    for value in printed::all().unwrap() {
        let row = rows.iter().find(|row| row[0] == value.figure && row[1] == value.what && row[2] == value.value);
        let row = row.unwrap_or_else(|| panic!("{} ({}) is not on the record", value.what, value.figure));
        assert_eq!(row[3], value.claimed.to_string(), "{}", value.what);
        if !value.claimed {
            continue;
        }
        assert_eq!(row[9], "yes", "{}: {row:?}", value.what);
        // Not on the record's word: the tolerance again, from the spread.
        let (runs, mean, error): (usize, f64, f64) =
            (row[5].parse().unwrap(), row[6].parse().unwrap(), row[7].parse().unwrap());
        assert!(runs == 1 || runs >= 10, "{}: {runs} runs", value.what);
        let theirs = value.runs.map_or(0.0, |runs| 1.0 / runs as f64);
        let spread = error * (runs as f64).sqrt() * (1.0 / runs as f64 + theirs).sqrt();
        let deviations = if runs > 1 { widened(CLEAR, runs as f64 - 1.0) } else { 0.0 };
        let printed = value.number().unwrap();
        let about = if value.relation == Relation::About { printed::ABOUT * printed.abs() } else { 0.0 };
        let tolerance = deviations * spread + about;
        let near = match value.relation {
            Relation::Equal | Relation::About => (mean - printed).abs() <= tolerance + value.rounding(),
            Relation::Above => mean >= printed - tolerance,
            Relation::Below => mean <= printed + tolerance,
        };
        assert!(near, "{}: printed {printed}, measured {mean}, ± {tolerance}", value.what);
    }
}

#[test]
fn every_figure_is_on_the_record_and_no_other() {
    let known: Vec<String> = papers::all().iter().map(|figure| figure.info().id).collect();
    let recorded = recorded::statuses();
    assert_eq!(recorded.iter().map(|record| record.figure.clone()).collect::<Vec<_>>(), known);
    for record in recorded {
        assert!(["whole", "reduced"].contains(&&*record.protocol), "{record:?}");
        if record.verdict == recorded::OLDER {
            continue;
        }
        assert!(["exact", "near", "substitute", "made up"].contains(&&*record.data), "{record:?}");
        assert!(["true", "false", "none"].contains(&&*record.privacy), "{record:?}");
        let counts = record.counts();
        assert_eq!(
            record.verdict.starts_with("reproduced"),
            counts.all() > 0 && counts.hold == counts.all(),
            "{record:?}"
        );
        assert_eq!(record.verdict.contains("privacy claim false"), record.privacy == "false", "{record:?}");
    }
}

/// The fields of a line of CSV.
fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut quoted) = (vec![String::new()], false);
    for character in line.chars() {
        match character {
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            other => fields.last_mut().unwrap().push(other),
        }
    }
    fields
}
