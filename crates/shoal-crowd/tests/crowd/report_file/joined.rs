//! Several files together, and files of other kinds.

use super::*;

#[test]
fn files_of_one_design_are_put_together_in_their_order() {
    let a = values(2, 10);
    let b: Vec<Vec<i64>> = values(2, 15).iter().map(|column| column[10..].to_vec()).collect();
    let bytes = |columns, form| written(&people(), false, columns, form);
    let joined: Vec<Vec<i64>> = a.iter().zip(&b).map(|(a, b)| [a.clone(), b.clone()].concat()).collect();
    for (one, other) in [(Form::Csv, Form::Parquet), (Form::Parquet, Form::Parquet), (Form::Parquet, Form::Csv)] {
        let sources = vec![Source::Memory(bytes(&a, one)), Source::Memory(bytes(&b, other))];
        let reports = Reports::read(sources).unwrap();
        assert_eq!((&reports.columns, reports.files), (&joined, 2));
    }
    let (first, second) = (bytes(&a, Form::Csv), bytes(&b, Form::Csv));
    let without = |lines: usize| {
        let text = String::from_utf8(second.clone()).unwrap();
        text.lines().skip(lines).map(|line| format!("{line}\n")).collect::<String>().into_bytes()
    };
    for second in [second.clone(), without(1), without(2), [b"\n", &second[..]].concat()] {
        let reports = read([first.clone(), second].concat()).unwrap();
        assert_eq!((&reports.columns, reports.files), (&joined, 2));
    }
    let windows = String::from_utf8(first.clone()).unwrap().replace('\n', "\r\n").into_bytes();
    assert_eq!(read(windows).unwrap().columns, a);
    assert_eq!(read(first.trim_ascii_end().to_vec()).unwrap().columns, a);
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut packed, &first).unwrap();
    assert_eq!(read(packed.finish().unwrap()).unwrap().columns, a);
    assert!(matches!(Reports::read(Vec::new()), Err(ReportFileError::Sealed(SealedError::NoFiles { .. }))));
}

#[test]
fn files_that_were_not_made_alike_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let other_bounds = [("age", 17.0, 91.0), ("hours", 1.0, 99.0)];
    let other_name = [("age", 17.0, 90.0), ("weeks", 1.0, 99.0)];
    let cases = [
        (
            design(Mechanism::LaplaceMetric, "4", &PEOPLE),
            false,
            "by laplace with ε = 4",
            "by laplace-metric with ε = 4",
        ),
        (design(Mechanism::Laplace, "2", &PEOPLE), false, "by laplace with ε = 4", "by laplace with ε = 2"),
        (design(Mechanism::Laplace, "4", &other_name), false, "of the columns age, hours", "of the columns age, weeks"),
        (design(Mechanism::Laplace, "4", &PEOPLE[..1]), false, "of the columns age, hours", "of the columns age"),
        (design(Mechanism::Laplace, "4", &other_bounds), false, "with age from 17 to 90", "with age from 17 to 91"),
        (people(), true, "with true noise", "with noise from a seed"),
    ];
    for (other, seeded, one, two) in cases {
        let columns = values(other.bounds().dims(), 4);
        for form in FORMS {
            let paths = ["a", "b"].map(|name| folder.path().join(name));
            std::fs::write(&paths[0], written(&people(), false, &values(2, 3), form)).unwrap();
            std::fs::write(&paths[1], written(&other, seeded, &columns, form)).unwrap();
            let message = Reports::read(paths.clone().map(Source::Path).into()).unwrap_err().to_string();
            let [a, b] = paths.map(|path| path.display().to_string());
            assert_eq!(message, format!("{a} holds reports {one} and {b} {two}; cluster them apart"));
        }
        let joined =
            [written(&people(), false, &values(2, 3), Form::Csv), written(&other, seeded, &columns, Form::Csv)];
        assert!(matches!(read(joined.concat()), Err(ReportFileError::Sealed(SealedError::Mixed { .. }))));
    }
}

#[test]
fn other_files_are_not_taken_for_reports() {
    let field = Type::primitive_type_builder("age", PhysicalType::INT64).build().unwrap();
    let schema = Type::group_type_builder("rows").with_fields(vec![Arc::new(field)]).build().unwrap();
    let mut ordinary = Vec::new();
    SerializedFileWriter::new(&mut ordinary, Arc::new(schema), Arc::default()).unwrap().close().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x");
    for bytes in [ordinary, b"a,b\n1,2\n".to_vec(), b"# shoal.reports.end {}\n".to_vec(), vec![0xff; 99], vec![b'\n']] {
        std::fs::write(&path, &bytes).unwrap();
        assert!(FileKind::of_path(&path) != FileKind::Reports);
        let message = read(bytes).unwrap_err().to_string();
        assert!(
            message.contains("holds no Shoal reports") && message.contains("`shoal perturb` wrote (`out`)"),
            "{message}"
        );
    }
    assert!(read(Vec::new()).unwrap_err().to_string().contains("empty"));
    assert!(
        FileKind::of_path(folder.path()) != FileKind::Reports
            && FileKind::of_path(&folder.path().join("none")) != FileKind::Reports
    );
    for form in FORMS {
        std::fs::write(&path, written(&people(), false, &values(2, 3), form)).unwrap();
        assert!(FileKind::of_path(&path) == FileKind::Reports);
    }
    assert_eq!(Form::of("a/b.CSV".as_ref()), Form::Csv);
    assert_eq!(Form::of("a.csv/b".as_ref()), Form::Parquet);
}
