//! Whether a release shows clusters, and how many: whole fits on tables of which it is known.

use shoal_curator::{Auto, AutoParams, Decision, DesignSize, Evidence, Outcome, Purpose, Route, Synopsis, System};
use shoal_files::PointStore;
use shoal_lattice::{HALF_WIDTH, LatticePoints};
use shoal_noise::uniform::{normal_f64, unit_f64};
use shoal_noise::{NoiseSource, SeededNoise};
use shoal_privacy::{Allowance, Loss};
use shoal_scan::LocalScan;

fn table(rows: usize, dims: usize, seed: u64, fill: impl Fn(usize, &mut [f64], &mut SeededNoise)) -> LatticePoints {
    let mut random = SeededNoise::new(seed);
    let mut points = LatticePoints::new(dims);
    let mut row = vec![0.0; dims];
    for i in 0..rows {
        fill(i, &mut row, &mut random);
        let lattice = |x: &f64| (x.clamp(-1.0, 1.0) * f64::from(HALF_WIDTH)).round() as i16;
        points.push_row(&row.iter().map(lattice).collect::<Vec<_>>());
    }
    points
}

fn gaussian(rows: usize, dims: usize, seed: u64) -> LatticePoints {
    table(rows, dims, seed, |_, row, random| row.iter_mut().for_each(|x| *x = 0.25 * normal_f64(random)))
}

fn uniform(rows: usize, dims: usize, seed: u64) -> LatticePoints {
    table(rows, dims, seed, |_, row, random| row.iter_mut().for_each(|x| *x = 1.6 * unit_f64(random) - 0.8))
}

/// Groups at the corners of a cube, 1.2 apart with standard deviation 0.1.
fn groups(k: usize, rows: usize, dims: usize, seed: u64) -> LatticePoints {
    table(rows, dims, seed, |i, row, random| {
        for (axis, x) in row.iter_mut().enumerate() {
            let corner = if (i % k) >> axis.min(60) & 1 == 1 { 0.6 } else { -0.6 };
            *x = corner + 0.1 * normal_f64(random);
        }
    })
}

fn params(k: usize, rows: usize, epsilon: &str) -> AutoParams {
    let mut params = AutoParams::new(k, epsilon.parse().unwrap(), DesignSize::Public(rows as u64));
    params.keep_cells = true;
    params
}

fn fit(params: AutoParams, table: LatticePoints, seed: u64) -> Outcome {
    let fit = Auto::new(params, table.dims()).unwrap();
    let scan = LocalScan::new(PointStore::InMemory(table));
    fit.run(&scan, Allowance::without_ledger(fit.claim()), &mut SeededNoise::new(seed)).unwrap()
}

/// A fit that chooses k up to 10, without intervals.
fn choosing(table: LatticePoints, epsilon: &str, route: Option<Route>, seed: u64) -> Outcome {
    let mut params = AutoParams { choose_up_to: Some(10), route, ..params(10, table.rows(), epsilon) };
    params.kmeans.reruns = 0;
    fit(params, table, seed)
}

fn choice(outcome: &Outcome) -> (usize, &Evidence) {
    let chosen = outcome.decisions.iter().find_map(|decision| match decision {
        Decision::ChoseK { k, evidence, .. } => Some((*k, evidence.as_ref().unwrap())),
        _ => None,
    });
    chosen.unwrap()
}

fn chosen(tables: impl Iterator<Item = LatticePoints>, epsilon: &str, route: Option<Route>) -> Vec<usize> {
    tables
        .enumerate()
        .map(|(seed, table)| {
            let outcome = choosing(table, epsilon, route, seed as u64);
            let (k, evidence) = choice(&outcome);
            assert_eq!((outcome.centres.len(), evidence.supported), (k, k));
            k
        })
        .collect()
}

#[test]
fn tables_without_clusters_get_one_centre() {
    for (what, found) in [
        ("Gaussian", chosen((0..3).map(|seed| gaussian(1000, 2, seed)), "1", None)),
        ("uniform", chosen((0..3).map(|seed| uniform(1000, 2, seed)), "1", None)),
        ("Gaussian, tree", chosen((0..3).map(|seed| gaussian(8000, 4, seed)), "1", None)),
        ("uniform, tree", chosen((0..3).map(|seed| uniform(8000, 3, seed)), "0.5", None)),
    ] {
        let right = found.iter().filter(|&&k| k == 1).count();
        assert!(right >= 2, "{what}: {found:?}");
    }
}

#[test]
fn separated_groups_are_counted() {
    for (k, rows, dims, epsilon, route) in [
        (2, 3000, 2, "0.5", None),
        (4, 3000, 2, "0.5", Some(Route::Grid)),
        (4, 3000, 2, "0.5", None),
        (7, 10_000, 5, "1", None),
        (8, 10_000, 10, "1", None),
    ] {
        let found = chosen((0..3).map(|seed| groups(k, rows, dims, seed)), epsilon, route);
        let right = found.iter().filter(|&&found| found == k).count();
        assert!(right >= 2, "{k} groups, {rows} × {dims}: {found:?}");
    }
}

/// Two groups, 7.6 standard deviations apart across all columns and 2.4 along each.
fn two_in_many_columns(seed: u64) -> LatticePoints {
    table(3000, 10, seed, |i, row, random| {
        let middle = if i % 2 == 0 { -0.24 } else { 0.24 };
        row.iter_mut().for_each(|x| *x = middle + 0.2 * normal_f64(random));
    })
}

/// The share that bought counts along a line, their noise, and whether they showed two heaps.
fn look(outcome: &Outcome) -> Option<(f64, f64, bool)> {
    let share = outcome.decisions.iter().find_map(|decision| match decision {
        Decision::Budget { parts, .. } => {
            assert!((parts.iter().map(|part| part.share).sum::<f64>() - 1.0).abs() < 1e-9, "{parts:?}");
            Some(parts.iter().find(|part| part.purpose == Purpose::Heaps)?.share)
        }
        _ => None,
    });
    outcome.decisions.iter().find_map(|decision| match decision {
        Decision::CountedAlong { noise, two_heaps, .. } => Some((share?, *noise, *two_heaps)),
        _ => None,
    })
}

#[test]
fn rows_along_a_line_show_what_cells_do_not_and_are_paid_for() {
    let (mut right, mut shown) = (0, 0);
    for seed in 0..3 {
        let outcome = choosing(two_in_many_columns(seed), "0.5", Some(Route::RefinedTree), seed);
        let (k, evidence) = choice(&outcome);
        right += usize::from(k == 2);
        // Without the look, the gaps alone would have to show them.
        shown += usize::from(evidence.tried.iter().any(|of| of.gap >= evidence.needed));
    }
    assert!(right == 3 && shown < 3, "{right} of 3 right, {shown} by gaps alone");
    for seed in 0..3 {
        let outcome = choosing(gaussian(3000, 10, seed), "0.5", Some(Route::RefinedTree), seed);
        let (share, noise, two_heaps) = look(&outcome).unwrap();
        assert!(!two_heaps && choice(&outcome).0 == 1);
        // Laplace noise of the part that is reported, of the 98 % that are not for the score.
        let sd = std::f64::consts::SQRT_2 / (share * 0.98 * 0.5);
        assert!((noise / sd - 1.0).abs() < 0.03, "{noise} {sd}");
        assert_eq!(outcome.charged, Loss::Pure("0.5".parse().unwrap()));
    }
    // A given number of clusters and clusters that gaps show cost no look.
    let given = fit(params(3, 3000, "0.5"), gaussian(3000, 3, 1), 1);
    assert!(look(&given).is_none());
    assert!(look(&choosing(groups(4, 3000, 2, 1), "0.5", Some(Route::RefinedTree), 1)).is_none());
}

#[test]
fn a_given_number_that_does_not_show_is_warned_of() {
    let evidence = |k: usize, table: LatticePoints| {
        let mut params = params(k, table.rows(), "1");
        params.kmeans.reruns = 2;
        fit(params, table, 5).certainty.unwrap().evidence.unwrap()
    };
    let none = evidence(3, gaussian(5000, 2, 4));
    assert_eq!(none.supported, 1);
    assert!(none.warning(3).unwrap().contains("no better than they would divide an even spread"));
    assert!(none.to_string().starts_with("No clusters show"), "{none}");
    let two = evidence(5, groups(2, 5000, 2, 4));
    assert_eq!(two.supported, 2);
    assert!(two.warning(5).unwrap().contains("only 2 clusters") && two.warning(2).is_none());
    assert!(two.tried.iter().enumerate().all(|(i, of)| of.k == i + 1) && two.tried.len() == 10);
    assert!(two.tried[0].gap == 0.0 && two.tried[1].gap > two.needed && two.tried[1].explained > 0.5);
}

/// Counts what is drawn.
struct Counted {
    source: SeededNoise,
    drawn: u64,
}

impl NoiseSource for Counted {
    fn next_u64(&mut self) -> u64 {
        self.drawn += 1;
        self.source.next_u64()
    }

    fn fill_bytes(&mut self, bytes: &mut [u8]) {
        self.drawn += bytes.len() as u64;
        self.source.fill_bytes(bytes);
    }

    fn fork(&mut self, label: u64) -> Self {
        Self { source: self.source.fork(label), drawn: 0 }
    }
}

#[test]
fn evidence_draws_no_noise_and_changes_no_number() {
    for route in [Route::Grid, Route::FixedTree, Route::RefinedTree] {
        let run = |reruns: usize| {
            let table = groups(3, 2000, 2, 1);
            let mut params = AutoParams { route: Some(route), ..params(3, 2000, "1") };
            params.kmeans.reruns = reruns;
            let fit = Auto::new(params, 2).unwrap();
            let scan = LocalScan::new(PointStore::InMemory(table));
            let mut noise = Counted { source: SeededNoise::new(8), drawn: 0 };
            let outcome = fit.run(&scan, Allowance::without_ledger(fit.claim()), &mut noise).unwrap();
            (outcome, noise.drawn)
        };
        // Without reruns there is no evidence either.
        let ((with, drawn), (without, drawn_without)) = (run(2), run(0));
        assert!(with.certainty.unwrap().evidence.is_some());
        assert!(without.certainty.is_none_or(|known| known.evidence.is_none()));
        assert_eq!((drawn, with.centres, with.sizes), (drawn_without, without.centres, without.sizes), "{route:?}");
    }
}

#[test]
fn routes_without_cells_have_no_evidence() {
    for route in [Route::Mean, Route::Directions] {
        let mut params = AutoParams::new(2, "1".parse().unwrap(), DesignSize::Public(500));
        params.route = Some(route);
        let found = fit(params, groups(2, 500, 3, 1), 1);
        assert!(found.certainty.is_none_or(|known| known.evidence.is_none()), "{route:?}");
    }
}

#[test]
fn few_rows_one_column_and_many_columns_have_an_answer() {
    for (rows, dims, epsilon) in
        [(0, 2, "1"), (1, 1, "1"), (5, 3, "0.1"), (500, 1, "1"), (400, 100, "1"), (2000, 100, "4")]
    {
        for route in [Route::Grid, Route::FixedTree, Route::RefinedTree] {
            let found = choosing(uniform(rows, dims, 2), epsilon, Some(route), 3);
            assert!(!found.centres.is_empty() && found.centres.len() <= 10, "{rows} × {dims}, {route:?}");
        }
    }
}

#[test]
fn a_synopsis_alone_shows_what_the_fit_saw() {
    let right = |route, table: fn(u64) -> LatticePoints, truth: usize| {
        let of = |seed| {
            let synopsis: Synopsis = choosing(table(seed), "1", Some(route), seed).synopsis.unwrap();
            let (k, decision) = synopsis.choose_k(10);
            assert_eq!(synopsis.choose_k(10), (k, decision.clone()), "the same synopsis gives the same answer");
            assert!(matches!(decision, Decision::ChoseK { evidence: Some(_), .. }));
            assert_eq!(synopsis.check_k(truth).unwrap().tried.len(), 10);
            k
        };
        (0..3).filter(|&seed| of(seed) == truth).count()
    };
    for route in [Route::Grid, Route::RefinedTree] {
        assert!(right(route, |seed| groups(3, 4000, 2, seed), 3) >= 2, "{route:?}");
        assert!(right(route, |seed| gaussian(4000, 2, seed), 1) >= 2, "{route:?}");
        assert!(right(route, |seed| uniform(4000, 2, seed), 1) >= 2, "{route:?}");
    }
    // A tree of fixed depth is for four to seven columns.
    assert!(right(Route::FixedTree, |seed| groups(4, 4000, 4, seed), 4) >= 2);
    assert!(right(Route::FixedTree, |seed| gaussian(4000, 4, seed), 1) >= 2);
    assert!(right(Route::FixedTree, |seed| uniform(4000, 4, seed), 1) >= 2);
    // The plain tree halves its boxes, whatever the rows.
    let tree = |table: LatticePoints| {
        let settings = shoal_curator::Settings::new(2, "1".parse().unwrap(), DesignSize::Public(4000));
        let method = shoal_curator::find_method("tree").unwrap().build(&settings, 2).unwrap();
        let scan = LocalScan::new(PointStore::InMemory(table));
        let outcome = method.run(&scan, Allowance::without_ledger(method.claim()), &mut SeededNoise::new(4)).unwrap();
        outcome.synopsis.unwrap().choose_k(10).0
    };
    assert_eq!((tree(groups(4, 4000, 2, 1)), tree(uniform(4000, 2, 1))), (4, 1));
}
