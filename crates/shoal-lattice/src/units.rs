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
//! Lengths and errors are [`Widths`]: 1 is the whole interval. All conversions are in this file and in
//! [`LatticeMap`](crate::LatticeMap), which knows the intervals.

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

    /// The position of a value in the user's units.
    pub fn of_user(value: f64, interval: &Interval) -> Self {
        Self((value - interval.lo()) / interval.width())
    }
}

impl Widths {
    /// A length that is measured in the box, where the interval is 2 long.
    pub fn of_box_length(length: f64) -> Self {
        Self(0.5 * length)
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
        assert_eq!(Widths::of_user(5.0, &interval), Widths::of_box_length(0.5));
        assert_eq!(UnitPosition::of_user(15.0, &interval), UnitPosition(0.25));
    }
}
