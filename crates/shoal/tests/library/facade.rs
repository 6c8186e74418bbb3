//! The library as a program in Rust calls it: rows from anywhere give the same model, the claim carries every condition, and
//! whatever is refused costs nothing.

use std::collections::BTreeSet;

use shoal::{Error, EstimateBounds, Fit, Input, Ledger, Perturb, Perturbation};
use shoal_crowd::report_file::Form;
use shoal_curator::Knobs;
use shoal_device::BpgmForm;
use shoal_files::{Column, Matrix, Missing, PointStore, Source, Values};
use shoal_lattice::{Bounds, Interval, LatticeMap};
use shoal_privacy::{Amount, Assumption, Guarantee, Neighbours, Sensitive};
use shoal_scan::{Answer, LocalScan, Question, Scan, ScanError};

const BOUNDS: &str = "age=17:90,hours=1:99";

/// Rows of two groups, one after the other.
fn rows() -> Vec<f64> {
    (0..900)
        .flat_map(|i| if i % 3 == 0 { [70.0 + f64::from(i % 5), 5.0] } else { [30.0, 40.0 + f64::from(i % 7)] })
        .collect()
}

fn csv(rows: &[f64]) -> String {
    let lines = rows.chunks_exact(2).map(|row| format!("{},{}\n", row[0], row[1]));
    "age,hours\n".to_string() + &lines.collect::<String>()
}

fn fit() -> Fit {
    Fit::new(2, "1").unwrap().bounds(BOUNDS).unwrap()
}

fn assumed(guarantee: &Guarantee) -> BTreeSet<Assumption> {
    guarantee.claim().unwrap().assumes.clone()
}

#[test]
fn rows_from_anywhere_give_the_same_model() {
    let rows = rows();
    let text = csv(&rows);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("people.csv");
    std::fs::write(&path, &text).unwrap();
    let fit = fit().seed(11);
    let expected = fit.run(&path).unwrap();

    let (ages, hours): (Vec<f64>, Vec<f64>) = rows.chunks_exact(2).map(|row| (row[0], row[1])).unzip();
    let whole_hours: Vec<i32> = hours.iter().map(|hours| *hours as i32).collect();
    let valid = vec![0xff; ages.len().div_ceil(8)];
    let arrow_style = [
        ("hours", Column::new(Values::I32(&whole_hours))),
        ("age", Column::new(Values::F64(&ages)).with_validity(&valid, 0)),
    ];
    let inputs: Vec<(&str, Input<'_>)> = vec![
        ("bytes", Source::Memory(text.clone().into_bytes()).into()),
        ("reader", Input::from_reader(text.as_bytes()).unwrap()),
        ("row-major", Matrix::from_rows(&["age", "hours"], &rows).unwrap().into()),
        ("columns in another order", Matrix::from_columns(arrow_style).unwrap().into()),
    ];
    for (what, input) in inputs {
        assert_eq!(fit.run(input).unwrap(), expected, "{what}");
    }

    let interval = |lo, hi| Interval::new(lo, hi).unwrap();
    let names = vec!["age".to_string(), "hours".to_string()];
    let bounds = Bounds::new(names, vec![interval(17.0, 90.0), interval(1.0, 99.0)]).unwrap();
    let matrix = Matrix::from_rows(&["age", "hours"], &rows).unwrap();
    let scan = LocalScan::new(PointStore::InMemory(matrix.points(&LatticeMap::new(&bounds)).unwrap()));
    assert_eq!(fit.run_scan(&scan, &bounds).unwrap().model, expected);
    let bought = Fit::new(2, "1").unwrap().buy_bounds("10%").unwrap().seed(1);
    assert!(matches!(bought.run_scan(&scan, &bounds), Err(Error::BoundsOfScan)));
    assert_eq!(
        bought.run(&path).unwrap(),
        bought.run(Matrix::from_rows(&["age", "hours"], &rows).unwrap()).unwrap(),
        "bounds are bought from files and from memory alike"
    );
}

#[test]
fn the_claim_carries_every_condition() {
    let rows = rows();
    let table = || Matrix::from_rows(&["age", "hours"], &rows).unwrap();
    let always = [Assumption::OneRowPerPerson];
    let cases: [(Fit, &[Assumption], Neighbours); 8] = [
        (fit(), &[Assumption::BoundsPublic, Assumption::RowsComplete], Neighbours::AddRemoveOne),
        (fit().missing(Missing::Drop), &[Assumption::BoundsPublic, Assumption::RowsReadable], Neighbours::AddRemoveOne),
        (
            fit().missing(Missing::Middle),
            &[Assumption::BoundsPublic, Assumption::RowsReadable],
            Neighbours::AddRemoveOne,
        ),
        (
            fit().rows_public().missing(Missing::Middle),
            &[Assumption::BoundsPublic, Assumption::RowsReadable, Assumption::RowCountPublic],
            Neighbours::ReplaceOne,
        ),
        (
            fit().rows(900),
            &[Assumption::BoundsPublic, Assumption::RowsComplete, Assumption::DesignSizePublic],
            Neighbours::AddRemoveOne,
        ),
        (
            fit().rows_public(),
            &[Assumption::BoundsPublic, Assumption::RowsComplete, Assumption::RowCountPublic],
            Neighbours::ReplaceOne,
        ),
        (
            fit().rows_public().missing(Missing::Drop),
            &[Assumption::BoundsPublic, Assumption::RowsReadable, Assumption::GapsPublic, Assumption::RowCountPublic],
            Neighbours::ReplaceOne,
        ),
        (Fit::new(2, "2").unwrap().buy_bounds("25%").unwrap(), &[Assumption::RowsComplete], Neighbours::AddRemoveOne),
    ];
    for (fit, conditions, neighbours) in cases {
        let fitted = fit.keep_cells().run_fully(table()).unwrap();
        let expected: BTreeSet<_> = conditions.iter().chain(&always).copied().collect();
        assert_eq!(assumed(&fitted.model.guarantee), expected, "{}", fitted.model.guarantee);
        assert_eq!(fitted.model.guarantee.claim().unwrap().neighbours, neighbours);
        // The synopsis leaves with the model and rests on the same conditions.
        let of_synopsis = &fitted.synopsis.unwrap().synopsis.guarantee;
        assert!(assumed(of_synopsis).is_subset(&expected), "{of_synopsis}");
        assert!(assumed(of_synopsis).contains(&fitted_condition(conditions)), "{of_synopsis}");
    }
    let found = EstimateBounds::new("1").unwrap().missing(Missing::Drop).run(table()).unwrap();
    assert!(assumed(&found.guarantee).contains(&Assumption::RowsReadable));
    let crowd = Perturb::new("4").unwrap().bounds(BOUNDS).unwrap().missing(Missing::Drop);
    let made = crowd.run_to(table(), Vec::new(), Form::Csv).unwrap();
    assert!(assumed(&made.promises.guarantee).is_superset(&[Assumption::GapsPublic, Assumption::RowsReadable].into()));
    let crowd = Perturb::new("4").unwrap().bounds(BOUNDS).unwrap().missing(Missing::Middle);
    let made = crowd.run_to(table(), Vec::new(), Form::Csv).unwrap();
    let found = assumed(&made.promises.guarantee);
    assert!(found.contains(&Assumption::RowsReadable) && !found.contains(&Assumption::GapsPublic));
    // Without public bounds there is no middle, whether or not a value is missing.
    let bought = Fit::new(2, "2").unwrap().buy_bounds("25%").unwrap().missing(Missing::Middle);
    assert_eq!(bought.run(table()).unwrap_err().code(), "no-middle");
    let estimated = EstimateBounds::new("1").unwrap().missing(Missing::Middle).run(table());
    assert!(estimated.is_err_and(|error| error.code() == "no-middle"));
}

/// A row with gaps is a row like any other: the result is that of a table with the middle of the bounds in their place.
#[test]
fn gaps_count_as_the_middle_of_the_bounds() {
    let mut gaps = rows();
    let mut filled = gaps.clone();
    for row in (0..gaps.len()).step_by(14) {
        (gaps[row], filled[row]) = (f64::NAN, (17.0 + 90.0) / 2.0);
    }
    let run = |rows: &[f64]| {
        let table = Matrix::from_rows(&["age", "hours"], rows).unwrap();
        fit().seed(3).missing(Missing::Middle).run(table).unwrap()
    };
    let (with, without) = (run(&gaps), run(&filled));
    assert_eq!(with, without);
    assert!(with.facts().notes.iter().any(|note| note.title == "Missing values"));
    let labels = |rows: &[f64]| {
        let table = Matrix::from_rows(&["age", "hours"], rows).unwrap();
        let labels = shoal::Predict::new(&with).unwrap().missing(Missing::Middle).run(table).unwrap();
        labels.reveal(shoal_privacy::ThisIsNotPrivate).iter().map(|label| label.label).collect::<Vec<_>>()
    };
    assert_eq!(labels(&gaps), labels(&filled));
}

fn fitted_condition(conditions: &[Assumption]) -> Assumption {
    let reading = [Assumption::RowsComplete, Assumption::RowsReadable];
    *conditions.iter().find(|condition| reading.contains(condition)).unwrap()
}

#[test]
fn seeded_noise_voids_every_claim_and_no_ledger_pays_for_it() {
    let rows = rows();
    let table = || Matrix::from_rows(&["age", "hours"], &rows).unwrap();
    assert!(fit().seed(1).run(table()).unwrap().guarantee.is_seeded());
    assert!(EstimateBounds::new("1").unwrap().seed(1).run(table()).unwrap().guarantee.is_seeded());
    let crowd = Perturb::new("4").unwrap().bounds(BOUNDS).unwrap().seed(1);
    assert!(crowd.run_to(table(), Vec::new(), Form::Csv).unwrap().promises.guarantee.is_seeded());
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("l");
    Ledger::create_or_open(&file).unwrap().init("people", "1", "0").unwrap();
    let refused = fit().seed(1).ledger(&file, "people").unwrap().run(table());
    assert!(matches!(refused, Err(Error::SeededWithLedger)));
}

#[test]
fn what_is_refused_costs_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("shoal.ledger");
    let mut ledger = Ledger::create_or_open(&file).unwrap();
    ledger.init("people", "1", "0").unwrap();
    let gap = [39.0, 40.0, f64::NAN, 13.0];
    let of = |rows| Matrix::from_rows(&["age", "hours"], rows).unwrap();
    let paid = || fit().ledger(&file, "people").unwrap();
    let refusals: Vec<(&str, Result<shoal::Model, Error>)> = vec![
        ("a gap", paid().run(of(&gap))),
        ("no file", paid().run("no such file.csv")),
        ("an unknown column", paid().columns(["age", "height"]).run(of(&gap))),
        (
            "too small a budget",
            Fit::new(2, "2").unwrap().bounds(BOUNDS).unwrap().ledger(&file, "people").unwrap().run(of(&gap[..2])),
        ),
        ("a knob of another method", paid().knobs(Knobs { theta: Some(1.0), ..Knobs::default() }).run(of(&gap[..2]))),
        (
            "a share of another method",
            paid().method("dplloyd").unwrap().count_share(Amount::ratio(1, 2)).run(of(&gap[..2])),
        ),
        ("no bounds", Fit::new(2, "1").unwrap().ledger(&file, "people").unwrap().run(of(&gap[..2]))),
        (
            "a bad knob",
            paid().method("eugkm").unwrap().knobs(Knobs { theta: Some(-1.0), ..Knobs::default() }).run(of(&gap[..2])),
        ),
        ("cells of a method that has none", paid().method("dplloyd").unwrap().keep_cells().run(of(&gap[..2]))),
    ];
    for (what, refused) in refusals {
        let error = refused.expect_err(what);
        assert!(!error.to_string().is_empty() && !error.to_string().contains("--"), "{what}: {error}");
        assert!(ledger.entries("people").unwrap().is_empty(), "{what} was paid for");
    }
    paid().run(of(&gap[..2])).unwrap();
    assert_eq!(ledger.entries("people").unwrap().len(), 1);
}

#[test]
fn an_unsound_mechanism_runs_only_on_demand() {
    let rows = rows();
    let bpgm = Perturbation::Bpgm { bound: Amount::ONE, form: BpgmForm::ClosedForm };
    let crowd = Perturb::new("4").unwrap().bounds(BOUNDS).unwrap().mechanism(bpgm);
    let table = || Matrix::from_rows(&["age", "hours"], &rows).unwrap();
    assert!(matches!(crowd.run_to(table(), Vec::new(), Form::Csv), Err(Error::Unsound { .. })));
    let made = crowd.accept_unsound().run_to(table(), Vec::new(), Form::Csv).unwrap();
    assert!(made.promises.guarantee.claim().is_none());
}

#[test]
fn a_file_of_reports_is_whole_or_gone() {
    let folder = tempfile::tempdir().unwrap();
    let crowd = Perturb::new("4").unwrap().bounds(BOUNDS).unwrap();
    let out = folder.path().join("r.parquet");
    let gap = [39.0, 40.0, f64::NAN, 13.0];
    assert!(crowd.run(Matrix::from_rows(&["age", "hours"], &gap).unwrap(), &out).is_err());
    assert!(!out.exists());
    crowd.run(Matrix::from_rows(&["age", "hours"], &gap[..2]).unwrap(), &out).unwrap();
    let before = std::fs::read(&out).unwrap();
    let again = crowd.run(Matrix::from_rows(&["age", "hours"], &gap[..2]).unwrap(), &out);
    assert!(matches!(again, Err(Error::Write { .. })), "reports are not replaced");
    assert_eq!(std::fs::read(&out).unwrap(), before);
}

/// Rows whose engine will not move them.
struct RowsStay(LocalScan);

impl Scan for RowsStay {
    fn dims(&self) -> usize {
        self.0.dims()
    }

    fn ask(&self, question: &Question) -> Result<Sensitive<Answer>, ScanError> {
        if question.moves_rows() {
            return Err(ScanError::RowsStay { question: question.name() });
        }
        self.0.ask(question)
    }
}

#[test]
fn an_engine_that_cannot_answer_is_refused_before_the_debit() {
    let folder = tempfile::tempdir().unwrap();
    let books = folder.path().join("shoal.ledger");
    let mut ledger = Ledger::create_or_open(&books).unwrap();
    ledger.init("people", "5", "0").unwrap();
    let bounds = Bounds::new(vec!["x".into()], vec![Interval::new(0.0, 1.0).unwrap()]).unwrap();
    let column: Vec<f64> = (0..500).map(|i| f64::from(i) / 500.0).collect();
    let points = Matrix::from_rows(&["x"], &column).unwrap().points(&LatticeMap::new(&bounds)).unwrap();
    let scan = RowsStay(LocalScan::new(PointStore::InMemory(points)));
    for method in ["gkm", "gkm-3k"] {
        let fit = Fit::new(2, "1").unwrap().method(method).unwrap().rows(500).ledger(&books, "people").unwrap();
        let error = fit.run_scan(&scan, &bounds).err().unwrap();
        assert!(error.to_string().contains("block"), "{method}: {error}");
        assert!(ledger.entries("people").unwrap().is_empty(), "{method} was debited");
    }
}
