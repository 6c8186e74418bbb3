//! Every method gives the same result, bit for bit, on one machine and on shards that share nothing but bytes.

use crate::curator_support::{groups, run_seeded, table};
use crate::sharded::{Fault, ShardedScan};
use shoal_curator::{DesignSize, FitError, Method, Outcome, PrivateBounds, Settings, System, find_method, methods};
use shoal_noise::SeededNoise;
use shoal_privacy::{Accountant, Allowance, Loss, Sensitive};
use shoal_scan::{Answer, Gathering, Partial, Question, Scan, ScanError};

const DIMS: usize = 2;

const SEED: u64 = 2026;

fn rows() -> Vec<Vec<i16>> {
    groups(&[[-0.6, -0.6], [0.6, -0.5], [0.0, 0.6]], 301)
}

fn build(method: &Method, size: DesignSize, delta: &str) -> Option<Box<dyn System>> {
    let mut settings = Settings::new(3, "1".parse().unwrap(), size);
    settings.delta = delta.parse().unwrap();
    // Some methods have no use for a δ and refuse one.
    method.build(&settings, DIMS).ok()
}

/// All settings of all methods that are run.
fn fits() -> Vec<(String, Box<dyn System>)> {
    let mut all = Vec::new();
    for method in methods() {
        for (size, delta) in
            [(DesignSize::Public(900), "0"), (DesignSize::bought(), "0"), (DesignSize::Public(900), "1e-6")]
        {
            let name = format!("{}, {size:?}, δ = {delta}", method.info.name);
            all.extend(build(method, size, delta).map(|fit| (name, fit)));
        }
    }
    all
}

#[test]
fn every_method_is_bit_identical_on_any_number_of_shards() {
    let rows = rows();
    let fits = fits();
    assert!(methods().all(|method| fits.iter().any(|(name, _)| name.starts_with(&format!("{},", method.info.name)))));
    for (name, fit) in fits {
        let expected = run_seeded(&*fit, &table(DIMS, &rows), SEED);
        for shards in [1, 2, 3, 7] {
            let found = run_seeded(&*fit, &ShardedScan::new(DIMS, &rows, shards, Fault::None), SEED);
            assert_eq!(found, expected, "{name} on {shards} shards");
        }
    }
}

#[test]
fn no_rows_at_all_are_no_exception() {
    for method in methods() {
        let fit = build(method, DesignSize::Public(900), "0").unwrap();
        let expected = run_seeded(&*fit, &table(DIMS, &[]), SEED);
        assert_eq!(
            run_seeded(&*fit, &ShardedScan::new(DIMS, &[], 3, Fault::None), SEED),
            expected,
            "{}",
            method.info.name
        );
    }
}

fn run_with(fit: &dyn System, fault: Fault) -> Result<Outcome, FitError> {
    let scan = ShardedScan::new(DIMS, &rows(), 3, fault);
    fit.run(&scan, Allowance::without_ledger(fit.claim()), &mut SeededNoise::new(SEED))
}

#[test]
fn a_shard_that_is_lost_or_counted_twice_shows() {
    for method in methods() {
        let fit = build(method, DesignSize::Public(900), "0").unwrap();
        let expected = run_seeded(&*fit, &table(DIMS, &rows()), SEED);
        assert_ne!(run_with(&*fit, Fault::Drops).unwrap(), expected, "{}", method.info.name);
        match run_with(&*fit, Fault::Doubles) {
            Ok(outcome) => assert_ne!(outcome, expected, "{}", method.info.name),
            // Rows gathered twice are noticed on the way.
            Err(FitError::Scan(ScanError::Engine { .. })) => assert!(method.info.name.starts_with("gkm")),
            Err(other) => panic!("{}: {other}", method.info.name),
        }
        let lost = run_with(&*fit, Fault::Loses).unwrap_err();
        assert!(lost.to_string().contains("worker shard 2"), "{}: {lost}", method.info.name);
    }
}

#[test]
fn methods_that_gather_rows_are_refused_before_anything_is_spent_where_rows_stay() {
    for method in methods() {
        let fit = build(method, DesignSize::bought(), "0").unwrap();
        let outcome = run_with(&*fit, Fault::KeepsRows);
        assert_eq!(outcome.is_err(), method.info.name.starts_with("gkm"), "{}", method.info.name);
    }
    // An allowance of nothing: the refusal comes before the first charge.
    let fit = build(find_method("gkm").unwrap(), DesignSize::bought(), "0").unwrap();
    let mut none = fit.claim();
    none.loss = Loss::NONE;
    let scan = ShardedScan::new(DIMS, &rows(), 3, Fault::KeepsRows);
    let refused = fit.run(&scan, Allowance::without_ledger(none), &mut SeededNoise::new(SEED));
    assert!(matches!(refused, Err(FitError::Scan(ScanError::RowsStay { .. }))));
}

/// Columns of raw values in parts that share nothing but bytes.
struct ShardedColumns(Vec<Vec<Vec<f64>>>);

impl Scan for ShardedColumns {
    fn dims(&self) -> usize {
        DIMS
    }

    fn ask(&self, question: &Question) -> Result<Sensitive<Answer>, ScanError> {
        let sent = question.to_bytes();
        let names: Vec<String> = (0..self.0.len()).map(|part| part.to_string()).collect();
        let mut gathering = Gathering::new(question, &names)?;
        for (name, part) in names.iter().zip(&self.0).rev() {
            let answer = Partial::of_columns(&Question::from_bytes(&sent)?, part)?.to_bytes()?;
            gathering.take_bytes(name, &answer)?;
        }
        gathering.finish()
    }
}

#[test]
fn private_bounds_are_the_same_from_shards() {
    let columns: Vec<Vec<f64>> =
        (0..DIMS).map(|axis| rows().iter().map(|row| f64::from(row[axis]) / 100.0).collect()).collect();
    let part = |from: usize, to: usize| columns.iter().map(|column| column[from..to].to_vec()).collect();
    let estimate = |scan: &dyn Scan| {
        let bounds = PrivateBounds::new(&"1".parse().unwrap(), DIMS).unwrap();
        let mut accountant = Accountant::new(Allowance::without_ledger(bounds.claim()));
        let counted = bounds.count(scan).unwrap();
        bounds.run(counted, scan, &mut accountant, &mut SeededNoise::new(SEED)).unwrap()
    };
    let expected = estimate(&ShardedColumns(vec![part(0, 903)]));
    assert_eq!(estimate(&ShardedColumns(vec![part(0, 10), part(10, 10), part(10, 900), part(900, 903)])), expected);
    assert_ne!(estimate(&ShardedColumns(vec![part(0, 10)])), expected);
}
