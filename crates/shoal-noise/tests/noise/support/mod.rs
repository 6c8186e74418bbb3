//! Statistical helpers. Every one returns a p-value, so that a test can ask that the sampler
//! passes and, with the same code, that its mutants fail.

#![allow(dead_code)]

use dashu_ratio::RBig;
use shoal_noise::{NoiseSource, OsNoise, SeededNoise};
use statrs::distribution::{ChiSquared, ContinuousCDF};

/// Draws per test of a distribution.
pub const DRAWS: usize = 200_000;
/// Every test of a distribution passes above and every mutant fails below.
pub const ALPHA: f64 = 1e-6;
const MIN_EXPECTED: f64 = 10.0;

/// Seeded on commit; `SHOAL_UNSEEDED=1` runs the same tests with the operating system's words.
pub fn source(seed: u64) -> Box<dyn NoiseSource> {
    if std::env::var_os("SHOAL_UNSEEDED").is_some_and(|v| v == "1") {
        Box::new(OsNoise::new().unwrap())
    } else {
        Box::new(SeededNoise::new(seed))
    }
}

pub fn ratio(top: i64, bottom: u64) -> RBig {
    RBig::from_parts(top.into(), bottom.into())
}

/// The parameter `x` as it is written in the value files, "top/bottom".
pub fn parse(text: &str) -> RBig {
    let (top, bottom) = text.split_once('/').unwrap();
    RBig::from_parts(top.parse().unwrap(), bottom.parse().unwrap())
}

pub fn draws(n: usize, mut draw: impl FnMut() -> i64) -> Vec<i64> {
    (0..n).map(|_| draw()).collect()
}

fn survival(statistic: f64, degrees: usize) -> f64 {
    ChiSquared::new(degrees as f64).unwrap().sf(statistic)
}

/// χ² goodness of fit. Neighbouring bins are pooled until each expects ten.
pub fn fit(observed: &[u64], expected: &[f64]) -> f64 {
    assert_eq!(observed.len(), expected.len());
    let mut bins: Vec<(f64, f64)> = Vec::new();
    let (mut o, mut e) = (0.0, 0.0);
    for (&seen, &wanted) in observed.iter().zip(expected) {
        if wanted == 0.0 && seen > 0 {
            return 0.0;
        }
        o += seen as f64;
        e += wanted;
        if e >= MIN_EXPECTED {
            bins.push((o, e));
            (o, e) = (0.0, 0.0);
        }
    }
    if let Some(last) = bins.last_mut() {
        last.0 += o;
        last.1 += e;
    }
    assert!(bins.len() >= 2, "nothing to compare: {} bin", bins.len());
    let total: f64 = bins.iter().map(|b| b.0).sum();
    let mass: f64 = bins.iter().map(|b| b.1).sum();
    assert!((total / mass - 1.0).abs() < 1e-6, "expected counts do not add up: {mass}");
    let statistic = bins.iter().map(|(o, e)| (o - e) * (o - e) / e).sum();
    survival(statistic, bins.len() - 1)
}

/// χ² of integer draws against `tail`, P(Z >= z), in up to 80 bins between quantiles of the distribution,
/// out to where ten draws are expected on either side. A draw below `lowest`, which the distribution cannot
/// give, settles it.
pub fn fit_tail(draws: &[i64], tail: impl Fn(i64) -> f64, lowest: i64) -> f64 {
    if draws.iter().any(|z| *z < lowest) {
        return 0.0;
    }
    let n = draws.len() as f64;
    let mut wanted: Vec<f64> = vec![12.0 / n, 30.0 / n, 100.0 / n, 400.0 / n];
    wanted.extend((1..72).map(|i| f64::from(i) / 72.0));
    let upper: Vec<f64> = wanted[..4].iter().map(|p| 1.0 - p).collect();
    wanted.extend(upper);
    // The smallest z with P(Z >= z) at most p, by bisection.
    let mut edges: Vec<i64> = wanted
        .iter()
        .map(|&p| {
            let (mut no, mut yes) = (lowest.max(-(1 << 60)) - 1, 1_i64 << 60);
            while yes - no > 1 {
                let middle = no + (yes - no) / 2;
                if tail(middle) <= p { yes = middle } else { no = middle }
            }
            yes
        })
        .collect();
    edges.sort_unstable();
    edges.dedup();
    let mut observed = vec![0_u64; edges.len() + 1];
    for z in draws {
        observed[edges.partition_point(|e| e <= z)] += 1;
    }
    let mut expected = Vec::with_capacity(observed.len());
    let mut before = 1.0;
    for &edge in &edges {
        expected.push(n * (before - tail(edge)));
        before = tail(edge);
    }
    expected.push(n * before);
    fit(&observed, &expected)
}

/// χ² that two samples have one distribution, in bins between quantiles of the two together.
pub fn same_law(a: &[i64], b: &[i64]) -> f64 {
    let mut pooled: Vec<i64> = a.iter().chain(b).copied().collect();
    pooled.sort_unstable();
    let mut edges: Vec<i64> = (1..60).map(|i| pooled[i * pooled.len() / 60]).collect();
    edges.push(pooled[pooled.len() - 60.min(pooled.len() / 2)]);
    edges.sort_unstable();
    edges.dedup();
    let count = |draws: &[i64]| {
        let mut bins = vec![0.0; edges.len() + 1];
        for z in draws {
            bins[edges.partition_point(|e| e <= z)] += 1.0;
        }
        bins
    };
    let (x, y) = (count(a), count(b));
    let (n, m) = (a.len() as f64, b.len() as f64);
    let mut statistic = 0.0;
    let mut bins = 0;
    for (x, y) in x.iter().zip(&y) {
        if x + y > 0.0 {
            let d = x * (m / n).sqrt() - y * (n / m).sqrt();
            statistic += d * d / (x + y);
            bins += 1;
        }
    }
    assert!(bins >= 2, "nothing to compare");
    survival(statistic, bins - 1)
}

/// χ² that z and -z are equally likely, per size.
pub fn symmetry(draws: &[i64]) -> f64 {
    let mut sizes: Vec<i64> = draws.iter().map(|z| z.abs()).filter(|&z| z > 0).collect();
    sizes.sort_unstable();
    let mut edges: Vec<i64> = (1..30).map(|i| sizes[i * sizes.len() / 30]).collect();
    edges.dedup();
    let mut bins = vec![(0.0, 0.0); edges.len() + 1];
    for &z in draws.iter().filter(|z| **z != 0) {
        let bin = &mut bins[edges.partition_point(|e| *e <= z.abs())];
        if z > 0 { bin.0 += 1.0 } else { bin.1 += 1.0 }
    }
    bins.retain(|b| b.0 + b.1 >= 2.0 * MIN_EXPECTED);
    let statistic = bins.iter().map(|(p, q)| (p - q) * (p - q) / (p + q)).sum();
    survival(statistic, bins.len())
}

/// χ² that each of the low `bits` bits is fair, the worst of them, corrected for looking at all.
pub fn low_bits(draws: &[i64], bits: u32) -> f64 {
    let n = draws.len() as f64;
    (0..bits)
        .map(|bit| {
            let ones = draws.iter().filter(|&&z| z >> bit & 1 == 1).count() as f64;
            let d = 2.0 * ones - n;
            (survival(d * d / n, 1) * f64::from(bits)).min(1.0)
        })
        .fold(1.0, f64::min)
}

pub fn accept(name: &str, p: f64) {
    assert!(p > ALPHA, "{name}: the true distribution was rejected, p = {p:e}");
}

pub fn reject(name: &str, p: f64) {
    assert!(p < ALPHA, "{name}: a wrong distribution passed, p = {p:e}");
}
