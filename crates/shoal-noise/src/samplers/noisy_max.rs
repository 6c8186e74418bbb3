//! Report noisy max: add noise to every score and name the largest.
//!
//! *Privacy*: with either noise of this decay, the index is ε-differentially private with
//! ε = decay Δ when one row moves all scores in one direction by at most Δ, and ε = 2 decay Δ when
//! they may move apart ([`ScoreKind`]). Ties, which discrete noise does produce, cost nothing.
//! Proof: fix the noise of all others. The probability w that candidate i wins with noisy score v,
//! ties broken fairly, rises with v, falls with every other score, and does not change when all
//! move together. If the scores move from q to q', then raising v by a suitable s, 0 <= s <= Δ
//! (<= 2Δ in the general case), makes up for it: w(v; others) <= w'(v + s; others'). So
//! P(i) <= Σ_z P(z) w'(z + s) = Σ_z P(z - s) w'(z) and P(z - s) <= e^(decay s) P(z) for both
//! noises, one-sided geometric too, because its probabilities are zero only below 0 and z - s
//! lies to the left of z. The noisy scores themselves stay secret.
//!
//! *Distribution*: see [`NoisyMax::law`]. It is a mechanism of its own, not the exponential mechanism: with
//! geometric noise it tends to permute-and-flip on fine lattices, which is never worse.
//!
//! *Utility*: the expected gap to the best is at most about ln(n) / decay with geometric noise;
//! Laplace noise costs up to twice that.
//!
//! *Runtime*: one noise draw per candidate.
//!
//! *Assumes*: as [`crate::Geometric`].
//!
//! *Paper*: Dwork and Roth, "The Algorithmic Foundations of Differential Privacy" (2014), claim
//! 3.9; McKenna and Sheldon, "Permute-and-Flip" (2020) and Ding et al., "The Permute-and-Flip
//! Mechanism is Identical to Report-Noisy-Max with Exponential Noise" (2021) for one-sided noise.

use dashu_ratio::RBig;

use crate::samplers::geometric::Geometric;
use crate::samplers::laplace::DiscreteLaplace;
use crate::samplers::scores::ScoreKind;
use crate::source::NoiseSource;
use crate::{NoiseError, uniform};

/// Which noise the scores get.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MaxNoise {
    /// One-sided: the better choice.
    Geometric,
    /// Two-sided, as in the textbook.
    Laplace,
}

#[derive(Clone)]
enum Noise {
    Geometric(Geometric),
    Laplace(DiscreteLaplace),
}

/// Names the candidate with the largest noisy score.
#[derive(Clone)]
pub struct NoisyMax {
    noise: Noise,
}

impl NoisyMax {
    /// The mechanism that is ε-differentially private for scores of this sensitivity and kind.
    ///
    /// # Errors
    /// When ε or the sensitivity is not positive, or the noise would be too wide.
    pub fn new(noise: MaxNoise, epsilon: &RBig, sensitivity: &RBig, kind: ScoreKind) -> Result<Self, NoiseError> {
        let decay = kind.decay(epsilon, sensitivity)?;
        let noise = match noise {
            MaxNoise::Geometric => Noise::Geometric(Geometric::new(decay)?),
            MaxNoise::Laplace => Noise::Laplace(DiscreteLaplace::new(decay)?),
        };
        Ok(Self { noise })
    }

    /// The same mechanism with every decision made in arbitrary precision; see
    /// [`crate::Geometric::exact_only`].
    #[must_use]
    pub fn exact_only(self) -> Self {
        let noise = match self.noise {
            Noise::Geometric(noise) => Noise::Geometric(noise.exact_only()),
            Noise::Laplace(noise) => Noise::Laplace(noise.exact_only()),
        };
        Self { noise }
    }

    /// The decay of the noise per score step.
    #[must_use]
    pub fn decay(&self) -> &RBig {
        match &self.noise {
            Noise::Geometric(noise) => noise.decay(),
            Noise::Laplace(noise) => noise.decay(),
        }
    }

    /// Chooses one candidate, by its index.
    ///
    /// # Errors
    /// When there is no candidate.
    pub fn choose<Q: Copy + Into<i128>>(
        &self,
        source: &mut (impl NoiseSource + ?Sized),
        scores: &[Q],
    ) -> Result<usize, NoiseError> {
        let mut best: Option<(usize, i128)> = None;
        let mut tied = 1;
        for (i, &score) in scores.iter().enumerate() {
            let z = match &self.noise {
                Noise::Geometric(noise) => noise.sample(source),
                Noise::Laplace(noise) => noise.sample(source),
            };
            let noisy = score.into().saturating_add(i128::from(z));
            match best {
                Some((_, leader)) if noisy < leader => {}
                Some((_, leader)) if noisy == leader => {
                    // Each of t tied candidates keeps the lead with probability 1 / t.
                    tied += 1;
                    if uniform::below(source, tied) == 0 {
                        best = Some((i, noisy));
                    }
                }
                _ => {
                    best = Some((i, noisy));
                    tied = 1;
                }
            }
        }
        best.map(|(i, _)| i).ok_or(NoiseError::NoCandidates)
    }

    /// The probability of every candidate, by summing over the winning value: for tests and
    /// auditors, as it takes n³ steps per lattice point within 45 scales of the best score.
    ///
    /// With A and B the others' probabilities to be below and at the winning value, a fair tie
    /// wins with E[1 / (1 + ties)], the integral over s in [0, 1] of Π(A_j + B_j s).
    #[must_use]
    pub fn law(&self, scores: &[i64]) -> Vec<f64> {
        let (Some(&best), false) = (scores.iter().max(), scores.is_empty()) else {
            return Vec::new();
        };
        let pmf = |z: i64| match &self.noise {
            Noise::Geometric(noise) => noise.pmf(z),
            Noise::Laplace(noise) => noise.pmf(z),
        };
        let cdf = |z: i64| match &self.noise {
            Noise::Geometric(noise) => noise.cdf(z),
            Noise::Laplace(noise) => noise.cdf(z),
        };
        let reach = (45.0 / crate::exact::enclosure::approx_f64(self.decay())) as i64 + 2;
        let mut law = vec![0.0; scores.len()];
        for value in best.saturating_sub(reach)..=best.saturating_add(reach) {
            for (i, share) in law.iter_mut().enumerate() {
                let here = pmf(value - scores[i]);
                if here == 0.0 {
                    continue;
                }
                let mut product = vec![1.0];
                for (j, &score) in scores.iter().enumerate() {
                    if j != i {
                        let (below, at) = (cdf(value - score - 1), pmf(value - score));
                        product.push(0.0);
                        for s in (0..product.len()).rev() {
                            let raised = if s > 0 { at * product[s - 1] } else { 0.0 };
                            product[s] = below * product[s] + raised;
                        }
                    }
                }
                let fair: f64 = product.iter().enumerate().map(|(s, c)| c / (s as f64 + 1.0)).sum();
                *share += here * fair;
            }
        }
        law
    }
}
