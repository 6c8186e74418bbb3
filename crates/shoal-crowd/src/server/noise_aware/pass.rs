//! One pass over the reports: how likely they are, which cluster each belongs to, and where it pulls the centre.
//!
//! The reports are cut into parts that do not depend on the number of threads, and the sums of the parts are added in
//! order; see `worker` for what happens within one. There is no fused arithmetic and the order of every sum is fixed, so
//! that machines and thread counts give the same numbers.

use std::ops::Range;

use rayon::prelude::*;

#[cfg(target_arch = "x86_64")]
use crate::server::noise_aware::look_up::Avx2;
use crate::server::noise_aware::look_up::{Fetch, Portable};
use crate::server::noise_aware::profile::{PIECES, Profiles};
use crate::server::noise_aware::scale_worker::ScaleWorker;
use crate::server::noise_aware::scales::Scales;
use crate::server::noise_aware::worker::Worker;
use crate::server::points::ReportPoints;

/// Parts that the reports are cut into, at most.
const PARTS: usize = 64;

/// Tiles of a part, at least: enough for adding up its sums to cost nothing in comparison.
const LEAST_PART: usize = 256;

/// Work, in tiles times clusters times attributes, that one thread does alone.
const ALONE: usize = 100_000;

/// Clusters of reports: centres in widths of the box, logarithms of weights, and how far records are spread.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Mixture {
    pub dims: usize,
    pub centres: Vec<f64>,
    pub ln_weights: Vec<f64>,
    /// Per cluster and attribute: the number of its standard deviation in [`Profiles`]; empty with [`Density::Scales`].
    pub widths: Vec<usize>,
    /// Per attribute: the variance of records about their centre, with [`Density::Scales`]; else empty.
    pub variances: Vec<f64>,
    /// Per cluster: the share of each outcome of the columns of words; empty where reports have none.
    pub levels: Vec<f64>,
}

impl Mixture {
    pub fn k(&self) -> usize {
        self.ln_weights.len()
    }
}

/// How likely a report is, given the centre of its cluster.
#[derive(Clone, Debug)]
pub(super) enum Density {
    /// By distance, or attribute by attribute, from a table.
    Tables(Profiles),
    /// One standard deviation per attribute under radial noise: a mixture of Gaussians.
    Scales(Scales),
}

impl Density {
    /// Whether sums of weights are kept for each attribute of a centre.
    pub fn per_attribute(&self) -> bool {
        match self {
            Self::Tables(tables) => tables.per_attribute,
            Self::Scales(_) => true,
        }
    }
}

/// Whose shares are added up by distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ByDistance {
    /// Nobody's.
    No,
    /// All clusters' together.
    Together,
    /// Each cluster's.
    PerCluster,
    /// Those of each attribute, where distances are taken attribute by attribute.
    PerAttribute,
}

/// What a pass adds up.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sums {
    /// Sum over reports of the logarithm of the mixture's density, up to the law's constant.
    pub ln_likelihood: f64,
    /// Per cluster: the sum of its shares of reports.
    pub shares: Vec<f64>,
    /// Per cluster (and attribute, when the law is per attribute): sum of share times weight.
    pub pulls: Vec<f64>,
    /// Per cluster and attribute: sum of share times weight times coordinate.
    pub moments: Vec<f64>,
    /// Per piece of the tables, when asked for: the sum of shares, and of shares times how far into the piece the
    /// squared distance is.
    pub by_distance: Vec<[f64; 2]>,
    /// Per node of [`Density::Scales`]: the sum of shares.
    pub by_node: Vec<f64>,
    /// Per node and attribute: the sum of shares times squared distance from the centre.
    pub squares: Vec<f64>,
    /// Per cluster and outcome of the columns of words: the sum of shares.
    pub by_word: Vec<f64>,
}

impl Sums {
    pub fn new(mixture: &Mixture, per_attribute: bool, by_distance: ByDistance) -> Self {
        let (k, dims) = (mixture.k(), mixture.dims);
        let histograms = match by_distance {
            ByDistance::No => 0,
            ByDistance::Together => 1,
            ByDistance::PerCluster => k,
            ByDistance::PerAttribute => dims,
        };
        Self {
            ln_likelihood: 0.0,
            shares: vec![0.0; k],
            pulls: vec![0.0; if per_attribute { k * dims } else { k }],
            moments: vec![0.0; k * dims],
            by_distance: vec![[0.0; 2]; histograms * PIECES],
            by_node: Vec::new(),
            squares: Vec::new(),
            by_word: Vec::new(),
        }
    }

    fn add(&mut self, other: &Self) {
        self.ln_likelihood += other.ln_likelihood;
        let by_distance = (self.by_distance.as_flattened_mut(), other.by_distance.as_flattened());
        for (mine, others) in [
            (&mut self.shares[..], &other.shares[..]),
            (&mut self.pulls, &other.pulls),
            (&mut self.moments, &other.moments),
            (&mut self.by_node, &other.by_node),
            (&mut self.squares, &other.squares),
            (&mut self.by_word, &other.by_word),
            by_distance,
        ] {
            for (sum, part) in mine.iter_mut().zip(others) {
                *sum += part;
            }
        }
    }

    /// Spreads the shares in each piece over the two knots around it, in the proportions in which a table mixes their
    /// values: so the sum over knots is what the table gives, for every table on these knots. One list for all clusters
    /// or for each.
    pub fn knots(&self, spacing: f64) -> Vec<Vec<f64>> {
        let spread = |pieces: &[[f64; 2]]| {
            let mut knots = vec![0.0; PIECES + 1];
            for (i, [shares, excess]) in pieces.iter().enumerate() {
                let right = excess / ((2 * i + 1) as f64 * spacing * spacing);
                knots[i] += shares - right;
                knots[i + 1] += right;
            }
            knots
        };
        self.by_distance.chunks_exact(PIECES).map(spread).collect()
    }
}

/// Runs a pass over all reports.
pub(super) fn pass(points: &ReportPoints, mixture: &Mixture, density: &Density, by_distance: ByDistance) -> Sums {
    match density {
        Density::Tables(tables) => table_pass(points, mixture, tables, by_distance),
        Density::Scales(scales) => {
            let avx2 = has_avx2();
            in_parts(points, mixture, |tiles| {
                let mut worker = ScaleWorker::new(points, mixture, scales);
                if avx2 {
                    scales_avx2(points, tiles, &mut worker)
                } else {
                    scales_part(points, tiles, &mut worker)
                }
                worker.finish()
            })
        }
    }
}

fn has_avx2() -> bool {
    #[cfg(target_arch = "x86_64")]
    return is_x86_feature_detected!("avx2");
    #[cfg(not(target_arch = "x86_64"))]
    false
}

fn table_pass(points: &ReportPoints, mixture: &Mixture, tables: &Profiles, by_distance: ByDistance) -> Sums {
    #[cfg(target_arch = "x86_64")]
    if has_avx2() {
        return table_parts(points, mixture, tables, by_distance, part_avx2);
    }
    table_parts(points, mixture, tables, by_distance, part::<Portable>)
}

type Part = fn(&ReportPoints, Range<usize>, &mut Worker);

fn table_parts(
    points: &ReportPoints,
    mixture: &Mixture,
    tables: &Profiles,
    by_distance: ByDistance,
    part: Part,
) -> Sums {
    in_parts(points, mixture, |tiles| {
        let mut worker = Worker::new(points, mixture, tables, by_distance);
        part(points, tiles, &mut worker);
        worker.finish()
    })
}

/// The sums of all parts, added in order.
fn in_parts(points: &ReportPoints, mixture: &Mixture, part: impl Fn(Range<usize>) -> Sums + Sync) -> Sums {
    let tiles = points.tiles();
    // Whole groups of tiles.
    let length = tiles.div_ceil(PARTS).max(LEAST_PART).next_multiple_of(4);
    let one = |number: usize| part(number * length..((number + 1) * length).min(tiles));
    // Handing out small parts costs more than they do.
    let count = tiles.div_ceil(length);
    let parts: Vec<Sums> = if tiles * mixture.k() * mixture.dims < ALONE {
        (0..count).map(one).collect()
    } else {
        (0..count).into_par_iter().map(one).collect()
    };
    let mut parts = parts.into_iter();
    // Unwrap safety: there are reports, so there is a part.
    let mut sums = parts.next().unwrap();
    for part in parts {
        sums.add(&part);
    }
    sums
}

#[inline(always)]
fn part<F: Fetch>(points: &ReportPoints, tiles: Range<usize>, worker: &mut Worker) {
    for first in tiles.clone().step_by(worker.group()) {
        worker.take::<F>(points, first..(first + worker.group()).min(tiles.end));
    }
}

#[inline(always)]
fn scales_part(points: &ReportPoints, tiles: Range<usize>, worker: &mut ScaleWorker) {
    for tile in tiles {
        worker.take(points, tile);
    }
}

#[cfg(target_arch = "x86_64")]
fn part_avx2(points: &ReportPoints, tiles: Range<usize>, worker: &mut Worker) {
    #[target_feature(enable = "avx2")]
    fn compiled(points: &ReportPoints, tiles: Range<usize>, worker: &mut Worker) {
        part::<Avx2>(points, tiles, worker);
    }
    // SAFETY: `table_pass` has asked the machine.
    unsafe { compiled(points, tiles, worker) }
}

#[cfg(target_arch = "x86_64")]
fn scales_avx2(points: &ReportPoints, tiles: Range<usize>, worker: &mut ScaleWorker) {
    #[target_feature(enable = "avx2")]
    fn compiled(points: &ReportPoints, tiles: Range<usize>, worker: &mut ScaleWorker) {
        scales_part(points, tiles, worker);
    }
    // SAFETY: `pass` has asked the machine.
    unsafe { compiled(points, tiles, worker) }
}

#[cfg(not(target_arch = "x86_64"))]
fn scales_avx2(points: &ReportPoints, tiles: Range<usize>, worker: &mut ScaleWorker) {
    scales_part(points, tiles, worker);
}

#[cfg(test)]
#[path = "pass_tests.rs"]
mod tests;
