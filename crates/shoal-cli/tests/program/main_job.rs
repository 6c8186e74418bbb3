//! fit → model.json → predict → score, the demo, and everything around them, as a user runs them.

use crate::common::{IRIS_BOUNDS, Place, iris};

fn iris_text() -> String {
    iris().to_str().unwrap().into()
}

#[test]
fn fit_predict_score() {
    let place = Place::new();
    let data = iris_text();
    let fit = place
        .run(&[
            "fit",
            &data,
            "-k",
            "3",
            "--epsilon",
            "5",
            "--bounds",
            IRIS_BOUNDS,
            "--method",
            "dplloyd-impr",
            "--out",
            "model.json",
            "--report",
            "r.html",
        ])
        .ok();
    assert!(
        fit.out().contains(
            "If someone is unsure whether a given person is in this data (a coin toss), seeing this result can make them at most 99.34 % sure."
        ) && fit.out().contains("Formally: ε = 5 when one row is added or removed (odds change by a factor of at most e^5")
    );
    assert!(fit.out().contains("The paper (SCL16) says: ε-DP"));

    let model: serde_json::Value = serde_json::from_str(&place.read("model.json")).unwrap();
    assert_eq!(model["version"], 1);
    assert_eq!(model["kind"], "curator");
    assert_eq!(model["method"], "dplloyd-impr");
    assert_eq!(model["columns"][3], "petal_width");
    assert_eq!(model["bounds"][0], serde_json::json!([4.0, 8.0]));
    assert_eq!(model["centers"].as_array().unwrap().len(), 3);
    assert_eq!(model["guarantee"]["loss"]["pure"], 5.0);
    assert_eq!(model["guarantee"]["neighbours"], "add-remove-one");
    assert_eq!(model["spent"]["epsilon"], 5.0);
    assert_eq!(
        model["guarantee"]["assumes"],
        serde_json::json!(["bounds-public", "one-row-per-person", "rows-complete"])
    );
    assert_eq!(model["seeded"], false);

    let page = place.read("r.html");
    assert!(
        page.contains("petal_width")
            && page.contains("can make them at most 99.34 % sure")
            && !page.contains("http://")
            && !page.contains("https://")
    );

    place.run(&["predict", "model.json", &data, "--out", "labels.csv"]).ok();
    let labels = place.read("labels.csv");
    assert!(labels.starts_with("row,label,distance\n1,") && labels.lines().count() == 151);
    assert!(labels.lines().skip(1).all(|line| ["1", "2", "3"].contains(&line.split(',').nth(1).unwrap())));
    let printed = place.run(&["predict", "model.json", &data]).ok();
    assert_eq!(printed.out(), labels);
    let json = place.run(&["predict", "model.json", &data, "--format", "json"]).ok().json();
    assert_eq!((json["labels"].as_array().unwrap().len(), &json["labels"][149]["row"]), (150, &150.into()));

    let score = place.run(&["score", &data, "--model", "model.json", "--labels", "label"]).ok();
    assert!(score.out().starts_with("NOT PRIVATE"));
    let score =
        place.run(&["score", &data, "--model", "model.json", "--labels", "label", "--format", "json"]).ok().json();
    assert_eq!((score["rows"].as_u64(), score["private"].as_bool()), (Some(150), Some(false)));
    let nicv = score["nicv"].as_f64().unwrap();
    assert!(nicv > 0.1 && (score["sse"].as_f64().unwrap() / 150.0 - nicv).abs() < 1e-9);
    assert!((-0.5..=1.0).contains(&score["ari"].as_f64().unwrap()));
}

#[cfg(unix)]
#[test]
fn labels_are_their_owner_s_alone_and_models_follow_the_umask() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let mode = |name: &str| place.path(name).metadata().unwrap().permissions().mode() & 0o777;
    let data = iris_text();
    let fit =
        format!("umask 027; exec {} fit {data} -k 2 -e 1 -b {IRIS_BOUNDS} --out m.json", env!("CARGO_BIN_EXE_shoal"));
    let ran = std::process::Command::new("sh").arg("-c").arg(fit).current_dir(place.path("")).output().unwrap();
    assert!(ran.status.success());
    assert_eq!(mode("m.json"), 0o640);
    let predict = place.run(&["predict", "m.json", &data, "--out", "labels.csv"]).ok();
    assert!(predict.err().contains("NOT PRIVATE"));
    assert_eq!(mode("labels.csv"), 0o600);
}

#[test]
fn json_is_the_model_and_nothing_else() {
    let place = Place::new();
    let fit = place
        .run(&[
            "fit",
            &iris_text(),
            "-k",
            "2",
            "-e",
            "1",
            "-b",
            IRIS_BOUNDS,
            "--rows",
            "150",
            "--format",
            "json",
            "--out",
            "m.json",
        ])
        .ok();
    assert_eq!(fit.out(), place.read("m.json"));
    assert_eq!(fit.json()["centers"].as_array().unwrap().len(), 2);
}

#[test]
fn a_seed_gives_the_same_bits_everywhere_and_no_privacy() {
    let place = Place::new();
    let data = iris_text();
    let fit = |more: &[&str]| {
        let mut args =
            vec!["fit", data.as_str(), "-k", "3", "-e", "1", "-b", IRIS_BOUNDS, "--seed", "7", "--format", "json"];
        args.extend(more);
        place.run(&args).ok()
    };
    let once = fit(&[]);
    assert!(once.err().contains("NO PRIVACY"));
    let model = once.json();
    assert_eq!((&model["seeded"], &model["guarantee"]["none"]), (&true.into(), &"seeded".into()));
    assert!(model["spent"].is_null());
    for more in [&["--threads", "1"], &["--threads", "2"], &["--memory", "1M"]] {
        assert_eq!(fit(more).out(), once.out(), "{more:?}");
    }
    let text = std::fs::read(iris()).unwrap();
    let piped = place.run_with_input(
        &["fit", "-", "-k", "3", "-e", "1", "-b", IRIS_BOUNDS, "--seed", "7", "--format", "json"],
        &text,
    );
    assert_eq!(piped.ok().out(), once.out(), "standard input");
    let other =
        place.run(&["fit", &data, "-k", "3", "-e", "1", "-b", IRIS_BOUNDS, "--seed", "8", "--format", "json"]).ok();
    assert_ne!(other.out(), once.out());
}

#[test]
fn a_table_is_also_looked_for_in_the_data_folder() {
    let place = Place::new();
    let folder = iris().parent().unwrap().to_str().unwrap().to_string();
    let fit = ["fit", "iris.csv", "-k", "2", "-e", "1", "-b", IRIS_BOUNDS];
    place.run(&fit).fails(1, &["iris.csv"]);
    place.run(&[&fit[..], &["--data-dir", &folder]].concat()).ok();
    let with_variable = place.command(&fit).env("SHOAL_DATA", &folder).output().unwrap();
    assert!(with_variable.status.success());
    // A file that is there goes first.
    place.write("iris.csv", "a\n1\n");
    place.run(&[&fit[..], &["--data-dir", &folder]].concat()).fails(1, &["no column"]);
}

#[test]
fn unseeded_runs_differ() {
    let place = Place::new();
    let fit =
        || place.run(&["fit", &iris_text(), "-k", "3", "-e", "1", "-b", IRIS_BOUNDS, "--format", "json"]).ok().out();
    assert_ne!(fit(), fit());
}

#[test]
fn bounds_come_in_three_forms() {
    let place = Place::new();
    let data = place.write("d.csv", "a,b\n1,2\n3,4\n5,6\n");
    let data = data.to_str().unwrap();
    place.write("b.json", r#"{"a": [0, 10], "b": [0, 20]}"#);
    place.write("b.toml", "a = [0, 10]\nb = [0, 20]\n");
    let fit = |bounds: &str| {
        place.run(&["fit", data, "-k", "1", "-e", "1", "-b", bounds, "--seed", "1", "--format", "json"]).ok().json()
    };
    let json = fit("b.json");
    assert_eq!(json, fit("b.toml"));
    assert_eq!(json, fit("a=0:10,b=0:20"));
    assert_eq!(fit("-5,10")["bounds"], serde_json::json!([[-5.0, 10.0], [-5.0, 10.0]]));
    assert_eq!(fit("b=0:20")["columns"], serde_json::json!(["b"]), "bounds by name choose the columns");
}

#[test]
fn the_number_of_rows_is_told_only_when_it_is_public() {
    let place = Place::new();
    let fit = |more: &[&str]| {
        let data = iris_text();
        let mut args = vec!["fit", data.as_str(), "-k", "3", "-e", "1", "-b", IRIS_BOUNDS, "--format", "json"];
        args.extend(more);
        place.run(&args).ok()
    };
    assert!(!fit(&[]).err().contains("150"));
    let given = fit(&["--rows", "1000"]);
    assert!(given.err().contains("for 1000 rows") && !given.err().contains("150"));
    let public = fit(&["--rows-public"]);
    assert!(public.err().contains("150, is disclosed") && public.err().contains("twice the ε"));
    let model = public.json();
    assert!(model["guarantee"]["assumes"].to_string().contains("row-count-public"));
    assert_eq!(model["guarantee"]["neighbours"], "replace-one");
    assert_eq!((&model["guarantee"]["loss"]["pure"], &model["spent"]["epsilon"]), (&2.0.into(), &1.0.into()));
}

#[test]
fn the_demo_needs_no_files_and_keeps_them_when_asked() {
    let place = Place::new();
    let demo = place.run(&["demo"]).ok();
    assert!(
        demo.out().contains("If someone is unsure whether a given person is in this data")
            && demo.out().contains("made from")
    );
    assert!(place.files().is_empty());
    place.run(&["demo", "--keep", "here"]).ok();
    for file in ["people.csv", "model.json", "report.html"] {
        assert!(place.path("here").join(file).is_file(), "{file}");
    }
    let fit = place.run(&["fit", "here/people.csv", "-k", "3", "-e", "1", "-b", "age=16:100,sport_hours=0:50"]).ok();
    assert!(fit.out().contains("3 clusters of people.csv"));
}

#[test]
fn the_demo_finds_the_groups() {
    let place = Place::new();
    let found = (0..10)
        .filter(|seed| {
            let model = place.run(&["demo", "--seed", &seed.to_string(), "--format", "json"]).ok().json();
            let near = |age: f64| {
                model["centers"].as_array().unwrap().iter().any(|c| (c[0].as_f64().unwrap() - age).abs() < 4.0)
            };
            [24.0, 47.0, 72.0].into_iter().all(near)
        })
        .count();
    assert!(found >= 8, "in {found} of 10 runs");
}

#[test]
fn noise_that_swamps_everything_is_a_valid_answer_with_a_warning() {
    let place = Place::new();
    let fit =
        place.run(&["fit", &iris_text(), "-k", "3", "-e", "0.000001", "-b", IRIS_BOUNDS, "-m", "dplloyd-impr"]).ok();
    assert!(fit.out().contains("WARNING: Mostly noise. These centres are mostly noise."));
    place.run(&["fit", &iris_text(), "-k", "500", "-e", "1", "-b", IRIS_BOUNDS]).ok();
}

#[test]
fn methods_completions_and_manual_pages() {
    let place = Place::new();
    let methods = place.run(&["methods"]).ok().out();
    assert!(methods.contains("dplloyd-impr") && methods.contains("SCL16"));
    let listed = place.run(&["methods", "--format", "json"]).ok().json();
    for method in listed.as_array().unwrap() {
        let name = method["name"].as_str().unwrap();
        let (data, out) = (iris_text(), format!("{name}.parquet"));
        let mut words = match method["trust"].as_str().unwrap() {
            "curator" => vec!["fit", &data, "-k", "2", "-e", "1", "-b", IRIS_BOUNDS, "-m", name],
            "crowd, device" => vec!["perturb", &data, "-e", "1", "-b", IRIS_BOUNDS, "-m", name, "--out", &out],
            "crowd, server" => vec!["cluster", "bpm.parquet", "-k", "2", "-m", name],
            // What custodians and aggregators run has tests of its own, in consortium.rs.
            "consortium, custodian" | "consortium, aggregator" => continue,
            other => panic!("{name} is trusted by {other}"),
        };
        if name == "bpgm" {
            words.push("--accept-unsound");
        }
        place.run(&words).ok();
    }
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(place.run(&["completions", shell]).ok().out().contains("shoal"));
    }
    place.run(&["man", "pages"]).ok();
    assert!(place.path("pages").join("shoal.1").is_file() && place.path("pages").join("shoal-fit.1").is_file());
}

#[test]
fn every_command_has_help_with_an_example() {
    let place = Place::new();
    for command in
        ["fit", "plan", "perturb", "cluster", "predict", "score", "methods", "ledger", "demo", "completions", "man"]
    {
        let help = place.run(&[command, "--help"]).ok().out();
        assert!(help.contains("Example") && help.contains(&format!("shoal {command}")), "{command}: {help}");
    }
    assert!(place.run(&["--help"]).ok().out().contains("Exit codes"));
}
