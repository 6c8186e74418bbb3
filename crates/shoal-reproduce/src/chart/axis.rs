//! From values to places on a picture, and labels that are easy to read.

use shoal_page::svg::scale::round_step;
use shoal_page::text::compact;

use super::model::Scale;

/// A stretch of values laid on a stretch of the picture.
#[derive(Clone, Debug)]
pub struct Ruler {
    scale: Scale,
    /// Values at the ends.
    low: f64,
    high: f64,
    /// Places of the ends.
    from: f64,
    to: f64,
}

impl Ruler {
    /// A ruler for these values with a little room at both ends. On a log scale only positive values count.
    pub fn new(values: impl Iterator<Item = f64>, scale: Scale, from: f64, to: f64) -> Self {
        let counts = |x: &f64| x.is_finite() && (scale == Scale::Linear || *x > 0.0);
        let (low, high) =
            values.filter(counts).fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)));
        let (mut low, mut high) = if low <= high { (low, high) } else { (0.1, 1.0) };
        match scale {
            Scale::Log => {
                let room = if low == high { 2.0 } else { (high / low).powf(0.04) };
                (low, high) = (low / room, high * room);
            }
            Scale::Linear => {
                let room = if low == high { low.abs().max(1.0) * 0.5 } else { (high - low) * 0.05 };
                // An axis that begins near zero may as well begin there.
                low = if low >= 0.0 && low < 0.4 * high { 0.0 } else { low - room };
                high += room;
            }
        }
        Self { scale, low, high, from, to }
    }

    /// The same for an axis across, which begins where the values do.
    pub fn across(values: impl Iterator<Item = f64>, scale: Scale, from: f64, to: f64) -> Self {
        let values: Vec<f64> = values.filter(|x| x.is_finite()).collect();
        let mut ruler = Self::new(values.iter().copied(), scale, from, to);
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        if scale == Scale::Linear && ruler.low == 0.0 && least > 0.0 {
            ruler.low = least - 0.03 * (ruler.high - least);
        }
        ruler
    }

    /// Where a value is. What the scale cannot show is at the lower end.
    pub fn place(&self, value: f64) -> f64 {
        let share = match self.scale {
            Scale::Linear => (value - self.low) / (self.high - self.low),
            Scale::Log if value <= 0.0 => 0.0,
            Scale::Log => (value / self.low).ln() / (self.high / self.low).ln(),
        };
        self.from + share.clamp(-0.02, 1.02) * (self.to - self.from)
    }

    /// Whether the scale can show a value.
    pub fn shows(&self, value: f64) -> bool {
        value.is_finite() && (self.scale == Scale::Linear || value > 0.0)
    }

    /// Where labels stand: at the given values that fit, or at round ones.
    pub fn ticks(&self, given: Option<&[f64]>, most: usize) -> Vec<f64> {
        let inside = |x: &f64| (self.low..=self.high).contains(x);
        if let Some(given) = given {
            return given.iter().copied().filter(inside).collect();
        }
        match self.scale {
            Scale::Linear => {
                let step = round_step((self.high - self.low) / most as f64, true).unwrap_or(1.0);
                let first = (self.low / step).ceil() as i64;
                let last = (self.high / step).floor() as i64;
                (first..=last).map(|i| i as f64 * step).collect()
            }
            Scale::Log => {
                let decades = |parts: &'static [f64]| {
                    let (first, last) = (self.low.log10().floor() as i32, self.high.log10().ceil() as i32);
                    (first..=last)
                        .flat_map(move |e| parts.iter().map(move |p| p * 10f64.powi(e)))
                        .filter(inside)
                        .collect()
                };
                let choices: [Vec<f64>; 4] = [
                    decades(&[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0]),
                    decades(&[1.0, 2.0, 5.0]),
                    decades(&[1.0, 3.0]),
                    decades(&[1.0]),
                ];
                let fitting = choices.iter().find(|ticks| ticks.len() <= most);
                let mut ticks = fitting.unwrap_or(&choices[3]).clone();
                if ticks.len() > most {
                    let every = ticks.len().div_ceil(most);
                    ticks = ticks.into_iter().step_by(every).collect();
                }
                if ticks.len() >= 2 {
                    return ticks;
                }
                // Less than a step of any kind: equal differences are as good.
                Self { scale: Scale::Linear, ..self.clone() }.ticks(None, most)
            }
        }
    }
}

/// A number beside an axis, where there is little room.
pub fn tick_label(value: f64) -> String {
    match value.abs() {
        x if (1e6..1e9).contains(&x) => compact(value / 1e6) + "M",
        x if (1e4..1e6).contains(&x) => compact(value / 1e3) + "k",
        _ => compact(value),
    }
}
