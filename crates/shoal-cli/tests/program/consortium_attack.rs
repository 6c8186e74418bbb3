//! `shoal consortium attack` and `compare`: what users are shown of codes.

use crate::common::{IRIS_BOUNDS, Place, iris};
use serde_json::Value;

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn the_papers_parameters_are_shown_to_give_people_away() {
    let place = Place::new();
    let text = place.run(&["consortium", "attack", "--people", "150", "--seed", "1"]).ok().out();
    for word in [
        "curious aggregator",
        "known plaintext",
        "has the agreement",
        "150 made-up people",
        "1000 bits",
        "ε = 1 per bit",
    ] {
        assert!(text.contains(word), "{word} is missing:\n{text}");
    }
    assert!(!text.contains("NOT PRIVATE"), "nobody is in made-up data");
    let shown =
        json(&place.run(&["consortium", "attack", "--people", "150", "--seed", "1", "--format", "json"]).ok().out());
    assert_eq!(shown["made_up"], true);
    let attacks = shown["attacks"].as_array().unwrap();
    assert_eq!(attacks.len(), 5);
    let owner = &attacks[4];
    assert!(owner["mean_error"].as_f64().unwrap() < 0.02 && owner["guess_error"].as_f64().unwrap() > 0.2, "{owner}");
}

#[test]
fn a_table_of_ones_own_is_attacked_and_marked() {
    let place = Place::new();
    place.run(&["consortium", "init", "-b", IRIS_BOUNDS, "--bits", "50", "-e", "1", "--out", "a.json"]).ok();
    let data = iris().display().to_string();
    let text = place
        .run(&["consortium", "attack", &data, "--agreement", "a.json", "--column", "petal_length", "--people", "40"])
        .ok()
        .out();
    assert!(text.starts_with("NOT PRIVATE") && text.contains("40 records of iris.csv"), "{text}");
    let price = place.run(&["consortium", "price", "--agreement", "a.json"]).ok().out();
    assert!(price.contains("these anchors") && !price.contains("any anchors"), "{price}");
}

#[test]
fn attacks_that_make_no_sense_name_the_fix() {
    let place = Place::new();
    let data = iris().display().to_string();
    place.run(&["consortium", "attack", &data]).fails(2, &["--agreement"]);
    place.run(&["consortium", "attack", "--people", "5", "--known", "5"]).fails(2, &["--known 5", "give 1 to 4"]);
    place.run(&["consortium", "attack", "--people", "5", "--known", "0"]).fails(2, &["--known 0"]);
    place.run(&["consortium", "attack", "--range", "50:0"]).fails(2, &["reversed"]);
    place.run(&["consortium", "attack", "--bits", "0"]).fails(2, &["from 1 to"]);
    place.run(&["consortium", "attack", "--window", "-1"]).fails(2, &["share of the range"]);
    place.run(&["consortium", "attack", "--agreement", "none.json"]).fails(1, &["none.json"]);
    place.run(&["consortium", "init", "-b", "x=0:1", "--bits", "9", "-e", "1", "--out", "a.json"]).ok();
    place.run(&["consortium", "attack", "--agreement", "a.json", "--column", "y"]).fails(2, &["`y`", "it has x"]);
    place.run(&["consortium", "attack", "--agreement", "a.json", "--bits", "9"]).fails(2, &["cannot be used with"]);
    // Made-up people fit an agreement as well.
    place.run(&["consortium", "attack", "--agreement", "a.json", "--people", "2"]).ok();
}

#[test]
fn ways_to_cluster_are_compared() {
    let place = Place::new();
    let data = iris().display().to_string();
    let compare = |more: &[&str]| {
        let usual = ["consortium", "compare", &data, "-k", "3", "--labels", "label", "-b", IRIS_BOUNDS];
        let few = ["--runs", "2", "--starts", "3", "--bits", "64", "--epsilon", "2"];
        place.run(&[&usual[..], &few[..], more].concat())
    };
    let text = compare(&[]).ok().out();
    assert!(
        text.starts_with("NOT PRIVATE") && text.contains("DPBV + kCluster") && text.contains("ε = 512 a record"),
        "{text}"
    );
    assert_eq!(text, compare(&[]).ok().out(), "the same seed gives the same table");
    let lines = json(&compare(&["--format", "json"]).ok().out());
    let of = |method: &str| {
        let line = lines["nmi"].as_array().unwrap().iter().find(|line| line["method"] == method).cloned();
        line.unwrap_or_else(|| panic!("no {method}"))
    };
    assert!(of("k-means")["best"]["mean"].as_f64().unwrap() > 0.6);
    assert!(of("kCluster")["best"]["mean"].as_f64().unwrap() > 0.6);
    assert_eq!(of("ADP + k-means")["epsilon_of_a_record"], Value::Null);
    compare(&["--columns", "label,petal_width"]).fails(2, &["label", "--columns"]);
    compare(&["--most-records", "20"]).fails(1, &["--most-records"]);
    compare(&["--sigma", "-1"]).fails(2, &["standard deviation"]);
    compare(&["--kept", "2"]).fails(2, &["share of the dimensions"]);
    let usual = ["consortium", "compare", &data, "--labels", "label", "-b", IRIS_BOUNDS, "-k"];
    place.run(&[&usual[..], &["151"]].concat()).fails(2, &["151"]);
    place.run(&["consortium", "compare", &data, "-k", "3", "--labels", "label"]).fails(2, &["--bounds"]);
}
