//! The number of rows that a grid, a block count or a number of rounds is chosen for.
//!
//! Under "add or remove one row" the true number of rows N is a secret: a grid whose shape follows N gives it away. So
//! N enters only as a *design size* n₀. For each fixed n₀ a method keeps its promise whatever N is; a wrong n₀ costs
//! accuracy, never privacy.
//!
//! *Privacy.* A public n₀ costs nothing, on the condition that it was not read off the data, which the claim then names.
//! Without one, a small share of ε buys a noisy count ([`NoisyCountsMechanism`] on the number of all rows), and the method
//! gets the rest.
//!
//! *Paper.* SCL16 uses the true N; this is the deviation that makes its claim true.

use shoal_noise::NoiseSource;
use shoal_privacy::{Accountant, Amount, Assumption, Claim, Epsilon, Parameter};

use crate::Decision;
use crate::FitError;
use crate::NoisyCountsMechanism;
use crate::RowMechanism;
use crate::auto::steps::counts;
use crate::system::rest_of;
use shoal_release::{LocalReleaser, Releaser};
use shoal_scan::{Question, Scan};

/// Where the design size comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DesignSize {
    /// A number that anyone may know, from elsewhere than the data.
    Public(u64),
    /// The true number, which is disclosed: the promise is then one about replacing a row
    /// ([`super::Outcome::with_public_row_count`]).
    Disclosed(u64),
    /// A noisy count, bought with this share of the budget.
    Bought {
        /// Of the whole ε; between 0 and 1.
        share: Amount,
    },
}

impl DesignSize {
    /// One hundredth of the budget buys the count.
    pub fn bought() -> Self {
        Self::Bought { share: Amount::ratio(1, 100) }
    }

    /// The step that settles the size, and what it leaves of `epsilon` for the method.
    pub fn split(&self, epsilon: &Epsilon) -> Result<(SizeStep, Epsilon), FitError> {
        match self {
            Self::Public(rows) => Ok((SizeStep::known(*rows, Assumption::DesignSizePublic), epsilon.clone())),
            Self::Disclosed(rows) => Ok((SizeStep::known(*rows, Assumption::RowCountPublic), epsilon.clone())),
            Self::Bought { share } => {
                let rest = rest_of(share, Parameter::COUNT_SHARE, "the noisy row count")?;
                let mechanism = NoisyCountsMechanism::new(&epsilon.times(share))?;
                Ok((SizeStep::Buy(Box::new(mechanism)), epsilon.times(&rest)))
            }
        }
    }
}

/// How the design size is settled.
pub enum SizeStep {
    /// It is known, on a condition.
    Known {
        /// n₀.
        rows: u64,
        /// What must be true for the promise to hold.
        assumes: Assumption,
    },
    /// It is counted with noise.
    Buy(Box<NoisyCountsMechanism>),
}

/// A settled design size.
#[derive(Clone, Debug, PartialEq)]
pub struct Settled {
    /// n₀, at least 1.
    pub rows: u64,
    /// Standard deviation of its noise; zero for a public one.
    pub noise: f64,
    /// How it was bought, if it was.
    pub decision: Option<Decision>,
}

impl Settled {
    /// True when the size may be all noise: what is chosen for it then says nothing about the table.
    pub fn is_mostly_noise(&self) -> bool {
        (self.rows as f64) < 4.0 * self.noise
    }
}

impl SizeStep {
    fn known(rows: u64, assumes: Assumption) -> Self {
        Self::Known { rows: rows.max(1), assumes }
    }

    /// The claim of this step and of `method` after it.
    pub fn claim_with(&self, mut method: Claim) -> Claim {
        match self {
            Self::Known { assumes, .. } => {
                method.assumes.insert(*assumes);
                method
            }
            // Unwrap safety: both are pure and about the same neighbours.
            Self::Buy(mechanism) => mechanism.claim().then(&method).unwrap(),
        }
    }

    /// The size, if nothing has to be bought.
    pub fn known_rows(&self) -> Option<u64> {
        match self {
            Self::Known { rows, .. } => Some(*rows),
            Self::Buy(_) => None,
        }
    }

    /// The size to expect, given what the user expects.
    pub fn expected(&self, rows: f64) -> u64 {
        match self {
            Self::Known { rows, .. } => *rows,
            Self::Buy(_) => rows.max(1.0) as u64,
        }
    }

    /// Settles the size, charging for it if it must be bought.
    pub fn settle(
        &self,
        scan: &dyn Scan,
        accountant: &mut Accountant,
        noise: &mut dyn NoiseSource,
    ) -> Result<Settled, FitError> {
        self.settle_with(&mut LocalReleaser::new(scan, accountant, noise))
    }

    /// [`SizeStep::settle`] through any releaser.
    pub fn settle_with(&self, releaser: &mut dyn Releaser) -> Result<Settled, FitError> {
        match self {
            Self::Known { rows, assumes } => {
                releaser.rely_on(*assumes)?;
                Ok(Settled { rows: *rows, noise: 0.0, decision: None })
            }
            Self::Buy(mechanism) => {
                let (noisy, variance) = counts(releaser, Question::RowCount, &mechanism.epsilon())?;
                let rows = noisy[0].max(1) as u64;
                let sd = variance.sqrt();
                let decision = Decision::BoughtRows { epsilon: mechanism.epsilon(), rows, sd };
                Ok(Settled { rows, noise: sd, decision: Some(decision) })
            }
        }
    }
}
