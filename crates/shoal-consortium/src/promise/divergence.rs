//! (c) What bits give away on average: the Kullback–Leibler divergence.
//!
//! *Distribution*: a bit that differs is kept with probability k = 1/(1+e^−ε) and then worth ε, else −ε: (2k − 1)·ε =
//! ε·tanh(ε/2) on average. Over the draw of the anchors s·q bits differ, q = 2Δ/μ up to 2t, so the divergence is linear in
//! the distance. It is a mean and no guarantee: single outcomes give away more.

use crate::promise::loss_law::Draw;

/// The mean loss, in nats, between two values that were fixed before the anchors were drawn.
pub fn divergence(epsilon: f64, draws: &[Draw]) -> f64 {
    draws.iter().map(|draw| draw.bits as f64 * draw.share() * bit_divergence(epsilon)).sum()
}

/// The mean loss of one bit that differs.
pub fn bit_divergence(epsilon: f64) -> f64 {
    epsilon * (epsilon / 2.0).tanh()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_linear_in_the_distance_and_equals_the_sum_over_outcomes() {
        let draw = |telling| Draw { bits: 1000, telling, positions: 100_000 };
        let one = divergence(1.0, &[draw(7)]);
        assert!((divergence(1.0, &[draw(70)]) / one - 10.0).abs() < 1e-12);
        assert!((divergence(1.0, &[draw(7), draw(70)]) / one - 11.0).abs() < 1e-12);
        for epsilon in [0.1_f64, 1.0, 3.0] {
            let flip = 1.0 / (1.0 + epsilon.exp());
            let sum = (1.0 - flip) * ((1.0 - flip) / flip).ln() + flip * (flip / (1.0 - flip)).ln();
            assert!((bit_divergence(epsilon) / sum - 1.0).abs() < 1e-12, "{epsilon}");
        }
    }
}
