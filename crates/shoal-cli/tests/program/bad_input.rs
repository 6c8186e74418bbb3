//! Bad input gets a clear error that names the fix, the right exit code, nothing half-written and nothing spent.

use crate::common::{IRIS_BOUNDS, Place, iris};

/// A place with a ledger that knows the data set `d`, to see that no failure spends anything.
fn place() -> Place {
    let place = Place::new();
    place.run(&["ledger", "init", "d", "--epsilon", "10"]).ok();
    place
}

#[track_caller]
fn nothing_happened(place: &Place) {
    let balance = place.run(&["ledger", "show", "d", "--format", "json"]).ok().json();
    assert_eq!(balance[0]["epsilon"]["spent"], 0.0, "budget was spent");
    let left: Vec<_> =
        place.files().into_iter().filter(|f| !f.starts_with("shoal.ledger") && !f.starts_with("d.")).collect();
    assert!(left.is_empty(), "half-written: {left:?}");
}

/// Fits the table with a ledger, a model and a report asked for; it must fail like this and leave nothing behind.
#[track_caller]
fn refused(bytes: impl AsRef<[u8]>, more: &[&str], code: i32, words: &[&str]) {
    let place = place();
    place.write("d.csv", bytes);
    let mut args =
        vec!["fit", "d.csv", "-k", "2", "-e", "1", "--ledger", "shoal.ledger", "--out", "m.json", "--report", "r.html"];
    if !more.contains(&"--bounds") && !more.contains(&"no bounds") {
        args.extend(["--bounds", "0,10"]);
    }
    args.extend(more.iter().filter(|m| **m != "no bounds"));
    place.run(&args).fails(code, words);
    nothing_happened(&place);
}

#[test]
fn missing_bounds_show_the_ways_out() {
    refused("a\n1\n", &["no bounds"], 2, &["public bounds are needed", "--bounds 0,100", "age=17:90", "bounds.json"]);
}

#[test]
fn bad_bounds() {
    refused("a\n1\n", &["--bounds", "10,0"], 2, &["reversed"]);
    refused("a\n1\n", &["--bounds", "5,5"], 2, &["constant column"]);
    refused("a\n1\n", &["--bounds", "0,inf"], 2, &["not finite"]);
    refused("a\n1\n", &["--bounds", "nonsense"], 2, &["not understood"]);
    refused("a\n1\n", &["--bounds", "b=0:1"], 1, &["b", "a"]);
    refused("a,b\n1,2\n", &["--bounds", "a=0:1", "--columns", "a,b"], 1, &["no bounds for column", "b"]);
    refused("a\n1\n", &["--bounds", "missing.json"], 2, &["missing.json", "cannot be read"]);
}

#[test]
fn bad_tables() {
    refused("", &[], 1, &["empty"]);
    refused("a,b\n1,2\n3\n", &[], 1, &["line 3"]);
    refused("a,b\n1,2\n3,x7\n", &[], 1, &["b", "row 2"]);
    refused("a,b\n1,2\n3,\n", &[], 1, &["row 2", "b", "--missing drop"]);
    for missing in ["NaN", "inf", "-inf", "NA", "null"] {
        refused(format!("a,b\n1,2\n3,{missing}\n"), &[], 1, &["row 2", "b"]);
    }
    refused("a,a\n1,2\n", &[], 1, &["a"]);
    refused(b"a,b\n1,\xff\xfe\n", &[], 1, &["column `b`", "text"]);
    refused("1,2\n3,4\n", &[], 1, &["header"]);
    refused("1;2\n3;4\n", &["--no-header"], 1, &["semicolons", "--delimiter"]);
    refused("a;b\n1;1.234\n", &[], 1, &["column `b`", "--decimal"]);
    refused("a,b\n1,4/5/1985\n", &[], 1, &["column `b`", "--dates dmy"]);
    refused("a,b\n1,1985-02-30\n", &[], 1, &["column `b`", "calendar"]);
    refused(b"PK\x03\x04 no workbook", &[], 1, &[".xlsx", "damaged"]);
    refused(b"ARROW1 no arrow file", &[], 1, &["Arrow"]);
    refused("a,b\n1,2\n", &["--bounds", "auto:10%", "--missing", "middle"], 1, &["--missing middle", "public bounds"]);
    refused("a,b\n1,\n", &["--bounds", "auto:10%", "--missing", "middle"], 1, &["--missing middle", "public bounds"]);
    refused("a,b\n1,2\n", &["--delimiter", "ab"], 2, &["one character"]);
    refused("a,b\n1,2\n", &["--columns", "a,zz"], 1, &["zz"]);
    refused(b"PAR1 this is not a parquet file", &[], 1, &["Parquet"]);
    refused([0x1f, 0x8b, 8, 0, 1, 2], &[], 1, &["gzip"]);
}

#[test]
fn no_message_quotes_a_record() {
    let place = place();
    place.write("d.csv", "name,age\nAda Lovelace,36\nsecret77,x41secret\n");
    for more in [&[][..], &["--columns", "age"], &["--missing", "drop"]] {
        let mut args = vec!["fit", "d.csv", "-k", "2", "-e", "1", "--bounds", "0,100"];
        args.extend(more);
        let message = place.run(&args).fails(1, &[]).err();
        assert!(!message.contains("Ada") && !message.contains("secret") && !message.contains("x41"), "{message}");
    }
}

#[test]
fn a_record_does_not_pass_for_a_header() {
    // Without a header the first record would become column names, in messages and in the model.
    for text in ["unknown,34\n5,40\n6,41\n", "Alice,34\nBob,40\n", "Ada,5,5\nBob,6,6\n"] {
        let place = place();
        place.write("d.csv", text);
        let message = place
            .run(&["fit", "d.csv", "-k", "1", "-e", "1", "-b", "0,100"])
            .fails(1, &["header", "--no-header"])
            .err();
        assert!(
            !message.contains("Alice")
                && !message.contains("Ada")
                && !message.contains("34")
                && !message.contains("unknown"),
            "{message}"
        );
    }
    // Years as column names are fine when the user names them.
    let place = place();
    place.write("d.csv", "name,2019,2020\nx,1,2\ny,3,4\n");
    place.run(&["fit", "d.csv", "-k", "1", "-e", "1", "-b", "0,10", "--columns", "2019,2020"]).ok();
}

#[test]
fn bad_numbers_on_the_command_line() {
    let iris = iris();
    let data = iris.to_str().unwrap();
    let place = Place::new();
    let fit =
        |k: &str, epsilon: &str| place.run(&["fit", data, "-k", k, "--epsilon", epsilon, "--bounds", IRIS_BOUNDS]);
    fit("0", "1").fails(2, &["give 1 or more"]);
    fit("-3", "1").fails(2, &["whole number"]);
    fit("two", "1").fails(2, &["whole number"]);
    fit("3", "0").fails(2, &["above 0"]);
    fit("3", "-1").fails(2, &["negative"]);
    fit("3", "nan").fails(2, &["not a number"]);
    fit("3", "1e-9").fails(2, &["hides any table"]);
    fit("3", "1e9").fails(2, &["protects nobody"]);
    place.run(&["ledger", "init", "x", "--epsilon", "1", "--delta", "1"]).fails(2, &["promises nothing"]);
    place
        .run(&["fit", data, "-k", "3", "-e", "1", "--bounds", IRIS_BOUNDS, "-m", "best"])
        .fails(2, &["dplloyd-impr", "shoal methods"]);
    place
        .run(&["fit", data, "-k", "3", "-e", "1", "--bounds", IRIS_BOUNDS, "--iterations", "0"])
        .fails(2, &["iterations"]);
    place.run(&["fit", data, "-k", "3", "-e", "1", "--bounds", IRIS_BOUNDS, "--memory", "lots"]).fails(2, &["512M"]);
    place.run(&["fit"]).fails(2, &["Usage"]);
    place.run(&["fitt"]).fails(2, &["fit"]);
    assert!(place.files().is_empty());
}

#[test]
fn awkward_but_valid_tables_work() {
    let place = Place::new();
    let fit = |text: String, k: &str| {
        place.write("d.csv", text);
        place.run(&["fit", "d.csv", "-k", k, "-e", "1", "--bounds", "-10,10", "--format", "json"]).ok().json()
    };
    fit("a,b\n1,2\n".into(), "3");
    fit("a,b\n-0.0,5e-324\n1e308,-1e308\n".into(), "2");
    fit("\u{feff}a,b\r\n1,2\r\n3,4\r\n".into(), "1");
    fit(format!("a\n{}", "3\n".repeat(100_000)), "4");
    fit("a,constant\n1,7\n2,7\n3,7\n".into(), "2");
    let dropped = place.write("d.csv", "a,b\n1,2\n,3\n4,5\n");
    place.run(&["fit", dropped.to_str().unwrap(), "-k", "1", "-e", "1", "-b", "0,10", "--missing", "drop"]).ok();
}

#[test]
fn files_that_cannot_be_written_cost_nothing() {
    let place = place();
    place.write("d.csv", "a\n1\n2\n");
    let fit = |more: &[&str]| {
        let mut args = vec!["fit", "d.csv", "-k", "1", "-e", "1", "-b", "0,10", "--ledger", "shoal.ledger"];
        args.extend(more);
        place.run(&args)
    };
    fit(&["--out", "no/such/folder/m.json"]).fails(1, &["cannot write", "choose another place"]);
    fit(&["--out", "."]).fails(1, &["folder"]);
    fit(&["--out", "same", "--report", "same"]).fails(2, &["same file"]);
    // Neither the budget nor the data may be replaced by a result, by whatever path.
    fit(&["--out", "shoal.ledger"]).fails(1, &["would replace shoal.ledger"]);
    fit(&["--report", "./d.csv"]).fails(1, &["would replace d.csv"]);
    fit(&["--out", "/dev/null"]).fails(1, &["not an ordinary file"]);
    fit(&["--out", "-"]).fails(2, &["--format json"]);
    fit(&["--threads", "0"]).fails(2, &["from 1 to 512"]);
    assert_eq!(place.read("d.csv"), "a\n1\n2\n");
    nothing_happened(&place);
}

#[test]
fn missing_and_foreign_files() {
    let place = Place::new();
    place.run(&["fit", "nothing.csv", "-k", "1", "-e", "1", "-b", "0,1"]).fails(1, &["nothing.csv"]);
    place.write("d.csv", "a\n1\n");
    place.run(&["predict", "nothing.json", "d.csv"]).fails(1, &["cannot read the model"]);
    place.write("m.json", "{}");
    place.run(&["predict", "m.json", "d.csv"]).fails(1, &["not a Shoal model"]);
    place.write("m.json", r#"{"version": 2}"#);
    place.run(&["predict", "m.json", "d.csv"]).fails(1, &["format version 2", "reads version 1"]);
    place.run(&["fit", "d.csv", "-k", "1", "-e", "1", "-b", "a=0:5", "--out", "m.json"]).ok();
    place.write("other.csv", "b\n1\n");
    place.run(&["predict", "m.json", "other.csv"]).fails(1, &["a"]);
    place.run(&["score", "d.csv", "--model", "m.json", "--labels", "none"]).fails(1, &["none"]);
    let damaged = place.read("m.json").replace("\"columns\": [\n    \"a\"\n  ]", "\"columns\": [\"a\", \"b\"]");
    place.write("m.json", damaged);
    place.run(&["predict", "m.json", "d.csv"]).fails(1, &["contradicts itself"]);
    let broken = place.write("broken.csv", "a\n1\nx\n");
    place.run(&["fit", "d.csv", "-k", "1", "-e", "1", "-b", "a=0:5", "--out", "m.json"]).ok();
    let run = place.run(&["predict", "m.json", broken.to_str().unwrap()]).fails(1, &["row 2"]);
    assert_eq!(run.out(), "", "no labels of a table that turned out to be broken");
}
