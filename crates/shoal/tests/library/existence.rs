//! That there is a result says nothing about whether there are rows: tables without any are fitted like others.

use shoal::model::Model;
use shoal::{EstimateBounds, Fit, Input};
use shoal_curator::methods;
use shoal_files::{Matrix, Missing, Source};

/// A row and the same table without it: of a whole table, and of one in which every other row has a gap.
const PAIRS: [(&str, &str, Missing); 3] = [
    ("x,y\n0.5,0.5\n", "x,y\n", Missing::Refuse),
    ("x,y\n0.5,0.5\nNA,0.3\n0.2,\n", "x,y\nNA,0.3\n0.2,\n", Missing::Drop),
    ("x,y\n0.5,0.5\n", "x,y", Missing::Drop),
];

fn table(text: &str) -> Source {
    Source::Memory(text.as_bytes().to_vec())
}

/// What a fit of either table leaves; the numbers of both can be read back.
fn pair(fit: &Fit, (one, none): (&str, &str), what: &str) -> [Model; 2] {
    [one, none].map(|text| {
        let model = fit.run(table(text)).unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_eq!(Model::from_json(&model.to_json()).unwrap().centres, model.centres, "{what}");
        assert!(model.centres.iter().flatten().all(|x| x.is_finite()), "{what}");
        model
    })
}

#[test]
fn one_row_and_none_give_a_model_with_the_same_claim_by_every_method() {
    let mut fits = 0;
    for method in methods() {
        for (one, none, missing) in PAIRS {
            let name = method.info.name;
            let plain = || Fit::new(2, "0.5").unwrap().method(name).unwrap().bounds("0,1").unwrap().missing(missing);
            let mut ways = vec![
                ("size bought", plain()),
                ("size public", plain().rows(100)),
                ("size disclosed", plain().rows_public()),
                ("bounds bought", plain().buy_bounds("10%").unwrap()),
                ("little memory", plain().memory(400 << 10)),
            ];
            if method.info.synopsis {
                ways.push(("cells kept", plain().keep_cells()));
            }
            if method.info.chooses_k {
                let fit = Fit::new("auto", "0.5").unwrap().method(name).unwrap();
                ways.push(("k chosen", fit.bounds("0,1").unwrap().missing(missing)));
            }
            for (way, fit) in ways {
                let what = format!("{name}, {way}, {missing:?}");
                let [with, without] = pair(&fit, (one, none), &what);
                assert!(with.guarantee.claim().is_some(), "{what}");
                assert_eq!(with.guarantee, without.guarantee, "{what}");
                assert_eq!((with.spent, with.also.len()), (without.spent, without.also.len()), "{what}");
                fits += 2;
            }
        }
    }
    assert!(fits > 300, "{fits}");
}

#[test]
fn bounds_of_a_table_without_rows_are_guesses() {
    for (one, none, missing) in PAIRS {
        let [with, without] =
            [one, none].map(|text| EstimateBounds::new("0.5").unwrap().missing(missing).run(table(text)).unwrap());
        assert_eq!(with.guarantee, without.guarantee);
        assert!(without.estimate.columns.iter().all(|column| column.is_guess()));
    }
}

#[test]
fn columns_in_memory_may_be_empty_too() {
    let none: [f64; 0] = [];
    let matrix = Matrix::from_rows(&["x", "y"], &none).unwrap();
    let fit = Fit::new(2, "1").unwrap().bounds("0,1").unwrap();
    assert_eq!(fit.run(Input::from(matrix)).unwrap().columns, ["x", "y"]);
}

#[test]
fn where_only_a_row_shows_the_columns_the_claim_says_so() {
    let some_row = |fit: Fit| {
        let claim = fit.no_header().run(table("0.5,0.5\n")).unwrap().guarantee.claim().unwrap().clone();
        claim.assumes.contains(&shoal_privacy::Assumption::SomeRow)
    };
    let fit = || Fit::new(2, "1").unwrap();
    assert!(some_row(fit().bounds("0,1").unwrap()));
    assert!(fit().bounds("0,1").unwrap().no_header().run(table("")).is_err());
    // Columns that are named are there without a row.
    for named in [fit().bounds("c1=0:1,c2=0:1").unwrap(), fit().columns(["c1", "c2"]).bounds("0,1").unwrap()] {
        assert!(!some_row(named.clone()));
        named.no_header().run(table("")).unwrap();
    }
}
