//! Laplace noise on counts of raw values, column by column: one histogram for each column of the table.
//!
//! *Privacy.* Pure ε-DP for adding or removing one row: the row has one value in each of d columns and changes one count
//! of each histogram, by 1. Discrete Laplace noise of decay a changes the logarithm of the law by a for each: the loss is
//! d·a, for any number of buckets.
//!
//! *Law.* P(z) ∝ e^(−a|z|) on the integers with a = ε/d, drawn exactly.
//!
//! *Utility.* Standard deviation about √2·d/ε on each count.
//!
//! *Runtime.* One draw per bucket, also for empty ones: which are empty is a secret.
//!
//! *Assumes.* Buckets chosen without looking at the data, or from what was released before; one row per person. Public
//! bounds are not needed: a bucket takes any double.

use dashu_ratio::RBig;
use shoal_noise::{DiscreteLaplace, NoiseError, NoiseSource};
use shoal_privacy::{Assumption, Claim, Epsilon, Loss, Neighbours, Numerics};

use crate::mechanisms::distribution::Part;
use crate::mechanisms::row_mechanism::RowMechanism;
use crate::mechanisms::row_mechanism::{noisy, pure};

/// Noise for a histogram of each column, with its loss.
#[derive(Clone)]
pub struct NoisyColumnCountsMechanism {
    law: DiscreteLaplace,
    columns: u64,
}

impl NoisyColumnCountsMechanism {
    /// Noise for `columns` histograms that cost ε together.
    ///
    /// # Panics
    /// When there are no columns.
    pub fn new(epsilon: &Epsilon, columns: usize) -> Result<Self, NoiseError> {
        Self::with_decay(epsilon.split(columns as u64).amount().as_rational().clone(), columns)
    }

    /// Noise of the given decay on each count of `columns` histograms.
    pub fn with_decay(decay: RBig, columns: usize) -> Result<Self, NoiseError> {
        Ok(Self { law: DiscreteLaplace::new(decay)?, columns: columns as u64 })
    }

    /// The law of the noise on each count.
    pub fn law(&self) -> &DiscreteLaplace {
        &self.law
    }
}

impl RowMechanism for NoisyColumnCountsMechanism {
    type Input = Vec<Vec<u64>>;
    type Output = Vec<Vec<i64>>;

    fn loss(&self) -> Loss {
        pure(self.law.decay() * RBig::from(self.columns))
    }

    fn distribution(&self, exact: &Vec<Vec<u64>>) -> Option<Vec<Part<'_>>> {
        let exact = exact.iter().flatten().map(|&count| count.into()).collect();
        Some(vec![Part::Laplace { of: "counts", exact, law: &self.law }])
    }

    /// # Panics
    /// When there are more histograms than the noise is meant for: the loss would be understated.
    fn draw(&self, exact: Vec<Vec<u64>>, noise: &mut dyn NoiseSource) -> Vec<Vec<i64>> {
        assert!(exact.len() as u64 <= self.columns, "one histogram for each column");
        let histogram =
            |counts: Vec<u64>| counts.into_iter().map(|count| noisy(count, self.law.sample(&mut *noise))).collect();
        exact.into_iter().map(histogram).collect()
    }

    /// No public bounds among the conditions.
    fn claim(&self) -> Claim {
        Claim {
            neighbours: Neighbours::AddRemoveOne,
            loss: self.loss(),
            numerics: Numerics::Exact,
            assumes: [Assumption::OneRowPerPerson].into(),
        }
    }
}
