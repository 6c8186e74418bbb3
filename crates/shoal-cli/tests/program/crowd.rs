//! Reports from devices to a server: `shoal perturb` and `shoal cluster` as a user runs them.

use crate::common::{IRIS_BOUNDS, Place, iris};

fn iris_text() -> String {
    iris().display().to_string()
}

/// Reports of iris in a file.
fn reports(place: &Place, file: &str, more: &[&str]) {
    let data = iris_text();
    let mut words = vec!["perturb", &data, "-b", IRIS_BOUNDS, "--out", file];
    words.extend(more);
    if !more.contains(&"-e") {
        words.extend(["-e", "16"]);
    }
    place.run(&words).ok();
}

#[test]
fn from_records_to_clusters() {
    let place = Place::new();
    reports(&place, "reports.parquet", &[]);
    let words = ["cluster", "reports.parquet", "-k", "3", "--out", "model.json", "--report", "page.html"];
    let out = place.run(&words).ok().out();
    assert!(out.contains("150 reports") && out.contains("noise-aware/bpm"), "{out}");
    assert!(out.contains("half of a 95 % interval") && out.contains("Spent: nothing"), "{out}");
    assert!(out.contains("Also: If someone is unsure which of two records a person's report came from (a coin toss), seeing the report"), "{out}");
    let model: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(place.path("model.json")).unwrap()).unwrap();
    assert_eq!(model["kind"], "crowd");
    assert_eq!(model["from_reports"]["reports"], 150);
    assert_eq!(model["guarantee"]["loss"]["per-distance"], 16.0);
    assert_eq!(model["guarantee"]["numerics"], "exact");
    let page = std::fs::read_to_string(place.path("page.html")).unwrap();
    assert!(page.contains("Nobody. Each person") && page.contains("What else is guaranteed"));
    // The model labels and scores raw rows like any other.
    place.run(&["predict", "model.json", &iris_text(), "--out", "labels.csv"]).ok();
    let score = place.run(&[
        "score",
        &iris_text(),
        "--model",
        "model.json",
        "--labels",
        "label",
        "--reports",
        "reports.parquet",
        "--format",
        "json",
    ]);
    let score = score.ok().json();
    assert!(score["ari"].as_f64().unwrap() > 0.5, "{score}");
    for measure in ["sse", "re_same_members", "re_matched", "ari", "nmi"] {
        assert!(score["reports"][measure].is_number(), "{measure}: {score}");
    }
}

/// The cluster of each report, with its probability, in both forms; the file states whose guarantee it has.
#[test]
fn reports_get_labels() {
    let place = Place::new();
    reports(&place, "r.parquet", &[]);
    let run = |words: &[&str]| place.run(&[&["cluster", "r.parquet", "-k", "3", "--seed", "4"], words].concat());
    run(&["--labels", "labels.csv"]).ok();
    run(&["--labels", "labels.parquet", "--out", "model.json"]).ok();
    let text = std::fs::read_to_string(place.path("labels.csv")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("# shoal.labels {") && lines[0].contains("guarantee of the reports and no other"));
    assert_eq!((lines[1], lines.len()), ("report,label,probability", 152));
    let model: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(place.path("model.json")).unwrap()).unwrap();
    let mut counts = [0.0; 3];
    for (row, line) in lines[2..].iter().enumerate() {
        let cells: Vec<f64> = line.split(',').map(|cell| cell.parse().unwrap()).collect();
        assert_eq!(cells[0] as usize, row + 1);
        assert!((1.0 / 3.0 - 1e-6..=1.0).contains(&cells[2]), "{line}");
        counts[cells[1] as usize - 1] += 1.0;
    }
    // Numbers are those of the model: the largest cluster is the first.
    for (count, size) in counts.iter().zip(model["sizes"].as_array().unwrap()) {
        assert!((count - size.as_f64().unwrap()).abs() < 25.0, "{counts:?} {}", model["sizes"]);
    }
    // k-means does not model the noise: labels without a probability.
    run(&["-m", "kmeans", "--labels", "nearest.csv"]).ok();
    let text = std::fs::read_to_string(place.path("nearest.csv")).unwrap();
    assert_eq!(text.lines().nth(1), Some("report,label"));
    run(&["--labels", "labels.txt"]).fails(2, &[".csv", ".parquet"]);
    run(&["--labels", "same.csv", "--out", "same.csv"]).fails(2, &["--out", "--labels", "same file"]);
}

#[test]
fn every_server_method_and_its_knobs() {
    let place = Place::new();
    reports(&place, "r.parquet", &[]);
    for words in [
        &["-m", "kmeans"][..],
        &["-m", "tk-means"],
        &["-m", "tk-means", "--kappa", "published"],
        &["--width", "none"],
        &["--width", "per-cluster", "--prior", "none"],
        &["--estimate", "pooled"],
        &["--estimate", "mode"],
        &["-m", "noise-aware", "--inits", "3", "--iterations", "20", "--seed", "5"],
    ] {
        let out = place.run(&[&["cluster", "r.parquet", "-k", "3"][..], words].concat()).ok().out();
        assert!(out.contains("3 clusters of 150 reports"), "{out}");
    }
    let auto = place.run(&["cluster", "r.parquet", "-k", "auto", "--format", "json"]).ok().json();
    assert!(auto["centers"].as_array().unwrap().len() > 1, "{auto}");
    assert!(auto["from_reports"]["bic_by_k"].as_array().unwrap().len() > 2);
    // A seed of the starts voids nothing, and repeats.
    let seeded = || place.run(&["cluster", "r.parquet", "-k", "3", "--seed", "7", "--format", "json"]).ok().out();
    assert_eq!(seeded(), seeded());
    assert!(seeded().contains("\"seeded\": false"));
}

#[test]
fn what_does_not_go_together_is_refused() {
    let place = Place::new();
    reports(&place, "r.parquet", &[]);
    reports(&place, "laplace.csv", &["-m", "laplace"]);
    reports(&place, "other.parquet", &["-e", "4"]);
    reports(&place, "clamped.parquet", &["-m", "nd-laplace", "--ending", "clamped"]);
    let run = |words: &[&str]| place.run(&[&["cluster"], words].concat());
    run(&["r.parquet", "laplace.csv", "-k", "3"]).fails(1, &["r.parquet", "laplace.csv", "bpm", "laplace", "apart"]);
    run(&["r.parquet", "other.parquet", "-k", "3"]).fails(1, &["r.parquet", "other.parquet", "16", "4"]);
    run(&["r.parquet", "-k", "0"]).fails(2, &["1 or more"]);
    run(&["r.parquet", "-k", "many"]).fails(2, &["auto"]);
    run(&["r.parquet", "-k", "151"]).fails(1, &["150 reports", "smaller"]);
    run(&["r.parquet", "-k", "3", "--kappa", "published"]).fails(2, &["--kappa", "noise-aware", "tk-means"]);
    run(&["r.parquet", "-k", "3", "-m", "kmeans", "--width", "none"]).fails(2, &["--width", "kmeans", "noise-aware"]);
    run(&["r.parquet", "-k", "auto", "-m", "kmeans"]).fails(2, &["auto", "noise-aware"]);
    run(&["r.parquet", "-k", "3", "--most-clusters", "4"]).fails(2, &["--most-clusters", "auto"]);
    run(&["clamped.parquet", "-k", "3", "-m", "noise-aware"]).fails(2, &["moved into the bounds", "kmeans"]);
    run(&["clamped.parquet", "-k", "auto"]).fails(2, &["auto"]);
    run(&[&iris_text(), "-k", "3"]).fails(1, &["neither reports nor noisy cells"]);
    run(&["missing.parquet", "-k", "3"]).fails(1, &["missing.parquet"]);
    run(&["r.parquet", "-", "-k", "3"]).fails(2, &["standard input"]);
    run(&["r.parquet", "-k", "3", "--out", "r.parquet"]).fails(1, &["r.parquet"]);
    let clamped = run(&["clamped.parquet", "-k", "3"]).ok().out();
    assert!(clamped.contains("kmeans/nd-laplace") && clamped.contains("no known density"), "{clamped}");
    // Other rows than the reports were made of.
    run(&["r.parquet", "-k", "3", "--out", "m.json"]).ok();
    place.write("few.csv", "sepal_length,sepal_width,petal_length,petal_width\n5,3,1,0.2\n");
    place
        .run(&["score", "few.csv", "--model", "m.json", "--reports", "r.parquet"])
        .fails(1, &["150 reports", "1 rows"]);
}

#[test]
fn several_files_are_one_crowd() {
    let place = Place::new();
    reports(&place, "a.parquet", &[]);
    reports(&place, "b.csv", &[]);
    let model = place.run(&["cluster", "a.parquet", "b.csv", "-k", "3", "--format", "json"]).ok().json();
    assert_eq!(model["from_reports"]["reports"], 300);
}

#[test]
fn reports_that_say_nothing_are_called_so() {
    let place = Place::new();
    reports(&place, "r.parquet", &["-e", "0.01"]);
    let out = place.run(&["cluster", "r.parquet", "-k", "3"]).ok().out();
    assert!(out.contains("WARNING: The clusters cannot be told apart from noise."), "{out}");
    let quiet = place.run(&["cluster", "r.parquet", "-k", "3", "--quiet"]).ok().out();
    assert!(quiet.contains("WARNING: The clusters cannot be told apart from noise."), "{quiet}");
    let auto = place.run(&["cluster", "r.parquet", "-k", "auto", "--format", "json"]).ok().json();
    assert_eq!(auto["centers"].as_array().unwrap().len(), 1, "{auto}");
}

#[test]
fn no_promise_is_made_for_seeded_or_unsound_reports() {
    let place = Place::new();
    reports(&place, "seeded.parquet", &["--seed", "1"]);
    reports(&place, "bpgm.parquet", &["-m", "bpgm", "--accept-unsound"]);
    for file in ["seeded.parquet", "bpgm.parquet"] {
        let out = place.run(&["cluster", file, "-k", "3", "--report", "p.html"]).ok().out();
        assert!(out.contains("NO PRIVACY") && !out.contains("If someone is unsure"), "{out}");
        let page = std::fs::read_to_string(place.path("p.html")).unwrap();
        assert!(page.contains("NO PRIVACY"));
    }
    let doubles =
        ["perturb", &iris_text(), "-e", "16", "-b", IRIS_BOUNDS, "--sampler", "doubles", "--out", "d.parquet"];
    assert!(place.run(&doubles).ok().out().contains("the rounded numbers of the computer behave like real numbers"));
    let out = place.run(&["cluster", "d.parquet", "-k", "3"]).ok().out();
    assert!(out.contains("the rounded numbers of the computer behave like real numbers"), "{out}");
}
