//! The figures of YTL22 on small made-up tables in place of the paper's.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use shoal_noise::{SeededNoise, uniform};
use shoal_reproduce::data::DataRoom;
use shoal_reproduce::lab::{self, Measured};
use shoal_reproduce::{Cell, Drawing, Effort, Figure, Lab, Results, Store, Verdict, papers};

fn lab_in(folder: Option<&Path>) -> Lab {
    Lab { data: DataRoom::new(folder.map(Into::into)), effort: Effort::Quick }
}

/// A table of groups about places that differ in every attribute, scaled to these limits.
fn table(folder: &Path, file: &str, columns: &[(&str, f64, f64)], rows: usize, groups: usize, labelled: bool) {
    let mut noise = SeededNoise::new(rows as u64);
    let names: Vec<&str> = columns.iter().map(|(name, ..)| *name).chain(labelled.then_some("label")).collect();
    let mut text = names.join(",") + "\n";
    for row in 0..rows {
        let group = row % groups;
        let middle = (group as f64 + 0.5) / groups as f64;
        let mut cells = Vec::new();
        for (_, low, high) in columns {
            let x = (middle + 0.03 * uniform::normal_f64(&mut noise)).clamp(0.0, 1.0);
            cells.push((low + x * (high - low)).to_string());
        }
        cells.extend(labelled.then(|| group.to_string()));
        writeln!(text, "{}", cells.join(",")).unwrap();
    }
    fs::write(folder.join(file), text).unwrap();
}

fn tables(folder: &Path) {
    let wide = |count: usize| -> Vec<(&'static str, f64, f64)> {
        let names = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"];
        names[..count].iter().map(|name| (*name, 0.0, 4.0)).collect()
    };
    table(folder, "seeds.csv", &wide(7), 45, 3, true);
    table(folder, "travel_reviews.csv", &wide(10), 60, 10, false);
    let road = [("longitude", 9.0, 10.0), ("latitude", 56.5, 56.9), ("altitude", 10.0, 50.0)];
    table(folder, "road3d_first5000.csv", &road, 1500, 3, false);
}

/// Two runs of each cell at most.
fn measured(figure: &dyn Figure, lab: &Lab, folder: &Path) -> Results {
    let store = Store::open(&folder.join("runs"), 1).unwrap();
    let mut cells = figure.cells(lab).unwrap();
    cells.iter_mut().for_each(|cell| cell.runs = cell.runs.min(2));
    lab::measure(cells, &store, |_| (), |_| ()).unwrap()
}

#[test]
fn without_data_every_figure_runs_on_tables_that_are_made_up() {
    let lab = lab_in(None);
    for figure in papers::ytl22::figures() {
        let watched = lab.data.watched();
        assert!(!figure.cells(&lab).unwrap().is_empty(), "{}", figure.info().id);
        assert!(!watched.made_up().is_empty(), "{}", figure.info().id);
    }
}

#[test]
fn figures_on_made_up_tables_are_drawn() {
    let folder = tempfile::tempdir().unwrap();
    tables(folder.path());
    let lab = lab_in(Some(folder.path()));
    for figure in papers::ytl22::figures().into_iter().take(4) {
        let results = measured(&*figure, &lab, folder.path());
        let drawing = figure.draw(&lab, &results).unwrap();
        let id = figure.info().id;
        assert_eq!(drawing.chart.panels.len(), if id.ends_with('4') { 9 } else { 6 }, "{id}");
        assert!(drawing.statements.len() >= 2 && drawing.statements.iter().all(|s| s.found.len() > 10), "{id}");
        assert!(drawing.paragraph.len() > 200 && !drawing.paragraph.contains("NaN"), "{id}: {}", drawing.paragraph);
        // A line for each cell and measure, and the names of the columns.
        let cells: usize = results.cells().map(|cell| cell.measures.len()).sum();
        assert_eq!(results.csv().lines().count(), cells + 1, "{id}");
    }
}

#[test]
fn the_roads_are_those_of_the_paper_s_area() {
    let folder = tempfile::tempdir().unwrap();
    tables(folder.path());
    let lab = lab_in(Some(folder.path()));
    let figure = papers::find("yang22-fig3").unwrap();
    let cells = figure.cells(&lab).unwrap();
    let text = fs::read_to_string(folder.path().join("road3d_first5000.csv")).unwrap();
    let inside = |line: &&str| {
        let x: Vec<f64> = line.split(',').map(|x| x.parse().unwrap()).collect();
        x[0] >= 9.5 && x[0] <= 10.0 && x[1] >= 56.6 && x[1] <= 56.8 && x[2] >= 20.0 && x[2] <= 40.0
    };
    let expected = text.lines().skip(1).filter(inside).count();
    assert!((50..500).contains(&expected), "{expected} rows make a fair test");
    assert_eq!(cells[0].key.get("people"), Some(&*expected.to_string()));
    let all = papers::find("yang22-fig5").unwrap().cells(&lab).unwrap();
    let sizes: Vec<&str> = all.iter().filter_map(|cell| cell.key.get("people")).collect();
    assert!(["1000", "10000", "100000"].iter().all(|size| sizes.contains(size)));
}

/// A figure drawn from results that nobody measured: each cell reports what `value` gives for it, twice.
fn made_up(figure: &dyn Figure, lab: &Lab, value: impl Fn(&Cell) -> f64) -> Drawing {
    let cells = figure.cells(lab).unwrap();
    let runs = |cell: &Cell| vec![vec![value(cell); cell.measures.len()]; 2];
    let measured = |cell: &Cell| Measured { key: cell.key.clone(), measures: cell.measures, runs: runs(cell) };
    figure.draw(lab, &Results::new(cells.iter().map(measured).collect())).unwrap()
}

/// Of the paper's own statements.
fn verdicts(drawing: &Drawing) -> Vec<Verdict> {
    drawing.statements.iter().filter(|statement| statement.is_of_paper()).map(|statement| statement.verdict).collect()
}

/// The error that DKdP has in a paper that is right.
fn as_the_paper_says(cell: &Cell) -> f64 {
    let key = |name: &str| cell.key.get(name).unwrap();
    let of_epsilon = match key("epsilon") {
        "0.1" => 5.0,
        "0.5" => 4.5,
        "1" => 4.2,
        "2" => 3.0,
        "4" => 1.0,
        _ => 0.25,
    };
    let baseline = match (key("mechanism"), key("data")) {
        ("laplace", "travel") => 50.0,
        ("laplace", _) => 10.0,
        _ => 1.0,
    };
    let people: f64 = key("people").parse().unwrap();
    let of_people = if key("experiment") == "ytl22-population" { 1e3 / people } else { 1.0 };
    of_epsilon * baseline * of_people
}

#[test]
fn verdicts_follow_the_numbers() {
    let folder = tempfile::tempdir().unwrap();
    tables(folder.path());
    let lab = lab_in(Some(folder.path()));
    for figure in papers::ytl22::figures() {
        let id = figure.info().id;
        let right = made_up(&*figure, &lab, as_the_paper_says);
        assert!(verdicts(&right).iter().all(|verdict| *verdict == Verdict::Holds), "{id}: {:?}", right.statements);
        // All the other way round: what was largest is smallest.
        let wrong = made_up(&*figure, &lab, |cell| 1.0 / as_the_paper_says(cell));
        assert!(verdicts(&wrong).iter().all(|verdict| *verdict == Verdict::Fails), "{id}: {:?}", wrong.statements);
        // Where all are alike, nothing falls and nothing is clearly below anything.
        let alike = made_up(&*figure, &lab, |_| 1.0);
        assert!(verdicts(&alike).iter().all(|verdict| *verdict != Verdict::Holds), "{id}: {:?}", alike.statements);
        if id == "yang22-fig5" {
            assert!(right.paragraph.contains("RE falls at every ε") && wrong.paragraph.contains("RE does not fall"));
        }
    }
}
