//! Persons with several rows, and ledgers that know their tables: the program as a user runs it, beside its twin in the
//! library.

use serde_json::Value;
use shoal::{EstimateBounds, Fit, Ledger};

use crate::common::Place;

const BOUNDS: &str = "age=17:90,cost=0:100";

/// Five rows for each of 300 persons, in no order, with names that must go nowhere.
fn visits(place: &Place, name: &str, from: usize) -> String {
    let mut csv = String::from("age,patient_id,cost,day\n");
    for i in 0..1500 {
        let mixed = i * 7919 % 1500;
        let person = from + mixed % 300;
        let (age, cost) = if person.is_multiple_of(3) { (70, 20) } else { (30, 60) };
        let (age, cost) = (age + i % 5, cost + mixed % 9);
        csv.push_str(&format!("{age},SECRET-{person},{cost},2024-0{}-{:02}\n", 1 + i % 9, 1 + mixed % 28));
    }
    place.write(name, csv).to_string_lossy().into_owned()
}

fn args<'a>(data: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["fit", data, "-k", "2", "-e", "1", "-b", BOUNDS][..], more].concat()
}

fn printed(place: &Place, args: &[&str]) -> Value {
    place.run(&[args, &["--format", "json"]].concat()).ok().json()
}

fn value(json: &str) -> Value {
    serde_json::from_str(json).unwrap()
}

#[test]
fn the_guarantee_is_about_persons_everywhere() {
    let place = Place::new();
    let data = visits(&place, "visits.csv", 0);
    let run = place.run(&args(
        &data,
        &[
            "--person",
            "patient_id",
            "--out",
            "model.json",
            "--report",
            "report.html",
            "--synopsis",
            "cells.parquet",
            "--log",
        ],
    ));
    let run = run.ok();
    let shown: String = run.out().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.contains("unsure whether a given person is in this data"), "{shown}");
    assert!(shown.contains("ε = 1 when one person, with all their rows, is added or removed"), "{shown}");
    assert!(
        shown.contains("the person column identifies people") && !shown.contains("each person has one row"),
        "{shown}"
    );
    let model = value(&place.read("model.json"));
    assert_eq!(model["guarantee"]["neighbours"], "add-remove-person");
    let assumes = model["guarantee"]["assumes"].as_array().unwrap();
    assert!(assumes.iter().any(|it| it == "person-column") && !assumes.iter().any(|it| it == "one-row-per-person"));
    assert_eq!(model["decisions"][0]["kind"], "persons");
    assert!(place.read("report.html").contains("with and without all rows of that person"));
    // Cells clustered again keep the guarantee of their release.
    let again = printed(&place, &["cluster", "cells.parquet", "-k", "2"]);
    assert_eq!(again["guarantee"]["neighbours"], "add-remove-person");
    // Names of persons are nowhere.
    for (what, text) in [("output", run.out()), ("messages and log", run.err()), ("model", place.read("model.json"))] {
        assert!(!text.contains("SECRET"), "{what}: {text}");
    }
    for file in place.files().iter().filter(|name| *name != "visits.csv") {
        let bytes = std::fs::read(place.path(file)).unwrap();
        assert!(!bytes.windows(6).any(|bytes| bytes == b"SECRET"), "{file}");
    }
}

type Change = fn(Fit) -> Fit;

#[test]
fn commands_and_their_twins_in_the_library_are_the_same() {
    let place = Place::new();
    let data = visits(&place, "visits.csv", 0);
    let cases: [(&[&str], Change); 8] = [
        (&["--person", "patient_id"], |fit| fit.person(["patient_id"])),
        (&["--person", "patient_id", "--per-person", "mean", "--rows-public"], |fit| {
            fit.person(["patient_id"]).per_person("mean").unwrap().rows_public()
        }),
        (&["--person", "patient_id", "--per-person", "first:day"], |fit| {
            fit.person(["patient_id"]).per_person("first:day").unwrap()
        }),
        (&["--person", "patient_id", "--per-person", "last:day", "--memory", "2M"], |fit| {
            fit.person(["patient_id"]).per_person("last:day").unwrap().memory(2 << 20)
        }),
        (&["--person", "patient_id", "--per-person", "up-to:3"], |fit| {
            fit.person(["patient_id"]).per_person("up-to:3").unwrap()
        }),
        (&["--person", "patient_id", "--per-person", "up-to:3", "-d", "1e-6", "-m", "knorm-lloyd"], |fit| {
            let fit = fit.person(["patient_id"]).per_person("up-to:3").unwrap();
            fit.delta("1e-6").unwrap().method("knorm-lloyd").unwrap()
        }),
        (&["--person", "patient_id,day", "-m", "gkm", "--rows", "1000"], |fit| {
            fit.person(["patient_id", "day"]).method("gkm").unwrap().rows(1000)
        }),
        (&["--person", "patient_id", "--per-person", "up-to:2", "--columns", "age,cost", "-b", "auto:20%"], |fit| {
            let fit = fit.person(["patient_id"]).per_person("up-to:2").unwrap();
            fit.columns(["age", "cost"]).bounds("auto:20%").unwrap()
        }),
    ];
    for (options, change) in cases {
        let fit = change(Fit::new(2, "1").unwrap().bounds(BOUNDS).unwrap());
        let mut args = args(&data, options);
        if options.contains(&"-b") {
            // One --bounds only.
            args.drain(6..8);
        }
        let seeded = printed(&place, &[&args[..], &["--seed", "7"]].concat());
        assert_eq!(seeded, value(&fit.clone().seed(7).run(data.as_str()).unwrap().to_json()), "{args:?}");
        let (shown, made) = (printed(&place, &args), value(&fit.run(data.as_str()).unwrap().to_json()));
        for part in ["guarantee", "also", "published", "spent"] {
            assert_eq!(shown[part], made[part], "{args:?}: {part}");
        }
        let public = options.contains(&"--rows-public");
        let (neighbours, epsilon) = if public { ("replace-person", 2.0) } else { ("add-remove-person", 1.0) };
        assert_eq!(made["guarantee"]["neighbours"], neighbours, "{args:?}");
        let loss = &made["guarantee"]["loss"];
        let loss_of_person = loss.get("pure").unwrap_or(&loss["approximate"]["epsilon"]);
        assert_eq!(loss_of_person, epsilon, "{args:?}: the ε that was given is the person's: {loss}");
    }
    let job = EstimateBounds::new("1").unwrap().person(["patient_id"]).columns(["age"]).per_person("up-to:2").unwrap();
    let args = ["bounds", &data, "-e", "1", "--person", "patient_id", "--columns", "age", "--per-person", "up-to:2"];
    let (shown, found) = (printed(&place, &args), job.run(data.as_str()).unwrap());
    assert_eq!(shown["guarantee"], serde_json::to_value(&found.guarantee).unwrap());
    assert_eq!(shown["guarantee"]["neighbours"], "add-remove-person");
}

#[test]
fn memory_and_the_order_of_rows_change_nothing() {
    let place = Place::new();
    let data = visits(&place, "visits.csv", 0);
    let text = place.read("visits.csv");
    let mut lines: Vec<&str> = text.lines().skip(1).collect();
    // Rows of each person stay in their order.
    lines.sort_by_key(|line| line.split(',').nth(1).unwrap());
    let sorted = place.write("sorted.csv", format!("age,patient_id,cost,day\n{}\n", lines.join("\n")));
    let sorted = sorted.to_string_lossy().into_owned();
    for way in ["mean", "last:day", "up-to:3"] {
        let fit = |data: &str, more: &[&str]| {
            let more = [&["--person", "patient_id", "--per-person", way, "--seed", "5"], more].concat();
            printed(&place, &args(data, &more))
        };
        let expected = fit(&data, &[]);
        assert_eq!(fit(&data, &["--memory", "2M"]), expected, "{way}");
        assert_eq!(fit(&sorted, &["--threads", "1"]), expected, "{way}");
    }
}

#[test]
fn columns_that_look_like_keys_bring_a_note_and_the_condition_stays() {
    let place = Place::new();
    let data = visits(&place, "visits.csv", 0);
    let run = place.run(&args(&data, &["--out", "model.json"])).ok();
    assert!(run.err().contains("--person patient_id"), "{}", run.err());
    let model = value(&place.read("model.json"));
    assert!(model["guarantee"]["assumes"].as_array().unwrap().iter().any(|it| it == "one-row-per-person"));
    let quiet = place.run(&args(&data, &["--person", "patient_id"])).ok();
    assert!(!quiet.err().contains("whose row"), "{}", quiet.err());
}

#[test]
fn what_makes_no_sense_is_refused_and_costs_nothing() {
    let place = Place::new();
    let data = visits(&place, "visits.csv", 0);
    place.run(&["ledger", "init", "visits", "-e", "9"]).ok();
    let fit = |more: &[&str]| place.run(&args(&data, &[&["--ledger", "shoal.ledger"], more].concat()));
    fit(&["--per-person", "mean"]).fails(2, &["--person"]);
    fit(&["--person", "patient_id", "--per-person", "median"]).fails(2, &["up-to:M"]);
    fit(&["--person", "patient_id", "--per-person", "up-to:0"]).fails(2, &["1 to 1000"]);
    fit(&["--person", "patient_id", "--per-person", "up-to:2", "--rows-public"]).fails(2, &["--rows"]);
    fit(&["--person", "nobody"]).fails(1, &["nobody", "patient_id"]);
    fit(&["--person", "patient_id", "--per-person", "last:cust"]).fails(1, &["cust"]);
    fit(&["--person", "age"]).fails(1, &["--columns"]);
    let gap = place.write("gap.csv", "patient_id,age,cost\nSECRET-1,40,5\n,41,6\n");
    let gap = gap.to_string_lossy().into_owned();
    let gap = args(&gap, &["--person", "patient_id", "--ledger", "shoal.ledger", "--dataset", "visits"]);
    let refused = place.run(&gap).fails(1, &["row 2 (line 3)", "--missing drop"]);
    assert!(!refused.err().contains("SECRET"), "{}", refused.err());
    let mut dropped = gap;
    dropped.extend(["--missing", "drop"]);
    let shown = place.run(&["ledger", "show", "--format", "json"]).ok().json();
    assert_eq!(shown[0]["epsilon"]["left"], 9.0, "nothing was spent: {shown}");
    place.run(&dropped).ok();
}

#[test]
fn a_ledger_knows_its_table_and_adds_up_over_people() {
    let place = Place::new();
    let (first, second) = (visits(&place, "visits.csv", 0), visits(&place, "other.csv", 1000));
    std::fs::copy(&first, place.path("copy.csv")).unwrap();
    let copy = place.path("copy.csv").to_string_lossy().into_owned();
    for name in ["visits", "copy"] {
        place.run(&["ledger", "init", name, "-e", "4"]).ok();
    }
    let with = |data: &str, more: &[&str]| {
        let more = [&["--person", "patient_id", "--ledger", "shoal.ledger"], more].concat();
        place.run(&args(data, &more))
    };
    with(&first, &[]).ok();
    with(&copy, &[]).fails(1, &["“visits”", "--dataset visits"]);
    with(&copy, &["--dataset", "visits"]).ok();
    with(&second, &["--dataset", "visits"]).fails(1, &["--people visits", "ledger init"]);
    with(&second, &["--people", "visits"]).ok();
    let left = Ledger::open(place.path("shoal.ledger")).unwrap().balance("visits").unwrap().epsilon_left();
    assert_eq!(left, "1".parse().unwrap(), "two of one table and one of the other");
    // Losses about rows do not add to those about persons.
    place.run(&args(&first, &["--ledger", "shoal.ledger"])).fails(1, &["with --person"]);
    // The library is the same.
    let fit = Fit::new(2, "1").unwrap().bounds(BOUNDS).unwrap().person(["patient_id"]);
    let fit = fit.population(place.path("shoal.ledger"), "visits").unwrap();
    fit.run(second.as_str()).unwrap();
    assert_eq!(fit.run(second.as_str()).unwrap_err().code(), "budget-exceeded");
    let shown = place.run(&["ledger", "show", "visits", "--format", "json"]).ok().json();
    assert_eq!(shown[0]["entries"][0]["protects"], "person");
    assert_eq!(shown[0]["entries"][2]["table"], 2);
}

#[test]
fn the_environment_names_a_ledger_for_releases() {
    let place = Place::new();
    let data = visits(&place, "visits.csv", 0);
    let environment = [("SHOAL_LEDGER", "books")];
    place.run_with(&["ledger", "init", "visits", "-e", "1"], &environment).ok();
    assert!(place.path("books").exists());
    place.run_with(&args(&data, &["--seed", "1"]), &environment).ok();
    place.run_with(&args(&data, &[]), &environment).ok();
    place.run_with(&args(&data, &[]), &environment).fails(1, &["is spent"]);
}
