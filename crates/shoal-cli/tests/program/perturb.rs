//! Each row as one person's report, as an engineer tries a collection out.

use crate::common::{IRIS_BOUNDS, Place, iris};
use serde_json::{Value, json};
use shoal_crowd::report_file::Reports;
use shoal_device::{Mechanism, Sampler};
use shoal_files::Source;
use shoal_lattice::STEPS;

/// A thousand rows inside their bounds, but for three.
fn place() -> Place {
    let place = Place::new();
    let mut table = String::from("age,hours,name\n");
    for i in 0..1000 {
        table.push_str(&format!("{},{},n{i}\n", 17.0 + f64::from(i % 74), 1.5 + f64::from(i % 97)));
    }
    table.push_str("16.99,50,x\n120,-5,y\n90,99.5,z\n");
    place.write("d.csv", table);
    place
}

const BOUNDS: &str = "age=17:90,hours=1:99";

fn perturb<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let mut args = vec!["perturb", "d.csv", "-b", BOUNDS];
    if !more.contains(&"-e") {
        args.extend(["-e", "4"]);
    }
    if !more.contains(&"--out") {
        args.extend(["--out", "r.parquet"]);
    }
    args.extend(more);
    args
}

fn reports(place: &Place, name: &str) -> Reports {
    Reports::read(vec![Source::Path(place.path(name))]).unwrap()
}

/// Every mechanism, with its options.
const MECHANISMS: [(&str, &[&str]); 9] = [
    ("bpm", &[]),
    ("bpm", &["--radius", "2"]),
    ("bpm", &["--radius-rule", "remark-2", "--sampler", "doubles"]),
    ("laplace", &[]),
    ("laplace-metric", &[]),
    ("nd-laplace", &[]),
    ("nd-laplace", &["--ending", "clamped", "--sampler", "exact"]),
    ("nd-laplace", &["--ending", "grid", "--grid-cells", "16"]),
    ("bpgm", &["--accept-unsound", "--bpgm-form", "closed-form", "--noise-bound", "0.5"]),
];

#[test]
fn every_mechanism_makes_a_file_that_can_be_read() {
    let place = place();
    for (mechanism, more) in MECHANISMS {
        for out in ["r.parquet", "r.csv"] {
            let run = place.run(&perturb(&[&["-m", mechanism, "--out", out], more].concat())).ok();
            assert!(
                run.out().starts_with(&format!("1003 reports of d.csv by 2 columns, {mechanism} ")),
                "{}",
                run.out()
            );
            let read = reports(&place, out);
            assert_eq!((read.rows(), read.dims(), read.seeded), (1003, 2, false));
            assert_eq!(read.design.mechanism().name(), mechanism);
            assert_eq!(read.design.bounds().columns(), ["age", "hours"]);
            // Whoever reads the file relies on one thing more: that it says how its reports were made.
            let prints = |sentence: String| {
                let shown = run.out().replace('\n', " ");
                shown.contains(&sentence.replace("; the reports were made as their file says", ""))
            };
            assert!(prints(read.promises.guarantee.sentence()), "{}", run.out());
            assert!(read.promises.also.iter().all(|also| prints(also.sentence())), "{}", run.out());
            assert!(run.out().contains(&read.promises.published.text));
            assert_eq!(run.out().contains("NO PRIVACY"), mechanism == "bpgm");
            // All noise: hardly a value is that of its record.
            let still = read.columns[0].iter().enumerate().filter(|(i, x)| **x == (*i as i64 % 74) * STEPS as i64 / 73);
            assert!(still.count() < 100 || more.contains(&"grid"), "{mechanism}");
        }
    }
}

#[test]
fn reports_lie_around_their_records() {
    let place = place();
    for mechanism in ["bpm", "laplace", "laplace-metric", "nd-laplace"] {
        place.run(&perturb(&["-m", mechanism, "-e", "1000"])).ok();
        let read = reports(&place, "r.parquet");
        for (row, x) in read.columns[0].iter().take(1000).enumerate() {
            let record = (row % 74) as f64 * STEPS as f64 / 73.0;
            assert!((*x as f64 - record).abs() < 0.1 * STEPS as f64, "{mechanism}: {x} for {record}");
        }
        let last = |attribute: usize| read.columns[attribute][1001] as f64 / STEPS as f64;
        assert!((last(0) - 1.0).abs() < 0.1 && last(1).abs() < 0.1, "clamped to the bounds before the noise");
    }
}

#[test]
fn records_outside_the_bounds_are_counted_apart_from_the_release() {
    let place = place();
    let run = place.run(&perturb(&[])).ok();
    assert!(run.err().contains("NOT PRIVATE") && run.err().contains("3 of 1003 records"), "{}", run.err());
    assert!(!run.out().contains("outside"), "{}", run.out());
    let json = place.run(&perturb(&["--format", "json"])).ok();
    assert!(!json.out().contains("clamped") && !json.out().contains("outside"), "{}", json.out());
    assert_eq!(place.run(&perturb(&["--quiet"])).ok().err(), "");
    let run = place.run(&["perturb", "d.csv", "-e", "4", "-b", "age=0:200,hours=-10:100", "--out", "r.csv"]).ok();
    assert!(!run.err().contains("NOT PRIVATE"), "{}", run.err());
    assert!(!place.read("r.csv").contains("clamped"));
}

#[test]
fn json_says_the_same() {
    let place = place();
    let printed = place.run(&perturb(&["--radius", "2.5", "--format", "json"])).ok().json();
    let steps = 5 * STEPS / 2;
    assert_eq!(printed["mechanism"], json!({"name": "bpm", "radius_steps": steps}));
    assert_eq!(
        (&printed["reports"], &printed["epsilon"], &printed["seeded"]),
        (&json!(1003), &json!(4.0), &json!(false))
    );
    assert_eq!((&printed["columns"], &printed["steps"]), (&json!(["age", "hours"]), &json!(STEPS)));
    assert_eq!(printed["bounds"], json!([[17.0, 90.0], [1.0, 99.0]]));
    assert!(printed["expected_error"]["report_rmse"].as_f64().unwrap() > 0.1);
    let read = reports(&place, "r.parquet");
    let promises = |value: serde_json::Value| value.to_string().replace("\"reports-as-described\",", "");
    assert_eq!(printed["guarantee"].to_string(), promises(serde_json::to_value(&read.promises.guarantee).unwrap()));
    assert_eq!(printed["also"].to_string(), promises(serde_json::to_value(&read.promises.also).unwrap()));
    assert_eq!(*read.design.mechanism(), Mechanism::Bpm { radius_steps: steps });
    assert_eq!(read.design.sampler(), Sampler::Exact);
}

#[test]
fn a_seed_repeats_the_reports_on_any_number_of_threads_and_voids_the_promise() {
    let place = place();
    let big: String = (0..40_000).map(|i| format!("{},{}\n", i % 73 + 17, i % 98 + 1)).collect();
    place.write("d.csv", format!("age,hours\n{big}"));
    for mechanism in ["laplace", "bpm"] {
        let run = place.run(&perturb(&["-m", mechanism, "--seed", "7"])).ok();
        assert!(run.out().contains("NO PRIVACY: the noise came from a seed") && run.err().contains("NO PRIVACY"));
        let first = reports(&place, "r.parquet");
        assert!(first.seeded && first.promises.also.is_empty() && first.rows() == 40_000);
        for threads in ["1", "2", "5"] {
            place.run(&perturb(&["-m", mechanism, "--seed", "7", "--threads", threads, "--out", "s.csv"])).ok();
            assert!(reports(&place, "s.csv") == first, "{mechanism} on {threads} threads");
        }
        place.run(&perturb(&["-m", mechanism, "--seed", "8"])).ok();
        assert!(reports(&place, "r.parquet").columns != first.columns);
    }
    // True noise is never the same.
    place.run(&perturb(&["-m", "laplace"])).ok();
    let one = reports(&place, "r.parquet").columns;
    place.run(&perturb(&["-m", "laplace"])).ok();
    assert!(reports(&place, "r.parquet").columns != one);
}

#[test]
fn the_noise_of_a_row_does_not_depend_on_the_rows_left_out_before() {
    let place = place();
    let seeded = |table: String, more: &[&str]| {
        place.write("d.csv", table);
        place.run(&perturb(&[&["-m", "laplace", "--seed", "1"], more].concat())).ok();
        reports(&place, "r.parquet").columns
    };
    let row = |i: usize| format!("{},{}\n", i % 73 + 17, i % 98 + 1);
    let whole = format!("age,hours\n{}", (0..40_000).map(row).collect::<String>());
    let with_gaps = (0..40_000).map(|i| if i % 3 == 0 { format!(",5\n{}", row(i)) } else { row(i) });
    let with_gaps = format!("age,hours\n{}", with_gaps.collect::<String>());
    assert!(seeded(whole, &[]) == seeded(with_gaps, &["--missing", "drop"]));
}

#[cfg(unix)]
#[test]
fn a_pipe_is_read_once() {
    let place = place();
    let fifo = place.path("pipe.csv");
    for command in [
        &["perturb", "pipe.csv", "-e", "4", "-b", BOUNDS, "--out", "r.csv"][..],
        &["fit", "pipe.csv", "-k", "2", "-e", "1", "-b", BOUNDS],
    ] {
        assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
        let (table, to) = (place.read("d.csv"), fifo.clone());
        let writer = std::thread::spawn(move || std::fs::write(to, table));
        place.run(command).ok();
        writer.join().unwrap().unwrap();
        std::fs::remove_file(&fifo).unwrap();
    }
}

#[test]
fn an_unsound_mechanism_has_to_be_asked_for() {
    let place = place();
    place
        .run(&perturb(&["-m", "bpgm"]))
        .fails(1, &["BPGM does not keep", "Use bpm, or nd-laplace", "clamped", "--accept-unsound"]);
    assert_eq!(place.files(), ["d.csv"]);
    let run = place.run(&perturb(&["-m", "bpgm", "--accept-unsound", "--bpgm-form", "closed-form"])).ok();
    assert!(run.out().contains("NO PRIVACY: this mechanism does not keep"), "{}", run.out());
    // To accept it changes nothing about the others.
    assert!(!place.run(&perturb(&["-m", "laplace", "--accept-unsound"])).ok().out().contains("NO PRIVACY"));
}

#[test]
fn options_of_other_mechanisms_are_refused() {
    let place = place();
    let cases: [(&str, &[&str], &str); 9] = [
        ("laplace", &["--radius", "2"], "(bpm)"),
        ("nd-laplace", &["--radius-rule", "remark-2"], "(bpm)"),
        ("bpm", &["--ending", "clamped"], "(nd-laplace)"),
        ("laplace-metric", &["--grid-cells", "4"], "(nd-laplace)"),
        ("bpm", &["--noise-bound", "1"], "(bpgm)"),
        ("bpm", &["--bpgm-form", "adam"], "(bpgm)"),
        ("laplace", &["--sampler", "doubles"], "(bpm, nd-laplace)"),
        ("nd-laplace", &["--ending", "grid"], "--grid-cells N"),
        ("nd-laplace", &["--grid-cells", "4"], "--ending grid"),
    ];
    for (mechanism, more, words) in cases {
        place.run(&perturb(&[&["-m", mechanism], more].concat())).fails(2, &[more[0], words]);
    }
    place.run(&perturb(&["--radius", "2", "--radius-rule", "information"])).fails(2, &["--radius-rule"]);
    for radius in ["0", "-1", "nan", "inf", "x", "1e7"] {
        place.run(&perturb(&["--radius", radius])).fails(2, &["widths above 0"]);
    }
    place.run(&perturb(&["-m", "magic"])).fails(2, &["laplace-metric"]);
    assert_eq!(place.files(), ["d.csv"]);
}

/// Perturbs this table; it must fail like this and leave nothing behind.
#[track_caller]
fn refused(bytes: impl AsRef<[u8]>, more: &[&str], code: i32, words: &[&str]) {
    for out in ["r.parquet", "r.csv"] {
        let place = Place::new();
        place.write("d.csv", bytes.as_ref());
        let mut args = vec!["perturb", "d.csv", "-m", "laplace", "-e", "1", "--out", out];
        if !more.contains(&"--bounds") && !more.contains(&"no bounds") {
            args.extend(["--bounds", "0,10"]);
        }
        args.extend(more.iter().filter(|m| **m != "no bounds"));
        let message = place.run(&args).fails(code, words).err();
        assert!(!message.contains("secret"), "{message}");
        assert_eq!(place.files(), ["d.csv"], "half-written");
    }
}

#[test]
fn bad_tables() {
    refused("", &[], 1, &["empty"]);
    refused("a,b\n", &[], 1, &["no data rows"]);
    refused("a,b\n1,2\n3\n", &[], 1, &["line 3"]);
    refused("a,b\n1,2\n3,secret7\n", &[], 1, &["b", "row 2"]);
    for missing in ["NaN", "inf", "-inf", "NA", ""] {
        refused(format!("a,b\n1,2\n3,{missing}\n"), &[], 1, &["row 2", "b", "--missing drop"]);
    }
    // Found after thousands of rows were perturbed already.
    refused(format!("a,b\n{}3,x\n", "1,2\n".repeat(300_000)), &[], 1, &["row 300001"]);
    refused("a,b\n,1\n2,\n", &["--missing", "drop"], 1, &["none is left"]);
    refused("a,a\n1,2\n", &[], 1, &["a"]);
    // Text that is not UTF-8 is read as Windows-1252, where these bytes are letters.
    refused(b"a,b\n1,\xff\xfe\n", &[], 1, &["text where a number should be"]);
    refused("1,2\n3,4\n", &[], 1, &["header"]);
    refused("a,b\n1,2\n", &["--columns", "a,zz"], 1, &["zz"]);
    refused(b"PAR1 this is not a parquet file", &[], 1, &["Parquet"]);
    refused("\"a\u{7}b\"\n1\n", &[], 1, &["control characters"]);
}

#[test]
fn bad_bounds_and_numbers() {
    refused("a\n1\n", &["no bounds"], 2, &["public bounds are needed", "--bounds 0,100"]);
    refused("a\n1\n", &["--bounds", "10,0"], 2, &["reversed"]);
    refused("a\n1\n", &["--bounds", "5,5"], 2, &["constant column"]);
    refused("a\n1\n", &["--bounds", "0,inf"], 2, &["not finite"]);
    refused("a\n1\n", &["--bounds", "b=0:1"], 1, &["b", "a"]);
    refused("a,b\n1,2\n", &["--bounds", "a=0:1", "--columns", "a,b"], 1, &["no bounds for column", "b"]);
    let place = place();
    for (epsilon, words) in [("0", "above 0"), ("-1", "negative"), ("nan", "not a number"), ("1e9", "protects nobody")]
    {
        place.run(&["perturb", "d.csv", "-e", epsilon, "-b", BOUNDS, "--out", "r.csv"]).fails(2, &[words]);
    }
    place.run(&["perturb", "d.csv", "-e", "1", "-b", BOUNDS]).fails(2, &["--out"]);
    place.run(&["perturb", "d.csv", "-b", BOUNDS, "--out", "r.csv"]).fails(2, &["--epsilon"]);
    assert_eq!(place.files(), ["d.csv"]);
}

#[test]
fn places_that_cannot_be_written() {
    let place = place();
    let before = place.read("d.csv");
    place.write("b.json", r#"{"age": [17, 90], "hours": [1, 99]}"#);
    place.run(&perturb(&["--out", "no/such/folder/r.csv"])).fails(1, &["cannot write", "choose another place"]);
    place.run(&perturb(&["--out", "."])).fails(1, &["folder"]);
    place.run(&perturb(&["--out", "./d.csv"])).fails(1, &["would replace d.csv"]);
    place.run(&["perturb", "d.csv", "-e", "1", "-b", "b.json", "--out", "b.json"]).fails(1, &["would replace b.json"]);
    place.run(&perturb(&["--out", "/dev/null"])).fails(1, &["not an ordinary file"]);
    assert_eq!(place.files(), ["b.json", "d.csv"]);
    assert_eq!(place.read("d.csv"), before);
}

#[test]
fn what_is_released_already_is_not_perturbed_again() {
    let place = place();
    for out in ["r.parquet", "r.csv"] {
        place.run(&perturb(&["--out", out])).ok();
        place
            .run(&["perturb", out, "-e", "1", "-b", "0,1", "--out", "twice.csv"])
            .fails(1, &["perturbed already", &format!("shoal cluster {out}")]);
    }
    assert_eq!(place.files(), ["d.csv", "r.csv", "r.parquet"]);
}

#[test]
fn awkward_but_valid_tables_work() {
    let place = Place::new();
    let rows = |text: String, more: &[&str]| {
        place.write("d.csv", text);
        let args = ["perturb", "d.csv", "-m", "laplace", "-e", "0.000001", "-b", "-10,10", "--out", "r.csv"];
        place.run(&[&args[..], more].concat()).ok();
        reports(&place, "r.csv").rows()
    };
    assert_eq!(rows("a,b\n1,2\n".into(), &[]), 1);
    assert_eq!(rows("a,b\n-0.0,5e-324\n1e308,-1e308\n".into(), &[]), 2);
    assert_eq!(rows("\u{feff}a,b\r\n1,2\r\n3,4\r\n".into(), &[]), 2);
    assert_eq!(rows("a,b\n1,2\n,3\n4,5\n".into(), &["--missing", "drop"]), 2);
    assert_eq!(rows("1,2\n3,4\n".into(), &["--no-header"]), 2);
    let input = std::fs::read(iris()).unwrap();
    let args =
        ["perturb", "-", "-e", "4", "-b", IRIS_BOUNDS, "-m", "laplace", "--out", "i.parquet", "--format", "json"];
    let printed: Value = place.run_with_input(&args, &input).ok().json();
    assert_eq!((printed["reports"].as_u64(), reports(&place, "i.parquet").rows()), (Some(150), 150));
}
