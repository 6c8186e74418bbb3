//! Whatever turns steps into released numbers.

use shoal_noise::NoiseSource;
use shoal_privacy::{Assumption, ChargeError, Claim, Released};

use crate::{Local, ReleaseError, Step};

/// Turns steps into released numbers, one step after the other.
///
/// A method that works with a releaser takes nothing from the rows but what steps release, so it does not matter who holds
/// them. [`LocalReleaser`](crate::LocalReleaser) is for one party that holds all of them.
pub trait Releaser {
    /// Number of attributes. Public.
    fn dims(&self) -> usize;

    /// How many independent noises are in each released number, every one of them the step's whole noise.
    fn copies(&self) -> u32 {
        1
    }

    /// The numbers of a step with noise on them, multiplied by [`Step::scale`]; as many as [`Step::numbers`].
    ///
    /// Nothing leaves before the step is charged; a step that costs too much is refused, and nothing is spent on it.
    fn release(&mut self, step: &Step) -> Result<Released<Vec<i64>>, ReleaseError>;

    /// Random words that hide nobody: for initial centres and directions.
    fn randomness(&mut self) -> &mut dyn NoiseSource;

    /// Makes the promise rest on one condition more, which was agreed.
    fn rely_on(&mut self, assumption: Assumption) -> Result<(), ChargeError>;

    /// What everything that was released so far promises.
    fn promised(&self) -> Claim;

    /// What everything that was released so far costs, step by step; the promise may be in another unit.
    fn spent(&self) -> Claim {
        self.promised()
    }

    /// Whether noise or random words can be drawn again by whoever knows a seed, so that no promise holds.
    fn is_seeded(&self) -> bool;

    /// The rows' own scan, for releases that are no steps; none where nobody holds all rows.
    fn local(&mut self) -> Option<Local<'_>> {
        None
    }
}
