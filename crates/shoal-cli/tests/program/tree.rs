//! A tree of boxes that is released once and clustered many times.

use crate::common::Place;
use serde_json::Value;

/// Two groups of rows in the unit cube.
fn place() -> Place {
    let place = Place::new();
    let mut table = String::from("x,y,z\n");
    for i in 0..2000 {
        let (shift, wobble) = (0.6 * f64::from(i % 2), f64::from(i % 37) / 370.0);
        table.push_str(&format!("{},{},{}\n", 0.1 + shift + wobble, 0.8 - shift + wobble / 2.0, 0.1 + wobble));
    }
    place.write("d.csv", table);
    place
}

const FIT: [&str; 12] =
    ["fit", "d.csv", "-k", "2", "-e", "1", "-b", "0,1", "--synopsis", "s.parquet", "--method", "tree"];

fn fit<'a>(more: &[&'a str]) -> Vec<&'a str> {
    FIT.into_iter().chain(more.iter().copied()).collect()
}

#[test]
fn one_release_many_clusterings() {
    let place = place();
    place.run(&["ledger", "init", "d.csv", "--epsilon", "2"]).ok();
    place.run(&fit(&["--out", "m.json", "--report", "f.html", "--ledger", "shoal.ledger"])).ok();
    let ledger = place.run(&["ledger", "show", "--format", "json"]).ok();
    assert_eq!(ledger.json()[0]["epsilon"]["left"], 1.0, "exactly what was asked for");
    let fitted: Value = serde_json::from_str(&place.read("m.json")).unwrap();
    assert_eq!((&fitted["method"], &fitted["guarantee"]["loss"]["pure"]), (&"tree".into(), &1.0.into()));
    assert!(fitted["decisions"].to_string().contains("Tree: "), "{}", fitted["decisions"]);
    for k in ["2", "1", "5"] {
        let run = place.run(&["cluster", "s.parquet", "-k", k, "--out", "c.json", "--report", "r.html"]).ok();
        let found: Value = serde_json::from_str(&place.read("c.json")).unwrap();
        for same in ["guarantee", "published", "columns", "bounds", "decisions", "seeded", "kind"] {
            assert_eq!(found[same], fitted[same], "{same}");
        }
        assert_eq!(found["centers"].as_array().unwrap().len().to_string(), k);
        assert_eq!(found["method"], "tree/synopsis");
        assert!(run.out().contains("Spent: nothing; the synopsis was paid for with ε = 1."), "{}", run.out());
        assert_eq!(place.run(&["predict", "c.json", "d.csv"]).ok().out().lines().count(), 2001);
    }
    let found = place.run(&["cluster", "s.parquet", "-k", "2", "--format", "json"]).ok().json();
    let mut xs: Vec<f64> = found["centers"].as_array().unwrap().iter().map(|c| c[0].as_f64().unwrap()).collect();
    xs.sort_by(f64::total_cmp);
    assert!((xs[0] - 0.15).abs() < 0.1 && (xs[1] - 0.75).abs() < 0.1, "{xs:?}");
}

#[test]
fn seeded_trees_stay_void_and_damage_is_refused() {
    let place = place();
    place.run(&fit(&["--seed", "4"])).ok();
    let run = place.run(&["cluster", "s.parquet", "-k", "2"]).ok();
    assert!(run.out().contains("NO PRIVACY") && !run.out().contains("Spent"), "{}", run.out());
    let good = std::fs::read(place.path("s.parquet")).unwrap();
    for part in [2, 3, 5, 50] {
        place.write("cut.parquet", &good[..good.len() - good.len() / part]);
        place.run(&["cluster", "cut.parquet", "-k", "2"]).fails(1, &["cut.parquet"]);
    }
    place.run_with_input(&["cluster", "-", "-k", "2"], &good).ok();
    let again = ["fit", "s.parquet", "-k", "2", "-e", "1", "-b", "x_low=0:1,x_high=0:1"];
    place.run(&again).fails(1, &["released cells", "shoal cluster s.parquet"]);
}

#[test]
fn knobs_are_checked_before_anything_is_spent() {
    let place = place();
    place.run(&["ledger", "init", "d.csv", "--epsilon", "2"]).ok();
    let ledger = |more: &[&'static str]| -> Vec<&str> { fit(&[&["--ledger", "shoal.ledger"], more].concat()) };
    place.run(&ledger(&["--structure-share", "1"])).fails(2, &["--structure-share", "below 1"]);
    place.run(&ledger(&["--structure-share", "x"])).fails(2, &["above 0"]);
    place.run(&ledger(&["--theta", "3"])).fails(2, &["--theta", "tree"]);
    let other: Vec<&str> = ledger(&["--structure-share", "0.5"])
        .into_iter()
        .map(|arg| if arg == "tree" { "eugkm" } else { arg })
        .collect();
    place.run(&other).fails(2, &["--structure-share", "tree"]);
    assert_eq!(place.run(&["ledger", "show", "--format", "json"]).ok().json()[0]["epsilon"]["left"], 2.0);
    place.run(&ledger(&["--structure-share", "0.7", "--inits", "3", "--iterations", "10"])).ok();
}
