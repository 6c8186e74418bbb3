//! The ledger, used by real programs at the same time.

use crate::common::{IRIS_BOUNDS, Place, iris};

const FIT: [&str; 11] = ["fit", "d.csv", "-k", "1", "-b", "0,10", "--ledger", "shoal.ledger", "--format", "json", "-e"];

fn place(epsilon: &str) -> Place {
    let place = Place::new();
    place.write("d.csv", "a\n1\n2\n3\n");
    place.run(&["ledger", "init", "d.csv", "--epsilon", epsilon]).ok();
    place
}

fn fit<'a>(epsilon: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    FIT.into_iter().chain([epsilon]).chain(more.iter().copied()).collect()
}

#[test]
fn a_fit_debits_and_an_overspend_is_refused_with_what_would_fit() {
    let place = place("2");
    place.run(&fit("1.25", &[])).ok();
    let refused = place.run(&fit("1", &["--out", "m.json"]));
    let message = refused.fails(1, &["asked for ε = 1", "0.75", "left", "--epsilon 0.75 or less"]);
    assert_eq!(message.out(), "", "nothing was released");
    assert!(!place.files().contains(&"m.json".into()));
    place.run(&fit("0.75", &[])).ok();
    place.run(&fit("0.000001", &[])).fails(1, &["is spent"]);

    let shown = place.run(&["ledger", "show", "--format", "json"]).ok().json();
    assert_eq!(shown[0]["dataset"], "d");
    assert_eq!((&shown[0]["epsilon"]["spent"], &shown[0]["epsilon"]["left"]), (&2.0.into(), &0.0.into()));
    assert_eq!(shown[0]["entries"].as_array().unwrap().len(), 2);
    let text = place.run(&["ledger", "show"]).ok().out();
    assert!(text.contains("1 cluster by auto"), "{text}");
}

#[test]
fn what_is_left_is_rounded_down() {
    let place = place("1");
    place.run(&fit("2/3", &[])).ok();
    let shown = place.run(&["ledger", "show", "--format", "json"]).ok().json();
    let left = shown[0]["epsilon"]["left"].as_f64().unwrap();
    assert!(left < 0.333_333_333_333_333_4);
    place.run(&fit(&left.to_string(), &[])).ok();
}

#[test]
fn programs_that_run_at_once_cannot_overspend() {
    let place = place("1");
    let children: Vec<_> = (0..12)
        .map(|_| {
            let mut command = place.command(&fit("0.25", &[]));
            command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
            command.spawn().unwrap()
        })
        .collect();
    let outputs: Vec<_> = children.into_iter().map(|child| child.wait_with_output().unwrap()).collect();
    let done = outputs.iter().filter(|output| output.status.success()).count();
    let refused = outputs.iter().filter(|output| output.status.code() == Some(1)).count();
    assert_eq!((done, refused), (4, 8));
    assert!(outputs.iter().filter(|output| !output.status.success()).all(|output| output.stdout.is_empty()));
    let shown = place.run(&["ledger", "show", "d", "--format", "json"]).ok().json();
    assert_eq!(shown[0]["epsilon"]["left"], 0.0);
}

#[test]
fn the_ledger_must_know_the_data_set() {
    let place = place("1");
    place.write("e.csv", "a\n1\n");
    let args = ["fit", "e.csv", "-k", "1", "-e", "1", "-b", "0,10", "--ledger", "shoal.ledger"];
    place.run(&args).fails(1, &["“e”", "shoal ledger init"]);
    place
        .run(&["fit", "e.csv", "-k", "1", "-e", "1", "-b", "0,10", "--ledger", "none.ledger"])
        .fails(1, &["no ledger"]);
    place.run(&["fit", "e.csv", "-k", "1", "-e", "1", "-b", "0,10", "--ledger", "e.csv"]).fails(1, &["not a ledger"]);
    assert_eq!(place.read("e.csv"), "a\n1\n", "a foreign file is left alone");
    place
        .run_with_input(&["fit", "-", "-k", "1", "-e", "1", "-b", "0,10", "--ledger", "shoal.ledger"], b"a\n1\n")
        .fails(2, &["--dataset"]);
    place
        .run_with_input(
            &["fit", "-", "-k", "1", "-e", "0.5", "-b", "0,10", "--ledger", "shoal.ledger", "--dataset", "d"],
            b"a\n1\n",
        )
        .ok();
}

#[test]
fn a_data_set_is_entered_once_and_a_seed_pays_for_nothing() {
    let place = place("1");
    place.run(&["ledger", "init", "d", "--epsilon", "5"]).fails(1, &["already"]);
    place.run(&fit("0.5", &["--seed", "1"])).fails(2, &["--seed", "--ledger"]);
}

/// A name that cannot be written is found before the budget is touched, whatever is wrong with it.
#[test]
fn a_result_that_cannot_be_written_costs_nothing() {
    let place = Place::new();
    let data = iris().to_str().unwrap().to_string();
    place.run(&["ledger", "init", "iris", "--epsilon", "4"]).ok();
    let too_long = "n".repeat(300);
    for name in ["nowhere/", "nowhere/m.json", &too_long, "shoal.ledger/m.json"] {
        for option in ["--out", "--report", "--synopsis"] {
            let args = ["fit", &data, "-k", "3", "-e", "1", "-b", IRIS_BOUNDS, "--method", "eugkm", option, name];
            place.run(&[&args[..], &["--ledger", "shoal.ledger"]].concat()).fails(1, &["cannot write"]);
        }
    }
    // All of it is still there: one fit may spend everything.
    place.run(&["fit", &data, "-k", "3", "-e", "4", "-b", IRIS_BOUNDS, "--ledger", "shoal.ledger"]).ok();
}
