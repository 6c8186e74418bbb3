//! One thread's share of a pass: a few tiles of sixteen reports at a time, in single precision except for the sums.
//!
//! Tiles are taken in groups, so that a sum is fetched and stored once for all of them; groups are small enough for what is
//! kept of them, and the table, to stay in the first-level cache. Inner loops count lanes and call nothing: iterators are
//! functions of their own, which are compiled without AVX2 unless they happen to be inlined.

#![allow(clippy::needless_range_loop)]

use std::ops::Range;

use crate::server::noise_aware::look_up::{Fetch, Lanes, Pieces, exp_of_negative, look_up};
use crate::server::noise_aware::pass::{ByDistance, Mixture, Sums};
use crate::server::noise_aware::profile::{PIECES, Profiles};
use crate::server::noise_aware::word_pass::WordPass;
use crate::server::points::{LANES, ReportPoints};

/// Tiles of a group, at most; a power of two.
const GROUP: usize = 4;

/// Clusters times tiles of a group, at most.
const GROUP_CELLS: usize = 64;

/// Tiles after which sums in single precision go on to double precision.
const FLUSH: usize = 64;

/// Shares below which sixteen reports are left out of the sums by distance.
const NEGLIGIBLE: f32 = 1e-6;

/// The buffers of one part.
pub(super) struct Worker<'a> {
    tables: &'a Profiles,
    mixture: &'a Mixture,
    by_distance: ByDistance,
    group: usize,
    centres: Vec<f32>,
    ln_weights: Vec<f32>,
    /// Logarithms of weighted densities, then shares: per cluster and tile.
    shares: Vec<Lanes>,
    /// Slopes of the tables, per cluster (and attribute) and tile.
    slopes: Vec<Lanes>,
    /// Pieces of the tables and how far into them, in the same order, when sums by distance are asked for.
    places: Vec<([u32; LANES], Lanes)>,
    small: Small,
    tiles_in_small: usize,
    words: Option<WordPass<'a>>,
    sums: Sums,
}

/// Sums in single precision over a few tiles. Pulls and moments are those of slopes, not yet of weights.
struct Small {
    shares: Vec<Lanes>,
    pulls: Vec<Lanes>,
    moments: Vec<Lanes>,
}

impl<'a> Worker<'a> {
    pub fn new(points: &'a ReportPoints, mixture: &'a Mixture, tables: &'a Profiles, by_distance: ByDistance) -> Self {
        let (k, dims) = (mixture.k(), mixture.dims);
        let per_weight = if tables.per_attribute { k * dims } else { k };
        let mut group = GROUP;
        while group > 1 && group * per_weight > GROUP_CELLS {
            group /= 2;
        }
        let zeros = |n: usize| vec![[0.0; LANES]; n];
        let places = if by_distance == ByDistance::No { 0 } else { per_weight * group };
        Self {
            tables,
            mixture,
            by_distance,
            group,
            centres: mixture.centres.iter().map(|&x| x as f32).collect(),
            ln_weights: mixture.ln_weights.iter().map(|&x| x as f32).collect(),
            shares: zeros(k * group),
            slopes: zeros(per_weight * group),
            places: vec![([0; LANES], [0.0; LANES]); places],
            small: Small { shares: zeros(k), pulls: zeros(per_weight), moments: zeros(k * dims) },
            tiles_in_small: 0,
            words: WordPass::new(points, mixture),
            sums: Sums::new(mixture, tables.per_attribute, by_distance),
        }
    }

    /// Tiles of a group.
    pub fn group(&self) -> usize {
        self.group
    }

    /// Takes a group of tiles, or what is left of one.
    #[inline(always)]
    pub fn take<F: Fetch>(&mut self, points: &ReportPoints, tiles: Range<usize>) {
        let dims = self.mixture.dims;
        let cells = points.tile_lanes(tiles.clone());
        for number in 0..tiles.len() {
            let tile = &cells[number * dims..(number + 1) * dims];
            if let Some(words) = &mut self.words {
                words.take(tiles.start + number);
            }
            if self.tables.per_attribute {
                self.densities_per_attribute::<F>(number, tile);
            } else {
                self.densities::<F>(number, tile);
            }
            self.share_out(number, points.lanes_of(tiles.start + number));
            if let Some(words) = &mut self.words {
                for j in 0..self.mixture.k() {
                    words.add(tiles.start + number, j, &self.shares[j * self.group + number]);
                }
            }
        }
        self.add_up(cells, tiles.len());
        if self.by_distance != ByDistance::No {
            self.add_up_by_distance(tiles.len());
        }
        self.tiles_in_small += tiles.len();
        if self.tiles_in_small >= FLUSH {
            self.flush();
        }
    }

    fn pieces(&self, cluster: usize, attribute: usize) -> &'a Pieces {
        let width = self.mixture.widths[cluster * self.mixture.dims + attribute];
        // Unwrap safety: every table has as many pieces.
        self.tables.pieces[width].as_slice().try_into().unwrap()
    }

    fn spacing(&self) -> (f32, f32) {
        (self.tables.spacing as f32, (1.0 / self.tables.spacing) as f32)
    }

    #[inline(always)]
    fn densities<F: Fetch>(&mut self, number: usize, tile: &[Lanes]) {
        let dims = self.mixture.dims;
        let spacing = self.spacing();
        for j in 0..self.mixture.k() {
            let centre = &self.centres[j * dims..(j + 1) * dims];
            let mut squared = [0.0; LANES];
            for i in 0..dims {
                let (values, m) = (&tile[i], centre[i]);
                for lane in 0..LANES {
                    let apart = values[lane] - m;
                    squared[lane] += apart * apart;
                }
            }
            let mut distance = squared;
            for lane in 0..LANES {
                distance[lane] = distance[lane].sqrt();
            }
            let mut found = look_up::<F>(&distance, &squared, self.pieces(j, 0), spacing);
            let ln_weight = self.ln_weights[j];
            for lane in 0..LANES {
                found.ln_density[lane] += ln_weight;
            }
            if let Some(words) = &self.words {
                add(&mut found.ln_density, &words.logs[j]);
            }
            let at = j * self.group + number;
            self.shares[at] = found.ln_density;
            self.slopes[at] = found.slope;
            if self.by_distance != ByDistance::No {
                self.places[at] = (found.at, found.excess);
            }
        }
    }

    #[inline(always)]
    fn densities_per_attribute<F: Fetch>(&mut self, number: usize, tile: &[Lanes]) {
        let dims = self.mixture.dims;
        let spacing = self.spacing();
        for j in 0..self.mixture.k() {
            let centre = &self.centres[j * dims..(j + 1) * dims];
            let mut ln_density = [self.ln_weights[j]; LANES];
            for i in 0..dims {
                let (values, m) = (&tile[i], centre[i]);
                let (mut distance, mut squared) = ([0.0; LANES], [0.0; LANES]);
                for lane in 0..LANES {
                    distance[lane] = (values[lane] - m).abs();
                    squared[lane] = distance[lane] * distance[lane];
                }
                let found = look_up::<F>(&distance, &squared, self.pieces(j, i), spacing);
                add(&mut ln_density, &found.ln_density);
                let at = (j * dims + i) * self.group + number;
                self.slopes[at] = found.slope;
                if self.by_distance != ByDistance::No {
                    self.places[at] = (found.at, found.excess);
                }
            }
            if let Some(words) = &self.words {
                add(&mut ln_density, &words.logs[j]);
            }
            self.shares[j * self.group + number] = ln_density;
        }
    }

    /// Turns logarithms of weighted densities into shares that sum to one per report, zero for lanes beyond `lanes`, and adds
    /// up the logarithms of the mixture's densities.
    #[inline(always)]
    fn share_out(&mut self, number: usize, lanes: usize) {
        let (k, group) = (self.mixture.k(), self.group);
        let mut largest = [f32::NEG_INFINITY; LANES];
        for j in 0..k {
            let logs = &self.shares[j * group + number];
            for lane in 0..LANES {
                largest[lane] = if logs[lane] > largest[lane] { logs[lane] } else { largest[lane] };
            }
        }
        let mut total = [0.0_f32; LANES];
        for j in 0..k {
            let logs = &mut self.shares[j * group + number];
            for lane in 0..LANES {
                let part = exp_of_negative(logs[lane] - largest[lane]);
                logs[lane] = part;
                total[lane] += part;
            }
        }
        let mut inverse = [0.0; LANES];
        for lane in 0..LANES {
            inverse[lane] = 1.0 / total[lane];
        }
        for lane in lanes..LANES {
            (largest[lane], total[lane], inverse[lane]) = (0.0, 1.0, 0.0);
        }
        for j in 0..k {
            let shares = &mut self.shares[j * group + number];
            for lane in 0..LANES {
                shares[lane] *= inverse[lane];
            }
        }
        // One logarithm for sixteen reports: totals lie between 1 and k, so their product is far from overflowing.
        self.sums.ln_likelihood += sum(&largest) + libm::log(product(&total));
    }

    #[inline(always)]
    fn add_up(&mut self, cells: &[Lanes], count: usize) {
        let (k, dims, group) = (self.mixture.k(), self.mixture.dims, self.group);
        for j in 0..k {
            let shares = &self.shares[j * group..j * group + count];
            for number in 0..count {
                add(&mut self.small.shares[j], &shares[number]);
            }
            if self.tables.per_attribute {
                for i in 0..dims {
                    let at = j * dims + i;
                    let (pull, moment) = (&mut self.small.pulls[at], &mut self.small.moments[at]);
                    for number in 0..count {
                        let shares = &shares[number];
                        let slopes = &self.slopes[at * group + number];
                        let values = &cells[number * dims + i];
                        for lane in 0..LANES {
                            let pulled = shares[lane] * slopes[lane];
                            pull[lane] += pulled;
                            moment[lane] += pulled * values[lane];
                        }
                    }
                }
            } else {
                let mut pulls = [[0.0; LANES]; GROUP];
                for number in 0..count {
                    let slopes = &self.slopes[j * group + number];
                    for lane in 0..LANES {
                        pulls[number][lane] = shares[number][lane] * slopes[lane];
                    }
                    add(&mut self.small.pulls[j], &pulls[number]);
                }
                for i in 0..dims {
                    let mut sum = self.small.moments[j * dims + i];
                    for number in 0..count {
                        let values = &cells[number * dims + i];
                        for lane in 0..LANES {
                            sum[lane] += pulls[number][lane] * values[lane];
                        }
                    }
                    self.small.moments[j * dims + i] = sum;
                }
            }
        }
    }

    #[inline(always)]
    fn add_up_by_distance(&mut self, count: usize) {
        let per_cluster = self.slopes.len() / self.shares.len();
        for j in 0..self.mixture.k() {
            for number in 0..count {
                let shares = &self.shares[j * self.group + number];
                let mut most = [0.0_f32; LANES];
                for half in [8, 4, 2, 1] {
                    let from = if half == 8 { *shares } else { most };
                    for lane in 0..half {
                        let (left, right) = (from[lane], from[lane + half]);
                        most[lane] = if left > right { left } else { right };
                    }
                }
                if most[0] < NEGLIGIBLE {
                    continue;
                }
                for i in 0..per_cluster {
                    let of = match self.by_distance {
                        ByDistance::PerCluster => j,
                        ByDistance::PerAttribute => i,
                        _ => 0,
                    };
                    let histogram = &mut self.sums.by_distance[of * PIECES..(of + 1) * PIECES];
                    let (at, excess) = &self.places[(j * per_cluster + i) * self.group + number];
                    for lane in 0..LANES {
                        let [sum, into] = &mut histogram[at[lane] as usize & (PIECES - 1)];
                        *sum += f64::from(shares[lane]);
                        *into += f64::from(shares[lane] * excess[lane]);
                    }
                }
            }
        }
    }

    fn flush(&mut self) {
        // A weight is minus twice the slope.
        let pairs = [
            (&mut self.small.shares, &mut self.sums.shares, 1.0),
            (&mut self.small.pulls, &mut self.sums.pulls, -2.0),
            (&mut self.small.moments, &mut self.sums.moments, -2.0),
        ];
        for (small, sums, factor) in pairs {
            for (lanes, sum) in small.iter_mut().zip(sums) {
                *sum += factor * self::sum(lanes);
                *lanes = [0.0; LANES];
            }
        }
        self.tiles_in_small = 0;
    }

    pub fn finish(mut self) -> Sums {
        self.flush();
        self.sums.by_word = self.words.map_or_else(Vec::new, WordPass::finish);
        self.sums
    }
}

#[inline(always)]
fn add(sums: &mut Lanes, values: &Lanes) {
    for lane in 0..LANES {
        sums[lane] += values[lane];
    }
}

/// The sum of sixteen numbers in double precision, half by half.
#[inline(always)]
fn sum(lanes: &Lanes) -> f64 {
    let mut wide = [0.0; LANES / 2];
    for lane in 0..LANES / 2 {
        wide[lane] = f64::from(lanes[lane]) + f64::from(lanes[lane + LANES / 2]);
    }
    ((wide[0] + wide[4]) + (wide[2] + wide[6])) + ((wide[1] + wide[5]) + (wide[3] + wide[7]))
}

/// Their product.
#[inline(always)]
fn product(lanes: &Lanes) -> f64 {
    let mut wide = [0.0; LANES / 2];
    for lane in 0..LANES / 2 {
        wide[lane] = f64::from(lanes[lane]) * f64::from(lanes[lane + LANES / 2]);
    }
    ((wide[0] * wide[4]) * (wide[2] * wide[6])) * ((wide[1] * wide[5]) * (wide[3] * wide[7]))
}
