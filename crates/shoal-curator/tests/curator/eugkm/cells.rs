//! Clusters of noisy cells, and the errors that are reported with them.

use super::*;

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
fn negative_counts_taken_for_zero_pull_centres_to_empty_cells_and_leave_sizes_alone() {
    let counts = vec![0, 100, 0, 0, 0, 0, 0, -40, 40, 0];
    let floored: Vec<i64> = counts.iter().map(|&count: &i64| count.max(0)).collect();
    let how = SynopsisKMeans { negative: NegativeCounts::Zero, ..SynopsisKMeans::new(1) };
    let found = synopsis(&[10], counts.clone()).cluster(&how, &mut SeededNoise::new(4));
    let kept = cluster(&synopsis(&[10], counts.clone()), 1);
    let as_if = cluster(&synopsis(&[10], floored), 1);
    // Up to a lattice step: rounds end where a weight is no more than noise, and that differs.
    assert!(
        (found.centres[0][0].0 - as_if.centres[0][0].0).abs() < 1e-4,
        "{:?} and {:?}",
        found.centres,
        as_if.centres
    );
    assert!(found.centres[0][0].0 > kept.centres[0][0].0 + 0.2, "{:?} and {:?}", found.centres, kept.centres);
    assert_eq!((found.sizes[0], as_if.sizes[0]), (100.0, 140.0));
    // Without a negative count there is nothing to choose.
    let counts = vec![5, 100, 3, 0, 0, 0, 0, 40, 40, 0];
    let both = [NegativeCounts::Keep, NegativeCounts::Zero].map(|negative| {
        let how = SynopsisKMeans { negative, ..SynopsisKMeans::new(2) };
        synopsis(&[10], counts.clone()).cluster(&how, &mut SeededNoise::new(4))
    });
    assert_eq!(both[0].sizes, both[1].sizes);
    for (kept, zero) in both[0].centres.iter().flatten().zip(both[1].centres.iter().flatten()) {
        assert!((kept.0 - zero.0).abs() < 1e-4, "up to a lattice step: {kept:?} and {zero:?}");
    }
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
        assert!(costs[0].max(most) > 1.01 * least, "the initialisations are too alike to show it");
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

/// Root mean square, over tables and noise, of what was measured and of what was stated: the error of the one centre in
/// interval widths and the error of its size.
fn stated_and_measured(grid: &Grid, epsilon: &str, spread: f64, rows: usize, draws: u64) -> [(f64, f64); 2] {
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
        let how = SynopsisKMeans { inits: 1, rounds: 10, reruns: 0, ..SynopsisKMeans::new(1) };
        let found = released.cluster(&how, &mut SeededNoise::new(1));
        for axis in 0..2 {
            let mean = table.iter().map(|row| f64::from(row[axis])).sum::<f64>() / rows as f64 / f64::from(HALF_WIDTH);
            sums[0].0 += (0.5 * (found.centres[0][axis].0 - mean)).powi(2);
            sums[0].1 += found.noise_per_centre[0][axis].0.powi(2);
        }
        sums[1].0 += (found.sizes[0] - rows as f64).powi(2);
        sums[1].1 += found.size_noise[0].powi(2);
    }
    sums.map(|(measured, stated)| (measured.sqrt(), stated.sqrt()))
}

#[test]
fn the_errors_told_are_those_measured() {
    let grid = Grid::new(vec![12, 12], 144).unwrap();
    // Noise decides: 12 × 12 cells with standard deviation 14 against 2000 rows that spread over several cells.
    let noisy = stated_and_measured(&grid, "0.1", 0.3, 2000, 600);
    for (what, (measured, stated)) in ["centre", "size"].iter().zip(noisy) {
        let ratio = measured / stated;
        assert!((0.85..1.15).contains(&ratio), "{what}: measured {ratio} times what was stated");
        // The mutants: stated for noise a third smaller or larger.
        assert!(!(0.85..1.15).contains(&(1.33 * ratio)) && !(0.85..1.15).contains(&(0.67 * ratio)));
    }
    // Almost no noise: what is left is that rows are taken to sit in the middle of their cell.
    let width = 1.0 / 12.0;
    let [(measured, stated), _] = stated_and_measured(&grid, "1000", 0.002, 500, 400);
    assert!((0.8..1.25).contains(&(measured / stated)), "in one cell: {measured} and {stated}");
    assert!((stated / 800f64.sqrt() / (width / 12f64.sqrt()) - 1.0).abs() < 0.1, "w/√12 in one cell");
    // Over several cells the errors of their middles cancel in part.
    let [(measured_wide, stated_wide), _] = stated_and_measured(&grid, "1000", 0.4, 4000, 400);
    assert!(stated_wide < 0.5 * stated, "{stated_wide} and {stated}");
    assert!(measured_wide < 1.5 * stated_wide, "over several cells: {measured_wide} and {stated_wide}");
    // The mutant without that term would report noise alone, far below what is measured.
    let noise_alone =
        0.5 * (NoisyCountsMechanism::new(&"1000".parse().unwrap()).unwrap().variance() * 144.0).sqrt() / 500.0;
    assert!(noise_alone < 0.01 * measured / 800f64.sqrt());
}
