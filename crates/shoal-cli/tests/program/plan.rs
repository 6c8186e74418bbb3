//! What to expect before anything is spent.

use crate::common::Place;

const PLAN: [&str; 9] = ["plan", "--rows", "50000", "--dims", "6", "-k", "5", "--epsilon", "1"];

#[test]
fn the_analyst_gets_the_error_in_her_units_and_one_recommendation() {
    let place = Place::new();
    let bounds = "age=0:110,visits=0:50,income=0:200000";
    let plan = |epsilon: &str| {
        place.run(&["plan", "--rows", "30000", "-k", "4", "-e", epsilon, "--bounds", bounds]).ok().out()
    };
    let text = plan("1");
    for words in [
        "Expected error for 4 clusters and 3 columns, about 30,000 rows, ε = 1.",
        "Nothing is read and nothing is spent",
        "all 4 can be found",
        "age ± ",
        "of about 7,500 rows in an average cluster",
        "--spread",
        "--overlap",
        "--smallest",
        "Recommended: the default method auto",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert!(!text.contains("dplloyd") && !text.contains("NICV") && !text.contains("WARNING"), "{text}");
    let little = plan("0.0005");
    assert!(little.contains("too noisy to find 4 clusters: expect about ") && little.contains("WARNING"), "{little}");
    assert!(place.files().is_empty());
}

#[test]
fn every_method_is_ranked_on_request_and_the_choice_of_auto_is_marked() {
    let place = Place::new();
    let text = place.run(&[&PLAN[..], &["--all-methods"]].concat()).ok().out();
    let methods = place.run(&["methods", "--format", "json"]).ok().json();
    for method in methods.as_array().unwrap().iter().filter(|method| method["trust"] == "curator") {
        assert!(text.contains(&format!("  {} ", method["name"].as_str().unwrap())), "{method}: {text}");
    }
    let marked: Vec<&str> = text.lines().filter(|line| line.starts_with("  → ")).collect();
    assert!(marked.len() == 1 && marked[0].contains("refined-tree"), "{text}");
    assert!(text.contains("auto takes the route refined-tree: for about 50000 rows, 6 columns and k = 5"), "{text}");
    assert!(text.contains("% for means and variances") && text.contains("% for the tree"), "{text}");
}

#[test]
fn targets_are_answered_by_rows_or_by_epsilon_or_by_a_table() {
    let place = Place::new();
    let base = ["plan", "-k", "4", "--bounds", "age=0:110,visits=0:50", "--target"];
    let with = |target: &str, more: &[&str]| place.run(&[&base[..], &[target], more].concat());
    let text = with("age=1", &["--rows", "30000"]).ok().out();
    assert!(text.contains("For age ± 1, 4 clusters in 2 columns of about 30,000 rows need ε = "), "{text}");
    assert!(text.contains('✓') && text.contains("clusters found"), "{text}");
    let found = with("age=1", &["--rows", "30000", "--format", "json"]).ok().json();
    let epsilon = found["epsilon_needed"]["value"].as_f64().unwrap();
    assert_eq!(found["epsilon_needed"]["answer"], "at-least");
    // The answer is enough, and a tenth less is not.
    let error = |epsilon: f64| {
        let epsilon = epsilon.to_string();
        let args = ["plan", "-k", "4", "--bounds", "age=0:110,visits=0:50", "--rows", "30000", "-e", &epsilon];
        let plan = place.run(&[&args[..], &["--format", "json"]].concat()).ok().json();
        (plan["columns"][0]["plus_minus"].as_f64().unwrap(), plan["expected"]["verdict"] == "all")
    };
    let (enough, less) = (error(epsilon), error(0.9 * epsilon));
    assert!(enough.0 <= 1.0 && enough.1 && !(less.0 <= 1.0 && less.1), "{epsilon}: {enough:?}, {less:?}");
    let rows = with("age=1", &["--epsilon", "0.5", "--format", "json"]).ok().json();
    let needed = rows["rows_needed"][0]["rows"]["value"].as_u64().unwrap();
    assert!((100..1_000_000).contains(&needed), "{rows}");
    // Twice the budget needs about half of the rows.
    let half = with("age=1", &["--epsilon", "1", "--format", "json"]).ok().json();
    let half = half["rows_needed"][0]["rows"]["value"].as_u64().unwrap();
    assert!(half < needed && needed < 4 * half, "{needed} {half}");
    let text = with("age=1,visits=2,size=10%", &["--epsilon", "0.5"]).ok().out();
    assert!(
        text.contains(
            "For age ± 1 and visits ± 2 and sizes ± 10 % of the average, 4 clusters in 2 columns need about "
        ),
        "{text}"
    );
    let text = place.run(&["plan", "--dims", "6", "-k", "5", "--target", "2%"]).ok().out();
    assert!(
        text.contains("ε = 0.1  ") && text.contains("1,000,000") && text.contains("centres ± 2 % of the range"),
        "{text}"
    );
}

#[test]
fn targets_that_make_no_sense_are_refused_with_the_fix() {
    let place = Place::new();
    let with = |target: &str| {
        place.run(&["plan", "--rows", "100", "-k", "3", "--bounds", "age=0:110,visits=0:50", "--target", target])
    };
    with("age").fails(2, &["write age=1"]);
    with("age=x").fails(2, &["not a number"]);
    with("age=0").fails(2, &["above 0"]);
    with("age=-1").fails(2, &["above 0"]);
    with("age=60").fails(2, &["any guess meets that"]);
    with("weight=1").fails(2, &["none of weight", "weight=LO:HI"]);
    with("70%").fails(2, &["smaller share"]);
    place.run(&["plan", "--dims", "2", "-k", "3", "-e", "1", "--target", "size=100"]).fails(2, &["size=5%"]);
    place.run(&["plan", "--dims", "2", "-k", "3", "--target", "age=1"]).fails(2, &["--bounds age=LO:HI"]);
    place
        .run(&["plan", "--dims", "1", "-k", "3", "--bounds", "a=0:1,b=0:1", "--target", "a=0.1"])
        .fails(2, &["--dims is 1"]);
    place.run(&["plan", "-k", "3", "--bounds", "0,1", "--target", "5%"]).fails(2, &["add --dims"]);
    // Out of reach: a statement, not an error.
    let never = with("age=0.001").ok().out();
    assert!(never.contains("with any ε up to 10: use more rows"), "{never}");
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
    for epsilon in ["0.1", "1"] {
        let text = place.run(&["plan", "--rows", "180", "--dims", "13", "-k", "3", "--epsilon", epsilon]).ok().out();
        assert!(text.contains("too noisy to find 3 clusters: expect about 1") && text.contains("WARNING"), "{text}");
        assert!(text.contains("--target finds how much"), "{text}");
    }
    for (rows, dims, k, epsilon) in [("1", "1", "1", "1e-6"), ("18446744073709551615", "1000", "10000", "1000000")] {
        place.run(&["plan", "--rows", rows, "--dims", dims, "-k", k, "-e", epsilon]).ok();
    }
}

#[test]
fn a_number_of_clusters_that_is_chosen_later_is_planned_for() {
    let place = Place::new();
    let args = ["plan", "--rows", "50000", "--dims", "6", "-k", "auto", "--epsilon", "1"];
    let text = place.run(&args).ok().out();
    assert!(text.contains("about 8 clusters and 6 columns"), "{text}");
    assert!(text.contains("8 is the number that the budget is planned for"), "{text}");
    let json = place.run(&[&args[..], &["--format", "json"]].concat()).ok().json();
    assert_eq!((&json["k"], &json["k_asked"]), (&8.into(), &"auto".into()));
    let few = place.run(&[&args[..5], &["-k", "auto:3", "-e", "1", "--format", "json"]].concat()).ok().json();
    assert_eq!((&few["k"], &few["k_asked"]), (&3.into(), &"auto:3".into()));
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
    with("100", "2", "0", "1", "0").fails(2, &["1 or more"]);
    with("100", "2", "many", "1", "0").fails(2, &["whole number of clusters"]);
    with("100", "2", "3", "0", "0").fails(2, &["above 0"]);
    with("100", "2", "3", "1", "0.5").fails(2, &["--delta is 0.5"]);
    place.run(&["plan", "--rows", "100"]).fails(2, &["--dims"]);
    for (option, value, wanted) in [
        ("--spread", "0%", "--spread is 0%"),
        ("--spread", "40%", "at most 30 %"),
        ("--overlap", "120%", "from 0 % to 100 %"),
        ("--smallest", "0", "above 0 %"),
        ("--spread", "wide", "such as 5%"),
    ] {
        place.run(&[&PLAN[..], &[option, value]].concat()).fails(2, &[wanted]);
    }
}
