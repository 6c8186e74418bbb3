//! `shoal consortium merge` and `shoal consortium plan` as users run them.

use serde_json::Value;

use crate::common::Place;

const BOUNDS: &str = "age=17:90,hours=1:99";

/// A custodian's table: two groups, one larger than the other.
fn table(place: &Place, name: &str, shift: usize) -> String {
    let mut csv = String::from("age,hours\n");
    for i in shift..shift + 900 {
        let (age, hours) = if i % 3 == 0 { (68 + i % 9, 5 + i % 11) } else { (25 + i % 13, 37 + i % 9) };
        csv.push_str(&format!("{age},{hours}\n"));
    }
    place.write(name, csv).to_string_lossy().into_owned()
}

/// Two custodians' models, `north.json` at ε = 2 and `south.json` at ε = 1.
fn models(place: &Place) {
    for (name, epsilon, shift) in [("north", "2", 0), ("south", "1", 1000)] {
        let csv = table(place, &format!("{name}.csv"), shift);
        place.run(&["fit", &csv, "-k", "2", "-e", epsilon, "-b", BOUNDS, "--out", &format!("{name}.json")]).ok();
    }
}

const MERGE: [&str; 6] = ["consortium", "merge", "north.json", "south.json", "-k", "2"];

#[test]
fn models_are_merged_printed_and_written() {
    let place = Place::new();
    models(&place);
    let run = place.run(&[&MERGE[..], &["--out", "model.json", "--report", "page.html"]].concat()).ok();
    let text = run.out();
    for part in [
        "2 clusters of 2 custodians",
        "method merge/models",
        "ε = 2 when one row is added or removed",
        "nobody is in the tables of two custodians",
        "Also: If someone is unsure whether a given person is in this data",
        "ε = 3 when one person, with all their rows, is added or removed",
        "Spent: nothing; the custodians had paid: north ε = 2, south ε = 1.",
    ] {
        assert!(text.contains(part), "“{part}” is not in\n{text}");
    }
    let model: Value = serde_json::from_str(&place.read("model.json")).unwrap();
    assert_eq!(model["merged_from"]["custodians"][1]["name"], "south");
    assert_eq!(model["merged_from"]["custodians"][1]["paid_before"]["epsilon"], 1.0);
    assert_eq!(model["spent"]["epsilon"], 0.0);
    assert!(model["intervals"].as_array().unwrap().len() == 2 && model["stability"].as_array().unwrap().len() == 2);
    let page = place.read("page.html");
    for part in ["Each custodian, with the own table alone", "Nobody is in the tables of two custodians", "north ε = 2"]
    {
        assert!(page.contains(part), "“{part}” is not on the page");
    }
    // What people read and what programs read is the same sentence, and PRIVACY.md has its conditions.
    let sentence = model["sentence"].as_str().unwrap();
    assert!(sentence.contains("nobody is in the tables of two custodians"), "{sentence}");
    // A merged model labels rows as any other does.
    place.run(&["predict", "model.json", "north.csv", "--out", "labels.csv"]).ok();
}

#[test]
fn synopses_are_merged_for_any_number_of_clusters() {
    let place = Place::new();
    for (name, shift) in [("north", 0), ("south", 1000)] {
        let csv = table(&place, &format!("{name}.csv"), shift);
        let cells = format!("{name}.parquet");
        place.run(&["fit", &csv, "-k", "2", "-e", "2", "-b", BOUNDS, "-m", "tree", "--synopsis", &cells]).ok();
    }
    let merge = ["consortium", "merge", "north.parquet", "south.parquet", "--format", "json"];
    let found = place.run(&[&merge[..], &["-k", "3"]].concat()).ok().json();
    assert_eq!((found["centers"].as_array().unwrap().len(), &found["method"]), (3, &"merge/synopses".into()));
    let chosen = place.run(&[&merge[..], &["-k", "auto"]].concat()).ok().json();
    assert_eq!(chosen["centers"].as_array().unwrap().len(), 2, "{chosen}");
    // Models and cells have no common measure.
    models(&place);
    place
        .run(&["consortium", "merge", "north.json", "south.parquet", "-k", "2"])
        .fails(1, &["north is a model and south a synopsis"]);
}

#[test]
fn seeded_releases_take_the_guarantee_and_seeded_merges_do_not() {
    let place = Place::new();
    models(&place);
    let seeded = place.run(&[&MERGE[..], &["--seed", "5", "--format", "json"]].concat()).ok();
    let again = place.run(&[&MERGE[..], &["--seed", "5", "--format", "json", "--threads", "1"]].concat()).ok();
    assert_eq!(seeded.json(), again.json());
    assert!(seeded.json()["guarantee"]["loss"].is_object());
    place.run(&["fit", "south.csv", "-k", "2", "-e", "1", "-b", BOUNDS, "--seed", "3", "--out", "seeded.json"]).ok();
    let run = place.run(&["consortium", "merge", "north.json", "seeded.json", "-k", "2"]).ok();
    assert!(run.out().contains("NO PRIVACY: the noise came from a seed"), "{}", run.out());
    let json =
        place.run(&["consortium", "merge", "north.json", "seeded.json", "-k", "2", "--format", "json"]).ok().json();
    assert_eq!((&json["guarantee"]["none"], &json["spent"]), (&"seeded".into(), &Value::Null));
    assert!(json.get("also").is_none());
}

#[test]
fn bad_input_is_refused_and_leaves_nothing() {
    let place = Place::new();
    models(&place);
    let north = place.read("north.json");
    place.write("copy.json", &north);
    place.write("half.json", &north[..north.len() / 2]);
    place.write("empty.json", "");
    place.run(&["fit", "south.csv", "-k", "2", "-e", "1", "-b", "age=0:90,hours=1:99", "--out", "wide.json"]).ok();
    place
        .run(&["fit", "south.csv", "-k", "2", "-e", "1", "-b", "hours=1:99", "--columns", "hours", "--out", "one.json"])
        .ok();
    place.run(&["fit", "south.csv", "-k", "2", "-e", "1", "-b", BOUNDS, "--rows-public", "--out", "public.json"]).ok();
    place.run(&["perturb", "south.csv", "-e", "4", "-b", BOUNDS, "--out", "reports.parquet"]).ok();
    let before = place.files();
    let merge = |files: &[&str], more: &[&str], code: i32, words: &[&str]| {
        let args = [&["consortium", "merge"], files, &["-k", "2", "--out", "out.json", "--report", "out.html"], more];
        place.run(&args.concat()).fails(code, words);
        assert_eq!(place.files(), before, "nothing is left of {files:?}");
    };
    merge(&["north.json"], &[], 2, &["two custodians or more"]);
    merge(&["north.json", "north.json"], &[], 2, &["north.json is named twice"]);
    merge(&["north.json", "copy.json"], &[], 1, &["north and copy hold the same release"]);
    merge(&["north.json", "half.json"], &[], 1, &["half.json", "not a Shoal model"]);
    merge(&["north.json", "empty.json"], &[], 1, &["empty.json", "not a Shoal model"]);
    merge(&["north.json", "north.csv"], &[], 1, &["north.csv", "not a Shoal model"]);
    merge(&["north.json", "gone.json"], &[], 1, &["gone.json"]);
    merge(&["north.json", "."], &[], 1, &["."]);
    merge(&["north.json", "wide.json"], &[], 1, &["the bounds of age are 17:90 in north and 0:90 in wide", "agree on"]);
    merge(&["north.json", "one.json"], &[], 1, &["north has the columns age, hours, and one has hours"]);
    merge(&["north.json", "public.json"], &[], 1, &["north and public promise different things"]);
    merge(&["north.json", "reports.parquet"], &[], 1, &["reports.parquet", "nothing to merge"]);
    merge(&["-", "-"], &[], 2, &["standard input (-) can be read once"]);
    let merge_k = |k: &str, code: i32, words: &[&str]| {
        place
            .run(&["consortium", "merge", "north.json", "south.json", "-k", k, "--out", "out.json"])
            .fails(code, words);
        assert_eq!(place.files(), before);
    };
    merge_k("5", 1, &["5 clusters cannot be made of 4 released centres"]);
    merge_k("auto", 1, &["cannot be chosen from models", "-k 5"]);
    merge_k("0", 2, &["k"]);
    // An input is not written over.
    place.run(&[&MERGE[..], &["--out", "north.json"]].concat()).fails(1, &["would replace north.json"]);
    // Through a pipe it is the same release.
    let piped = place.run_with_input(&["consortium", "merge", "-", "south.json", "-k", "2"], north.as_bytes()).ok();
    assert!(piped.out().contains("custodian 1 ε = 2, south ε = 1"), "{}", piped.out());
}

#[test]
fn plans_compare_and_recommend() {
    let plan = |more: &[&str]| {
        let args = ["consortium", "plan", "-k", "5", "--epsilon", "1", "--bounds", BOUNDS];
        Place::new().run(&[&args[..], more].concat())
    };
    let text = plan(&["--rows", "50000", "--custodians", "4"]).ok().out();
    for part in ["Recommended: merge", "split trust, two helpers", "own noise in rounds", "codes (SZY19)", "one table"]
    {
        assert!(text.contains(part), "“{part}” is not in\n{text}");
    }
    let line =
        |text: &str, way: &str| text.lines().find(|line| line.trim_start().starts_with(way)).unwrap().to_string();
    // What is not built is not called built.
    for way in ["own noise", "split trust"] {
        assert!(line(&text, way).contains("  no  "), "{}", line(&text, way));
    }
    let small = plan(&["--rows", "2000", "--custodians", "64"]).ok().out();
    assert!(small.contains("WARNING") && small.contains("not in this version"), "{small}");
    let json = plan(&["--rows", "50000", "--custodians", "4", "--format", "json"]).ok().json();
    assert_eq!(json["recommended"], "merge");
    let ratio = |way: &str| {
        let ways = json["ways"].as_array().unwrap();
        ways.iter().find(|it| it["way"] == way).unwrap()["accuracy"]["nicv_ratio"].as_f64().unwrap()
    };
    assert!(ratio("one-table") <= ratio("split-trust") && ratio("split-trust") <= ratio("own-noise"));
    plan(&["--rows", "50000", "--custodians", "1"]).fails(2, &["custodians"]);
    plan(&["--rows", "3", "--custodians", "4"]).fails(2, &["3 rows cannot be held by 4 custodians"]);
    plan(&["--rows", "0", "--custodians", "4"]).fails(2, &["rows"]);
    plan(&["--rows", "100"]).fails(2, &["--custodians"]);
}
