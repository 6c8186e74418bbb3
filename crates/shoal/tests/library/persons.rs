//! Persons through the library: tables in memory, engines of one's own, and what a claim says.

use shoal::{Fit, Ledger};
use shoal_files::{Column, Matrix, PointStore, Source, Texts, Values};
use shoal_lattice::{Bounds, Interval, LatticePoints};
use shoal_privacy::{Assumption, Guarantee, Loss, Neighbours};
use shoal_scan::LocalScan;

const PERSONS: usize = 200;

fn rows() -> (Vec<i64>, Vec<f64>, Vec<f64>) {
    let person = |i: usize| (i * 31 % PERSONS) as i64;
    let x = |i: usize| if person(i) % 2 == 0 { 20.0 } else { 80.0 } + (i % 7) as f64;
    ((0..900).map(person).collect(), (0..900).map(x).collect(), (0..900).map(|i| (i % 50) as f64).collect())
}

fn fit() -> Fit {
    Fit::new(2, "2").unwrap().bounds("x=0:100,y=0:50").unwrap().person(["who"])
}

#[test]
fn numbers_and_texts_in_memory_name_the_same_persons_as_a_file() {
    let (who, x, y) = rows();
    let mut csv = String::from("who,x,y\n");
    (0..who.len()).for_each(|i| csv.push_str(&format!("{},{},{}\n", who[i], x[i], y[i])));
    let texts: Vec<String> = who.iter().map(i64::to_string).collect();
    for way in ["mean", "up-to:2"] {
        let fit = fit().per_person(way).unwrap().seed(3);
        let numbers = Matrix::from_columns([
            ("who", Column::new(Values::I64(&who))),
            ("x", Column::new(Values::F64(&x))),
            ("y", Column::new(Values::F64(&y))),
        ]);
        let named = Matrix::from_columns([("x", Column::new(Values::F64(&x))), ("y", Column::new(Values::F64(&y)))]);
        let named = named.unwrap().with_texts("who", Texts::String(&texts)).unwrap();
        let from_file = fit.run(Source::Memory(csv.clone().into_bytes())).unwrap();
        assert_eq!(fit.run(numbers.unwrap()).unwrap(), from_file, "{way}");
        assert_eq!(fit.run(named).unwrap(), from_file, "{way}");
    }
}

#[test]
fn the_claim_is_the_persons_to_the_last_digit() {
    let (who, x, y) = rows();
    let matrix = || {
        Matrix::from_columns([
            ("who", Column::new(Values::I64(&who))),
            ("x", Column::new(Values::F64(&x))),
            ("y", Column::new(Values::F64(&y))),
        ])
        .unwrap()
    };
    for way in ["mean", "up-to:1", "up-to:3", "up-to:7"] {
        let model = fit().per_person(way).unwrap().run(matrix()).unwrap();
        let Guarantee::Holds(claim) = &model.guarantee else { panic!("{way}: no guarantee") };
        assert_eq!(claim.neighbours, Neighbours::AddRemovePerson, "{way}");
        assert_eq!(claim.loss, Loss::Pure("2".parse().unwrap()), "{way}");
        assert!(claim.assumes.contains(&Assumption::PersonColumn), "{way}");
        assert!(!claim.assumes.contains(&Assumption::OneRowPerPerson), "{way}");
        assert_eq!(model.spent.as_ref().unwrap().epsilon, "2".parse().unwrap(), "{way}");
    }
    let fit = fit().per_person("up-to:3").unwrap().delta("1e-6").unwrap().method("knorm-lloyd").unwrap();
    let Guarantee::Holds(claim) = fit.run(matrix()).unwrap().guarantee else { panic!("no guarantee") };
    let (epsilon, delta) = ("2".parse().unwrap(), "1e-6".parse().unwrap());
    assert!(claim.loss.implies(&Loss::Approximate { epsilon, delta }), "{claim}");
}

/// A method sees what is left for one row: three rows of a person have noise three times as large.
#[test]
fn rows_of_a_person_share_the_budget() {
    let (who, x, y) = rows();
    let sd = |way: &str| {
        let matrix = Matrix::from_columns([
            ("who", Column::new(Values::I64(&who))),
            ("x", Column::new(Values::F64(&x))),
            ("y", Column::new(Values::F64(&y))),
        ]);
        let fit = fit().per_person(way).unwrap().method("dplloyd").unwrap().rows(200);
        fit.run(matrix.unwrap()).unwrap().size_sd[0]
    };
    let (one, three) = (sd("up-to:1"), sd("up-to:3"));
    assert!((2.9..3.1).contains(&(three / one)), "{three} is not three times {one}");
}

#[test]
fn persons_of_an_engine_are_for_the_engine_to_group() {
    let bounds = Bounds::new(vec!["x".into()], vec![Interval::new(0.0, 1.0).unwrap()]).unwrap();
    let scan = LocalScan::new(PointStore::InMemory(LatticePoints::new(1)));
    let error = Fit::new(1, "1").unwrap().person(["who"]).run_scan(&scan, &bounds).err().unwrap();
    assert_eq!(error.code(), "persons-of-scan");
}

#[test]
fn a_ledger_is_debited_the_persons_loss() {
    let folder = tempfile::tempdir().unwrap();
    let (books, table) = (folder.path().join("books"), folder.path().join("people.csv"));
    let (who, x, y) = rows();
    let mut csv = String::from("who,x,y\n");
    (0..who.len()).for_each(|i| csv.push_str(&format!("{},{},{}\n", who[i], x[i], y[i])));
    std::fs::write(&table, csv).unwrap();
    let mut ledger = Ledger::create_or_open(&books).unwrap();
    ledger.init("people", "5", "0").unwrap();
    let fit = fit().per_person("up-to:3").unwrap().ledger(&books, "people").unwrap();
    fit.run(&table).unwrap();
    assert_eq!(ledger.balance("people").unwrap().epsilon_spent, "2".parse().unwrap());
    // Bought bounds and clusters are one debit, of the person's ε, too.
    fit.clone().columns(["x", "y"]).buy_bounds("25%").unwrap().run(&table).unwrap();
    assert_eq!(ledger.balance("people").unwrap().epsilon_spent, "4".parse().unwrap());
    assert_eq!(fit.run(&table).unwrap_err().code(), "budget-exceeded");
}
