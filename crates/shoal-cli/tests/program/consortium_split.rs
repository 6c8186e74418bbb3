//! `shoal consortium rehearse` and `shoal consortium verify` as users run them.

use serde_json::Value;

use crate::common::Place;

const BOUNDS: &str = "age=17:90,hours=1:99";

/// Three custodians' tables of two groups each.
fn tables(place: &Place) {
    for (name, shift) in [("north", 0), ("south", 1000), ("east", 2000)] {
        let mut csv = String::from("age,hours\n");
        for i in shift..shift + 900 {
            let (age, hours) = if i % 3 == 0 { (68 + i % 9, 5 + i % 11) } else { (25 + i % 13, 37 + i % 9) };
            csv.push_str(&format!("{age},{hours}\n"));
        }
        place.write(&format!("{name}.csv"), csv);
    }
}

const REHEARSE: [&str; 11] =
    ["consortium", "rehearse", "north.csv", "south.csv", "east.csv", "-b", BOUNDS, "-k", "2", "-e", "1"];

const FILES: [&str; 6] = ["--out", "model.json", "--transcript", "run.jsonl", "--charter", "charter.toml"];

#[test]
fn a_rehearsal_finds_the_clusters_and_is_verified() {
    let place = Place::new();
    tables(&place);
    let run = place.run(&[&REHEARSE[..], &FILES[..], &["--seed", "7"]].concat()).ok();
    let text = run.out();
    for part in ["NO PRIVACY", "A rehearsal:", "3 custodians", "2 helpers"] {
        assert!(text.contains(part), "“{part}” is not in\n{text}");
    }
    let model: Value = serde_json::from_str(&place.read("model.json")).unwrap();
    assert_eq!(model["seeded"], true);
    assert_eq!(model["split"]["custodians"].as_array().unwrap().len(), 3);
    let mut ages: Vec<f64> = model["centers"].as_array().unwrap().iter().map(|it| it[0].as_f64().unwrap()).collect();
    ages.sort_by(f64::total_cmp);
    assert!((ages[0] - 31.0).abs() < 4.0 && (ages[1] - 72.0).abs() < 4.0, "{ages:?}");

    let run = place.run(&["consortium", "verify", "run.jsonl", "charter.toml", "--model", "model.json"]).ok();
    let text = run.out();
    for part in [
        "The transcript holds",
        "The model follows from the released numbers",
        "one of the helpers keeps its shares to itself and adds its noise",
        "nobody is in the tables of two custodians",
        "the encryption of messages and shares holds",
    ] {
        assert!(text.contains(part), "“{part}” is not in\n{text}");
    }
    let run = place.run(&["consortium", "verify", "run.jsonl", "charter.toml", "--format", "json"]).ok();
    let json: Value = serde_json::from_str(&run.out()).unwrap();
    assert_eq!((&json["holds"], &json["epsilon_ordered"]), (&Value::Bool(true), &Value::from("1")));
    // What is computed from a rehearsal has no guarantee either.
    assert_eq!((&json["rehearsal"], &json["model"]["seeded"]), (&Value::Bool(true), &Value::Bool(true)));
    assert_eq!(json["model"]["guarantee"], model["guarantee"]);
    assert!(text.contains("This was a rehearsal"), "{text}");
}

#[test]
fn what_was_changed_is_found() {
    let place = Place::new();
    tables(&place);
    place.run(&[&REHEARSE[..], &FILES[..], &["--seed", "7"]].concat()).ok();
    let verify = |transcript: &str, model: &str| {
        place.run(&["consortium", "verify", transcript, "charter.toml", "--model", model, "--format", "json"])
    };
    verify("run.jsonl", "model.json").ok();
    // A released number.
    let transcript = place.read("run.jsonl");
    let round = transcript.lines().nth(1).unwrap();
    let start = round.find("\"answers\":[[").unwrap() + "\"answers\":[[".len();
    let digit = if round.as_bytes()[start + 1] == b'1' { "2" } else { "1" };
    let changed = format!("{}{digit}{}", &round[..start + 1], &round[start + 2..]);
    place.write("changed.jsonl", transcript.replace(round, &changed));
    assert!(verify("changed.jsonl", "model.json").fails(1, &[]).err().contains("transcript-does-not-hold"));
    // A transcript that was cut off.
    let shorter: Vec<&str> = transcript.lines().take(2).collect();
    place.write("short.jsonl", shorter.join("\n"));
    assert!(verify("short.jsonl", "model.json").fails(1, &[]).err().contains("transcript-unreadable"));
    // A rehearsal that is given out for a run.
    let mut model: Value = serde_json::from_str(&place.read("model.json")).unwrap();
    model["seeded"] = Value::Bool(false);
    place.write("real.json", model.to_string());
    verify("run.jsonl", "real.json").fails(1, &[]);
    // Another model.
    let mut model: Value = serde_json::from_str(&place.read("model.json")).unwrap();
    let age = model["centers"][0][0].as_f64().unwrap();
    model["centers"][0][0] = Value::from(age + 0.5);
    place.write("other.json", model.to_string());
    assert!(verify("run.jsonl", "other.json").fails(1, &["the centres"]).err().contains("other-model"));
}

#[test]
fn bad_requests_are_refused() {
    let place = Place::new();
    tables(&place);
    place.write("gap.csv", "age,hours\n30,40\n,20\n");
    let run = |tables: &[&str], more: &[&str]| {
        place.run(&[&["consortium", "rehearse"][..], tables, &["-k", "2", "-e", "1"], more].concat())
    };
    run(&["north.csv", "gap.csv"], &["-b", BOUNDS]).fails(1, &["row 2"]);
    run(&["north.csv", "south.csv"], &["-b", "0,100"]).fails(2, &["name no columns"]);
    run(&["north.csv"], &["-b", BOUNDS]).fails(2, &[]);
    run(&["north.csv", "south.csv"], &["-b", BOUNDS, "--helpers", "1"]).fails(2, &[]);
    place.run(&["consortium", "verify", "none.jsonl", "none.toml"]).fails(1, &["cannot read the charter"]);
    place.write("bad.toml", "version = 1\n");
    place.run(&["consortium", "verify", "none.jsonl", "bad.toml"]).fails(1, &["the charter cannot be read"]);
}
