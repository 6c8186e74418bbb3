//! Runs are kept, continued and repeated bit for bit.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use shoal_noise::NoiseSource;
use shoal_reproduce::lab::{measure, work_left};
use shoal_reproduce::{Cell, Key, Results, Store};
use tempfile::TempDir;

fn key(epsilon: &str) -> Key {
    Key::new("test").with("method", "coin").with("epsilon", epsilon)
}

/// Two cells that report a random number, and count how often they are run.
fn cells(runs: usize, made: &Arc<AtomicUsize>) -> Vec<Cell> {
    ["0.1", "1"]
        .into_iter()
        .map(|epsilon| {
            let made = made.clone();
            Cell::new(key(epsilon), &["value", "run"], runs, move |run| {
                made.fetch_add(1, Ordering::Relaxed);
                Ok(vec![(run.noise.next_u64() >> 11) as f64, run.index as f64])
            })
            .costing(if epsilon == "1" { 3.0 } else { 1.0 })
        })
        .collect()
}

fn results(folder: &TempDir, seed: u64, runs: usize, made: &Arc<AtomicUsize>) -> Results {
    let store = Store::open(folder.path(), seed).unwrap();
    measure(cells(runs, made), &store, |_| (), |_| ()).unwrap()
}

#[test]
fn the_same_seed_gives_the_same_bits_and_another_does_not() {
    let made = Arc::default();
    let csv = |seed| results(&TempDir::new().unwrap(), seed, 20, &made).csv();
    assert_eq!(csv(7), csv(7));
    assert_ne!(csv(7), csv(8));
}

#[test]
fn threads_do_not_change_a_bit() {
    let made = Arc::default();
    let csv = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| results(&TempDir::new().unwrap(), 7, 20, &made).csv())
    };
    assert_eq!(csv(1), csv(4));
}

#[test]
fn runs_and_cells_have_noise_of_their_own() {
    let found = results(&TempDir::new().unwrap(), 7, 50, &Arc::default());
    let mut values: Vec<u64> = ["0.1", "1"]
        .iter()
        .flat_map(|e| found.get(&key(e)).unwrap().values("value").unwrap())
        .map(f64::to_bits)
        .collect();
    values.sort_unstable();
    values.dedup();
    assert_eq!(values.len(), 100);
}

#[test]
fn nothing_is_measured_twice_and_a_quick_look_takes_the_first_runs() {
    let (folder, made) = (TempDir::new().unwrap(), Arc::default());
    let few = results(&folder, 7, 5, &made);
    assert_eq!(made.load(Ordering::Relaxed), 10);
    let many = results(&folder, 7, 8, &made);
    assert_eq!(made.load(Ordering::Relaxed), 16);
    assert_eq!(results(&folder, 7, 5, &made).csv(), few.csv());
    assert_eq!(made.load(Ordering::Relaxed), 16);
    let first = |found: &Results| found.get(&key("1")).unwrap().values("value").unwrap()[..5].to_vec();
    assert_eq!(first(&many), first(&few));
    assert_eq!(many.get(&key("1")).unwrap().values("run").unwrap(), (0..8).map(f64::from).collect::<Vec<_>>());
}

#[test]
fn a_killed_run_goes_on_where_it_was() {
    let (folder, made) = (TempDir::new().unwrap(), Arc::default());
    let whole = results(&TempDir::new().unwrap(), 7, 6, &made).csv();
    made.store(0, Ordering::Relaxed);
    results(&folder, 7, 6, &made);
    // As if the power had failed in the midst of a line: one run is lost in each file.
    for file in fs::read_dir(folder.path()).unwrap() {
        let path = file.unwrap().path();
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, &text[..text.len() - 9]).unwrap();
    }
    assert_eq!(results(&folder, 7, 6, &made).csv(), whole);
    assert_eq!(made.load(Ordering::Relaxed), 12 + 2);
    // What was half written does not come back, and does not harm what is written after it.
    assert_eq!(results(&folder, 7, 6, &made).csv(), whole);
    assert_eq!(made.load(Ordering::Relaxed), 14);
}

#[test]
fn lines_that_lie_about_their_length_are_not_believed() {
    let (folder, made) = (TempDir::new().unwrap(), Arc::default());
    let whole = results(&folder, 7, 3, &made).csv();
    for file in fs::read_dir(folder.path()).unwrap() {
        let mut file = OpenOptions::new().append(true).open(file.unwrap().path()).unwrap();
        file.write_all(b"1 0000000000000000 2\n2 zz 1\n-1 0000000000000000 1\n1 3ff0000000000000 3ff0000000000000 3\n")
            .unwrap();
    }
    assert_eq!(results(&folder, 7, 3, &made).csv(), whole);
}

#[test]
fn what_is_forgotten_is_measured_again_and_other_files_stay() {
    let (folder, made) = (TempDir::new().unwrap(), Arc::default());
    let whole = results(&folder, 7, 3, &made).csv();
    fs::write(folder.path().join("notes.txt"), "mine").unwrap();
    Store::open(folder.path(), 7).unwrap().forget().unwrap();
    made.store(0, Ordering::Relaxed);
    assert_eq!(results(&folder, 7, 3, &made).csv(), whole);
    assert_eq!(made.load(Ordering::Relaxed), 6);
    assert_eq!(fs::read_to_string(folder.path().join("notes.txt")).unwrap(), "mine");
}

#[test]
fn a_file_of_another_version_is_measured_again() {
    let (folder, made) = (TempDir::new().unwrap(), Arc::default());
    let whole = results(&folder, 7, 3, &made).csv();
    for file in fs::read_dir(folder.path()).unwrap() {
        let path = file.unwrap().path();
        let text = fs::read_to_string(&path).unwrap().replacen("shoal-reproduce 1", "shoal-reproduce 0", 1);
        fs::write(&path, text.replace(' ', " 3")).unwrap();
    }
    made.store(0, Ordering::Relaxed);
    assert_eq!(results(&folder, 7, 3, &made).csv(), whole);
    assert_eq!(made.load(Ordering::Relaxed), 6);
}

#[test]
fn the_work_left_is_told_and_done() {
    let (folder, made) = (TempDir::new().unwrap(), Arc::default());
    let store = Store::open(folder.path(), 7).unwrap();
    results(&folder, 7, 2, &made);
    let mut counted = std::collections::HashMap::new();
    assert_eq!(work_left(&cells(5, &made), &store, &mut counted).unwrap(), 3.0 * (1.0 + 3.0));
    // A second figure with the same cells adds only the runs that the first does not make.
    assert_eq!(work_left(&cells(6, &made), &store, &mut counted).unwrap(), 4.0);
    let (expected, done) = (Mutex::new(0.0), Mutex::new(0.0));
    measure(cells(5, &made), &store, |cost| *expected.lock().unwrap() = cost, |p| *done.lock().unwrap() += p.cost)
        .unwrap();
    assert_eq!((*expected.lock().unwrap(), *done.lock().unwrap()), (12.0, 12.0));
}

#[test]
fn a_run_that_fails_names_its_cell_and_keeps_the_others() {
    let folder = TempDir::new().unwrap();
    let store = Store::open(folder.path(), 7).unwrap();
    let cell = || {
        Cell::new(key("0.5"), &["value"], 4, |run| if run.index == 3 { Err("no luck".into()) } else { Ok(vec![1.0]) })
            .alone()
    };
    let error = measure(vec![cell()], &store, |_| (), |_| ()).err().unwrap().to_string();
    assert!(error.contains("coin 0.5") && error.contains("no luck"), "{error}");
    assert_eq!(store.runs(&key("0.5")).unwrap().len(), 3);
    let odd = Cell::new(key("0.6"), &["a", "b"], 1, |_| Ok(vec![1.0, 2.0, 3.0]));
    assert!(measure(vec![odd], &store, |_| (), |_| ()).is_err());
}
