//! One thread's share of a pass with one standard deviation per attribute: tiles of sixteen reports, in single precision
//! except for the sums. Inner loops count lanes and call nothing, as in `worker`.

#![allow(clippy::needless_range_loop)]

use crate::server::noise_aware::look_up::{Lanes, exp_of_negative};
use crate::server::noise_aware::pass::{Mixture, Sums};
use crate::server::noise_aware::scales::Scales;
use crate::server::noise_aware::word_pass::WordPass;
use crate::server::points::{LANES, ReportPoints};

/// Tiles after which sums in single precision go on to double precision.
const FLUSH: usize = 64;

/// The buffers of one part.
pub(super) struct ScaleWorker<'a> {
    mixture: &'a Mixture,
    centres: Vec<f32>,
    ln_weights: Vec<f32>,
    weights: Vec<f32>,
    floor: f32,
    /// Per node: logarithm of its density at the centre.
    ln_heights: Vec<f32>,
    /// Per node and attribute: 1/(u + s²), and minus half of it.
    precisions: Vec<f32>,
    minus_half: Vec<f32>,
    /// Squares of the distances to each centre, attribute by attribute.
    squares: Vec<Lanes>,
    /// Logarithms of weighted densities, then weighted densities: per cluster and node.
    parts: Vec<Lanes>,
    /// Per cluster: its weighted density, then its share.
    of_clusters: Vec<Lanes>,
    /// Per cluster: what turns the densities of its nodes into shares.
    factors: Vec<Lanes>,
    small: Small,
    tiles_in_small: usize,
    words: Option<WordPass<'a>>,
    sums: Sums,
}

/// Sums in single precision over a few tiles.
struct Small {
    shares: Vec<Lanes>,
    pulls: Vec<Lanes>,
    moments: Vec<Lanes>,
    by_node: Vec<Lanes>,
    squares: Vec<Lanes>,
}

impl<'a> ScaleWorker<'a> {
    pub fn new(points: &'a ReportPoints, mixture: &'a Mixture, scales: &Scales) -> Self {
        let (k, dims, count) = (mixture.k(), mixture.dims, scales.variances.len());
        let nodes = scales.with_records(&mixture.variances);
        let zeros = |n: usize| vec![[0.0; LANES]; n];
        let narrow = |values: &[f64]| values.iter().map(|&x| x as f32).collect::<Vec<f32>>();
        let sums = Sums {
            ln_likelihood: 0.0,
            shares: vec![0.0; k],
            pulls: vec![0.0; k * dims],
            moments: vec![0.0; k * dims],
            by_distance: Vec::new(),
            by_node: vec![0.0; count],
            squares: vec![0.0; count * dims],
            by_word: Vec::new(),
        };
        Self {
            mixture,
            centres: narrow(&mixture.centres),
            ln_weights: narrow(&mixture.ln_weights),
            weights: mixture.ln_weights.iter().map(|&x| libm::exp(x) as f32).collect(),
            floor: scales.floor as f32,
            ln_heights: narrow(&nodes.ln_heights),
            minus_half: nodes.precisions.iter().map(|&x| (-0.5 * x) as f32).collect(),
            precisions: narrow(&nodes.precisions),
            squares: zeros(k * dims),
            parts: zeros(k * count),
            of_clusters: zeros(k),
            factors: zeros(k),
            small: Small {
                shares: zeros(k),
                pulls: zeros(k * dims),
                moments: zeros(k * dims),
                by_node: zeros(count),
                squares: zeros(count * dims),
            },
            tiles_in_small: 0,
            words: WordPass::new(points, mixture),
            sums,
        }
    }

    /// Takes one tile.
    #[inline(always)]
    pub fn take(&mut self, points: &ReportPoints, tile: usize) {
        let cells = points.tile_lanes(tile..tile + 1);
        if let Some(words) = &mut self.words {
            words.take(tile);
        }
        let largest = self.densities(cells);
        self.share_out(largest, points.lanes_of(tile));
        if let Some(words) = &mut self.words {
            for j in 0..self.mixture.k() {
                words.add(tile, j, &self.of_clusters[j]);
            }
        }
        self.add_up(cells);
        self.tiles_in_small += 1;
        if self.tiles_in_small >= FLUSH {
            self.flush();
        }
    }

    /// Logarithms of weighted densities by cluster and node, and the largest of them for each report.
    #[inline(always)]
    fn densities(&mut self, cells: &[Lanes]) -> Lanes {
        let (k, dims, count) = (self.mixture.k(), self.mixture.dims, self.ln_heights.len());
        let mut largest = [self.floor; LANES];
        if let Some(words) = &self.words {
            add(&mut largest, &words.largest);
        }
        for j in 0..k {
            let squares = &mut self.squares[j * dims..(j + 1) * dims];
            let centre = &self.centres[j * dims..(j + 1) * dims];
            for i in 0..dims {
                for lane in 0..LANES {
                    let apart = cells[i][lane] - centre[i];
                    squares[i][lane] = apart * apart;
                }
            }
            let parts = &mut self.parts[j * count..(j + 1) * count];
            for q in 0..count {
                let mut log = [self.ln_heights[q] + self.ln_weights[j]; LANES];
                if let Some(words) = &self.words {
                    add(&mut log, &words.logs[j]);
                }
                let minus_half = &self.minus_half[q * dims..(q + 1) * dims];
                for i in 0..dims {
                    let (factor, squares) = (minus_half[i], &squares[i]);
                    for lane in 0..LANES {
                        log[lane] += factor * squares[lane];
                    }
                }
                for lane in 0..LANES {
                    largest[lane] = if log[lane] > largest[lane] { log[lane] } else { largest[lane] };
                }
                parts[q] = log;
            }
        }
        largest
    }

    /// Turns logarithms into densities, finds the clusters' shares of each report, zero for lanes beyond `lanes`, and adds up
    /// the logarithms of the mixture's densities. A cluster whose density has ended its decay keeps its share and loses its nodes: such a
    /// report pulls at nothing.
    #[inline(always)]
    fn share_out(&mut self, mut largest: Lanes, lanes: usize) {
        let (k, count) = (self.mixture.k(), self.ln_heights.len());
        let floor_below = |words: Option<&Lanes>| {
            let mut floor = [0.0; LANES];
            for lane in 0..LANES {
                let of_words = words.map_or(0.0, |words| words[lane]);
                floor[lane] = exp_of_negative(self.floor + of_words - largest[lane]);
            }
            floor
        };
        let mut floor = floor_below(None);
        let mut total = [0.0_f32; LANES];
        for j in 0..k {
            let parts = &mut self.parts[j * count..(j + 1) * count];
            let mut sum = [0.0_f32; LANES];
            for q in 0..count {
                for lane in 0..LANES {
                    let part = exp_of_negative(parts[q][lane] - largest[lane]);
                    parts[q][lane] = part;
                    sum[lane] += part;
                }
            }
            if let Some(words) = &self.words {
                floor = floor_below(Some(&words.logs[j]));
            }
            let weight = self.weights[j];
            let factors = &mut self.factors[j];
            for lane in 0..LANES {
                let least = floor[lane] * weight;
                factors[lane] = if sum[lane] >= least { 1.0 } else { 0.0 };
                sum[lane] = if sum[lane] >= least { sum[lane] } else { least };
                total[lane] += sum[lane];
            }
            self.of_clusters[j] = sum;
        }
        let mut inverse = [0.0; LANES];
        for lane in 0..LANES {
            inverse[lane] = 1.0 / total[lane];
        }
        for lane in lanes..LANES {
            (largest[lane], total[lane], inverse[lane]) = (0.0, 1.0, 0.0);
        }
        for j in 0..k {
            let (shares, factors) = (&mut self.of_clusters[j], &mut self.factors[j]);
            for lane in 0..LANES {
                shares[lane] *= inverse[lane];
                factors[lane] *= inverse[lane];
            }
        }
        // Doubles: totals lie between the smallest share and the number of nodes, and sixteen of them are multiplied.
        let mut product = 1.0;
        for lane in 0..LANES {
            self.sums.ln_likelihood += f64::from(largest[lane]);
            product *= f64::from(total[lane]);
        }
        self.sums.ln_likelihood += libm::log(product);
    }

    #[inline(always)]
    fn add_up(&mut self, cells: &[Lanes]) {
        let (k, dims, count) = (self.mixture.k(), self.mixture.dims, self.ln_heights.len());
        for j in 0..k {
            add(&mut self.small.shares[j], &self.of_clusters[j]);
            let factors = &self.factors[j];
            let parts = &mut self.parts[j * count..(j + 1) * count];
            for q in 0..count {
                let (part, sums) = (&mut parts[q], &mut self.small.by_node[q]);
                for lane in 0..LANES {
                    part[lane] *= factors[lane];
                    sums[lane] += part[lane];
                }
            }
            let squares = &self.squares[j * dims..(j + 1) * dims];
            for i in 0..dims {
                let squares = &squares[i];
                let mut pull = [0.0_f32; LANES];
                for q in 0..count {
                    let precision = self.precisions[q * dims + i];
                    let (part, sums) = (&parts[q], &mut self.small.squares[q * dims + i]);
                    for lane in 0..LANES {
                        pull[lane] += part[lane] * precision;
                        sums[lane] += part[lane] * squares[lane];
                    }
                }
                let (pulls, moments) = (&mut self.small.pulls[j * dims + i], &mut self.small.moments[j * dims + i]);
                for lane in 0..LANES {
                    pulls[lane] += pull[lane];
                    moments[lane] += pull[lane] * cells[i][lane];
                }
            }
        }
    }

    fn flush(&mut self) {
        let pairs = [
            (&mut self.small.shares, &mut self.sums.shares),
            (&mut self.small.pulls, &mut self.sums.pulls),
            (&mut self.small.moments, &mut self.sums.moments),
            (&mut self.small.by_node, &mut self.sums.by_node),
            (&mut self.small.squares, &mut self.sums.squares),
        ];
        for (small, sums) in pairs {
            for (lanes, sum) in small.iter_mut().zip(sums) {
                *sum += lanes.iter().map(|&x| f64::from(x)).sum::<f64>();
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
