//! The evidence for a number of clusters: the probability of the reports under all mixtures of that many clusters.
//!
//! BIC charges every parameter ½·ln n, as if a report carried one unit of information about it. Under heavy noise it carries
//! far less, so BIC sees one cluster where four are plain. The evidence charges what the reports do carry (Laplace's
//! approximation about the optimum):
//!
//!   ln p(reports | k) ≈ ln L + ln prior + (p/2)·ln 2π − ½·ln det(V + P)
//!
//! V is the information of the scores (see `standard_error`) and P the curvature of the prior. The prior is proper, and the
//! same for all k: centres N(½, τ²) in each attribute with the variance that `Prior` has for them (1/12, that of the box,
//! without one), and shares from a Dirichlet distribution, either a loose one or one that holds them close to equal,
//! whichever the reports support more. A parameter about which the reports carry no information costs
//! nothing, whatever n. Standard deviations of records are set to their best values: there are as many of them for every
//! k. The k! orders of the clusters are not counted, which would be right only for clusters that are far apart.

use crate::server::noise_aware::matrix::Matrix;
use crate::server::noise_aware::maximise::Optimum;
use crate::server::noise_aware::pass::Density;
use crate::server::noise_aware::prior::{LOOSE, Prior};
use crate::server::noise_aware::standard_error::{confusion, information};
use crate::server::points::ReportPoints;

/// Exponents of the Dirichlet density of the shares: loose, and close to equal.
const STRENGTHS: [f64; 2] = [LOOSE + 1.0, 21.0];

/// The logarithm of the evidence, up to a constant that does not depend on the number of clusters.
pub(super) fn ln_evidence(points: &ReportPoints, density: &Density, optimum: &Optimum, prior: &Prior) -> f64 {
    let mixture = &optimum.mixture;
    let (k, dims) = (mixture.k(), mixture.dims);
    let centre_precision = centre_precision(prior, dims);
    let ln_two_pi = libm::log(std::f64::consts::TAU);
    let ln_normal = |x: f64, mean: f64, precision: f64| {
        0.5 * (libm::log(precision) - ln_two_pi) - 0.5 * precision * (x - mean).powi(2)
    };
    let centres: f64 = mixture.centres.iter().map(|&x| ln_normal(x, 0.5, centre_precision)).sum();
    // In coordinates ln w_j − ln w_k, whose score is that of ln w_j: the last share is left out.
    let scores = information(points, mixture, density, k * dims + k - 1);
    let with_shares = |strength: f64| {
        // The Jacobian is the product of the shares, which adds one to each exponent of the Dirichlet density.
        let shares = libm::lgamma(k as f64 * strength) - k as f64 * libm::lgamma(strength)
            + strength * mixture.ln_weights.iter().sum::<f64>();
        let known: Vec<f64> = (0..scores.size)
            .map(|i| match i.checked_sub(k * dims) {
                None => centre_precision,
                Some(j) => k as f64 * strength * libm::exp(mixture.ln_weights[j]),
            })
            .collect();
        let parameters = scores.size as f64;
        let mut total = scores.clone();
        total.add(&Matrix::diagonal(&known));
        // Rounding alone can make it fail, with thousands of parameters: then every one is charged as by BIC.
        let ln_determinant = match total.factor() {
            Some(factor) => factor.ln_determinant(),
            None => parameters * libm::log(points.rows() as f64),
        };
        shares + 0.5 * parameters * ln_two_pi - 0.5 * ln_determinant
    };
    let shares = STRENGTHS.map(with_shares).into_iter().fold(f64::NEG_INFINITY, f64::max);
    let of_words =
        points.words().map_or(0.0, |words| words.ln_evidence(&mixture.levels, &confusion(points, mixture, density)));
    optimum.ln_likelihood + centres + shares + of_words
}

/// One over the variance of a coordinate of a centre.
fn centre_precision(prior: &Prior, dims: usize) -> f64 {
    match prior.pull(dims) {
        0.0 => 12.0,
        pull => 1.0 / (1.0 / pull + if prior.middle.is_finite() { prior.middle * prior.middle } else { 0.0 }),
    }
}
