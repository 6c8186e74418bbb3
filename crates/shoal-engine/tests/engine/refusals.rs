//! What an engine cannot do is refused before anything is spent, with what to do instead.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, Float64Array, StringArray};
use shoal::{EstimateBounds, Fit};

use crate::tables::{both, engine, error, people};

#[test]
fn bounds_are_not_bought_and_persons_not_grouped() {
    let folder = tempfile::tempdir().unwrap();
    let (_, pieces) = both(folder.path(), people(90));
    let engine = engine(&pieces, 2);
    let fit = || Fit::new(2, "1").unwrap();
    assert!(error(fit().buy_bounds("10%").unwrap().run_engine(&engine)).contains("estimate them first"));
    let persons = error(fit().bounds("age=17:90").unwrap().person(["hours"]).run_engine(&engine));
    assert!(persons.contains("one row for each person"), "{persons}");
    assert!(error(EstimateBounds::new("1").unwrap().person(["hours"]).run_engine(&engine)).contains("person"));
    assert!(error(fit().run_engine(&engine)).contains("bounds"));
}

#[test]
fn columns_that_cannot_be_read_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let names: ArrayRef = Arc::new(StringArray::from(vec!["ann"; 90]));
    let ages: ArrayRef = Arc::new(Float64Array::from(vec![40.0; 90]));
    let (_, pieces) = both(folder.path(), vec![("name", names), ("age", ages)]);
    let engine = engine(&pieces, 2);
    let fit = |bounds: &str| Fit::new(1, "1").unwrap().bounds(bounds).unwrap().seed(1);
    let text = error(fit("name=0:1").run_engine(&engine));
    assert!(text.contains("name") && text.contains("text"), "{text}");
    assert!(!text.contains("ann"), "{text}");
    let unknown = error(fit("age=0:100,wage=0:1").run_engine(&engine));
    assert!(unknown.contains("wage") && unknown.contains("age"), "{unknown}");
    error(fit("0,1").run_engine(&engine));
    assert!(error(fit("age=0:100").columns(["age", "age"]).run_engine(&engine)).contains("age"));
    fit("age=0:100").categories("name=ann|bea").unwrap().run_engine(&engine).unwrap();
}

#[test]
fn a_table_without_rows_is_like_any_other() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, pieces) = both(folder.path(), people(0));
    let fit = Fit::new(2, "1").unwrap().bounds("age=17:90").unwrap().rows(1000).seed(1);
    assert_eq!(fit.run_engine(&engine(&pieces, 2)).unwrap().model, fit.run(&whole).unwrap());
}
