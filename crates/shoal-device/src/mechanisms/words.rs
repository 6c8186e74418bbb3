//! One word of a public list as a report: k-ary randomised response.
//!
//! A column of words has the outcomes 0 to m: the levels of its [`Category`], `missing` where gaps are a level, and *other*, the
//! last one. The report is the true outcome or another one, each of the others with the same probability.
//!
//! *Privacy*: P(x | v) ∝ e^ε for x = v and ∝ 1 otherwise, and the sum over x is the same for every v. So one report loses ε between
//! any two words, exactly, and nothing between equal ones.
//!
//! *Distribution*: with n = m + 1 outcomes, P(v | v) = e^ε/(e^ε + n − 1), every other outcome 1/(e^ε + n − 1), exact.
//!
//! *Utility*: an unbiased estimate of the share of an outcome from one report has a variance of about
//! (n − 2 + e^ε)/(e^ε − 1)² for rare outcomes. Unary encoding (n bits, each flipped) has 4e^ε/(e^ε − 1)², which is less from
//! n > 3e^ε + 2 on; for lists that people are asked about, n is smaller, and a report is one number.
//!
//! *Assumes*: public levels, one report per person.
//!
//! *Paper*: Kairouz, Bonawitz and Ramage, "Discrete distribution estimation under local privacy" (2016); the
//! comparison after Wang, Blocki, Li and Jha, "Locally differentially private protocols for frequency estimation" (2017).

use shoal_lattice::Category;
use shoal_noise::{ExponentialChoice, ExponentialMechanism, NoiseSource, ScoreKind};
use shoal_privacy::{Amount, Epsilon};
use std::sync::Arc;

use crate::DesignError;

/// Randomised response on the words of one column.
#[derive(Clone)]
pub struct WordResponse {
    epsilon: Epsilon,
    outcomes: usize,
    /// The true outcome at place 0, the others in turn after it: the same for every word.
    choice: Arc<ExponentialChoice>,
}

impl WordResponse {
    /// A response that loses `epsilon` between any two words of a category.
    ///
    /// # Errors
    /// When ε is zero.
    pub fn new(epsilon: &Epsilon, category: &Category) -> Result<Self, DesignError> {
        let outcomes = category.size() + 1;
        // Only the true outcome scores, by one: the decay of the weights is ε.
        let scores: Vec<i64> = (0..outcomes).map(|place| i64::from(place == 0)).collect();
        let one = Amount::ratio(1, 1);
        let mechanism =
            ExponentialMechanism::new(epsilon.amount().as_rational(), one.as_rational(), ScoreKind::Monotone)?;
        assert_eq!(mechanism.decay(), epsilon.amount().as_rational(), "the weights differ by the ε that is claimed");
        Ok(Self { epsilon: epsilon.clone(), outcomes, choice: Arc::new(mechanism.prepare(&scores)?) })
    }

    /// The loss between any two words.
    pub fn epsilon(&self) -> &Epsilon {
        &self.epsilon
    }

    /// Number of outcomes: levels, `missing` where gaps are a level, and *other*.
    pub fn outcomes(&self) -> usize {
        self.outcomes
    }

    /// The probability of an outcome, given the true one.
    pub fn pmf(&self, truth: usize, outcome: usize) -> f64 {
        self.choice.pmf((outcome + self.outcomes - truth) % self.outcomes)
    }

    /// One report.
    ///
    /// # Panics
    /// When `truth` is no outcome.
    pub fn report(&self, truth: i64, noise: &mut (impl NoiseSource + ?Sized)) -> i64 {
        let n = self.outcomes;
        assert!((0..n as i64).contains(&truth), "the word is one of the outcomes");
        ((truth as usize + self.choice.sample(noise)) % n) as i64
    }
}
