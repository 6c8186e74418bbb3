//! Private bounds, by themselves and within a fit.

use crate::common::Place;
use serde_json::json;

/// Two columns of 6000 rows whose ranges are known here.
fn people() -> String {
    let row = |i: u32| format!("{},{}\n", 17 + i % 74, f64::from(i % 600) / 10.0);
    std::iter::once("age,hours\n".to_string()).chain((0..6000).map(row)).collect()
}

fn place() -> Place {
    let place = Place::new();
    place.write("people.csv", people());
    place
}

#[test]
fn a_table_for_people_with_the_promise_and_what_may_lie_outside() {
    let place = place();
    let run = place.run(&["bounds", "people.csv", "--epsilon", "2"]).ok();
    let text = run.out();
    for words in [
        "Bounds of 2 columns of people.csv",
        "age",
        "rows below",
        "In 95 of 100 runs, no column has a larger share of its rows outside",
        "no end is more than 16 times",
        "odds change by a factor of at most e^2",
        "Spent: ε = 2. No ledger keeps count",
        "its ε adds to this one",
    ] {
        assert!(text.contains(words), "“{words}” is not in: {text}");
    }
    assert!(!text.contains("chosen without looking"), "the bounds were bought: {text}");
    assert!(place.run(&["bounds", "--help"]).ok().out().contains("shoal bounds people.csv --epsilon 0.1"));
}

#[test]
fn the_file_is_what_fit_reads() {
    let place = place();
    let run = place.run(&["bounds", "people.csv", "-e", "2", "--out", "b.json", "--format", "json"]).ok();
    let json = run.json();
    assert_eq!((&json["columns"][0]["column"], &json["columns"][0]["guess"]), (&json!("age"), &json!(false)));
    assert_eq!((&json["spent"]["epsilon"], &json["guarantee"]["loss"]["pure"]), (&json!(2.0), &json!(2.0)));
    assert_eq!(json["guarantee"]["assumes"], json!(["one-row-per-person", "rows-complete"]));
    assert!(json["columns"][1]["most_rows_above"].as_u64().unwrap() < 6000);
    let file: serde_json::Value = serde_json::from_str(&place.read("b.json")).unwrap();
    assert_eq!((&file["age"], file.as_object().unwrap().len()), (&json["columns"][0]["bounds"], 2));
    let model = place.run(&["fit", "people.csv", "-k", "2", "-e", "1", "-b", "b.json", "--format", "json"]).ok().json();
    assert_eq!(model["bounds"], json!([file["age"], file["hours"]]));
}

#[test]
fn a_seed_gives_the_same_bounds_and_no_privacy() {
    let place = place();
    let args = ["bounds", "people.csv", "-e", "2", "--seed", "5", "--format", "json"];
    let run = place.run(&args).ok();
    assert!(run.err().contains("NO PRIVACY"));
    let json = run.json();
    assert_eq!((&json["seeded"], &json["spent"]), (&json!(true), &json!(null)));
    assert_eq!(json["columns"][0]["bounds"], json!([16.0, 92.0]));
    assert_eq!(place.run(&args).ok().out(), run.out());
    assert_eq!(
        place
            .run_with_input(&["bounds", "-", "-e", "2", "--seed", "5", "--format", "json"], people().as_bytes())
            .ok()
            .out(),
        run.out()
    );
}

#[test]
fn the_ledger_is_debited_once_for_bounds_and_once_for_a_fit_that_buys_them() {
    let place = place();
    place.run(&["ledger", "init", "people", "--epsilon", "2"]).ok();
    let run = place.run(&["bounds", "people.csv", "-e", "0.25", "--ledger", "shoal.ledger"]).ok();
    assert!(run.out().contains("Spent: ε = 0.25; ε = 1.75 of 2 is left for people."), "{}", run.out());
    let fit = ["fit", "people.csv", "-k", "2", "-e", "1", "-b", "auto:0.1", "--ledger", "shoal.ledger"];
    let run = place.run(&fit).ok();
    assert!(run.out().contains("Spent: ε = 1; ε = 0.75 of 2 is left for people."), "{}", run.out());
    place.run(&fit).fails(1, &["asked for ε = 1", "0.75"]);
    place.run(&["bounds", "people.csv", "-e", "0.8", "--ledger", "shoal.ledger"]).fails(1, &["0.75"]);
    let shown = place.run(&["ledger", "show", "--format", "json"]).ok().json();
    let entries = shown[0]["entries"].as_array().unwrap();
    assert_eq!(entries.iter().map(|entry| entry["epsilon"].as_f64().unwrap()).collect::<Vec<_>>(), [0.25, 1.0]);
    assert_eq!(
        (&entries[0]["purpose"], &entries[1]["purpose"]),
        (&json!("bounds of 2 columns"), &json!("2 clusters by auto, bounds bought"))
    );
}

#[test]
fn a_fit_buys_its_bounds_and_promises_the_whole() {
    let place = place();
    for method in ["auto", "dplloyd-impr", "eugkm", "hybrid", "gkm", "kccm"] {
        for auto in ["auto:0.2", "auto:10%"] {
            let model = place
                .run(&["fit", "people.csv", "-k", "2", "-e", "2", "-b", auto, "-m", method, "--format", "json"])
                .ok()
                .json();
            let assumes = model["guarantee"]["assumes"].as_array().unwrap();
            assert!(
                !assumes.contains(&json!("bounds-public")) && assumes.contains(&json!("rows-complete")),
                "{method}"
            );
            assert_eq!((&model["guarantee"]["loss"]["pure"], &model["spent"]["epsilon"]), (&json!(2.0), &json!(2.0)));
            assert_eq!(model["decisions"][0]["kind"], "bought-bounds");
            let decision = model["decisions"][0]["text"].as_str().unwrap();
            assert!(decision.starts_with(
                "Bounds: estimated from the data under differential privacy, for ε = 0.2 of the whole: age "
            ));
        }
    }
    let public =
        place.run(&["fit", "people.csv", "-k", "2", "-e", "2", "-b", "auto:0.2", "--rows-public", "--format", "json"]);
    let public = public.ok().json();
    assert_eq!(
        (&public["guarantee"]["loss"]["pure"], &public["guarantee"]["neighbours"]),
        (&json!(4.0), &json!("replace-one"))
    );
}

#[test]
fn synopsis_and_report_know_that_the_bounds_were_bought() {
    let place = place();
    let files = ["--synopsis", "cells.parquet", "--report", "r.html"];
    let fit = ["fit", "people.csv", "-k", "2", "-e", "2", "-b", "auto:0.2", "-m", "hybrid"];
    place.run(&[&fit[..], &files[..]].concat()).ok();
    assert!(place.read("r.html").contains("estimated from the data under differential privacy"));
    let model = place.run(&["cluster", "cells.parquet", "-k", "3", "--format", "json"]).ok().json();
    // The bounds and the cells, half of the rest and what the row count cost, but not the last step.
    let paid = model["paid_before"]["epsilon"].as_f64().unwrap();
    assert!(paid > 1.0 && paid < 2.0, "{paid}");
    assert_eq!(model["guarantee"]["loss"]["pure"].as_f64(), Some(paid));
    assert!(!model["guarantee"]["assumes"].as_array().unwrap().contains(&json!("bounds-public")));
    place.run(&["bounds", "cells.parquet", "-e", "1"]).fails(1, &["shoal cluster cells.parquet"]);
}

#[test]
fn streamed_and_piped_tables_give_the_same_as_one_in_memory() {
    let place = Place::new();
    let rows: String = (0..700_000).map(|i| format!("{},{}\n", 17 + i % 74, i % 600)).collect();
    place.write("people.csv", format!("age,hours\n{rows}"));
    let fit = |data: &'static str, more: &'static [&'static str]| {
        [&["fit", data, "-k", "2", "-e", "1", "-b", "auto:0.1", "--seed", "3", "--format", "json"], more].concat()
    };
    let held = place.run(&fit("people.csv", &[])).ok().out();
    for memory in ["1M", "2M"] {
        let streamed = place.run(&[&fit("people.csv", &["--memory"])[..], &[memory]].concat());
        assert_eq!(streamed.ok().out(), held, "700000 rows take 2.8 MB");
    }
    let text = place.read("people.csv");
    assert_eq!(place.run_with_input(&fit("-", &[]), text.as_bytes()).ok().out(), held);
}

#[test]
fn what_makes_no_sense_is_refused_with_a_way_out_and_costs_nothing() {
    let place = place();
    place.run(&["ledger", "init", "people", "--epsilon", "2"]).ok();
    let fit = |bounds: &str| {
        place.run(&["fit", "people.csv", "-k", "2", "-e", "1", "-b", bounds, "--ledger", "shoal.ledger"])
    };
    fit("auto:2").fails(2, &["leave nothing of --epsilon 1", "auto:10%"]);
    fit("auto:1").fails(2, &["leave nothing"]);
    fit("auto:100%").fails(2, &["leave nothing"]);
    for odd in ["auto:abc", "auto:", "auto:0", "auto:-1", "auto:0%", "auto:x%", "auto"] {
        fit(odd).fails(2, &["write --bounds auto:0.1"]);
    }
    fit("automatic").fails(2, &["are not understood"]);
    place.run(&["fit", "people.csv", "-k", "2", "-e", "1"]).fails(2, &["--bounds auto:0.1"]);
    place.write("text.csv", "name,age\nAda,41\n");
    place.write("empty.csv", "");
    place.write("header.csv", "age\n");
    place.write("gap.csv", "age\n1\n\"\"\n3\n");
    let bounds = |data: &str, more: &[&str]| place.run(&[&["bounds", data, "-e", "1"], more].concat());
    bounds("text.csv", &[]).fails(1, &["name", "--columns"]);
    bounds("text.csv", &["--columns", "age"]).ok();
    bounds("empty.csv", &[]).fails(1, &["empty"]);
    assert!(bounds("header.csv", &[]).ok().out().contains("a guess"));
    bounds("gap.csv", &[]).fails(1, &["--missing drop"]);
    assert!(bounds("gap.csv", &["--missing", "drop"]).ok().out().contains("every row can be read"));
    bounds("people.csv", &["--columns", "height"]).fails(1, &["height"]);
    bounds("people.csv", &["--out", "people.csv"]).fails(1, &["it would replace"]);
    bounds("people.csv", &["--out", "b.toml"]).fails(2, &["b.json", "JSON"]);
    place.run(&["bounds", "people.csv", "-e", "0"]).fails(2, &["ε = 0"]);
    place.run(&["bounds", "-", "-e", "1", "--ledger", "shoal.ledger"]).fails(2, &["--dataset"]);
    let shown = place.run(&["ledger", "show", "--format", "json"]).ok().json();
    assert_eq!(shown[0]["epsilon"]["spent"], json!(0.0));
}

#[test]
fn too_little_evidence_gives_a_guess_that_says_so() {
    let place = Place::new();
    place.write("few.csv", "age\n41\n42\n");
    let run = place.run(&["bounds", "few.csv", "-e", "0.1"]).ok();
    assert!(run.out().contains("WARNING: the noise hid where the values of age lie") && run.out().contains("a guess"));
    let json = place.run(&["bounds", "few.csv", "-e", "0.1", "--format", "json"]).ok().json();
    assert_eq!((&json["columns"][0]["guess"], &json["columns"][0]["most_rows_below"]), (&json!(true), &json!(null)));
    let fit = place.run(&["fit", "few.csv", "-k", "1", "-e", "1", "-b", "auto:0.1"]).ok();
    assert!(fit.out().contains("those bounds are guesses"));
}
