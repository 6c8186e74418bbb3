//! Bounded Euclidean Laplace noise on a lattice: the bounded perturbation mechanism, sampled
//! exactly.
//!
//! *Privacy*: a record v of {0..=m}^d is reported as a point of the box {-ℓ..=m+ℓ}^d. For every two
//! records the probabilities of any report differ by at most e^(a min(‖v - v'‖, ℓ)): metric privacy
//! for the Euclidean distance, and local differential privacy of aℓ. The normaliser is the same for
//! every record, because the ball of radius ℓ around it lies inside the box.
//!
//! *Distribution*: P(x | v) proportional to e^(-a min(‖x - v‖, ℓ)) on the box, exactly, for any positive
//! rational a. That is e^(-aℓ) on the whole box plus e^(-a√N) - e^(-aℓ) in the ball, N = ‖x - v‖².
//! The ball is cut into bands of integer distances (the `band_edges` module), and box or band is
//! picked by their weights, e^(-aℓ) (m + 1 + 2ℓ)^d and those of the `band` module, irrational
//! numbers of which lazy comparisons ask as many bits as they need. Box: a uniform point of it.
//! Band: d discrete Gaussians ([`crate::TabledGaussian`]), which must land in the band, are kept
//! with probability e^-x (the `band` module) and then with probability 1 - e^(-a(ℓ - √N));
//! otherwise all starts again from the pick. A sum that has left the band cannot come back, so the
//! remaining coordinates are not drawn. In doubles ℓ - √N is (ℓ² - N) / (ℓ + √N), within a relative
//! 2^-51, so the second coin moves by less than 2^-50.
//!
//! *Utility*: inside the ball, noise of density e^(-a‖z‖): E‖z‖ = d / a.
//!
//! *Runtime*: about half of the proposals are kept at every dimension,
//! [`EuclideanLaplace::acceptance`] says how many; a proposal takes at most about d words. Setting
//! up takes milliseconds.
//!
//! *Assumes*: uniform words; m and ℓ at most 2^52, a at least 2^-52.
//!
//! *Paper*: the mechanism is the bounded perturbation mechanism of local private k-means, and with
//! a huge ℓ the n-dimensional Laplace mechanism. *Deviation*: on a lattice, and drawn by rejection
//! from bands of discrete Gaussians instead of by a radius and a direction, which doubles cannot
//! draw exactly.

use dashu_int::UBig;
use dashu_ratio::RBig;

use crate::NoiseError;
use crate::exact::band::{Band, distance, root};
use crate::exact::band_edges;
use crate::exact::enclosure::{Enclosure, approx_f64};
use crate::exact::gamma::ln_ball_mass;
use crate::exact::lazy::{LazyUniform, Margin, WORD_BITS, compare, cumulative_shares};
use crate::exact::scaled::{Scaled, in_common};
use crate::samplers::radial::RadialParameters;
use crate::source::NoiseSource;

/// Exact sampler for P(x | v) proportional to e^(-a min(‖x - v‖, ℓ)).
///
/// ```
/// use shoal_noise::{EuclideanLaplace, RBig, SeededNoise};
///
/// // ε = 4 over a side of 65534 steps, uniform beyond four sides.
/// let distribution = EuclideanLaplace::new(RBig::from_parts(4.into(), 65_534_u32.into()), 2, 65_534, 4 * 65_534)?;
/// let mut report = [0; 2];
/// distribution.sample(&mut SeededNoise::new(7), &[30_000, 500], &mut report);
/// assert!(report.iter().all(|&x| (-4 * 65_534..=5 * 65_534).contains(&x)));
/// # Ok::<(), shoal_noise::NoiseError>(())
/// ```
#[derive(Clone)]
pub struct EuclideanLaplace {
    parameters: RadialParameters,
    decay_f64: f64,
    bands: Box<[Band]>,
    /// Cumulative shares of the bands in words, enclosed; what is left is the box.
    share_low: Box<[u64]>,
    share_high: Box<[u64]>,
    acceptance: f64,
    margin: Margin,
}

impl EuclideanLaplace {
    /// Noise for records in `0..=side` per coordinate, whose probability falls by e^-decay per lattice step of distance
    /// up to `radius` steps.
    ///
    /// # Errors
    /// When the decay is not positive or below 2^-52, for 0 or more than 1024 dimensions, and when the side or the
    /// radius is 0 or above 2^52.
    pub fn new(decay: RBig, dims: usize, side: u64, radius: u64) -> Result<Self, NoiseError> {
        let parameters = RadialParameters::new(decay, dims, side, radius)?;
        let decay = &parameters.decay;
        let decay_f64 = approx_f64(decay).min(f64::MAX);
        let (edges, ln_bands) = band_edges::edges(decay_f64, dims, side, radius);
        assert_eq!((edges.first(), edges.last()), (Some(&0), Some(&radius)), "bands cover the ball and end with it");
        let acceptance = band_edges::kept(
            ln_bands,
            band_edges::ln_box(decay_f64, dims, side, radius),
            ln_ball_mass(decay_f64, dims, radius as f64),
        );
        let bands = edges.windows(2).map(|edge| Band::new(decay, dims, edge[0], edge[1])).collect();
        let mut law = Self {
            parameters,
            decay_f64,
            bands,
            share_low: Box::default(),
            share_high: Box::default(),
            acceptance,
            margin: Margin::ROUTINE,
        };
        let (low, high): (Vec<_>, Vec<_>) = law.shares(WORD_BITS + 64).iter().map(Enclosure::words).unzip();
        (law.share_low, law.share_high) = (low.into(), high.into());
        Ok(law)
    }

    /// The same sampler with every decision made in arbitrary precision: the same draws from the same seed, slowly.
    /// See [`crate::Geometric::exact_only`].
    #[must_use]
    pub fn exact_only(mut self) -> Self {
        for band in &mut self.bands {
            band.proposal = band.proposal.clone().exact_only();
        }
        self.share_low.fill(0);
        self.share_high.fill(1 << WORD_BITS);
        self.margin = Margin::EVERYTHING;
        self
    }

    /// The parameters of the noise.
    #[must_use]
    pub fn parameters(&self) -> &RadialParameters {
        &self.parameters
    }

    /// Expected share of proposals kept, for information: the sum over the ball is taken as an integral.
    #[must_use]
    pub fn acceptance(&self) -> f64 {
        self.acceptance
    }

    /// Number of bands the ball is cut into, for information.
    #[must_use]
    pub fn bands(&self) -> usize {
        self.bands.len()
    }

    /// One report of `record`, written to `out`.
    ///
    /// # Panics
    /// When a slice does not have the dimension of the noise, or the record lies outside of its lattice.
    #[inline]
    pub fn sample(&self, source: &mut (impl NoiseSource + ?Sized), record: &[i64], out: &mut [i64]) {
        self.parameters.check_record(record, out);
        loop {
            let position = source.next_u64() >> 1;
            let passed = self.share_high.partition_point(|&high| position >= high);
            let settled = self.share_low.get(passed).is_none_or(|&low| position < low);
            let pick = if settled { passed } else { self.pick_exactly(source, position) };
            let Some(band) = self.bands.get(pick) else {
                return self.parameters.anywhere(source, out);
            };
            if self.lands(source, band, record, out) {
                return;
            }
        }
    }

    /// A proposal of the band, and whether it is kept.
    #[inline]
    fn lands(&self, source: &mut (impl NoiseSource + ?Sized), band: &Band, record: &[i64], out: &mut [i64]) -> bool {
        let outside = u128::from(band.outer) * u128::from(band.outer);
        let mut square = 0_u128;
        for (x, &v) in out.iter_mut().zip(record) {
            let z = band.proposal.sample(source);
            let size = u128::from(z.unsigned_abs());
            square += size * size;
            if square >= outside {
                return false;
            }
            *x = v + z;
        }
        square >= u128::from(band.inner) * u128::from(band.inner)
            && self.chord_coin(source, band, square)
            && self.edge_coin(source, square)
    }

    /// e^-x.
    #[inline]
    fn chord_coin(&self, source: &mut (impl NoiseSource + ?Sized), band: &Band, square: u128) -> bool {
        let position = source.next_u64() >> 1;
        compare(position, libm::exp(-band.estimate(square)), self.margin).unwrap_or_else(|| {
            LazyUniform::from_word(position).below(source, |bits| {
                let (least, most) = band.exponent(square, bits);
                Enclosure::exp_neg_between(&least, &most, bits)
            })
        })
    }

    /// 1 - e^(-a(ℓ - √N)) in doubles.
    #[inline]
    fn edge_chance(&self, square: u128) -> f64 {
        1.0 - libm::exp(-self.decay_f64 * distance(square, self.parameters.radius))
    }

    #[inline]
    fn edge_coin(&self, source: &mut (impl NoiseSource + ?Sized), square: u128) -> bool {
        let position = source.next_u64() >> 1;
        compare(position, self.edge_chance(square), self.margin).unwrap_or_else(|| {
            LazyUniform::from_word(position).below(source, |bits| {
                let RadialParameters { decay, radius, .. } = &self.parameters;
                let (least, most) = root(square, decay, bits);
                let left = |root: RBig| ((RBig::from(*radius) - root) * decay).max(RBig::ZERO);
                Enclosure::exp_neg_between(&left(most), &left(least), bits).complement()
            })
        })
    }

    #[cold]
    fn pick_exactly(&self, source: &mut (impl NoiseSource + ?Sized), position: u64) -> usize {
        LazyUniform::from_word(position).rank(source, |bits| self.shares(bits))
    }

    /// Cumulative shares of the bands, each within a few units of 2^-bits.
    fn shares(&self, bits: usize) -> Vec<Enclosure> {
        // Squarings and powers cost some sixty bits; should they not be enough, more are asked for.
        let mut work = bits + 96;
        loop {
            let shares = cumulative_shares(&in_common(&self.weights(work), work), bits);
            let loose = UBig::ONE << 24;
            if shares.iter().all(|s| &s.high - &s.low <= loose) {
                return shares;
            }
            work *= 2;
        }
    }

    /// Weights of the bands and of the box, all divided by e^(d/2).
    fn weights(&self, bits: usize) -> Vec<Scaled> {
        let RadialParameters { decay, dims, side, radius } = &self.parameters;
        let half = RBig::from_parts((*dims).into(), 2_u8.into());
        let points = Scaled::integer(UBig::from(side + 1 + 2 * radius)).power(*dims, bits);
        let height = Scaled::exp_neg(&(half + decay * RBig::from(*radius)), bits);
        self.bands.iter().map(|band| band.weight(*dims, bits)).chain([height.times(&points, bits)]).collect()
    }
}

#[cfg(test)]
mod enumeration;
