//! Made-up records and the designs that reports of them follow.

use shoal_device::choose_radius;
use shoal_device::{Design, Ending, Mechanism};
use shoal_lattice::STEPS;
use shoal_lattice::{Bounds, Interval};
use shoal_noise::{SeededNoise, uniform};

use crate::Failure;

/// Records about k centres in [0.15, 0.85]^d, at least 0.2·√d apart where they fit, with standard deviation 0.04, in lattice
/// steps and one after the other.
pub fn gauss(rows: usize, dims: usize, k: usize, random: &mut SeededNoise) -> Vec<i64> {
    let mut centres: Vec<Vec<f64>> = Vec::new();
    let mut apart = 0.2 * (dims as f64).sqrt();
    while centres.len() < k {
        let centre: Vec<f64> = (0..dims).map(|_| 0.15 + 0.7 * uniform::unit_f64(random)).collect();
        if centres.iter().all(|other| squared(other, &centre).sqrt() >= apart) {
            centres.push(centre);
        } else {
            // Gives up its distance bit by bit, so that crowded boxes fill as well.
            apart *= 0.999;
        }
    }
    (0..rows)
        .flat_map(|row| {
            let centre = centres[row % k].clone();
            centre.into_iter().map(|m| (m + 0.04 * uniform::normal_f64(random)).clamp(0.0, 1.0)).collect::<Vec<_>>()
        })
        .map(|x| (x * STEPS as f64).round() as i64)
        .collect()
}

/// A mechanism with an optional radius or ending, `bpm:0.5`, and its budget per width.
pub fn design(mechanism: &str, epsilon: &str, dims: usize) -> Result<Design, Failure> {
    let (name, radius) = mechanism.split_once(':').map_or((mechanism, None), |(name, radius)| (name, Some(radius)));
    let rate: f64 = epsilon.parse()?;
    let mechanism = match (name, radius) {
        ("bpm", None) => Mechanism::Bpm { radius_steps: choose_radius::information(dims, rate).steps },
        ("bpm", Some(radius)) => Mechanism::Bpm { radius_steps: choose_radius::given(radius.parse()?).steps },
        ("nd-laplace", None) => {
            Mechanism::NdLaplace { radius_steps: choose_radius::nd_laplace(dims, rate).steps, ending: Ending::Raw }
        }
        ("nd-laplace", Some("clamped")) => {
            Mechanism::NdLaplace { radius_steps: choose_radius::nd_laplace(dims, rate).steps, ending: Ending::Clamped }
        }
        ("laplace", None) => Mechanism::Laplace,
        ("laplace-metric", None) => Mechanism::LaplaceMetric,
        _ => return Err(format!("there is no mechanism {mechanism}").into()),
    };
    let columns = (0..dims).map(|i| format!("c{i}")).collect();
    let bounds = Bounds::new(columns, vec![Interval::new(0.0, 1.0)?; dims])?;
    let epsilon = epsilon.parse().map_err(|error| format!("{epsilon}: {error}"))?;
    Ok(Design::new(mechanism, epsilon, bounds)?)
}

/// Squared distance.
pub fn squared(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum()
}
