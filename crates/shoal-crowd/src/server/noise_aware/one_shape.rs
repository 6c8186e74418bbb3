//! One cluster of another shape than a Gaussian: what several Gaussians must beat to be clusters.
//!
//! Records that fill a box evenly, or trail off to one side, are one cluster, and still several Gaussians fit them better
//! than one. So one cluster is also tried with other shapes, attribute by attribute, each with the mean and the standard
//! deviation of the Gaussian: flat (uniform), trailing off to the right or to the left (exponential), or peaked (Laplace).
//! A report's noise is a mixture of Gaussians N(0, u) (see `scales`), and all of these have a closed form under such a noise:
//!
//!   uniform on [a, b]:       (Φ((b−x)/√u) − Φ((a−x)/√u)) / (b−a)
//!   exponential from a:      e^(u/2λ² − (x−a)/λ) · Φ((x−a)/√u − √u/λ) / λ
//!   Laplace:                 half an exponential to either side
//!
//! Each shape other than a Gaussian is charged ln 5: there are five to choose from in each attribute.

use rayon::prelude::*;

use crate::server::noise_aware::pass::Mixture;
use crate::server::noise_aware::scales::Scales;
use crate::server::points::ReportPoints;

/// Reports that are looked at, at most; of more, evenly spaced ones are taken.
const MOST_REPORTS: usize = 10_000;

/// Factors of the standard deviation that a better shape is tried with: it was fitted as that of a Gaussian.
const STRETCHES: [f64; 2] = [0.95, 1.06];

const LN_SQRT_TWO_PI: f64 = 0.918_938_533_204_672_7;

/// The shape of a cluster in one attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Gaussian,
    Flat,
    Right,
    Left,
    Peaked,
}

const OTHERS: [Shape; 4] = [Shape::Flat, Shape::Right, Shape::Left, Shape::Peaked];

/// The logarithms of the densities of all reports in one attribute, per report and node.
type Logs = Vec<f64>;

/// By how much the logarithm of the likelihood of one cluster is higher with the best shapes than with Gaussians, less what the
/// choice costs; 0 where no other shape is better.
pub(super) fn gain(points: &ReportPoints, one: &Mixture, scales: &Scales) -> f64 {
    debug_assert_eq!(one.k(), 1);
    let rows: Vec<usize> = if points.rows() <= MOST_REPORTS {
        (0..points.rows()).collect()
    } else {
        (0..MOST_REPORTS).map(|i| (i as u128 * points.rows() as u128 / MOST_REPORTS as u128) as usize).collect()
    };
    let factor = points.rows() as f64 / rows.len() as f64;
    let deviation = |attribute: usize| one.variances[attribute].sqrt();
    let logs = |attribute: usize, shape: Shape, stretch: f64| -> Logs {
        let (m, s) = (one.centres[attribute], stretch * deviation(attribute));
        let of_row = |&row: &usize| {
            let x = f64::from(points.value(row, attribute)) - m;
            scales.variances.iter().map(move |&u| ln_density(shape, x, s, u) + LN_SQRT_TWO_PI).collect::<Vec<f64>>()
        };
        rows.par_iter().flat_map_iter(of_row).collect()
    };
    let mut present: Vec<Logs> = (0..one.dims).map(|i| logs(i, Shape::Gaussian, 1.0)).collect();
    let mut chosen = 0.0;
    let mut sums: Vec<f64> = (0..present[0].len()).map(|at| present.iter().map(|of| of[at]).sum()).collect();
    let gaussian = ln_likelihood(&sums, scales);
    let mut best = gaussian;
    for (i, present) in present.iter_mut().enumerate() {
        let mut of_this = Shape::Gaussian;
        let mut keep = |shape: Shape, stretch: f64| {
            let other = logs(i, shape, stretch);
            let swapped: Vec<f64> =
                sums.iter().zip(&*present).zip(&other).map(|((sum, old), new)| sum - old + new).collect();
            let found = ln_likelihood(&swapped, scales);
            if found > best {
                (best, sums, *present) = (found, swapped, other);
                return true;
            }
            false
        };
        for shape in OTHERS {
            if keep(shape, 1.0) {
                of_this = shape;
            }
        }
        if of_this != Shape::Gaussian {
            chosen += 1.0;
            for stretch in STRETCHES {
                keep(of_this, stretch);
            }
        }
    }
    (factor * (best - gaussian) - chosen * libm::log(1.0 + OTHERS.len() as f64)).max(0.0)
}

/// The sum over reports, from the logarithms per report and node.
fn ln_likelihood(sums: &[f64], scales: &Scales) -> f64 {
    let nodes = scales.variances.len();
    let of_report = |logs: &[f64]| {
        let logs = || logs.iter().zip(&scales.ln_weights).map(|(log, weight)| log + weight);
        let largest = logs().fold(scales.floor, f64::max);
        let total: f64 = logs().map(|log| libm::exp(log - largest)).sum();
        (largest + libm::log(total.max(1e-300))).max(scales.floor)
    };
    // Pieces of fixed length, added in order: the number of threads changes nothing.
    let parts: Vec<f64> =
        sums.par_chunks(1_024 * nodes).map(|part| part.chunks_exact(nodes).map(of_report).sum()).collect();
    parts.iter().sum()
}

/// The logarithm of the density of a report at `x` from the mean, for records of standard deviation `s` and noise of variance `u`.
fn ln_density(shape: Shape, x: f64, s: f64, u: f64) -> f64 {
    let sigma = u.sqrt();
    match shape {
        Shape::Gaussian => {
            let variance = u + s * s;
            -0.5 * libm::log(variance) - 0.5 * x * x / variance - LN_SQRT_TWO_PI
        }
        Shape::Flat => {
            // Alike to both sides, and differences of the smaller tail do not cancel.
            let (x, half) = (x.abs(), s * 3f64.sqrt());
            let tail = |t: f64| 0.5 * libm::erfc(t / sigma * std::f64::consts::FRAC_1_SQRT_2);
            libm::log((tail(x - half) - tail(x + half)).max(1e-300) / (2.0 * half))
        }
        Shape::Right => ln_exponential(x + s, s, sigma),
        Shape::Left => ln_exponential(-x + s, s, sigma),
        Shape::Peaked => {
            let scale = s * std::f64::consts::FRAC_1_SQRT_2;
            let (a, b) = (ln_exponential(x, scale, sigma), ln_exponential(-x, scale, sigma));
            let largest = a.max(b);
            largest + libm::log(0.5 * (libm::exp(a - largest) + libm::exp(b - largest)))
        }
    }
}

/// Exponential from 0 with this scale, under Gaussian noise, at t.
pub(super) fn ln_exponential(t: f64, scale: f64, sigma: f64) -> f64 {
    let ratio = sigma / scale;
    0.5 * ratio * ratio - t / scale + ln_normal_below(t / sigma - ratio) - libm::log(scale)
}

/// ln Φ(z).
fn ln_normal_below(z: f64) -> f64 {
    if z > -25.0 {
        libm::log(0.5 * libm::erfc(-z * std::f64::consts::FRAC_1_SQRT_2))
    } else {
        -0.5 * z * z - libm::log(-z) - LN_SQRT_TWO_PI + libm::log1p(-1.0 / (z * z))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every shape is a density with mean 0 and variance s² + u.
    #[test]
    fn shapes_are_densities_with_the_right_moments() {
        for shape in [Shape::Gaussian, Shape::Flat, Shape::Right, Shape::Left, Shape::Peaked] {
            for (s, u) in [(0.1_f64, 0.01_f64), (0.3, 0.0025), (0.02, 0.04)] {
                let wide = 14.0 * (s + u.sqrt());
                let step = wide / 20_000.0;
                let (mut total, mut mean, mut square) = (0.0, 0.0, 0.0);
                for i in -20_000..=20_000 {
                    let x = f64::from(i) * step;
                    let weight = ln_density(shape, x, s, u).exp() * step;
                    (total, mean, square) = (total + weight, mean + weight * x, square + weight * x * x);
                }
                assert!((total - 1.0).abs() < 1e-3, "{shape:?} {s} {u}: {total}");
                assert!(mean.abs() < 1e-3 * (s + u.sqrt()), "{shape:?} {s} {u}: {mean}");
                assert!((square / (s * s + u) - 1.0).abs() < 2e-3, "{shape:?} {s} {u}: {square}");
            }
        }
        assert!((ln_normal_below(-24.99) - ln_normal_below(-25.01)).abs() < 0.51);
    }
}
