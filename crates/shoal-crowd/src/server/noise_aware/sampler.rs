//! Draws from the posterior distribution of the clusters: hybrid (Hamiltonian) Monte Carlo from an optimum.
//!
//! At small ε the likelihood has long flat ridges, on which points that differ by less than one unit of its logarithm put the
//! centres in quite different places, and the highest point is often the tip of one. Draws cover the ridge.
//!
//! Parameters are the centres, the logarithms of the shares relative to the last one, and, with one standard deviation per
//! attribute, the variances, as v = τ·h(t) with the hinge h(t) = (t + √(t² + 4))/2: under noise a variance is known to within
//! an absolute error τ and is often none at all, so neither it nor its logarithm is a coordinate in which steps can be even. They are brought to coordinates z in which the information V + P at the optimum
//! (see `standard_error` and `evidence`) is the identity, and trajectories there are leapfrog steps: one pass over the
//! reports each, whose sums are the gradient. A trajectory is accepted with probability min(1, e^(−ΔH)), so the draws
//! are from the posterior itself and not from an approximation of it.

use shoal_noise::{SeededNoise, uniform};

use crate::server::noise_aware::matrix::{Factor, Matrix};
use crate::server::noise_aware::maximise::Optimum;
use crate::server::noise_aware::pass::{ByDistance, Density, Mixture, pass};
use crate::server::noise_aware::prior::Prior;
use crate::server::noise_aware::scales::{NARROWEST, WIDEST};
use crate::server::noise_aware::standard_error::{information, variance_score};
use crate::server::points::ReportPoints;

/// Leapfrog steps of a trajectory.
const LEAPS: usize = 3;

/// The step that warm-up begins with, in standard deviations, and its limits.
const FIRST_STEP: f64 = 0.5;
const STEPS: [f64; 2] = [0.02, 0.9];

/// The share of trajectories that warm-up wants to be accepted.
const ACCEPTED: f64 = 0.75;

/// Records lie in the box, so centres do: beyond it the prior falls off with this standard deviation, in widths.
const WALL: f64 = 0.03;

/// The prior on a variance v of records, (v + a)^(-1/2)·e^(-v/b): nearly even in the standard deviation up to a quarter of a
/// width, and not steep at zero.
const VARIANCE_A: f64 = 2.5e-3;
const VARIANCE_B: f64 = 0.05;

/// The least variance.
const LEAST_VARIANCE: f64 = NARROWEST * NARROWEST;

/// One draw.
pub(super) struct Draw {
    pub mixture: Mixture,
    /// Logarithm of the posterior density, up to a constant.
    pub ln_density: f64,
}

/// What a chain is run on.
pub(super) struct Posterior<'a> {
    pub points: &'a ReportPoints,
    pub density: &'a Density,
    pub prior: Prior,
}

/// The coordinates of one chain.
struct Chart {
    origin: Mixture,
    /// The parameters of the origin.
    values: Vec<f64>,
    /// Per attribute: the error to which its variance is known, τ.
    errors: Vec<f64>,
    factor: Factor,
}

/// A place in the coordinates z, with the density there.
#[derive(Clone)]
struct Place {
    z: Vec<f64>,
    mixture: Mixture,
    ln_density: f64,
    /// By z.
    gradient: Vec<f64>,
}

impl Posterior<'_> {
    /// `count` draws after `warm_up` trajectories, from an optimum. Nothing where the information about it is no matrix.
    pub fn chain(&self, from: &Optimum, warm_up: usize, count: usize, random: &mut SeededNoise) -> Option<Vec<Draw>> {
        let chart = self.chart(&from.mixture)?;
        let size = chart.values.len();
        let mut at = self.place(vec![0.0; size], &chart)?;
        let mut step = FIRST_STEP;
        let mut draws = Vec::with_capacity(count);
        for number in 0..warm_up + count {
            let mut momentum: Vec<f64> = (0..size).map(|_| uniform::normal_f64(random)).collect();
            let energy = 0.5 * momentum.iter().map(|p| p * p).sum::<f64>() - at.ln_density;
            // A step of changing length visits no closed orbit twice.
            let length = step * (0.8 + 0.4 * uniform::unit_f64(random));
            let mut next = Some(at.clone());
            for _ in 0..LEAPS {
                next = next.and_then(|next| self.leap(next, &mut momentum, length, &chart));
            }
            let rises = next.as_ref().map_or(f64::INFINITY, |next| {
                0.5 * momentum.iter().map(|p| p * p).sum::<f64>() - next.ln_density - energy
            });
            let probability = if rises.is_finite() { libm::exp(-rises).min(1.0) } else { 0.0 };
            let accepted = uniform::unit_f64(random) < probability;
            if let (true, Some(next)) = (accepted, next) {
                at = next;
            }
            if number < warm_up {
                // Robbins and Monro: towards the share of accepted trajectories that is wanted.
                let gain = 2.0 / (number as f64 + 4.0).sqrt();
                step = (step * libm::exp(gain * (probability - ACCEPTED))).clamp(STEPS[0], STEPS[1]);
            } else {
                draws.push(Draw { mixture: at.mixture.clone(), ln_density: at.ln_density });
            }
        }
        Some(draws)
    }

    /// Coordinates in which the information about the parameters, that of the reports and that of the prior, is the identity.
    fn chart(&self, mixture: &Mixture) -> Option<Chart> {
        let (k, dims) = (mixture.k(), mixture.dims);
        let shares = k * dims;
        let mut matrix = information(self.points, mixture, self.density, shares + k + mixture.variances.len());
        let strength = self.strength();
        // From logarithms of variances to variances.
        let by_variance = |at: usize| at.checked_sub(shares + k).map_or(1.0, |i| 1.0 / mixture.variances[i]);
        matrix = matrix.scaled(by_variance);
        let errors: Vec<f64> = (0..mixture.variances.len())
            .map(|i| (matrix.at(shares + k + i) + VARIANCE_B.powi(-2)).sqrt().recip())
            .collect();
        let hinged: Vec<f64> = mixture.variances.iter().zip(&errors).map(|(v, error)| unhinge(v, *error)).collect();
        matrix = matrix.scaled(|at| at.checked_sub(shares + k).map_or(1.0, |i| errors[i] * hinge(hinged[i])[1]));
        let known: Vec<f64> = (0..matrix.size)
            .map(|at| match at.checked_sub(shares) {
                None => self.prior.pull(dims).max(1.0),
                Some(j) if j < k => k as f64 * strength * libm::exp(mixture.ln_weights[j]),
                // That of the hinge.
                Some(_) => 0.5,
            })
            .collect();
        matrix.add(&Matrix::diagonal(&known));
        let factor = matrix.without(shares + k - 1).factor()?;
        let last = mixture.ln_weights[k - 1];
        let ratios = mixture.ln_weights[..k - 1].iter().map(|ln_weight| ln_weight - last);
        let values = mixture.centres.iter().copied().chain(ratios).chain(hinged).collect();
        Some(Chart { origin: mixture.clone(), values, errors, factor })
    }

    /// The exponent of the shares in the density of their logarithms.
    fn strength(&self) -> f64 {
        self.prior.reports + 1.0
    }

    fn leap(&self, from: Place, momentum: &mut [f64], length: f64, chart: &Chart) -> Option<Place> {
        let half = |momentum: &mut [f64], gradient: &[f64]| {
            momentum.iter_mut().zip(gradient).for_each(|(p, g)| *p += 0.5 * length * g);
        };
        half(momentum, &from.gradient);
        let z = from.z.iter().zip(&*momentum).map(|(z, p)| z + length * p).collect();
        let next = self.place(z, chart)?;
        half(momentum, &next.gradient);
        Some(next)
    }

    /// The density and its gradient. Nothing where it cannot be computed.
    fn place(&self, z: Vec<f64>, chart: &Chart) -> Option<Place> {
        let at: Vec<f64> = chart.factor.solve_transposed(&z).iter().zip(&chart.values).map(|(z, x)| z + x).collect();
        let mixture = chart.mixture(&at);
        let (mut ln_density, mut gradient) = self.ln_density(&mixture);
        let first = gradient.len() - chart.errors.len();
        for (i, (gradient, t)) in gradient[first..].iter_mut().zip(&at[first..]).enumerate() {
            let [_, slope, bend] = hinge(*t);
            let inside = mixture.variances[i] < WIDEST * WIDEST;
            // The density of t is that of the variance times the slope.
            ln_density += libm::log(slope);
            *gradient = if inside { *gradient * chart.errors[i] * slope } else { 0.0 } + bend / slope;
        }
        let finite = ln_density.is_finite() && gradient.iter().all(|g| g.is_finite());
        finite.then(|| Place { z, gradient: chart.factor.solve(&gradient), mixture, ln_density })
    }

    /// Logarithm of likelihood and prior density, and its gradient by the parameters.
    fn ln_density(&self, mixture: &Mixture) -> (f64, Vec<f64>) {
        let (k, dims, rows) = (mixture.k(), mixture.dims, self.points.rows() as f64);
        let sums = pass(self.points, mixture, self.density, ByDistance::No);
        let strength = self.strength();
        let (pull, middle) = (self.prior.pull(dims), self.prior.middle_of(mixture));
        let mut ln_density =
            sums.ln_likelihood + self.prior.ln_density(mixture) + mixture.ln_weights.iter().sum::<f64>();
        let mut gradient = Vec::with_capacity(k * dims + k + dims);
        let per_attribute = self.density.per_attribute();
        for (at, &m) in mixture.centres.iter().enumerate() {
            let weight = if per_attribute { sums.pulls[at] } else { sums.pulls[at / dims] };
            let outside = if m < 0.0 { m } else { (m - 1.0).max(0.0) };
            ln_density -= 0.5 * (outside / WALL).powi(2);
            gradient.push(sums.moments[at] - m * weight - pull * (m - middle[at % dims]) - outside / (WALL * WALL));
        }
        for j in 0..k - 1 {
            let share = libm::exp(mixture.ln_weights[j]);
            gradient.push(sums.shares[j] - rows * share + strength * (1.0 - k as f64 * share));
        }
        if let Density::Scales(scales) = self.density {
            for (i, &variance) in mixture.variances.iter().enumerate() {
                ln_density -= 0.5 * libm::log(variance + VARIANCE_A) + variance / VARIANCE_B;
                let score = variance_score(&sums, mixture, scales, i) / variance;
                gradient.push(score - 0.5 / (variance + VARIANCE_A) - 1.0 / VARIANCE_B);
            }
        }
        (ln_density, gradient)
    }
}

impl Chart {
    /// The mixture with these parameters.
    fn mixture(&self, at: &[f64]) -> Mixture {
        let (k, centres) = (self.origin.k(), self.origin.centres.len());
        let mut mixture = self.origin.clone();
        mixture.centres.copy_from_slice(&at[..centres]);
        let logs: Vec<f64> = at[centres..centres + k - 1].iter().copied().chain([0.0]).collect();
        let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let total = largest + libm::log(logs.iter().map(|log| libm::exp(log - largest)).sum::<f64>());
        mixture.ln_weights = logs.iter().map(|log| log - total).collect();
        let hinged = at[centres + k - 1..].iter().zip(&self.errors);
        for (variance, (&t, error)) in mixture.variances.iter_mut().zip(hinged) {
            *variance = (LEAST_VARIANCE + error * hinge(t)[0]).min(WIDEST * WIDEST);
        }
        mixture
    }
}

/// The hinge (t + √(t² + 4))/2, its slope and its second derivative.
fn hinge(t: f64) -> [f64; 3] {
    let root = (t * t + 4.0).sqrt();
    // Without cancellation where t is far below zero.
    let value = if t < 0.0 { 2.0 / (root - t) } else { 0.5 * (t + root) };
    [value, value / root, 2.0 / (root * root * root)]
}

/// Where the hinge has the value of a variance, and not far below zero: there is nothing to begin with there.
fn unhinge(variance: &f64, error: f64) -> f64 {
    let value = ((variance - LEAST_VARIANCE) / error).max(0.4);
    value - 1.0 / value
}

#[cfg(test)]
mod tests {
    use shoal_device::NoiseLaw;

    use super::*;
    use crate::server::noise_aware::scales::Scales;

    /// Reports of two clusters under radial noise: an exponential radius of the right order in three attributes.
    fn points(rows: usize, seed: u64) -> ReportPoints {
        let mut random = SeededNoise::new(seed);
        let mut values = Vec::new();
        for row in 0..rows {
            let direction: Vec<f64> = (0..3).map(|_| uniform::normal_f64(&mut random)).collect();
            let norm = direction.iter().map(|x| x * x).sum::<f64>().sqrt();
            // Gamma(3) is the radius of e^(-kr) in three attributes.
            let radius: f64 = (0..3).map(|_| -(1.0 - uniform::unit_f64(&mut random)).ln()).sum::<f64>() / RATE;
            let centre = if row % 3 == 0 { [0.2, 0.3, 0.7] } else { [0.7, 0.6, 0.4] };
            for i in 0..3 {
                values.push(centre[i] + 0.08 * uniform::normal_f64(&mut random) + radius * direction[i] / norm);
            }
        }
        ReportPoints::from_rows(3, &values)
    }

    const RATE: f64 = 6.0;

    fn density() -> Density {
        Density::Scales(Scales::new(NoiseLaw::Radial { rate: RATE, radius: 1e6 }, 3).unwrap())
    }

    fn mixture() -> Mixture {
        Mixture {
            dims: 3,
            centres: vec![0.22, 0.3, 0.66, 0.7, 0.58, 0.41],
            ln_weights: vec![0.35f64.ln(), 0.65f64.ln()],
            widths: Vec::new(),
            variances: vec![0.006, 1e-5, 0.02],
            levels: Vec::new(),
        }
    }

    #[test]
    fn the_gradient_is_that_of_the_density() {
        let (points, density) = (points(800, 1), density());
        let posterior = Posterior { points: &points, density: &density, prior: Prior::WEAK };
        let chart = posterior.chart(&mixture()).unwrap();
        let size = chart.values.len();
        assert_eq!(size, 6 + 1 + 3);
        for i in 0..size {
            let at = |by: f64| {
                let mut z: Vec<f64> = (0..size).map(|j| 0.4 - 0.1 * j as f64).collect();
                z[i] += by;
                posterior.place(z, &chart).unwrap()
            };
            let slope = (at(0.05).ln_density - at(-0.05).ln_density) / 0.1;
            let found = at(0.0).gradient[i];
            assert!((slope - found).abs() < 0.03 * (1.0 + slope.abs()), "z{i}: {found}, not {slope}");
        }
    }

    #[test]
    fn the_hinge_and_its_derivatives_agree() {
        for t in [-30.0, -3.0, -0.1, 0.0, 0.7, 12.0] {
            let [value, slope, bend] = hinge(t);
            let [[below, low, _], [above, high, _]] = [hinge(t - 1e-4), hinge(t + 1e-4)];
            assert!(value > 0.0 && ((above - below) / 2e-4 - slope).abs() < 1e-6, "{t}");
            assert!(((high - low) / 2e-4 - bend).abs() < 1e-6, "{t}");
        }
        assert!((hinge(unhinge(&(LEAST_VARIANCE + 0.03), 0.01))[0] - 3.0).abs() < 1e-12);
    }

    /// With many reports the posterior is a Gaussian about the mode with the errors of the information: so are the draws. Four
    /// times the reports halve them, which is the mutant.
    #[test]
    fn draws_have_the_spread_of_the_posterior() {
        let density = density();
        let spread = |rows: usize| {
            let points = points(rows, 2);
            let posterior = Posterior { points: &points, density: &density, prior: Prior::WEAK };
            let em = crate::server::noise_aware::maximise::Em {
                width: crate::server::noise_aware::Width::PerAttribute,
                prior: Prior::WEAK,
                passes: 100,
                least_gain: 0.002,
            };
            let mode = em.from(mixture(), &points, &density);
            let draws = posterior.chain(&mode, 20, 300, &mut SeededNoise::new(3)).unwrap();
            let of = |at: usize| {
                let values: Vec<f64> = draws.iter().map(|draw| draw.mixture.centres[at]).collect();
                let mean = values.iter().sum::<f64>() / values.len() as f64;
                let deviation = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / values.len() as f64;
                (mean - mode.mixture.centres[at], deviation.sqrt())
            };
            let matrix = information(&points, &mode.mixture, &density, 6).factor().unwrap().diagonal_of_inverse();
            (0..6).map(|at| (of(at), matrix[at].sqrt())).collect::<Vec<_>>()
        };
        let few = spread(2_000);
        for ((away, deviation), error) in &few {
            assert!((0.75..1.4).contains(&(deviation / error)), "{deviation}, {error}");
            assert!(away.abs() < 0.6 * error, "{away}, {error}");
        }
        let many = spread(8_000);
        let ratio = few[3].0.1 / many[3].0.1;
        assert!((1.5..2.7).contains(&ratio), "{ratio}");
    }
}
