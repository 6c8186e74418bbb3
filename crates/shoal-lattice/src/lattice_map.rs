//! The map between the user's units and the lattice: affine, unless a column is stretched.

#[cfg(feature = "points")]
mod rows;

use crate::Bounds;
use crate::HALF_WIDTH;
use crate::scale::Scale;
use crate::units::{BoxLength, BoxPosition, Lattice, Steps, Widths};

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
/// the value and the bounds. Where a column has a scale, the same happens to its stretched values; where it weighs less than
/// another, its interval takes only a part of the lattice, around the middle.
#[derive(Clone, Debug, PartialEq)]
pub struct LatticeMap {
    axes: Vec<Axis>,
}

/// The affine part of the map, of the user's values or, with a curve, of stretched ones.
#[derive(Clone, Debug, PartialEq)]
struct Axis {
    lo: f64,
    hi: f64,
    lift: f64,
    /// Lattice steps per lifted unit.
    scale: f64,
    curve: Option<Curve>,
}

/// What makes an axis more than affine.
#[derive(Clone, Debug, PartialEq)]
struct Curve {
    of: Scale,
    /// The bounds in the user's units.
    lo: f64,
    hi: f64,
    /// The part of the lattice, around its middle, that the interval takes up: the column's share of the largest weight.
    part: f64,
}

impl Axis {
    /// The value's distance from the lower bound in steps, `0..=STEPS` up to a rounding far below half a step.
    fn steps(&self, value: f64) -> f64 {
        match &self.curve {
            None => self.affine(value),
            Some(curve) => self.curved(curve, value),
        }
    }

    #[inline(always)]
    fn affine(&self, value: f64) -> f64 {
        (value.max(self.lo).min(self.hi) - self.lo) * self.lift * self.scale
    }

    fn curved(&self, curve: &Curve, value: f64) -> f64 {
        let half = f64::from(HALF_WIDTH);
        let whole = self.affine(curve.of.forward(value.max(curve.lo).min(curve.hi)));
        // Whatever rounding did on the way, nothing leaves the lattice: sensitivities rest on this.
        (half + (whole - half) * curve.part).clamp(0.0, STEPS)
    }

    /// The value at a position in the interval stretched to [−1, 1].
    fn value(&self, position: f64) -> f64 {
        // From the nearer end, so that both ends come back exactly.
        if position < 0.0 {
            self.lo + (position + 1.0) * 0.5 * (self.hi - self.lo)
        } else {
            self.hi - (1.0 - position) * 0.5 * (self.hi - self.lo)
        }
    }

    /// The user's units of a box length of 1 around a position in the box.
    fn slope(&self, position: f64) -> f64 {
        let whole = 0.5 * (self.hi - self.lo);
        let Some(curve) = &self.curve else { return whole };
        // Half a step above the lower bound at least: the slope of a square is zero at zero.
        let at = self.value((position / curve.part).clamp(1.0 / STEPS - 1.0, 1.0));
        curve.of.slope(at) * whole / curve.part
    }

    fn round(&self, value: f64) -> i16 {
        rounded(self.steps(value))
    }
}

/// The lattice coordinate nearest to so many steps above the lower bound.
#[inline(always)]
fn rounded(steps: f64) -> i16 {
    ((steps + ROUND).to_bits() as i16).wrapping_sub(HALF_WIDTH as i16)
}

impl LatticeMap {
    /// The map of `bounds`.
    pub fn new(bounds: &Bounds) -> Self {
        let most = bounds.weights().iter().copied().fold(0.0, f64::max);
        let axis = |((interval, scale), weight): ((&super::Interval, &Scale), &f64)| {
            let part = weight / most;
            let curved = !scale.is_linear() || part != 1.0;
            let curve = curved.then(|| Curve { of: scale.clone(), lo: interval.lo(), hi: interval.hi(), part });
            let (lo, hi) = (scale.forward(interval.lo()), scale.forward(interval.hi()));
            let width = hi - lo;
            let lift = if width < NARROW { LIFT } else { 1.0 };
            Axis { lo, hi, lift, scale: STEPS / (width * lift), curve }
        };
        let columns = bounds.intervals().iter().zip(bounds.scales()).zip(bounds.weights());
        Self { axes: columns.map(axis).collect() }
    }

    /// Whether no column is stretched and all weigh the same.
    pub fn is_plain(&self) -> bool {
        self.axes.iter().all(|axis| axis.curve.is_none())
    }

    /// How much of the box the interval of an attribute takes up: all of it, unless another weighs more.
    pub fn part(&self, attribute: usize) -> Widths {
        Widths(self.axes[attribute].curve.as_ref().map_or(1.0, |curve| curve.part))
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
        let axis = &self.axes[attribute];
        let mut finite = true;
        // Two loops: the affine one vectorises.
        match &axis.curve {
            None => values.iter().zip(out).for_each(|(x, to)| {
                finite &= x.abs() < f64::INFINITY;
                *to = rounded(axis.affine(*x));
            }),
            Some(curve) => values.iter().zip(out).for_each(|(x, to)| {
                finite &= x.abs() < f64::INFINITY;
                *to = rounded(axis.curved(curve, *x));
            }),
        }
        if finite { Ok(()) } else { Err(values.iter().position(|x| !x.is_finite()).unwrap_or(0)) }
    }

    /// The user's value of a lattice coordinate.
    pub fn from_lattice(&self, attribute: usize, coordinate: Lattice) -> f64 {
        self.to_user(attribute, coordinate.in_box())
    }

    /// The user's value of a position in the box. Positions outside the box give values outside the interval, unless the
    /// column is stretched or has a lower weight than another: then they give the nearest bound.
    pub fn to_user(&self, attribute: usize, BoxPosition(position): BoxPosition) -> f64 {
        let axis = &self.axes[attribute];
        let Some(curve) = &axis.curve else { return axis.value(position) };
        match position / curve.part {
            low if low <= -1.0 => curve.lo,
            high if high >= 1.0 => curve.hi,
            inside => curve.of.inverse(axis.value(inside)).max(curve.lo).min(curve.hi),
        }
    }

    /// The position in the box, unrounded, of a value that is clamped to its interval first. For released centres.
    pub fn to_box(&self, attribute: usize, value: f64) -> BoxPosition {
        BoxPosition((self.axes[attribute].steps(value) / f64::from(HALF_WIDTH) - 1.0).clamp(-1.0, 1.0))
    }

    /// A short length in the user's units, such as a standard deviation, around a position in the box.
    pub fn length_in_box(&self, attribute: usize, around: BoxPosition, length: f64) -> BoxLength {
        BoxLength(length / self.axes[attribute].slope(around.0))
    }

    /// A short length in the box, such as a standard deviation, around a position in the box, in the user's units.
    pub fn length_in_user(&self, attribute: usize, around: BoxPosition, length: BoxLength) -> f64 {
        let axis = &self.axes[attribute];
        match &axis.curve {
            // In this order, which keeps every digit of a length in widths.
            None => length.in_widths().0 * (axis.hi - axis.lo),
            Some(_) => length.0 * axis.slope(around.0),
        }
    }
}

#[cfg(test)]
mod tests;
