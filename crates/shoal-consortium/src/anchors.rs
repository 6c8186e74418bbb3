//! The anchors r_1 … r_s of an attribute (eq. 1): positions around which a window of ±t is open.

use shoal_noise::{NoiseSource, uniform};

use crate::Attribute;

/// Anchors in lattice steps from the lower end of the range, each between −t and STEPS + t.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Anchors {
    positions: Vec<i32>,
    t_steps: u32,
}

impl Anchors {
    /// Draws them uniformly over the range, extended by t at both ends (SZY19 §III).
    pub fn draw(attribute: &Attribute, bits: u32, source: &mut impl NoiseSource) -> Self {
        let (t, mu) = (attribute.t_steps, attribute.mu_steps());
        // A position is below 2^26, so it fits.
        let positions = (0..bits).map(|_| uniform::below(source, mu) as i32 - t as i32).collect();
        Self { positions, t_steps: t }
    }

    /// Given anchors, for tests and worked examples.
    pub fn from_positions(positions: Vec<i32>, t_steps: u32) -> Self {
        Self { positions, t_steps }
    }

    /// The positions, one for each bit.
    pub fn positions(&self) -> &[i32] {
        &self.positions
    }

    /// Half the width of the windows.
    pub fn t_steps(&self) -> u32 {
        self.t_steps
    }

    /// Number of bits.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// True when there is none.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// Bit `i` of the code of the value at `x` steps (eq. 1).
    pub fn bit(&self, i: usize, x: i32) -> bool {
        self.positions[i].abs_diff(x) <= self.t_steps
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shoal_lattice::Interval;
    use shoal_lattice::STEPS;
    use shoal_noise::SeededNoise;

    #[test]
    fn anchors_fill_the_extended_range() {
        let attribute = Attribute::new("x", Interval::new(0.0, 20.0).unwrap(), 1.2).unwrap();
        let anchors = Anchors::draw(&attribute, 20_000, &mut SeededNoise::new(1));
        let (low, high) = (-(attribute.t_steps as i32), (STEPS + u64::from(attribute.t_steps)) as i32);
        assert!(anchors.positions().iter().all(|r| (low..=high).contains(r)));
        let beyond = |x: &&i32| **x < 0 || **x > STEPS as i32;
        let share = anchors.positions().iter().filter(beyond).count() as f64 / 20_000.0;
        assert!((share - 2.4 / 22.4).abs() < 0.01, "{share} of the anchors lie in the extension");
    }

    #[test]
    fn a_bit_is_set_inside_its_window_ends_included() {
        let anchors = Anchors::from_positions(vec![100], 10);
        let set = |x| anchors.bit(0, x);
        assert!(set(90) && set(100) && set(110) && !set(89) && !set(111));
    }
}
