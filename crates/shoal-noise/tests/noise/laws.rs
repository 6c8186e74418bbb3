//! The probabilities that samplers report: against an independent program and against themselves.

use crate::support::{parse, ratio};
use shoal_noise::{DiscreteGaussian, DiscreteLaplace, Geometric, LInfinityKNorm};

fn close(got: f64, want: f64, what: &str) {
    let slack = 1e-12 * want.abs().max(1.0);
    assert!((got - want).abs() <= slack, "{what}: {got} is not {want}");
}

#[test]
fn probabilities_match_the_value_file() {
    let mut rows = 0;
    for line in include_str!("../vectors/laws.csv").lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let parameter = parse(fields[1]);
        let z: i64 = fields[2].parse().unwrap();
        let want: f64 = fields[3].parse().unwrap();
        let got = match fields[0] {
            "geometric" => Geometric::new(parameter).unwrap().ln_pmf(z),
            "laplace" => DiscreteLaplace::new(parameter).unwrap().ln_pmf(z),
            "gaussian" => DiscreteGaussian::new(parameter).unwrap().ln_pmf(z),
            other => panic!("unknown sampler {other}"),
        };
        close(got, want, line);
        rows += 1;
    }
    assert!(rows > 150, "value file is short: {rows}");
}

#[test]
fn cube_normalisers_match_the_value_file() {
    for line in include_str!("../vectors/normalisers.csv").lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let widths: Vec<u64> = fields[1].split(' ').map(|w| w.parse().unwrap()).collect();
        let law = LInfinityKNorm::with_half_widths(parse(fields[0]), &widths).unwrap();
        let zero = vec![0; widths.len()];
        close(-law.ln_pmf(&zero), fields[2].parse().unwrap(), line);
        let variance: f64 = fields[3].parse().unwrap();
        close(law.variance(0) / variance, 1.0, line);
    }
}

#[test]
fn neighbouring_probabilities_differ_by_the_decay() {
    for (top, bottom) in [(10, 3), (1, 1), (2, 15), (1, 1000), (1, 1 << 20)] {
        let decay = top as f64 / bottom as f64;
        let laplace = DiscreteLaplace::new(ratio(top, bottom)).unwrap();
        let geometric = Geometric::new(ratio(top, bottom)).unwrap();
        let cube = LInfinityKNorm::new(ratio(top, bottom), 3).unwrap();
        for z in 0..200 {
            close(laplace.ln_pmf(z) - laplace.ln_pmf(z + 1), decay, "Laplace");
            close(laplace.ln_pmf(-z) - laplace.ln_pmf(-z - 1), decay, "Laplace");
            close(geometric.ln_pmf(z) - geometric.ln_pmf(z + 1), decay, "geometric");
            let step = cube.ln_pmf(&[z, -z, 0]) - cube.ln_pmf(&[z, -z - 1, 0]);
            close(step, decay, "cube");
        }
        assert_eq!(geometric.ln_pmf(-1), f64::NEG_INFINITY);
    }
}

#[test]
fn probabilities_add_up() {
    for (top, bottom) in [(10, 3), (1, 1), (2, 15), (1, 100), (30, 1)] {
        let law = DiscreteLaplace::new(ratio(top, bottom)).unwrap();
        let reach = (45.0 * bottom as f64 / top as f64) as i64 + 2;
        let total: f64 = (-reach..=reach).map(|z| law.pmf(z)).sum();
        close(total, 1.0, "Laplace");
        let square: f64 = (-reach..=reach).map(|z| (z * z) as f64 * law.pmf(z)).sum();
        close(square / law.variance(), 1.0, "Laplace variance");
        let mut below = 0.0;
        for z in -reach..=reach {
            close(law.tail(z) + below, 1.0, "Laplace tail");
            below += law.pmf(z);
            close(law.cdf(z), below, "Laplace cdf");
        }
        let law = Geometric::new(ratio(top, bottom)).unwrap();
        let mut below = 0.0;
        let (mut mean, mut square) = (0.0, 0.0);
        for z in 0..=reach {
            close(law.tail(z) + below, 1.0, "geometric tail");
            below += law.pmf(z);
            mean += z as f64 * law.pmf(z);
            square += (z * z) as f64 * law.pmf(z);
            close(law.cdf(z), below, "geometric cdf");
        }
        close(mean / law.mean(), 1.0, "geometric mean");
        close((square - mean * mean) / law.variance(), 1.0, "geometric variance");
    }
    for (top, bottom) in [(9, 100), (1, 1), (3, 2), (225, 4), (62 * 62, 1), (66 * 66, 1), (250_000, 1)] {
        let law = DiscreteGaussian::new(ratio(top, bottom)).unwrap();
        let reach = (12.0 * (top as f64 / bottom as f64).sqrt()) as i64 + 2;
        let mut below = 0.0;
        let mut square = 0.0;
        for z in -reach..=reach {
            close(law.tail(z) + below, 1.0, "Gaussian tail");
            below += law.pmf(z);
            square += (z * z) as f64 * law.pmf(z);
            close(law.cdf(z), below, "Gaussian cdf");
        }
        close(below, 1.0, "Gaussian");
        close(square / law.variance(), 1.0, "Gaussian variance");
    }
}

#[test]
fn cube_radius_adds_up() {
    for (decay, widths) in [
        (ratio(1, 1), vec![1_u64, 1]),
        (ratio(1, 2), vec![1, 1, 1]),
        (ratio(1, 1), vec![5, 2]),
        (ratio(1, 7), vec![1; 6]),
    ] {
        let law = LInfinityKNorm::with_half_widths(decay, &widths).unwrap();
        let points = |m: u64| -> f64 { widths.iter().map(|w| (2 * m * w + 1) as f64).product() };
        let mut below = 0.0;
        for r in 0..300_u64 {
            assert!((law.radius_tail(r) + below - 1.0).abs() < 1e-11, "{widths:?} at {r}");
            let mut z = vec![0; widths.len()];
            z[0] = (r * widths[0]) as i64;
            let shell = points(r) - if r > 0 { points(r - 1) } else { 0.0 };
            below += law.pmf(&z) * shell;
        }
    }
}
