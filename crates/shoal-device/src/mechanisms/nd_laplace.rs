//! nD-Laplace: multivariate Laplace noise, the comparator of CLZ25 (Section 6).
//!
//! *Privacy*: ε per unit of Euclidean distance and ε·√d between any two records. What is done to the noisy record
//! afterwards is computed from it alone and costs nothing.
//!
//! *Distribution*: P(x | v) ∝ e^(−ε‖x − v‖): BPM with a radius so large that the box's weight is 2^-100 or less
//! ([`choose_radius::nd_laplace`](crate::choose_radius::nd_laplace)). So the guarantee is that of an exact sampler on a
//! finite box, not of a tail cut off.
//!
//! *Utility*: E ‖X − v‖² = d(d + 1)/ε² for the raw noise. The information of a raw report is ε²/d per coordinate.
//!
//! *Runtime*: as BPM.
//!
//! *Assumes*: public bounds, one report per person, a public grid.
//!
//! *Paper*: CLZ25 compares with it by a reference only. The two endings are ours to choose: clamped to the box of the
//! records, or moved to the centre of a cell of a public grid.
//!
//! *Deviations*: on the lattice, and inside a (huge) box.

use shoal_noise::NoiseSource;
use shoal_privacy::{Epsilon, Guarantee, Published};

use shoal_lattice::STEPS;

use super::radial::RadialNoise;
use crate::{BpmLaw, DesignError, Ending, NoiseLaw, Promises, Sampler, Space};

/// The most cells of a grid along each attribute.
const MOST_CELLS: u32 = 65_535;

/// Multivariate Laplace noise, and what is done to the noisy record.
#[derive(Clone)]
pub struct NdLaplace {
    noise: RadialNoise,
    ending: Ending,
}

impl NdLaplace {
    /// Noise of rate ε that ends at the radius.
    pub fn new(
        epsilon: &Epsilon,
        dims: usize,
        radius_steps: u64,
        ending: Ending,
        sampler: Sampler,
    ) -> Result<Self, DesignError> {
        Self::check(epsilon, dims, radius_steps, ending)?;
        Ok(Self { noise: RadialNoise::new(epsilon, dims, radius_steps, sampler)?, ending })
    }

    /// Whether the parameters are in range, without the work of setting up a sampler.
    pub(crate) fn check(epsilon: &Epsilon, dims: usize, radius_steps: u64, ending: Ending) -> Result<(), DesignError> {
        if let Ending::Grid { cells } = ending
            && !(1..=MOST_CELLS).contains(&cells)
        {
            return Err(DesignError::Parameter {
                what: "the number of cells along each attribute",
                given: cells.to_string(),
                advice: format!("give 1 to {MOST_CELLS}"),
            });
        }
        RadialNoise::check(epsilon, dims, radius_steps)
    }

    /// What a report guarantees, from the decay and the radius of the noise.
    pub fn promises(&self) -> Promises {
        let (per_distance, any_two) = self.noise.claims();
        Promises {
            guarantee: Guarantee::Holds(per_distance),
            also: vec![any_two],
            published: Published::new("ε·d_E-privacy", "nD-Laplace, the comparator of CLZ25"),
        }
    }

    /// What is done to the noisy record.
    pub fn ending(&self) -> Ending {
        self.ending
    }

    /// Raw reports lie within the radius of the box, others in the box itself.
    pub fn space(&self) -> Space {
        let beyond = match self.ending {
            Ending::Raw => self.noise.radius_steps() as i64,
            Ending::Clamped | Ending::Grid { .. } => 0,
        };
        Space { low: -beyond, high: STEPS as i64 + beyond }
    }

    /// Whether the ending leaves reports at this position of the space.
    pub(crate) fn may_end_at(&self, position: i64) -> bool {
        let Ending::Grid { cells } = self.ending else { return true };
        // Where cells are narrower than steps, rounding may have moved the centre out of its cell.
        let cell = cell_of(position.clamp(0, STEPS as i64), cells);
        (cell - 1..=cell + 1).any(|cell| centre_of(cell, cells) == position)
    }

    /// The distribution of a noisy record before its ending, for real numbers.
    pub fn law(&self) -> BpmLaw {
        self.noise.law()
    }

    /// What a server needs to know of the noise: `None` after an ending, because reports then pile up in places.
    pub fn noise_law(&self) -> Option<NoiseLaw> {
        let law = self.law();
        (self.ending == Ending::Raw).then_some(NoiseLaw::Radial { rate: law.rate, radius: law.radius })
    }

    /// One report.
    ///
    /// # Panics
    /// When a slice has another length than there are attributes, or the record is outside the box.
    pub fn report(&self, record: &[i64], noise: &mut (impl NoiseSource + ?Sized), report: &mut [i64]) {
        self.noise.sample(record, noise, report);
        for x in report {
            *x = ended(self.ending, *x);
        }
    }
}

/// A coordinate of a noisy record after the ending.
fn ended(ending: Ending, noisy: i64) -> i64 {
    let steps = STEPS as i64;
    match ending {
        Ending::Raw => noisy,
        Ending::Clamped => noisy.clamp(0, steps),
        Ending::Grid { cells } => centre_of(cell_of(noisy.clamp(0, steps), cells), cells),
    }
}

/// The cell of a grid that a position of the box lies in.
fn cell_of(position: i64, cells: u32) -> i64 {
    let cells = i64::from(cells);
    (position * cells / STEPS as i64).min(cells - 1)
}

/// The centre of a cell: (cell + ½)/cells of the width, to the nearest step.
fn centre_of(cell: i64, cells: u32) -> i64 {
    let cells = i64::from(cells);
    ((2 * cell + 1) * STEPS as i64 + cells) / (2 * cells)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clamping_moves_only_what_is_outside() {
        let steps = STEPS as i64;
        let clamped = |x| ended(Ending::Clamped, x);
        assert_eq!([-7, 0, 5, steps, steps + 1].map(clamped), [0, 0, 5, steps, steps]);
    }

    #[test]
    fn a_report_on_the_grid_is_the_nearest_centre() {
        let steps = STEPS as i64;
        for cells in [1, 2, 3, 7, 100, 1000, 65_535] {
            let centres: Vec<_> = (0..cells).map(|c| (f64::from(c) + 0.5) / f64::from(cells) * steps as f64).collect();
            for x in (-3..steps + 3).step_by(997).chain([0, steps, -steps, 3 * steps, steps / 2]) {
                let moved = ended(Ending::Grid { cells }, x);
                let inside = x.clamp(0, steps) as f64;
                let nearest = centres.iter().map(|c| (c - inside).abs()).fold(f64::INFINITY, f64::min);
                assert!((moved as f64 - inside).abs() <= nearest + 0.5 + 1e-6, "{cells} cells, {x} to {moved}");
                assert!(centres.iter().any(|c| (c - moved as f64).abs() <= 0.5 + 1e-6), "{moved} is a centre");
                let grid =
                    NdLaplace::new(&"1".parse().unwrap(), 1, 100 * STEPS, Ending::Grid { cells }, Sampler::Exact);
                let grid = grid.unwrap();
                assert!(grid.may_end_at(moved));
                assert!(cells > 100 || !grid.may_end_at(moved + 1), "{} is none", moved + 1);
            }
        }
    }
}
