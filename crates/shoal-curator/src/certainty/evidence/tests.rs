//! Evidence on tables whose clusters are known, with mutants that get them wrong.

use shoal_files::PointStore;
use shoal_lattice::HALF_WIDTH;
use shoal_noise::uniform::{normal_f64, unit_f64};
use shoal_privacy::{Accountant, Allowance, Assumption, Claim, Loss, Neighbours, Numerics};
use shoal_scan::LocalScan;

use super::verdict::{Threshold, verdict_by};
use super::*;
use crate::auto::route_tree;
use crate::{StepBudget, SynopsisKMeans};

const BUDGET: &str = "1/2";

fn table(rows: usize, dims: usize, seed: u64, fill: impl Fn(&mut [f64], &mut SeededNoise)) -> LatticePoints {
    let mut random = SeededNoise::new(seed);
    let mut points = LatticePoints::new(dims);
    let mut row = vec![0.0; dims];
    for _ in 0..rows {
        fill(&mut row, &mut random);
        let lattice = |x: &f64| (x.clamp(-1.0, 1.0) * f64::from(HALF_WIDTH)).round() as i16;
        points.push_row(&row.iter().map(lattice).collect::<Vec<_>>());
    }
    points
}

fn uniform(rows: usize, dims: usize, seed: u64) -> LatticePoints {
    table(rows, dims, seed, |row, random| row.iter_mut().for_each(|x| *x = 1.6 * unit_f64(random) - 0.8))
}

fn correlated(rows: usize, dims: usize, seed: u64) -> LatticePoints {
    table(rows, dims, seed, |row, random| {
        let common = normal_f64(random);
        row.iter_mut().for_each(|x| *x = 0.22 * common + 0.11 * normal_f64(random));
    })
}

/// Does something with a run whose tree has been released.
fn with_release<T>(table: LatticePoints, seed: u64, then: impl FnOnce(&ReleasedCells, &Run<'_>) -> T) -> T {
    let (rows, epsilon) = (table.rows() as f64, BUDGET.parse().unwrap());
    let scan = LocalScan::new(PointStore::InMemory(table));
    let claim = Claim {
        neighbours: Neighbours::AddRemoveOne,
        loss: Loss::Pure("10".parse().unwrap()),
        numerics: Numerics::Exact,
        assumes: [Assumption::BoundsPublic, Assumption::OneRowPerPerson].into(),
    };
    let mut accountant = Accountant::new(Allowance::without_ledger(claim));
    let mut noise = SeededNoise::new(seed);
    let mut run = Run {
        releaser: &mut shoal_release::LocalReleaser::new(&scan, &mut accountant, &mut noise),
        watch: &|_| (),
        rows,
        budget: StepBudget::Pure(epsilon),
        kmeans: SynopsisKMeans::new(3),
        choose_up_to: None,
        decisions: Vec::new(),
    };
    let released = route_tree::release(&mut run).unwrap();
    then(&released, &run)
}

/// Rows become cells one by one, as they are: no mechanism at all.
struct Unmediated;

impl Release for Unmediated {
    fn cells(&self, table: LatticePoints, _: &mut SeededNoise) -> Result<PlacedCells, FitError> {
        let (rows, dims) = (table.rows(), table.dims());
        Ok(PlacedCells { points: table, weights: vec![1.0; rows], within: vec![0.0; rows * dims] })
    }
}

#[test]
fn correlated_columns_are_no_clusters() {
    let mut right = 0;
    for seed in 0..4 {
        with_release(correlated(4000, 6, seed), seed, |released, run| {
            let found = evidence(released, run, Effort::to_check(3)).unwrap();
            right += usize::from(found.evidence.supported == 1);
        });
    }
    assert!(right >= 3, "{right} of 4");
}

#[test]
fn without_thresholds_even_rows_have_clusters() {
    let nothing = Threshold { part: 0.0, errors: 0.0, least: 1e-9 };
    let (mut right, mut fooled) = (0, 0);
    for seed in 0..6 {
        with_release(uniform(3000, 2, seed), seed, |released, run| {
            let (shown, rows) = made_up_rows(&released.placed);
            let release = SameRelease::new(Stage::Tree, run, shown, rows);
            let (data, references) = gather(&released.placed, &release, (rows, seed), Effort::to_check(3)).unwrap();
            right += usize::from(verdict(&data, &references).unwrap().evidence.supported == 1);
            let mutant = verdict_by(&data, &references, nothing, nothing).unwrap();
            fooled += usize::from(mutant.evidence.supported > 1);
        });
    }
    assert!(right >= 5, "{right} of 6");
    assert!(fooled >= 3, "the mutant must fail, and did in {fooled} of 6");
}

#[test]
fn matched_references_come_out_with_the_spread_of_the_data() {
    with_release(correlated(4000, 4, 9), 9, |released, run| {
        let wanted = Spread::of(&released.placed).unwrap();
        let (shown, rows) = made_up_rows(&released.placed);
        let release = SameRelease::new(Stage::Tree, run, shown, rows);
        let off = |steps| {
            let even = matched(&wanted, &release, rows, steps, 5).unwrap();
            let mut random = SeededNoise::new(6);
            let found = |_| {
                let table = even.draw(rows, &mut random);
                Spread::of(&release.cells(table, &mut random).unwrap()).unwrap()
            };
            let found = Spread::mean_of(&(0..4).map(found).collect::<Vec<_>>()).unwrap();
            (&found.covariance - &wanted.covariance).norm() / wanted.covariance.norm()
        };
        let (before, after) = (off(0), off(5));
        assert!(after < 0.5 * before && after < 0.12, "{before} {after}");
    });
}

#[test]
fn the_same_release_gives_the_same_evidence_on_any_number_of_threads() {
    with_release(uniform(2000, 3, 1), 1, |released, run| {
        let (shown, rows) = made_up_rows(&released.placed);
        let release = SameRelease::new(Stage::Tree, run, shown, rows);
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| weigh(&released.placed, &release, (rows, 7), Effort::to_check(2)).unwrap())
        };
        assert_eq!(on(1), on(3));
    });
}

#[test]
fn odd_cells_have_modest_evidence_or_none() {
    let of = |places: &[i16], weights: &[f64]| {
        let mut points = LatticePoints::new(1);
        places.iter().for_each(|&x| points.push_row(&[x]));
        let cells = PlacedCells { points, weights: weights.to_vec(), within: vec![1e-3; places.len()] };
        let (_, rows) = made_up_rows(&cells);
        weigh(&cells, &Unmediated, (rows, 1), Effort::to_check(5)).unwrap().map(|found| found.evidence)
    };
    // One cell, cells without rows, one row, fewer cells than clusters.
    let one = of(&[5], &[100.0]).unwrap();
    assert_eq!((one.supported, one.tried.len()), (1, 1));
    assert_eq!(of(&[5, 6], &[0.0, 0.0]), None);
    assert!(of(&[5, 6], &[0.3, 0.3]).is_none_or(|found| found.supported == 1));
    assert!(of(&[-30_000, 30_000], &[500.0, 500.0]).unwrap().tried.len() == 2);
}

#[test]
fn many_attributes_are_measured_without_their_correlations() {
    for dims in [100, 130] {
        let table = uniform(300, dims, 3);
        let cells = Unmediated.cells(table, &mut SeededNoise::new(1)).unwrap();
        let found = weigh(&cells, &Unmediated, (300, 1), Effort { most: 3, tables: 2, corrections: 1, restarts: 1 });
        assert_eq!(found.unwrap().unwrap().evidence.supported, 1, "{dims}");
    }
}
