//! Where things are: centres, spreads and intervals as fractions of what is shown, ticks, and places for badges.

use shoal::facts::{ClusterFacts, Facts};
use shoal::model::Model;
use shoal_lattice::{Interval, Scale};
use shoal_page::svg::scale::round_step;
use shoal_page::text::{exponent, fixed, number};

/// How far a cluster's spread is drawn, in standard deviations of its rows.
pub const SPREAD: f64 = 2.0;

/// Number of colours before they repeat; the numbers on the badges never do.
pub const COLOURS: usize = 20;

/// The class that gives what belongs to the cluster with this number its colour.
pub fn colour_class(number: usize) -> String {
    format!("c{}", number.saturating_sub(1) % COLOURS)
}

/// The part of a column's range that is shown. The axis of a stretched column is stretched, too.
#[derive(Clone, Debug)]
pub struct View {
    lo: f64,
    hi: f64,
    /// The scale of the column, with the bounds in which it is defined; nothing where the column is not stretched.
    stretched: Option<(Scale, Interval)>,
}

impl View {
    /// All that the public bounds allow.
    pub fn full(model: &Model, column: usize) -> Self {
        let bounds = model.bounds[column];
        let scale = model.scale(column);
        let stretched = (!scale.is_linear()).then(|| (scale.clone(), bounds));
        Self { stretched, ..Self::plain(&bounds) }
    }

    /// An interval that is not stretched.
    fn plain(bounds: &Interval) -> Self {
        Self { lo: bounds.lo(), hi: bounds.hi(), stretched: None }
    }

    /// A value as far along the axis as it is drawn.
    fn along(&self, value: f64) -> f64 {
        match &self.stretched {
            None => value,
            Some((scale, bounds)) => scale.forward(value.clamp(bounds.lo(), bounds.hi())),
        }
    }

    /// The value that is drawn there.
    fn back(&self, along: f64) -> f64 {
        match &self.stretched {
            None => along,
            Some((scale, bounds)) => scale.inverse(along).clamp(bounds.lo(), bounds.hi()),
        }
    }

    /// What the drawn clusters take: two standard deviations of their rows each way, or their intervals, and a margin.
    /// It is found in released numbers alone.
    pub fn zoomed(model: &Model, facts: &Facts, column: usize) -> Self {
        let full = Self::full(model, column);
        let [first, last] = [full.lo, full.hi].map(|end| full.along(end));
        let drawn: Vec<&ClusterFacts> = facts.clusters.iter().filter(|cluster| cluster.reliance.is_drawn()).collect();
        let drawn = if drawn.is_empty() { facts.clusters.iter().collect() } else { drawn };
        let ends = drawn.iter().map(|cluster| {
            let value = cluster.values[column];
            let spread = cluster.spread.as_ref().map_or(0.0, |spread| SPREAD * spread[column]);
            let half = value.interval().and_then(|_| value.half_width()).unwrap_or(0.0);
            let half = spread.max(half);
            if half.is_finite() && value.value.is_finite() {
                (full.along(value.value - half), full.along(value.value + half))
            } else {
                (first, last)
            }
        });
        let (lo, hi) = ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), (a, b)| (lo.min(a), hi.max(b)));
        let (lo, hi) = (lo.clamp(first, last), hi.clamp(first, last));
        // A twelfth of it on each side (more where only centres are known), and never less than a part of the range.
        let only_centres = facts.clusters.iter().all(|cluster| cluster.spread.is_none());
        let margin = ((hi - lo) / if only_centres { 5.0 } else { 12.0 })
            .max((last / 40.0 - first / 40.0) * if hi > lo { 0.5 } else { 1.0 });
        let (lo, hi) = ((lo - margin).max(first), (hi + margin).min(last));
        let sensible = hi > lo && (hi - lo).is_finite() && hi - lo < 0.85 * (last - first);
        if sensible { Self { lo: full.back(lo), hi: full.back(hi), ..full } } else { full }
    }

    fn width(&self) -> f64 {
        self.hi - self.lo
    }

    /// Its ends, in words.
    pub fn ends(&self, bounds: &Interval) -> (String, String) {
        let step = self.width() / 50.0;
        let end = |value: f64, bound: f64| {
            if value == bound || !(step.is_finite() && step > 0.0) {
                number(value)
            } else if self.stretched.is_some() {
                // Two digits of its own: those of the upper end would be too few for the lower one.
                fixed(value, 1 - exponent(value))
            } else {
                fixed(value, -exponent(step))
            }
        };
        (end(self.lo, bounds.lo()), end(self.hi, bounds.hi()))
    }

    /// Where a value is; beyond the ends below 0 or above 1, but not far.
    pub fn place(&self, value: f64) -> f64 {
        if value.is_nan() {
            return 0.5;
        }
        let [lo, hi, value] = [self.lo, self.hi, value].map(|x| self.along(x));
        let width = hi - lo;
        // Halves first: the width of the widest interval is beyond what a double holds.
        let place =
            if width.is_finite() { (value - lo) / width } else { (value / 2.0 - lo / 2.0) / (hi / 2.0 - lo / 2.0) };
        if place.is_nan() { 0.5 } else { place.clamp(-3.0, 4.0) }
    }

    /// Round numbers within it, as fractions of it and labels.
    pub fn ticks(&self, about: f64) -> Vec<(f64, String)> {
        match &self.stretched {
            Some((scale, _)) => self.stretched_ticks(scale, about),
            None => self.even_ticks(about),
        }
    }

    fn even_ticks(&self, about: f64) -> Vec<(f64, String)> {
        let ends = || vec![(0.0, number(self.lo)), (1.0, number(self.hi))];
        let Some(step) = round_step(self.width() / about, false) else { return ends() };
        let (first, last) = ((self.lo / step).ceil(), (self.hi / step).floor());
        // Where doubles are too coarse for the step, there are only the ends.
        let farthest = first.abs().max(last.abs());
        if farthest.is_nan() || farthest > 1e9 || last - first < 1.0 {
            return ends();
        }
        let decimals = (-exponent(step * 1.000_001)).max(0);
        (0..=(last - first) as usize)
            .map(|i| (first + i as f64) * step)
            .map(|value| (self.place(value).clamp(0.0, 1.0), fixed(value, decimals)))
            .collect()
    }

    /// 1, 2 and 5 times powers of ten for logarithms, the quantiles of a rank, and even steps for roots; as many as there is room
    /// for.
    fn stretched_ticks(&self, scale: &Scale, about: f64) -> Vec<(f64, String)> {
        let within = |value: &f64| (self.lo..=self.hi).contains(value);
        let decades = |digits: &[f64]| -> Vec<f64> {
            let (low, high) = (self.hi.abs().max(self.lo.abs()) * 1e-12, self.hi.abs().max(self.lo.abs()));
            let powers = (low.max(self.lo).log10().floor() as i32)..=(high.log10().ceil() as i32);
            let values = powers.flat_map(|power| digits.iter().map(move |digit| digit * 10f64.powi(power)));
            std::iter::once(0.0).chain(values).filter(within).collect()
        };
        let values = match scale {
            Scale::Rank(knots) => knots.iter().copied().filter(within).collect(),
            Scale::Log | Scale::Log1p => {
                let all = decades(&[1.0, 2.0, 5.0]);
                if all.len() as f64 > 1.5 * about { decades(&[1.0]) } else { all }
            }
            _ => Vec::new(),
        };
        // Those that are far enough from the one before.
        let mut ticks: Vec<(f64, String)> = Vec::new();
        for value in values {
            let at = self.place(value).clamp(0.0, 1.0);
            if ticks.last().is_none_or(|(before, _)| at - before > 0.6 / about) {
                ticks.push((at, number(value)));
            }
        }
        if ticks.len() >= 2 { ticks } else { self.even_ticks(about) }
    }
}

/// One coordinate of one centre, in fractions of what is shown.
#[derive(Clone, Copy, Debug)]
pub struct Spot {
    /// Place of the centre.
    pub at: f64,
    /// Ends of its interval; both at the centre where the error is not known.
    pub interval: [f64; 2],
    /// Ends of its spread; both at the centre where that is not known.
    pub spread: [f64; 2],
}

impl Spot {
    /// The coordinate of a cluster in a column.
    pub fn of(cluster: &ClusterFacts, column: usize, view: &View) -> Self {
        let value = cluster.values[column];
        let at = view.place(value.value);
        let interval = value.interval().map_or([at; 2], |ends| ends.map(|end| view.place(end)));
        let sd = cluster.spread.as_ref().map(|spread| SPREAD * spread[column]).filter(|sd| sd.is_finite());
        let spread = sd.map_or([at; 2], |sd| [view.place(value.value - sd), view.place(value.value + sd)]);
        Self { at, interval, spread }
    }
}

/// Width and height the static picture is laid out for; the script lays it out again for the real ones.
const FRAME: (f64, f64) = (640.0, 420.0);

/// Offset of each centre's badge from its centre, chosen one after the other so that few cover each other.
///
/// The script repeats these rules; keep the two alike.
pub fn badge_offsets(spots: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let points: Vec<_> = spots.iter().map(|(x, y)| (x * FRAME.0, (1.0 - y) * FRAME.1)).collect();
    let mut placed: Vec<(f64, f64)> = Vec::new();
    let mut offsets = Vec::new();
    for (x, y) in points.iter().copied() {
        let mut best = (f64::INFINITY, 0.0, 0.0);
        for step in 0..32 {
            let (ring, turn) = (f64::from(step / 8), f64::from(step % 8));
            let (sin, cos) = ((turn - 1.0) * std::f64::consts::FRAC_PI_4).sin_cos();
            let distance = 16.0 + 14.0 * ring;
            let (dx, dy) = (distance * cos, distance * sin);
            let (bx, by) = (x + dx, y + dy);
            let near = |(px, py): &&(f64, f64), limit: f64| (px - bx).hypot(py - by) < limit;
            let outside = bx < 10.0 || by < 10.0 || bx > FRAME.0 - 10.0 || by > FRAME.1 - 10.0;
            let cost = 100.0 * placed.iter().filter(|p| near(p, 21.0)).count() as f64
                + 8.0 * points.iter().filter(|p| near(p, 14.0)).count() as f64
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

    fn view(lo: f64, hi: f64) -> View {
        View::plain(&Interval::new(lo, hi).unwrap())
    }

    fn labels(lo: f64, hi: f64) -> Vec<String> {
        view(lo, hi).ticks(5.0).into_iter().map(|(_, label)| label).collect()
    }

    #[test]
    fn ticks_are_round_numbers_within_the_interval() {
        assert_eq!(labels(17.0, 90.0), ["20", "40", "60", "80"]);
        assert_eq!(labels(0.0, 1.0), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(labels(-1.0, 1.0), ["−1.0", "−0.5", "0.0", "0.5", "1.0"]);
        assert_eq!(labels(1e16, 1e16 + 4.0).len(), 2);
        assert!(view(0.0, 100.0).ticks(7.0).len() >= 5);
    }

    #[test]
    fn extreme_intervals_have_ticks_and_places_too() {
        for (lo, hi) in [(0.0, 5e-324), (0.0, f64::MAX), (-8e307, 8e307), (1.0, 1.0 + f64::EPSILON)] {
            let view = view(lo, hi);
            let ticks = view.ticks(5.0);
            assert!((2..20).contains(&ticks.len()), "{ticks:?}");
            assert!(ticks.iter().all(|(at, _)| (0.0..=1.0).contains(at)), "{ticks:?}");
            for value in [lo, hi, f64::MAX, f64::MIN, f64::NAN, f64::INFINITY] {
                assert!(view.place(value).is_finite());
            }
        }
    }

    #[test]
    fn the_axis_of_a_stretched_column_is_stretched() {
        let stretched = |lo: f64, hi: f64, scale: &str| {
            let bounds = Interval::new(lo, hi).unwrap();
            View { stretched: Some((scale.parse().unwrap(), bounds)), ..View::plain(&bounds) }
        };
        let labels = |view: &View| view.ticks(10.0).into_iter().map(|(_, label)| label).collect::<Vec<_>>();
        let log = stretched(1_000.0, 1_000_000.0, "log");
        assert!((log.place(31_622.776_6) - 0.5).abs() < 1e-6);
        assert_eq!((log.place(-5.0), log.place(1e9)), (0.0, 1.0), "the nearest bound");
        let of_log = labels(&log);
        assert_eq!(of_log.first().map(String::as_str), Some("1000"), "{of_log:?}");
        assert!((4..=15).contains(&of_log.len()), "{of_log:?}");
        let rank = stretched(0.0, 250.0, "rank:0,10,30,80,250");
        assert_eq!(labels(&rank), ["0", "10", "30", "80", "250"]);
        assert_eq!(rank.place(30.0), 0.5);
        for (lo, hi, scale) in [(0.0, 100.0, "sqrt"), (0.0, 1e6, "log1p"), (1e-9, 1e9, "log"), (3.0, 4.0, "log")] {
            let ticks = stretched(lo, hi, scale).ticks(10.0);
            assert!((2..25).contains(&ticks.len()), "{scale}: {ticks:?}");
            assert!(ticks.windows(2).all(|pair| pair[0].0 < pair[1].0), "{scale}: {ticks:?}");
        }
    }

    #[test]
    fn badges_of_coincident_centres_do_not_cover_each_other() {
        let offsets = badge_offsets(&[(0.5, 0.5); 9]);
        for (i, a) in offsets.iter().enumerate() {
            assert!(offsets[..i].iter().all(|b| (a.0 - b.0).hypot(a.1 - b.1) > 9.0), "{offsets:?}");
        }
    }

    #[test]
    fn twenty_clusters_have_twenty_colours() {
        let style = include_str!("colours.css");
        let mut colours: Vec<&str> = style.split("--c: ").skip(1).map(|rest| rest.split(';').next().unwrap()).collect();
        assert_eq!(colours.len(), COLOURS);
        colours.sort_unstable();
        colours.dedup();
        assert_eq!(colours.len(), COLOURS);
        for number in 1..=COLOURS {
            assert!(style.contains(&format!(".{} {{", colour_class(number))), "{number}");
        }
    }
}
