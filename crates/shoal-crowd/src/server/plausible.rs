//! How far out honest reports can plausibly be, by public numbers: the design and the number of reports.
//!
//! Laplace noise has no end, so a mechanism with it can make a report at any distance, and a forged one can be as far out as
//! numbers go. A mean of such reports is wherever the forger wants it to be. Here reports are moved back to the distance within
//! which all honest reports are, except with probability [`NEVER`]: one forged report then matters no more than the farthest
//! honest one.
//!
//! *Privacy*: a function of reports and public numbers, so nothing is lost.
//!
//! *Distribution*: per attribute, P(|noise| > t) ≤ e^(−t/scale), for n reports of d attributes at most n·d times that. For radial
//! noise, P(distance > t) ≤ e^(d − kt)·(kt/d)^d (Chernoff), n times, where the noise decays all the way; bounded noise (BPM) that
//! may be uniform on its box reaches to the end of the box.

use shoal_device::{BpmLaw, Client, NoiseLaw};

use super::ReportPoints;

/// The probability that any honest report of all is moved.
pub const NEVER: f64 = 1e-6;

/// How far out honest reports can plausibly be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plausible {
    /// Widths beyond the records' box, in every attribute.
    pub beyond: f64,
}

impl Plausible {
    /// For so many reports by this mechanism. `None` where the noise has no known density: such reports end at the box.
    pub fn of(client: &Client, reports: usize) -> Option<Self> {
        let (n, dims) = (reports.max(1) as f64, client.numbers());
        let beyond = match client.noise_law()? {
            NoiseLaw::PerAttribute { scale } => scale * (n * dims as f64 / NEVER).ln(),
            NoiseLaw::Radial { rate, radius } => {
                let ends_by_decay = BpmLaw { dims, rate, radius }.ln_p_outside() <= (0.5 * NEVER / n).ln();
                if ends_by_decay { (radius_up(dims, (0.5 * NEVER / n).ln()) / rate).min(radius) } else { radius }
            }
        };
        Some(Self { beyond })
    }

    /// The reports, those farther out moved back in every attribute, and how many these are.
    pub fn hold(self, points: ReportPoints) -> (ReportPoints, usize) {
        let (low, high) = (-self.beyond, 1.0 + self.beyond);
        let outside = |row: usize| (0..points.dims()).any(|i| !(low..=high).contains(&f64::from(points.value(row, i))));
        let moved = (0..points.rows()).filter(|&row| outside(row)).count();
        if moved == 0 {
            return (points, 0);
        }
        let held = |row: usize| points.row(row).into_iter().map(|x| x.clamp(low, high)).collect::<Vec<f64>>();
        let values: Vec<f64> = (0..points.rows()).flat_map(held).collect();
        (points.with_numbers(&values), moved)
    }
}

/// A radius that a Gamma(d, 1) exceeds with a probability of at most e^`ln_probability`.
fn radius_up(dims: usize, ln_probability: f64) -> f64 {
    let d = dims as f64;
    let ln_tail = |x: f64| d - x + d * (x / d).ln();
    let (mut low, mut high) = (d, 2.0 * d);
    while ln_tail(high) > ln_probability {
        high *= 2.0;
    }
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if ln_tail(middle) > ln_probability {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use statrs::distribution::{ContinuousCDF, Gamma};

    use super::*;

    #[test]
    fn the_radius_is_a_bound_and_a_near_one() {
        for dims in [1, 2, 5, 30] {
            for probability in [1e-3_f64, 1e-6, 1e-12] {
                let radius = radius_up(dims, probability.ln());
                let tail = |x: f64| Gamma::new(dims as f64, 1.0).unwrap().sf(x);
                assert!(tail(radius) <= probability, "{dims}, {probability}");
                assert!(tail(0.6 * radius) > probability, "{dims}, {probability}: {radius} is far too large");
            }
        }
    }
}
