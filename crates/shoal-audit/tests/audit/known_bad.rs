//! Every mechanism of the corpus is caught quick; and none is called broken once its fault is repaired.

use shoal_audit::{Effort, Line, Plan, Randomness, Target, Verdict, known_bad};

/// All lines of all targets, on a fixed seed.
fn lines(targets: Vec<Box<dyn Target>>, seed: u64) -> Vec<Line> {
    let plan = Plan {
        effort: Effort::Quick,
        runs: None,
        epsilon: None,
        alpha: 1e-6,
        randomness: Randomness::Seeded(seed),
        watch: &|_| (),
    };
    targets.iter().flat_map(|target| target.audit(&plan).unwrap()).collect()
}

fn described(line: &Line) -> String {
    format!("{} | {} | {} | {:?}", line.name, line.setting, line.promise, line.measure)
}

#[test]
fn every_fault_is_caught() {
    let lines = lines(known_bad::targets(), 1);
    assert!(lines.len() >= 30, "{} lines", lines.len());
    let missed: Vec<_> = lines.iter().filter(|line| line.verdict != Verdict::Broken).map(described).collect();
    assert!(missed.is_empty(), "{missed:#?}");
    assert!(lines.iter().all(Line::as_expected));
}

#[test]
fn no_mended_mechanism_is_called_broken() {
    let lines = lines(known_bad::repaired(), 2);
    let accused: Vec<_> = lines.iter().filter(|line| line.verdict != Verdict::NotBroken).map(described).collect();
    assert!(accused.is_empty(), "{accused:#?}");
    assert!(lines.iter().all(Line::as_expected));
}

#[test]
fn names_are_unique_and_work_is_what_is_watched() {
    let targets = known_bad::targets();
    let names: std::collections::BTreeSet<_> = targets.iter().map(|target| target.info().name).collect();
    assert_eq!(names.len(), targets.len());
    for target in targets {
        assert_eq!(target.info().group, "known-bad");
        let made = std::sync::atomic::AtomicUsize::new(0);
        let plan = Plan {
            effort: Effort::Quick,
            runs: Some(100),
            epsilon: Some(0.7),
            alpha: 1e-6,
            randomness: Randomness::Seeded(3),
            watch: &|runs| {
                made.fetch_add(runs, std::sync::atomic::Ordering::Relaxed);
            },
        };
        let lines = target.audit(&plan).unwrap();
        assert_eq!(made.load(std::sync::atomic::Ordering::Relaxed), target.work(&plan), "{}", target.info().name);
        assert!(lines.iter().all(|line| line.setting.contains("0.7")), "{}: another ε is not heard", lines[0].name);
    }
}

#[test]
fn an_epsilon_that_makes_no_sense_is_refused_and_not_a_panic() {
    for target in known_bad::targets() {
        for epsilon in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let plan = Plan {
                effort: Effort::Quick,
                runs: Some(10),
                epsilon: Some(epsilon),
                alpha: 1e-6,
                randomness: Randomness::Seeded(4),
                watch: &|_| (),
            };
            let error = target.audit(&plan).unwrap_err().to_string();
            assert!(error.contains("above 0"), "{error}");
        }
    }
}
