//! Laplace noise that is independent in each attribute.
//!
//! In addition to each attribute's own distribution, the sum of two sizes must have a Gamma(2) distribution and the product of two signs be a
//! fair coin: noise that is shared between attributes has neither.

use super::direction::pairs;
use super::{Waiting, binomial, kolmogorov_smirnov, made};
use crate::report::LawTest;

/// All tests of the moves of reports from their record, in widths, against Laplace noise of this scale.
#[must_use]
pub fn tests(dims: usize, scale: f64, moves: &[Vec<f64>]) -> Vec<LawTest> {
    let mut waiting: Vec<Waiting<'_>> = Vec::new();
    for i in 0..dims {
        let p_value = move || kolmogorov_smirnov(moves.iter().map(|z| z[i]).collect(), |z| laplace_cdf(scale, z));
        waiting.push((format!("noise on attribute {}", i + 1), Box::new(p_value)));
    }
    for (i, j) in pairs(dims) {
        let p_value = move || {
            let sums = moves.iter().map(|z| (z[i].abs() + z[j].abs()) / scale);
            kolmogorov_smirnov(sums.collect(), |s| 1.0 - (1.0 + s) * (-s).exp())
        };
        waiting.push((format!("sizes of noise on attributes {} and {}", i + 1, j + 1), Box::new(p_value)));
        let p_value = move || {
            let moved = || moves.iter().map(|z| z[i] * z[j]).filter(|product| *product != 0.0);
            binomial(moved().filter(|product| *product > 0.0).count(), moved().count(), 0.5)
        };
        waiting.push((format!("signs of noise on attributes {} and {}", i + 1, j + 1), Box::new(p_value)));
    }
    made(waiting)
}

fn laplace_cdf(scale: f64, z: f64) -> f64 {
    let tail = 0.5 * (-z.abs() / scale).exp();
    if z < 0.0 { tail } else { 1.0 - tail }
}
