//! Draws of a binomial distribution for simulations on public numbers. In doubles: nothing private rests on them.

use shoal_noise::{NoiseSource, uniform};

/// Beyond this variance the normal distribution is as good, for means over thousands of pairs.
const MOST_VARIANCE: f64 = 2500.0;

/// So many independent coins.
pub(super) struct Binomial {
    trials: u64,
    share: f64,
    /// The most likely number.
    mode: u64,
    /// Its probability.
    peak: f64,
}

impl Binomial {
    pub fn new(trials: u64, share: f64) -> Self {
        let share = share.clamp(0.0, 1.0);
        let n = trials as f64;
        let mode = (((n + 1.0) * share) as u64).min(trials);
        let m = mode as f64;
        let ln_choose = libm::lgamma(n + 1.0) - libm::lgamma(m + 1.0) - libm::lgamma(n - m + 1.0);
        let power = |p: f64, times: f64| if times == 0.0 { 0.0 } else { times * libm::log(p) };
        let peak = libm::exp(ln_choose + power(share, m) + power(1.0 - share, n - m));
        Self { trials, share, mode, peak }
    }

    /// One draw: probabilities are subtracted from a uniform number from the mode outward.
    pub fn sample(&self, noise: &mut impl NoiseSource) -> u64 {
        let n = self.trials as f64;
        let variance = n * self.share * (1.0 - self.share);
        if variance == 0.0 {
            return self.mode;
        }
        if variance > MOST_VARIANCE {
            let value = n * self.share + variance.sqrt() * normal(noise);
            return value.round().clamp(0.0, n) as u64;
        }
        let odds = self.share / (1.0 - self.share);
        let mut left = uniform::unit_f64(noise) - self.peak;
        let (mut low, mut high) = (self.mode, self.mode);
        let (mut below, mut above) = (self.peak, self.peak);
        while left >= 0.0 && (below > 0.0 || above > 0.0) {
            above =
                if high < self.trials { above * (self.trials - high) as f64 / (high + 1) as f64 * odds } else { 0.0 };
            high += 1;
            left -= above;
            if left < 0.0 {
                return high;
            }
            below = if low > 0 { below * low as f64 / (self.trials - low + 1) as f64 / odds } else { 0.0 };
            low = low.saturating_sub(1);
            left -= below;
            if left < 0.0 {
                return low;
            }
        }
        // Only the rounding of the last digits comes here, beside the draws of the mode itself.
        self.mode
    }
}

/// A standard normal draw (Box and Muller).
fn normal(noise: &mut impl NoiseSource) -> f64 {
    let radius = (-2.0 * libm::log(1.0 - uniform::unit_f64(noise))).sqrt();
    radius * libm::cos(std::f64::consts::TAU * uniform::unit_f64(noise))
}

#[cfg(test)]
mod tests {
    use super::*;
    use shoal_noise::SeededNoise;

    /// Mean and variance over many draws, small and large; those of another share are noticed.
    #[test]
    fn moments_are_binomial() {
        let mut noise = SeededNoise::new(1);
        let draws = 40_000;
        for (trials, share) in [(1, 0.3), (5, 0.01), (5, 0.99), (100, 0.5), (1000, 0.002), (1000, 0.5), (100_000, 0.3)]
        {
            let law = Binomial::new(trials, share);
            let values: Vec<f64> = (0..draws).map(|_| law.sample(&mut noise) as f64).collect();
            let mean = values.iter().sum::<f64>() / draws as f64;
            let square = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / draws as f64;
            let variance = trials as f64 * share * (1.0 - share);
            let off = |share: f64| (mean - trials as f64 * share).abs() / (variance / draws as f64).sqrt();
            assert!(off(share) < 5.0, "{trials} × {share}: mean {mean}");
            assert!(off(share * 1.2) > 5.0, "{trials} × {share}: a wrong mean passed");
            assert!((square / variance - 1.0).abs() < 0.1, "{trials} × {share}: variance {square}");
        }
        assert_eq!(Binomial::new(7, 0.0).sample(&mut noise), 0);
        assert_eq!(Binomial::new(7, 1.0).sample(&mut noise), 7);
    }
}
