//! Tables that could hide rows, give cells away or be refused at an exact number of rows, as the program meets them.

use crate::common::Place;

const FIT: [&str; 11] = ["fit", "d.csv", "-k", "2", "-e", "1", "-b", "x=0:1,y=0:1", "--seed", "3", "--format"];

fn fit<'a>(more: &[&'a str]) -> Vec<&'a str> {
    FIT.into_iter().chain(["json"]).chain(more.iter().copied()).collect()
}

fn rows(count: usize) -> String {
    let row = |i: usize| format!("0.{},0.{}\n", i % 9, i % 7);
    format!("x,y\n{}", (0..count).map(row).collect::<String>())
}

/// 262,144 rows of two columns take a megabyte on the lattice.
#[test]
fn one_row_more_than_fits_gives_the_same_as_with_more_memory() {
    let place = Place::new();
    for count in [262_144, 262_145] {
        place.write("d.csv", rows(count));
        let held = place.run(&fit(&[])).ok().out();
        assert_eq!(place.run(&fit(&["--memory", "1M"])).ok().out(), held, "{count} rows");
    }
    // Too little for the columns is too little for any number of rows.
    let names: Vec<String> = (0..30).map(|i| format!("x{i}")).collect();
    for count in [0, 1, 20_000] {
        let row = vec!["0.5"; 30].join(",") + "\n";
        place.write("wide.csv", format!("{}\n{}", names.join(","), row.repeat(count)));
        let wide = ["fit", "wide.csv", "-k", "2", "-e", "1", "-b", "0,1", "-m", "mean", "--memory"];
        let refused = place.run(&[&wide[..], &["1M"]].concat()).fails(1, &["--memory 1152K", "however few rows"]);
        assert_eq!(refused.out(), "");
        place.run(&[&wide[..], &["1152K"]].concat()).ok();
    }
}

#[test]
fn standard_input_that_is_longer_than_memory_waits_on_disk_without_a_trace() {
    let place = Place::new();
    let text = rows(150_000);
    place.write("d.csv", &text);
    let held = place.run(&fit(&[])).ok().out();
    let folder = tempfile::tempdir().unwrap();
    for memory in [text.len() + 1, text.len(), text.len() - 1, 1 << 20] {
        let memory = memory.to_string();
        let mut args = fit(&["--memory", &memory]);
        args[1] = "-";
        let mut command = place.command(&args);
        command.env("TMPDIR", folder.path()).stdin(std::process::Stdio::piped());
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        let mut child = command.spawn().unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), text.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(String::from_utf8(output.stdout).unwrap(), held, "{memory} bytes");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is left behind");
    }
    // A folder that does not exist has no room.
    let mut args = fit(&["--memory", "1M"]);
    args[1] = "-";
    let mut command = place.command(&args);
    let nowhere = folder.path().join("none");
    command.env("TMPDIR", &nowhere).stdin(std::fs::File::open(place.path("d.csv")).unwrap());
    // A file on standard input is read through as a stream, too.
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&output.stderr).contains("TMPDIR"));
}

#[test]
fn every_command_refuses_an_open_quote_and_spends_nothing() {
    let place = Place::new();
    let mut text = String::from("x,y,name\n");
    for i in 0..300 {
        text.push_str(&format!("0.{},0.{},Ann\n", i % 9, i % 7));
    }
    place.write("good.csv", &text);
    place.write("d.csv", format!("{text}0.9,0.9,\"Bob\n{}", "0.1,0.2,Eve\n".repeat(200)));
    place.write("legal.csv", format!("{text}0.9,0.9,\"Bob\nor Robert\"\n"));
    place.run(&["ledger", "init", "d", "--epsilon", "2"]).ok();
    place.run(&["fit", "good.csv", "-k", "2", "-e", "1", "-b", "x=0:1,y=0:1", "--out", "m.json"]).ok();
    let init = ["consortium", "init", "-b", "x=0:1,y=0:1", "--bits", "8", "--epsilon", "1", "--out", "a.json"];
    place.run(&init).ok();
    let commands: [Vec<&str>; 7] = [
        vec!["fit", "d.csv", "-k", "2", "-e", "1", "-b", "x=0:1,y=0:1", "--ledger", "shoal.ledger"],
        vec!["fit", "d.csv", "-k", "2", "-e", "1", "-b", "auto:0.1", "--columns", "x,y", "--ledger", "shoal.ledger"],
        vec!["bounds", "d.csv", "-e", "1", "--columns", "x,y", "--ledger", "shoal.ledger"],
        vec!["perturb", "d.csv", "-e", "4", "-b", "x=0:1,y=0:1", "--out", "r.csv"],
        vec!["predict", "m.json", "d.csv"],
        vec!["score", "d.csv", "--model", "m.json"],
        vec!["consortium", "encode", "d.csv", "--agreement", "a.json", "--max-epsilon", "99", "--out", "c.parquet"],
    ];
    for args in &commands {
        let run = place.run(args);
        let message = run.err();
        run.fails(1, &["line 302", "opens a quote", "--multiline"]);
        assert!(!message.contains("Bob"), "{message}");
        place.run(&[&args[..], &["--multiline"]].concat()).fails(1, &["line 302", "never closed"]);
    }
    assert!(!place.path("r.csv").exists());
    let shown = place.run(&["ledger", "show", "--format", "json"]).ok().json();
    assert_eq!(shown[0]["epsilon"]["spent"], 0.0);
    let legal = ["fit", "legal.csv", "-k", "2", "-e", "1", "-b", "x=0:1,y=0:1", "--rows-public"];
    place.run(&legal).fails(1, &["line 302", "--multiline"]);
    let run = place.run(&[&legal[..], &["--multiline"]].concat()).ok();
    assert!(run.err().contains("301"), "{}", run.err());
}

#[test]
fn names_and_cells_play_no_tricks_on_a_terminal() {
    let place = Place::new();
    let control = |run: &crate::common::Run| {
        format!("{}{}", run.out(), run.err()).chars().any(|c| shoal_privacy::is_unprintable(c) && c != '\n')
    };
    place.write("d.csv", "a\u{1b}[2J,b\n1,2\n3,4\n");
    let fit = |more: &[&str]| place.run(&[&["fit", "d.csv", "-k", "1", "-e", "1"], more].concat());
    // The codes that terminals obey have no place in a CSV's text.
    let run = fit(&["-b", "0,9"]).fails(1, &["line 1 is no text (it holds control characters)"]);
    assert!(!control(&run), "{:?}", run.err());
    // Their one-character forms above 127 can be letters in an older encoding: they are read and never printed.
    place.write("d.csv", "a\u{85},b\u{9b}31m\n1,2\n3,4\nx,6\n");
    for more in [&["-b", "0,9"][..], &["-b", "c=0:1"], &["-b", "0,9", "--columns", "\u{1b}]0;x\u{7}"]] {
        let run = fit(more).fails(1, &[]);
        assert!(!control(&run), "{:?}", run.err());
    }
    place.write("d.csv", "a\u{85},b\u{9b}31m\n1,2\n3,4\n");
    assert!(!control(&fit(&["-b", "0,9"]).ok()));
    assert!(!control(&place.run(&["bounds", "d.csv", "-e", "1"]).ok()));
    // Marks that turn the direction of writing are letters of no name.
    place.write("d.csv", "a\u{202e}b,c\u{2066}d\n1,2\n3,4\nx,6\n");
    for more in [&["-b", "0,9"][..], &["-b", "c=0:1"]] {
        let run = fit(more).fails(1, &[]);
        assert!(!control(&run), "{:?}", run.err());
    }
    place.write("d.csv", "a\u{202e}b,c\u{2066}d\n1,2\n3,4\n");
    assert!(!control(&fit(&["-b", "0,9"]).ok()));
    assert!(!control(&place.run(&["bounds", "d.csv", "-e", "1"]).ok()));
    place.run(&["ledger", "init", "d\u{202e}e", "--epsilon", "9"]).ok();
    place.run(&["ledger", "init", "d\u{1b}[2J", "--epsilon", "9"]).ok();
    let shown = place.run(&["ledger", "show"]).ok();
    assert!(!control(&shown), "{:?}", shown.out());
}

#[test]
fn a_blank_line_in_one_column_is_a_row_without_a_value() {
    let place = Place::new();
    place.write("d.csv", "x\n0.5\n\n0.7\n");
    let fit = ["fit", "d.csv", "-k", "1", "-e", "1", "-b", "0,1", "--rows-public"];
    place.run(&fit).fails(1, &["row 2 (line 3)", "--missing drop"]);
    let run = place.run(&[&fit[..], &["--missing", "drop"]].concat()).ok();
    assert!(run.out().contains("which rows lack a value"), "{}", run.out());
}

#[test]
fn messages_and_pages_agree_on_what_may_be_shown() {
    for character in ('\0'..=char::MAX).filter(|&character| character != '\u{fffd}') {
        let replaced = shoal_page::text::printable(&character.to_string()) == "\u{fffd}";
        assert_eq!(shoal_privacy::is_unprintable(character), replaced, "{character:?}");
    }
}
