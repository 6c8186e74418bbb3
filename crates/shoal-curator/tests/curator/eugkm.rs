//! EUGkM keeps its promise, adds up to what it was given, keeps noise that cancels, and clusters.

mod cells;
mod runs;

use crate::curator_support::{Unseeded, groups, run_seeded, table as scan};
use dashu_ratio::RBig;
use proptest::prelude::*;
use shoal_curator::internals::NoisyCountsMechanism;
use shoal_curator::internals::sphere_packing;
use shoal_curator::{
    Decision, DesignSize, Eugkm, EugkmParams, FitError, GridRule, MOST_CELLS, NegativeCounts, Outcome, RowMechanism,
    Synopsis, SynopsisClusters, SynopsisKMeans, System,
};
use shoal_files::{BoundsSpec, LoadOptions, PointStore, ReadOptions, Silent, Source, Table, load_points};
use shoal_kernel::LatticeCentres;
use shoal_lattice::{BoxPosition, HALF_WIDTH, LatticeMap};
use shoal_noise::uniform::unit_f64;
use shoal_noise::{DiscreteLaplace, SeededNoise};
use shoal_privacy::{
    Accountant, Allowance, Amount, Loss, Neighbours, Numerics, Parameter, Sensitive, ThisIsNotPrivate,
};
use shoal_scan::{Grid, LocalScan, Scan, ScanExt};

fn params(k: usize, epsilon: &str, rows: u64) -> EugkmParams {
    EugkmParams::new(k, epsilon.parse().unwrap(), DesignSize::Public(rows))
}

fn run_on(params: EugkmParams, scan: &LocalScan, seed: u64) -> Outcome {
    run_seeded(&Eugkm::new(params, scan.dims()).unwrap(), scan, seed)
}

fn run(params: EugkmParams, dims: usize, rows: &[Vec<i16>], seed: u64) -> Outcome {
    run_on(params, &scan(dims, rows), seed)
}

fn scattered(rows: usize, dims: usize) -> Vec<Vec<i16>> {
    (0..rows).map(|i| (0..dims).map(|j| (i * (j + 3) * 37 % 9000) as i16).collect()).collect()
}

/// k centres in the box and nothing that is not a number.
fn assert_valid(outcome: &Outcome, k: usize, dims: usize) {
    assert_eq!((outcome.centres.len(), outcome.sizes.len(), outcome.size_noise.len()), (k, k, k));
    assert!(outcome.centres.iter().all(|centre| centre.len() == dims));
    assert!(outcome.centres.iter().flatten().all(|x| (-1.0..=1.0).contains(&x.0)));
    assert!(outcome.sizes.iter().all(|size| size.is_finite() && *size >= 0.0));
    assert!(outcome.size_noise.iter().all(|sd| sd.is_finite() && *sd >= 0.0));
    assert_eq!(outcome.noise_per_centre.len(), k);
    assert!(outcome.noise_per_centre.iter().flatten().all(|sd| (0.0..0.41).contains(&sd.0)));
}

// What it promises.

#[test]
fn the_claim_is_exactly_the_budget() {
    for epsilon in ["1", "0.1", "0.7", "2", "1/3", "7/11", "0.05", "0.000001", "1000"] {
        for dims in [1, 2, 6, 10, 64] {
            for k in [1, 5, 100] {
                for size in [
                    DesignSize::Public(0),
                    DesignSize::Public(1_000_000),
                    DesignSize::bought(),
                    DesignSize::Bought { share: Amount::ratio(3, 7) },
                    DesignSize::Bought { share: "0.999".parse().unwrap() },
                ] {
                    let claim = Eugkm::new(EugkmParams { size, ..params(k, epsilon, 1) }, dims).unwrap().claim();
                    assert_eq!(claim.loss, Loss::Pure(epsilon.parse().unwrap()), "ε = {epsilon}, d = {dims}, k = {k}");
                    assert_eq!((claim.neighbours, claim.numerics), (Neighbours::AddRemoveOne, Numerics::Exact));
                }
            }
        }
    }
}

#[test]
fn the_run_spends_what_was_claimed_and_no_step_goes_uncharged() {
    let rows = groups(&[&[-0.5, -0.5], &[0.5, 0.5]], 100);
    for size in [DesignSize::Public(200), DesignSize::bought(), DesignSize::Bought { share: Amount::ratio(2, 9) }] {
        let params = EugkmParams { size, ..params(2, "0.7", 1) };
        let outcome = run(params.clone(), 2, &rows, 1);
        assert_eq!(outcome.charged, Loss::Pure("0.7".parse().unwrap()));
        assert_eq!(outcome.guarantee.claim(), None, "a seed voids the promise, in the library too");
        assert_eq!(outcome.synopsis.unwrap().guarantee.claim(), None);

        let fit = Eugkm::new(params, 2).unwrap();
        let mut noise = Unseeded(SeededNoise::new(1));
        let real = fit.run(&scan(2, &rows), Allowance::without_ledger(fit.claim()), &mut noise).unwrap();
        assert_eq!(real.guarantee.claim(), Some(&fit.claim()));
        assert_eq!(real.synopsis.unwrap().guarantee, real.guarantee, "the cells are all that was bought");

        // An allowance that is short by any amount stops the run, and says nothing about the rows.
        let refusal = |rows: &[Vec<i16>]| {
            let mut short = fit.claim();
            short.loss = Loss::Pure("0.69999".parse().unwrap());
            let refused = fit.run(&scan(2, rows), Allowance::without_ledger(short), &mut SeededNoise::new(1));
            assert!(matches!(refused, Err(FitError::Charge(_))));
            refused.unwrap_err().to_string()
        };
        assert_eq!(refusal(&rows), refusal(&[]));
    }
}

// The noise on counts.

fn laplace(numerator: u32, denominator: u32) -> DiscreteLaplace {
    DiscreteLaplace::new(RBig::from_parts(numerator.into(), denominator.into())).unwrap()
}

/// The most that the logarithm of the distribution of one noisy count changes when the count changes by one: over counts and
/// outputs around zero and far from it.
fn worst_log_ratio(law: &DiscreteLaplace) -> f64 {
    let outputs = (-300..300).chain([-1_000_000, 1_000_000]);
    outputs.map(|out| (law.ln_pmf(out - 7) - law.ln_pmf(out - 8)).abs()).fold(0.0, f64::max)
}

#[test]
fn the_law_of_a_count_loses_exactly_what_is_charged() {
    for (numerator, denominator) in [(1, 1), (1, 10), (7, 10), (1, 3), (5, 1)] {
        let epsilon = format!("{numerator}/{denominator}").parse().unwrap();
        let mechanism = NoisyCountsMechanism::new(&epsilon).unwrap();
        assert_eq!(mechanism.claim().loss, Loss::Pure(epsilon.clone()));
        let law = laplace(numerator, denominator);
        assert_eq!(mechanism.variance(), law.variance(), "it draws from this law");
        let loss = worst_log_ratio(&law);
        let charged = epsilon.to_f64_up();
        assert!((loss / charged - 1.0).abs() < 1e-9, "ε = {epsilon}: {loss}");
        // The mutant: noise a tenth too small.
        assert!(worst_log_ratio(&laplace(11 * numerator, 10 * denominator)) > 1.09 * charged);
    }
}

const EXACT: [u64; 6] = [0, 3, 0, 1_000_000, 17, 0];

fn noise_added(mechanism: &NoisyCountsMechanism, noise: &mut SeededNoise) -> Vec<i64> {
    let mut accountant = Accountant::new(Allowance::without_ledger(mechanism.claim()));
    let noisy = accountant.release(Sensitive::new(EXACT.to_vec()), mechanism.with(noise)).unwrap().into_inner();
    noisy.iter().zip(EXACT).map(|(noisy, exact)| noisy - exact as i64).collect()
}

#[test]
fn every_cell_is_randomised_and_empty_cells_too() {
    let mechanism = NoisyCountsMechanism::new(&"0.1".parse().unwrap()).unwrap();
    // How often each cell was left as it is, in 200 runs in which `forgotten` cells get no noise.
    let clear = |forgotten: fn(usize) -> bool| {
        let mut noise = SeededNoise::new(11);
        let mut clear = [0; EXACT.len()];
        for _ in 0..200 {
            for (i, z) in noise_added(&mechanism, &mut noise).into_iter().enumerate() {
                clear[i] += usize::from(z == 0 || forgotten(i));
            }
        }
        clear
    };
    // The noise is zero in one run of twenty; 40 of 200 has a chance below 1e-12.
    assert!(clear(|_| false).iter().all(|&clear| clear < 40));
    // Mutants: empty cells left alone (sparse noise), and the last cell in the clear.
    assert!(clear(|i| EXACT[i] == 0).iter().any(|&clear| clear >= 40));
    assert!(clear(|i| i + 1 == EXACT.len()).iter().any(|&clear| clear >= 40));
}

#[test]
fn every_cell_has_its_own_noise() {
    let mechanism = NoisyCountsMechanism::new(&"0.1".parse().unwrap()).unwrap();
    let mut noise = SeededNoise::new(5);
    let draws: Vec<Vec<i64>> = (0..200).map(|_| noise_added(&mechanism, &mut noise)).collect();
    for i in 0..EXACT.len() {
        for j in 0..i {
            // Two independent draws agree with a chance of about 1/40.
            assert!(draws.iter().filter(|z| z[i] == z[j]).count() < 40, "cells {i} and {j}");
        }
    }
}

/// χ² of draws against a law, less the value that it exceeds once in a million times.
fn beyond_chance(law: &DiscreteLaplace, draws: &[i64]) -> f64 {
    let n = draws.len() as f64;
    // Bins of one value each where at least ten are expected, and the two tails.
    let edge = (0..).find(|&z| n * law.tail(z + 1) < 20.0).unwrap();
    let mut counts = vec![0.0; 2 * edge as usize + 1];
    draws.iter().for_each(|&z| counts[(z.clamp(-edge, edge) + edge) as usize] += 1.0);
    let expected = |z: i64| n * if z.abs() == edge { law.tail(edge) } else { law.pmf(z) };
    let chi2: f64 = (-edge..=edge).zip(&counts).map(|(z, count)| (count - expected(z)).powi(2) / expected(z)).sum();
    let free = 2.0 * edge as f64;
    // Wilson and Hilferty.
    chi2 - free * (1.0 - 2.0 / (9.0 * free) + 4.753 * (2.0 / (9.0 * free)).sqrt()).powi(3)
}

#[test]
fn the_noise_on_counts_has_the_law_that_was_charged() {
    let draws = |epsilon: &str| -> Vec<i64> {
        let mechanism = NoisyCountsMechanism::new(&epsilon.parse().unwrap()).unwrap();
        let mut noise = SeededNoise::new(12);
        (0..35_000).flat_map(|_| noise_added(&mechanism, &mut noise)).collect()
    };
    let law = laplace(1, 5);
    let fair = draws("0.2");
    assert!(beyond_chance(&law, &fair) < 0.0);
    // Mutants: scale × 0.9 and × 1.1, no sign, one too many, another law with the same variance.
    assert!(beyond_chance(&law, &draws("2/9")) > 0.0);
    assert!(beyond_chance(&law, &draws("2/11")) > 0.0);
    assert!(beyond_chance(&law, &fair.iter().map(|z| z.abs()).collect::<Vec<_>>()) > 0.0);
    assert!(beyond_chance(&law, &fair.iter().map(|z| z + 1).collect::<Vec<_>>()) > 0.0);
    let uniform: Vec<i64> = (0..).map(|i| i % 25 - 12).take(fair.len()).collect();
    assert!(beyond_chance(&law, &uniform) > 0.0);
}

fn cells(grid: &Grid, rows: &[Vec<i16>]) -> Vec<u64> {
    scan(grid.dims(), rows).cell_counts(grid).unwrap().without_privacy().reveal(ThisIsNotPrivate)
}

/// Cells that differ, and by how much at most.
fn change(a: &[u64], b: &[u64]) -> (usize, u64) {
    let differences: Vec<u64> = a.iter().zip(b).map(|(a, b)| a.abs_diff(*b)).filter(|&by| by > 0).collect();
    (differences.len(), differences.into_iter().max().unwrap_or(0))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    fn one_row_changes_one_cell_by_one(
        (along, rows, extra) in (1..4usize).prop_flat_map(|dims| {
            let coordinate = prop_oneof![Just(-32_767i16), Just(32_767), Just(0), Just(-1), -32_767..=32_767i16];
            let row = prop::collection::vec(coordinate, dims);
            (prop::collection::vec(1..9u32, dims), prop::collection::vec(row.clone(), 0..20), row)
        }),
        at in any::<prop::sample::Index>(),
    ) {
        let grid = Grid::new(along, 1000).unwrap();
        let mut more = rows.clone();
        more.insert(at.index(rows.len() + 1), extra);
        let (with, without) = (cells(&grid, &more), cells(&grid, &rows));
        prop_assert_eq!(change(&with, &without), (1, 1));
        prop_assert_eq!(with.iter().sum::<u64>(), more.len() as u64);
    }
}

#[test]
fn the_neighbour_test_can_fail() {
    // The mutant: a grid over the rows' own range, where a row far out moves all others to other cells.
    let fitted = |rows: &[Vec<i16>]| {
        let highest = i64::from(rows.iter().map(|row| row[0]).max().unwrap()) + 1;
        let mut counts = vec![0u64; 8];
        rows.iter().for_each(|row| counts[(i64::from(row[0]) * 8 / highest) as usize] += 1);
        counts
    };
    let rows: Vec<Vec<i16>> = (0..100).map(|i| vec![i]).collect();
    let more = [rows.clone(), vec![vec![32_000]]].concat();
    assert_ne!(change(&fitted(&rows), &fitted(&more)), (1, 1));
}
