//! Decoded distances against the distribution that they should have, and whole records.

use shoal_noise::{SeededNoise, uniform};

use crate::aggregator::hamming::Kernel;
use crate::aggregator::naive_encoder::{encode, terms};
use crate::aggregator::vertical::{attribute_wise, combine, decomposed, exact_squared, pair_scalars};
use crate::aggregator::*;
use crate::{Attribute, Flips, Scale};
use shoal_kernel::{Condensed, Dbscan, Distances, KCluster, WithOwn};
use shoal_lattice::Interval;
use shoal_lattice::STEPS;

/// Fresh anchors and flips for each of so many pairs of values, given in steps; their Hamming distances.
fn hammings(terms: &Terms, pair: [i32; 2], pairs: u64) -> Vec<u32> {
    let one = |seed| {
        let codes = encode(terms, seed, &pair, &mut SeededNoise::new(seed));
        hamming::distance(codes.code(0, 0), codes.code(1, 0))
    };
    (0..pairs).map(one).collect()
}

/// How many standard errors the mean of estimates is off.
fn off(estimates: &[f64], truth: f64, sd: f64) -> f64 {
    let mean = estimates.iter().sum::<f64>() / estimates.len() as f64;
    (mean - truth).abs() / (sd / (estimates.len() as f64).sqrt())
}

#[test]
fn estimates_are_unbiased_with_the_stated_deviation_and_mutants_are_not() {
    for (epsilon, width, t, steps) in
        [(None, 25.0, 3.0, 9_000), (Some("1"), 50.0, 25.0, 20_000), (Some("2.5"), 10.0, 4.0, 0)]
    {
        let terms = terms(1, width, t, 100, epsilon);
        let decoder = Decoder::of(&terms, 0);
        let truth = f64::from(steps) * terms.step(0);
        let counts = hammings(&terms, [30_000, 30_000 + steps], 4000);
        let decoded: Vec<f64> = counts.iter().map(|&h| decoder.distance(h)).collect();
        let sd = decoder.sd(truth);
        assert!(off(&decoded, truth, sd) < 4.5, "ε = {epsilon:?}: {} deviations off", off(&decoded, truth, sd));

        let variance = decoded.iter().map(|d| (d - truth).powi(2)).sum::<f64>() / 4000.0;
        let wrong = |sd: f64| (variance / (sd * sd) - 1.0).abs() > 0.12;
        assert!(!wrong(sd), "ε = {epsilon:?}: variance {variance}, stated {}", sd * sd);
        let Some(epsilon) = epsilon else { continue };
        let tau = (epsilon.parse::<f64>().unwrap() / 2.0).tanh();
        assert!(wrong(sd * tau), "a variance with τ² in place of τ⁴ is seen");

        let without_offset: Vec<f64> = decoded.iter().map(|d| d + decoder.offset()).collect();
        assert!(off(&without_offset, truth, sd) > 6.0, "a dropped offset is seen");
        let offset_of_one_record: Vec<f64> = decoded.iter().map(|d| d + decoder.offset() / 2.0).collect();
        assert!(off(&offset_of_one_record, truth, sd) > 6.0);
        let tau_once: Vec<f64> =
            counts.iter().map(|&h| decoder.slope() * tau * f64::from(h) - decoder.offset()).collect();
        assert!(off(&tau_once, truth, sd) > 6.0, "a slope with τ in place of τ² is seen");
        let narrow: Vec<f64> = decoded.iter().map(|d| d * width / terms.attributes()[0].mu()).collect();
        assert!(steps == 0 || off(&narrow, truth, sd) > 6.0, "a μ without the extension is seen");
    }
}

#[test]
fn formulas_are_those_of_the_paper() {
    let terms = terms(1, 50.0, 25.0, 1000, Some("1"));
    let decoder = Decoder::of(&terms, 0);
    let (e, mu, s) = (1f64.exp(), terms.attributes()[0].mu(), 1000.0);
    let near = |a: f64, b: f64| assert!((a - b).abs() <= 1e-9 * (1.0 + b.abs()), "{a} {b}");
    // Eqs 11, 12, 13 and 9, as printed.
    near(decoder.distance(321), mu / (2.0 * s) * ((e + 1.0) / (e - 1.0)).powi(2) * 321.0 - mu * e / (e - 1.0).powi(2));
    let expected = |d: f64| {
        let apart = 2.0 * s * d / mu;
        apart * (e * e + 1.0) / (e + 1.0).powi(2) + (s - apart) * 2.0 * e / (e + 1.0).powi(2)
    };
    near(decoder.expected_hamming(12.0), expected(12.0));
    near(decoder.distance(0) + decoder.slope() * decoder.expected_hamming(12.0), 12.0);
    near(decoder.bound(0.05), mu / 2.0 * ((e + 1.0) / (e - 1.0)).powi(2) * ((2f64 / 0.05).ln() / (2.0 * s)).sqrt());
    let window = 2.0 * 25.0 + 50.0 / STEPS as f64;
    assert!((decoder.expected_ones() - s * (window / mu * (e - 1.0) / (e + 1.0) + 1.0 / (e + 1.0))).abs() < 0.01);
    // The threshold is the last count that is decoded to at most the distance.
    for reach in [0.0, 5.0, 31.0] {
        let h = decoder.hamming_threshold(reach).unwrap();
        assert!(decoder.distance(h) <= reach + 1e-9 && decoder.distance(h + 1) > reach);
    }
    assert_eq!(decoder.hamming_threshold(-1e6), None);
    assert_eq!(decoder.hamming_threshold(1e6), Some(1000));
}

#[test]
fn without_flips_the_decoder_is_the_plain_one() {
    let terms = terms(1, 25.0, 3.0, 200, None);
    let decoder = Decoder::of(&terms, 0);
    assert_eq!((decoder.distance(0), decoder.offset()), (0.0, 0.0));
    let mu = terms.attributes()[0].mu();
    assert!((decoder.distance(7) - mu * 7.0 / 400.0).abs() < 1e-12);
    assert_eq!(decoder.sd(0.0), 0.0);
    // A huge ε comes to the same.
    let almost = Decoder::of(&self::terms(1, 25.0, 3.0, 200, Some("80")), 0);
    assert!((almost.distance(7) - decoder.distance(7)).abs() < 1e-9);
    assert!((decoder.distance(decoder.expected_hamming(99.0) as u32) - decoder.saturation()).abs() < mu / 200.0);
}

#[test]
fn combined_and_own_units_differ_by_the_range() {
    let attribute = Attribute::new("x", Interval::new(-10.0, 40.0).unwrap(), 20.0).unwrap();
    let of = |scale| Terms::new(vec![attribute.clone()], 100, Flips::PerBit("1".parse().unwrap()), scale).unwrap();
    let (range, own) = (Decoder::of(&of(Scale::Range), 0), Decoder::of(&of(Scale::Own), 0));
    assert!((range.distance(60) * 50.0 - own.distance(60)).abs() < 1e-9);
    assert!((range.distance_in_own_unit(60) - own.distance(60)).abs() < 1e-9);
    assert_eq!(own.distance_in_own_unit(60), own.distance(60));
}

#[test]
fn the_bound_of_theorem_6_covers() {
    for (epsilon, steps) in [(Some("1"), 30_000), (None, 60_000)] {
        let terms = terms(1, 50.0, 25.0, 60, epsilon);
        let decoder = Decoder::of(&terms, 0);
        let truth = f64::from(steps) * terms.step(0);
        let counts = hammings(&terms, [100, 100 + steps], 3000);
        let beyond = |bound: f64| {
            counts.iter().filter(|&&h| (decoder.distance(h) - truth).abs() > bound).count() as f64 / 3000.0
        };
        assert!(beyond(decoder.bound(0.1)) <= 0.1);
        if epsilon.is_some() {
            let tau = 0.5f64.tanh();
            assert!(beyond(decoder.bound(0.1) * tau) > 0.1, "a bound with τ in place of τ² does not");
        }
    }
}

/// Random records of three attributes in steps.
fn records(n: usize, seed: u64) -> Vec<i32> {
    let mut source = SeededNoise::new(seed);
    (0..3 * n).map(|_| uniform::below(&mut source, STEPS + 1) as i32).collect()
}

#[test]
fn distances_of_records_are_eq_19() {
    let terms = terms(3, 50.0, 25.0, 130, Some("2"));
    let codes = encode(&terms, 1, &records(41, 1), &mut SeededNoise::new(2));
    let distances = Horizontal::new(&terms, &codes).unwrap();
    let e = 2f64.exp();
    let eq_19 = |i: usize, j: usize| {
        let part = |a: usize| {
            let h = f64::from(hamming::distance(codes.code(i, a), codes.code(j, a)));
            terms.attributes()[a].mu() * (h - 2.0 * 130.0 * e / (e + 1.0).powi(2))
        };
        let root = (0..3).map(|a| part(a).powi(2)).sum::<f64>().sqrt();
        root / (2.0 * 130.0 * ((e - 1.0) / (e + 1.0)).powi(2))
    };
    let all = distances.condensed();
    let mut row = vec![0.0; 41];
    for i in 0..41 {
        distances.row(i, &mut row);
        for j in (0..41).filter(|&j| j != i) {
            assert!((all.get(i, j) - eq_19(i, j)).abs() < 1e-9);
            assert_eq!((row[j], distances.pair(i, j)), (all.get(i, j), all.get(i, j)));
        }
        assert!((eq_19(i, i) - distances.own_distance()).abs() < 1e-9);
    }
    for kernel in Kernel::ALL {
        if let Some(other) = distances.clone().with_kernel(kernel) {
            assert_eq!(other.condensed(), all);
        }
    }
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert_eq!(one.install(|| distances.condensed()), all);
}

#[test]
fn squares_are_unbiased_where_asked_for() {
    let terms = terms(3, 50.0, 25.0, 60, Some("1.5"));
    let pair = [1_000, 20_000, 40_000, 11_000, 20_000, 61_000];
    let truth = (10_000f64.powi(2) + 21_000f64.powi(2)) * terms.step(0).powi(2);
    let squares = |unbiased| -> Vec<f64> {
        let one = |seed| {
            let codes = encode(&terms, seed, &pair, &mut SeededNoise::new(seed));
            attribute_wise(&terms, &codes, unbiased).unwrap().get(0, 1)
        };
        (0..3000).map(one).collect()
    };
    let (right, printed) = (squares(true), squares(false));
    let sd = (right.iter().map(|x| (x - truth).powi(2)).sum::<f64>() / 3000.0).sqrt();
    assert!(off(&right, truth, sd) < 4.5);
    assert!(off(&printed, truth, sd) > 6.0, "squares as they are are too large");
    let excess = (printed.iter().sum::<f64>() - right.iter().sum::<f64>()) / 3000.0;
    let stated: f64 =
        [10_000.0, 0.0, 21_000.0].iter().map(|steps| Decoder::of(&terms, 0).sd(steps * terms.step(0)).powi(2)).sum();
    assert!((excess / stated - 1.0).abs() < 0.05, "{excess} {stated}");
}

#[test]
fn decomposed_pairs_decode_to_squared_distances() {
    let bob = terms(3, 50.0, 25.0, 400, None);
    let pair_terms = bob.decomposed().unwrap();
    let steps = records(9, 3);
    let values: Vec<Vec<f64>> =
        steps.chunks(3).map(|r| r.iter().map(|&x| f64::from(x) * bob.step(0)).collect()).collect();
    let truth = Condensed::from_fn(9, |i, j| exact_squared(&values[i], &values[j], &bob));
    let most = pair_terms.attributes()[0].range.hi();
    let scalars: Vec<i32> = (0..9)
        .flat_map(|i| (i + 1..9).map(move |j| (i, j)))
        .flat_map(|(i, j)| {
            let (squares, products) = pair_scalars(&values[i], &values[j], &bob);
            assert!((squares - products - truth.get(i, j)).abs() < 1e-6);
            assert!((0.0..=most).contains(&squares) && (0.0..=most).contains(&products));
            [squares, products].map(|x| (x / most * STEPS as f64).round() as i32)
        })
        .collect();
    let codes = encode(&pair_terms, 5, &scalars, &mut SeededNoise::new(4));
    let pair = |p: usize| (codes.code(2 * p, 0), codes.code(2 * p + 1, 0));
    let found = decomposed(&pair_terms, 9, 36, pair).unwrap();
    let bound = Decoder::of(&pair_terms, 0).bound(1e-6);
    for (found, truth) in found.as_slice().iter().zip(truth.as_slice()) {
        assert!((found - truth).abs() < bound, "{found} {truth} {bound}");
    }
    let expected = AggregatorError::Pairs { given: 35, expected: 36 };
    assert_eq!(decomposed(&pair_terms, 9, 35, pair), Err(expected));
    assert!(decomposed(&pair_terms, 9, 36, |_| (&[0u64][..], &[0u64][..])).is_err());
}

#[test]
fn both_parts_make_a_distance() {
    let right = Condensed::from_vec(3, vec![16.0, -1.0, -30.0]).unwrap();
    let whole = combine(|i, j| ((i + j) * 9) as f64, right);
    assert_eq!(whole.as_slice(), [5.0, 17f64.sqrt(), 0.0]);
}

#[test]
fn codes_of_other_terms_are_refused() {
    let three = terms(3, 50.0, 25.0, 130, None);
    let codes = encode(&three, 1, &records(2, 1), &mut SeededNoise::new(2));
    for other in [terms(2, 50.0, 25.0, 130, None), terms(3, 50.0, 25.0, 128, None)] {
        assert!(matches!(Horizontal::new(&other, &codes), Err(AggregatorError::OtherTerms { .. })));
        assert!(HammingSum::new(&other, &codes).is_err() && attribute_wise(&other, &codes, true).is_err());
    }
    assert!(Horizontal::new(&three, &codes).unwrap().attribute(3).is_err());
}

#[test]
fn both_metrics_find_clear_clusters_in_noisy_codes() {
    let terms = terms(3, 50.0, 25.0, 400, Some("2"));
    let mut source = SeededNoise::new(8);
    let centre = |r: usize, a: usize| [[10_000, 12_000, 50_000], [50_000, 50_000, 10_000]][r % 2][a];
    let steps: Vec<i32> =
        (0..360).map(|at| centre(at / 3, at % 3) + uniform::below(&mut source, 8_000) as i32).collect();
    let codes = encode(&terms, 9, &steps, &mut source);
    let eq_19 = Horizontal::new(&terms, &codes).unwrap();
    let sum = HammingSum::new(&terms, &codes).unwrap();
    let all = eq_19.condensed();
    let by_pairs = KCluster::new(2)
        .run(&WithOwn { distances: &all, own: eq_19.own_distance() }, &mut SeededNoise::new(1))
        .unwrap();
    let by_counts = KCluster::new(2).run(&sum, &mut SeededNoise::new(1)).unwrap();
    for found in [&by_pairs, &by_counts] {
        assert!(found.converged && (0..120).all(|i| found.labels[i] == found.labels[i % 2]), "{:?}", found.labels);
    }
    let pairs = sum.condensed();
    let naive = WithOwn { distances: &pairs, own: sum.own_distance() };
    assert_eq!(KCluster::new(2).run(&naive, &mut SeededNoise::new(1)).unwrap().labels, by_counts.labels);
}

/// For one attribute a radius is a threshold on Hamming distances (eq. 12). Eq. 19 is another rule there: it takes
/// estimates far below zero, which noise makes of equal values, for far apart.
#[test]
fn a_radius_of_one_attribute_is_a_hamming_threshold() {
    let terms = terms(1, 50.0, 25.0, 300, Some("1"));
    let mut source = SeededNoise::new(12);
    let steps: Vec<i32> = (0..60).map(|i| [8_000, 56_000][i % 2] + uniform::below(&mut source, 3_000) as i32).collect();
    let codes = encode(&terms, 3, &steps, &mut source);
    let decoder = Decoder::of(&terms, 0);
    let radius = 6.0;
    let by_radius = Dbscan { epsilon: radius, min_points: 4 };
    let found = by_radius.run(&HammingSum::new(&terms, &codes).unwrap()).unwrap();
    let bits = Condensed::from_fn(60, |i, j| hamming::distance(codes.code(i, 0), codes.code(j, 0)).into());
    let threshold = f64::from(decoder.hamming_threshold(radius).unwrap());
    let by_bits = Dbscan { epsilon: threshold, min_points: 4 }.run(&bits).unwrap();
    assert_eq!(found.labels, by_bits.labels);
    let (sum, eq_19) = (HammingSum::new(&terms, &codes).unwrap(), Horizontal::new(&terms, &codes).unwrap());
    let pairs = || (0..60).flat_map(|i| (0..i).map(move |j| (i, j)));
    let near = |(i, j): (usize, usize)| sum.pair(i, j) <= radius;
    assert!(pairs().all(|(i, j)| near((i, j)) == (bits.get(i, j) <= threshold)));
    assert!(pairs().any(|(i, j)| near((i, j)) != (bits.get(i, j) <= threshold - 1.0)));
    assert!(pairs().any(|(i, j)| near((i, j)) != (eq_19.pair(i, j) <= radius)));
}
