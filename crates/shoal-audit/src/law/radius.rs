//! Distances of reports from their record, for a density that falls by e^−k for each unit of distance, up to a radius.

use shoal_device::BpmLaw;
use statrs::function::gamma::gamma_lr;

use super::{Waiting, kolmogorov_smirnov};

/// The probability that a report within the radius is within a distance: a Gamma(d, rate k) cut at L.
#[must_use]
pub fn cdf(law: &BpmLaw, distance: f64) -> f64 {
    // The function is not defined at zero itself.
    let of = |r: f64| if r > 0.0 { gamma_lr(law.dims as f64, law.rate * r) } else { 0.0 };
    (of(distance.min(law.radius)) / of(law.radius)).min(1.0)
}

/// The test of distances within the radius.
pub(crate) fn test<'a>(law: &'a BpmLaw, inside: &'a [Vec<f64>]) -> Waiting<'a> {
    let p_value = || kolmogorov_smirnov(inside.iter().map(|z| length(z)).collect(), |r| cdf(law, r));
    ("distance from the record".into(), Box::new(p_value))
}

/// The Euclidean length.
#[must_use]
pub fn length(vector: &[f64]) -> f64 {
    vector.iter().map(|z| z * z).sum::<f64>().sqrt()
}
