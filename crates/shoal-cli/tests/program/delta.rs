//! A fit with a δ: used where a method can, refused where not, stated everywhere and debited.

use crate::common::{IRIS_BOUNDS, Place, iris};

fn iris_text() -> String {
    iris().to_str().unwrap().into()
}

/// A fit of iris with the words that matter in front.
fn fit<'a>(data: &'a str, words: &[&'a str]) -> Vec<&'a str> {
    ["fit", data, "-k", "3", "-e", "1", "-b", IRIS_BOUNDS].into_iter().chain(words.iter().copied()).collect()
}

#[test]
fn a_delta_is_told_in_the_text_the_model_and_the_page() {
    let (place, data) = (Place::new(), iris_text());
    let files = ["--out", "m.json", "--report", "r.html"];
    let with = fit(&data, &[&["-m", "knorm-lloyd", "--delta", "1e-6"], &files[..]].concat());
    let shown = place.run(&with).ok().out();
    assert!(shown.contains("plus 1e-6") && shown.contains("Spent: ε = 1, δ = 1e-6."), "{shown}");
    assert!(shown.contains("zero-concentrated") && shown.contains("Gaussian"), "{shown}");
    let model: serde_json::Value = serde_json::from_str(&place.read("m.json")).unwrap();
    assert_eq!(model["guarantee"]["loss"]["approximate"]["delta"], 1e-6, "{model}");
    assert_eq!((&model["spent"]["epsilon"], &model["spent"]["delta"]), (&1.0.into(), &1e-6.into()));
    assert!(model["also"][0]["loss"]["zcdp"].as_f64().is_some_and(|rho| (0.02..0.03).contains(&rho)), "{model}");
    let page = place.read("r.html");
    assert!(page.contains("δ = 1e-6") && page.contains("zero-concentrated"));
    place.run(&["predict", "m.json", &data]).ok();

    let without = place.run(&fit(&data, &["-m", "knorm-lloyd", "--out", "pure.json"])).ok().out();
    assert!(without.contains("a factor of at most e^1 ≈ 2.72") && !without.contains('δ'), "{without}");
    let pure: serde_json::Value = serde_json::from_str(&place.read("pure.json")).unwrap();
    assert_eq!(pure["guarantee"]["loss"]["pure"], 1.0, "{pure}");
    assert!(pure["spent"]["delta"].is_null() && pure["also"].is_null());
    place.run(&fit(&data, &["-m", "knorm-lloyd", "--iterations", "1"])).ok();
}

#[test]
fn a_delta_is_debited_and_an_overspend_is_refused() {
    let (place, data) = (Place::new(), iris_text());
    place.run(&["ledger", "init", "iris", "-e", "3", "--delta", "1.5e-6"]).ok();
    let ledger = ["-m", "knorm-lloyd", "--ledger", "shoal.ledger", "--dataset", "iris", "--delta", "1e-6"];
    let shown = place.run(&fit(&data, &ledger)).ok().out();
    assert!(shown.contains("ε = 2 of 3") && shown.contains("δ = 5e-7 of"), "{shown}");
    let shown = place.run(&["ledger", "show", "--format", "json"]).ok().json();
    assert_eq!((&shown[0]["epsilon"]["spent"], &shown[0]["delta"]["spent"]), (&1.0.into(), &1e-6.into()));
    let refused = place.run(&fit(&data, &ledger)).fails(1, &["δ = 1e-6", "--delta 5e-7 or less"]);
    assert_eq!(refused.out(), "", "nothing was released");
    let shown = place.run(&["ledger", "show", "--format", "json"]).ok().json();
    assert_eq!(shown[0]["entries"].as_array().unwrap().len(), 1, "nothing was spent");
    // A pure fit takes no δ from the ledger.
    place.run(&fit(&data, &ledger[..6])).ok();
    let shown = place.run(&["ledger", "show", "--format", "json"]).ok().json();
    assert_eq!((&shown[0]["epsilon"]["spent"], &shown[0]["delta"]["spent"]), (&2.0.into(), &1e-6.into()));
}

#[test]
fn a_delta_without_use_or_sense_is_refused_before_anything_is_read() {
    let place = Place::new();
    let try_with =
        |words: &[&str], expected: &[&str]| place.run(&fit("there-is-no-such.csv", words)).fails(2, expected);
    for method in ["eugkm", "dplloyd-impr", "kccm"] {
        try_with(&["-m", method, "--delta", "1e-6"], &["--delta is 1e-6", method, "pure", "knorm-lloyd"]);
    }
    try_with(&["-m", "knorm-lloyd", "--delta", "0.02"], &["--delta is 0.02", "1e-6"]);
    try_with(&["-m", "knorm-lloyd", "--delta", "1"], &["promises nothing"]);
    try_with(&["-m", "knorm-lloyd", "--delta", "-0.1"], &["negative"]);
    try_with(&["-m", "knorm-lloyd", "--delta", "few"], &["not a number"]);
}

#[test]
fn a_delta_that_could_cost_a_whole_row_is_warned_of() {
    let (place, data) = (Place::new(), iris_text());
    let warned = |delta: &str, rows: &str| {
        let words = ["-m", "knorm-lloyd", "--delta", delta, "--rows", rows];
        place.run(&fit(&data, &words)).ok().err().contains("WARNING: δ")
    };
    assert!(warned("0.01", "150") && !warned("1e-6", "150"));
}

/// Where δ is large for its ε, steps with pure noise cost more than ε in sum and still keep the promise.
#[test]
fn a_large_delta_beside_a_small_epsilon_is_no_obstacle() {
    let (place, data) = (Place::new(), iris_text());
    for (epsilon, delta, method) in [("0.05", "0.01", "grid"), ("0.01", "0.005", "grid"), ("0.01", "0.01", "auto")] {
        let public = ["-b", IRIS_BOUNDS, "--rows", "100000"];
        let args = [&["fit", &data, "-k", "1", "-e", epsilon, "--delta", delta, "-m", method], &public[..]].concat();
        let shown = place.run(&args).ok().out();
        assert!(shown.contains(&format!("Spent: ε = {epsilon}, δ = {delta}")), "{shown}");
    }
}
