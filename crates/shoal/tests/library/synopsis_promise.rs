//! The file of a synopsis holds nothing that was released or decided after the synopsis: its own guarantee does not cover it.

use std::sync::atomic::{AtomicUsize, Ordering};

use shoal::{Fit, Fitted};
use shoal_curator::methods;
use shoal_files::PointStore;
use shoal_lattice::{Bounds, Interval, LatticePoints};
use shoal_privacy::Sensitive;
use shoal_scan::{Answer, LocalScan, Question, Scan, ScanError};

/// Answers from one table up to a question, and from another after it.
struct Swapped {
    before: LocalScan,
    after: LocalScan,
    /// Questions that the first table answers.
    swap_at: usize,
    asked: AtomicUsize,
    /// The number of questions up to the last one about cells or boxes, whose answer completes the synopsis.
    released_at: AtomicUsize,
}

impl Swapped {
    fn new(swap_at: usize) -> Self {
        let [before, after] = [0, 1].map(table);
        Self { before, after, swap_at, asked: AtomicUsize::new(0), released_at: AtomicUsize::new(0) }
    }
}

impl Scan for Swapped {
    fn dims(&self) -> usize {
        2
    }

    fn ask(&self, question: &Question) -> Result<Sensitive<Answer>, ScanError> {
        let number = self.asked.fetch_add(1, Ordering::Relaxed);
        if matches!(question, Question::CellCounts { .. } | Question::BoxCounts { .. }) {
            self.released_at.store(number + 1, Ordering::Relaxed);
        }
        if number < self.swap_at { self.before.ask(question) } else { self.after.ask(question) }
    }
}

/// Two groups of rows; in the second table they lie elsewhere and are larger.
fn table(which: i16) -> LocalScan {
    let mut points = LatticePoints::new(2);
    for i in 0..600 * (1 + which) {
        let side = if i % 2 == 0 { -1 } else { 1 };
        points.push_row(&[side * (20_000 - 9_000 * which) + i % 97 * 13, (i % 89) * 31 - 12_000 * which]);
    }
    LocalScan::new(PointStore::InMemory(points))
}

fn bounds() -> Bounds {
    let unit = Interval::new(0.0, 1.0).unwrap();
    Bounds::new(vec!["x".into(), "y".into()], vec![unit, unit]).unwrap()
}

/// What a method is set up for. Hybrid goes on after its grid where it expects many rows.
fn rows_for(method: &str) -> u64 {
    if method == "hybrid" { 100_000 } else { 600 }
}

fn bytes(fitted: &Fitted) -> Vec<u8> {
    let mut bytes = Vec::new();
    fitted.synopsis.as_ref().unwrap().write(&mut bytes).unwrap();
    bytes
}

/// What a file held before this was required: all decisions of the run but the choice of k.
fn bytes_with_all_decisions(fitted: &Fitted) -> Vec<u8> {
    let mut file = fitted.synopsis.clone().unwrap();
    let of_curator = |decision: &shoal::model::Decision| shoal_curator::Decision::Text(decision.to_string());
    let decisions = fitted.model.decisions.iter().map(of_curator);
    file.synopsis.decisions = decisions.filter(|it| !it.to_string().starts_with("k = ")).collect();
    let mut bytes = Vec::new();
    file.write(&mut bytes).unwrap();
    bytes
}

#[test]
fn what_happens_after_a_synopsis_does_not_change_a_byte_of_its_file() {
    let (mut models_differ, mut old_files_differ) = (Vec::new(), 0);
    for method in methods().filter(|method| method.info.synopsis) {
        let name = method.info.name;
        for (seed, k, rows) in (0..6).flat_map(|seed| [(seed, "2", Some(rows_for(name))), (seed, "auto:5", None)]) {
            if k != "2" && !method.info.chooses_k {
                continue;
            }
            let mut fit = Fit::new(k, "8").unwrap().method(name).unwrap().keep_cells().seed(seed);
            if let Some(rows) = rows {
                fit = fit.rows(rows);
            }
            let whole = Swapped::new(usize::MAX);
            let one = fit.run_scan(&whole, &bounds()).unwrap();
            let released_at = whole.released_at.into_inner();
            assert!(released_at > 0, "{name} asks about cells");
            let swapped = Swapped::new(released_at);
            let other = fit.run_scan(&swapped, &bounds()).unwrap();
            assert!(swapped.asked.into_inner() >= released_at);
            assert!(bytes(&one) == bytes(&other), "{name}, seed {seed}, k = {k}");
            if one.model.centres != other.model.centres && !models_differ.contains(&name) {
                models_differ.push(name);
            }
            old_files_differ += usize::from(bytes_with_all_decisions(&one) != bytes_with_all_decisions(&other));

            // What comes before the release does change the file: the comparison can fail.
            let earlier = fit.run_scan(&Swapped::new(released_at - 1), &bounds()).unwrap();
            assert!(bytes(&one) != bytes(&earlier), "{name}, seed {seed}, k = {k}");
        }
    }
    assert_eq!(
        models_differ,
        ["auto", "refined-tree", "looks", "fixed-tree", "hybrid"],
        "methods that go on after the synopsis"
    );
    assert!(old_files_differ > 0, "a file with all decisions gives later ones away");
}

#[test]
fn cells_that_are_clustered_again_report_nothing_about_the_first_clustering() {
    for name in ["auto", "refined-tree", "looks", "fixed-tree", "grid", "hybrid"] {
        let fit = Fit::new(2, "8").unwrap().method(name).unwrap().keep_cells().rows(rows_for(name)).seed(3);
        let fitted = fit.run_scan(&table(0), &bounds()).unwrap();
        let again = shoal::Cluster::new(4).unwrap().seed(1).run_synopsis(&fitted.synopsis.unwrap()).unwrap();
        let notes: Vec<String> = again.decisions.iter().map(ToString::to_string).collect();
        let notes = notes.join(" ");
        let cells = ["Tree: ", "Tree of fixed depth: ", "Tree counted in ", "Grid: "];
        assert!(cells.iter().any(|words| notes.contains(words)), "{name}: {notes}");
        for first in ["round", "k = 2", "step", "route"] {
            assert!(!notes.contains(first), "{name}: {notes}");
        }
    }
}
