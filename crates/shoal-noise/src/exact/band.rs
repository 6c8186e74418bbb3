//! One band of the Euclidean noise: the distances inner <= ‖z‖ < outer, and how they are proposed.
//!
//! *Distribution*: with N = ‖z‖², -a√N is convex in N, and so is tN - a√N for every t. On the band R² <= N <
//! S² it is therefore at most its larger end, and e^(-a√N) <= e^(tA² - aA) e^(-tN) with A = S when
//! t is at least the slope of the chord, a / (R + S), and A = R when it is at most that. The right
//! side is a product of discrete Gaussians of rate t and weight e^(tA² - aA) θ(t)^d, and a proposal
//! is kept with probability e^-x,
//!
//! x = a(√N - A) + t(A² - N) = a (√N - R)(S - √N) / (R + S) + |t - a / (R + S)| |A² - N|.
//!
//! The weight is least at the chord's slope, brought into the range d / 2S² ..= d / 2R²: outside of
//! it a Gaussian would fall mostly short of the band or beyond it.
//!
//! In doubles √N - R is (N - R²) / (√N + R), with the difference taken in integers, so that nothing
//! cancels: each gap is within a relative 2^-51, every term of x is a product of five such numbers
//! or fewer, and x is within a relative 2^-48, which moves e^-x by less than 2^-49.

use dashu_base::{BitTest, SquareRoot};
use dashu_int::UBig;
use dashu_ratio::RBig;

use crate::exact::enclosure::{approx_f64, numerator};
use crate::exact::scaled::Scaled;
use crate::exact::theta::theta;
use crate::samplers::tabled_gaussian::TabledGaussian;

#[derive(Clone)]
pub(crate) struct Band {
    /// R and S.
    pub inner: u64,
    pub outer: u64,
    /// A.
    anchor: u64,
    decay: RBig,
    /// t.
    rate: RBig,
    /// a / (R + S) and |t - a / (R + S)| in doubles.
    slope: f64,
    tilt: f64,
    pub proposal: TabledGaussian,
}

impl Band {
    pub fn new(decay: &RBig, dims: usize, inner: u64, outer: u64) -> Self {
        let slope = decay / RBig::from(inner + outer);
        let typical = |r: u64| RBig::from_parts(dims.into(), UBig::from(r).sqr() * UBig::from(2_u8));
        let mut rate = slope.clone().max(typical(outer));
        if inner > 0 {
            rate = rate.min(typical(inner));
        }
        let (anchor, tilt) = if rate >= slope { (outer, &rate - &slope) } else { (inner, &slope - &rate) };
        Self {
            inner,
            outer,
            anchor,
            decay: decay.clone(),
            proposal: TabledGaussian::with_rate(rate.clone()),
            rate,
            slope: approx_f64(&slope).min(f64::MAX),
            tilt: approx_f64(&tilt).min(f64::MAX),
        }
    }

    /// e^(-d/2) times the weight; the factor, common to all bands, keeps the exponent from being positive.
    pub fn weight(&self, dims: usize, bits: usize) -> Scaled {
        let half = RBig::from_parts(dims.into(), 2_u8.into());
        let exponent = half + (&self.decay - &self.rate * RBig::from(self.anchor)) * RBig::from(self.anchor);
        Scaled::exp_neg(&exponent, bits).times(&theta(&self.rate, bits).power(dims, bits), bits)
    }

    /// t in doubles.
    #[cfg(test)]
    pub fn rate_f64(&self) -> f64 {
        approx_f64(&self.rate)
    }

    /// x in doubles.
    #[inline]
    pub fn estimate(&self, square: u128) -> f64 {
        let gap = self.slope * distance(square, self.inner) * distance(square, self.outer);
        let anchor = u128::from(self.anchor);
        gap + self.tilt * (anchor * anchor).abs_diff(square) as f64
    }

    /// x between two rationals, close enough that e^-x is known to about 2^-bits.
    pub fn exponent(&self, square: u128, bits: usize) -> (RBig, RBig) {
        let anchor = RBig::from(self.anchor);
        let level = &self.rate * (anchor.sqr() - RBig::from(square)) - &self.decay * anchor;
        let (least, most) = root(square, &self.decay, bits);
        let x = |root: RBig| (&self.decay * root + &level).max(RBig::ZERO);
        (x(least), x(most))
    }
}

/// |√N - r| in doubles, within a relative 2^-51.
#[inline]
pub(crate) fn distance(square: u128, r: u64) -> f64 {
    let difference = (u128::from(r) * u128::from(r)).abs_diff(square) as f64;
    // At 0 / 0 the distance is 0.
    if difference == 0.0 { 0.0 } else { difference / ((square as f64).sqrt() + r as f64) }
}

/// √N between two rationals that `decay` does not bring further apart than 2^-bits.
pub(crate) fn root(square: u128, decay: &RBig, bits: usize) -> (RBig, RBig) {
    let size = (numerator(decay).bit_len() + 1).saturating_sub(decay.denominator().bit_len());
    let places = bits + size;
    let lifted = UBig::from(square) << (2 * places);
    let floor = lifted.sqrt();
    let ceiling = if floor.sqr() == lifted { floor.clone() } else { &floor + UBig::ONE };
    let rational = |end: UBig| RBig::from_parts(end.into(), UBig::ONE << places);
    (rational(floor), rational(ceiling))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::enclosure::Enclosure;
    use crate::exact::scaled::in_common;
    use crate::uniform::below_u128;

    /// The doubles against the exact exponent, on bands where √N and R agree to many digits.
    #[test]
    fn estimates_are_within_their_bound() {
        let mut source = crate::SeededNoise::new(4);
        for (inner, outer, dims, decay) in [
            (0_u64, 1_u64, 1_usize, (1_u64, 1_u64)),
            (3, 7, 2, (1, 3)),
            (100_000, 100_001, 10, (4, 65_534)),
            (1 << 51, (1 << 51) + 3, 10, (1, 1 << 50)),
            (0, 1 << 52, 1000, (1, 1 << 52)),
            (1 << 30, 1 << 52, 3, (1, 1 << 20)),
        ] {
            let band = Band::new(&RBig::from_parts(decay.0.into(), decay.1.into()), dims, inner, outer);
            let (from, to) = (u128::from(inner).pow(2), u128::from(outer).pow(2));
            let mut squares = vec![from, to - 1, from + (to - from) / 2];
            squares.extend((0..200).map(|_| from + below_u128(&mut source, to - from)));
            for square in squares {
                let (least, most) = band.exponent(square, 130);
                let truth = Enclosure::exp_neg_between(&least, &most, 130);
                assert!((&truth.high - &truth.low).bit_len() <= 6, "the enclosure is loose");
                let chance = RBig::try_from(libm::exp(-band.estimate(square))).unwrap();
                let scaled = chance * RBig::from(UBig::ONE << 130);
                let slack = RBig::from(UBig::ONE << (130 - 46));
                assert!(&scaled + &slack >= RBig::from(truth.low) && scaled - slack <= RBig::from(truth.high));
            }
        }
    }

    /// The file gives 200 leading bits of every weight, from an independent program.
    #[test]
    fn weights_enclose_independent_values() {
        let mut rows = 0;
        for line in include_str!("../../tests/vectors/weights.csv").lines().skip(1) {
            let fields: Vec<&str> = line.split(',').collect();
            let (top, bottom) = fields[1].split_once('/').unwrap();
            let decay = RBig::from_parts(top.parse().unwrap(), bottom.parse().unwrap());
            let dims: usize = fields[0].parse().unwrap();
            let band = Band::new(&decay, dims, fields[2].parse().unwrap(), fields[3].parse().unwrap());
            let floor: UBig = fields[6].parse().unwrap();
            let truth = Scaled::between(floor.clone(), floor + UBig::ONE, fields[5].parse().unwrap());
            for bits in [130_usize, 190, 240] {
                let both = in_common(&[band.weight(dims, bits), truth.clone()], bits - 64);
                assert!(both[0].low <= both[1].high && both[1].low <= both[0].high, "{line} at {bits}");
                assert!((&both[0].high - &both[0].low).bit_len() <= 2, "{line} at {bits} is loose");
                // And they are tight: they exclude a number off by a relative 2^-40.
                let off = &both[1].high + (&both[1].high >> 40);
                assert!(off > both[0].high, "{line} at {bits}");
            }
            rows += 1;
        }
        assert!(rows >= 150, "vector file is short: {rows}");
    }
}
