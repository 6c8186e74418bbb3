//! The distribution of a release as data, for audits that draw nothing.
//!
//! A mechanism lists the independent parts of its noise, each with the sampler that it draws from and the exact numbers that
//! the noise is added to. An audit compares the parts for two neighbouring tables and knows what is lost between them. The
//! samplers are the mechanism's own: [`Part::draw`] repeats its draw bit for bit, which a test compares.

use shoal_noise::{DiscreteGaussian, DiscreteLaplace, ExponentialMechanism, LInfinityKNorm, NoiseSource, RBig};

/// One part of a release, independent of the others given the exact numbers.
pub enum Part<'a> {
    /// Discrete Laplace noise, drawn afresh for each number.
    Laplace {
        /// Which numbers they are.
        of: &'static str,
        /// The numbers without noise.
        exact: Vec<i128>,
        /// The sampler.
        law: &'a DiscreteLaplace,
    },
    /// Discrete Gaussian noise, drawn afresh for each number.
    Gaussian {
        /// Which numbers they are.
        of: &'static str,
        /// The numbers without noise.
        exact: Vec<i128>,
        /// The sampler.
        law: &'a DiscreteGaussian,
    },
    /// One vector of K-norm noise: P(z) ∝ e^(−decay·⌈max |z_i|/w_i⌉).
    KNorm {
        /// Which numbers they are.
        of: &'static str,
        /// The numbers without noise, scaled as the mechanism scales them.
        exact: Vec<i128>,
        /// The sampler.
        law: &'a LInfinityKNorm,
    },
    /// Picks without replacement by the exponential mechanism.
    Choice {
        /// What is chosen.
        of: &'static str,
        /// The score of each candidate.
        scores: Vec<i128>,
        /// How many are picked.
        picks: usize,
        /// The sampler.
        law: &'a ExponentialMechanism,
    },
}

/// The shape of a part's noise in numbers, as its sampler reports them.
#[derive(Clone, Debug, PartialEq)]
pub enum Noise {
    /// P(z) ∝ e^(−decay·|z|).
    Laplace {
        /// Per unit of the number.
        decay: RBig,
    },
    /// P(z) ∝ e^(−z²/(2σ²)).
    Gaussian {
        /// σ².
        variance: RBig,
    },
    /// P(z) ∝ e^(−decay·⌈max |z_i|/w_i⌉).
    KNorm {
        /// Per step of the norm.
        decay: RBig,
        /// w_i.
        half_widths: Vec<u64>,
    },
    /// P(i) ∝ e^(decay·score_i), one candidate after the other.
    Choice {
        /// Per unit of score.
        decay: RBig,
        /// How many are picked.
        picks: usize,
    },
}

/// A part without its sampler, to be kept.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedPart {
    /// Which numbers they are.
    pub of: &'static str,
    /// The numbers without noise, or the scores of a choice. As sensitive as the table.
    pub exact: Vec<i128>,
    /// Their noise.
    pub noise: Noise,
}

impl Part<'_> {
    /// The part in numbers.
    pub fn recorded(self) -> RecordedPart {
        match self {
            Self::Laplace { of, exact, law } => {
                RecordedPart { of, exact, noise: Noise::Laplace { decay: law.decay().clone() } }
            }
            Self::Gaussian { of, exact, law } => {
                RecordedPart { of, exact, noise: Noise::Gaussian { variance: law.sigma_squared().clone() } }
            }
            Self::KNorm { of, exact, law } => {
                let noise = Noise::KNorm { decay: law.decay().clone(), half_widths: law.half_widths().to_vec() };
                RecordedPart { of, exact, noise }
            }
            Self::Choice { of, scores, picks, law } => {
                let noise = Noise::Choice { decay: law.decay().clone(), picks };
                RecordedPart { of, exact: scores, noise }
            }
        }
    }

    /// Draws as the mechanism does: the noisy numbers, or the picked candidates.
    pub fn draw(&self, noise: &mut dyn NoiseSource) -> Vec<i128> {
        match self {
            Self::Laplace { exact, law, .. } => exact.iter().map(|x| x + i128::from(law.sample(noise))).collect(),
            Self::Gaussian { exact, law, .. } => exact.iter().map(|x| x + i128::from(law.sample(noise))).collect(),
            Self::KNorm { exact, law, .. } => {
                let mut vector = vec![0; exact.len()];
                law.sample(noise, &mut vector);
                exact.iter().zip(vector).map(|(x, z)| x + i128::from(z)).collect()
            }
            Self::Choice { scores, picks, law, .. } => {
                let (mut scores, mut left) = (scores.clone(), (0..scores.len() as i128).collect::<Vec<_>>());
                let pick = |_| {
                    // Fewer candidates than picks end the list, as they end the mechanism.
                    let at = law.choose(noise, &scores).ok()?;
                    scores.swap_remove(at);
                    Some(left.swap_remove(at))
                };
                (0..*picks).map_while(pick).collect()
            }
        }
    }
}
