//! The density of a report around the centre of its cluster, as a table.
//!
//! A record of a cluster of width s is spread like a Gaussian N(m, s²I) about its centre m, and its report like the
//! mechanism's density about the record. For radial noise, ln e^(-k√N) is a function of N = squared distance, and
//! e^(-k√N) is a mixture of Gaussians (the Laplace transform of the Lévy distribution):
//!
//!   e^(-k√N) = ∫ e^(-N/2u) p(u) du,  p(u) = k/√(2π) · u^(-1/2) · e^(-k²u/2),
//!
//! so that a Gaussian cluster makes each part wider and lower, in one integral:
//!
//!   f_s(N) = ∫ (u/(u+s²))^(d/2) · e^(-N/2(u+s²)) p(u) du.
//!
//! Where the mechanism's density ends its decay (radius L), so does the table: max(f_s, e^(-kL)). Laplace noise
//! per attribute is the same in one dimension.
//!
//! Every such logarithm is convex in N: a mixture of functions that are log-linear in N is, and so is a maximum. The table
//! joins values at knots by straight lines *in N*, so it is convex too; that makes the step of the algorithm, which
//! replaces it by a tangent, one that never lowers the likelihood. The straight piece at the origin is what keeps weights
//! finite where the density has its tip.

use rayon::prelude::*;

use shoal_device::NoiseLaw;

/// Pieces of a table: two numbers each, and they stay in the first-level cache.
pub(super) const PIECES: usize = 2048;

/// The widest step of the integral over ln u.
const WIDEST_STEP: f64 = 0.1;

/// The tables of one distribution of noise for several standard deviations, on the same knots.
#[derive(Clone, Debug)]
pub(super) struct Profiles {
    /// Distance between knots in widths.
    pub spacing: f64,
    /// The widths, the first of them 0.
    pub widths: Vec<f64>,
    /// Per width: ln density (up to a constant that is the same for all) at the knots.
    pub values: Vec<Vec<f64>>,
    /// Per width: value at the left knot and slope in N, for each piece.
    pub pieces: Vec<Vec<[f32; 2]>>,
    /// Whether distances are taken attribute by attribute.
    pub per_attribute: bool,
}

impl Profiles {
    /// Tables that reach as far as `reach`.
    pub fn new(law: NoiseLaw, dims: usize, reach: f64, widths: Vec<f64>) -> Self {
        let (rate, radius, dims, per_attribute) = match law {
            NoiseLaw::Radial { rate, radius } => (rate, radius, dims, false),
            NoiseLaw::PerAttribute { scale } => (1.0 / scale, f64::INFINITY, 1, true),
        };
        // One report from the far end of the lattice must not make the table coarse, or long in the making. Beyond where
        // noise ever gets the table is flat: such a report belongs to all clusters alike and pulls at none.
        let farthest = farthest(rate, dims);
        let reach = reach.min(1.01 * farthest);
        let spacing = reach * 1.001 / PIECES as f64;
        let last = ((farthest / spacing).ceil() as usize).min(PIECES);
        let values: Vec<Vec<f64>> = widths
            .par_iter()
            .map(|&width| {
                let mut values = Widened::new(rate, dims, width, reach).at_knots(spacing);
                let floor = (-rate * radius).max(values[last]);
                for value in &mut values {
                    *value = value.max(floor);
                }
                values
            })
            .collect();
        let pieces = values.iter().map(|values| pieces(values, spacing)).collect();
        Self { spacing, widths, values, pieces, per_attribute }
    }
}

/// A distance between report and centre that noise of this rate, on a record anywhere in the box, exceeds with a
/// probability of at most e^-50: a gamma distribution of shape d is past d + 10√d + 50 no more often.
pub(super) fn farthest(rate: f64, dims: usize) -> f64 {
    let d = dims as f64;
    d.sqrt() + (d + 10.0 * d.sqrt() + 50.0) / rate
}

fn pieces(values: &[f64], spacing: f64) -> Vec<[f32; 2]> {
    let knot = |i: usize| (i as f64 * spacing).powi(2);
    (0..PIECES).map(|i| [values[i] as f32, ((values[i + 1] - values[i]) / (knot(i + 1) - knot(i))) as f32]).collect()
}

/// e^(-k·distance), widened by a Gaussian.
struct Widened {
    rate: f64,
    /// Per node: logarithm of its weight, and 1/(2(u + s²)).
    nodes: Vec<(f64, f64)>,
}

impl Widened {
    fn new(rate: f64, dims: usize, width: f64, reach: f64) -> Self {
        if width == 0.0 {
            return Self { rate, nodes: Vec::new() };
        }
        // In v = k²u the law is free of k: its mass lies between the tiny v of near reports, where the widened density
        // no longer changes, and v of the order of k·distance.
        let d = dims as f64;
        let spread = (rate * width).powi(2);
        let low = libm::log((spread * 1e-6).min(1e-4));
        let most = rate * reach;
        let high = libm::log(2.0 * most + 100.0);
        // At a distance r the integrand in ln v is a bump about v = kr, 1/√(kr) wide; with steps not above its width the
        // trapezoid rule errs by e^(-2π²) of it.
        let step = (1.0 / most).sqrt().min(WIDEST_STEP);
        let count = ((high - low) / step).ceil() as usize;
        let nodes = (0..=count)
            .map(|i| {
                let v = libm::exp(low + i as f64 * step);
                // p(u) du = √v/√(2π) · e^(-v/2) d(ln v).
                let ln_weight = 0.5 * libm::log(v) - 0.5 * v + libm::log(step / (2.0 * std::f64::consts::PI).sqrt());
                (ln_weight + 0.5 * d * libm::log(v / (v + spread)), rate * rate / (2.0 * (v + spread)))
            })
            .collect();
        Self { rate, nodes }
    }

    /// ln f at every knot.
    ///
    /// From one knot to the next a node's part of the sum falls by a factor that itself falls by a constant factor, since
    /// squared distances grow like squares: e^(-c(i+1)²h²) = e^(-ci²h²) · e^(-c(2i+1)h²). So no exponential is needed but at
    /// the beginning of each stretch of knots, where the nodes that matter are chosen anew.
    fn at_knots(&self, spacing: f64) -> Vec<f64> {
        if self.nodes.is_empty() {
            return (0..=PIECES).map(|i| -self.rate * i as f64 * spacing).collect();
        }
        let stretch = ((MOST_FALL / (self.rate * spacing)) as usize).clamp(1, STRETCH);
        let square = spacing * spacing;
        let mut values = Vec::with_capacity(PIECES + stretch);
        let (mut parts, mut falls, mut factors) = (Vec::new(), Vec::new(), Vec::new());
        for first in (0..=PIECES).step_by(stretch) {
            let [near, far] = [first, first + stretch].map(|i| (i * i) as f64 * square);
            let [largest, largest_far] = [near, far].map(|squared| self.largest(squared));
            (parts, falls, factors) = (reset(parts), reset(falls), reset(factors));
            for &(ln_weight, c) in &self.nodes {
                let (here, there) = (ln_weight - c * near - largest, ln_weight - c * far - largest_far);
                if here > -NEGLIGIBLE || there > -NEGLIGIBLE {
                    parts.push(libm::exp(here));
                    falls.push(libm::exp(-c * (2 * first + 1) as f64 * square));
                    factors.push(libm::exp(-2.0 * c * square));
                }
            }
            for padded in [&mut parts, &mut falls, &mut factors] {
                padded.resize(padded.len().next_multiple_of(WIDE), 0.0);
            }
            for _ in 0..stretch {
                values.push(largest + libm::log(add_up_and_fall(&mut parts, &mut falls, &factors)));
            }
        }
        values.truncate(PIECES + 1);
        values
    }

    fn largest(&self, squared: f64) -> f64 {
        self.nodes.iter().map(|(ln_weight, c)| ln_weight - c * squared).fold(f64::NEG_INFINITY, f64::max)
    }

    /// ln f at any squared distance.
    #[cfg(test)]
    fn ln_density(&self, squared: f64) -> f64 {
        if self.nodes.is_empty() {
            return -self.rate * squared.sqrt();
        }
        let largest = self.largest(squared);
        let part = |(ln_weight, c): &(f64, f64)| (ln_weight - c * squared - largest).exp();
        largest + self.nodes.iter().map(part).sum::<f64>().ln()
    }
}

/// Knots of a stretch, at most, and how far the logarithm of the density may fall within one.
const STRETCH: usize = 64;
const MOST_FALL: f64 = 100.0;

/// Nodes whose part is below e to minus this of the largest, at both ends of a stretch, are left out.
const NEGLIGIBLE: f64 = 60.0;

/// Nodes that are added up side by side.
const WIDE: usize = 8;

fn reset(mut buffer: Vec<f64>) -> Vec<f64> {
    buffer.clear();
    buffer
}

/// The sum of the parts, which then fall to the next knot.
fn add_up_and_fall(parts: &mut [f64], falls: &mut [f64], factors: &[f64]) -> f64 {
    let mut sums = [0.0; WIDE];
    let chunks = parts.as_chunks_mut::<WIDE>().0.iter_mut().zip(falls.as_chunks_mut::<WIDE>().0);
    for ((parts, falls), factors) in chunks.zip(factors.as_chunks::<WIDE>().0) {
        for i in 0..WIDE {
            sums[i] += parts[i];
            parts[i] *= falls[i];
            falls[i] *= factors[i];
        }
    }
    sums.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A Laplace law widened by a Gaussian has a closed form in one dimension.
    #[test]
    fn one_dimension_agrees_with_the_closed_form() {
        for (rate, width) in [(1.0, 0.3), (4.0, 0.05), (8.0, 0.2), (0.5, 1.0), (100.0, 0.01)] {
            let spread = Widened::new(rate, 1, width, 3.0);
            for x in [0.0, 0.01, 0.1, 0.5, 1.0, 3.0] {
                let erfc = |y: f64| libm::erfc(y / std::f64::consts::SQRT_2);
                let (k, s) = (rate, width);
                let up = (k * x + 0.5 * (k * s).powi(2)).exp() * erfc(k * s + x / s);
                let down = (-k * x + 0.5 * (k * s).powi(2)).exp() * erfc(k * s - x / s);
                let truth = (0.5 * (up + down)).ln();
                if truth > -300.0 {
                    let found = spread.ln_density(x * x);
                    assert!((found - truth).abs() < 1e-5, "rate {rate}, width {width}, {x}: {found} against {truth}");
                }
            }
        }
    }

    /// What is carried from knot to knot agrees with what is computed anew, for values and for the slopes between them.
    #[test]
    fn knots_agree_with_the_integral() {
        for (rate, dims, width, reach) in
            [(8.0, 10, 0.01, 4.0), (8.0, 10, 0.45, 4.0), (0.5, 2, 0.1, 30.0), (200.0, 3, 0.05, 9.0), (4.0, 1, 0.2, 8.0)]
        {
            let spread = Widened::new(rate, dims, width, reach);
            let spacing = reach / PIECES as f64;
            let found = spread.at_knots(spacing);
            assert_eq!(found.len(), PIECES + 1);
            for (i, found) in found.windows(2).enumerate() {
                let truth = [i, i + 1].map(|i| spread.ln_density((i * i) as f64 * spacing * spacing));
                assert!((found[0] - truth[0]).abs() < 1e-10 * truth[0].abs().max(1.0), "{} {}", found[0], truth[0]);
                let gap = (found[1] - found[0]) - (truth[1] - truth[0]);
                assert!(gap.abs() < 1e-11 * truth[0].abs().max(1.0), "rate {rate}, width {width}, knot {i}: {gap}");
            }
        }
    }

    /// The widened density still has the mass of the original one: ∫ r^(d-1) f dr is the same.
    #[test]
    fn widening_keeps_the_mass() {
        for (rate, dims, width) in [(2.0, 2, 0.2), (4.0, 4, 0.1), (8.0, 8, 0.05), (4.0, 30, 0.2), (10.0, 100, 0.1)] {
            let far = (dims as f64 + 40.0 * (dims as f64).sqrt()) / rate;
            let mass = |spread: &Widened| {
                let n = 20_000;
                let scale = (dims as f64 - 1.0) * (dims as f64 / rate).ln() - dims as f64;
                (1..n)
                    .map(|i| {
                        let r = far * i as f64 / n as f64;
                        ((dims as f64 - 1.0) * r.ln() + spread.ln_density(r * r) - scale).exp() * far / n as f64
                    })
                    .sum::<f64>()
            };
            let (plain, wide) =
                (mass(&Widened::new(rate, dims, 0.0, far)), mass(&Widened::new(rate, dims, width, far)));
            assert!(
                (wide / plain - 1.0).abs() < 1e-4,
                "rate {rate}, {dims} attributes, width {width}: {}",
                wide / plain
            );
        }
    }

    /// One report from the end of the lattice may not make the tables long in the making, nor coarse: the integral takes
    /// as many nodes as the root of its reach.
    #[test]
    fn a_far_report_changes_neither_the_nodes_nor_much_of_the_spacing() {
        for (law, dims, rate) in [
            (NoiseLaw::Radial { rate: 16.0, radius: 1e7 }, 1, 16.0),
            (NoiseLaw::Radial { rate: 0.5, radius: 1e12 }, 10, 0.5),
            (NoiseLaw::PerAttribute { scale: 0.25 }, 5, 4.0),
        ] {
            let [near, far] = [1e5, 1e14].map(|reach| Profiles::new(law, dims, reach, vec![0.0, 0.1]));
            assert_eq!(near.spacing, far.spacing, "both are beyond where noise gets");
            let reach = far.spacing * PIECES as f64;
            let nodes = Widened::new(rate, dims, 0.1, reach).nodes.len();
            assert!(nodes < 1_000, "{nodes} nodes");
            // Without the bound there would be a million times as many.
            assert!(Widened::new(rate, dims, 0.1, 1e7).nodes.len() > 20 * nodes);
            assert_eq!(far.pieces[1][PIECES - 1][1], 0.0, "and beyond it the table is flat");
        }
    }

    /// Convex in N at every knot, which is what keeps the likelihood from falling.
    #[test]
    fn tables_are_convex() {
        let laws = [
            NoiseLaw::Radial { rate: 4.0, radius: 4.0 },
            NoiseLaw::Radial { rate: 100.0, radius: 0.5 },
            NoiseLaw::PerAttribute { scale: 0.25 },
        ];
        for law in laws {
            let tables = Profiles::new(law, 4, 9.0, vec![0.0, 0.02, 0.1, 0.4]);
            for pieces in &tables.pieces {
                for pair in pieces.windows(2) {
                    assert!(pair[1][1] >= pair[0][1] * (1.0 + 1e-4) - 1e-5, "slopes {} and {}", pair[0][1], pair[1][1]);
                    assert!(pair[1][1] <= 0.0);
                }
            }
        }
    }
}
