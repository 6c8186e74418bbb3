//! What people read about a result: the same on the terminal, in JSON, on the page and in the documentation.

use std::fs;
use std::path::{Path, PathBuf};

use shoal_privacy::{Assumption, Claim, Loss, Metric, Neighbours, Numerics};

use crate::common::Place;

/// Three groups of people of different sizes.
fn people(shift: f64) -> String {
    let mut csv = String::from("age,hours\n");
    for i in 0..6000 {
        let (age, hours) = match i % 6 {
            0..=2 => (25.0, 30.0),
            3 | 4 => (50.0, 10.0),
            _ => (75.0 + shift, 20.0),
        };
        let wiggle = f64::from(i % 7) - 3.0;
        csv.push_str(&format!("{},{}\n", age + wiggle, hours + wiggle / 2.0));
    }
    csv
}

fn place() -> Place {
    let place = Place::new();
    place.write("people.csv", people(0.0));
    place.write("later.csv", people(8.0));
    place
}

const FIT: [&str; 9] = ["fit", "people.csv", "-k", "3", "-e", "4", "-b", "age=0:110,hours=0:50", "--rows"];

fn fit(file: &'static str, more: &[&'static str]) -> Vec<&'static str> {
    let mut words = FIT.to_vec();
    words[1] = file;
    words.push("6000");
    words.extend(more);
    words
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A document as one line of words: quotation marks of Markdown and line breaks are not part of a sentence.
fn words_of(file: &str) -> String {
    let text = fs::read_to_string(root().join(file)).unwrap();
    let lines: Vec<&str> = text.lines().map(|line| line.trim_start_matches("> ")).collect();
    lines.join(" ").split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_sentence_is_the_same_everywhere() {
    let place = place();
    let text = place.run(&fit("people.csv", &["--out", "m.json", "--report", "r.html"])).ok().out();
    let model: serde_json::Value = serde_json::from_str(&place.read("m.json")).unwrap();
    let sentence = model["sentence"].as_str().unwrap();
    assert!(text.replace('\n', " ").contains(sentence), "{text}");
    let page = place.read("r.html");
    for part in sentence.split(" Formally: ").flat_map(|part| part.split(" This holds if: ")) {
        assert!(page.contains(part), "{part}");
    }
    for line in model["notes"].as_array().unwrap() {
        let note = line["text"].as_str().unwrap();
        assert!(text.contains(note) && page.contains(note), "{note}");
    }
}

#[test]
fn the_documents_quote_the_sentences_of_the_program() {
    let claim = |neighbours, loss, assumes: &[Assumption]| Claim {
        neighbours,
        loss,
        numerics: Numerics::Exact,
        assumes: assumes.iter().copied().collect(),
    };
    let fit = claim(
        Neighbours::AddRemoveOne,
        Loss::Pure("1".parse().unwrap()),
        &[Assumption::BoundsPublic, Assumption::OneRowPerPerson, Assumption::RowsComplete],
    );
    let report = claim(
        Neighbours::PerUnitOf(Metric::EuclideanOnLattice { steps: 65534 }),
        Loss::PerDistance("4".parse().unwrap()),
        &[Assumption::BoundsPublic, Assumption::OneReportPerPerson, Assumption::RowsComplete],
    );
    assert!(words_of("README.md").contains(&fit.sentence()), "README.md has not: {}", fit.sentence());
    for sentence in [fit.sentence(), report.sentence()] {
        assert!(words_of("PRIVACY.md").contains(&sentence), "PRIVACY.md has not: {sentence}");
    }
    // A text that differs by one digit would be noticed.
    assert!(!words_of("README.md").contains(&fit.sentence().replace("73.2", "73.3")));
}

#[test]
fn what_may_be_published_is_answered_where_people_look() {
    let place = place();
    let text = place.run(&fit("people.csv", &["--report", "r.html"])).ok().out();
    for answer in [text, place.read("r.html")] {
        assert!(
            answer.contains("the synopsis") && answer.contains("labels") && answer.contains("the ledger"),
            "{answer}"
        );
    }
    for help in [place.run(&["--help"]).ok().out(), place.run(&["fit", "--help"]).ok().out(), words_of("README.md")] {
        assert!(help.contains("What may I publish?") && help.contains("--seed"), "{help}");
    }
    let seeded = place.run(&fit("people.csv", &["--seed", "1", "--report", "s.html"])).ok().out();
    assert!(seeded.contains("Publish nothing of this run"), "{seeded}");
    assert!(place.read("s.html").contains("Publish nothing of this run"));
}

#[test]
fn clusters_are_ordered_by_size_and_labels_follow() {
    let place = place();
    let model = place.run(&fit("people.csv", &["--out", "m.json", "--format", "json"])).ok().json();
    let sizes: Vec<f64> = model["sizes"].as_array().unwrap().iter().map(|size| size.as_f64().unwrap()).collect();
    assert!(sizes.windows(2).all(|pair| pair[0] >= pair[1]), "{sizes:?}");
    let labels = place.run(&["predict", "m.json", "people.csv"]).ok().out();
    let of = |row: usize| labels.lines().nth(row).unwrap().split(',').nth(1).unwrap().to_string();
    // Rows 1 to 3 of every six are the largest group, row 6 is the smallest.
    assert_eq!((of(1), of(4), of(6)), ("1".into(), "2".into(), "3".into()));
}

#[test]
fn numbers_follow_an_earlier_model() {
    let place = place();
    place.run(&fit("people.csv", &["--out", "a.json"])).ok();
    // The largest group of the later table is missing: sizes alone would number the clusters anew.
    let later: String = people(0.0)
        .lines()
        .enumerate()
        .filter(|(i, _)| *i == 0 || i % 6 > 3 || i % 6 == 0)
        .map(|(_, line)| format!("{line}\n"))
        .collect();
    place.write("fewer.csv", later);
    let words = ["fit", "fewer.csv", "-k", "2", "-e", "4", "-b", "age=0:110,hours=0:50", "--rows", "3000"];
    let run = place.run(&[&words[..], &["--match", "a.json", "--out", "b.json"]].concat()).ok();
    let model: serde_json::Value = serde_json::from_str(&place.read("b.json")).unwrap();
    assert_eq!(model["numbering"]["numbers"], serde_json::json!([2, 3]), "{}", run.out());
    assert_eq!(model["numbering"]["gone"], serde_json::json!([1]));
    assert!(run.out().contains("Cluster 1 of the earlier model has no counterpart"), "{}", run.out());
    let labels = place.run(&["predict", "b.json", "fewer.csv"]).ok().out();
    let label = |line: &str| line.split(',').nth(1).unwrap().to_string();
    assert!(labels.lines().skip(1).all(|line| ["2", "3"].contains(&label(line).as_str())), "{labels}");
}

#[test]
fn an_earlier_model_of_other_columns_is_refused_before_anything_is_spent() {
    let place = place();
    place
        .run(&["fit", "people.csv", "-k", "2", "-e", "1", "-b", "age=0:110", "--rows", "6000", "--out", "a.json"])
        .ok();
    place.run(&["ledger", "init", "people.csv", "--epsilon", "4"]).ok();
    place
        .run(&fit("people.csv", &["--match", "a.json", "--ledger", "shoal.ledger"]))
        .fails(1, &["different columns", "`hours`"]);
    assert_eq!(place.run(&["ledger", "show", "--format", "json"]).ok().json()[0]["epsilon"]["left"], 4.0);
    place.run(&fit("people.csv", &["--match", "none.json"])).fails(1, &["cannot read the model"]);
}

#[test]
fn two_models_are_compared_on_the_terminal_in_json_and_on_a_page() {
    let place = place();
    place.run(&fit("people.csv", &["--out", "a.json"])).ok();
    place.run(&fit("later.csv", &["--out", "b.json"])).ok();
    let text = place.run(&["compare", "a.json", "b.json", "--report", "c.html"]).ok().out();
    assert!(text.starts_with("3 clusters match"), "{text}");
    assert!(text.contains("the losses add up: ε = 8 together"), "{text}");
    let json = place.run(&["compare", "a.json", "b.json", "--format", "json"]).ok().json();
    let age = &json["pairs"][2]["columns"][0];
    let moved = age["difference"].as_f64().unwrap();
    assert!((moved - 8.0).abs() < 3.0, "{json}");
    let page = place.read("c.html");
    assert!(page.contains("a.json") && page.contains("In numbers") && !page.contains("https:"), "{page}");
    place.run(&["compare", "a.json", "none.json"]).fails(1, &["cannot read the model"]);
    place.run(&["compare", "a.json", "b.json", "--report", "a.json"]).fails(1, &["a.json"]);
    place
        .run(&["fit", "people.csv", "-k", "2", "-e", "1", "-b", "age=0:110", "--rows", "6000", "--out", "one.json"])
        .ok();
    place.run(&["compare", "a.json", "one.json"]).fails(1, &["different columns", "`hours`"]);
}

#[test]
fn a_synopsis_that_is_clustered_again_speaks_of_that_clustering_only() {
    let place = place();
    place.run(&fit("people.csv", &["--synopsis", "cells.parquet"])).ok();
    let text = place.run(&["cluster", "cells.parquet", "-k", "2"]).ok().out();
    assert!(!text.contains("rounds on the rows") && !text.contains("auto takes the route"), "{text}");
    assert!(text.contains("Spent: nothing; the synopsis was paid for"), "{text}");
}

#[test]
fn rows_with_gaps_that_were_left_out_are_mentioned_without_a_count() {
    let place = place();
    place.write("gaps.csv", people(0.0) + ",20\n,30\n");
    let text = place.run(&fit("gaps.csv", &["--missing", "drop", "--report", "r.html"])).ok().out();
    let note = "Rows that lack a value, if there are any, were left out (--missing drop).";
    assert!(text.contains(note) && place.read("r.html").contains(note), "{text}");
}

#[test]
fn gaps_that_count_as_the_middle_are_explained_and_no_condition() {
    let place = place();
    place.write("gaps.csv", people(0.0) + ",20\n,30\n");
    let text = place.run(&fit("gaps.csv", &["--missing", "middle", "--report", "r.html"])).ok().out();
    let note = "the middle of the column's bounds stands for it";
    assert!(text.contains(note) && text.contains("every row can be read") && !text.contains("lacks a value"), "{text}");
    assert!(place.read("r.html").contains("stands for it"), "{text}");
}

#[test]
fn lines_end_where_the_window_does() {
    let place = place();
    for words in [
        vec!["methods"],
        fit("people.csv", &[]),
        vec!["demo"],
        vec!["perturb", "people.csv", "-e", "4", "-b", "age=0:110,hours=0:50", "--out", "r.parquet"],
    ] {
        let text = place.run_with(&words, &[("COLUMNS", "60")]).ok().out();
        let long: Vec<&str> = text.lines().filter(|line| line.chars().count() > 60 && line.contains(' ')).collect();
        let broken = |line: &&str| line.split_whitespace().all(|word| word.chars().count() < 58);
        assert!(!long.iter().any(broken), "{words:?}: {long:#?}");
    }
}
