//! What custodians and aggregators are kept from doing by mistake, and what they are told whatever the options.

use crate::common::Place;
use serde_json::json;

const INIT: [&str; 10] = ["consortium", "init", "-b", "x=0:10", "--bits", "1000", "--epsilon", "1", "--out", "a.json"];

/// Two tables of one column and names, and an agreement on it.
fn place() -> Place {
    let place = Place::new();
    place.run(&[&INIT[..], &["-q"]].concat()).ok();
    place.write("d.csv", "x,who\n1,p\n2,q\n9,r\n");
    place.write("e.csv", "x,who\n8,s\n,t\n3,u\n5,v\n");
    place
}

fn encode<'a>(data: &'a str, out: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["consortium", "encode", data, "--agreement", "a.json", "--out", out], more].concat()
}

const LIMIT: [&str; 2] = ["--max-epsilon", "1000"];

#[test]
fn rows_that_are_left_out_must_have_names() {
    let place = place();
    let drop = [&LIMIT[..], &["--missing", "drop"]].concat();
    place.run(&encode("e.csv", "e.parquet", &drop)).fails(2, &["wrong people", "--id COLUMN"]);
    let run = place.run(&encode("e.csv", "e.parquet", &[&drop[..], &["--id", "who"]].concat())).ok();
    assert!(run.err().contains("1 record before the last complete one lacked a value"), "{}", run.err());
    assert!(run.out().starts_with("3 codes of e.csv: 1 column of 1000 bits, flipped"), "{}", run.out());
}

#[test]
fn files_of_the_same_name_are_told_apart() {
    let place = place();
    for (folder, data) in [("north", "d.csv"), ("south", "d.csv")] {
        std::fs::create_dir(place.path(folder)).unwrap();
        place.run(&encode(data, &format!("{folder}/c.parquet"), &LIMIT)).ok();
    }
    let args = ["consortium", "cluster", "north/c.parquet", "south/c.parquet", "-k", "1", "--out", "l.csv"];
    assert!(place.run(&args).ok().out().contains("th/c.parquet, row"));
    let labels = place.read("l.csv");
    assert!(labels.contains("\nnorth/c.parquet,1,1\n") && labels.contains("\nsouth/c.parquet,3,1\n"), "{labels}");
    let told = place.run(&[&args[..6], &["--format", "json"]].concat()).ok().json();
    assert_eq!(told["files"][1]["name"], json!("south/c.parquet"));
    let one = place.run(&["consortium", "distances", "north/c.parquet", "--format", "json"]).ok().json();
    assert_eq!(one["files"], json!([{"name": "c.parquet", "first_row": 1, "last_row": 3, "bridge": 0}]));
}

#[test]
fn made_up_rows_are_told_and_warned_of() {
    let place = place();
    let bridge = [&LIMIT[..], &["--bridge", "50"]].concat();
    let run = place.run(&encode("d.csv", "c.parquet", &bridge)).ok();
    assert!(run.out().starts_with("3 codes and 50 made-up ones of d.csv"), "{}", run.out());
    assert!(run.err().contains("knows their values") && run.err().contains("attack"), "{}", run.err());
    let run = place.run(&["consortium", "distances", "c.parquet"]).ok();
    assert!(run.out().contains("c.parquet has 1 to 53 (the last 50 of them made up)"), "{}", run.out());
    place.run(&encode("d.csv", "n.parquet", &["--bridge", "-1"])).fails(2, &["made-up records from 1 to 1000000"]);
}

#[test]
fn limits_are_limits() {
    let place = place();
    let no = |more: &[&str], code: i32, words: &[&str]| {
        place.run(&encode("d.csv", "c.parquet", &[&LIMIT[..], more].concat())).fails(code, words);
    };
    no(&["--seed", "1"], 2, &["--seed promise nothing", "leave one of both out"]);
    no(&["--accept-unsound"], 2, &["--accept-unsound promise nothing"]);
    no(&["--delta", "0.01"], 2, &["one record in a hundred", "1e-6"]);
    place.run(&encode("d.csv", "c.parquet", &["--accept-unsound"])).fails(2, &["nothing unsound to accept"]);
    assert!(!place.files().contains(&"c.parquet".to_string()));
    place.run(&encode("d.csv", "c.parquet", &[&LIMIT[..], &["--delta", "0.001"]].concat())).ok();
    // Codes that may have been sent are not replaced, other files are.
    no(&[], 1, &["may have been sent", "adds up", "delete it first"]);
    place.write("other.parquet", "something else");
    place.run(&encode("d.csv", "other.parquet", &LIMIT)).ok();
}

#[test]
fn quiet_keeps_every_warning_and_json_has_them() {
    let place = place();
    let init = [&INIT[..9], &["s.json", "--seed", "1"]].concat();
    let quiet = place.run(&[&init[..], &["-q"]].concat()).ok();
    assert!(quiet.err().contains("GUESSABLE") && !quiet.err().contains("written"), "{}", quiet.err());
    for word in ["DOES NOT HOLD", "keep it from the aggregator", "ε = 1 per bit × 1000 bits × 1 column = 1000"] {
        assert!(quiet.out().contains(word), "{word}: {}", quiet.out());
    }
    let told = place.run(&[&INIT[..9], &["t.json", "--seed", "1", "--format", "json"]].concat()).ok().json();
    for word in ["GUESSABLE", "DOES NOT HOLD", "keep it from the aggregator", "WARNING"] {
        assert!(told["warnings"].to_string().contains(word), "{word}: {}", told["warnings"]);
    }
    let named = [&LIMIT[..], &["--id", "who"]].concat();
    let quiet = place.run(&encode("d.csv", "q.parquet", &[&named[..], &["-q"]].concat())).ok();
    assert!(quiet.err().contains("IN THE CLEAR") && quiet.out().contains("DOES NOT HOLD"), "{}", quiet.err());
    let told = place.run(&encode("d.csv", "j.parquet", &[&named[..], &["--format", "json"]].concat())).ok().json();
    assert!(told["warnings"].to_string().contains("IN THE CLEAR"), "{}", told["warnings"]);
    assert!(told["distance_error"]["blind_error"].as_f64().unwrap() > 0.0);
}

#[test]
fn what_codes_buy_is_told_beside_what_they_promise() {
    let place = Place::new();
    let init = ["consortium", "init", "-b", "x=0:10,y=0:1", "--bits", "20", "--epsilon", "0.1", "--out", "few.json"];
    let run = place.run(&init).ok();
    assert!(run.out().contains("answering the same for every pair is off by 0.2"), "{}", run.out());
    assert!(run.out().contains("`shoal perturb` may serve better"), "{}", run.out());
    assert!(run.out().contains("`shoal consortium price --agreement few.json`"), "{}", run.out());
    place.write("d.csv", "x,y\n1,0\n2,1\n9,1\n");
    let args = ["consortium", "encode", "d.csv", "-a", "few.json", "--max-epsilon", "4", "--out", "c.parquet"];
    assert!(place.run(&args).ok().out().contains("Distances decoded from such codes are off by"));
    let quiet = place.run(&["consortium", "cluster", "c.parquet", "-k", "2", "-q"]).ok();
    assert!(quiet.out().contains("mostly noise") && !quiet.out().contains("Spent"), "{}", quiet.out());
    let told = place.run(&["consortium", "distances", "c.parquet", "--format", "json"]).ok().json();
    assert!(told["warnings"].to_string().contains("mostly noise"), "{}", told["warnings"]);
    let bv = ["consortium", "init", "-b", "x=0:10", "--no-flips", "--accept-unsound", "--out", "bv.json"];
    let run = place.run(&bv).ok();
    assert!(run.out().contains("no bit is flipped") && !run.out().contains("from the data"), "{}", run.out());
}

#[test]
fn places_and_numbers_that_do_not_fit() {
    let place = place();
    place.run(&encode("d.csv", "c.parquet", &LIMIT)).ok();
    let no = |args: &[&str], words: &[&str]| {
        place.run(&[&["consortium"], args].concat()).fails(2, words);
    };
    no(&["cluster", "c.parquet", "-k", "2", "--out", "l.parquet"], &["as CSV", "labels.csv"]);
    no(&["cluster", "c.parquet", "-k", "2", "--out", "-"], &["--out labels.csv", "--format json"]);
    no(&["distances", "c.parquet", "--out", "-"], &["distances.csv"]);
    no(&["distances", "c.parquet", "--out", "d.txt"], &[".csv", ".parquet"]);
    no(&["init", "-b", "x=0:1", "-e", "1", "--out", "-"], &["--out FILE"]);
    no(&["cluster", "c.parquet", "-k", "2", "--starts", "0"], &["starts from 1 to 100000, for example 20"]);
    no(&["cluster", "c.parquet", "-k", "2", "--iterations", "x"], &["steps from 1 to 10000"]);
    no(&["cluster", "c.parquet", "-m", "dbscan", "--radius", "1", "--min-points", "0"], &["records from 1"]);
    let run = place.run(&["consortium", "cluster", "c.parquet", "-k", "2"]).ok();
    assert!(run.out().contains("distances of the one column (eq11)"), "{}", run.out());
    // With narrow windows not all bits can differ, which only custodians can count.
    place.run(&[&INIT[..9], &["narrow.json", "--window", "0.1"]].concat()).ok();
    let narrow = ["consortium", "encode", "d.csv", "-a", "narrow.json", "--max-epsilon", "1000", "-o", "n.parquet"];
    place.run(&narrow).ok();
    let run = place.run(&["consortium", "cluster", "n.parquet", "-k", "2"]).ok().out();
    assert!(
        run.contains("worst case over all anchors; the custodian of n.parquet, who knows them, says ε = "),
        "{run}"
    );
}

#[test]
fn memory_that_does_not_do_is_told_with_what_would() {
    let place = place();
    let rows: String = (0..1000).map(|i| format!("{}\n", i % 10)).collect();
    place.write("many.csv", format!("x\n{rows}"));
    place.run(&encode("many.csv", "m.parquet", &LIMIT)).ok();
    let no = |args: &[&str], words: &[&str]| {
        place.run(&[&["consortium"], args, &["--memory", "1M"]].concat()).fails(1, words);
    };
    no(&["distances", "m.parquet"], &["--pairs"]);
    no(&["cluster", "m.parquet", "-k", "2", "-m", "hierarchical"], &["fewer records"]);
    no(&["cluster", "m.parquet", "-k", "2", "--metric", "eq19"], &["--metric hamming-sum"]);
    place.run(&["consortium", "distances", "m.parquet", "--pairs", "1,1000", "--memory", "1M"]).ok();
    // Pairs are rows already: their table is that of the records.
    place.run(&encode("d.csv", "p.parquet", &["--pairs", "--seed", "1"])).ok();
    let told = place.run(&["consortium", "distances", "p.parquet", "--format", "json"]).ok().json();
    assert!(told["warnings"][0].as_str().unwrap().starts_with("NO PRIVACY"), "{}", told["warnings"]);
    assert_eq!((&told["bytes_of_all"], &told["files"][0]["last_row"]), (&json!(24), &json!(3)));
}

#[test]
fn a_metric_that_was_chosen_by_size_is_told() {
    let place = Place::new();
    place.run(&["consortium", "init", "-b", "x=0:9,y=0:9", "--bits", "8", "-e", "1", "-o", "a.json", "-q"]).ok();
    let rows: String = (0..5001).map(|i| format!("{},{}\n", i % 10, i % 7)).collect();
    place.write("many.csv", format!("x,y\n{rows}"));
    place.run(&encode("many.csv", "m.parquet", &["--max-epsilon", "16"])).ok();
    let args = ["consortium", "cluster", "m.parquet", "-k", "2", "--starts", "1", "--iterations", "2"];
    let note = "With so many records the metric is hamming-sum";
    assert!(place.run(&args).ok().out().contains(note));
    let chosen = place.run(&[&args[..], &["--metric", "hamming-sum"]].concat()).ok().out();
    assert!(!chosen.contains(note) && chosen.contains("the sum of distances (hamming-sum)"), "{chosen}");
}

/// The examples of the help texts, pasted in order.
#[test]
fn help_examples_work_in_order() {
    let place = Place::new();
    let people = |ages: std::ops::Range<usize>| -> String {
        let row = |i: usize| format!("{},{},p{i},{}\n", 20 + i, 10 + i, 150 + i);
        format!("age,hours,patient,height\n{}", ages.map(row).collect::<String>())
    };
    for (i, name) in ["north.csv", "south.csv", "west.csv", "bob.csv", "alice.csv"].iter().enumerate() {
        let ages = if i < 3 { 20 * i..20 * i + 20 } else { 0..20 };
        place.write(name, people(ages));
    }
    let incomes: String = (0..40).map(|i| format!("{}\n", 2500 * i)).collect();
    place.write("incomes.csv", format!("income\n{incomes}"));
    place.write("bounds.json", r#"{"age": [17, 90], "hours": [1, 99]}"#);
    for command in ["init", "encode", "distances", "cluster"] {
        let help = place.run(&["consortium", command, "--help"]).ok().out();
        let examples = help.lines().map(str::trim).filter(|line| line.starts_with("shoal consortium "));
        for example in examples {
            let line = example.split('#').next().unwrap().replace('\'', "");
            let args: Vec<&str> = line.split_whitespace().skip(1).collect();
            let run = place.run(&args);
            assert_eq!(run.code(), 0, "{example}: {}", run.err());
        }
    }
}
