//! The exact law of codes of few bits: all outcomes of all values.

use shoal::consortium::Anchors;
use shoal::crowd::STEPS;

use crate::Measure;

/// All clean codes that some value has, and the probability of each code that is sent.
pub struct CodeLaw {
    bits: u32,
    /// A clean code, and a value that has it.
    codes: Vec<(usize, i32)>,
    /// Probability that so many given bits, and no others, are flipped.
    flipped: Vec<f64>,
}

impl CodeLaw {
    /// The law for one attribute's anchors, few of them, and this ε per bit.
    #[must_use]
    pub fn new(anchors: &Anchors, epsilon: f64) -> Self {
        let bits = anchors.len() as u32;
        let mut codes: Vec<(usize, i32)> = Vec::new();
        for x in 0..=STEPS as i32 {
            let code = (0..anchors.len()).filter(|&i| anchors.bit(i, x)).fold(0, |code, i| code | 1 << i);
            if codes.last().is_none_or(|(last, _)| *last != code) {
                codes.push((code, x));
            }
        }
        let flip = 1.0 / (1.0 + epsilon.exp());
        let flipped = (0..=bits).map(|m| flip.powi(m as i32) * (1.0 - flip).powi((bits - m) as i32)).collect();
        Self { bits, codes, flipped }
    }

    fn probability(&self, clean: usize, sent: usize) -> f64 {
        self.flipped[(clean ^ sent).count_ones() as usize]
    }

    /// Σ [P(y|x) − e^ε·P(y|x′)]₊ over all codes y.
    #[must_use]
    pub fn excess(&self, x: usize, other: usize, epsilon: f64) -> f64 {
        let odds = epsilon.exp();
        let each = |sent| (self.probability(x, sent) - odds * self.probability(other, sent)).max(0.0);
        (0..1 << self.bits).map(each).sum()
    }

    /// The least ε for which the excess is at most δ.
    fn epsilon_at(&self, x: usize, other: usize, delta: f64) -> f64 {
        let (mut low, mut high) = (0.0, 1.0);
        // Rounding errors of a sum of probabilities are of this size.
        let fits = |epsilon: f64| self.excess(x, other, epsilon) <= delta + 1e-13;
        while !fits(high) {
            high *= 2.0;
        }
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if fits(middle) { high = middle } else { low = middle }
        }
        high
    }

    /// The loss of the worst pair of values at a δ, beside what is allowed there.
    #[must_use]
    pub fn measure(&self, allowed: f64, delta: f64) -> Measure {
        let mut worst = (0.0, String::new());
        let mut compared = 0;
        for &(x, value) in &self.codes {
            for &(other, of) in &self.codes {
                compared += 1 << self.bits;
                let epsilon = if delta > 0.0 {
                    self.epsilon_at(x, other, delta)
                } else {
                    let ratio = |sent| (self.probability(x, sent) / self.probability(other, sent)).ln();
                    (0..1 << self.bits).map(ratio).fold(0.0, f64::max)
                };
                if epsilon > worst.0 {
                    worst = (epsilon, format!("values {value} and {of} of {STEPS}, at δ = {delta:.4}"));
                }
            }
        }
        Measure::Enumeration { allowed, worst: worst.0, at: worst.1, compared }
    }
}
