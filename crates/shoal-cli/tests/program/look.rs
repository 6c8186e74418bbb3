//! `shoal look`, and tables as people have them.

use crate::common::Place;

const PEOPLE: &str = "Patient_ID;age;income;born;comment\n";

#[test]
fn a_look_reads_the_header_and_no_record() {
    let place = Place::new();
    // Records that could not be read at all make no difference.
    for records in ["", "7;39;$39,474;1985-04-05;likes \"tea\n", "Zaphod;;;;;;;\n\u{0}\n"] {
        place.write("people.csv", format!("{PEOPLE}{records}"));
        let text = place.run(&["look", "people.csv"]).ok().out();
        for words in [
            "5 columns",
            "`Patient_ID` identifies people",
            "`comment` seems to be text",
            "shoal fit people.csv -k auto --epsilon 1 --report report.html --bounds age=0:110,income=LO:HI,born=1900-01-01:2030-12-31",
        ] {
            assert!(text.replace('\n', " ").contains(words), "{words}: {text}");
        }
        assert!(!text.contains("Zaphod") && !text.contains("39"), "{text}");
        let json = place.run(&["look", "people.csv", "--format", "json"]).ok().json();
        assert_eq!((&json["delimiter"], &json["columns"][0]["role"]), (&";".into(), &"key".into()));
    }
}

/// The line to edit reads the table as the look did.
#[test]
fn a_look_repeats_how_the_table_is_read() {
    let place = Place::new();
    place.write("odd.csv", "Patient ID^alter^datum\n1^2^1/2/1999\n");
    let shown = |more: &[&str]| place.run(&[&["look", "odd.csv"], more].concat()).ok().out().replace('\n', " ");
    let text = shown(&["--delimiter", "^", "--decimal", ",", "--dates", "dmy", "--unpacked-limit", "2M"]);
    for words in [
        "shoal fit odd.csv --delimiter '^' --decimal , --dates dmy --unpacked-limit 2097152 -k auto",
        "alter=0:110,datum=1900-01-01:2030-12-31",
        "--person 'Patient ID'",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert!(shown(&["--delimiter", "^"]).contains("odd.csv --delimiter '^' -k auto"));
    assert!(shown(&["--delimiter", "^", "--no-header"]).contains("--no-header -k auto"));
}

#[test]
fn a_look_refuses_what_may_be_a_record_and_escapes_what_a_terminal_would_obey() {
    let place = Place::new();
    place.write("headless.csv", "41,Zaphod\n");
    let message = place.run(&["look", "headless.csv"]).fails(1, &["header"]).err();
    assert!(!message.contains("Zaphod"), "{message}");
    place.run(&["look", "headless.csv", "--no-header"]).ok();
    place.write("odd.csv", "a\u{9b}2J,b\n1,2\n");
    assert!(!place.run(&["look", "odd.csv"]).ok().out().contains('\u{9b}'));
    place.run(&["look", "nowhere.csv"]).fails(1, &["nowhere.csv"]);
}

#[test]
fn from_a_german_export_to_a_model() {
    let place = Place::new();
    let mut text = String::from("Alter;Einkommen;geboren\n");
    for i in 0..3000 {
        let (age, income, year) =
            if i % 2 == 0 { ("25,5", "1.234,50 €", 1998) } else { ("60", "30.000,00 €", 1965) };
        text.push_str(&format!("{age};{income};{:02}.03.{year}\n", i % 28 + 1));
    }
    let utf16: Vec<u8> = format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect();
    place.write("leute.csv", &text);
    place.write("leute16.csv", utf16);
    let bounds = "Alter=0:110,Einkommen=0:50000,geboren=1930-01-01:2010-12-31";
    let model = |file: &str| {
        let words =
            ["fit", file, "-k", "2", "-e", "4", "-b", bounds, "--rows", "3000", "--seed", "5", "--format", "json"];
        place.run(&words).ok().json()["centers"].clone()
    };
    let centres = model("leute.csv");
    assert_eq!(centres, model("leute16.csv"));
    let near = |centre: &serde_json::Value, expected: [f64; 3]| {
        let tolerances = [3.0, 1500.0, 2.0];
        (0..3).all(|i| (centre[i].as_f64().unwrap() - expected[i]).abs() < tolerances[i])
    };
    let both = [[25.5, 1234.5, 1998.2], [60.0, 30_000.0, 1965.2]];
    assert!(both.iter().all(|expected| (0..2).any(|i| near(&centres[i], *expected))), "{centres}");
}
