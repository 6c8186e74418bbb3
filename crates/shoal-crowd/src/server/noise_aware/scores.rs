//! The scores of one report after another: gradients of the logarithm of its density, in double precision.

use crate::server::noise_aware::pass::Mixture;
use crate::server::noise_aware::profile::{PIECES, Profiles};
use crate::server::noise_aware::scales::{Nodes, Scales};

/// Scores: for each centre and attribute, then for the logarithm of each share, then of each variance where those are fitted.
pub(super) trait Scores {
    /// The scores of a report; `words` are the logarithms of the probabilities of its words under each cluster, or nothing.
    fn of(&mut self, report: &[f64], words: &[f64]) -> &[f64];
}

/// Scores of densities from tables.
pub(super) struct TableScores<'a> {
    mixture: &'a Mixture,
    tables: &'a Profiles,
    weights: Vec<f64>,
    values: Vec<f64>,
    logs: Vec<f64>,
}

impl<'a> TableScores<'a> {
    pub fn new(mixture: &'a Mixture, tables: &'a Profiles) -> Self {
        let (k, dims) = (mixture.k(), mixture.dims);
        let weights = mixture.ln_weights.iter().map(|&ln_weight| libm::exp(ln_weight)).collect();
        Self { mixture, tables, weights, values: vec![0.0; k * dims + k], logs: vec![0.0; k] }
    }
}

impl Scores for TableScores<'_> {
    fn of(&mut self, report: &[f64], words: &[f64]) -> &[f64] {
        let (k, dims) = (self.mixture.k(), self.mixture.dims);
        for j in 0..k {
            let centre = &self.mixture.centres[j * dims..(j + 1) * dims];
            let gradient = &mut self.values[j * dims..(j + 1) * dims];
            let of_words = words.get(j).copied().unwrap_or(0.0);
            let mut log = self.mixture.ln_weights[j] + of_words;
            if self.tables.per_attribute {
                for (i, to) in gradient.iter_mut().enumerate() {
                    let apart = report[i] - centre[i];
                    let (value, weight) = at((self.tables, self.mixture.widths[j * dims + i]), apart * apart);
                    log += value;
                    *to = weight * apart;
                }
            } else {
                let squared = report.iter().zip(centre).map(|(x, m)| (x - m).powi(2)).sum();
                let (value, weight) = at((self.tables, self.mixture.widths[j * dims]), squared);
                log += value;
                for (i, to) in gradient.iter_mut().enumerate() {
                    *to = weight * (report[i] - centre[i]);
                }
            }
            self.logs[j] = log;
        }
        let largest = self.logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let total: f64 = self.logs.iter().map(|log| libm::exp(log - largest)).sum();
        for j in 0..k {
            let share = libm::exp(self.logs[j] - largest) / total;
            for to in &mut self.values[j * dims..(j + 1) * dims] {
                *to *= share;
            }
            self.values[k * dims + j] = share - self.weights[j];
        }
        &self.values
    }
}

/// The table's value at a squared distance, and minus twice its slope there.
fn at((tables, width): (&Profiles, usize), squared: f64) -> (f64, f64) {
    let piece = ((squared.sqrt() / tables.spacing) as usize).min(PIECES - 1);
    let [value, slope] = tables.pieces[width][piece];
    let left = piece as f64 * tables.spacing;
    (f64::from(value) + f64::from(slope) * (squared - left * left), -2.0 * f64::from(slope))
}

/// Scores with one standard deviation per attribute.
pub(super) struct ScaleScores<'a> {
    mixture: &'a Mixture,
    nodes: Nodes,
    floor: f64,
    weights: Vec<f64>,
    values: Vec<f64>,
    parts: Vec<f64>,
}

impl<'a> ScaleScores<'a> {
    pub fn new(mixture: &'a Mixture, scales: &'a Scales) -> Self {
        let (k, dims) = (mixture.k(), mixture.dims);
        Self {
            mixture,
            nodes: scales.with_records(&mixture.variances),
            floor: scales.floor,
            weights: mixture.ln_weights.iter().map(|&ln_weight| libm::exp(ln_weight)).collect(),
            values: vec![0.0; k * dims + k + dims],
            parts: vec![0.0; k * scales.variances.len()],
        }
    }
}

impl Scores for ScaleScores<'_> {
    fn of(&mut self, report: &[f64], words: &[f64]) -> &[f64] {
        let (k, dims, count) = (self.mixture.k(), self.mixture.dims, self.nodes.ln_heights.len());
        let precision = |q: usize, i: usize| self.nodes.precisions[q * dims + i];
        let of_words = |j: usize| words.get(j).copied().unwrap_or(0.0);
        let mut largest = self.floor + (0..k).map(of_words).fold(f64::NEG_INFINITY, f64::max);
        for j in 0..k {
            for q in 0..count {
                let mut log = self.nodes.ln_heights[q] + self.mixture.ln_weights[j] + of_words(j);
                for (i, x) in report.iter().enumerate() {
                    log -= 0.5 * (x - self.mixture.centres[j * dims + i]).powi(2) * precision(q, i);
                }
                self.parts[j * count + q] = log;
                largest = largest.max(log);
            }
        }
        let mut shares = vec![0.0; k];
        for (j, share) in shares.iter_mut().enumerate() {
            let parts = &mut self.parts[j * count..(j + 1) * count];
            parts.iter_mut().for_each(|part| *part = libm::exp(*part - largest));
            *share = parts.iter().sum();
            let least = libm::exp(self.floor + of_words(j) - largest) * self.weights[j];
            if *share < least {
                *share = least;
                parts.fill(0.0);
            }
        }
        let total: f64 = shares.iter().sum();
        self.values.fill(0.0);
        for (j, share) in shares.iter().enumerate() {
            self.values[k * dims + j] = share / total - self.weights[j];
            for q in 0..count {
                let part = self.parts[j * count + q] / total;
                for (i, x) in report.iter().enumerate() {
                    let apart = x - self.mixture.centres[j * dims + i];
                    let pull = part * precision(q, i);
                    self.values[j * dims + i] += pull * apart;
                    // The derivative by ln s² is s² times that by s².
                    self.values[k * dims + k + i] +=
                        0.5 * self.mixture.variances[i] * (pull * apart * apart * precision(q, i) - pull);
                }
            }
        }
        &self.values
    }
}
