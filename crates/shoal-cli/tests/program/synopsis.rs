//! Cells that are released once and clustered many times, as an analyst does it.

use crate::common::{IRIS_BOUNDS, Place, iris};
use serde_json::Value;

/// Two groups of rows in the unit square.
fn place() -> Place {
    let place = Place::new();
    let mut table = String::from("x,y\n");
    for i in 0..2000 {
        let (shift, wobble) = (0.6 * f64::from(i % 2), f64::from(i % 37) / 370.0);
        table.push_str(&format!("{},{}\n", 0.1 + shift + wobble, 0.8 - shift + wobble / 2.0));
    }
    place.write("d.csv", table);
    place
}

const FIT: [&str; 12] =
    ["fit", "d.csv", "-k", "2", "-e", "1", "-b", "0,1", "--synopsis", "s.parquet", "--method", "eugkm"];

fn fit<'a>(more: &[&'a str]) -> Vec<&'a str> {
    FIT.into_iter().chain(more.iter().copied()).collect()
}

fn model(place: &Place, name: &str) -> Value {
    serde_json::from_str(&place.read(name)).unwrap()
}

#[test]
fn one_release_many_clusterings() {
    let place = place();
    place.run(&["ledger", "init", "d.csv", "--epsilon", "2"]).ok();
    let fitted = place.run(&fit(&["--out", "m.json", "--ledger", "shoal.ledger"])).ok();
    assert!(fitted.err().contains("written: s.parquet"), "{}", fitted.err());
    let ledger = place.run(&["ledger", "show", "--format", "json"]).ok().out();
    let fitted = model(&place, "m.json");

    for k in ["2", "1", "8", "5"] {
        let run = place.run(&["cluster", "s.parquet", "-k", k, "--out", "c.json", "--report", "r.html"]).ok();
        let found = model(&place, "c.json");
        for same in ["guarantee", "published", "columns", "bounds", "decisions", "seeded", "kind"] {
            assert_eq!(found[same], fitted[same], "{same}");
        }
        assert_eq!(found["centers"].as_array().unwrap().len().to_string(), k);
        assert_eq!((&found["spent"]["epsilon"], &found["paid_before"]["epsilon"]), (&0.0.into(), &1.0.into()));
        assert_eq!(found["method"], "eugkm/synopsis");
        assert!(run.out().contains("Spent: nothing; the synopsis was paid for with ε = 1."), "{}", run.out());
        assert!(run.out().contains(" of s.parquet by 2 columns"), "{}", run.out());
        let page = place.read("r.html");
        assert!(page.contains("nothing; the synopsis was paid for with ε = 1") && page.contains("cells that eugkm"));
        let labels = place.run(&["predict", "c.json", "d.csv"]).ok().out();
        assert_eq!(labels.lines().count(), 2001);
        place.run(&["score", "d.csv", "--model", "c.json"]).ok();
    }
    assert_eq!(place.run(&["ledger", "show", "--format", "json"]).ok().out(), ledger, "clustering is free");

    // Both groups are found again, close to where they are.
    let found = place.run(&["cluster", "s.parquet", "-k", "2", "--format", "json"]).ok().json();
    let mut xs: Vec<f64> = found["centers"].as_array().unwrap().iter().map(|c| c[0].as_f64().unwrap()).collect();
    xs.sort_by(f64::total_cmp);
    assert!((xs[0] - 0.15).abs() < 0.1 && (xs[1] - 0.75).abs() < 0.1, "{xs:?}");
}

#[test]
fn the_promise_of_the_cells_has_the_conditions_of_the_run() {
    let place = place();
    let guarantee = |more: &[&str]| {
        place.run(&fit(&[&["--out", "m.json"], more].concat())).ok();
        let found = place.run(&["cluster", "s.parquet", "-k", "3", "--format", "json"]).ok().json();
        assert_eq!(found["guarantee"], model(&place, "m.json")["guarantee"]);
        found
    };
    let plain = guarantee(&[]);
    assert!(plain["guarantee"]["assumes"].as_array().unwrap().contains(&"rows-complete".into()));
    let dropped = guarantee(&["--missing", "drop"]);
    assert!(!dropped["guarantee"]["assumes"].as_array().unwrap().contains(&"rows-complete".into()));
    let public = guarantee(&["--rows-public"]);
    assert_eq!(public["guarantee"]["neighbours"], "replace-one");
    assert_eq!((&public["guarantee"]["loss"]["pure"], &public["paid_before"]["epsilon"]), (&2.0.into(), &1.0.into()));
}

#[test]
fn the_cells_of_hybrid_cost_their_share() {
    let place = place();
    let args: Vec<&str> = fit(&["--rows", "2000", "--out", "m.json"]);
    let args: Vec<&str> = args.into_iter().map(|arg| if arg == "eugkm" { "hybrid" } else { arg }).collect();
    place.run(&args).ok();
    let found = place.run(&["cluster", "s.parquet", "-k", "2", "--format", "json"]).ok().json();
    let decided = found["decisions"].to_string();
    let expected = if decided.contains("grid-and-step") { 0.5 } else { 1.0 };
    assert_eq!(found["paid_before"]["epsilon"], expected);
    assert_eq!(found["guarantee"]["loss"]["pure"], expected);
    assert_eq!(found["method"], "hybrid/synopsis");
}

#[test]
fn seeded_cells_stay_void_and_a_seed_for_the_starts_voids_nothing() {
    let place = place();
    place.run(&fit(&["--seed", "4"])).ok();
    let run = place.run(&["cluster", "s.parquet", "-k", "2", "--out", "m.json", "--report", "r.html"]).ok();
    assert!(run.out().contains("NO PRIVACY") && !run.out().contains("Spent"), "{}", run.out());
    let found = model(&place, "m.json");
    assert_eq!((&found["seeded"], &found["guarantee"]["none"]), (&true.into(), &"seeded".into()));
    assert_eq!(found["spent"], Value::Null);
    assert!(place.read("r.html").contains("fit again without <code>--seed</code>"));

    place.run(&fit(&[])).ok();
    let seeded = || place.run(&["cluster", "s.parquet", "-k", "4", "--seed", "9", "--format", "json"]).ok();
    let (once, again) = (seeded(), seeded());
    assert_eq!(once.out(), again.out());
    assert_eq!(once.json()["seeded"], false);
    assert_eq!(once.json()["guarantee"]["loss"]["pure"], 1.0);
    assert!(!once.err().contains("NO PRIVACY"), "{}", once.err());
}

#[test]
fn more_clusters_than_cells_and_clusters_of_noise_are_told() {
    let place = place();
    place.run(&fit(&["--rows", "30"])).ok();
    let run = place.run(&["cluster", "s.parquet", "-k", "40"]).ok();
    assert!(run.out().contains("fewer cells") && run.out().contains("mostly noise"), "{}", run.out());
    place.run(&["cluster", "s.parquet", "-k", "0"]).fails(2, &["give 1 or more"]);
    place.run(&["cluster", "s.parquet", "-k", "20000"]).fails(2, &["at most 10000"]);
}

#[test]
fn other_files_are_refused_with_what_is_expected() {
    let place = place();
    place.run(&fit(&[])).ok();
    let good = std::fs::read(place.path("s.parquet")).unwrap();
    place.write("cut.parquet", &good[..good.len() / 2]);
    place.write("empty.parquet", "");
    place
        .run(&["cluster", "d.csv", "-k", "2"])
        .fails(1, &["d.csv holds neither reports nor noisy cells", "--synopsis"]);
    place.run(&["cluster", "empty.parquet", "-k", "2"]).fails(1, &["neither reports nor noisy cells", "--synopsis"]);
    place.run(&["cluster", "cut.parquet", "-k", "2"]).fails(1, &["cut short"]);
    place.run(&["cluster", "none.parquet", "-k", "2"]).fails(1, &["cannot read none.parquet", "Check the path"]);
    place.run(&["cluster", ".", "-k", "2"]).fails(1, &["folder"]);
    place.run_with_input(&["cluster", "-", "-k", "2"], &good).ok();
    place.run(&["cluster", "s.parquet", "-k", "2", "--out", "s.parquet"]).fails(1, &["would replace"]);
    place.run(&["cluster", "s.parquet", "-k", "2", "--out", "a", "--report", "./a"]).fails(2, &["same file"]);
    assert_eq!(std::fs::read(place.path("s.parquet")).unwrap(), good);
}

#[test]
fn a_damaged_file_never_stops_the_program() {
    let place = place();
    place.run(&fit(&["--rows", "100"])).ok();
    let good = std::fs::read(place.path("s.parquet")).unwrap();
    let cluster = ["cluster", "m.parquet", "-k", "2", "--inits", "1", "--seed", "1", "--format", "json"];
    place.write("m.parquet", &good);
    let same = place.run(&cluster).ok().out();
    let mut random = 2_463_534_242u32;
    for _ in 0..300 {
        random ^= random << 13;
        random ^= random >> 17;
        random ^= random << 5;
        let mut mutated = good.clone();
        let at = random as usize % mutated.len();
        mutated[at] ^= 1 + (random >> 24) as u8 % 255;
        place.write("m.parquet", mutated);
        let run = place.run(&cluster);
        match run.code() {
            // Boxes are not read, and neither are statistics.
            0 => assert_eq!(run.out(), same, "byte {at}"),
            _ => drop(run.fails(1, &["m.parquet"])),
        }
    }
}

#[test]
fn places_are_checked_before_anything_is_spent() {
    let place = place();
    place.run(&["ledger", "init", "d.csv", "--epsilon", "2"]).ok();
    let ledger = ["--ledger", "shoal.ledger"];
    place.run(&fit(&[&ledger[..], &["--out", "s.parquet"]].concat())).fails(2, &["--out and --synopsis", "same file"]);
    place.run(&fit(&[&ledger[..], &["--report", "./s.parquet"]].concat())).fails(2, &["--report and --synopsis"]);
    let elsewhere = |path: &'static str| -> Vec<&str> {
        let args = fit(&ledger);
        args.into_iter().map(|arg| if arg == "s.parquet" { path } else { arg }).collect()
    };
    place.run(&elsewhere("no/such/folder/s.parquet")).fails(1, &["no folder", "choose another place"]);
    place.run(&elsewhere("d.csv")).fails(1, &["would replace"]);
    place.run(&elsewhere("shoal.ledger")).fails(1, &["would replace"]);
    let args: Vec<&str> = fit(&ledger).into_iter().map(|arg| if arg == "eugkm" { "dplloyd" } else { arg }).collect();
    place.run(&args).fails(2, &["--synopsis", "eugkm, hybrid"]);
    let shown = place.run(&["ledger", "show", "--format", "json"]).ok().json();
    assert_eq!(shown[0]["epsilon"]["left"], 2.0);
    assert!(!place.files().contains(&"s.parquet".into()));
}

#[test]
fn the_cells_are_an_ordinary_table() {
    let place = Place::new();
    let data = iris().to_str().unwrap().to_string();
    let args = ["fit", &data, "-k", "3", "-e", "2", "-b", IRIS_BOUNDS, "--method", "eugkm", "--synopsis", "s.parquet"];
    place.run(&args).ok();
    // The ordinary reader reads them ...
    let label = ["predict", "m.json", "s.parquet"];
    let bounds = "petal_width_low=0:3,petal_width_high=0:3,count=-100:100";
    place.write("t.csv", "petal_width_low,petal_width_high,count\n0,1,5\n1,2,-5\n2,3,50\n");
    place.run(&["fit", "t.csv", "-k", "2", "-e", "1", "-b", bounds, "--out", "m.json"]).ok();
    place.run(&label).ok();
    // ... but nobody shall spend a budget on what is released already.
    let fit = ["fit", "s.parquet", "-k", "2", "-e", "1", "-b", bounds];
    place.run(&fit).fails(1, &["released cells", "shoal cluster s.parquet -k 2"]);
}
