//! Rows of an engine: the model of a table, and nothing paid for what fails before.

use std::sync::atomic::{AtomicUsize, Ordering};

use shoal::{Engine, Error, EstimateBounds, Fit, Ledger};
use shoal_files::{ArrowRows, Matrix, Missing, PointStore, ReadOptions, Silent, Texts};
use shoal_lattice::{Bounds, LatticeMap};
use shoal_privacy::Sensitive;
use shoal_scan::{Answer, LocalScan, Question, Scan, ScanError, TableScan};

const WORDS: [&str; 3] = ["north", "south", "?"];

/// An engine in this process, whose workers are lost after so many questions.
struct Here {
    columns: Vec<String>,
    numbers: Vec<f64>,
    words: Vec<&'static str>,
    questions: usize,
}

impl Here {
    fn answering(questions: usize) -> Self {
        let number = |row: usize| if row.is_multiple_of(3) { [70.0, 5.0] } else { [30.0, 40.0 + (row % 7) as f64] };
        let columns = ["age", "hours", "region"].map(String::from).into();
        let words = (0..900).map(|row| WORDS[row % 3]).collect();
        Self { columns, numbers: (0..900).flat_map(number).collect(), words, questions }
    }

    fn table(&self, options: &ReadOptions) -> Result<Matrix<'_>, ScanError> {
        let matrix = Matrix::from_rows(&["age", "hours"], &self.numbers)?;
        Ok(matrix.with_texts("region", Texts::Str(&self.words))?.select(options)?)
    }

    fn csv(&self) -> Vec<u8> {
        let rows = self.numbers.chunks_exact(2).zip(&self.words);
        let lines = rows.map(|(row, word)| format!("{},{},{word}\n", row[0], row[1]));
        ("age,hours,region\n".to_string() + &lines.collect::<String>()).into_bytes()
    }
}

impl Engine for Here {
    fn columns(&self) -> &[String] {
        &self.columns
    }

    fn scan(&self, bounds: &Bounds, missing: Missing) -> Result<Box<dyn Scan + '_>, ScanError> {
        let columns = Some(ArrowRows::wanted(bounds)[..bounds.numbers()].to_vec());
        let categories = bounds.categories().to_vec();
        let options = ReadOptions { columns, categories, missing, allow_empty: true, ..ReadOptions::default() };
        let points = self.table(&options)?.points(&LatticeMap::new(bounds))?;
        Ok(Box::new(Asked { rows: Rows::Points(LocalScan::new(PointStore::InMemory(points))), left: left(self) }))
    }

    fn raw_scan(&self, columns: &[String], missing: Missing) -> Result<Box<dyn Scan + '_>, ScanError> {
        let options = ReadOptions { columns: Some(columns.to_vec()), missing, ..ReadOptions::default() };
        Ok(Box::new(Asked { rows: Rows::Raw(Box::new(self.table(&options)?)), left: left(self) }))
    }
}

fn left(engine: &Here) -> AtomicUsize {
    AtomicUsize::new(engine.questions)
}

enum Rows<'a> {
    Points(LocalScan),
    Raw(Box<Matrix<'a>>),
}

/// Rows that stay where they are.
struct Asked<'a> {
    rows: Rows<'a>,
    left: AtomicUsize,
}

impl Scan for Asked<'_> {
    fn dims(&self) -> usize {
        match &self.rows {
            Rows::Points(scan) => scan.dims(),
            Rows::Raw(matrix) => matrix.dims(),
        }
    }

    fn ask(&self, question: &Question) -> Result<Sensitive<Answer>, ScanError> {
        if question.moves_rows() {
            return Err(ScanError::RowsStay { question: question.name() });
        }
        if self.left.fetch_sub(1, Ordering::Relaxed) == 0 {
            return Err(ScanError::Engine { worker: "north".into(), source: "it is lost".into() });
        }
        match &self.rows {
            Rows::Points(scan) => scan.ask(question),
            Rows::Raw(matrix) => TableScan::new(&**matrix, &Silent).ask(question),
        }
    }
}

fn bytes(engine: &Here) -> shoal_files::Source {
    shoal_files::Source::Memory(engine.csv())
}

#[test]
fn the_settings_of_a_fit_reach_an_engine() {
    let engine = Here::answering(1000);
    let plain = || Fit::new(2, "5").unwrap().bounds("age=17:90,hours=1:99").unwrap().seed(3);
    let fits = [
        plain(),
        plain().columns(["hours"]),
        Fit::new(2, "5").unwrap().bounds("1,99").unwrap().columns(["hours", "age"]).seed(3),
        plain()
            .scale("hours=log")
            .unwrap()
            .weight("age=2,region=0.3")
            .unwrap()
            .categories("region=north|")
            .unwrap()
            .missing(Missing::Middle),
        plain().categories("region=north|south").unwrap().missing(Missing::Drop),
        plain().categories("region=north|south").unwrap().missing(Missing::Category),
        Fit::new(2, "5").unwrap().categories("region=north|south").unwrap().missing(Missing::Middle).seed(3),
        plain().rows_public(),
    ];
    for (at, fit) in fits.iter().enumerate() {
        let (there, here) = (fit.run_engine(&engine).unwrap().model, fit.run(bytes(&engine)).unwrap());
        assert_eq!(there, here, "fit {at}");
        assert_eq!(there.guarantee.to_string(), here.guarantee.to_string(), "fit {at}");
    }
    let job = EstimateBounds::new("2").unwrap().columns(["hours", "age"]).seed(5);
    let (there, here) = (job.run_engine(&engine).unwrap(), job.run(bytes(&engine)).unwrap());
    assert_eq!(there.bounds, here.bounds);
    assert_eq!(there.guarantee.to_string(), here.guarantee.to_string());
}

#[test]
fn what_fails_before_the_debit_costs_nothing_and_what_fails_after_shows() {
    let folder = tempfile::tempdir().unwrap();
    let books = folder.path().join("books");
    let mut ledger = Ledger::create_or_open(&books).unwrap();
    ledger.init("people", "5", "0").unwrap();
    let fit = |method: &str| {
        let fit = Fit::new(2, "1").unwrap().bounds("age=17:90").unwrap().method(method).unwrap().rows(900);
        fit.ledger(&books, "people").unwrap()
    };
    let lost = fit("dplloyd").run_engine(&Here::answering(0)).err().unwrap();
    assert!(lost.to_string().contains("worker north"), "{lost}");
    let bounds = EstimateBounds::new("1").unwrap().columns(["age"]).ledger(&books, "people").unwrap();
    assert!(bounds.run_engine(&Here::answering(0)).is_err());
    assert!(fit("gkm").run_engine(&Here::answering(9)).err().unwrap().to_string().contains("block"));
    assert!(fit("dplloyd").columns(["wage"]).run_engine(&Here::answering(9)).is_err());
    assert!(ledger.entries("people").unwrap().is_empty());
    assert!(fit("dplloyd").run_engine(&Here::answering(2)).is_err(), "lost in the middle");
    assert_eq!(ledger.entries("people").unwrap().len(), 1, "what may have been asked is paid for");
    assert!(bounds.run_engine(&Here::answering(2)).is_err());
    assert_eq!(ledger.entries("people").unwrap().len(), 2);
    fit("dplloyd").run_engine(&Here::answering(99)).unwrap();
    assert_eq!(ledger.balance("people").unwrap().epsilon_left(), "2".parse().unwrap());
}

#[test]
fn what_an_engine_cannot_do_is_refused() {
    let engine = Here::answering(99);
    let fit = || Fit::new(2, "1").unwrap();
    assert!(matches!(fit().run_engine(&engine), Err(Error::BoundsNeeded)));
    assert!(matches!(fit().buy_bounds("10%").unwrap().run_engine(&engine), Err(Error::BoundsOfEngine)));
    let persons = fit().bounds("age=17:90").unwrap().person(["hours"]);
    assert!(matches!(persons.run_engine(&engine), Err(Error::PersonsOfEngine)));
    let gaps = fit().bounds("age=17:90").unwrap().missing(Missing::Category);
    assert!(matches!(gaps.run_engine(&engine), Err(Error::GapsWithoutCategories)));
    let persons = EstimateBounds::new("1").unwrap().person(["hours"]);
    assert!(matches!(persons.run_engine(&engine), Err(Error::PersonsOfEngine)));
}
