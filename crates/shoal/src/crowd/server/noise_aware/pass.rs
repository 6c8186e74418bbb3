//! One pass over the reports: how likely they are, which cluster each belongs to, and where it pulls the centre.
//!
//! Sixteen reports at a time, all in single precision except the sums. There is no fused arithmetic and the order of every
//! sum is fixed, so that machines and thread counts give the same numbers.

use rayon::prelude::*;

use super::profile::{PIECES, Profiles};
use crate::crowd::server::points::{LANES, ReportPoints};

/// Parts that the reports are cut into, whatever the number of threads.
const PARTS: usize = 64;

/// Tiles of a part, at least.
const LEAST_PART: usize = 16;

/// Work, in tiles times clusters times attributes, that one thread does alone.
const ALONE: usize = 200_000;

/// Tiles after which sums in single precision go on to double precision.
const FLUSH: usize = 64;

/// Clusters of reports: centres in widths, logarithms of weights, and the number of each cluster's width in [`Profiles`].
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Mixture {
    pub dims: usize,
    pub centres: Vec<f64>,
    pub ln_weights: Vec<f64>,
    pub widths: Vec<usize>,
}

impl Mixture {
    pub fn k(&self) -> usize {
        self.ln_weights.len()
    }
}

/// What a pass adds up.
#[derive(Clone, Debug)]
pub(super) struct Sums {
    /// Sum over reports of the logarithm of the mixture's density, up to the law's constant.
    pub ln_likelihood: f64,
    /// Per cluster: the sum of its shares of reports.
    pub shares: Vec<f64>,
    /// Per cluster (and attribute, when the law is per attribute): sum of share times weight.
    pub pulls: Vec<f64>,
    /// Per cluster and attribute: sum of share times weight times coordinate.
    pub moments: Vec<f64>,
    /// Per cluster: shares by distance, spread over the knots of the tables, when asked for.
    pub by_distance: Vec<f64>,
}

impl Sums {
    fn new(mixture: &Mixture, per_attribute: bool, by_distance: bool) -> Self {
        let (k, dims) = (mixture.k(), mixture.dims);
        Self {
            ln_likelihood: 0.0,
            shares: vec![0.0; k],
            pulls: vec![0.0; if per_attribute { k * dims } else { k }],
            moments: vec![0.0; k * dims],
            by_distance: vec![0.0; if by_distance { k * (PIECES + 1) } else { 0 }],
        }
    }

    fn add(&mut self, other: &Self) {
        self.ln_likelihood += other.ln_likelihood;
        let mine = [&mut self.shares, &mut self.pulls, &mut self.moments, &mut self.by_distance];
        for (mine, others) in mine.into_iter().zip([&other.shares, &other.pulls, &other.moments, &other.by_distance]) {
            for (sum, part) in mine.iter_mut().zip(others) {
                *sum += part;
            }
        }
    }
}

/// Runs a pass over all reports.
pub(super) fn pass(points: &ReportPoints, mixture: &Mixture, tables: &Profiles, by_distance: bool) -> Sums {
    let tiles = points.tiles();
    let part = tiles.div_ceil(PARTS).max(LEAST_PART);
    let one = |number: usize| {
        let mut worker = Worker::new(mixture, tables, by_distance);
        for tile in number * part..((number + 1) * part).min(tiles) {
            worker.take(points.tile(tile), points.lanes_of(tile));
        }
        worker.finish()
    };
    // Handing out small parts costs more than they do.
    let count = tiles.div_ceil(part);
    let parts: Vec<Sums> = if tiles * mixture.k() * mixture.dims < ALONE {
        (0..count).map(one).collect()
    } else {
        (0..count).into_par_iter().map(one).collect()
    };
    let mut sums = Sums::new(mixture, tables.per_attribute, by_distance);
    for part in &parts {
        sums.add(part);
    }
    sums
}

type Lanes = [f32; LANES];

/// The buffers of one part.
struct Worker<'a> {
    tables: &'a Profiles,
    mixture: &'a Mixture,
    centres: Vec<f32>,
    ln_weights: Vec<f32>,
    /// Squared distances, per cluster, or per cluster and attribute.
    squared: Vec<Lanes>,
    /// Weights of the same.
    weights: Vec<Lanes>,
    /// Logarithms of weighted densities, then shares, per cluster.
    shares: Vec<Lanes>,
    small: Small,
    tiles_in_small: usize,
    sums: Sums,
}

/// Sums in single precision over a few tiles.
struct Small {
    shares: Vec<Lanes>,
    pulls: Vec<Lanes>,
    moments: Vec<Lanes>,
}

impl<'a> Worker<'a> {
    fn new(mixture: &'a Mixture, tables: &'a Profiles, by_distance: bool) -> Self {
        let (k, dims) = (mixture.k(), mixture.dims);
        let per_weight = if tables.per_attribute { k * dims } else { k };
        let zeros = |n: usize| vec![[0.0; LANES]; n];
        Self {
            tables,
            mixture,
            centres: mixture.centres.iter().map(|&x| x as f32).collect(),
            ln_weights: mixture.ln_weights.iter().map(|&x| x as f32).collect(),
            squared: zeros(per_weight),
            weights: zeros(per_weight),
            shares: zeros(k),
            small: Small { shares: zeros(k), pulls: zeros(per_weight), moments: zeros(k * dims) },
            tiles_in_small: 0,
            sums: Sums::new(mixture, tables.per_attribute, by_distance),
        }
    }

    fn take(&mut self, tile: &[f32], lanes: usize) {
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") {
                // SAFETY: the machine has just been asked.
                unsafe { self.take_avx2(tile, lanes) };
                return;
            }
        }
        self.take_anywhere(tile, lanes);
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    unsafe fn take_avx2(&mut self, tile: &[f32], lanes: usize) {
        self.take_anywhere(tile, lanes);
    }

    #[inline(always)]
    fn take_anywhere(&mut self, tile: &[f32], lanes: usize) {
        let (k, dims) = (self.mixture.k(), self.mixture.dims);
        let inverse_spacing = (1.0 / self.tables.spacing) as f32;
        let spacing = self.tables.spacing as f32;
        for j in 0..k {
            let pieces: &[[f32; 2]; PIECES] = self.tables.pieces[self.mixture.widths[j]].as_slice().try_into().unwrap();
            let centre = &self.centres[j * dims..(j + 1) * dims];
            let ln_weight = self.ln_weights[j];
            if self.tables.per_attribute {
                let mut ln_density = [ln_weight; LANES];
                for (i, (values, &m)) in tile.chunks_exact(LANES).zip(centre).enumerate() {
                    let mut squared = [0.0; LANES];
                    for (to, &x) in squared.iter_mut().zip(values) {
                        *to = (x - m) * (x - m);
                    }
                    let (ln_here, weight) = look_up(&squared, pieces, spacing, inverse_spacing);
                    for (sum, ln_here) in ln_density.iter_mut().zip(ln_here) {
                        *sum += ln_here;
                    }
                    self.squared[j * dims + i] = squared;
                    self.weights[j * dims + i] = weight;
                }
                self.shares[j] = ln_density;
            } else {
                let mut squared = [0.0; LANES];
                for (values, &m) in tile.chunks_exact(LANES).zip(centre) {
                    for (to, &x) in squared.iter_mut().zip(values) {
                        *to += (x - m) * (x - m);
                    }
                }
                let (mut ln_density, weight) = look_up(&squared, pieces, spacing, inverse_spacing);
                for ln_density in &mut ln_density {
                    *ln_density += ln_weight;
                }
                self.squared[j] = squared;
                self.weights[j] = weight;
                self.shares[j] = ln_density;
            }
        }
        self.sums.ln_likelihood += shares_of(&mut self.shares, lanes);
        self.add_up(tile);
        if !self.sums.by_distance.is_empty() {
            self.spread_by_distance();
        }
        self.tiles_in_small += 1;
        if self.tiles_in_small == FLUSH {
            self.flush();
        }
    }

    #[inline(always)]
    fn add_up(&mut self, tile: &[f32]) {
        let dims = self.mixture.dims;
        for (j, shares) in self.shares.iter().enumerate() {
            add(&mut self.small.shares[j], shares);
            if self.tables.per_attribute {
                for (i, values) in tile.chunks_exact(LANES).enumerate() {
                    let at = j * dims + i;
                    let pull = times(shares, &self.weights[at]);
                    add(&mut self.small.pulls[at], &pull);
                    for ((sum, pull), x) in self.small.moments[at].iter_mut().zip(pull).zip(values) {
                        *sum += pull * x;
                    }
                }
            } else {
                let pull = times(shares, &self.weights[j]);
                add(&mut self.small.pulls[j], &pull);
                for (moment, values) in self.small.moments[j * dims..].iter_mut().zip(tile.chunks_exact(LANES)) {
                    for ((sum, pull), x) in moment.iter_mut().zip(pull).zip(values) {
                        *sum += pull * x;
                    }
                }
            }
        }
    }

    /// Spreads each share over the two knots around its distance, in the proportions in which the table mixes their values:
    /// so the sum over knots is what the table gives, for every table on these knots.
    fn spread_by_distance(&mut self) {
        let per_cluster = self.squared.len() / self.mixture.k();
        let spacing = self.tables.spacing;
        for (j, shares) in self.shares.iter().enumerate() {
            let knots = &mut self.sums.by_distance[j * (PIECES + 1)..(j + 1) * (PIECES + 1)];
            for squared in &self.squared[j * per_cluster..(j + 1) * per_cluster] {
                for (&share, &squared) in shares.iter().zip(squared) {
                    if share < 1e-6 {
                        continue;
                    }
                    let squared = f64::from(squared);
                    let left = ((squared.sqrt() / spacing) as usize).min(PIECES - 1);
                    let (from, to) = ((left as f64 * spacing).powi(2), ((left + 1) as f64 * spacing).powi(2));
                    let right = (squared - from) / (to - from);
                    knots[left] += f64::from(share) * (1.0 - right);
                    knots[left + 1] += f64::from(share) * right;
                }
            }
        }
    }

    fn flush(&mut self) {
        let pairs = [
            (&mut self.small.shares, &mut self.sums.shares),
            (&mut self.small.pulls, &mut self.sums.pulls),
            (&mut self.small.moments, &mut self.sums.moments),
        ];
        for (small, sums) in pairs {
            for (lanes, sum) in small.iter_mut().zip(sums) {
                *sum += lanes.iter().map(|&x| f64::from(x)).sum::<f64>();
                *lanes = [0.0; LANES];
            }
        }
        self.tiles_in_small = 0;
    }

    fn finish(mut self) -> Sums {
        self.flush();
        self.sums
    }
}

#[inline(always)]
fn add(sums: &mut Lanes, values: &Lanes) {
    for (sum, value) in sums.iter_mut().zip(values) {
        *sum += value;
    }
}

#[inline(always)]
fn times(left: &Lanes, right: &Lanes) -> Lanes {
    let mut product = *left;
    for (product, right) in product.iter_mut().zip(right) {
        *product *= right;
    }
    product
}

/// The table's logarithm of the density, and the weight of a report: minus twice the slope.
#[inline(always)]
fn look_up(squared: &Lanes, pieces: &[[f32; 2]; PIECES], spacing: f32, inverse_spacing: f32) -> (Lanes, Lanes) {
    /// Added to a small number, leaves its nearest integer in the low bits.
    const ROUND: f32 = 8_388_608.0;
    let mut at = [0_u32; LANES];
    let mut left = [0.0; LANES];
    for lane in 0..LANES {
        let position = (squared[lane].sqrt() * inverse_spacing - 0.5).max(0.0).min((PIECES - 1) as f32) + ROUND;
        at[lane] = position.to_bits() & (PIECES as u32 - 1);
        left[lane] = (position - ROUND) * spacing;
    }
    let (mut ln_density, mut weight) = ([0.0; LANES], [0.0; LANES]);
    for lane in 0..LANES {
        let [value, slope] = pieces[at[lane] as usize];
        ln_density[lane] = value + slope * (squared[lane] - left[lane] * left[lane]);
        weight[lane] = -2.0 * slope;
    }
    (ln_density, weight)
}

/// Turns logarithms of weighted densities into shares that sum to one per report, zero for lanes beyond `lanes`, and returns
/// the sum of the logarithms of the mixture's densities.
#[inline(always)]
fn shares_of(shares: &mut [Lanes], lanes: usize) -> f64 {
    let mut largest = [f32::NEG_INFINITY; LANES];
    for logs in shares.iter() {
        for (largest, &log) in largest.iter_mut().zip(logs) {
            *largest = largest.max(log);
        }
    }
    let mut total = [0.0_f32; LANES];
    for logs in shares.iter_mut() {
        for ((log, largest), total) in logs.iter_mut().zip(largest).zip(&mut total) {
            *log = exp_of_negative(*log - largest);
            *total += *log;
        }
    }
    let mut inverse = [0.0; LANES];
    let mut sum = 0.0;
    for lane in 0..lanes {
        inverse[lane] = 1.0 / total[lane];
        sum += f64::from(largest[lane]) + f64::from(total[lane]).ln();
    }
    for logs in shares.iter_mut() {
        for (share, inverse) in logs.iter_mut().zip(inverse) {
            *share *= inverse;
        }
    }
    sum
}

/// e^x for x ≤ 0 within 2e-7 of itself, 0 below -87; no library call, so that sixteen go at once.
#[inline(always)]
fn exp_of_negative(x: f32) -> f32 {
    const ROUND: f32 = 12_582_912.0;
    let x = x.max(-87.0);
    let scaled = x * std::f32::consts::LOG2_E;
    let whole = scaled + ROUND;
    let power = whole - ROUND;
    // x − power·ln 2 in two steps, so that nothing is lost.
    let rest = (x - power * 0.693_359_4) - power * -2.121_944_4e-4;
    let mut polynomial = 1.987_569_2e-4;
    for coefficient in [1.398_199_9e-3, 8.333_452e-3, 4.166_579_6e-2, 0.166_666_66, 0.5] {
        polynomial = polynomial * rest + coefficient;
    }
    let mantissa = polynomial * rest * rest + rest + 1.0;
    let exponent = (whole.to_bits() << 23).wrapping_add(mantissa.to_bits());
    if x <= -87.0 { 0.0 } else { f32::from_bits(exponent) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exponential_of_negative_numbers() {
        for i in 0..200_000 {
            let x = -(i as f32) * 4.3e-4;
            let (found, truth) = (f64::from(exp_of_negative(x)), f64::from(x).exp());
            assert!((found / truth - 1.0).abs() < 2e-7, "e^{x}: {found}, not {truth}");
        }
        assert_eq!(exp_of_negative(0.0), 1.0);
        assert_eq!(exp_of_negative(-90.0), 0.0);
        assert_eq!(exp_of_negative(f32::NEG_INFINITY), 0.0);
    }
}
