//! Files that change while a fit runs end it.

use datafusion::arrow::array::RecordBatch;
use shoal::Engine as _;
use shoal_engine::{Options, TableEngine};
use shoal_files::{BoundsSpec, Missing};
use shoal_scan::{Question, ScanError};

use crate::tables::{both, engine, error, people, with_memory, write};

/// Asks, changes the table, asks again.
fn asked_around(change: impl FnOnce(&str, &RecordBatch)) -> Result<(), ScanError> {
    let folder = tempfile::tempdir().unwrap();
    let (_, pieces) = both(folder.path(), people(900));
    let engine = engine(&pieces, 2);
    let names = ["age".to_string()];
    let bounds = BoundsSpec::parse("age=17:90").unwrap().resolve(&names, &names).unwrap();
    let scan = engine.scan(&bounds, Missing::Refuse).unwrap();
    drop(scan.ask(&Question::RowCount).unwrap());
    drop(scan.ask(&Question::Moments { dims: 1 }).unwrap());
    change(&pieces, &RecordBatch::try_from_iter(people(100)).unwrap());
    scan.ask(&Question::Moments { dims: 1 }).map(drop)
}

#[test]
fn a_table_that_changes_is_noticed() {
    asked_around(|_, _| ()).unwrap();
    let gone = error(asked_around(|pieces, _| std::fs::remove_file(format!("{pieces}/part-4.parquet")).unwrap()));
    assert!(gone.contains("part-4.parquet is gone"), "{gone}");
    let new = error(asked_around(|pieces, batch| write(format!("{pieces}/new.parquet").as_ref(), batch)));
    assert!(new.contains("new.parquet is new"), "{new}");
    let other = error(asked_around(|pieces, batch| write(format!("{pieces}/part-0.parquet").as_ref(), batch)));
    assert!(other.contains("part-0.parquet is another one now"), "{other}");
    for message in [gone, new, other] {
        assert!(message.contains("Fit a copy that nobody writes to"));
    }
}

#[test]
fn rows_in_memory_are_read_once() {
    let folder = tempfile::tempdir().unwrap();
    let (_, pieces) = both(folder.path(), people(900));
    let names = ["age".to_string()];
    let bounds = BoundsSpec::parse("age=17:90").unwrap().resolve(&names, &names).unwrap();
    let asked = |memory: usize| {
        let engine = with_memory(&pieces, 2, memory);
        let scan = engine.scan(&bounds, Missing::Refuse).unwrap();
        drop(scan.ask(&Question::RowCount).unwrap());
        std::fs::rename(&pieces, format!("{pieces}.away")).unwrap();
        let asked = scan.ask(&Question::Moments { dims: 1 }).map(drop);
        std::fs::rename(format!("{pieces}.away"), &pieces).unwrap();
        asked
    };
    asked(1 << 20).unwrap();
    assert!(error(asked(100)).contains("is gone"));
}

#[test]
fn an_error_of_the_engine_quotes_no_record() {
    use datafusion::arrow::array::{ArrayRef, StringArray};
    let folder = tempfile::tempdir().unwrap();
    let words: ArrayRef = std::sync::Arc::new(StringArray::from_iter_values((0..90).map(|row| match row {
        50 => "Kim earns 4711".to_string(),
        row => row.to_string(),
    })));
    let (_, pieces) = both(folder.path(), vec![("word", words)]);
    let sql = Some("select cast(word as int) as number from people".into());
    for memory in [0, 1 << 20] {
        let options = Options { sql: sql.clone(), threads: Some(2), memory: Some(memory) };
        let engine = TableEngine::open(&[&pieces], &options).unwrap();
        let fit = shoal::Fit::new(1, "1").unwrap().bounds("number=0:90").unwrap().seed(1);
        let message = error(fit.run_engine(&engine));
        assert!(message.contains("failed while it was reading rows"), "{message}");
        assert!(!message.contains("Kim") && !message.contains("4711"), "{message}");
    }
}

#[test]
fn a_damaged_file_is_named_without_its_contents() {
    let folder = tempfile::tempdir().unwrap();
    let (_, pieces) = both(folder.path(), people(900));
    let path = format!("{pieces}/part-2.parquet");
    let mut bytes = std::fs::read(&path).unwrap();
    // The head of the first page, and not the footer.
    bytes[4..40].fill(0xa5);
    std::fs::write(&path, bytes).unwrap();
    let engine = engine(&pieces, 2);
    let fit = shoal::Fit::new(1, "1").unwrap().bounds("age=17:90").unwrap().seed(1);
    let message = error(fit.run_engine(&engine));
    assert!(message.contains("nothing more was spent"), "{message}");
    assert!(!message.contains("0xa5") && message.len() < 400, "{message}");
}
