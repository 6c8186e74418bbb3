//! Audits of whole runs of curator methods: honest ones raise no alarm, and those that spend more than they claim are caught.

use std::sync::Mutex;

use shoal_audit::pairs::curator::{CuratorPairs, Tables, scan_of};
use shoal_audit::pairs::outcome::Attacker;
use shoal_audit::statistical::search::{PairSpace, Search, search_and_audit};
use shoal_audit::statistical::{Experiment, Finding};
use shoal_audit::targets::curator::{BoundsPairs, cases, targets};
use shoal_audit::{Allowed, Each, Effort, Pair, Plan, Randomness, RunFailure, Runs, Side};
use shoal_curator::{
    DesignSize, Eugkm, EugkmParams, Hybrid, HybridParams, SynopsisKMeans, System, find_method, methods,
};
use shoal_lattice::{BoxPosition, HALF_WIDTH};
use shoal_noise::NoiseSource;
use shoal_privacy::{Allowance, Loss};

const LOW: i16 = -(HALF_WIDTH as i16);
const HIGH: i16 = HALF_WIDTH as i16;

fn experiment(runs: usize, seed: u64) -> Experiment {
    Experiment { runs, alpha: 1e-6, randomness: Randomness::Seeded(seed) }
}

fn audit(pair: &Pair, runs: usize, seed: u64) -> Finding {
    experiment(runs, seed).audit(pair, &|_| ()).unwrap()
}

/// So many rows at a place, and one more at the upper end.
fn line(count: usize, at: i16) -> Tables {
    Tables { rows: vec![vec![at]; count], row: vec![HIGH] }
}

/// The `case` of a method set to spend `epsilon`, held against what it claims for ε = 1.
fn spending(method: &str, case: usize, epsilon: &str) -> CuratorPairs {
    let method = find_method(method).unwrap();
    let case = &cases(&method.info)[case];
    let of =
        |epsilon: &str| CuratorPairs::new(case.k, case.dims, case.make_with(method, epsilon.parse().unwrap())).unwrap();
    let promised = of("1").allowed().clone();
    of(epsilon).promising(promised)
}

/// No alarm for ε = 1, and one for `mutant` times as much.
fn only_the_mutant_is_caught(method: &str, case: usize, tables: &Tables, mutant: &str, runs: usize) {
    let of = |epsilon: &str| audit(&spending(method, case, epsilon).pair(tables).unwrap(), runs, 61);
    let honest = of("1");
    assert!(!honest.is_broken(), "{method}: {honest:#?}");
    let caught = of(mutant);
    assert!(caught.is_broken(), "{method} spends {mutant} times what it claims: {caught:#?}");
}

#[test]
fn lloyd_methods_keep_their_promise() {
    only_the_mutant_is_caught("dplloyd", 0, &line(0, 0), "1.3", 20_000);
    only_the_mutant_is_caught("dplloyd-impr", 0, &line(0, 0), "1.3", 20_000);
    only_the_mutant_is_caught("knorm-lloyd", 0, &line(12, LOW), "1.2", 20_000);
    only_the_mutant_is_caught("kccm", 0, &line(4, HIGH), "1.3", 20_000);
}

#[test]
fn grids_keep_their_promise() {
    only_the_mutant_is_caught("eugkm", 0, &line(0, 0), "1.2", 20_000);
    only_the_mutant_is_caught("grid", 0, &line(0, 0), "1.5", 4_000);
    only_the_mutant_is_caught("hybrid", 2, &line(0, 0), "1.4", 12_000);
}

#[test]
fn trees_keep_their_promise() {
    // Nearly all for the counts, nearly all for the shape.
    only_the_mutant_is_caught("tree", 2, &line(0, 0), "1.4", 12_000);
    only_the_mutant_is_caught("tree", 3, &line(12, HIGH), "1.6", 12_000);
    // Its steps share ε and hide each other, and runs take long: only a gross mutant is caught here.
    only_the_mutant_is_caught("refined-tree", 0, &line(0, 0), "8", 400);
    only_the_mutant_is_caught("fixed-tree", 0, &line(0, 0), "8", 400);
}

#[test]
fn means_and_directions_keep_their_promise() {
    only_the_mutant_is_caught("mean", 0, &line(12, LOW), "1.5", 3_000);
    only_the_mutant_is_caught("directions", 0, &line(12, HIGH), "3", 1_600);
}

#[test]
fn a_genetic_search_keeps_its_promise() {
    only_the_mutant_is_caught("pgkm", 0, &line(0, 0), "3", 20_000);
}

/// Hybrid pays for its cells and forgets to pay for the step after them.
#[test]
fn a_step_that_is_not_charged_is_caught() {
    let epsilon = |text: &str| text.parse().unwrap();
    let params = |epsilon| EugkmParams {
        kmeans: SynopsisKMeans { inits: 1, rounds: 1, reruns: 0, ..SynopsisKMeans::new(1) },
        grid: shoal_curator::GridRule { most_cells: 8, ..shoal_curator::GridRule::default() },
        ..EugkmParams::new(1, epsilon, DesignSize::Public(1_000_000))
    };
    let charged = Eugkm::new(params(epsilon("1")), 1).unwrap().claim();
    let of = move |total: &'static str| {
        let make = std::sync::Arc::new(move || {
            let hybrid = Hybrid::new(HybridParams::new(params(epsilon(total))), 1)?;
            Ok(Box::new(hybrid) as Box<dyn System>)
        });
        CuratorPairs::new(1, 1, make).unwrap()
    };
    let honest = audit(&of("1").pair(&line(0, 0)).unwrap(), 6_000, 62);
    assert!(!honest.is_broken(), "{honest:#?}");
    // Half of ε = 2 is for the cells.
    let mutant = of("2").promising(Allowed::of(&charged.loss, 1.0));
    let caught = audit(&mutant.pair(&line(0, 0)).unwrap(), 6_000, 63);
    assert!(caught.is_broken(), "{caught:#?}");
}

/// Lloyd's algorithm within bounds that were read off the table.
#[test]
fn bounds_that_are_read_off_the_data_are_caught() {
    let method = find_method("dplloyd").unwrap();
    let make = cases(&method.info)[0].make_with(method, "1".parse().unwrap());
    let tables = line(12, 3_000);
    let pair = |stretched: bool| {
        let side = |rows: Vec<Vec<i16>>| -> Box<dyn Side> {
            let (make, attacker) = (make.clone(), Attacker::new(&tables.rows, &tables.row));
            Box::new(Each(move |noise: &mut dyn NoiseSource, out: &mut Runs| {
                let ends = rows.iter().fold((HIGH, LOW), |(low, high), row| (low.min(row[0]), high.max(row[0])));
                let (low, high) =
                    if stretched { (f64::from(ends.0), f64::from(ends.1)) } else { (-32_767.0, 32_767.0) };
                let half = (0.5 * (high - low)).max(1.0);
                let onto = |x: i16| ((f64::from(x) - low) / half - 1.0) * 32_767.0;
                let rows: Vec<Vec<i16>> = rows.iter().map(|row| vec![onto(row[0]).round() as i16]).collect();
                let system = make()?;
                let allowance = Allowance::without_ledger(system.claim());
                let mut outcome = system.run(&scan_of(1, &rows), allowance, noise)?;
                for centre in outcome.centres.iter_mut().flatten() {
                    *centre = BoxPosition((low + (centre.0 + 1.0) * half) / 32_767.0);
                }
                attacker.tell(&outcome, 1, out);
                Ok::<(), RunFailure>(())
            }))
        };
        Pair::new(tables.words(), side(tables.with_the_row()), side(tables.rows.clone()), Allowed::Pure(1.0))
    };
    assert!(!audit(&pair(false), 4_000, 64).is_broken());
    let caught = audit(&pair(true), 4_000, 65);
    assert!(caught.is_broken() && caught.curve[0].at_least > 3.0, "{caught:#?}");
}

#[test]
fn private_bounds_keep_their_promise() {
    let honest = BoundsPairs::new(&"1".parse().unwrap()).unwrap();
    let search = Search { pilot_runs: 800, variations: 2 };
    let (_, finding) = search_and_audit(&honest, search, &experiment(10_000, 66), &|_| ()).unwrap();
    assert!(!finding.is_broken(), "{finding:#?}");
    let mutant = BoundsPairs::new(&"3".parse().unwrap()).unwrap();
    let mutant = mutant.promising(Allowed::of(&honest.claim().loss, 1.0));
    let (_, finding) = search_and_audit(&mutant, search, &experiment(10_000, 67), &|_| ()).unwrap();
    assert!(finding.is_broken(), "{finding:#?}");
}

/// A method that is added is audited, in every way it says it can be used.
#[test]
fn every_method_is_audited_and_tells_how_far_it_is() {
    let targets = targets();
    for method in methods() {
        let info = &method.info;
        let target = targets.iter().find(|target| target.info().name == info.name).expect(info.name);
        let made = Mutex::new(0);
        let watch = |runs: usize| *made.lock().unwrap() += runs;
        let plan = Plan {
            effort: Effort::Quick,
            runs: Some(8),
            epsilon: Some(0.5),
            alpha: 1e-6,
            randomness: Randomness::Seeded(1),
            watch: &watch,
        };
        let lines = target.audit(&plan).unwrap();
        assert_eq!(*made.lock().unwrap(), target.work(&plan), "{}", info.name);
        assert!(!lines.is_empty() && lines.iter().all(shoal_audit::Line::as_expected), "{}", info.name);
        // The mean of one attribute needs no δ, and asking for it is an error; that of sixteen uses it.
        for line in lines.iter().filter(|_| info.name == "mean") {
            let pure = line.promise == "ε = 0.5, add or remove one row";
            assert_eq!(pure, !line.setting.contains("d = 16"), "{line:#?}");
        }
        for case in cases(info) {
            let claim = (case.make(method, &plan).unwrap())().unwrap().claim();
            let epsilon = match claim.loss {
                Loss::Pure(epsilon) => (!case.has_delta()).then_some(epsilon),
                Loss::Approximate { epsilon, .. } => case.has_delta().then_some(epsilon),
                _ => None,
            };
            assert_eq!(epsilon.map(|epsilon| epsilon.to_string()), Some("0.5".into()), "{} {case:?}", info.name);
        }
    }
}

#[test]
fn pairs_are_told_in_words() {
    assert_eq!(line(12, LOW).words(), "12 rows at the lower corner; one more at the upper corner");
    assert_eq!(Tables { rows: vec![], row: vec![0, 0] }.words(), "no rows; one at the middle");
    let tables = Tables { rows: vec![vec![LOW, HIGH]], row: vec![9_000, 0] };
    assert_eq!(tables.words(), "a row at (-1, 1); one more at (0.275, 0)");
}

/// Variations stay tables of few rows, and reach both more and other ones.
#[test]
fn variations_are_tables_of_few_rows() {
    let space = spending("dplloyd", 1, "1");
    let mut noise = shoal_noise::SeededNoise::new(5);
    let mut tables = space.usual();
    let mut sizes = std::collections::BTreeSet::new();
    for _ in 0..500 {
        tables = space.vary(&tables, &mut noise);
        assert!(tables.rows.len() <= 30 && tables.rows.iter().chain([&tables.row]).all(|row| row.len() == 2));
        sizes.insert(tables.rows.len());
    }
    assert!(sizes.len() > 10);
}
