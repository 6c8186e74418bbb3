//! What to expect before anything is spent.

use crate::common::Place;

const PLAN: [&str; 9] = ["plan", "--rows", "50000", "--dims", "6", "-k", "5", "--epsilon", "1"];

#[test]
fn every_method_is_ranked_and_the_choice_of_auto_is_marked() {
    let place = Place::new();
    let text = place.run(&PLAN).ok().out();
    let methods = place.run(&["methods", "--format", "json"]).ok().json();
    for method in methods.as_array().unwrap().iter().filter(|method| method["trust"] == "curator") {
        assert!(text.contains(&format!("  {} ", method["name"].as_str().unwrap())), "{method}: {text}");
    }
    let marked: Vec<&str> = text.lines().filter(|line| line.starts_with("  → ")).collect();
    assert!(marked.len() == 1 && marked[0].contains("refined-tree"), "{text}");
    assert!(text.contains("auto takes the route refined-tree: for about 50000 rows, 6 columns and k = 5"), "{text}");
    assert!(text.contains("% for means and variances") && text.contains("% for the tree"), "{text}");
    assert!(text.contains("Nothing is read and nothing is spent") && !text.contains("WARNING"), "{text}");
    assert!(place.files().is_empty());
}

#[test]
fn programs_get_numbers_the_best_first() {
    let place = Place::new();
    let plan = place.run(&[&PLAN[..], &["--delta", "1e-6", "--format", "json"]].concat()).ok().json();
    let predictions = plan["predictions"].as_array().unwrap();
    let nicvs: Vec<f64> = predictions.iter().map(|found| found["nicv"].as_f64().unwrap()).collect();
    assert!(nicvs.is_sorted() && nicvs.iter().all(|nicv| *nicv > 0.0 && *nicv <= 4.0 + 1e-9), "{nicvs:?}");
    let of = |name: &str| predictions.iter().find(|found| found["method"] == name).unwrap()["nicv"].as_f64().unwrap();
    let route = plan["auto"]["route"].as_str().unwrap();
    assert_eq!(of("auto"), of(route));
    assert!(plan["auto"]["why"].as_str().unwrap().contains(route));
    assert_eq!((&plan["rows"], &plan["dims"], &plan["k"]), (&50_000.into(), &6.into(), &5.into()));
    assert_eq!((&plan["epsilon"], &plan["delta"]), (&1.0.into(), &1e-6.into()));
}

#[test]
fn budgets_that_are_too_small_are_warned_of() {
    let place = Place::new();
    let small = |epsilon: &str| {
        place.run(&["plan", "--rows", "180", "--dims", "13", "-k", "3", "--epsilon", epsilon]).ok().out()
    };
    let (hopeless, rough) = (small("0.1"), small("1"));
    assert!(hopeless.contains("WARNING") && hopeless.contains("one centre will come back"), "{hopeless}");
    assert!(hopeless.contains("100 % for the mean"), "{hopeless}");
    assert!(rough.contains("WARNING") && rough.contains("fewer centres may come back"), "{rough}");
    assert!(rough.contains("20 % for the mean, 80 % for one round around it"), "{rough}");
    let grid = place.run(&["plan", "--rows", "5000", "--dims", "2", "-k", "15", "-e", "0.1"]).ok().out();
    assert!(grid.contains("→  grid") && grid.contains("100 % for the counts of the cells"), "{grid}");
    for (rows, dims, k, epsilon) in [("1", "1", "1", "1e-6"), ("18446744073709551615", "1000", "10000", "1000000")] {
        place.run(&["plan", "--rows", rows, "--dims", dims, "-k", k, "-e", epsilon]).ok();
    }
}

#[test]
fn numbers_that_make_no_sense_are_refused() {
    let place = Place::new();
    let with = |rows: &str, dims: &str, k: &str, epsilon: &str, delta: &str| {
        place.run(&["plan", "--rows", rows, "--dims", dims, "-k", k, "-e", epsilon, "-d", delta])
    };
    with("0", "2", "3", "1", "0").fails(2, &["whole number of rows"]);
    with("100", "0", "3", "1", "0").fails(2, &["columns from 1 to 1000"]);
    with("100", "1001", "3", "1", "0").fails(2, &["columns from 1 to 1000"]);
    with("100", "2", "0", "1", "0").fails(2, &["give 1 or more"]);
    with("100", "2", "auto", "1", "0").fails(2, &["whole number of clusters"]);
    with("100", "2", "3", "0", "0").fails(2, &["above 0"]);
    with("100", "2", "3", "1", "0.5").fails(2, &["--delta is 0.5"]);
    place.run(&["plan", "--rows", "100"]).fails(2, &["--dims"]);
}
