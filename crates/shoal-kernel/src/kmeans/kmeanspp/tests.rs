use super::*;
use crate::tests::random;
use proptest::prelude::*;

fn line(values: &[i16]) -> LatticePoints {
    let mut points = LatticePoints::new(1);
    values.iter().for_each(|&x| points.push_row(&[x]));
    points
}

#[test]
fn distant_groups_get_a_centre_each() {
    let points = line(&[0, 1, 2, 10_000, 10_001, -20_000, -20_001, 30_000]);
    for seed in 0..20 {
        let centres = kmeanspp(&points, None, 4, usual_candidates(4), &mut random(seed));
        let mut groups: Vec<i32> = (0..4).map(|j| (i32::from(centres.centre(j)[0]) + 500) / 1000).collect();
        groups.sort_unstable();
        assert_eq!(groups, [-19, 0, 10, 30]);
    }
}

#[test]
fn rows_are_repeated_when_they_run_out() {
    let centres = kmeanspp(&line(&[5, 5, 7]), None, 6, 1, &mut random(1));
    assert_eq!(centres.count(), 6);
    assert!((0..6).any(|j| centres.centre(j) == [5]) && (0..6).any(|j| centres.centre(j) == [7]));
}

#[test]
fn weightless_rows_are_not_chosen() {
    let points = line(&[1, 2, 3, 4]);
    for seed in 0..50 {
        let centres = kmeanspp(&points, Some(&[0.0, 1.0, -5.0, 0.25]), 2, 2, &mut random(seed));
        assert!((0..2).all(|j| [2, 4].contains(&centres.centre(j)[0])));
    }
    kmeanspp(&points, Some(&[0.0; 4]), 3, 2, &mut random(0));
}

#[test]
fn draws_follow_the_squared_distance() {
    // After the heavy first row the others are drawn as 1 : 4 : 16.
    let points = line(&[0, 100, 200, 400]);
    let weights = [1e12, 1.0, 1.0, 1.0];
    let mut counts = [0u32; 4];
    let mut next = random(7);
    for _ in 0..21_000 {
        let centres = kmeanspp(&points, Some(&weights), 2, 1, &mut next);
        counts[usize::from(centres.centre(1)[0] as u16) / 100 % 4 + usize::from(centres.centre(1)[0] == 400) * 3] += 1;
    }
    let expected = [1000.0, 4000.0, 16_000.0];
    let deviation: f64 = expected.iter().zip(&counts[1..]).map(|(e, &c)| (f64::from(c) - e).powi(2) / e).sum();
    assert!(deviation < 27.6, "chi-squared {deviation} with two degrees of freedom, counts {counts:?}");
}

#[test]
fn threads_do_not_matter() {
    let mut next = random(3);
    let points = line(&(0..20_000).map(|_| (next() >> 49) as i16).collect::<Vec<_>>());
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| kmeanspp(&points, None, 9, 3, &mut random(11)))
    };
    assert_eq!(with(1), with(3));
}

/// One pass for each candidate, all rows in each, as the definition has it; sums in the order that is promised.
fn naive(points: &LatticePoints, weights: Option<&[f64]>, k: usize, candidates: usize, seed: u64) -> LatticeCentres {
    let mut next = random(seed);
    let (rows, dims) = (points.rows(), points.dims());
    let weight = |row: usize| weights.map_or(1.0, |w| w[row].max(0.0));
    let at = |row: usize| (0..dims).map(|axis| points.get(row, axis)).collect::<Vec<i16>>();
    let distance = |row: usize, centre: &[i16]| {
        let tile = points.tile_cells(row / TILE..row / TILE + 1);
        seed_distances::plain(tile, [centre])[0][row % TILE]
    };
    let masses = |known: &[f32]| -> Vec<f64> {
        let chunk = |rows: Range<usize>| {
            let mut sums = [0.0; TILE];
            rows.for_each(|row| sums[row % TILE] += weight(row) * f64::from(known[row]));
            sums.iter().sum()
        };
        (0..rows).step_by(CHUNK * TILE).map(|first| chunk(first..rows.min(first + CHUNK * TILE))).collect()
    };
    let mut known = vec![1.0_f32; rows];
    let mut centres = Vec::new();
    for j in 0..k {
        let mut best: Option<(f64, Vec<f32>, Vec<i16>)> = None;
        let draws: Vec<u64> = (0..candidates).map(|_| next()).collect();
        for &random in if j == 0 { &draws[..1] } else { &draws } {
            let share = (random >> 11) as f64 / (1_u64 << 53) as f64;
            let (mut left, all) = (share * masses(&known).iter().sum::<f64>(), masses(&known));
            let mut picked = (share * rows as f64) as usize;
            if all.iter().sum::<f64>() > 0.0 {
                'chunks: for (i, mass) in all.iter().enumerate().filter(|(_, mass)| **mass > 0.0) {
                    let skipped = left >= *mass;
                    let mut within = if skipped { f64::INFINITY } else { left };
                    let of_chunk = known.iter().enumerate().take(rows).skip(i * CHUNK * TILE).take(CHUNK * TILE);
                    for (row, &far) in of_chunk {
                        let mass = weight(row) * f64::from(far);
                        if mass > 0.0 {
                            picked = row;
                            if within < mass {
                                break 'chunks;
                            }
                            within -= mass;
                        }
                    }
                    if !skipped {
                        break;
                    }
                    left -= mass;
                }
            }
            let centre = at(picked);
            let nearer = |row: usize| {
                if j == 0 { distance(row, &centre) } else { known[row].min(distance(row, &centre)) }
            };
            let after: Vec<f32> = (0..rows).map(nearer).collect();
            let total = masses(&after).iter().sum::<f64>();
            if best.as_ref().is_none_or(|(lowest, ..)| total < *lowest) {
                best = Some((total, after, centre));
            }
        }
        let (_, after, centre) = best.unwrap();
        known = after;
        centres.extend(centre);
    }
    LatticeCentres::new(dims, centres)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn centres_are_those_of_the_definition(
        seed in any::<u64>(),
        rows in prop_oneof![1usize..80, 4000usize..9000],
        (dims, k, candidates) in (1usize..5, 1usize..6, 1usize..7),
        weighed in 0u64..4,
    ) {
        let mut next = random(seed);
        let mut points = LatticePoints::new(dims);
        for _ in 0..rows {
            // Coarse places, so that rows coincide.
            let row: Vec<i16> = (0..dims).map(|_| ((next() % 41) as i16 - 20) * 1500).collect();
            points.push_row(&row);
        }
        // All alike, most positive, few positive, none positive.
        let weights: Vec<f64> = (0..rows)
            .map(|_| match weighed {
                1 => (next() % 1000) as f64 / 7.0 - 10.0,
                2 => if next().is_multiple_of(12) { (next() % 1000) as f64 / 3.0 } else { 0.0 },
                _ => -((next() % 2) as f64),
            })
            .collect();
        let weights = (weighed > 0).then_some(weights.as_slice());
        let found = kmeanspp(&points, weights, k, candidates, &mut random(seed ^ 1));
        prop_assert_eq!(found, naive(&points, weights, k, candidates, seed ^ 1));
    }
}
