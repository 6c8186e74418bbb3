//! The exact audit of every release: mechanisms and methods hold, every halved noise is found, and so is what a method does
//! with a table outside of its releases.

use std::collections::BTreeSet;
use std::path::Path;

use shoal_audit::releases::mechanisms::{MECHANISMS, tried};
use shoal_audit::releases::methods::{Setting, private_bounds};
use shoal_audit::releases::run::record;
use shoal_audit::releases::tables::{Engine, HIGH};
use shoal_audit::releases::{Tally, spread, synopsis, tree_path};
use shoal_audit::runs::RunFailure;
use shoal_audit::targets::curator::for_releases;
use shoal_curator::internals::{
    KNormSumsMechanism, Noise, NoisyCountsMechanism, SplitShape, TreeSplitMechanism, WitnessedNoise,
};
use shoal_curator::{DesignSize, Knobs, RowMechanism, Settings, find_method, methods};
use shoal_kernel::{LatticeCentres, Reach};
use shoal_noise::{NoiseSource, RBig, SeededNoise};
use shoal_privacy::{Accountant, Allowance, Epsilon, Loss, ThisIsNotPrivate};
use shoal_scan::{Grid, Scan, ScanExt};

fn holds(what: &str, tally: &Tally) {
    assert!(tally.holds(), "{what}: {} at {}; {:#?}", tally.worst, tally.at, tally.faults);
    assert!(tally.worst == 1.0, "{what} never reaches its charge: {} at {}", tally.worst, tally.at);
    assert!(tally.mutants() > 0 && tally.missed().is_empty(), "{what}: {:#?}", tally.missed());
}

#[test]
fn mechanisms_lose_what_they_charge_and_every_halved_noise_is_found() {
    for mechanism in MECHANISMS {
        let tally = tried(mechanism, 28, 7).unwrap();
        holds(mechanism.name, &tally);
        assert!(tally.mechanisms.contains(mechanism.mechanism), "{} was not tried", mechanism.mechanism);
    }
}

#[test]
fn every_release_of_every_method_loses_what_it_charges_and_every_halved_noise_is_found() {
    let known: BTreeSet<&str> = MECHANISMS.iter().map(|tried| tried.mechanism).collect();
    for method in methods() {
        let dims: &[usize] = if method.info.name.starts_with("gkm") { &[1, 2] } else { &[1, 3, 16, 64] };
        for &dims in dims {
            for (number, case) in for_releases(&method.info, dims).iter().enumerate() {
                let make = case.make_with(method, ["1", "0.2", "4"][number % 3].parse().unwrap());
                let engine = Engine::ALL[(number + dims) % 3];
                let setting = Setting { method, make: &make, dims, k: case.k, engine, seed: 11 + number as u64 };
                let tally = setting.check().unwrap();
                holds(&format!("{}, d = {dims}, {case:?}", method.info.name), &tally);
                assert!(tally.mechanisms.is_subset(&known), "{:?} has no exact check", tally.mechanisms);
            }
        }
    }
}

#[test]
fn bought_bounds_lose_what_they_charge() {
    for dims in [1, 2, 16, 200] {
        holds(&format!("bounds of {dims} columns"), &private_bounds(dims, &"1".parse().unwrap(), 3).unwrap());
    }
}

/// A mechanism that is added without an exact check fails here.
#[test]
fn every_mechanism_of_the_curator_has_an_exact_check() {
    let known: BTreeSet<&str> = MECHANISMS.iter().map(|tried| tried.mechanism).collect();
    let mut found = BTreeSet::new();
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut folders = vec![crates.join("shoal-curator/src"), crates.join("shoal-release/src")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            for line in std::fs::read_to_string(&path).unwrap_or_default().lines() {
                let name = line.strip_prefix("impl RowMechanism for ").or(line.strip_prefix("impl ManyLooks for "));
                found.extend(name.map(|name| name.split([' ', '<']).next().unwrap().to_string()));
            }
        }
    }
    // The growth of a tree draws through its splits.
    assert!(found.remove("TreeGrowth"));
    assert!(found.len() >= 10, "{found:?}");
    for mechanism in &found {
        assert!(
            known.contains(&**mechanism),
            "{mechanism} has no exact check in shoal-audit/src/releases/mechanisms.rs"
        );
    }
}

/// A table of some rows, and with one more.
fn tables(dims: usize) -> [Box<dyn Scan>; 2] {
    let rows: Vec<Vec<i16>> = (0..20).map(|i| vec![i * 100; dims]).collect();
    let more = [&rows[..], &[vec![HIGH; dims]]].concat();
    [rows, more].map(|rows| Engine::Memory.scan(dims, &rows).unwrap())
}

/// What the audit finds in a job of the test's own.
fn audited(dims: usize, job: impl Fn(&dyn Scan, &mut WitnessedNoise) -> Result<(String, Loss), RunFailure>) -> Tally {
    let [without, with] = tables(dims);
    let mut tally = Tally::default();
    let first = record(&job, &*without, [1, 2], None).unwrap();
    first.check(&mut tally);
    let second = record(&job, &*with, [1, 2], Some(&first.script)).unwrap();
    first.compare(&second, true, "a job", &mut tally);
    tally
}

fn accountant(epsilon: &str) -> Accountant {
    let epsilon: Epsilon = epsilon.parse().unwrap();
    Accountant::new(Allowance::without_ledger(NoisyCountsMechanism::new(&epsilon).unwrap().claim()))
}

#[test]
fn a_query_with_wider_clipping_bounds_than_the_noise_is_made_for_is_found() {
    let centres = LatticeCentres::new(12, vec![0; 12]);
    let job = |asked: u32| {
        let (asked, centres) = (Reach::new(centres.clone(), vec![asked; 12]), centres.clone());
        let made_for = Reach::new(centres.clone(), vec![500; 12]);
        let mechanism = KNormSumsMechanism::new(&made_for, &"1".parse().unwrap(), true).unwrap();
        audited(12, move |scan, noise| {
            let mut accountant = accountant("1");
            let exact = scan.clipped_sums(&centres, &asked).unwrap();
            let released = accountant.release(exact, mechanism.with(noise)).unwrap();
            Ok((format!("{released:?}"), accountant.promised().loss))
        })
    };
    assert!(job(500).holds());
    let tally = job(1000);
    assert!(!tally.holds() && tally.worst == 2.0, "{tally:?}");
}

#[test]
fn what_a_table_decides_without_paying_is_found() {
    let counts = NoisyCountsMechanism::new(&"1".parse().unwrap()).unwrap();
    // A grid that follows the exact number of rows.
    let tally = audited(1, |scan, noise| {
        let mut accountant = accountant("1");
        let rows = scan.row_count().unwrap().without_privacy().reveal(ThisIsNotPrivate);
        let exact = scan.cell_counts(&Grid::new(vec![rows as u32], 100).unwrap()).unwrap();
        let released = accountant.release(exact, counts.with(noise)).unwrap();
        Ok((format!("{released:?}"), accountant.promised().loss))
    });
    assert!(tally.faults.iter().any(|fault| fault.contains("different queries")), "{tally:?}");
    assert!(tally.faults.iter().any(|fault| fault.contains("not recorded")), "{tally:?}");
    // A result that holds an exact number.
    let tally = audited(1, |scan, noise| {
        let mut accountant = accountant("1");
        let rows = scan.row_count().unwrap();
        let exact = rows.map_ref(|rows| vec![*rows]);
        let released = accountant.release(exact, counts.with(noise)).unwrap();
        let rows = rows.without_privacy().reveal(ThisIsNotPrivate);
        Ok((format!("{released:?} of {rows}"), accountant.promised().loss))
    });
    assert!(tally.faults.iter().any(|fault| fault.contains("different results")), "{tally:?}");
    // Noise that the record does not see.
    let tally = audited(1, |scan, _| {
        let mut accountant = accountant("1");
        let exact = scan.row_count().unwrap().map(|rows| vec![rows]);
        let released = accountant.release(exact, counts.with(&mut SeededNoise::new(5))).unwrap();
        Ok((format!("{released:?}"), accountant.promised().loss))
    });
    assert!(!tally.holds() && tally.faults.iter().any(|fault| fault.contains("not recorded")), "{tally:?}");
}

/// A mechanism that does not describe its noise.
struct Undescribed(NoisyCountsMechanism);

impl RowMechanism for Undescribed {
    type Input = Vec<u64>;
    type Output = Vec<i64>;

    fn loss(&self) -> Loss {
        self.0.loss()
    }

    fn draw(&self, exact: Vec<u64>, noise: &mut dyn NoiseSource) -> Vec<i64> {
        self.0.draw(exact, noise)
    }
}

#[test]
fn a_mechanism_that_does_not_describe_its_noise_is_found() {
    let mechanism = Undescribed(NoisyCountsMechanism::new(&"1".parse().unwrap()).unwrap());
    let tally = audited(1, |scan, noise| {
        let mut accountant = accountant("1");
        let exact = scan.row_count().unwrap().map(|rows| vec![rows]);
        let released = accountant.release(exact, mechanism.with(noise)).unwrap();
        Ok((format!("{released:?}"), accountant.promised().loss))
    });
    assert!(tally.faults.iter().any(|fault| fault.contains("does not describe its noise")), "{tally:?}");
}

/// The bound by dynamic programming is the charge, from below and nearly so; and cuts have the probabilities it assumes.
#[test]
fn the_loss_of_cuts_is_that_of_the_series() {
    for epsilon in ["0.05", "0.3", "1", "3", "10"] {
        for shape in [SplitShape::default(), SplitShape { threshold: 4, bias: 1.0, floor: 1.0 }] {
            let split = TreeSplitMechanism::for_epsilon(&epsilon.parse().unwrap(), &shape).unwrap();
            let decay = split.decay().to_f64().value();
            let largest = tree_path::largest(decay, split.threshold(), split.bias(), split.floor());
            let charged = split.epsilon().to_f64_up();
            assert!(
                largest <= charged * (1.0 + 1e-9) && largest > 0.999 * charged,
                "ε = {epsilon}: {largest} {charged}"
            );
            assert!(tree_path::largest(2.0 * decay, split.threshold(), split.bias(), split.floor()) > 1.1 * charged);
        }
    }
}

/// The variance that follows from described noise is that of the samplers, and a quarter of it is noticed.
#[test]
fn the_spread_of_noise_follows_from_its_description() {
    use shoal_noise::{DiscreteGaussian, DiscreteLaplace, LInfinityKNorm};
    let ratio = |a: i64, b: u64| RBig::from_parts(a.into(), b.into());
    for decay in [ratio(1, 1000), ratio(1, 3), ratio(4, 1)] {
        let described = spread::variances(&Noise::Laplace { decay: decay.clone() }, 1).unwrap()[0];
        let law = DiscreteLaplace::new(decay).unwrap();
        assert!((described / law.variance() - 1.0).abs() < 1e-9);
    }
    for variance in [ratio(1, 2), ratio(9, 1), ratio(1_000_000, 1)] {
        let described = spread::variances(&Noise::Gaussian { variance: variance.clone() }, 1).unwrap()[0];
        let law = DiscreteGaussian::new(variance).unwrap();
        assert!((described / law.variance() - 1.0).abs() < 1e-6);
    }
    for dims in [1, 3, 16, 64, 200] {
        let half_widths: Vec<u64> = (0..dims).map(|i| 1 + 700 * i).collect();
        let noise = Noise::KNorm { decay: ratio(1, 128), half_widths: half_widths.clone() };
        let described = spread::variances(&noise, dims as usize).unwrap();
        let law = LInfinityKNorm::with_half_widths(ratio(1, 128), &half_widths).unwrap();
        for (axis, described) in described.iter().enumerate() {
            assert!((described / law.variance(axis) - 1.0).abs() < 0.01, "d = {dims}");
        }
    }
    assert!(spread::fault("sums", 1.0).is_none() && spread::fault("sums", 0.25).is_some());
}

/// The file of a synopsis follows from what was released before it, also where the number of later rounds varies.
#[test]
fn a_synopsis_file_depends_on_no_later_release() {
    // Two groups that overlap: whether centres have settled after a round is decided by noise.
    let rows: Vec<Vec<i16>> =
        (0..400).map(|i| vec![(i * 7919 % 24_000) as i16 - 12_000, (i * 104_729 % 30_000 - 15_000) as i16]).collect();
    let scan = Engine::Memory.scan(2, &rows).unwrap();
    for name in ["refined-tree", "looks", "fixed-tree", "auto"] {
        let method = find_method(name).unwrap();
        let knobs = Knobs { inits: Some(1), ..Knobs::default() };
        let size = DesignSize::Public(400);
        let settings = Settings { knobs, keep_cells: true, ..Settings::new(3, "20".parse().unwrap(), size) };
        let system = method.build(&settings, 2).unwrap();
        let mut tally = Tally::default();
        for seed in 1..=6 {
            assert!(synopsis::check(&method.info, &*system, &*scan, (seed, 10), &mut tally).unwrap());
        }
        assert!(tally.compared == 60 && tally.faults.is_empty(), "{name}: {tally:?}");
        // What follows the synopsis does vary.
        let run = |draws| {
            let mut noise = WitnessedNoise::recording(1, draws);
            let outcome = system.run(&*scan, Allowance::without_ledger(system.claim()), &mut noise).unwrap();
            format!("{:?}", outcome.decisions)
        };
        assert!((1..40).map(run).collect::<BTreeSet<_>>().len() > 1, "{name}");
    }
}
