//! The price of codes, before anybody codes a record.

use crate::common::Place;
use serde_json::Value;

const PAPER: [&str; 10] =
    ["consortium", "price", "--range", "0:50", "--attributes", "2", "--bits", "1000", "--epsilon", "1"];

fn json(args: &[&str]) -> Value {
    let run = Place::new().run(&[args, &["--format", "json"]].concat()).ok();
    serde_json::from_str(&run.out()).unwrap()
}

#[test]
fn the_papers_setting_is_priced_in_order() {
    let text = Place::new().run(&PAPER).ok().out();
    let parts = [
        "Codes of 2 attributes with 1000 bits each give away up to ε = 2000",
        "If someone is unsure which of two records a person's report came from",
        "Published, does not hold (SZY19): (1, 8.9e-137)-LDP per value",
        "What one attribute gives away",
        "0.1% of the range",
        "100% of the range",
        "What a record gives away",
        "Error of a distance",
        "Theorem 6, 95%",
        "eq. 19",
        "Reports serve better",
    ];
    let mut from = 0;
    for part in parts {
        let found = text[from..].find(part).unwrap_or_else(|| panic!("`{part}` is missing or misplaced in\n{text}"));
        from += found;
    }
}

/// The published claim stands in one place only, labelled, and in no guarantee.
#[test]
fn the_published_claim_is_never_a_guarantee() {
    let text = Place::new().run(&PAPER).ok().out();
    let lines: Vec<&str> = text.lines().filter(|line| line.contains("e-137") || line.contains("LDP")).collect();
    assert!(lines.len() == 1 && lines[0].starts_with("Published, does not hold"), "{lines:?}");
    let value = json(&PAPER);
    assert!(!value["price"]["promise"]["guarantee"].to_string().contains("e-137"));
    assert!(!value["sentence"].to_string().contains("e-137"));
    assert_eq!(value["price"]["promise"]["published"]["paper"], "SZY19");
    let few = Place::new().run(&["consortium", "price", "--range", "0:50", "--bits", "3", "-e", "1"]).ok().out();
    assert!(few.contains("true of each value alone") && !few.contains("does not hold"), "{few}");
}

#[test]
fn json_has_the_numbers() {
    let value = json(&PAPER);
    let of =
        |path: &str| value.pointer(path).unwrap_or_else(|| panic!("{path} is missing in {value}")).as_f64().unwrap();
    assert_eq!(of("/price/promise/pure"), 2000.0);
    assert!((of("/one_attribute/3/over_the_draw") - 591.0).abs() < 1.0);
    assert!((of("/one_attribute/0/over_the_draw") - 6.9).abs() < 0.1);
    assert!((of("/price/attributes/0/at_zero") - 3.62).abs() < 0.01);
    assert!(of("/price/mean_absolute_error") > 1.0 && of("/price/blind_error") > 1.0);
    assert!(of("/comparison/laplace") < of("/comparison/codes"));
    let pure = json(&[&PAPER[..], &["--delta", "0"]].concat());
    assert!(pure["one_attribute"][0]["over_the_draw"].is_null());
    assert_eq!(pure["price"]["promise"]["guarantee"]["loss"]["pure"], 2000.0);
}

#[test]
fn a_total_affords_few_bits() {
    let args = ["consortium", "price", "--range", "0:50", "--attributes", "2", "--afford", "20"];
    let text = Place::new().run(&args).ok().out();
    let best: Vec<&str> = text.lines().filter(|line| line.contains("← best")).collect();
    assert_eq!(best.len(), 1, "{text}");
    let bits: u32 = best[0].split_whitespace().next().unwrap().parse().unwrap();
    assert!(bits <= 10, "{text}");
    assert!(text.starts_with("Within (ε = 20, δ = 1e-6)"), "{text}");
    let value = json(&[&args[..], &["--bits", "4"]].concat());
    let rows = value["rows"].as_array().unwrap();
    assert!(rows.iter().any(|row| row["bits"] == 4));
    let of = |bits: u32| rows.iter().find(|row| row["bits"] == bits).unwrap()["at_zero"].as_f64().unwrap();
    assert!((of(2) - 4.2).abs() < 0.1 && (of(1000) - 603.0).abs() < 10.0);
}

#[test]
fn named_bounds_and_pairs_are_priced() {
    let place = Place::new();
    let bounds = ["consortium", "price", "--bounds", "age=17:90,hours=1:99", "--bits", "20", "-e", "0.5"];
    let text = place.run(&bounds).ok().out();
    assert!(text.contains("age") && text.contains("hours") && text.contains("widths"), "{text}");
    let pairs = [&bounds[..], &["--partition", "decomposed", "--records", "100"]].concat();
    let text = place.run(&pairs).ok().out();
    // 99 pairs, two codes of 40 bits each, at 0.5 a bit.
    assert!(text.contains("ε = 3960") && text.contains("among 100 records"), "{text}");
    assert!(text.contains("squared distance of a pair"), "{text}");
}

#[test]
fn bad_input_names_the_fix() {
    let place = Place::new();
    let cases: [(&[&str], &str); 10] = [
        (&["--range", "0:50"], "--epsilon"),
        (&["-e", "1"], "--range"),
        (&["--range", "50:0", "-e", "1"], "50"),
        (&["--range", "0:50", "-e", "0"], "above 0"),
        (&["--range", "0:50", "-e", "1", "--bits", "0"], "1 to 1048576"),
        (&["--range", "0:50", "-e", "1", "--window", "-1"], "share of the range"),
        (&["--range", "0:50", "-e", "1", "--delta", "1"], "below 1"),
        (&["--bounds", "0,50", "-e", "1"], "--attributes"),
        (&["--range", "0:50", "-e", "1", "--partition", "decomposed"], "--records"),
        (&["--range", "0:50", "-e", "1", "--bits", "1000000", "--attributes", "100"], "fewer bits"),
    ];
    for (args, fix) in cases {
        let run = place.run(&[&["consortium", "price"], args].concat());
        assert_eq!(run.code(), 2, "{args:?}: {}", run.err());
        assert!(run.err().contains(fix), "{args:?}: {}", run.err());
        assert!(run.out().is_empty());
    }
}
