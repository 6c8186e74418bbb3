//! Where a box of a tree is cut, if it is: a matter of public or released values only.

use std::fmt::Debug;

/// Where a box is cut.
///
/// *Privacy.* A rule sees a box and its depth and whatever it was made of, which must be public or released before.
pub trait CutRule: Debug + Send + Sync {
    /// The axis across which the box from `low` to `high` (both inclusive) is cut, and the first coordinate of its upper
    /// part; none when it is to stay whole.
    fn cut(&self, low: &[i16], high: &[i16], depth: u32) -> Option<(usize, i16)>;
}

/// The widest side is cut in the middle, the first of equals: round-robin, as long as all sides weigh the same.
#[derive(Clone, Debug, PartialEq)]
pub struct WidestSide {
    weights: Vec<f64>,
}

impl WidestSide {
    /// All sides weigh the same.
    pub fn new(dims: usize) -> Self {
        Self { weights: vec![1.0; dims] }
    }

    /// Widths are compared after multiplication with these; a side of weight 0 is cut only when no other can be.
    ///
    /// # Panics
    /// When a weight is negative or not finite.
    pub fn weighted(weights: Vec<f64>) -> Self {
        assert!(
            weights.iter().all(|&weight| weight >= 0.0 && weight.is_finite()),
            "weights are finite and not negative"
        );
        Self { weights }
    }
}

impl CutRule for WidestSide {
    fn cut(&self, low: &[i16], high: &[i16], _depth: u32) -> Option<(usize, i16)> {
        let mut widest = None;
        let mut width_of_widest = -1.0;
        for (axis, (&low, &high)) in low.iter().zip(high).enumerate() {
            let steps = i32::from(high) - i32::from(low);
            // A missing weight is one too few, and such a side is as wide as it is.
            let width = f64::from(steps) * self.weights.get(axis).copied().unwrap_or(1.0);
            if steps > 0 && width > width_of_widest {
                width_of_widest = width;
                widest = Some((axis, (i32::from(low) + (steps + 1) / 2) as i16));
            }
        }
        widest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_widest_side_is_halved_and_single_positions_stay() {
        let rule = WidestSide::new(3);
        assert_eq!(rule.cut(&[0, -32_767, 0], &[5, 32_767, 9], 7), Some((1, 0)));
        assert_eq!(rule.cut(&[0, 0, 0], &[1, 1, 0], 7), Some((0, 1)));
        assert_eq!(rule.cut(&[4, 4, 4], &[4, 4, 4], 7), None);
        let weighted = WidestSide::weighted(vec![0.0, 1.0, 3.0]);
        assert_eq!(weighted.cut(&[0; 3], &[100, 10, 8], 0), Some((2, 4)));
        assert_eq!(weighted.cut(&[0; 3], &[100, 0, 0], 0), Some((0, 50)));
    }
}
