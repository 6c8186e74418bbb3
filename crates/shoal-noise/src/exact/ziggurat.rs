//! Continuous normal and gamma draws in doubles, for the samplers that say they work in doubles.
//!
//! *Distribution*: the standard normal by 256 layers of equal area, the gamma by a cube of it; both up to
//! the rounding of doubles and the grid of 2^-52 that uniform numbers lie on. Never for exact
//! noise.
//!
//! *Paper*: Marsaglia and Tsang, "The Ziggurat Method" (2000), with independent bits for layer and
//! position (Doornik, 2005); Marsaglia and Tsang, "A Simple Method for Generating Gamma Variables"
//! (2000).

use std::f64::consts::{PI, SQRT_2};

use crate::source::NoiseSource;
use crate::uniform::unit_f64;

const LAYERS: usize = 256;
/// Where the tail begins, such that 256 layers of one area fit under the curve.
const TAIL: f64 = 3.654_152_885_361_009;

#[derive(Clone)]
pub(crate) struct Ziggurat {
    /// Right ends of the layers, falling, and the curve there.
    x: Box<[f64; LAYERS + 1]>,
    y: Box<[f64; LAYERS + 1]>,
}

fn curve(x: f64) -> f64 {
    libm::exp(-x * x / 2.0)
}

/// -ln U, a standard exponential.
#[inline]
pub(crate) fn exponential(source: &mut (impl NoiseSource + ?Sized)) -> f64 {
    -libm::log(1.0 - unit_f64(source))
}

impl Ziggurat {
    pub fn new() -> Self {
        let area = TAIL * curve(TAIL) + (PI / 2.0).sqrt() * libm::erfc(TAIL / SQRT_2);
        let mut x = Box::new([0.0; LAYERS + 1]);
        // The lowest layer has the tail in it: as wide as a rectangle of its area would be.
        x[0] = area / curve(TAIL);
        x[1] = TAIL;
        for i in 2..LAYERS {
            x[i] = (-2.0 * libm::log(area / x[i - 1] + curve(x[i - 1]))).sqrt();
        }
        let y = Box::new(x.map(curve));
        Self { x, y }
    }

    /// A standard normal draw.
    #[inline]
    pub fn normal(&self, source: &mut (impl NoiseSource + ?Sized)) -> f64 {
        loop {
            let word = source.next_u64();
            let layer = (word & 255) as usize;
            let u = (word >> 11) as f64 * (2.0 / (1_u64 << 53) as f64) - 1.0;
            let x = u * self.x[layer];
            if x.abs() < self.x[layer + 1] {
                return x;
            }
            if let Some(x) = self.edge(source, layer, x) {
                return x;
            }
        }
    }

    #[cold]
    fn edge(&self, source: &mut (impl NoiseSource + ?Sized), layer: usize, x: f64) -> Option<f64> {
        if layer == 0 {
            loop {
                let beyond = exponential(source) / TAIL;
                if 2.0 * exponential(source) >= beyond * beyond {
                    return Some((TAIL + beyond).copysign(x));
                }
            }
        }
        let height = self.y[layer] + unit_f64(source) * (self.y[layer + 1] - self.y[layer]);
        (height < curve(x)).then_some(x)
    }

    /// A gamma draw of the given shape, at least 1, and rate 1.
    #[inline]
    pub fn gamma(&self, source: &mut (impl NoiseSource + ?Sized), shape: f64) -> f64 {
        let d = shape - 1.0 / 3.0;
        let c = 1.0 / (9.0 * d).sqrt();
        loop {
            let x = self.normal(source);
            let v = 1.0 + c * x;
            if v <= 0.0 {
                continue;
            }
            let v = v * v * v;
            let u = 1.0 - unit_f64(source);
            if u < 1.0 - 0.0331 * (x * x) * (x * x) || libm::log(u) < x * x / 2.0 + d * (1.0 - v + libm::log(v)) {
                return d * v;
            }
        }
    }
}
