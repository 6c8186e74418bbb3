//! The (ε, δ) that the paper claims for its codes, next to what is true of them.

use shoal_consortium::promise::{Curve, published};

use crate::measure::consortium::{DELTA, DEMONSTRATION, parsed};
use crate::papers::words::short;
use crate::printed;
use crate::{Cell, Failure, Key, Results, Run};

const BITS: u32 = DEMONSTRATION.bits;
const MEASURES: &[&str] = &["published_delta", "true_delta", "true_epsilon_of_a_record"];
/// Values of a record of the digits.
const PIXELS: usize = 64;

/// A claim for records of so many values, all bits of which have this ε.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Claim {
    epsilon: &'static str,
    dims: usize,
}

impl Claim {
    /// For the digits.
    pub(super) fn of_digits(epsilon: &'static str) -> Self {
        Self { epsilon, dims: PIXELS }
    }

    /// For points of a plane.
    pub(super) fn of_points(epsilon: &'static str) -> Self {
        Self { epsilon, dims: 2 }
    }

    fn key(self) -> Key {
        let key = Key::new("szy19-claim").with("epsilon", self.epsilon).with("bits", BITS);
        if self.dims == PIXELS { key } else { key.with("attributes", self.dims) }
    }

    /// The cell that has what is true of it.
    pub(super) fn cell(self) -> Cell {
        Cell::new(self.key(), MEASURES, 1, move |_: &mut Run| self.measured())
    }

    /// Eq. 10's δ, the δ that is true at ε of one value, and the ε of a record at [`DELTA`].
    fn measured(self) -> Result<Vec<f64>, Failure> {
        let (claimed, per_bit): (f64, _) = (self.epsilon.parse()?, parsed(self.epsilon)?);
        let value = Curve::of_bits(&per_bit, u64::from(BITS)).delta_up(claimed);
        let record = Curve::of_bits(&per_bit, self.dims as u64 * u64::from(BITS)).epsilon_up(DELTA.parse()?);
        Ok(vec![10_f64.powf(published::log10_delta(claimed, BITS)), value, record])
    }

    /// Whether codes keep it.
    pub(super) fn holds(self, results: &Results) -> Result<bool, Failure> {
        let of = |measure: &str| results.summary(&self.key(), measure);
        Ok(of("true_delta")?.mean <= of("published_delta")?.mean)
    }

    /// The δ of the claim: with the paper's digits where it prints them.
    pub(super) fn delta(self, results: &Results) -> Result<String, Failure> {
        let theirs = printed::all()?.into_iter().find(|value| {
            value.figure == "sun19-table3"
                && value.measure == "published_delta"
                && value.cell.get("epsilon").is_some_and(|own| own == self.epsilon)
        });
        Ok(match theirs {
            Some(value) => value.value,
            None => short(results.summary(&self.key(), "published_delta")?.mean),
        })
    }

    /// The claim and what is true at its ε, for sentences.
    pub(super) fn told(self, results: &Results) -> Result<String, Failure> {
        let truth = results.summary(&self.key(), "true_delta")?.mean;
        Ok(format!("({}, {}) is claimed and δ = {truth:.6} is true", self.epsilon, self.delta(results)?))
    }

    /// The ε that a record has at [`DELTA`].
    pub(super) fn of_record(self, results: &Results) -> Result<String, Failure> {
        Ok(short(results.summary(&self.key(), "true_epsilon_of_a_record")?.mean))
    }

    /// What follows the name of a curve or bar whose claim is not kept.
    pub(super) fn star(self, results: &Results) -> Result<&'static str, Failure> {
        Ok(if self.holds(results)? { "" } else { " *" })
    }

    /// What the star says, for plots.
    pub(super) fn note(self, results: &Results) -> Result<Option<String>, Failure> {
        if self.holds(results)? {
            return Ok(None);
        }
        Ok(Some(format!(
            "* the published (ε, δ) does not hold: at {} per bit a record has ε ≈ {} at {DELTA}",
            self.epsilon,
            self.of_record(results)?
        )))
    }
}
