//! Files that were crafted, damaged or are not quite reports.

use super::*;

/// A seal that fits.
fn seal(about: &str, columns: &[Vec<i64>]) -> String {
    let (mut crc, rows) = (flate2::Crc::new(), columns.first().map_or(0, Vec::len));
    crc.update(about.as_bytes());
    for row in 0..rows {
        columns.iter().for_each(|column| crc.update(&column[row].to_le_bytes()));
    }
    crc.update(&(rows as u64).to_le_bytes());
    json!({"rows": rows, "crc32": format!("{:08x}", crc.sum())}).to_string()
}

/// A file with this description and a seal that fits.
fn crafted(about: &Value, names: &[&str], columns: &[Vec<i64>], form: Form) -> Vec<u8> {
    let about = about.to_string();
    let seal = seal(&about, columns);
    let rows = columns[0].len();
    if form == Form::Csv {
        let mut text = format!("# {KEY} {about}\n{}\n", names.join(","));
        for row in 0..rows {
            let cells: Vec<_> = columns.iter().map(|column| column[row].to_string()).collect();
            text.push_str(&(cells.join(",") + "\n"));
        }
        return (text + &format!("# {END} {seal}\n")).into_bytes();
    }
    let field = |name: &&str| {
        Arc::new(
            Type::primitive_type_builder(name, PhysicalType::INT64)
                .with_repetition(Repetition::REQUIRED)
                .build()
                .unwrap(),
        )
    };
    let schema = Type::group_type_builder("r").with_fields(names.iter().map(field).collect()).build().unwrap();
    let pairs = vec![KeyValue::new(KEY.into(), about), KeyValue::new(SEAL_KEY.into(), seal)];
    let properties = WriterProperties::builder().set_key_value_metadata(Some(pairs)).build();
    let mut bytes = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut bytes, Arc::new(schema), Arc::new(properties)).unwrap();
    let mut group = writer.next_row_group().unwrap();
    for values in columns {
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<Int64Type>().write_batch(values, None, None).unwrap();
        column.close().unwrap();
    }
    group.close().unwrap();
    writer.close().unwrap();
    bytes
}

fn about(design: &Design) -> Value {
    serde_json::from_str(&described(&written(design, false, &values(2, 3), Form::Parquet), KEY)).unwrap()
}

#[test]
fn a_description_that_does_not_make_sense_is_refused() {
    let good = about(&people());
    let names = ["age", "hours"];
    let mut stronger = good["guarantee"].clone();
    stronger["loss"] = json!({"pure": 3.9999});
    let mut unconditional = good["guarantee"].clone();
    unconditional["assumes"] = json!([]);
    let cases = [
        ("version", json!(2), "version 2"),
        ("version", json!("1"), "no version number"),
        ("version", Value::Null, "no version number"),
        ("columns", json!(["age"]), "bounds"),
        ("columns", json!([]), "no columns"),
        ("columns", json!(["age", "age"]), "same name"),
        ("columns", json!(["age", "\u{1b}[2J"]), "control characters"),
        ("bounds", json!([[17.0, 90.0]]), "bounds"),
        ("bounds", json!([[90.0, 17.0], [1.0, 99.0]]), "damaged"),
        ("steps", json!(65_535), "65535 steps"),
        ("epsilon", json!(0.0), "contradict"),
        ("epsilon", json!(3.0), "promise is not the one"),
        ("epsilon", json!(-1.0), "damaged"),
        ("mechanism", json!({"name": "laplace-metric"}), "promise is not the one"),
        ("mechanism", json!({"name": "magic"}), "damaged"),
        ("sampler", json!("magic"), "damaged"),
        ("sampler", json!("doubles"), "does not draw its noise in that way"),
        ("seeded", json!(true), "promise is not the one"),
        ("guarantee", json!({"none": "seeded"}), "promise is not the one"),
        ("guarantee", stronger, "promise is not the one"),
        ("guarantee", unconditional, "promise is not the one"),
        ("guarantee", json!({}), "damaged"),
        ("also", json!([]), "promise is not the one"),
        ("shoal", json!("0.1\r"), "control characters"),
    ];
    for form in FORMS {
        assert!(read(crafted(&good, &names, &values(2, 4), form)).is_ok());
        for (key, value, words) in &cases {
            let mut about = good.clone();
            about[*key] = value.clone();
            let message = read(crafted(&about, &names, &values(2, 4), form)).unwrap_err().to_string();
            assert!(message.contains(words), "{key} = {value}: {message}");
            assert!(message.contains("again from where") || message.contains("use a program"), "no way out: {message}");
        }
        let message = read(crafted(&good, &names, &[vec![], vec![]], form)).unwrap_err().to_string();
        assert!(message.contains("holds no reports"), "{message}");
        let message = read(crafted(&good, &["age", "weeks"], &values(2, 4), form)).unwrap_err().to_string();
        assert!(message.contains("column"), "{message}");
        let message = read(crafted(&json!({}), &names, &values(2, 4), form)).unwrap_err().to_string();
        assert!(message.contains("no version number"), "{message}");
    }
}

#[test]
fn text_that_is_not_quite_reports_is_refused() {
    let good = String::from_utf8(written(&people(), false, &[vec![1, 2, 3], vec![4, 5, 6]], Form::Csv)).unwrap();
    let lines: Vec<&str> = good.lines().collect();
    let with = |at: usize, line: &str| {
        let mut lines = lines.clone();
        lines[at] = line;
        read((lines.join("\n") + "\n").into_bytes()).unwrap_err().to_string()
    };
    for row in ["1,x", "1", "1,2,3", "1.0,4", "1e3,4", "99999999999999999999,4", "", " 1,4", "NaN,4", "# note"] {
        assert!(with(2, row).contains("line 3 is no report"), "{row}");
    }
    assert!(with(2, "1,5").contains("checksum"));
    assert!(with(1, "hours,age").contains("names"));
    assert!(with(1, "1,4").contains("names"));
    assert!(with(5, "# shoal.reports.end {}").contains("no seal"));
    assert!(with(5, "# shoal.reports.end {\"rows\":18446744073709551615,\"crc32\":\"00000000\"}").contains("checksum"));
    assert!(with(5, "# the end").contains("no report"));
    let cut = lines[..5].join("\n");
    assert!(read(cut.clone().into_bytes()).unwrap_err().to_string().contains("cut off"));
    // Two files, the first of which was cut off.
    assert!(read((cut + "\n" + &good).into_bytes()).unwrap_err().to_string().contains("line 6 is no report"));
    assert!(read([good.as_bytes(), b"5,5\n"].concat()).unwrap_err().to_string().contains("cut off"));
}

#[test]
fn reports_that_the_mechanism_cannot_have_made_are_counted() {
    let unsound = |bound: &str| Mechanism::Bpgm { bound: bound.parse().unwrap(), form: BpgmForm::Adam };
    let good = about(&people());
    let mut bpgm = good.clone();
    bpgm["mechanism"] = json!({"name": "bpgm", "bound": 0.5, "form": "adam"});
    bpgm["sampler"] = json!("doubles");
    bpgm["guarantee"] = json!({"none": "unsound"});
    bpgm["also"] = json!([]);
    let Space { low, high } = Client::accepting_unsound(&design(unsound("0.5"), "4", &PEOPLE)).unwrap().space();
    for form in FORMS {
        let edge = vec![vec![low, high], vec![high, low]];
        let reports = read(crafted(&bpgm, &["age", "hours"], &edge, form)).unwrap();
        assert_eq!((reports.columns, reports.design.mechanism()), (edge, &unsound("0.5")));
        assert_eq!(reports.promises.guarantee, Guarantee::Void { none: NoGuarantee::Unsound });
        let mut beyond = vec![vec![0; 1000], vec![0; 1000]];
        (0..16).for_each(|row| beyond[row % 2][row] = low - 1);
        (beyond[0][16], beyond[1][16]) = (high + 1, i64::MIN);
        let message = read(crafted(&bpgm, &["age", "hours"], &beyond, form)).unwrap_err().to_string();
        assert!(
            message.contains("17 of 1,000 reports") && message.contains(&format!("{low} to {high} steps")),
            "{message}"
        );
        // A mechanism that keeps no promise cannot have one in its file.
        let mut claimed = bpgm.clone();
        claimed["guarantee"] = good["guarantee"].clone();
        let message = read(crafted(&claimed, &["age", "hours"], &[vec![0], vec![0]], form)).unwrap_err().to_string();
        assert!(message.contains("promise is not the one"), "{message}");
    }
}

#[test]
fn a_parquet_file_of_other_columns_is_refused() {
    let text = about(&people()).to_string();
    let column = |name: &str, physical| {
        Arc::new(Type::primitive_type_builder(name, physical).with_repetition(Repetition::REQUIRED).build().unwrap())
    };
    let fields = vec![column("age", PhysicalType::DOUBLE), column("hours", PhysicalType::DOUBLE)];
    let schema = Type::group_type_builder("r").with_fields(fields).build().unwrap();
    let pairs =
        vec![KeyValue::new(KEY.into(), text.clone()), KeyValue::new(SEAL_KEY.into(), seal(&text, &values(2, 4)))];
    let properties = WriterProperties::builder().set_key_value_metadata(Some(pairs)).build();
    let mut bytes = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut bytes, Arc::new(schema), Arc::new(properties)).unwrap();
    let mut group = writer.next_row_group().unwrap();
    while let Some(mut column) = group.next_column().unwrap() {
        column.typed::<DoubleType>().write_batch(&[0.5; 4], None, None).unwrap();
        column.close().unwrap();
    }
    group.close().unwrap();
    writer.close().unwrap();
    let message = read(bytes).unwrap_err().to_string();
    assert!(message.contains("a column of whole numbers is missing"), "{message}");
}

#[test]
fn a_damaged_file_is_refused_or_says_the_same() {
    let inside = vec![(0..12).map(|i| i * 7919 - 30_000).collect(), (0..12).map(|i| 65_534 - i * i).collect()];
    let bpm = design(Mechanism::Bpm { radius_steps: 65_534 }, "2", &PEOPLE);
    let cases = [
        (people(), false, values(2, 12)),
        (design(Mechanism::LaplaceMetric, "0.5", &PEOPLE), true, values(2, 12)),
        (bpm, false, inside),
    ];
    for (design, seeded, columns) in cases {
        for form in FORMS {
            let bytes = written(&design, seeded, &columns, form);
            let good = read(bytes.clone()).unwrap();
            let same = |bytes| read(bytes).map(|found| found == good).map_err(|error| error.to_string());
            let refused = crate::damage::refused_or_the_same(&bytes, same);
            assert!(refused > 2000, "{refused}");
            for length in 0..bytes.len() {
                match read(bytes[..length].to_vec()) {
                    // All but the end of the last line.
                    Ok(same) => assert!(same == good && form == Form::Csv && length == bytes.len() - 1),
                    Err(error) => drop(error.to_string()),
                }
            }
        }
    }
}
