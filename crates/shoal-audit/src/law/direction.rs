//! Whether directions are uniform on the sphere.
//!
//! On the sphere of d dimensions the square of a coordinate has a Beta(½, (d − 1)/2) distribution, the sum of two squares a
//! Beta(1, (d − 2)/2) distribution, and any two coordinates turned by 45 degrees are again coordinates. All these are compared as
//! whole distributions, so that no moment has to be chosen.

use std::f64::consts::FRAC_1_SQRT_2;

use statrs::function::beta::beta_reg;

use super::radius::length;
use super::{Waiting, binomial, kolmogorov_smirnov};

/// Up to so many attributes every two are compared, beyond each with the next.
const ALL_PAIRS: usize = 8;

/// The probability that a coordinate of a uniform direction is at most so much.
#[must_use]
pub fn coordinate_cdf(dims: usize, u: f64) -> f64 {
    let half = 0.5 * beta_reg(0.5, 0.5 * (dims as f64 - 1.0), (u * u).min(1.0));
    if u < 0.0 { 0.5 - half } else { 0.5 + half }
}

/// The tests of directions of the given moves.
pub(crate) fn tests<'a>(dims: usize, moves: &'a [Vec<f64>]) -> Vec<Waiting<'a>> {
    // A report on the record itself has no direction; it is as rare as a lattice point.
    let moved = || moves.iter().map(|z| (z, length(z))).filter(|(_, r)| *r > 0.0);
    let mut tests: Vec<Waiting<'a>> = Vec::new();
    for i in 0..dims {
        if dims == 1 {
            let p_value = move || {
                let up = moved().filter(|(z, _)| z[0] > 0.0).count();
                binomial(up, moved().count(), 0.5)
            };
            tests.push(("sign".into(), Box::new(p_value)));
            continue;
        }
        let p_value = move || kolmogorov_smirnov(moved().map(|(z, r)| z[i] / r).collect(), |u| coordinate_cdf(dims, u));
        tests.push((format!("direction, attribute {}", i + 1), Box::new(p_value)));
    }
    for (i, j) in pairs(dims) {
        for (sign, words) in [(1.0, "plus"), (-1.0, "minus")] {
            let p_value = move || {
                let turned = moved().map(|(z, r)| FRAC_1_SQRT_2 * (z[i] + sign * z[j]) / r);
                kolmogorov_smirnov(turned.collect(), |u| coordinate_cdf(dims, u))
            };
            tests.push((format!("direction, attribute {} {words} {}", i + 1, j + 1), Box::new(p_value)));
        }
        if dims > 2 {
            let power = 0.5 * (dims as f64 - 2.0);
            let p_value = move || {
                let squares = moved().map(|(z, r)| (z[i] * z[i] + z[j] * z[j]) / (r * r));
                kolmogorov_smirnov(squares.collect(), |s| 1.0 - (1.0 - s.min(1.0)).powf(power))
            };
            tests.push((format!("direction, squares of attributes {} and {}", i + 1, j + 1), Box::new(p_value)));
        }
    }
    tests
}

/// The pairs of attributes that are compared.
pub(crate) fn pairs(dims: usize) -> Vec<(usize, usize)> {
    let all = (0..dims).flat_map(|i| (i + 1..dims).map(move |j| (i, j)));
    all.filter(|(i, j)| dims <= ALL_PAIRS || j - i == 1).collect()
}
