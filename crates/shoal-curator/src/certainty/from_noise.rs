//! Intervals from the noise on the last sums alone: what can be known of methods that release no cells.
//!
//! Two standard deviations of the noise are a lower bound of the error: how noise moves the clusters themselves, which
//! decides what is summed, is not in it. So these intervals are marked `at_least`, and there is no stability.

use shoal_lattice::{BoxLength, BoxPosition, Widths};

use crate::certainty::{Certainty, Range};

/// The half-width of a normal distribution's central 95 %, in standard deviations.
pub const NORMAL: f64 = 1.96;

impl Certainty {
    /// From the standard deviation of the noise on each coordinate and on each size, if there are sizes.
    pub(crate) fn from_noise(centres: &[Vec<BoxPosition>], noise: &[Vec<Widths>]) -> Self {
        let half = |sd: &Widths| NORMAL * sd.in_box().0;
        let of = |(centre, sd): (&Vec<BoxPosition>, &Vec<Widths>)| {
            centre.iter().zip(sd).map(|(&x, sd)| around(x, half(sd))).collect()
        };
        let rerun = |sd: &Vec<Widths>| sd.iter().map(|sd| BoxLength(std::f64::consts::SQRT_2 * half(sd))).collect();
        Self {
            centres: centres.iter().zip(noise).map(of).collect(),
            rerun: noise.iter().map(rerun).collect(),
            sizes: Vec::new(),
            stability: Vec::new(),
            spread: Vec::new(),
            explained: None,
            at_least: true,
            evidence: None,
        }
    }

    /// With an interval for each size, from the standard deviation of its noise.
    pub(crate) fn with_size_noise(self, sizes: &[f64], noise: &[f64]) -> Self {
        let of = |(size, sd): (&f64, &f64)| around_size(*size, NORMAL * sd);
        Self { sizes: sizes.iter().zip(noise).map(of).collect(), ..self }
    }
}

/// An interval around a coordinate that stays in the box.
pub fn around(BoxPosition(x): BoxPosition, half: f64) -> Range<BoxPosition> {
    let half = if half.is_finite() { half } else { 2.0 };
    Range { low: BoxPosition((x - half).max(-1.0).min(x)), high: BoxPosition((x + half).min(1.0).max(x)) }
}

/// An interval around a number of rows, which is not negative.
pub fn around_size(size: f64, half: f64) -> Range<f64> {
    let half = if half.is_finite() { half } else { size };
    Range { low: (size - half).max(0.0), high: size + half }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_stay_in_the_box_and_hold_the_centre() {
        let centres = vec![BoxPosition::list(&[0.9, -0.2])];
        let found = Certainty::from_noise(&centres, &[vec![Widths(0.1), Widths(0.01)]]);
        assert_eq!(found.centres[0][0].high, BoxPosition(1.0));
        assert!((found.centres[0][1].low.0 + 0.2 + 0.0392).abs() < 1e-12);
        assert!((found.rerun[0][1].0 - 0.0392 * 2f64.sqrt()).abs() < 1e-12);
        assert!(found.at_least && found.stability.is_empty());
        let sized = found.with_size_noise(&[10.0], &[20.0]);
        assert_eq!((sized.sizes[0].low, sized.sizes[0].high), (0.0, 10.0 + 1.96 * 20.0));
    }
}
