//! Files, folders, globs and partitioned data sets.

use datafusion::arrow::array::RecordBatch;
use shoal::{Engine as _, Fit};
use shoal_engine::{Options, TableEngine};

use crate::tables::{both, engine, error, people, write};

fn fit() -> Fit {
    Fit::new(2, "2").unwrap().bounds("age=17:90,income=0:10000").unwrap().method("dplloyd").unwrap().rows(900).seed(1)
}

fn open(places: &[&str]) -> Result<TableEngine, shoal_engine::EngineError> {
    TableEngine::open(places, &Options::default())
}

#[test]
fn a_table_is_found_however_it_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, pieces) = both(folder.path(), people(900));
    let expected = fit().run(&whole).unwrap();
    let whole = whole.to_str().unwrap();
    let halves = [format!("{pieces}/part-[0-3].parquet"), format!("{pieces}/part-[4-8].parquet")];
    let alone = [whole.into(), pieces.clone()]
        .into_iter()
        .chain(["", "/*.parquet"].map(|end| format!("{pieces}/{}", end.trim_start_matches('/'))));
    let alone: Vec<String> = alone.chain([format!("file://{pieces}/")]).collect();
    let mut cases: Vec<Vec<&str>> = alone.iter().map(|place| vec![place.as_str()]).collect();
    cases.push(halves.iter().map(String::as_str).collect());
    for places in cases {
        let model = fit().run_engine(&open(&places).unwrap()).unwrap().model;
        assert_eq!(model, expected, "{places:?}");
    }
}

#[test]
fn folders_name_columns_of_a_partitioned_data_set() {
    let folder = tempfile::tempdir().unwrap();
    let batch = RecordBatch::try_from_iter(people(900)).unwrap();
    for (year, start) in [(2025, 0), (2026, 450)] {
        let place = folder.path().join(format!("people/year={year}/country=fi"));
        std::fs::create_dir_all(&place).unwrap();
        write(&place.join("a.parquet"), &batch.slice(start, 450));
        std::fs::write(place.join("_SUCCESS"), "").unwrap();
    }
    let place = folder.path().join("people");
    let engine = engine(place.to_str().unwrap(), 2);
    assert_eq!(engine.columns(), ["age", "hours", "income", "year", "country"]);
    let half = folder.path().join("half.parquet");
    write(&half, &batch.slice(450, 450));
    let options = Options {
        sql: Some("select age, income from people where year = 2026".into()),
        threads: Some(2),
        ..Options::default()
    };
    let of_year = TableEngine::open(&[place.to_str().unwrap()], &options).unwrap();
    assert_eq!(fit().run_engine(&of_year).unwrap().model.centres, fit().run(&half).unwrap().centres);
    let by_year = Fit::new(1, "2").unwrap().bounds("year=2000:2030").unwrap().categories("country=fi|se").unwrap();
    by_year.seed(1).rows(900).run_engine(&engine).unwrap();
}

#[test]
fn what_is_no_table_is_refused_with_its_reason() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, pieces) = both(folder.path(), people(900));
    let whole = whole.to_str().unwrap();
    let empty = folder.path().join("empty");
    std::fs::create_dir(&empty).unwrap();
    let empty = empty.to_str().unwrap();
    assert!(error(open(&[empty])).contains("there is no table in"));
    assert!(error(open(&[&format!("{empty}/nothing.parquet")])).contains("nothing.parquet"));
    assert!(error(open(&["ftp://host/people/"])).contains("is no place for tables"));
    let part = format!("{pieces}/part-3.parquet");
    assert!(error(open(&[&pieces, &part])).contains("part-3.parquet is named twice"));
    std::fs::write(format!("{empty}/people.csv"), "age\n4\n").unwrap();
    assert!(error(open(&[empty])).contains("holds people.csv: an engine reads Parquet"));
    let other = folder.path().join("other.parquet");
    let batch = RecordBatch::try_from_iter(people(90)).unwrap().project(&[0, 1]).unwrap();
    write(&other, &batch);
    assert!(error(open(&[whole, other.to_str().unwrap()])).contains("different columns"));
    let cells = folder.path().join("cells.parquet");
    let fitted = Fit::new(2, "1").unwrap().bounds("age=17:90").unwrap().keep_cells().seed(1).run_fully(whole).unwrap();
    fitted.synopsis.unwrap().write(&mut std::fs::File::create(&cells).unwrap()).unwrap();
    assert!(error(open(&[cells.to_str().unwrap()])).contains("what Shoal released"));
}
