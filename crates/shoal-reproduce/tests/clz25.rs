//! The figures of CLZ25, on Iris and on small made-up tables in place of the larger ones.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use shoal_noise::{SeededNoise, uniform};
use shoal_reproduce::data::DataRoom;
use shoal_reproduce::{Drawing, Effort, Figure, Lab, Results, Store, Verdict, lab, papers};

fn table(folder: &Path, file: &str, dims: usize, classes: usize) {
    let mut noise = SeededNoise::new(dims as u64);
    let names: Vec<String> = (0..dims).map(|at| format!("c{at}")).chain(["label".into()]).collect();
    let mut text = names.join(",") + "\n";
    for row in 0..24 {
        let class = row % classes;
        for _ in 0..dims {
            let x = class as f64 + 0.1 * uniform::normal_f64(&mut noise);
            write!(text, "{x},").unwrap();
        }
        writeln!(text, "{class}").unwrap();
    }
    fs::write(folder.join(file), text).unwrap();
}

fn drawn(figure: &dyn Figure, lab: &Lab, folder: &Path, runs: usize) -> (Drawing, Results) {
    let store = Store::open(&folder.join("runs"), 1).unwrap();
    let mut cells = figure.cells(lab).unwrap();
    cells.iter_mut().for_each(|cell| cell.runs = cell.runs.min(runs));
    let results = lab::measure(cells, &store, |_| (), |_| ()).unwrap();
    (figure.draw(lab, &results).unwrap(), results)
}

#[test]
fn without_a_folder_three_data_sets_are_there() {
    let lab = Lab { data: DataRoom::new(None), effort: Effort::Quick };
    for figure in papers::clz25::figures() {
        let cells = figure.cells(&lab).unwrap();
        let has = |name: &str| cells.iter().any(|cell| cell.key.get("data") == Some(name));
        let about_data = has("iris");
        assert_eq!((has("wine"), has("wdbc"), has("seeds")), (about_data, about_data, false));
    }
}

#[test]
fn comparisons_say_that_the_claim_does_not_hold() {
    let folder = tempfile::tempdir().unwrap();
    for (file, dims, classes) in [("seeds.csv", 7, 3), ("wine.csv", 13, 3), ("wdbc.csv", 30, 2)] {
        table(folder.path(), file, dims, classes);
    }
    let lab = Lab { data: DataRoom::new(Some(folder.path().into())), effort: Effort::Quick };
    let mut keys = Vec::new();
    for id in ["chen25-fig3", "chen25-fig4", "chen25-fig5"] {
        let (drawing, results) = drawn(&*papers::find(id).unwrap(), &lab, folder.path(), 1);
        assert_eq!(drawing.chart.panels.len(), if id == "chen25-fig4" { 4 } else { 8 });
        let all = format!("{:?}", drawing.chart);
        assert!(all.contains("claim does not hold"), "{id}");
        assert!(drawing.statements.len() >= 4 && drawing.statements.iter().all(|s| s.found.len() > 10), "{id}");
        assert!(!drawing.paragraph.contains("NaN"), "{id}: {}", drawing.paragraph);
        let cells: usize = results.cells().map(|cell| cell.measures.len()).sum();
        assert_eq!(results.csv().lines().count(), cells + 1, "{id}");
        keys.push(results.cells().map(|cell| cell.key.clone()).collect::<Vec<_>>());
    }
    assert!(keys[0] == keys[1] && keys[1] == keys[2], "the three figures show the same runs");
}

#[test]
fn distances_follow_their_law_which_keeps_no_promise() {
    let folder = tempfile::tempdir().unwrap();
    let lab = Lab { data: DataRoom::new(None), effort: Effort::Quick };
    for id in ["chen25-fig6", "chen25-fig7"] {
        let (drawing, _) = drawn(&*papers::find(id).unwrap(), &lab, folder.path(), 2);
        let verdicts: Vec<Verdict> = drawing.statements.iter().map(|s| s.verdict).collect();
        let expected = [Verdict::Holds, Verdict::Holds, Verdict::Holds, Verdict::Fails];
        assert_eq!(verdicts, expected, "{id}: {:?}", drawing.statements);
    }
}
