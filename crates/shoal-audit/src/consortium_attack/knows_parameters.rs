//! The malicious attacker of SZY19 §VI, who has every parameter: range, anchors, t and ε.
//!
//! The paper concludes from Pr\[M(x) = o\] → 0 for every x that values cannot be distinguished (Fig. 11). But all of these
//! probabilities are small together, and what an attacker learns lies in their ratios. For a value drawn uniformly from the
//! range, Bayes gives the whole posterior: between two edges r ± t the clean code does not change, so its weight is the
//! length of that cell times e^(ε · agreeing bits).

use shoal_consortium::{Anchors, Flips};
use shoal_lattice::STEPS;

/// An attacker with the anchors of one attribute.
pub struct KnowsParameters<'a> {
    anchors: &'a Anchors,
    /// What an agreeing bit is worth in log-likelihood; none for bits that were never flipped.
    epsilon: Option<f64>,
    /// Where clean codes change, in order: the first position with the new bit, and which bit it is.
    edges: Vec<(i32, usize)>,
}

/// Neighbouring positions with the same clean code.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// The first position, in lattice steps.
    pub from: i32,
    /// The last position.
    pub to: i32,
    /// Probability that the value is in here.
    pub weight: f64,
}

/// What an attacker believes of a value, in lattice steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Located {
    /// The mean of the posterior.
    pub mean: f64,
    /// The value lies between these two with a probability of 95 %.
    pub low: f64,
    /// See `low`.
    pub high: f64,
}

impl<'a> KnowsParameters<'a> {
    /// An attacker who knows these anchors and how bits were flipped.
    pub fn new(anchors: &'a Anchors, flips: &Flips) -> Self {
        let epsilon = match flips {
            Flips::None => None,
            Flips::PerBit(epsilon) => Some(epsilon.to_f64_up()),
        };
        let t = anchors.t_steps() as i32;
        let inside = |(position, _): &(i32, usize)| *position > 0 && *position <= STEPS as i32;
        let both = anchors.positions().iter().enumerate().flat_map(|(i, &r)| [(r - t, i), (r + t + 1, i)]);
        let mut edges: Vec<(i32, usize)> = both.filter(inside).collect();
        edges.sort_unstable();
        Self { anchors, epsilon, edges }
    }

    /// The posterior, cell by cell.
    pub fn posterior(&self, code: &[u64]) -> Vec<Cell> {
        let sent = |i: usize| code[i / 64] >> (i % 64) & 1 == 1;
        let mut clean: Vec<bool> = (0..self.anchors.len()).map(|i| self.anchors.bit(i, 0)).collect();
        let mut agreeing = (0..clean.len()).filter(|&i| clean[i] == sent(i)).count() as i64;
        let mut found: Vec<(i32, i64)> = vec![(0, agreeing)];
        for &(position, bit) in &self.edges {
            agreeing += if clean[bit] == sent(bit) { -1 } else { 1 };
            clean[bit] = !clean[bit];
            match found.last_mut() {
                Some(last) if last.0 == position => last.1 = agreeing,
                _ => found.push((position, agreeing)),
            }
        }
        let most = found.iter().map(|cell| cell.1).max().unwrap_or(0);
        let likelihood = |agreeing: i64| match self.epsilon {
            Some(epsilon) => (epsilon * (agreeing - most) as f64).exp(),
            None => f64::from(u8::from(agreeing == most)),
        };
        let ends = found.iter().skip(1).map(|cell| cell.0 - 1).chain([STEPS as i32]);
        let mut cells: Vec<Cell> = found
            .iter()
            .zip(ends)
            .map(|(&(from, agreeing), to)| Cell { from, to, weight: likelihood(agreeing) * f64::from(to - from + 1) })
            .collect();
        let total: f64 = cells.iter().map(|cell| cell.weight).sum();
        cells.iter_mut().for_each(|cell| cell.weight /= total);
        cells
    }

    /// Where the value is, most likely.
    pub fn locate(&self, code: &[u64]) -> Located {
        let cells = self.posterior(code);
        let mean = cells.iter().map(|cell| cell.weight * (f64::from(cell.from) + f64::from(cell.to)) / 2.0).sum();
        let quantile = |share: f64| {
            let mut before = 0.0;
            for cell in &cells {
                if before + cell.weight >= share {
                    let into = if cell.weight > 0.0 { (share - before) / cell.weight } else { 0.0 };
                    return f64::from(cell.from) + into * f64::from(cell.to - cell.from);
                }
                before += cell.weight;
            }
            STEPS as f64
        };
        Located { mean, low: quantile(0.025), high: quantile(0.975) }
    }
}
