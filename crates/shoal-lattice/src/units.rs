//! Units as types: a position on the lattice, in steps, in the box or in the unit interval, and a length in widths.
//!
//! Every attribute has a public interval. Positions in it are counted in five ways, each for a reason:
//!
//! | type | range | used by |
//! |---|---|---|
//! | [`Lattice`] | −[`HALF_WIDTH`]…[`HALF_WIDTH`], whole | kernels and questions: symmetric, 16 bits |
//! | [`Steps`] | 0…[`STEPS`](crate::STEPS) above the lower bound, whole; noise may lead outside | reports and codes |
//! | [`BoxPosition`] | −1…1 | centres of the curator, where the middle is 0 |
//! | [`UnitPosition`] | 0…1 | centres of the crowd's server |
//! | plain `f64` | the user's own units | tables and models |
//!
//! Lengths and errors are [`Widths`], where 1 is the whole interval, or [`BoxLength`], where it is 2. All conversions are
//! in this file and in [`LatticeMap`](crate::LatticeMap), which knows the intervals.
//!
//! A position is no length, and the compiler refuses one for the other:
//!
//! ```compile_fail
//! use shoal_lattice::{BoxPosition, Interval, Widths};
//!
//! fn plus_minus(error: Widths, interval: &Interval) -> f64 {
//!     error.in_user(interval)
//! }
//! plus_minus(BoxPosition(0.5), &Interval::new(17.0, 90.0).unwrap());
//! ```
//!
//! ```
//! # use shoal_lattice::{Interval, Widths};
//! #
//! # fn plus_minus(error: Widths, interval: &Interval) -> f64 {
//! #     error.in_user(interval)
//! # }
//! assert_eq!(plus_minus(Widths(0.5), &Interval::new(17.0, 90.0).unwrap()), 36.5);
//! ```
//!
//! Inside the numerical kernels, arrays stay bare numbers; `numbers` and `list` convert whole rows where they begin. So do
//! the bulk calls of `shoal-device` and `shoal-consortium` that run for every record: their whole numbers are steps, and
//! the name of each parameter says so.

use serde::{Deserialize, Serialize};

use crate::HALF_WIDTH;
use crate::bounds::Interval;

/// A lattice coordinate: the middle of the interval is 0, its ends are ∓[`HALF_WIDTH`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Lattice(pub i16);

/// Whole lattice steps above the lower bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Steps(pub i64);

/// A position in the interval stretched to [−1, 1].
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BoxPosition(pub f64);

/// A position in the interval stretched to [0, 1].
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct UnitPosition(pub f64);

/// A length or an error as a part of the interval: 1 is its whole width.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Widths(pub f64);

/// A length or an error in the box, where the interval is 2 long.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BoxLength(pub f64);

/// Rows of bare numbers, as kernels take and give them.
macro_rules! rows {
    ($($unit:ident),*) => {$(
        impl $unit {
            /// Bare numbers as values of this unit.
            pub fn list(numbers: &[f64]) -> Vec<Self> {
                numbers.iter().map(|&x| Self(x)).collect()
            }

            /// The bare numbers of a row.
            pub fn numbers(row: &[Self]) -> Vec<f64> {
                row.iter().map(|x| x.0).collect()
            }
        }
    )*};
}

rows!(BoxPosition, UnitPosition, Widths, BoxLength);

impl Lattice {
    /// The position in the box.
    pub fn in_box(self) -> BoxPosition {
        BoxPosition(f64::from(self.0) / f64::from(HALF_WIDTH))
    }

    /// The same position in steps above the lower bound.
    pub fn in_steps(self) -> Steps {
        Steps(i64::from(self.0) + i64::from(HALF_WIDTH))
    }
}

impl Steps {
    /// Bare whole steps, as the noise of reports works on them, as values of this unit.
    pub fn list(numbers: &[i64]) -> Vec<Self> {
        numbers.iter().map(|&x| Self(x)).collect()
    }

    /// The bare numbers of a row.
    pub fn numbers(row: &[Self]) -> Vec<i64> {
        row.iter().map(|x| x.0).collect()
    }

    /// The position in the box; outside [−1, 1] where noise led there.
    pub fn in_box(self) -> BoxPosition {
        BoxPosition(self.0 as f64 / f64::from(HALF_WIDTH) - 1.0)
    }

    /// The position in the unit interval; outside [0, 1] where noise led there.
    pub fn in_unit(self) -> UnitPosition {
        UnitPosition(self.0 as f64 / crate::STEPS as f64)
    }
}

impl BoxPosition {
    /// Where the values begin that are rounded to this lattice coordinate: half a step below it, or at the lower bound.
    /// One above the last coordinate gives the upper bound.
    pub fn lower_edge(coordinate: i32) -> Self {
        Self(((f64::from(coordinate) - 0.5) / f64::from(HALF_WIDTH)).clamp(-1.0, 1.0))
    }

    /// The same position in the unit interval.
    pub fn in_unit(self) -> UnitPosition {
        UnitPosition(0.5 * (self.0 + 1.0))
    }
}

impl UnitPosition {
    /// The same position in the box.
    pub fn in_box(self) -> BoxPosition {
        BoxPosition(2.0 * self.0 - 1.0)
    }

    /// The nearest whole step, of the nearest end for a position outside [0, 1].
    pub fn nearest_steps(self) -> Steps {
        Steps((self.0.clamp(0.0, 1.0) * crate::STEPS as f64).round() as i64)
    }

    /// The position of a value in the user's units.
    pub fn of_user(value: f64, interval: &Interval) -> Self {
        Self((value - interval.lo()) / interval.width())
    }
}

impl Widths {
    /// The same length in the box.
    pub fn in_box(self) -> BoxLength {
        BoxLength(2.0 * self.0)
    }

    /// A length in lattice steps, which need not be whole.
    pub fn of_lattice_length(length: f64) -> Self {
        Self(length / (2.0 * f64::from(HALF_WIDTH)))
    }

    /// The shorter of two lengths; where one is not a number, the other.
    #[must_use]
    pub fn at_most(self, other: Self) -> Self {
        Self(self.0.min(other.0))
    }

    /// The length in the user's units.
    pub fn in_user(self, interval: &Interval) -> f64 {
        self.0 * interval.width()
    }

    /// A length in the user's units as a part of its interval.
    pub fn of_user(length: f64, interval: &Interval) -> Self {
        Self(length / interval.width())
    }
}

impl BoxLength {
    /// The same length in widths.
    pub fn in_widths(self) -> Widths {
        Widths(0.5 * self.0)
    }

    /// The square of this length, as a variance in the box.
    pub fn squared(self) -> f64 {
        self.0.powi(2)
    }

    /// A variance that is measured in the box, in squared widths.
    pub fn variance_in_widths(variance: f64) -> f64 {
        0.25 * variance
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_and_the_middle_agree_in_all_units() {
        for (lattice, steps, unit) in [(-32_767, 0, 0.0), (0, 32_767, 0.5), (32_767, 65_534, 1.0)] {
            let lattice = Lattice(lattice);
            assert_eq!(lattice.in_steps(), Steps(steps));
            assert_eq!(Steps(steps).in_unit(), UnitPosition(unit));
            assert_eq!(Steps(steps).in_box(), lattice.in_box());
            assert_eq!(lattice.in_box().in_unit(), UnitPosition(unit));
            assert_eq!(UnitPosition(unit).in_box(), lattice.in_box());
        }
        let interval = Interval::new(10.0, 30.0).unwrap();
        assert_eq!(Widths(0.25).in_user(&interval), 5.0);
        assert_eq!(Widths::of_user(5.0, &interval), BoxLength(0.5).in_widths());
        assert_eq!(Widths(0.25).in_box(), BoxLength(0.5));
        assert_eq!(Widths::of_lattice_length(32_767.0), Widths(0.5));
        assert_eq!(Widths(f64::NAN).at_most(Widths(0.5)), Widths(0.5).at_most(Widths(3.0)));
        assert_eq!(BoxLength::variance_in_widths(BoxLength(0.5).squared()), 0.25 * 0.25);
        assert_eq!(UnitPosition::of_user(15.0, &interval), UnitPosition(0.25));
    }

    #[test]
    fn edges_lie_between_coordinates_and_end_with_the_bounds() {
        assert_eq!(BoxPosition::lower_edge(-32_767), BoxPosition(-1.0));
        assert_eq!(BoxPosition::lower_edge(32_768), BoxPosition(1.0));
        assert_eq!(BoxPosition::lower_edge(1), BoxPosition(0.5 / 32_767.0));
    }

    #[test]
    fn the_nearest_step_is_inside_the_interval() {
        for (unit, steps) in [(-3.0, 0), (0.0, 0), (0.5, 32_767), (0.6 / 65_534.0, 1), (1.0, 65_534), (7.0, 65_534)] {
            assert_eq!(UnitPosition(unit).nearest_steps(), Steps(steps));
        }
    }

    #[test]
    fn rows_of_numbers_come_back_as_they_were() {
        let numbers = [0.1, -2.0, 1e300];
        assert_eq!(BoxPosition::numbers(&BoxPosition::list(&numbers)), numbers);
    }
}
