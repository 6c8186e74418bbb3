//! Every method of the catalogue gives the same on the engine as on one machine, for any number of parts.

use shoal::{EstimateBounds, Fit, Ledger};
use shoal_curator::methods;

use crate::tables::{both, engine, error, people, with_memory};

fn fit(method: &str) -> Fit {
    let fit = Fit::new(3, "3").unwrap().bounds("age=17:90,hours=1:99,income=0:10000").unwrap();
    fit.method(method).unwrap().rows(4500).seed(11)
}

#[test]
fn every_method_gives_the_same_model() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, pieces) = both(folder.path(), people(4500));
    let again = [1, 2, 8].map(|threads| engine(&pieces, threads));
    // Enough memory, and too little.
    let engines = again.into_iter().chain([1 << 30, 9000].map(|memory| with_memory(&pieces, 2, memory)));
    let engines: Vec<_> = engines.collect();
    let (mut same, mut refused) = (0, Vec::new());
    for method in methods() {
        let name = method.info.name;
        let expected = fit(name).run(&whole).unwrap();
        for engine in &engines {
            match fit(name).run_engine(engine) {
                Ok(fitted) => {
                    assert_eq!(fitted.model, expected, "{name}");
                    same += 1;
                }
                Err(error) => {
                    assert!(error.to_string().contains("all rows of a block in one place"), "{name}: {error}");
                    refused.push(name);
                }
            }
        }
    }
    assert!(refused.iter().all(|name| name.starts_with("gkm")), "{refused:?}");
    assert!(!refused.is_empty() && same >= 5 * 10, "{same} were the same, {refused:?} refused");
}

#[test]
fn k_and_cells_are_the_same_too() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, pieces) = both(folder.path(), people(4500));
    let fit = Fit::new("auto", "4").unwrap().bounds("age=17:90,income=0:10000").unwrap().keep_cells().seed(5);
    let (here, there) = (fit.run_fully(&whole).unwrap(), fit.run_engine(&engine(&pieces, 2)).unwrap());
    assert_eq!(here.model, there.model);
    let bytes = |fitted: &shoal::Fitted| {
        let mut bytes = std::io::Cursor::new(Vec::new());
        fitted.synopsis.as_ref().unwrap().write(&mut bytes).unwrap();
        bytes.into_inner()
    };
    assert_eq!(bytes(&here), bytes(&there));
}

#[test]
fn another_table_gives_another_model() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, _) = both(folder.path(), people(4500));
    let other = tempfile::tempdir().unwrap();
    let (_, pieces) = both(other.path(), people(4499));
    let fit = fit("dplloyd");
    assert_ne!(fit.run(&whole).unwrap().centres, fit.run_engine(&engine(&pieces, 2)).unwrap().model.centres);
}

#[test]
fn estimated_bounds_are_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, pieces) = both(folder.path(), people(4500));
    let job = EstimateBounds::new("1").unwrap().columns(["income", "age"]).seed(3);
    let expected = job.run(&whole).unwrap();
    for threads in [1, 2, 8] {
        let found = job.run_engine(&engine(&pieces, threads)).unwrap();
        assert_eq!(found.bounds, expected.bounds);
        assert_eq!(found.guarantee.to_string(), expected.guarantee.to_string());
    }
}

#[test]
fn the_ledger_is_debited_once_and_what_fails_before_costs_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (_, pieces) = both(folder.path(), people(900));
    let books = folder.path().join("shoal.ledger");
    let mut ledger = Ledger::create_or_open(&books).unwrap();
    ledger.init("people", "2", "0").unwrap();
    let engine = engine(&pieces, 2);
    let fit = |k: usize, columns: &str| {
        Fit::new(k, "1.5").unwrap().bounds(columns).unwrap().ledger(&books, "people").unwrap()
    };
    error(fit(2, "age=17:90,wage=0:1").run_engine(&engine));
    error(fit(2, "age=17:90").method("gkm").unwrap().rows(900).run_engine(&engine));
    assert!(ledger.entries("people").unwrap().is_empty());
    fit(2, "age=17:90").run_engine(&engine).unwrap();
    assert_eq!(ledger.entries("people").unwrap().len(), 1);
    let overspent = error(fit(2, "age=17:90").run_engine(&engine));
    assert!(overspent.contains("0.5"), "{overspent}");
    assert_eq!(ledger.entries("people").unwrap().len(), 1);
    assert_eq!(ledger.balance("people").unwrap().epsilon_left(), "0.5".parse().unwrap());
}
