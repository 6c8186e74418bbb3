//! The default method: it chooses its route, the number of clusters where asked, and reports how good the result is.

use crate::common::Place;
use serde_json::Value;

/// Three clear groups in the unit square.
fn place() -> Place {
    let place = Place::new();
    let mut table = String::from("x,y\n");
    for i in 0..6000 {
        let (x, y) = [(0.15, 0.2), (0.5, 0.8), (0.85, 0.3)][i % 3];
        let wobble = |step: usize| (i * step % 101) as f64 / 1500.0 - 0.033;
        table.push_str(&format!("{},{}\n", x + wobble(37), y + wobble(53)));
    }
    place.write("d.csv", table);
    place
}

const FIT: [&str; 6] = ["fit", "d.csv", "-e", "1", "-b", "0,1"];

fn fit<'a>(more: &[&'a str]) -> Vec<&'a str> {
    FIT.into_iter().chain(more.iter().copied()).collect()
}

fn model(place: &Place, name: &str) -> Value {
    serde_json::from_str(&place.read(name)).unwrap()
}

fn centres(model: &Value) -> usize {
    model["centers"].as_array().unwrap().len()
}

#[test]
fn auto_is_the_default_and_says_why_before_and_after() {
    let place = place();
    let run = place.run(&fit(&["-k", "3", "--rows", "6000", "--out", "m.json", "--report", "r.html"])).ok();
    assert!(run.out().contains("method auto") && run.out().contains("auto takes the route"), "{}", run.out());
    assert!(run.err().contains("auto takes the route") && run.err().contains("Planned budget: "), "{}", run.err());
    let found = model(&place, "m.json");
    assert_eq!((&found["method"], centres(&found)), (&"auto".into(), 3));
    assert_eq!((&found["guarantee"]["loss"]["pure"], &found["spent"]["epsilon"]), (&1.0.into(), &1.0.into()));
    assert!(found["k_asked"].is_null() && !run.out().contains("Fewer"));
    assert!(place.read("r.html").contains("the method is Shoal’s own"));
    // Without public rows nothing is known before, and everything is reported after.
    let bought = place.run(&fit(&["-k", "3"])).ok();
    assert!(!bought.err().contains("auto takes") && bought.out().contains("auto takes"), "{}", bought.err());
}

#[test]
fn the_number_of_clusters_is_chosen_on_the_cells() {
    let place = place();
    place.run(&["ledger", "init", "d.csv", "--epsilon", "2"]).ok();
    for (k, seed) in [("auto", "1"), ("auto:5", "2"), ("auto", "3")] {
        let run = place.run(&fit(&["-k", k, "--seed", seed, "--format", "json"])).ok().json();
        assert_eq!(centres(&run), 3, "{run}");
        assert!(run["decisions"].to_string().contains("k = 3 was chosen on the released cells"), "{run}");
    }
    for method in ["grid", "fixed-tree", "refined-tree"] {
        place.run(&fit(&["-k", "auto:4", "-m", method])).ok();
    }
    place.run(&fit(&["-k", "auto", "--ledger", "shoal.ledger", "--synopsis", "s.parquet", "--out", "m.json"])).ok();
    let ledger = place.run(&["ledger", "show", "--format", "json"]).ok().json();
    assert_eq!(ledger[0]["epsilon"]["left"], 1.0, "exactly what was asked for");
    assert_eq!(ledger[0]["entries"][0]["purpose"], "up to 20 clusters, to be chosen, by auto");

    // The cells can be asked again, free of charge; what was chosen before is not printed for another clustering.
    let again = place.run(&["cluster", "s.parquet", "-k", "auto:6", "--seed", "1", "--format", "json"]).ok().json();
    assert_eq!((centres(&again), &again["spent"]["epsilon"]), (3, &0.0.into()));
    assert!(again["decisions"].to_string().contains("k = 3 was chosen on the released cells"), "{again}");
    let other = place.run(&["cluster", "s.parquet", "-k", "5", "--format", "json"]).ok().json();
    assert_eq!(centres(&other), 5);
    assert!(!other["decisions"].to_string().contains("was chosen"), "{other}");
}

#[test]
fn cells_of_a_paper_choose_a_number_too() {
    let place = place();
    place.run(&fit(&["-k", "2", "-m", "eugkm", "--synopsis", "s.parquet", "--seed", "1"])).ok();
    let run = place.run(&["cluster", "s.parquet", "-k", "auto", "--seed", "1"]).ok();
    assert!(
        run.out().starts_with("3 clusters of s.parquet") && run.out().contains("k = 3 was chosen"),
        "{}",
        run.out()
    );
}

#[test]
fn methods_that_cannot_choose_a_number_say_which_can() {
    let place = place();
    place.run(&["ledger", "init", "d.csv", "--epsilon", "2"]).ok();
    for method in ["dplloyd", "eugkm", "mean", "directions"] {
        let args = fit(&["-k", "auto", "-m", method, "--ledger", "shoal.ledger"]);
        place.run(&args).fails(2, &[method, "give a number", "auto, refined-tree, looks, fixed-tree, grid"]);
    }
    for k in ["auto:1", "auto:x", "auto:", "auto:1000", "automatic"] {
        place.run(&fit(&["-k", k, "--ledger", "shoal.ledger"])).fails(2, &["auto"]);
    }
    assert_eq!(place.run(&["ledger", "show", "--format", "json"]).ok().json()[0]["epsilon"]["left"], 2.0);
}

#[test]
fn the_quality_is_told_in_the_model_the_text_and_the_page() {
    let place = place();
    let run = place.run(&fit(&["-k", "3", "--rows", "6000", "--seed", "4", "--out", "m.json", "--report", "r.html"]));
    let run = run.ok();
    assert!(
        run.out().contains("Fit: mean squared distance (NICV)") && run.out().contains("95\u{a0}% interval"),
        "{}",
        run.out()
    );
    let found = model(&place, "m.json");
    let estimate = &found["nicv_estimate"];
    assert_eq!((&estimate["confidence"], &estimate["unit"]), (&0.95.into(), &"box".into()));
    let number = |key: &str| estimate[key].as_f64().unwrap();
    assert!(number("low") <= number("estimate") && number("estimate") <= number("high") && number("capped_at") > 0.0);
    let true_one = place.run(&["score", "d.csv", "--model", "m.json", "--format", "json"]).ok().json();
    let nicv = true_one["nicv"].as_f64().unwrap();
    assert!(number("low") <= nicv && nicv <= number("high"), "{estimate} holds not {nicv}");
    assert!(place.read("r.html").contains("mean squared distance (NICV)"));

    // A model that contradicts itself is refused, and one without an estimate is as good as before.
    let mut wrong = found.clone();
    wrong["nicv_estimate"]["low"] = 9.0.into();
    place.write("wrong.json", wrong.to_string());
    place.run(&["predict", "wrong.json", "d.csv"]).fails(1, &["contradicts itself"]);
    let mut old = found;
    old.as_object_mut().unwrap().remove("nicv_estimate");
    place.write("old.json", old.to_string());
    place.run(&["predict", "old.json", "d.csv"]).ok();
}

#[test]
fn a_score_share_of_zero_buys_none_and_nonsense_is_refused() {
    let place = place();
    let run = place.run(&fit(&["-k", "3", "--rows", "6000", "--score-share", "0", "--out", "m.json"])).ok();
    assert!(
        !run.out().contains("Fit: mean squared") && model(&place, "m.json")["nicv_estimate"].is_null(),
        "{}",
        run.out()
    );
    assert_eq!(model(&place, "m.json")["spent"]["epsilon"], 1.0, "the clusters get all of it");
    place.run(&fit(&["-k", "3", "--rows", "6000", "--score-share", "0.9999"])).ok();
    place.run(&["ledger", "init", "d.csv", "--epsilon", "2"]).ok();
    let with = |more: &[&'static str]| place.run(&fit(&[&["-k", "3", "--ledger", "shoal.ledger"], more].concat()));
    with(&["--score-share", "1"]).fails(2, &["--score-share", "below 1"]);
    with(&["--score-share", "-1"]).fails(2, &["above 0", "or 0 for none"]);
    with(&["--score-share", "1/50", "-m", "eugkm"]).fails(2, &["--score-share", "auto"]);
    assert_eq!(place.run(&["ledger", "show", "--format", "json"]).ok().json()[0]["epsilon"]["left"], 2.0);
}

#[test]
fn fewer_clusters_than_asked_for_are_told_and_can_be_used() {
    let place = place();
    let few = ["fit", "d.csv", "-k", "4", "-b", "0,1", "-e", "0.000001", "--rows", "50"];
    let run = place.run(&[&few[..], &["--out", "m.json", "--report", "r.html"]].concat()).ok();
    let shown = run.out();
    assert!(shown.starts_with("1 cluster of d.csv") && shown.contains("1 centre instead of 4"), "{shown}");
    assert!(place.run(&[&few[..], &["-q"]].concat()).ok().out().contains("WARNING: Fewer clusters than asked for."));
    let found = model(&place, "m.json");
    assert_eq!((centres(&found), &found["k_asked"]), (1, &4.into()));
    assert!(place.read("r.html").contains("Fewer clusters than asked for"));
    assert_eq!(place.run(&["predict", "m.json", "d.csv"]).ok().out().lines().count(), 6001);
    place.run(&["score", "d.csv", "--model", "m.json"]).ok();
    place.run(&["demo", "--epsilon", "0.000001"]).ok();
    for seed in ["1", "2", "3"] {
        let args = ["fit", "d.csv", "-k", "40", "-b", "0,1", "-e", "0.001", "--rows", "100", "-m", "directions"];
        place.run(&[&args[..], &["--seed", seed, "--out", "n.json", "--report", "n.html"]].concat()).ok();
        place.run(&["predict", "n.json", "d.csv"]).ok();
    }
}

#[test]
fn cells_that_are_asked_for_are_there_whatever_the_budget() {
    let place = place();
    // Left alone, auto would take one mean, which has no cells; with --synopsis it takes a route that has.
    for rows in [&["--rows", "50"][..], &[]] {
        let args = ["fit", "d.csv", "-k", "3", "-b", "0,1", "-e", "0.000001", "--synopsis", "s.parquet"];
        let run = place.run(&[&args[..], rows].concat()).ok();
        assert!(run.err().contains("written: s.parquet"), "{}", run.err());
        assert!(!run.out().contains("route mean") && !run.out().contains("(mean "), "{}", run.out());
        place.run(&["cluster", "s.parquet", "-k", "2"]).ok();
        std::fs::remove_file(place.path("s.parquet")).unwrap();
    }
    for method in ["mean", "directions"] {
        let args = fit(&["-k", "3", "-m", method, "--synopsis", "s.parquet"]);
        place.run(&args).fails(2, &["makes no cells", "auto, refined-tree, looks, fixed-tree, grid"]);
    }
    assert!(!place.files().contains(&"s.parquet".into()));
}

#[test]
fn a_row_count_that_is_noise_is_said_to_be() {
    let place = place();
    let run = place.run(&["fit", "d.csv", "-k", "3", "-b", "0,1", "-e", "0.0001", "--seed", "1"]).ok();
    assert!(run.out().contains("mostly noise") && run.out().contains("(--rows)"), "{}", run.out());
}
