//! EUGkM keeps its promise, adds up to what it was given, keeps noise that cancels, and clusters.

use crate::curator_support::{Unseeded, groups, run_seeded, table as scan};
use dashu_ratio::RBig;
use proptest::prelude::*;
use shoal_curator::internals::NoisyCountsMechanism;
use shoal_curator::internals::sphere_packing;
use shoal_curator::{
    Decision, DesignSize, Eugkm, EugkmParams, FitError, GridRule, MOST_CELLS, Outcome, RowMechanism, Synopsis,
    SynopsisClusters, SynopsisKMeans, System,
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

/// The most that the logarithm of the law of one noisy count changes when the count changes by one: over counts and
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

// Cells and k-means on them.

/// A synopsis with counts set by hand. Its claim is that of noise at ε = 1.
fn synopsis(along: &[u32], counts: Vec<i64>) -> Synopsis {
    let mechanism = NoisyCountsMechanism::new(&"1".parse().unwrap()).unwrap();
    let grid = Grid::new(along.to_vec(), 1 << 20).unwrap();
    Synopsis::new(grid, counts, mechanism.variance().sqrt(), mechanism.claim(), true)
}

fn cluster(synopsis: &Synopsis, k: usize) -> SynopsisClusters {
    synopsis.cluster(&SynopsisKMeans::new(k), &mut SeededNoise::new(4))
}

/// The middles of `cells` cells of an axis, in box units, up to a lattice step.
fn middle(cells: usize, index: usize) -> f64 {
    (2.0 * index as f64 + 1.0) / cells as f64 - 1.0
}

#[test]
fn negative_counts_stay_so_that_noise_cancels() {
    // 100 rows in cell 1; noise +40 in cell 8 and −40 in its neighbour, which cancel but for one cell's width.
    let counts = vec![0, 100, 0, 0, 0, 0, 0, -40, 40, 0];
    let mean = |counts: &[i64]| {
        let total: i64 = counts.iter().sum();
        counts.iter().enumerate().map(|(i, &c)| c as f64 * middle(10, i)).sum::<f64>() / total as f64
    };
    let found = cluster(&synopsis(&[10], counts.clone()), 1);
    assert!((found.centres[0][0].0 - mean(&counts)).abs() < 1e-4, "{:?}", found.centres);
    assert!((found.centres[0][0].0 - middle(10, 1)).abs() < 0.1, "near the rows");
    assert_eq!(found.sizes, [100.0]);
    // The mutant: counts floored at zero pull the centre far away.
    let floored: Vec<i64> = counts.iter().map(|&c| c.max(0)).collect();
    let mutant = cluster(&synopsis(&[10], floored), 1);
    assert!((mutant.centres[0][0].0 - middle(10, 1)).abs() > 0.3, "{:?}", mutant.centres);
}

/// Σ c·‖t − nearest centre‖² over the cells, by the definition.
fn cost(synopsis: &Synopsis, centres: &[Vec<BoxPosition>]) -> f64 {
    let along = synopsis.as_grid().unwrap().cells_per_axis();
    let squared = |cell: usize, centre: &Vec<BoxPosition>| {
        let mut rest = cell;
        (0..along.len()).rev().fold(0.0, |sum, axis| {
            let cells = along[axis] as usize;
            let x = middle(cells, rest % cells);
            rest /= cells;
            sum + (x - centre[axis].0).powi(2)
        })
    };
    let nearest = |cell: usize| centres.iter().map(|c| squared(cell, c)).fold(f64::INFINITY, f64::min);
    synopsis.counts.iter().enumerate().map(|(cell, &count)| count as f64 * nearest(cell)).sum()
}

#[test]
fn the_start_with_the_lowest_cost_on_the_cells_is_kept() {
    // Nine groups: from many starts k-means ends in one of several places.
    let rows: Vec<Vec<i16>> = (0..9000)
        .map(|i| vec![[-24_000, 0, 24_000][i % 3] + (i % 7) as i16 * 500, [-24_000, 0, 24_000][i / 3 % 3]])
        .collect();
    let released = run(params(9, "1", 9000), 2, &rows, 3).synopsis.unwrap();
    for seed in 0..5 {
        let how = SynopsisKMeans::new(9);
        let found = released.cluster(&how, &mut SeededNoise::new(seed));
        // The same starts, one by one.
        let mut noise = SeededNoise::new(seed);
        let starts: Vec<_> =
            (0..how.inits).map(|_| LatticeCentres::from_unit(2, &sphere_packing(9, 2, &mut noise))).collect();
        let costs: Vec<f64> = released
            .kmeans_from(&starts, how.rounds)
            .iter()
            .map(|run| cost(&released, &run.centres.chunks_exact(2).map(BoxPosition::list).collect::<Vec<_>>()))
            .collect();
        let (least, most) = costs.iter().fold((f64::INFINITY, 0.0f64), |(a, b), &c| (a.min(c), b.max(c)));
        let kept = cost(&released, &found.centres);
        assert!((kept - least).abs() < 1e-3 * least, "kept {kept} of {least} to {most}");
        assert!(costs[0].max(most) > 1.01 * least, "the starts are too alike to tell");
        let total: i64 = released.counts.iter().sum();
        assert!((found.nicv.unwrap() - kept / total as f64).abs() < 1e-3 * found.nicv.unwrap());
    }
}

fn assert_clusters_valid(found: &SynopsisClusters, k: usize, what: &str) {
    assert_eq!((found.centres.len(), found.sizes.len(), found.size_noise.len()), (k, k, k), "{what}");
    assert!(found.centres.iter().flatten().all(|x| (-1.0..=1.0).contains(&x.0)), "{what}: {:?}", found.centres);
    assert!(found.sizes.iter().all(|size| size.is_finite() && *size >= 0.0), "{what}: {:?}", found.sizes);
    assert!(found.size_noise.iter().all(|sd| sd.is_finite()), "{what}");
    assert!(found.noise_per_centre.iter().flatten().all(|sd| (0.0..0.41).contains(&sd.0)), "{what}");
    assert!(found.nicv.is_none_or(f64::is_finite), "{what}: {:?}", found.nicv);
}

#[test]
fn any_counts_give_centres_in_the_box() {
    let far = 1i64 << 62;
    let cases: [(&str, &[u32], Vec<i64>); 10] = [
        ("all zero", &[4, 3], vec![0; 12]),
        ("all negative", &[4, 3], vec![-5; 12]),
        ("adding up to zero", &[4, 3], (0..12).map(|i| if i % 2 == 0 { 9 } else { -9 }).collect()),
        ("adding up to less than zero", &[4, 3], (0..12).map(|i| if i == 5 { 40 } else { -9 }).collect()),
        ("one cell", &[1, 1], vec![77]),
        ("one negative cell", &[1], vec![-1]),
        ("two cells", &[2], vec![5, -4]),
        ("huge", &[5, 5], vec![far; 25]),
        ("huge and negative", &[5, 5], (0..25).map(|i| if i % 3 == 0 { -far } else { far }).collect()),
        ("huge beside small", &[3, 2, 2], (0..12).map(|i| if i == 7 { far } else { -i }).collect()),
    ];
    for (what, along, counts) in cases {
        let total: i128 = counts.iter().map(|&c| i128::from(c)).sum();
        for k in [1, 2, 5, 40] {
            let found = cluster(&synopsis(along, counts.clone()), k);
            assert_clusters_valid(&found, k, what);
            assert_eq!(found.nicv.is_some(), total > 0, "{what}: a mean needs weight");
        }
    }
}

#[test]
fn one_cell_tells_nothing_about_places_whatever_its_count() {
    // Noise of a standard deviation of 1.3: counts within the noise, and far beyond it. A centre is off by w/√12.
    for count in [1, 2, 1000] {
        let found = cluster(&synopsis(&[1], vec![count]), 1);
        assert!((found.noise_per_centre[0][0].0 - 12f64.sqrt().recip()).abs() < 1e-9, "{:?}", found.noise_per_centre);
    }
}

#[test]
#[should_panic(expected = "one count per cell")]
fn a_synopsis_has_one_count_per_cell() {
    synopsis(&[3, 3], vec![1; 8]);
}

/// A column of rows around `at` (box units), `spread` either way, in both attributes.
fn square_of_rows(at: [f64; 2], spread: f64, rows: usize, random: &mut SeededNoise) -> Vec<Vec<i16>> {
    let mut place = |x: f64| ((x + spread * (2.0 * unit_f64(random) - 1.0)) * f64::from(HALF_WIDTH)) as i16;
    (0..rows).map(|_| vec![place(at[0]), place(at[1])]).collect()
}

/// Root mean square, over tables and noise, of what was measured and of what was told: the error of the one centre in
/// interval widths and the error of its size.
fn told_and_measured(grid: &Grid, epsilon: &str, spread: f64, rows: usize, draws: u64) -> [(f64, f64); 2] {
    let mechanism = NoisyCountsMechanism::new(&epsilon.parse().unwrap()).unwrap();
    let mut random = SeededNoise::new(77);
    let mut sums = [(0.0, 0.0); 2];
    for _ in 0..draws {
        let at = [0.8 * unit_f64(&mut random) - 0.4, 0.8 * unit_f64(&mut random) - 0.4];
        let table = square_of_rows(at, spread, rows, &mut random);
        let exact = cells(grid, &table);
        let mut accountant = Accountant::new(Allowance::without_ledger(mechanism.claim()));
        let counts = accountant.release(Sensitive::new(exact), mechanism.with(&mut random)).unwrap().into_inner();
        let sd = mechanism.variance().sqrt();
        let released = Synopsis::new(grid.clone(), counts, sd, mechanism.claim(), true);
        let how = SynopsisKMeans { k: 1, inits: 1, rounds: 10 };
        let found = released.cluster(&how, &mut SeededNoise::new(1));
        for axis in 0..2 {
            let mean = table.iter().map(|row| f64::from(row[axis])).sum::<f64>() / rows as f64 / f64::from(HALF_WIDTH);
            sums[0].0 += (0.5 * (found.centres[0][axis].0 - mean)).powi(2);
            sums[0].1 += found.noise_per_centre[0][axis].0.powi(2);
        }
        sums[1].0 += (found.sizes[0] - rows as f64).powi(2);
        sums[1].1 += found.size_noise[0].powi(2);
    }
    sums.map(|(measured, told)| (measured.sqrt(), told.sqrt()))
}

#[test]
fn the_errors_told_are_those_measured() {
    let grid = Grid::new(vec![12, 12], 144).unwrap();
    // Noise decides: 12 × 12 cells with standard deviation 14 against 2000 rows that spread over several cells.
    let noisy = told_and_measured(&grid, "0.1", 0.3, 2000, 600);
    for (what, (measured, told)) in ["centre", "size"].iter().zip(noisy) {
        let ratio = measured / told;
        assert!((0.85..1.15).contains(&ratio), "{what}: measured {ratio} times what was told");
        // The mutants: told for noise a third smaller or larger.
        assert!(!(0.85..1.15).contains(&(1.33 * ratio)) && !(0.85..1.15).contains(&(0.67 * ratio)));
    }
    // Hardly any noise: what is left is that rows are taken to sit in the middle of their cell.
    let width = 1.0 / 12.0;
    let [(measured, told), _] = told_and_measured(&grid, "1000", 0.002, 500, 400);
    assert!((0.8..1.25).contains(&(measured / told)), "in one cell: {measured} and {told}");
    assert!((told / 800f64.sqrt() / (width / 12f64.sqrt()) - 1.0).abs() < 0.1, "w/√12 in one cell");
    // Over several cells the errors of their middles cancel in part.
    let [(measured_wide, told_wide), _] = told_and_measured(&grid, "1000", 0.4, 4000, 400);
    assert!(told_wide < 0.5 * told, "{told_wide} and {told}");
    assert!(measured_wide < 1.5 * told_wide, "over several cells: {measured_wide} and {told_wide}");
    // The mutant without that term would tell of noise alone, far below what is measured.
    let noise_alone =
        0.5 * (NoisyCountsMechanism::new(&"1000".parse().unwrap()).unwrap().variance() * 144.0).sqrt() / 500.0;
    assert!(noise_alone < 0.01 * measured / 800f64.sqrt());
}

// The whole method.

#[test]
fn separated_groups_are_found() {
    let places: [&[f64]; 3] = [&[-0.6, -0.6], &[0.6, -0.5], &[0.0, 0.6]];
    let rows = groups(&places, 3000);
    let found = |epsilon: &str| {
        (0..20)
            .filter(|&seed| {
                let outcome = run(params(3, epsilon, 9000), 2, &rows, seed);
                let near = |c: &[BoxPosition], p: &[f64]| (c[0].0 - p[0]).abs() < 0.05 && (c[1].0 - p[1]).abs() < 0.05;
                places.iter().all(|p| outcome.centres.iter().any(|c| near(c, p)))
            })
            .count()
    };
    assert!(found("1") >= 19, "found in {} of 20 runs", found("1"));
    assert!(found("0.001") <= 2, "noise alone found them in {} of 20 runs", found("0.001"));
}

#[test]
fn odd_tables_and_budgets_give_a_valid_answer() {
    let tables: [(&str, usize, Vec<Vec<i16>>); 8] = [
        ("no rows", 2, vec![]),
        ("one row", 2, vec![vec![100, -100]]),
        ("fewer rows than clusters", 2, vec![vec![100, -100], vec![-9000, 32_767]]),
        ("constant column", 2, (0..500).map(|i| vec![i * 60, 7]).collect()),
        ("all at a corner", 3, vec![vec![32_767, -32_767, 32_767]; 50]),
        ("one attribute", 1, (0..500).map(|i| vec![i * 60 - 15_000]).collect()),
        ("twenty attributes", 20, scattered(300, 20)),
        ("no rows, twenty attributes", 20, vec![]),
    ];
    for (what, dims, rows) in &tables {
        for epsilon in ["0.000001", "0.5", "1000"] {
            for size in [DesignSize::Public(300), DesignSize::bought()] {
                let given = EugkmParams { size, ..params(5, epsilon, 1) };
                let kmeans = SynopsisKMeans { inits: 3, ..given.kmeans };
                let grid = GridRule { most_cells: 20_000, ..given.grid };
                let outcome = run(EugkmParams { kmeans, grid, ..given }, *dims, rows, 3);
                assert_valid(&outcome, 5, *dims);
                assert_eq!(outcome.charged, Loss::Pure(epsilon.parse().unwrap()), "{what}");
                let synopsis = outcome.synopsis.as_ref().unwrap();
                assert_eq!(synopsis.counts.len(), synopsis.cells.count());
            }
        }
    }
}

#[test]
fn the_same_noise_gives_the_same_bits_in_any_row_order_and_on_any_number_of_threads() {
    let rows = groups(&[&[-0.6, -0.6], &[0.6, -0.5], &[0.0, 0.6]], 3001);
    let reversed: Vec<_> = rows.iter().rev().cloned().collect();
    for size in [DesignSize::Public(9000), DesignSize::bought()] {
        let with = |rows: &[Vec<i16>]| run(EugkmParams { size: size.clone(), ..params(3, "1", 1) }, 2, rows, 5);
        let expected = with(&rows);
        assert_eq!(with(&reversed), expected);
        for threads in [1, 2, 5] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            assert_eq!(pool.install(|| with(&rows)), expected);
        }
    }
}

#[test]
fn many_cells_give_the_same_bits_on_any_number_of_threads() {
    // More cells than one task of the error sums takes.
    let rows = groups(&[&[-0.6, -0.6], &[0.6, -0.5]], 500);
    let given = params(2, "10", 100_000);
    let given = EugkmParams { kmeans: SynopsisKMeans { inits: 2, rounds: 5, k: 2 }, ..given };
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| run(given.clone(), 2, &rows, 5))
    };
    let expected = with(1);
    assert!(expected.synopsis.as_ref().unwrap().counts.len() > 90_000);
    assert_eq!(with(3), expected);
}

#[test]
fn a_streamed_table_gives_the_same_bits_as_one_in_memory() {
    let mut text = String::from("a,b,c\n");
    for i in 0..5000usize {
        let x = |salt: usize| ((i * 7919 + salt) * 104_729 % 100_003) as f64 / 100_003.0;
        text.push_str(&format!("{},{},{}\n", x(1), x(2), x(3)));
    }
    let load = |memory: usize, chunk_rows: Option<usize>| {
        let table = Table::open(Source::Memory(text.clone().into_bytes()), &ReadOptions::default()).unwrap();
        let bounds = BoundsSpec::parse("0,1").unwrap().resolve(table.columns(), table.all_columns()).unwrap();
        let options = LoadOptions { memory, chunk_rows, ..LoadOptions::default() };
        load_points(table, LatticeMap::new(&bounds), &options, &Silent).unwrap()
    };
    let (whole, streamed) = (load(1 << 30, None), load(1024, Some(160)));
    assert!(matches!((&whole, &streamed), (PointStore::InMemory(_), PointStore::Streaming(_))));
    let given = EugkmParams { size: DesignSize::bought(), ..params(4, "1", 1) };
    let expected = run_on(given.clone(), &LocalScan::new(whole), 8);
    assert_eq!(run_on(given, &LocalScan::new(streamed).with_memory(4096), 8), expected);
}

#[test]
fn a_grid_that_would_not_fit_is_capped_and_says_so() {
    let chosen = GridRule::default().choose(10_000_000, 1.0, 10).unwrap();
    assert!(chosen.capped && chosen.grid.cells() <= MOST_CELLS && chosen.grid.dims() == 10);
    let note = chosen.decision().to_string();
    assert!(note.contains("10.0 billion") && note.contains("`max-cells`"), "{note}");

    let rows = scattered(500, 10);
    let given = params(3, "1", 10_000_000);
    let capped = GridRule { most_cells: 5000, ..given.grid };
    let outcome = run(EugkmParams { grid: capped, ..given }, 10, &rows, 1);
    assert_valid(&outcome, 3, 10);
    let cells = outcome.synopsis.as_ref().unwrap().as_grid().unwrap().cells();
    assert!(cells <= 5000 && cells > 1000, "{cells}");
    assert!(
        outcome.decisions.iter().any(|it| matches!(it, Decision::Grid { asked: Some(_), .. })),
        "{:?}",
        outcome.decisions
    );
    // A grid that fits says nothing of a limit.
    let outcome = run(params(3, "1", 500), 10, &rows, 1);
    assert!(
        outcome.decisions.iter().all(|it| !matches!(it, Decision::Grid { asked: Some(_), .. })),
        "{:?}",
        outcome.decisions
    );
}

#[test]
fn senseless_parameters_are_refused() {
    assert!(matches!(Eugkm::new(params(0, "1", 10), 2), Err(FitError::NoCentres)));
    assert!(matches!(Eugkm::new(params(20_000, "1", 10), 2), Err(FitError::TooManyCentres { .. })));
    assert!(matches!(Eugkm::new(params(2, "0", 10), 2), Err(FitError::NoBudget)));
    assert!(matches!(Eugkm::new(params(2, "1", 10), 0), Err(FitError::NoAttributes)));
    for theta in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let grid = GridRule { theta, ..GridRule::default() };
        let refused = Eugkm::new(EugkmParams { grid, ..params(2, "1", 10) }, 2);
        assert!(matches!(refused, Err(FitError::Parameter { what: Parameter::THETA, .. })), "θ = {theta}");
    }
    let kmeans = SynopsisKMeans::new(2);
    for kmeans in [SynopsisKMeans { inits: 0, ..kmeans }, SynopsisKMeans { rounds: 0, ..kmeans }] {
        let refused = Eugkm::new(EugkmParams { kmeans, ..params(2, "1", 10) }, 2);
        assert!(matches!(refused, Err(FitError::Parameter { .. })));
    }
    let grid = GridRule { most_cells: 0, ..GridRule::default() };
    let refused = Eugkm::new(EugkmParams { grid, ..params(2, "1", 10) }, 2);
    assert!(matches!(refused, Err(FitError::Parameter { what: Parameter::MAX_CELLS, .. })));
}
