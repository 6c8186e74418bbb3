//! Where things are: centres and noise as fractions of the public intervals, ticks, and places for badges.

use shoal::model::Model;
use shoal_lattice::Interval;
use shoal_page::svg::scale::round_step;
use shoal_page::text::{exponent, fixed, number};

/// Half width of a noise band, in standard deviations.
pub const BAND: f64 = 2.0;

/// Number of colours before they repeat; the numbers on the badges never do.
pub const COLOURS: usize = 6;

/// The class that gives what belongs to centre `c` its colour.
pub fn colour_class(c: usize) -> &'static str {
    ["c0", "c1", "c2", "c3", "c4", "c5"][c % COLOURS]
}

/// One coordinate of one centre, in fractions of its attribute's interval.
#[derive(Clone, Copy, Debug)]
pub struct Spot {
    /// Place of the centre, kept within 0 and 1.
    pub at: f64,
    /// Half width of its noise band, at most the whole interval.
    pub spread: f64,
}

impl Spot {
    /// The coordinate `attribute` of centre `c`.
    pub fn of(model: &Model, c: usize, attribute: usize) -> Self {
        let interval = &model.bounds[attribute];
        let band = BAND * model.centre_sd[c][attribute] / interval.width();
        let spread = if band.is_nan() { 1.0 } else { band.clamp(0.0, 1.0) };
        Self { at: fraction(interval, model.centres[c][attribute]), spread }
    }

    /// True when the band extends beyond the public interval.
    pub fn is_cut(self) -> bool {
        self.at - self.spread < -1e-9 || self.at + self.spread > 1.0 + 1e-9
    }
}

fn fraction(interval: &Interval, value: f64) -> f64 {
    if value.is_nan() {
        return 0.5;
    }
    ((value.clamp(interval.lo(), interval.hi()) - interval.lo()) / interval.width()).clamp(0.0, 1.0)
}

/// Round numbers within an interval, as fractions of it and labels.
pub fn ticks(interval: &Interval, about: f64) -> Vec<(f64, String)> {
    let ends = || vec![(0.0, number(interval.lo())), (1.0, number(interval.hi()))];
    let Some(step) = round_step(interval.width() / about, false) else { return ends() };
    let (first, last) = ((interval.lo() / step).ceil(), (interval.hi() / step).floor());
    // Where doubles are too coarse for the step, there are only the ends.
    if first.abs().max(last.abs()) > 1e9 || last - first < 1.0 {
        return ends();
    }
    let decimals = (-exponent(step * 1.000_001)).max(0);
    (0..=(last - first) as usize)
        .map(|i| (first + i as f64) * step)
        .map(|value| (fraction(interval, value), fixed(value, decimals)))
        .collect()
}

/// Radius of each bubble, its area proportional to the size; a dot is left of the empty ones.
pub fn radii(sizes: &[f64]) -> Vec<f64> {
    let largest = sizes.iter().copied().filter(|size| size.is_finite()).fold(0.0, f64::max);
    let full = (60.0 / (sizes.len() as f64).sqrt()).clamp(12.0, 26.0);
    let radius = |size: &f64| if largest > 0.0 && *size > 0.0 { full * (size / largest).min(1.0).sqrt() } else { 0.0 };
    sizes.iter().map(|size| radius(size).max(3.0)).collect()
}

/// Width and height the static picture is laid out for; the script lays it out again for the real ones.
const FRAME: (f64, f64) = (640.0, 420.0);

/// Offset of each centre's badge from its centre, chosen one after the other so that few cover each other.
///
/// The script repeats these rules; keep the two alike.
pub fn badge_offsets(spots: &[(f64, f64)], radii: &[f64]) -> Vec<(f64, f64)> {
    let points: Vec<_> = spots.iter().map(|(x, y)| (x * FRAME.0, (1.0 - y) * FRAME.1)).collect();
    let mut placed: Vec<(f64, f64)> = Vec::new();
    let mut offsets = Vec::new();
    for (i, (x, y)) in points.iter().copied().enumerate() {
        let mut best = (f64::INFINITY, 0.0, 0.0);
        for step in 0..32 {
            let (ring, turn) = (f64::from(step / 8), f64::from(step % 8));
            let (sin, cos) = ((turn - 1.0) * std::f64::consts::FRAC_PI_4).sin_cos();
            let distance = radii[i].max(15.0) + 14.0 * ring;
            let (dx, dy) = (distance * cos, distance * sin);
            let (bx, by) = (x + dx, y + dy);
            let near = |(px, py): &&(f64, f64), limit: f64| (px - bx).hypot(py - by) < limit;
            let outside = bx < 6.0 || by < 6.0 || bx > FRAME.0 - 6.0 || by > FRAME.1 - 6.0;
            let cost = 100.0 * placed.iter().filter(|p| near(p, 19.0)).count() as f64
                + 8.0 * points.iter().filter(|p| near(p, 13.0)).count() as f64
                + if outside { 60.0 } else { 0.0 }
                + 3.0 * ring
                + 0.1 * turn;
            if cost < best.0 {
                best = (cost, dx, dy);
            }
        }
        placed.push((x + best.1, y + best.2));
        offsets.push((best.1, best.2));
    }
    offsets
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(lo: f64, hi: f64) -> Vec<String> {
        ticks(&Interval::new(lo, hi).unwrap(), 5.0).into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn ticks_are_round_numbers_within_the_interval() {
        assert_eq!(labels(17.0, 90.0), ["20", "40", "60", "80"]);
        assert_eq!(labels(0.0, 1.0), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(labels(-1.0, 1.0), ["−1.0", "−0.5", "0.0", "0.5", "1.0"]);
        assert_eq!(labels(1e16, 1e16 + 4.0).len(), 2);
    }

    #[test]
    fn extreme_intervals_have_ticks_too() {
        for (lo, hi) in [(0.0, 5e-324), (0.0, f64::MAX), (-8e307, 8e307), (1.0, 1.0 + f64::EPSILON)] {
            let ticks = ticks(&Interval::new(lo, hi).unwrap(), 5.0);
            assert!((2..20).contains(&ticks.len()), "{ticks:?}");
            assert!(ticks.iter().all(|(at, _)| (0.0..=1.0).contains(at)), "{ticks:?}");
        }
    }

    #[test]
    fn badges_of_coincident_centres_do_not_cover_each_other() {
        let offsets = badge_offsets(&[(0.5, 0.5); 9], &[10.0; 9]);
        for (i, a) in offsets.iter().enumerate() {
            assert!(offsets[..i].iter().all(|b| (a.0 - b.0).hypot(a.1 - b.1) > 9.0), "{offsets:?}");
        }
    }

    #[test]
    fn areas_are_proportional_and_nothing_vanishes() {
        let radii = radii(&[400.0, 100.0, 0.0, -5.0]);
        assert!((radii[0] / radii[1] - 2.0).abs() < 1e-9);
        assert_eq!(radii[2..], [3.0, 3.0]);
        assert_eq!(super::radii(&[0.0, 0.0]), [3.0, 3.0]);
    }
}
