//! `shoal audit`: what it says of programs and of Shoal itself, and how it refuses.

use crate::common::Place;

/// A count with Laplace noise for ε in plain doubles, in a language that every system has.
const NOISY_COUNT: &str = r#"
BEGIN { srand(ENVIRON["SHOAL_AUDIT_SEED"] + 0); runs = ENVIRON["SHOAL_AUDIT_RUNS"] }
{ rows++ }
END {
    for (i = 0; i < runs; i++) {
        u = rand() - 0.5; sign = u < 0 ? -1 : 1
        left = 1 - 2 * sign * u
        if (left <= 0) left = 1e-9
        # Half units, as a program that rounds would print: no bits to betray it.
        printf "%d\n", 2 * (rows - sign * log(left) / epsilon)
    }
}
"#;

fn audit_count(place: &Place, epsilon: &str, more: &[&str]) -> crate::common::Run {
    place.write("count.awk", NOISY_COUNT);
    let command = format!("awk -v epsilon={epsilon} -f count.awk");
    let mut args = vec!["audit", "--command", &command, "--epsilon", "1", "--columns", "1", "--runs-per-call", "2000"];
    args.extend(more);
    place.run(&args)
}

#[test]
fn a_program_that_keeps_its_promise_passes_and_another_is_caught() {
    let place = Place::new();
    let honest = audit_count(&place, "1", &["--runs", "40000", "--seed", "1"]).ok().out();
    for words in ["Claim: ε = 1, add or remove one row", "NOT REFUTED", "cannot prove", "20 rows"] {
        assert!(honest.contains(words), "“{words}” is not in: {honest}");
    }
    let run =
        audit_count(&place, "2", &["--runs", "20000", "--seed", "1", "--out", "found.json", "--report", "page.html"]);
    let run = run.fails(1, &["loses more than it claims: ε = 1"]);
    assert!(run.out().contains("BROKEN: More is lost than claimed"), "{}", run.out());
    let found: serde_json::Value = serde_json::from_str(&place.read("found.json")).unwrap();
    let curve = &found["lines"][0]["measure"]["curve"];
    let lost = curve[0]["at_least"].as_f64().unwrap();
    assert!((1.6..2.0).contains(&lost), "{lost}");
    assert_eq!(found["seed"], 1);
    let page = place.read("page.html");
    assert!(page.contains("BROKEN") && page.contains("awk -v epsilon=2") && page.contains("class=\"lost\""));
}

#[test]
fn a_promise_with_a_delta_is_tested_at_that_delta() {
    let place = Place::new();
    // The tail of Laplace noise at ε = 1.2, beyond what (1, 0.1) allows: nothing.
    let run =
        audit_count(&place, "1.2", &["--runs", "20000", "--delta", "0.1", "--seed", "3", "--format", "json"]).ok();
    let curve = &run.json()["lines"][0]["measure"]["curve"];
    assert_eq!((curve.as_array().unwrap().len(), &curve[0]["delta"]), (2, &0.1.into()));
    audit_count(&place, "4", &["--runs", "20000", "--delta", "0.1", "--seed", "3"]).fails(1, &["(ε, δ) = (1, 0.1)"]);
}

#[test]
fn a_pair_of_the_user_s_own_is_audited() {
    let place = Place::new();
    place.write("with.csv", "1,2\n3,4\n");
    place.write("without.csv", "1,2\n");
    let args = [
        "audit",
        "--command",
        "wc -l",
        "--epsilon",
        "1",
        "--runs",
        "200",
        "--first",
        "with.csv",
        "--second",
        "without.csv",
    ];
    // A count without noise: the two are distinguished each time.
    let run = place.run(&args).fails(1, &["loses more than it claims"]);
    assert!(run.out().contains("with.csv and without.csv"), "{}", run.out());
    place.run(&args[..args.len() - 2]).fails(2, &["--second"]);
    place.write("other.csv", "5,6\n7,8\n");
    place.run(&[&args[..args.len() - 1], &["other.csv"]].concat()).fails(1, &["differ in 4 rows"]);
    place.run(&[&args[..args.len() - 1], &["with.csv"]].concat()).fails(1, &["are the same"]);
    place.run(&[&args[..args.len() - 1], &["nowhere.csv"]].concat()).fails(1, &["nowhere.csv"]);
}

#[test]
fn programs_that_misbehave_are_told_so() {
    let place = Place::new();
    let audit = |command: &str, more: &[&str]| {
        place.run(&[&["audit", "--command", command, "--epsilon", "1", "--runs", "100"], more].concat())
    };
    audit("echo 1; echo oh no >&2; exit 7", &[]).fails(1, &["exit code 7", "oh no"]);
    audit("echo centre 1", &[]).fails(1, &["`centre`", "not a number", "standard error"]);
    audit("no-such-program", &[]).fails(1, &["127", "(inputs: 20 rows"]);
    audit("true", &[]).fails(1, &["printed no numbers"]);
    let constant = audit("echo 5", &[]).ok().out();
    assert!(constant.contains("WARNING") && constant.contains("Does the program read its data?"), "{constant}");
    audit("seq 1 50", &["--runs-per-call", "50"]).fails(1, &["same numbers", "SHOAL_AUDIT_SEED"]);
    audit("seq 1 3", &["--runs-per-call", "50"]).fails(1, &["asked for 50 runs", "3 lines"]);
    assert!(place.files().is_empty(), "{:?}", place.files());
}

#[test]
fn command_lines_without_sense_are_refused() {
    let place = Place::new();
    for (args, words) in [
        (&["audit"][..], "MECHANISM"),
        (&["audit", "no-such-thing"], "shoal audit --list"),
        (&["audit", "dploid"], "perhaps dplloyd"),
        (&["audit", "dplloyd", "--epsilon", "1e6"], "from 0.01 to 30"),
        (&["audit", "laplace-in-doubles", "--runs", "100"], "leave --epsilon and --runs out"),
        (&["audit", "--command", "", "--epsilon", "1"], "give a command"),
        (&["audit", "--command", "cat", "--epsilon", "1", "--quick"], "--quick"),
        (&["audit", "--command", "cat"], "--epsilon"),
        (&["audit", "--all", "dplloyd"], "--all"),
        (&["audit", "dplloyd", "--columns", "3"], "--command"),
        (&["audit", "dplloyd", "--runs", "5"], "from 100"),
        (&["audit", "dplloyd", "--alpha", "2"], "1e-12 to 0.1"),
        (&["audit", "dplloyd", "--epsilon", "-1"], "--epsilon"),
        (&["audit", "--command", "cat", "--epsilon", "1", "--bounds", "age=1:2"], "0,1"),
        (&["audit", "dplloyd", "--out", "x", "--report", "x"], "different names"),
    ] {
        place.run(args).fails(2, &[words]);
    }
    place.run(&["audit", "dplloyd", "--out", "nowhere/x.json"]).fails(1, &["nowhere"]);
}

/// Every promise of Shoal, in little time: none may be broken, and what is known to be bad must be caught.
#[test]
fn everything_is_audited_and_comes_out_as_it_should() {
    let place = Place::new();
    let args =
        ["audit", "--all", "--quick", "--seed", "7", "--out", "all.json", "--report", "all.html", "--report", "all.md"];
    let shown = place.run(&args).ok().out();
    assert!(shown.contains("none was refuted") && shown.contains("were caught"), "{shown}");
    let report: serde_json::Value = serde_json::from_str(&place.read("all.json")).unwrap();
    let lines = report["lines"].as_array().unwrap();
    let names: std::collections::BTreeSet<&str> = lines.iter().map(|line| line["name"].as_str().unwrap()).collect();
    // Whatever a user can ask for is among what is audited.
    let methods = place.run(&["methods", "--format", "json"]).ok().json();
    let curator = methods.as_array().unwrap().iter().filter(|method| method["trust"] == "curator");
    for method in curator.map(|method| method["name"].as_str().unwrap()) {
        assert!(names.contains(method), "{method} is not audited");
    }
    for other in [
        "bpm",
        "laplace",
        "laplace-metric",
        "nd-laplace",
        "bpgm",
        "dpbv",
        "private-bounds",
        "exact-knorm-sums",
        "exact-tree-split",
        "exact-private-bounds",
    ] {
        assert!(names.contains(other), "{other} is not audited");
    }
    // Every release of every method against its charge, and every halved noise caught.
    let releases = |expected: &str| {
        let lines = lines.iter().filter(|line| line["measure"]["method"] == "releases");
        lines.filter(|line| line["expected"] == expected).count()
    };
    assert!(releases("kept") >= methods.as_array().unwrap().iter().filter(|m| m["trust"] == "curator").count() + 11);
    assert_eq!(releases("kept"), releases("broken"));
    // The claims of two papers do not hold, and one of the mechanisms has no guarantee at all.
    let of = |name: &'static str| lines.iter().filter(move |line| line["name"] == name);
    let broken = |name: &'static str| of(name).filter(|line| line["verdict"] == "broken");
    assert!(broken("dpbv").all(|line| line["promise"].as_str().unwrap().contains("published")));
    assert!(broken("dpbv").count() >= 4);
    assert!(broken("bpgm").all(|line| line["remark"].as_str().unwrap().contains("nor any other promise")));
    assert!(broken("bpgm").count() >= 2 && broken("bpgm").count() == of("bpgm").count());
    let (page, text) = (place.read("all.html"), place.read("all.md"));
    assert!(page.contains("Audit of Shoal") && text.contains("| ⚑ caught | bpgm"), "{text}");
}
