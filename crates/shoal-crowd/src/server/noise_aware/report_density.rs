//! The density of a report of one cluster, in double precision and without tables: for labels.
//!
//! Radial noise is a mixture of Gaussians (see `scales`), so records with a standard deviation per attribute only widen its
//! parts. Laplace noise of scale b on an attribute whose records are N(m, s²) is half an exponential to either side:
//! e^(s²/2b² ∓ t/b)·Φ(±t/s − s/b)/2b with t = x − m, summed over the two signs.

use shoal_device::NoiseLaw;

use crate::server::noise_aware::one_shape::ln_exponential;
use crate::server::noise_aware::scales::{Nodes, Scales};

/// Less spread than this, in widths, is none.
const NO_SPREAD: f64 = 1e-9;

/// The density of reports about the records of one cluster, up to a constant that is the same for all clusters.
pub(crate) struct ReportDensity {
    centre: Vec<f64>,
    form: Form,
}

enum Form {
    /// Radial noise in two attributes or more.
    Radial { nodes: Nodes, floor: f64 },
    /// Laplace noise on each attribute, with the logarithm of the density where it has ended its decay.
    PerAttribute { scale: f64, spread: Vec<f64>, floor: f64 },
}

impl ReportDensity {
    /// For records with these standard deviations about the centre.
    pub fn new(law: NoiseLaw, centre: Vec<f64>, spread: Vec<f64>) -> Self {
        let form = match (law, Scales::new(law, centre.len())) {
            (_, Some(scales)) => {
                let variances: Vec<f64> = spread.iter().map(|s| s * s).collect();
                Form::Radial { nodes: scales.with_records(&variances), floor: scales.floor }
            }
            // In one attribute radial noise is Laplace noise, with an end to its decay: (k/2)·e^(-kL).
            (NoiseLaw::Radial { rate, radius }, None) => {
                let floor = libm::log(0.5 * rate) - rate * radius;
                Form::PerAttribute { scale: 1.0 / rate, spread, floor }
            }
            (NoiseLaw::PerAttribute { scale }, None) => Form::PerAttribute { scale, spread, floor: f64::NEG_INFINITY },
        };
        Self { centre, form }
    }

    /// The logarithm of the density at a report.
    pub fn ln(&self, report: &[f64]) -> f64 {
        let dims = self.centre.len();
        match &self.form {
            Form::Radial { nodes, floor } => {
                let of_node = |(q, ln_height): (usize, &f64)| {
                    let precisions = &nodes.precisions[q * dims..(q + 1) * dims];
                    let apart = report.iter().zip(&self.centre).map(|(x, m)| (x - m).powi(2));
                    ln_height - 0.5 * apart.zip(precisions).map(|(square, precision)| square * precision).sum::<f64>()
                };
                let logs = || nodes.ln_heights.iter().enumerate().map(of_node);
                let largest = logs().fold(*floor, f64::max);
                let total: f64 = logs().map(|log| libm::exp(log - largest)).sum();
                (largest + libm::log(total.max(1e-300))).max(*floor)
            }
            Form::PerAttribute { scale, spread, floor } => {
                let apart = report.iter().zip(&self.centre).map(|(x, m)| x - m);
                apart.zip(spread).map(|(t, &s)| ln_laplace(t, *scale, s)).sum::<f64>().max(*floor)
            }
        }
    }
}

/// Laplace noise of this scale on a record with standard deviation `s`, at distance `t` from its mean.
fn ln_laplace(t: f64, scale: f64, s: f64) -> f64 {
    if s < NO_SPREAD * scale.min(1.0) {
        return -t.abs() / scale - libm::log(2.0 * scale);
    }
    let (a, b) = (ln_exponential(t, scale, s), ln_exponential(-t, scale, s));
    let largest = a.max(b);
    largest + libm::log(0.5 * (libm::exp(a - largest) + libm::exp(b - largest)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against a sum over a fine grid of records.
    #[test]
    fn densities_agree_with_sums_over_records() {
        for (scale, s) in [(0.2_f64, 0.1_f64), (0.05, 0.2), (0.5, 0.01)] {
            for t in [-0.7, -0.1, 0.0, 0.05, 0.4, 1.5] {
                let step = s / 200.0;
                let at = |i: i32| {
                    let r = f64::from(i) * step;
                    let gauss = (-0.5 * (r / s).powi(2)).exp() / (s * std::f64::consts::TAU.sqrt());
                    gauss * (-(t - r).abs() / scale).exp() / (2.0 * scale) * step
                };
                let truth = (-1600..=1600).map(at).sum::<f64>().ln();
                let found = ln_laplace(t, scale, s);
                assert!((found - truth).abs() < 1e-3, "{scale} {s} {t}: {found}, not {truth}");
            }
        }
        assert!((ln_laplace(0.3, 0.2, 0.0) - ln_laplace(0.3, 0.2, 1e-6)).abs() < 1e-6);
        // One attribute under radial noise: flat beyond the radius.
        let law = NoiseLaw::Radial { rate: 8.0, radius: 1.0 };
        let density = ReportDensity::new(law, vec![0.5], vec![0.05]);
        assert_eq!(density.ln(&[1.6]).to_bits(), density.ln(&[3.0]).to_bits());
        assert!(density.ln(&[1.4]) > density.ln(&[1.6]));
    }

    /// The nodes of radial noise without spread are e^(−k·distance).
    #[test]
    fn radial_densities_fall_with_the_distance() {
        let law = NoiseLaw::Radial { rate: 6.0, radius: 1e6 };
        let density = ReportDensity::new(law, vec![0.5; 3], vec![0.0; 3]);
        let at = |r: f64| density.ln(&[0.5 + r, 0.5, 0.5]);
        for r in [0.2, 0.5, 0.9] {
            assert!((at(r) - at(0.3) + 6.0 * (r - 0.3)).abs() < 0.03, "{r}");
        }
    }
}
