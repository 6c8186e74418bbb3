//! Labels as people use them: one for each row, with the columns they asked for, read as the model's own table was.

use shoal::{Cluster, Error, Fit, Label, Model, Perturb, Predict, Score};
use shoal_files::{
    Column, DataError, DateOrder, DecimalMark, Form, Matrix, Missing, ReadOptions, Silent, Source, Table, TableFormat,
    Texts, Values,
};
use shoal_privacy::ThisIsNotPrivate;

/// Two groups, with a name for each row.
fn people(rows: usize) -> String {
    let row = |i: usize| match i % 2 {
        0 => format!("p{i:03},{},10\n", 20 + i % 3),
        _ => format!("p{i:03},{},40\n", 70 + i % 3),
    };
    format!("id,age,hours\n{}", (0..rows).map(row).collect::<String>())
}

fn fit() -> Fit {
    Fit::new(2, "8").unwrap().bounds("age=17:90,hours=1:99").unwrap().seed(5)
}

fn source(text: impl Into<Vec<u8>>) -> Source {
    Source::Memory(text.into())
}

fn labels(job: &Predict<'_>, text: &str) -> Result<Vec<Label>, Error> {
    Ok(job.run(source(text))?.reveal(ThisIsNotPrivate))
}

fn written(job: &Predict<'_>, text: &str) -> String {
    let mut out = Vec::new();
    job.write(source(text), &mut out, Form::Csv).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn every_row_has_a_line_with_its_distance_and_what_is_kept() {
    let model = fit().run(source(people(400))).unwrap();
    let text = "id,age,hours,note\n 7,20,10,\"a, b\"\nx,71,40,\"says \"\"no\"\"\"\n,21,10,Zoë\n";
    let job = Predict::new(&model).unwrap().keep(["note", "id", "age"]);
    let found = labels(&job, text).unwrap();
    assert_eq!(found.iter().map(|label| label.row).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!((found[0].label, found[0].label == found[1].label), (found[2].label, false));
    // The distance is the one of which the score is the mean.
    let scores = Score::new(&model).unwrap().run(source(text)).unwrap().reveal(ThisIsNotPrivate);
    let mean = found.iter().map(|label| label.distance.unwrap()).sum::<f64>() / 3.0;
    assert!((mean - scores.nicv_unsquared).abs() < 1e-12);
    assert!(found.iter().all(|label| label.probability.is_none()), "k-means knows no distribution");
    let lines = written(&job, text);
    let lines: Vec<&str> = lines.lines().collect();
    assert_eq!(lines[0], "row,label,distance,note,id,age");
    assert!(lines[1].ends_with(",\"a, b\", 7,20") && lines[2].ends_with(",\"says \"\"no\"\"\",x,71"), "{lines:?}");
    assert!(lines[3].ends_with(",Zoë,,21"), "{lines:?}");
    let distance: f64 = lines[1].split(',').nth(2).unwrap().parse().unwrap();
    assert_eq!(Some(distance), found[0].distance, "written to the last bit");
}

#[test]
fn each_rule_for_gaps_does_what_it_says() {
    let text = "id,age,hours\na,20,10\nb,,10\nc,71,n/a\nd,72,40\n";
    let of = |rule| fit().missing(rule).run(source(people(400))).unwrap();
    // The rule comes from the model.
    let model = of(Missing::Drop);
    let found = labels(&Predict::new(&model).unwrap(), text).unwrap();
    assert_eq!(found.len(), 4);
    assert!(found[0].label.is_some() && found[3].label.is_some());
    for gap in &found[1..3] {
        assert_eq!((gap.label, gap.distance), (None, None));
    }
    let job = Predict::new(&model).unwrap().keep(["id"]);
    assert!(written(&job, text).contains("\n2,,,b\n3,,,c\n4,"));
    let mut none = Vec::new();
    let counts = job.write(source(text), &mut none, Form::Parquet).unwrap().reveal(ThisIsNotPrivate);
    assert_eq!((counts.sizes.iter().sum::<u64>(), counts.unlabelled), (2, 2));
    let scores = Score::new(&model).unwrap().run(source(text)).unwrap().reveal(ThisIsNotPrivate);
    assert_eq!(scores.rows, 2);
    // Not one row that is complete: every line is there, and there is nothing to score.
    let gaps = "id,age,hours\na,,10\n";
    assert!(labels(&job, gaps).unwrap().iter().all(|label| label.label.is_none()));
    let refused = Score::new(&model).unwrap().run(source(gaps));
    assert!(matches!(refused, Err(Error::Data(DataError::AllDropped { .. }))));

    let model = of(Missing::Middle);
    let found = labels(&Predict::new(&model).unwrap(), text).unwrap();
    assert!(found.iter().all(|label| label.label.is_some()));
    let filled = labels(&Predict::new(&model).unwrap(), "age,hours\n53.5,10\n71,50\n").unwrap();
    assert_eq!((found[1].label, found[1].distance), (filled[0].label, filled[0].distance));
    assert_eq!((found[2].label, found[2].distance), (filled[1].label, filled[1].distance));

    let model = of(Missing::Refuse);
    assert!(model.reading.is_usual());
    let refused = labels(&Predict::new(&model).unwrap(), text).unwrap_err();
    assert!(matches!(refused, Error::Data(DataError::Missing { .. })), "{refused}");
    assert!(refused.to_string().contains("row 2"), "{refused}");
    // What is given overrides the model.
    let overridden = Predict::new(&model).unwrap().missing(Missing::Drop);
    assert_eq!(labels(&overridden, text).unwrap()[1].label, None);
}

#[test]
fn the_model_says_how_its_tables_are_read() {
    let german = |rows: usize| {
        let row =
            |i: usize| format!("{}/2/1985;{}\n", 1 + i % 28, if i.is_multiple_of(2) { "1,5" } else { "1.002,25" });
        format!("born;paid\n{}", (0..rows).map(row).collect::<String>())
    };
    let format = TableFormat {
        delimiter: Some(b';'),
        decimal: Some(DecimalMark::Comma),
        dates: Some(DateOrder::DayFirst),
        ..TableFormat::default()
    };
    let fit = Fit::new(2, "8").unwrap().bounds("born=1980-01-01:1990-01-01,paid=0:2000").unwrap().format(format);
    let model = fit.seed(1).multiline().missing(Missing::Drop).run(source(german(300))).unwrap();
    let read = Model::from_json(&model.to_json()).unwrap();
    assert_eq!(read.reading, model.reading);
    let text: serde_json::Value = serde_json::from_str(&model.to_json()).unwrap();
    let written = serde_json::json!({
        "missing": "drop", "multiline": true, "delimiter": ";", "decimal": ",", "dates": "dmy"
    });
    assert_eq!(text["reading"], written);
    let found = labels(&Predict::new(&read).unwrap(), &german(10)).unwrap();
    assert!(found.iter().all(|label| label.distance.unwrap() < 0.5));
    assert_ne!(found[0].label, found[1].label);
    assert_eq!(Score::new(&read).unwrap().run(source(german(10))).unwrap().reveal(ThisIsNotPrivate).rows, 10);
    // Another way of writing is declared in place of the model's, and the rest stays.
    let english = "paid,born\n1.5,1/2/1985\n\"1,002.25\",2/2/1985\n";
    let format = TableFormat { delimiter: Some(b','), decimal: Some(DecimalMark::Point), ..TableFormat::default() };
    assert_eq!(labels(&Predict::new(&read).unwrap().format(format), english).unwrap()[0].label, found[0].label);

    // No header, and a header after all.
    let bare: String = people(300).lines().skip(1).map(|line| line[5..].to_string() + "\n").collect();
    let model = Fit::new(2, "8").unwrap().bounds("c1=17:90,c2=1:99").unwrap().no_header().seed(1);
    let model = Model::from_json(&model.run(source(bare.clone())).unwrap().to_json()).unwrap();
    let found = labels(&Predict::new(&model).unwrap(), &bare).unwrap();
    let named = Predict::new(&model).unwrap().header(true).columns(["age", "hours"]).unwrap();
    assert_eq!(labels(&named, &people(300)).unwrap(), found);
    let scored = Score::new(&model).unwrap().header(true).columns(["age", "hours"]).unwrap();
    assert_eq!(scored.run(source(people(300))).unwrap().reveal(ThisIsNotPrivate).rows, 300);

    // Models of earlier versions say nothing, and mean the usual.
    let mut old: serde_json::Value = serde_json::from_str(&model.to_json()).unwrap();
    old.as_object_mut().unwrap().remove("reading");
    assert!(Model::from_json(&old.to_string()).unwrap().reading.is_usual());
    let mut edited: serde_json::Value = serde_json::from_str(&model.to_json()).unwrap();
    edited["reading"]["delimiter"] = "€".into();
    assert!(Model::from_json(&edited.to_string()).is_err());
}

#[test]
fn names_that_do_not_fit_are_refused_with_what_would() {
    let model = fit().run(source(people(400))).unwrap();
    let job = || Predict::new(&model).unwrap();
    let message = |job: Predict<'_>, text: &str| labels(&job, text).unwrap_err().to_string();
    let text = message(job().keep(["idd"]), &people(4));
    assert!(text.contains("no column `idd`") && text.contains("Did you mean `id`?"), "{text}");
    assert!(message(job().keep(["id", "id"]), &people(4)).contains("id"));
    let text = message(job(), "id,age,worked\na,20,10\n");
    assert!(text.contains("needs a column `hours`") && text.contains("(age, hours)"), "{text}");
    assert_eq!(labels(&job().columns(["age", "worked"]).unwrap(), "id,age,worked\na,20,10\n").unwrap().len(), 1);
    let refused = job().columns(["age"]).err().unwrap();
    assert!(refused.is_usage() && refused.to_string().contains("age, hours"), "{refused}");
    assert!(Score::new(&model).unwrap().columns(["a", "b", "c"]).is_err());
    assert!(message(job(), "id,age,hours\n").contains("no data rows"));
    assert!(message(job(), "").contains("empty"));
    for (name, form) in [("l.csv", Some(Form::Csv)), ("L.PARQUET", Some(Form::Parquet)), ("l.xlsx", None), ("l", None)]
    {
        match (Predict::form_of(name.as_ref()), form) {
            (Ok(found), Some(form)) => assert_eq!(found, form),
            (Err(refused), None) => assert!(refused.is_usage() && refused.to_string().contains(".parquet")),
            (other, _) => panic!("{name}: {other:?}"),
        }
    }
    // A column that labels have themselves is kept apart from theirs.
    let text = written(&job().keep(["label"]), "label,age,hours\nold,20,10\n");
    assert!(text.starts_with("row,label,distance,input.label\n") && text.ends_with(",old\n"), "{text}");
    let both = job().keep(["label", "input.label"]);
    let refused = both.write(source("label,input.label,age,hours\na,b,20,10\n"), Vec::new(), Form::Csv);
    assert!(matches!(refused, Err(Error::Data(DataError::SelectedTwice { .. }))));
}

/// Cells of a column of text, by row.
fn texts(bytes: Vec<u8>, column: &str) -> Vec<String> {
    let options = ReadOptions {
        columns: Some(vec!["row".into()]),
        label: Some(column.into()),
        missing: Missing::Drop,
        ..ReadOptions::default()
    };
    let mut found = Vec::new();
    let table = Table::open(Source::Memory(bytes), &options).unwrap();
    table
        .for_each_batch(100, &Silent, |batch| {
            found.extend_from_slice(batch.labels().unwrap());
            Ok::<(), DataError>(())
        })
        .unwrap();
    found
}

#[test]
fn parquet_has_the_same_as_csv_and_wide_text_survives() {
    let model = fit().missing(Missing::Drop).run(source(people(400))).unwrap();
    let wide = "ä,\"quoted\" ".repeat(40_000);
    let mut text = "note,id,age,hours\n".to_string();
    for i in 0..70 {
        let note = if i % 3 == 0 { wide.replace('"', "\"\"") } else { String::new() };
        text.push_str(&format!("\"{note}\",{i:04},{},{}\n", 20 + i % 2 * 50, if i % 7 == 0 { "" } else { "10" }));
    }
    let job = Predict::new(&model).unwrap().keep(["note", "id"]);
    let write = |form| {
        let mut out = Vec::new();
        job.write(source(text.clone()), &mut out, form).unwrap();
        out
    };
    let (csv, parquet) = (write(Form::Csv), write(Form::Parquet));
    for column in ["row", "label", "distance", "id", "note"] {
        assert!(texts(csv.clone(), column) == texts(parquet.clone(), column), "{column}");
    }
    assert_eq!(texts(parquet.clone(), "note")[3], wide.trim());
    assert_eq!(texts(parquet.clone(), "id")[3], "0003");
    assert_eq!(texts(parquet.clone(), "label")[7], "");
    // Labels that were written are a table, and one can be labelled again with its columns handed on.
    let again = Predict::new(&model).unwrap().columns(["distance", "row"]).unwrap().keep(["id", "label"]);
    let mut out = Vec::new();
    again.write(Source::Memory(parquet), &mut out, Form::Csv).unwrap();
    let out = String::from_utf8(out).unwrap();
    assert!(out.starts_with("row,label,distance,id,input.label\n"), "{out}");
    assert_eq!(out.lines().count(), 71);
    assert!(out.lines().nth(1).unwrap().ends_with(",0000,"), "{out}");
}

#[test]
fn columns_in_memory_are_handed_on_with_their_types() {
    let model = fit().run(source(people(400))).unwrap();
    let (keys, ages, hours) = ([1_i64 << 60, -1], [20.0, 71.0], [10_u8, 40]);
    let names = ["Ann", ""];
    let table = || {
        let columns = [
            ("key", Column::new(Values::I64(&keys))),
            ("age", Column::new(Values::F64(&ages))),
            ("hours", Column::new(Values::U8(&hours))),
        ];
        Matrix::from_columns(columns).unwrap().with_texts("name", Texts::Str(&names)).unwrap()
    };
    let job = Predict::new(&model).unwrap().keep(["key", "name", "age"]);
    let mut rows = Vec::new();
    job.for_each_kept(table(), |label, kept| {
        rows.push((label.row, kept.iter().map(|cell| cell.map(String::from)).collect::<Vec<_>>()));
        Ok::<(), Error>(())
    })
    .unwrap();
    let cell = |text: &str| Some(text.to_string());
    assert_eq!(rows[0], (1, vec![cell("1152921504606846976"), cell("Ann"), cell("20")]));
    assert_eq!(rows[1], (2, vec![cell("-1"), None, cell("71")]));
    let mut parquet = Vec::new();
    job.write(table(), &mut parquet, Form::Parquet).unwrap();
    // A column of whole numbers is one in Parquet, too: it can be read as numbers, which text cannot.
    let options = |column: &str| ReadOptions { columns: Some(vec![column.into()]), ..ReadOptions::default() };
    assert!(Table::open(Source::Memory(parquet.clone()), &options("key")).is_ok());
    assert!(Table::open(Source::Memory(parquet.clone()), &options("age")).is_ok());
    let refused = Table::open(Source::Memory(parquet), &options("name"));
    assert!(matches!(refused, Err(DataError::ColumnType { .. })));
}

#[test]
fn models_that_know_their_clusters_give_probabilities() {
    let rows: Vec<f64> = (0..3000).map(|i| if i % 3 == 0 { 20.0 } else { 80.0 } + f64::from(i % 11)).collect();
    let table = || Matrix::from_rows(&["x"], &rows).unwrap();
    let mut reports = Vec::new();
    let crowd = Perturb::new("16").unwrap().bounds("x=0:100").unwrap().seed(3);
    crowd.run_to(table(), &mut reports, Form::Csv).unwrap();
    let model = Cluster::new(2).unwrap().run(vec![Source::Memory(reports)]).unwrap();
    let model = Model::from_json(&model.to_json()).unwrap();
    let found = Predict::new(&model).unwrap().run(table()).unwrap().reveal(ThisIsNotPrivate);
    assert!(found.iter().all(|label| (0.5..=1.0).contains(&label.probability.unwrap())));
    let between = Matrix::from_rows(&["x"], &[25.0, 55.0]).unwrap();
    let found = Predict::new(&model).unwrap().run(between).unwrap().reveal(ThisIsNotPrivate);
    assert!(found[0].probability.unwrap() > 0.99 && found[0].probability >= found[1].probability, "{found:?}");
    let text = written(&Predict::new(&model).unwrap(), "x\n25\n");
    assert!(text.starts_with("row,label,distance,probability\n1,"), "{text}");
}
