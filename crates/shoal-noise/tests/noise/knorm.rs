//! Cube noise: exact enumeration, radius, uniformity in the cube, every coordinate alike.

use std::collections::HashMap;

use crate::support::*;
use dashu_ratio::RBig;
use shoal_noise::{DiscreteLaplace, Geometric, LInfinityKNorm, NoiseSource, SeededNoise, reference, uniform};

fn vectors(law: &LInfinityKNorm, s: &mut dyn NoiseSource, n: usize) -> Vec<Vec<i64>> {
    let mut flat = vec![0; n * law.dimensions()];
    law.fill(s, &mut flat);
    flat.chunks(law.dimensions()).map(<[i64]>::to_vec).collect()
}

/// χ² over every vector of the box -reach..=reach, with all others in one bin.
fn enumerate(law: &LInfinityKNorm, drawn: &[Vec<i64>], reach: i64) -> f64 {
    let mut seen: HashMap<&[i64], u64> = HashMap::new();
    for z in drawn {
        *seen.entry(z).or_default() += 1;
    }
    let n = drawn.len() as f64;
    let side = 2 * reach + 1;
    let mut cells: Vec<(u64, Vec<i64>)> = (0..side.pow(law.dimensions() as u32))
        .map(|mut code| {
            let z: Vec<i64> = (0..law.dimensions())
                .map(|_| {
                    let digit = code % side - reach;
                    code /= side;
                    digit
                })
                .collect();
            (law.norm(&z), z)
        })
        .collect();
    // Likely vectors first, so that only unlikely ones are pooled.
    cells.sort();
    let mut observed: Vec<u64> = cells.iter().map(|(_, z)| seen.get(z.as_slice()).copied().unwrap_or(0)).collect();
    let mut expected: Vec<f64> = cells.iter().map(|(_, z)| n * law.pmf(z)).collect();
    observed.push(drawn.len() as u64 - observed.iter().sum::<u64>());
    expected.push(n - expected.iter().sum::<f64>());
    fit(&observed, &expected)
}

#[test]
fn small_cubes_are_enumerated() {
    let mut s = source(41);
    for (decay, widths, reach) in [
        (ratio(1, 1), vec![1_u64], 20),
        (ratio(1, 1), vec![1, 1], 8),
        (ratio(3, 1), vec![1, 1, 1], 3),
        (ratio(3, 2), vec![1, 1, 1], 4),
        (ratio(1, 1), vec![5, 2], 20),
        (ratio(2, 1), vec![1, 3, 2], 6),
        (ratio(6, 1), vec![1; 5], 1),
    ] {
        let law = LInfinityKNorm::with_half_widths(decay.clone(), &widths).unwrap();
        let zs = vectors(&law, &mut *s, DRAWS);
        let name = format!("decay {decay}, half-widths {widths:?}");
        accept(&name, enumerate(&law, &zs, reach));
        for factor in [ratio(10, 11), ratio(10, 9)] {
            let wrong = LInfinityKNorm::with_half_widths(&decay * factor, &widths).unwrap();
            let zs = vectors(&wrong, &mut *s, DRAWS);
            reject(&format!("{name}, wrong scale"), enumerate(&law, &zs, reach));
        }
    }
}

/// Wrong ways to draw a vector, each of which the enumeration must see.
#[test]
fn wrong_vectors_are_rejected() {
    let mut s = source(42);
    let s = &mut *s;
    let decay = ratio(1, 2);
    let law = LInfinityKNorm::new(decay.clone(), 2).unwrap();
    let step = Geometric::new(decay.clone()).unwrap();
    let laplace = DiscreteLaplace::new(decay).unwrap();
    let cube = |s: &mut dyn NoiseSource, m: i64| -> Vec<i64> {
        (0..2).map(|_| uniform::symmetric(s, m as u128) as i64).collect()
    };
    let mut p = |draw: &mut dyn FnMut(&mut dyn NoiseSource) -> Vec<i64>| {
        let zs: Vec<Vec<i64>> = (0..DRAWS).map(|_| draw(s)).collect();
        enumerate(&law, &zs, 12)
    };
    let good = |s: &mut dyn NoiseSource| {
        let mut z = vec![0; 2];
        law.sample(s, &mut z);
        z
    };
    accept("cube", p(&mut |s| good(s)));
    reject("independent Laplace", p(&mut |s| vec![laplace.sample(s), laplace.sample(s)]));
    reject("a coordinate in the clear", p(&mut |s| vec![good(s)[0], 0]));
    reject("equal coordinates", p(&mut |s| vec![good(s)[0]; 2]));
    reject("missing sign", p(&mut |s| vec![good(s)[0].abs(), good(s)[1]]));
    reject("off by one", p(&mut |s| vec![good(s)[0] + 1, good(s)[1]]));
    reject(
        "one geometric too few",
        p(&mut |s| {
            let m = step.sample(s) + step.sample(s);
            cube(s, m)
        }),
    );
    reject(
        "sum of geometrics without correction",
        p(&mut |s| {
            let m = step.sample(s) + step.sample(s) + step.sample(s);
            cube(s, m)
        }),
    );
    reject(
        "surface only",
        p(&mut |s| {
            let mut z = good(s);
            let m = z.iter().map(|x| x.abs()).max().unwrap_or(0);
            z[0] = if s.next_u64() & 1 == 1 { m } else { -m };
            z
        }),
    );
}

/// The radius, at every dimension, on fine and coarse lattices.
#[test]
fn radius_law_and_mutants() {
    let mut s = source(43);
    let s = &mut *s;
    for dimensions in [1, 2, 3, 8, 16, 50] {
        for decay in [ratio(1, 1000), ratio(1, 1 << 20), ratio(1, 3), ratio(4, 1)] {
            let n = 40_000;
            let law = LInfinityKNorm::new(decay.clone(), dimensions).unwrap();
            let p = |law: &LInfinityKNorm, zs: &[Vec<i64>]| {
                let radii: Vec<i64> = zs.iter().map(|z| law.norm(z) as i64).collect();
                fit_tail(&radii, |r| law.radius_tail(r.max(0) as u64), 0)
            };
            let name = format!("D = {dimensions}, decay {decay}");
            let zs = vectors(&law, s, n);
            accept(&name, p(&law, &zs));
            for factor in [ratio(10, 11), ratio(10, 9)] {
                let wrong = LInfinityKNorm::new(&decay * factor, dimensions).unwrap();
                let zs = vectors(&wrong, s, n);
                reject(&format!("{name}, wrong scale"), p(&law, &zs));
            }
            let wrong = LInfinityKNorm::new(decay.clone(), dimensions + 1).unwrap();
            let zs: Vec<Vec<i64>> = vectors(&wrong, s, n);
            reject(&format!("{name}, a dimension more"), p(&law, &zs));
        }
    }
}

/// Each coordinate is symmetric, all have one distribution, and each is as often the largest.
#[test]
fn coordinates_are_alike() {
    let mut s = source(44);
    let dimensions = 6;
    let law = LInfinityKNorm::new(ratio(1, 1 << 20), dimensions).unwrap();
    let zs = vectors(&law, &mut *s, 100_000);
    let column = |i: usize| -> Vec<i64> { zs.iter().map(|z| z[i]).collect() };
    let leaders = |zs: &[Vec<i64>]| {
        let mut largest = vec![0_u64; dimensions];
        for z in zs {
            let i = (0..dimensions).max_by_key(|&i| z[i].abs()).unwrap();
            largest[i] += 1;
        }
        fit(&largest, &vec![zs.len() as f64 / dimensions as f64; dimensions])
    };
    for i in 0..dimensions {
        accept("symmetry", symmetry(&column(i)));
        accept("low bits", low_bits(&column(i), 16));
        let mean_square = column(i).iter().map(|&z| (z as f64).powi(2)).sum::<f64>() / zs.len() as f64;
        assert!((mean_square / law.variance(i) - 1.0).abs() < 0.03, "variance of {i}");
    }
    accept("largest coordinate", leaders(&zs));
    let wrong: Vec<Vec<i64>> = zs
        .iter()
        .map(|z| {
            let mut z = z.clone();
            z[2] = z[2] * 9 / 10;
            z
        })
        .collect();
    reject("a coordinate scaled by 0.9", leaders(&wrong));
    let unsigned: Vec<i64> = column(3).iter().map(|z| z.abs()).collect();
    reject("missing sign", symmetry(&unsigned));
}

/// Given the radius, a coordinate that is not the largest is uniform inside the cube.
#[test]
fn uniform_inside_the_cube() {
    let mut s = source(45);
    let law = LInfinityKNorm::new(ratio(1, 1 << 30), 2).unwrap();
    let positions = |zs: &[Vec<i64>]| {
        let mut bins = [0_u64; 40];
        for z in zs {
            let (large, small) = if z[0].abs() > z[1].abs() { (z[0], z[1]) } else { (z[1], z[0]) };
            let share = small as f64 / (large.abs() + 1) as f64;
            bins[((share + 1.0) * 20.0) as usize] += 1;
        }
        fit(&bins, &[zs.len() as f64 / 40.0; 40])
    };
    let zs = vectors(&law, &mut *s, DRAWS);
    accept("uniform", positions(&zs));
    let laplace = DiscreteLaplace::new(ratio(1, 1 << 30)).unwrap();
    let wrong: Vec<Vec<i64>> = (0..DRAWS).map(|_| vec![laplace.sample(&mut *s), laplace.sample(&mut *s)]).collect();
    reject("independent Laplace", positions(&wrong));
}

#[test]
fn fast_and_reference_share_one_law() {
    let mut s = source(46);
    let s = &mut *s;
    for (decay, widths) in [(ratio(1, 1), vec![1_u64, 1]), (ratio(1, 200), vec![1; 4]), (ratio(1, 10), vec![3, 20])] {
        let law = LInfinityKNorm::with_half_widths(decay.clone(), &widths).unwrap();
        let slow: Vec<Vec<i64>> = (0..8_000)
            .map(|_| {
                let z = reference::l_infinity_k_norm(s, &decay, &widths);
                z.iter().map(|x| i64::try_from(x).unwrap()).collect()
            })
            .collect();
        let fast = vectors(&law, s, 100_000);
        let wrong = LInfinityKNorm::with_half_widths(&decay * ratio(4, 5), &widths).unwrap();
        let wrong = vectors(&wrong, s, 100_000);
        let radii = |zs: &[Vec<i64>]| -> Vec<i64> { zs.iter().map(|z| law.norm(z) as i64).collect() };
        accept("radius", same_law(&radii(&fast), &radii(&slow)));
        reject("radius, wrong scale", same_law(&radii(&wrong), &radii(&slow)));
        for i in 0..widths.len() {
            let column = |zs: &[Vec<i64>]| -> Vec<i64> { zs.iter().map(|z| z[i]).collect() };
            accept("coordinate", same_law(&column(&fast), &column(&slow)));
        }
    }
}

/// One row moves every coordinate within its half-width: the loss is the decay and no more.
#[test]
fn loss_over_neighbours() {
    let law = LInfinityKNorm::with_half_widths(RBig::ONE, &[3, 1]).unwrap();
    let mut worst: f64 = 0.0;
    for x in -12..=12 {
        for y in -4..=4 {
            for (dx, dy) in (-3..=3).flat_map(|dx| (-1..=1).map(move |dy| (dx, dy))) {
                let loss = law.ln_pmf(&[x, y]) - law.ln_pmf(&[x + dx, y + dy]);
                worst = worst.max(loss.abs());
            }
        }
    }
    assert!(worst <= 1.0 + 1e-12 && worst > 0.999, "worst loss {worst}");
}

/// A coarse lattice in many dimensions, where rejection would accept once in 10^11.
#[test]
fn coarse_and_wide_cubes_are_quick() {
    let mut s = source(47);
    let law = LInfinityKNorm::new(ratio(5, 1), 11).unwrap();
    let zs = vectors(&law, &mut *s, 1000);
    assert!(zs.iter().any(|z| law.norm(z) > 0));
    let law = LInfinityKNorm::new(ratio(1, 100), 300).unwrap();
    let radii: Vec<i64> = vectors(&law, &mut *s, 2000).iter().map(|z| law.norm(z) as i64).collect();
    accept("D = 300", fit_tail(&radii, |r| law.radius_tail(r.max(0) as u64), 0));
}

#[test]
fn one_step_serves_many_half_widths() {
    let decay = ratio(3, 1000);
    let step = Geometric::new(decay.clone()).unwrap();
    for widths in [vec![1], vec![7, 1, 100], vec![32_767; 10]] {
        let (shared, own) = (
            LInfinityKNorm::with_step(step.clone(), &widths).unwrap(),
            LInfinityKNorm::with_half_widths(decay.clone(), &widths).unwrap(),
        );
        let (mut a, mut b) = (vec![0; widths.len() * 50], vec![0; widths.len() * 50]);
        shared.fill(&mut SeededNoise::new(5), &mut a);
        own.fill(&mut SeededNoise::new(5), &mut b);
        assert_eq!(a, b);
        assert_eq!(shared.variance(0).to_bits(), own.variance(0).to_bits());
    }
    assert!(LInfinityKNorm::with_step(step.clone(), &[1, 0]).is_err() && LInfinityKNorm::with_step(step, &[]).is_err());
}
