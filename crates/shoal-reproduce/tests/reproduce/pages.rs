//! A figure from its cells to its files, and what its pages say.

use shoal_reproduce::chart::{Axis, Body, Chart, Lines, Panel, Point, Series, Style};
use shoal_reproduce::data::DataRoom;
use shoal_reproduce::{
    Cell, Drawing, Effort, Failure, Figure, Info, Key, Lab, Outcome, Paper, Results, Statement, Store, Verdict, page,
    recorded, reproduce,
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
    outcome.write(folder.path(), "shoal reproduce made-fig1 --quick", false).unwrap();
    let page = std::fs::read_to_string(folder.path().join("made-fig1.html")).unwrap();
    assert!(page.contains("Errors &amp; &lt;noise&gt;") && page.contains("It &lt;b&gt;holds&lt;/b&gt;."));
    assert!(!page.contains("<noise>") && !page.contains("<b>holds"));
    // Two axes with two scales each.
    assert_eq!(page.matches("class=\"picture\"").count(), 4);
    assert!(page.contains("REDUCED RUN, not the paper's protocol: 3 runs.") && page.contains("made-fig1.csv"));
    // No link to an index that is not there.
    assert!(!page.contains("index.html") && page::figure(&outcome, "", true).contains("index.html"));
    assert!(page.contains("Bands are two standard errors") && !page.contains("Error bars"), "a caption for lines");
    for ending in ["csv", "svg", "png"] {
        assert!(folder.path().join(format!("made-fig1.{ending}")).exists(), "{ending}");
    }
}

#[test]
fn only_a_reduced_run_says_that_it_is_one() {
    let (outcome, _folder) = outcome(Effort::Paper, &[], &[says(Verdict::Holds)]);
    assert!(outcome.heading().warning.is_none());
    assert!(!page::figure(&outcome, "", false).contains("REDUCED RUN"));
    assert_eq!(outcome.results.get(&key("1")).unwrap().runs.len(), 100);
}

#[test]
fn missing_data_are_on_the_plot_and_in_the_reasons() {
    let missing = ["S1 is missing: s1.csv has 3 attributes instead of 2", "Gowalla: a substitute"];
    let (outcome, _folder) = outcome(Effort::Paper, &missing, &[says(Verdict::Holds)]);
    assert_eq!(outcome.heading().warning.as_deref(), Some("Left out for want of data: S1."));
    assert!(outcome.told().why.contains("S1 is missing"));
}

#[test]
fn the_verdict_follows_from_what_the_paper_says() {
    let verdict = |statements: &[Statement]| outcome(Effort::Paper, &[], statements).0.told().verdict;
    let (holds, partly, fails) = (says(Verdict::Holds), says(Verdict::Partly), says(Verdict::Fails));
    assert_eq!(verdict(std::slice::from_ref(&holds)), "reproduced");
    assert_eq!(verdict(&[holds.clone(), partly.clone()]), "headline holds");
    assert_eq!(verdict(&[fails.clone(), holds.clone().headline()]), "headline holds");
    assert_eq!(verdict(&[partly, holds.clone()]), "headline holds in part");
    assert_eq!(verdict(&[fails.clone(), holds.clone()]), "headline does not hold");
    assert_eq!(verdict(&[says(Verdict::Undecided), holds.clone()]), "too few runs");
    assert_eq!(verdict(&[]), "nothing to measure");
    // Remarks of ours are no reason for or against it, and the privacy claim is judged apart.
    assert_eq!(verdict(&[holds.clone(), fails.clone().ours()]), "reproduced");
    assert_eq!(verdict(&[holds.clone(), fails.clone().privacy()]), "reproduced; privacy claim false");
    assert_eq!(verdict(&[fails, holds.ours()]), "headline does not hold");
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
    for words in
        ["href=\"made-fig1.html\"", "1 figures and tables: 1 reproduced", "su16-fig1</b>: no data", "Reduced run"]
    {
        assert!(index.contains(words), "“{words}” is not on the index");
    }
    let record = recorded::reproduced_csv(&outcomes, &failed);
    let lines: Vec<&str> = record.lines().skip(1).collect();
    assert_eq!(lines[0], "made-fig1,reproduced,1,0,0,0,holds,exact,reduced,true,\"\"");
    assert_eq!(lines[1], "su16-fig1,not measured,0,0,0,0,none,exact,none,none,\"no data\"");
    let read = recorded::parsed(&record);
    assert_eq!((read.len(), &*read[1].why, read[0].hold), (2, "no data", 1));
}

/// The tables on the papers' pages, and the page about all of them, are those of the record.
#[test]
fn the_pages_of_the_papers_agree_with_the_record() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../papers");
    for paper in Paper::ALL.into_iter().filter(|paper| *paper != Paper::Shoal) {
        let page = std::fs::read_to_string(folder.join(format!("{}.md", paper.key()))).unwrap();
        let (_, rest) = page.split_once("<!-- record -->\n").unwrap_or_else(|| panic!("{} has no record", paper.key()));
        let (table, _) = rest.split_once("<!-- /record -->").unwrap();
        let wanted = recorded::page_table(paper);
        assert_eq!(table, wanted, "{}: put this between the two marks:\n{wanted}", paper.key());
    }
    let overview = std::fs::read_to_string(folder.join("index.html")).unwrap();
    // Everything but styles, with a word in the place of each picture.
    let wanted = page::overview(&recorded::statuses(), |_| Some("PICTURE".into()));
    let (found, wanted) = (without_pictures(body(&overview)), without_pictures(body(&wanted)));
    let at = found.bytes().zip(wanted.bytes()).position(|(a, b)| a != b).unwrap_or(found.len().min(wanted.len()));
    let near = |text: &str| text.get(at.saturating_sub(80)..).map(|rest| rest.chars().take(200).collect::<String>());
    assert!(
        found == wanted,
        "papers/index.html is not what `shoal reproduce --overview` writes from the record: {:?} instead of {:?}",
        near(&found),
        near(&wanted)
    );
    assert_eq!(overview.matches("<svg").count(), 5, "a picture for each paper");
}

/// What is between the tags of the body.
fn body(page: &str) -> &str {
    page.split_once("<body").and_then(|(_, rest)| rest.split_once("</body>")).map(|(body, _)| body).unwrap()
}

/// The same with a word in the place of each picture.
fn without_pictures(body: &str) -> String {
    let mut parts = body.split("<figure class=\"chart\">");
    let first = parts.next().unwrap().to_string();
    parts.fold(first, |text, part| text + "PICTURE" + part.split_once("</figure>").unwrap().1)
}
