//! The affine map between the user's units and the lattice.

#[cfg(feature = "points")]
mod rows;

use crate::Bounds;
use crate::HALF_WIDTH;
use crate::units::{BoxPosition, Lattice, Steps};

/// Lattice steps across an interval.
const STEPS: f64 = 2.0 * HALF_WIDTH as f64;

/// Adding this to a number in `0..=STEPS` leaves its nearest integer in the low bits of the sum, ties to even. It is
/// the rounding of the addition itself, so it needs no rounding instruction and vectorises on every machine.
const ROUND: f64 = 4_503_599_627_370_496.0;

/// Intervals narrower than this are scaled up by [`LIFT`] first, so that steps per unit stays a finite number.
const NARROW: f64 = f64::from_bits((1023 - 500) << 52);
const LIFT: f64 = f64::from_bits((1023 + 500) << 52);

/// Maps values through public bounds: clamp to the interval, stretch it to `[-1, 1]`, round to a multiple of
/// `1 / HALF_WIDTH`.
///
/// A value exactly between two lattice points goes to the one an even number of steps above the lower bound. The map
/// never decreases, sends the ends of the interval to `-HALF_WIDTH` and `HALF_WIDTH`, and depends on nothing but
/// the value and the bounds.
#[derive(Clone, Debug, PartialEq)]
pub struct LatticeMap {
    axes: Vec<Axis>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Axis {
    lo: f64,
    hi: f64,
    lift: f64,
    /// Lattice steps per lifted unit.
    scale: f64,
}

impl Axis {
    /// The value's distance from the lower bound in steps, `0..=STEPS` up to a rounding far below half a step.
    fn steps(&self, value: f64) -> f64 {
        (value.max(self.lo).min(self.hi) - self.lo) * self.lift * self.scale
    }

    fn round(&self, value: f64) -> i16 {
        ((self.steps(value) + ROUND).to_bits() as i16).wrapping_sub(HALF_WIDTH as i16)
    }
}

impl LatticeMap {
    /// The map of `bounds`.
    pub fn new(bounds: &Bounds) -> Self {
        let axis = |interval: &super::Interval| {
            let width = interval.width();
            let lift = if width < NARROW { LIFT } else { 1.0 };
            Axis { lo: interval.lo(), hi: interval.hi(), lift, scale: STEPS / (width * lift) }
        };
        Self { axes: bounds.intervals().iter().map(axis).collect() }
    }

    /// Number of attributes.
    pub fn dims(&self) -> usize {
        self.axes.len()
    }

    /// The lattice coordinate of a value in the user's units, or nothing for NaN and infinities, which stand for
    /// missing values.
    pub fn to_lattice(&self, attribute: usize, value: f64) -> Option<Lattice> {
        value.is_finite().then(|| Lattice(self.axes[attribute].round(value)))
    }

    /// The same in whole steps above the lower bound, `0..=STEPS`.
    pub fn to_steps(&self, attribute: usize, value: f64) -> Option<Steps> {
        Some(self.to_lattice(attribute, value)?.in_steps())
    }

    /// The user's value of a position in steps above the lower bound. Noise may lead below zero and above
    /// [`STEPS`](crate::STEPS), which gives values outside the interval.
    pub fn from_steps(&self, attribute: usize, steps: Steps) -> f64 {
        self.to_user(attribute, steps.in_box())
    }

    /// [`Self::to_lattice`] for many values of one attribute. Stops with the position of the first value that is not
    /// finite; `out` then holds no meaningful numbers.
    ///
    /// Columns are bare numbers, the inside of a [`Lattice`] each: tables of millions of rows go through here straight
    /// into the memory of the kernels.
    ///
    /// # Panics
    /// When `out` has another length than `values`.
    pub fn column_to_lattice(&self, attribute: usize, values: &[f64], out: &mut [i16]) -> Result<(), usize> {
        assert_eq!(values.len(), out.len());
        let axis = self.axes[attribute];
        let mut finite = true;
        for (x, to) in values.iter().zip(out) {
            finite &= x.abs() < f64::INFINITY;
            *to = axis.round(*x);
        }
        if finite { Ok(()) } else { Err(values.iter().position(|x| !x.is_finite()).unwrap_or(0)) }
    }

    /// The user's value of a lattice coordinate.
    pub fn from_lattice(&self, attribute: usize, coordinate: Lattice) -> f64 {
        self.to_user(attribute, coordinate.in_box())
    }

    /// The user's value of a position in the box. Positions outside the box give values outside the interval.
    pub fn to_user(&self, attribute: usize, BoxPosition(position): BoxPosition) -> f64 {
        let Axis { lo, hi, .. } = self.axes[attribute];
        // From the nearer end, so that both ends come back exactly.
        if position < 0.0 { lo + (position + 1.0) * 0.5 * (hi - lo) } else { hi - (1.0 - position) * 0.5 * (hi - lo) }
    }

    /// The position in the box, unrounded, of a value that is clamped to its interval first. For released centres.
    pub fn to_box(&self, attribute: usize, value: f64) -> BoxPosition {
        BoxPosition((self.axes[attribute].steps(value) / f64::from(HALF_WIDTH) - 1.0).clamp(-1.0, 1.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Interval;
    use proptest::prelude::*;

    fn map(lo: f64, hi: f64) -> LatticeMap {
        LatticeMap::new(&Bounds::new(vec!["x".into()], vec![Interval::new(lo, hi).unwrap()]).unwrap())
    }

    #[test]
    fn awkward_numbers_land_where_they_should() {
        let unit = map(-1.0, 1.0);
        assert_eq!(unit.to_lattice(0, -0.0), unit.to_lattice(0, 0.0));
        assert_eq!(unit.to_lattice(0, 0.0), Some(Lattice(0)));
        assert_eq!(unit.to_lattice(0, 5e-324), Some(Lattice(0)));
        assert_eq!(unit.to_lattice(0, 1e308), Some(Lattice(32_767)));
        assert_eq!(unit.to_lattice(0, -f64::MAX), Some(Lattice(-32_767)));
        for missing in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert_eq!(unit.to_lattice(0, missing), None);
        }
        let wide = map(0.0, f64::MAX);
        assert_eq!(
            wide.to_lattice(0, 1e308),
            Some(Lattice((65_534.0 * (1e308 / f64::MAX) - 32_767.0_f64).round() as i16))
        );
        let narrow = map(0.0, 5e-324);
        assert_eq!(
            (narrow.to_lattice(0, 0.0), narrow.to_lattice(0, 5e-324)),
            (Some(Lattice(-32_767)), Some(Lattice(32_767)))
        );
    }

    #[test]
    fn a_tie_goes_to_the_even_step() {
        let whole = map(0.0, 65_534.0);
        assert_eq!(whole.to_lattice(0, 0.5), Some(Lattice(-32_767)));
        assert_eq!(whole.to_lattice(0, 1.5), Some(Lattice(-32_765)));
        assert_eq!(whole.to_lattice(0, 2.5), Some(Lattice(-32_765)));
    }

    #[test]
    fn a_column_stops_at_the_first_missing_value() {
        let unit = map(-1.0, 1.0);
        let mut out = [0; 3];
        assert_eq!(unit.column_to_lattice(0, &[0.0, f64::NAN, f64::INFINITY], &mut out), Err(1));
        assert_eq!(unit.column_to_lattice(0, &[-1.0, 0.0, 1.0], &mut out), Ok(()));
        assert_eq!(out, [-32_767, 0, 32_767]);
    }

    fn interval() -> impl Strategy<Value = (f64, f64)> {
        (any::<f64>(), any::<f64>())
            .prop_map(|(a, b)| (a.min(b), a.max(b)))
            .prop_filter("an interval", |(lo, hi)| Interval::new(*lo, *hi).is_ok())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(10_000))]

        #[test]
        fn ends_are_exact_and_nothing_leaves_the_box((lo, hi) in interval(), x in any::<f64>()) {
            let map = map(lo, hi);
            prop_assert_eq!(map.to_lattice(0, lo), Some(Lattice(-32_767)));
            prop_assert_eq!(map.to_lattice(0, hi), Some(Lattice(32_767)));
            prop_assert_eq!(map.from_lattice(0, Lattice(-32_767)), lo);
            prop_assert_eq!(map.from_lattice(0, Lattice(32_767)), hi);
            if x.is_finite() {
                prop_assert!(map.to_lattice(0, x).unwrap() > Lattice(i16::MIN));
            }
        }

        #[test]
        fn larger_values_never_map_lower((lo, hi) in interval(), s in 0.0..=1.0f64, t in 0.0..=1.0f64) {
            let map = map(lo, hi);
            let at = |s: f64| lo + s * (hi - lo);
            let (a, b) = (at(s.min(t)), at(s.max(t)));
            prop_assert!(a > b || map.to_lattice(0, a).unwrap() <= map.to_lattice(0, b).unwrap());
            prop_assert!(map.to_lattice(0, a).unwrap() <= map.to_lattice(0, a.next_up().min(f64::MAX)).unwrap());
        }

        #[test]
        fn a_round_trip_moves_a_value_by_half_a_step_at_most((lo, hi) in interval(), s in 0.0..=1.0f64) {
            let map = map(lo, hi);
            let x = (lo + s * (hi - lo)).clamp(lo, hi);
            let back = map.from_lattice(0, map.to_lattice(0, x).unwrap());
            let last_digit = 4.0 * f64::EPSILON * lo.abs().max(hi.abs()) + 1e-322;
            prop_assert!((back - x).abs() <= (hi - lo) / STEPS * 0.5 * (1.0 + 1e-9) + last_digit);
        }

        #[test]
        fn box_units_agree_with_the_lattice((lo, hi) in interval(), s in 0.0..=1.0f64) {
            let map = map(lo, hi);
            let x = (lo + s * (hi - lo)).clamp(lo, hi);
            let coordinate = f64::from(map.to_lattice(0, x).unwrap().0);
            prop_assert!((map.to_box(0, x).0 * 32_767.0 - coordinate).abs() <= 0.5 + 1e-6);
        }

        #[test]
        fn a_column_maps_as_its_values_do((lo, hi) in interval(), values in prop::collection::vec(-1e9..1e9f64, 0..70)) {
            let map = map(lo, hi);
            let mut out = vec![0; values.len()];
            prop_assert_eq!(map.column_to_lattice(0, &values, &mut out), Ok(()));
            for (x, coordinate) in values.iter().zip(out) {
                prop_assert_eq!(map.to_lattice(0, *x), Some(Lattice(coordinate)));
            }
        }
    }
}
