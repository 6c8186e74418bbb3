//! A figure from its cells to its files, and what its pages say.

use shoal_reproduce::chart::{Axis, Body, Chart, Lines, Panel, Point, Series, Style};
use shoal_reproduce::data::DataRoom;
use shoal_reproduce::{
    Cell, Drawing, Effort, Failure, Figure, Info, Key, Lab, Outcome, Paper, Results, Statement, Status, Store, Verdict,
    page, recorded, reproduce,
};

/// A figure that says what a test wants to see on its page.
struct Made {
    caveats: Vec<String>,
    statements: Vec<Statement>,
}

fn key(epsilon: &str) -> Key {
    Key::new("made").with("epsilon", epsilon)
}

impl Figure for Made {
    fn info(&self) -> Info {
        Info {
            id: "made-fig1".into(),
            paper: Paper::Scl16,
            label: "Fig. 1".into(),
            title: "Errors & <noise>".into(),
            protocol: "100 runs".into(),
            quick: "3 runs".into(),
        }
    }

    fn cells(&self, lab: &Lab) -> Result<Vec<Cell>, Failure> {
        let runs = lab.effort.pick(100, 3);
        Ok(["1", "2"].map(|e| Cell::new(key(e), &["nicv"], runs, |run| Ok(vec![1.0 + run.index as f64]))).into())
    }

    fn draw(&self, _: &Lab, results: &Results) -> Result<Drawing, Failure> {
        let points = ["1", "2"].map(|e| Ok(Point::mean(e.parse()?, &results.summary(&key(e), "nicv")?)));
        let points = points.into_iter().collect::<Result<_, Failure>>()?;
        let series = vec![Series { name: "EUGkM".into(), style: Style::Marked, points }];
        let lines = Lines { x: Axis::log("ε"), y: Axis::linear("NICV"), series };
        let panel = Panel { title: "S1".into(), note: None, body: Body::Lines(lines) };
        Ok(Drawing {
            chart: Chart { panels: vec![panel], columns: 1 },
            statements: self.statements.clone(),
            paragraph: "It <b>holds</b>.".into(),
            caveats: self.caveats.clone(),
        })
    }
}

fn outcome(effort: Effort, caveats: &[&str], statements: &[Statement]) -> (Outcome, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let figure = Made { caveats: caveats.iter().map(ToString::to_string).collect(), statements: statements.to_vec() };
    let lab = Lab { data: DataRoom::new(None), effort };
    let store = Store::open(&folder.path().join(".runs"), 1).unwrap();
    (reproduce(&figure, &lab, &store, |_| (), |_| ()).unwrap(), folder)
}

fn says(verdict: Verdict) -> Statement {
    Statement::judged("EUGkM is best", verdict, "0.1 against 0.2")
}

#[test]
fn the_page_shows_the_picture_in_all_scales_and_escapes_what_it_is_told() {
    let (outcome, folder) = outcome(Effort::Quick, &[], &[says(Verdict::Holds)]);
    outcome.write(folder.path(), "shoal reproduce made-fig1 --quick").unwrap();
    let page = std::fs::read_to_string(folder.path().join("made-fig1.html")).unwrap();
    assert!(page.contains("Errors &amp; &lt;noise&gt;") && page.contains("It &lt;b&gt;holds&lt;/b&gt;."));
    assert!(!page.contains("<noise>") && !page.contains("<b>holds"));
    // Two axes with two scales each.
    assert_eq!(page.matches("class=\"picture\"").count(), 4);
    assert!(page.contains("QUICK LOOK, not the paper's protocol: 3 runs.") && page.contains("made-fig1.csv"));
    for ending in ["csv", "svg", "png"] {
        assert!(folder.path().join(format!("made-fig1.{ending}")).exists(), "{ending}");
    }
}

#[test]
fn only_the_quick_look_says_that_it_is_one() {
    let (outcome, _folder) = outcome(Effort::Paper, &[], &[says(Verdict::Holds)]);
    assert!(outcome.heading().warning.is_none());
    assert!(!page::figure(&outcome, "").contains("QUICK LOOK"));
    assert_eq!(outcome.results.get(&key("1")).unwrap().runs.len(), 100);
}

#[test]
fn missing_data_are_told_on_the_plot_and_keep_a_figure_from_being_reproduced() {
    let missing = ["S1 is missing: name the folder that has s1.csv with --data-dir", "Gowalla: stand-in"];
    let (outcome, _folder) = outcome(Effort::Paper, &missing, &[says(Verdict::Holds)]);
    assert_eq!(outcome.heading().warning.as_deref(), Some("Left out for want of data: S1."));
    assert_eq!(outcome.told().status, Status::Partly);
    assert!(outcome.told().why.contains("S1 is missing"));
}

#[test]
fn the_status_follows_from_what_the_paper_says() {
    let status = |statements: &[Statement]| outcome(Effort::Paper, &[], statements).0.told().status;
    let (holds, partly, fails) = (says(Verdict::Holds), says(Verdict::Partly), says(Verdict::Fails));
    assert_eq!(status(std::slice::from_ref(&holds)), Status::Reproduced);
    assert_eq!(status(&[holds.clone(), partly.clone()]), Status::Partly);
    assert_eq!(status(&[holds.clone(), fails.clone()]), Status::Partly);
    assert_eq!(status(&[fails.clone(), fails.clone()]), Status::Not);
    assert_eq!(status(&[says(Verdict::Untried)]), Status::Not);
    assert_eq!(status(&[]), Status::Not);
    // Remarks of ours are no reason for or against it.
    assert_eq!(status(&[holds.clone(), fails.clone().ours()]), Status::Reproduced);
    assert_eq!(status(&[fails, holds.ours()]), Status::Not);
}

#[test]
fn a_third_of_the_places_is_in_part_and_less_is_not() {
    let verdict = |held, tried| Statement::counted("", held, tried, "").verdict;
    assert_eq!([verdict(9, 9), verdict(3, 9), verdict(2, 9)], [Verdict::Holds, Verdict::Partly, Verdict::Fails]);
    assert_eq!([verdict(0, 9), verdict(0, 0)], [Verdict::Fails, Verdict::Untried]);
}

#[test]
fn the_index_links_all_pages_and_names_what_could_not_be_measured() {
    let (outcome, _folder) = outcome(Effort::Quick, &[], &[says(Verdict::Holds)]);
    let failed = [("su16-fig1".to_string(), "no data".to_string())];
    let outcomes = [outcome];
    let index = page::index(&outcomes, &failed, "shoal reproduce --all");
    for words in ["href=\"made-fig1.html\"", "1 reproduced, 0 in part, 0 not", "su16-fig1</b>: no data", "Reduced run"]
    {
        assert!(index.contains(words), "“{words}” is not on the index");
    }
    let record = recorded::reproduced_csv(&outcomes, &failed);
    assert_eq!(record, "figure,status,protocol,why\nmade-fig1,reproduced,quick,\"\"\nsu16-fig1,not,none,\"no data\"\n");
}
