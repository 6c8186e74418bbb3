//! Reports that would count twice, and equal reports that the mechanism makes by itself.

use super::*;

/// Reports of made-up people under a design.
fn made(design: &Design, rows: usize, seed: u64) -> Vec<Vec<i64>> {
    let client = Client::accepting_unsound(design).unwrap();
    let mut noise = shoal_noise::SeededNoise::new(seed);
    let mut columns = vec![Vec::new(); client.dims()];
    let mut report = vec![0; client.dims()];
    for row in 0..rows {
        let record: Vec<i64> = (0..client.dims()).map(|i| 20_000 + 9_000 * ((row + i) % 4) as i64).collect();
        client.report(&record, &mut noise, &mut report);
        columns.iter_mut().zip(&report).for_each(|(column, &x)| column.push(x));
    }
    columns
}

/// A copy under another name, a copied part and one report sent again and again are refused, and the files are named.
#[test]
fn reports_that_count_twice_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name);
    let save = |name: &str, design: &Design, columns: &[Vec<i64>]| {
        std::fs::write(path(name), written(design, false, columns, Form::Csv)).unwrap();
    };
    let join = |names: &[&str]| Reports::read(names.iter().map(|name| Source::Path(path(name))).collect());
    let part = |columns: &[Vec<i64>], rows: std::ops::Range<usize>| -> Vec<Vec<i64>> {
        columns.iter().map(|column| column[rows.clone()].to_vec()).collect()
    };
    let bpm = design(Mechanism::Bpm { radius_steps: 4 * 65_534 }, "8", &PEOPLE);
    let (monday, tuesday) = (made(&bpm, 300, 1), made(&bpm, 300, 2));
    save("monday.csv", &bpm, &monday);
    save("tuesday.csv", &bpm, &tuesday);
    save("copy.csv", &bpm, &monday);
    save("part.csv", &bpm, &part(&monday, 100..120));
    assert_eq!(join(&["monday.csv", "tuesday.csv"]).unwrap().rows(), 600);
    for other in ["copy.csv", "part.csv"] {
        let error = join(&["monday.csv", "tuesday.csv", other]).unwrap_err();
        let text = error.to_string();
        assert_eq!(error.code(), "reports-copied");
        assert!(text.contains("monday.csv") && text.contains(other) && !text.contains("tuesday.csv"), "{text}");
    }
    let mut again = monday.clone();
    for column in &mut again {
        let first = column[0];
        column[1..150].fill(first);
    }
    save("again.csv", &bpm, &again);
    let text = join(&["again.csv"]).unwrap_err().to_string();
    assert!(text.contains("149 reports in") && text.contains("again.csv") && text.contains("source"), "{text}");
}

/// With one column equal reports happen by themselves, and on a grid all the time; a copied file is recognised all the same.
#[test]
fn reports_that_are_equal_by_chance_pass() {
    let one = design(Mechanism::Bpm { radius_steps: 4 * 65_534 }, "16", &PEOPLE[..1]);
    let columns = made(&one, 6_000, 3);
    let distinct: std::collections::BTreeSet<i64> = columns[0].iter().copied().collect();
    assert!(distinct.len() < 5_990, "there are equal reports to pass: {}", distinct.len());
    assert_eq!(read(written(&one, false, &columns, Form::Csv)).unwrap().rows(), 6_000);
    let sources = |columns: &[Vec<i64>], design: &Design| -> Vec<Source> {
        [Form::Csv, Form::Parquet].map(|form| Source::Memory(written(design, false, columns, form))).into()
    };
    assert!(matches!(Reports::read(sources(&columns, &one)), Err(ReportFileError::Copied { .. })), "a copy");
    for (ending, copies_pass) in
        [(Ending::Clamped, false), (Ending::Grid { cells: 9 }, false), (Ending::Grid { cells: 1 }, true)]
    {
        let design = design(Mechanism::NdLaplace { radius_steps: 100 * 65_534, ending }, "2", &PEOPLE);
        let columns = made(&design, 400, 4);
        assert!(read(written(&design, false, &columns, Form::Csv)).is_ok(), "{ending:?}");
        // On a grid of one cell every file is like every other.
        assert_eq!(Reports::read(sources(&columns, &design)).is_ok(), copies_pass, "{ending:?}");
    }
}
