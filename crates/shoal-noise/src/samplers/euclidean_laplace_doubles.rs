//! Bounded Euclidean Laplace noise through doubles: faster than [`crate::EuclideanLaplace`], and
//! not exact.
//!
//! *Privacy*: **none of the ideal distribution's guarantee holds to the last bit.** Whatever is made of
//! finitely many random bits leaves gaps that move with the record: an infinite loss, on a tiny
//! mass. (A radius by inversion of 53 bits, as published, never falls below 0.116 / ε at d = 10 and
//! 38.5 / ε at d = 100; this sampler's gaps are smaller and not worked out.) What is claimed for it
//! is claimed for ideal reals, rounded to the lattice afterwards. Use the exact sampler where that
//! is not good enough.
//!
//! *Distribution*: in reals, the density proportional to e^(-a min(‖x - v‖, ℓ)) on the box, rounded to the
//! nearest lattice point. With probability β a uniform point of the box; else ρ from the gamma distribution
//! of shape d + 1 and rate a, cut off at ℓ, and a uniform point of the ball of radius ρ around v:
//! each z gets ∫ a e^(-aρ) dρ from ‖z‖ to ℓ, which is e^(-a‖z‖) - e^(-aℓ). β is the share of the box,
//! e^(-aℓ) (m + 1 + 2ℓ)^d, next to the ball's V_d γ(d + 1, aℓ) / a^d, in logarithms. The uniform
//! point of the ball is d of the coordinates of a uniform point on the sphere of d + 2 dimensions.
//!
//! The cut-off radius: from aℓ >= s - √s on, s = d + 1, gamma draws are repeated until one is at
//! most aℓ, which has probability 0.11 or more. Below, ρ = ℓ e^-w and w has density proportional to
//! e^(-sw - aℓ e^-w); as e^-w >= 1 - w, an exponential w of rate s - aℓ > √s is kept with
//! probability e^(-aℓ(e^-w - 1 + w)) >= e^(-aℓw²/2), 0.65 or more on average because aℓ < (s -
//! aℓ)².
//!
//! *Utility*: as [`crate::EuclideanLaplace`].
//!
//! *Runtime*: d + 1 normal draws and an exponential.
//!
//! *Assumes*: doubles, `libm`, and a lattice so fine that the sum over the ball is its integral.
//!
//! *Paper*: as [`crate::EuclideanLaplace`]. *Deviation*: box and ball overlap, instead of a box
//! without the ball, so that nothing outside is rejected.

use dashu_ratio::RBig;

use crate::NoiseError;
use crate::exact::band_edges::ln_box;
use crate::exact::enclosure::approx_f64;
use crate::exact::gamma::{ln_ball_mass, ln_sum};
use crate::exact::ziggurat::{Ziggurat, exponential};
use crate::samplers::radial::RadialParameters;
use crate::source::NoiseSource;
use crate::uniform::unit_f64;

/// Sampler in doubles for the distribution of [`crate::EuclideanLaplace`].
#[derive(Clone)]
pub struct EuclideanLaplaceDoubles {
    parameters: RadialParameters,
    /// β.
    uniform_share: f64,
    /// aℓ, and 1 / a in steps.
    cut: f64,
    scale: f64,
    normals: Ziggurat,
}

impl EuclideanLaplaceDoubles {
    /// As [`crate::EuclideanLaplace::new`].
    ///
    /// # Errors
    /// As [`crate::EuclideanLaplace::new`].
    pub fn new(decay: RBig, dims: usize, side: u64, radius: u64) -> Result<Self, NoiseError> {
        let parameters = RadialParameters::new(decay, dims, side, radius)?;
        let rate = approx_f64(&parameters.decay).min(f64::MAX);
        let outside = ln_box(rate, dims, side, radius);
        let uniform_share = libm::exp(outside - ln_sum(outside, ln_ball_mass(rate, dims, radius as f64)));
        let (cut, scale) = (rate * radius as f64, 1.0 / rate);
        Ok(Self { parameters, uniform_share, cut, scale, normals: Ziggurat::new() })
    }

    /// The parameters of the noise.
    #[must_use]
    pub fn parameters(&self) -> &RadialParameters {
        &self.parameters
    }

    /// β: how often the report is a uniform point of the box, whatever the record.
    #[must_use]
    pub fn uniform_share(&self) -> f64 {
        self.uniform_share
    }

    /// One report of `record`, written to `out`.
    ///
    /// # Panics
    /// When a slice does not have the dimension of the noise, or the record lies outside of its lattice.
    #[inline]
    pub fn sample(&self, source: &mut (impl NoiseSource + ?Sized), record: &[i64], out: &mut [i64]) {
        self.parameters.check_record(record, out);
        if unit_f64(source) < self.uniform_share {
            return self.parameters.anywhere(source, out);
        }
        let ball = self.ball(source);
        let mut square = 2.0 * exponential(source);
        // The slots of the report hold the normals until their length is known.
        for x in out.iter_mut() {
            let g = self.normals.normal(source);
            square += g * g;
            *x = g.to_bits().cast_signed();
        }
        let stretch = ball / square.sqrt();
        let radius = self.parameters.radius.cast_signed();
        for (x, &v) in out.iter_mut().zip(record) {
            let z = f64::from_bits(x.cast_unsigned()) * stretch;
            *x = v + ((z + 0.5_f64.copysign(z)) as i64).clamp(-radius, radius);
        }
    }

    /// ρ, in steps.
    #[inline]
    fn ball(&self, source: &mut (impl NoiseSource + ?Sized)) -> f64 {
        let shape = (self.parameters.dims + 1) as f64;
        loop {
            if self.cut >= shape - shape.sqrt() {
                let gamma = self.normals.gamma(source, shape);
                if gamma <= self.cut {
                    return gamma * self.scale;
                }
            } else {
                let w = exponential(source) / (shape - self.cut);
                let share = libm::exp(-w);
                if exponential(source) >= self.cut * (share - 1.0 + w) {
                    return self.parameters.radius as f64 * share;
                }
            }
        }
    }
}
