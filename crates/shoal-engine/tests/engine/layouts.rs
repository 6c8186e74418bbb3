//! Columns of every type, scales, weights, categories and missing values: rows land where the readers of files put them.

use std::sync::Arc;

use datafusion::arrow::array::{
    ArrayRef, BooleanArray, Date32Array, Decimal128Array, Float32Array, Float64Array, Int64Array, StringArray,
    TimestampMicrosecondArray, UInt8Array,
};
use shoal::Fit;
use shoal_files::Missing;

use crate::tables::{Sequence, both, engine, error};

const ROWS: usize = 2000;

/// A column of each kind, with gaps where `gaps` says so.
fn columns(gaps: bool) -> Vec<(&'static str, ArrayRef)> {
    let mut random = Sequence(3);
    let mut numbers = |scale: f64| -> Vec<Option<f64>> {
        let number = |row: usize| (!gaps || !(row + scale as usize).is_multiple_of(41)).then(|| scale * random.part());
        (0..ROWS).map(number).collect()
    };
    let whole = |numbers: Vec<Option<f64>>| numbers.into_iter().map(|x| x.map(|x| x as i64)).collect::<Vec<_>>();
    let words = whole(numbers(4.0)).into_iter().map(|x| x.map(|x| ["north", " south", "Süd", "?"][x as usize]));
    let small = whole(numbers(200.0)).into_iter().map(|x| x.map(|x| x as u8));
    let days = whole(numbers(20_000.0)).into_iter().map(|x| x.map(|x| x as i32));
    let money = whole(numbers(1e6)).into_iter().map(|x| x.map(i128::from));
    vec![
        ("double", Arc::new(Float64Array::from(numbers(1e3)))),
        ("single", Arc::new(numbers(10.0).into_iter().map(|x| x.map(|x| x as f32)).collect::<Float32Array>())),
        ("long", Arc::new(Int64Array::from(whole(numbers(1e15))))),
        ("small", Arc::new(small.collect::<UInt8Array>())),
        ("flag", Arc::new(numbers(1.0).into_iter().map(|x| x.map(|x| x < 0.3)).collect::<BooleanArray>())),
        ("day", Arc::new(days.collect::<Date32Array>())),
        ("moment", Arc::new(TimestampMicrosecondArray::from(whole(numbers(1.7e15))))),
        ("money", Arc::new(money.collect::<Decimal128Array>().with_precision_and_scale(18, 2).unwrap())),
        ("region", Arc::new(words.collect::<StringArray>())),
    ]
}

/// All columns, two of them stretched, two of another weight, two categories.
fn fit(missing: Missing) -> Fit {
    let bounds = "double=1:1000,single=0:10,long=0:1e15,small=0:200,day=1970-01-01:2024-01-01,\
                  moment=1970-01-01:2024-01-01,money=0.5:10000";
    Fit::new(2, "20")
        .and_then(|fit| fit.bounds(bounds))
        .and_then(|fit| fit.scale("double=log,money=sqrt"))
        .and_then(|fit| fit.weight("single=2,region=0.7"))
        .and_then(|fit| fit.categories("region=north|south|Süd,flag=true|"))
        .and_then(|fit| fit.method("dplloyd"))
        .unwrap()
        .missing(missing)
        .rows(ROWS as u64)
        .seed(4)
}

#[test]
fn columns_of_every_type_land_on_the_same_points() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, pieces) = both(folder.path(), columns(false));
    let all = fit(Missing::Middle);
    assert_eq!(all.run_engine(&engine(&pieces, 2)).unwrap().model, all.run(&whole).unwrap());
    let numbers = Fit::new(1, "5").unwrap().bounds("flag=0:1,money=0:1e4").unwrap().method("dplloyd").unwrap();
    let numbers = numbers.rows(ROWS as u64).seed(2);
    assert_eq!(numbers.run_engine(&engine(&pieces, 2)).unwrap().model, numbers.run(&whole).unwrap());
}

#[test]
fn missing_values_follow_each_rule() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, pieces) = both(folder.path(), columns(true));
    let engine = engine(&pieces, 2);
    let mut models = Vec::new();
    for missing in [Missing::Drop, Missing::Middle, Missing::Category] {
        let (here, there) = (fit(missing).run(&whole).unwrap(), fit(missing).run_engine(&engine).unwrap().model);
        assert_eq!(here, there, "{missing:?}");
        assert_eq!(here.guarantee.to_string(), there.guarantee.to_string());
        models.push(there.centres);
    }
    assert!(models[0] != models[1] && models[1] != models[2], "the rules differ");
    let refused = error(fit(Missing::Refuse).run_engine(&engine));
    assert!(refused.contains("a value that is missing") && refused.contains("column `"), "{refused}");
}

#[test]
fn infinite_values_are_missing_values() {
    let folder = tempfile::tempdir().unwrap();
    let x = (0..900).map(|row| if row == 77 { f64::INFINITY } else { f64::from(row) });
    let (whole, pieces) = both(folder.path(), vec![("x", Arc::new(x.collect::<Float64Array>()))]);
    let fit = |missing| Fit::new(1, "1").unwrap().bounds("0,900").unwrap().rows(900).missing(missing).seed(1);
    let engine = engine(&pieces, 2);
    assert_eq!(fit(Missing::Drop).run_engine(&engine).unwrap().model, fit(Missing::Drop).run(&whole).unwrap());
    assert!(error(fit(Missing::Refuse).run_engine(&engine)).contains("missing or not finite"));
}
