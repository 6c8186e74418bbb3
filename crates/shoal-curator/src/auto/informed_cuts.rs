//! Cuts where the released law of the attributes says that rows differ most.
//!
//! Of all sides of a box the one is cut along which rows vary most, given what is known of the attribute ([`AxisLaw`]), and
//! it is cut at their mean: that lowers the sum of squared distances within boxes most, which is what k-means is about. With
//! uniform laws this is the middle of the widest side.
//!
//! *Privacy.* Cuts are functions of released numbers ([`crate::auto::moments`]), as [`CutRule`] demands.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::CutRule;
use crate::auto::axis_law::AxisLaw;
use crate::auto::side_moments::SideMoments;
use shoal_lattice::{BoxPosition, HALF_WIDTH};

/// Cuts by the laws of the attributes.
#[derive(Clone, Debug)]
pub struct InformedCuts {
    laws: Arc<[AxisLaw]>,
    /// Mean and variance by axis and interval. Boxes share their sides: an axis is cut in the same places everywhere.
    known: Arc<Mutex<SideMoments>>,
}

impl InformedCuts {
    /// One law per attribute.
    pub fn new(laws: Vec<AxisLaw>) -> Self {
        Self { laws: laws.into(), known: Arc::default() }
    }

    /// What is known of an attribute.
    pub fn law(&self, axis: usize) -> &AxisLaw {
        &self.laws[axis]
    }

    /// Mean and variance of the rows of boxes along their axes, for many look-ups.
    pub fn sides(&self) -> Sides<'_> {
        Sides { laws: &self.laws, known: self.known.lock().unwrap_or_else(PoisonError::into_inner) }
    }
}

/// What is known of the sides of boxes.
pub struct Sides<'a> {
    laws: &'a [AxisLaw],
    known: MutexGuard<'a, SideMoments>,
}

impl Sides<'_> {
    /// Mean and variance of the rows of a box along `axis`, in box units.
    pub fn within(&mut self, axis: usize, low: i16, high: i16) -> (f64, f64) {
        let edge = |coordinate: i32| BoxPosition::lower_edge(coordinate).0;
        let compute = || self.laws[axis].within(edge(i32::from(low)), edge(i32::from(high) + 1));
        self.known.get(axis, low, high, compute)
    }
}

impl CutRule for InformedCuts {
    fn cut(&self, low: &[i16], high: &[i16], _depth: u32) -> Option<(usize, i16)> {
        let mut sides = self.sides();
        let mut best: Option<(f64, usize, f64)> = None;
        for (axis, (&low, &high)) in low.iter().zip(high).enumerate() {
            if low == high {
                continue;
            }
            let (mean, variance) = sides.within(axis, low, high);
            if best.is_none_or(|(most, ..)| variance > most) {
                best = Some((variance, axis, mean));
            }
        }
        best.map(|(_, axis, mean)| {
            let at = (mean * f64::from(HALF_WIDTH)).ceil() as i32;
            (axis, at.clamp(i32::from(low[axis]) + 1, i32::from(high[axis])) as i16)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_side_with_most_variance_is_cut_at_the_mean() {
        let rule =
            InformedCuts::new(vec![AxisLaw::with_moments(-0.5, 0.01, 0.0), AxisLaw::with_moments(0.25, 0.1, 0.0)]);
        let (axis, at) = rule.cut(&[-32_767; 2], &[32_767; 2], 0).unwrap();
        assert_eq!(axis, 1);
        assert!((f64::from(at) / 32_767.0 - 0.25).abs() < 0.01);
        // The half of a side varies less.
        assert_eq!(rule.cut(&[-32_767, 0], &[32_767, 2000], 1).unwrap().0, 0);
    }

    #[test]
    fn uniform_laws_halve_the_widest_side_and_points_stay_whole() {
        let rule = InformedCuts::new(vec![AxisLaw::UNIFORM; 2]);
        assert_eq!(rule.cut(&[-32_767, 0], &[32_767, 9], 0), Some((0, 0)));
        assert_eq!(rule.cut(&[4, 0], &[4, 1], 0), Some((1, 1)));
        assert_eq!(rule.cut(&[4, 7], &[4, 7], 0), None);
    }

    #[test]
    fn both_parts_of_a_cut_have_positions() {
        let rule =
            InformedCuts::new(vec![AxisLaw::with_moments(-1.0, 1e-6, 0.0), AxisLaw::with_moments(1.0, 1e-6, 0.0)]);
        for (low, high) in [([-32_767, -32_767], [-32_766, 32_767]), ([5, 9], [6, 10]), ([32_766, 0], [32_767, 1])] {
            let (axis, at) = rule.cut(&low, &high, 3).unwrap();
            assert!(low[axis] < at && at <= high[axis]);
        }
    }
}
