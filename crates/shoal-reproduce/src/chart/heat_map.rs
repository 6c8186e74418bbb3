//! A table of colours.

use shoal_page::svg::palette::{self, INK, SOFT};
use shoal_page::svg::text::{cut, width};
use shoal_page::svg::{Element, Fragment, rect, text};
use shoal_page::text::compact;

use super::model::{HeatMap, Scale};
use super::place::{Place, turned};

/// Strips of colour in the ruler, and how wide each is.
const STRIPS: usize = 20;
const STRIP: f64 = 4.0;
/// Size of small letters, and of those in cells.
const SMALL: f64 = 10.5;
const TINY: f64 = 9.5;

/// Room for the labels of the rows.
pub(super) fn label_width(map: &HeatMap) -> f64 {
    map.rows.iter().map(|row| width(row, 11.0)).fold(0.0, f64::max).clamp(24.0, 190.0)
}

/// Draws a table of colours, with a ruler of colours at the top.
pub(super) fn draw(map: &HeatMap, place: &Place<'_>) -> Fragment {
    let shades = Shades::of(map);
    let top = place.top + shades.height(map, place);
    let wide = (place.right - place.left) / map.columns.len().max(1) as f64;
    let high = (place.bottom - top) / map.rows.len().max(1) as f64;
    let mut out = shades.ruler(map, place);
    for (r, row) in map.rows.iter().enumerate() {
        let y = top + r as f64 * high;
        let label = text(place.left - 6.0, y + high / 2.0 + 4.0, &cut(row, 11.0, 195.0));
        out.add(label.set("text-anchor", "end").set("font-size", 11.0).fill(SOFT));
        for (c, column) in map.columns.iter().enumerate() {
            let value = map.values[r][c];
            if value.is_nan() {
                continue;
            }
            let (colour, dark) = shades.of_value(value);
            let x = place.left + c as f64 * wide;
            let words = format!("{}: {row}\n{}: {column}\n{}: {}", map.y, map.x, map.value, compact(value));
            out.add(place.tip(rect(x, y, wide, high).fill(&colour).stroke("#ffffff", 0.6), &words));
            let label = shades.label(value);
            if width(&label, TINY) <= wide - 2.0 && high >= 13.0 {
                let label = text(x + wide / 2.0, y + high / 2.0 + 3.5, &label).set("text-anchor", "middle");
                let ink = if dark { "#ffffff" } else { INK };
                out.add(label.set("font-size", TINY).fill(ink).set("pointer-events", "none"));
            }
        }
    }
    let middle = |i: usize| place.left + (i as f64 + 0.5) * wide;
    let labels: Vec<_> = map.columns.iter().enumerate().map(|(i, label)| (middle(i), label.clone())).collect();
    out.add(place.below(&labels));
    let across = text((place.left + place.right) / 2.0, place.bottom + 36.0, &map.x);
    out.add(across.set("text-anchor", "middle").set("font-size", 12.0));
    out.add(turned(place.left - label_width(map) - 14.0, (top + place.bottom) / 2.0, &map.y));
    out
}

/// From values to colours and labels.
struct Shades {
    scale: Scale,
    low: f64,
    high: f64,
    /// All values are whole.
    whole: bool,
    /// Shares and scores, which have two decimals throughout; other small numbers have two digits.
    shares: bool,
}

impl Shades {
    fn of(map: &HeatMap) -> Self {
        let scale = map.scale;
        let values = || map.values.iter().flatten().copied();
        let (low, high) = map.range.unwrap_or_else(|| {
            values()
                .filter(|x| is_shown(*x, scale))
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)))
        });
        let shares = scale == Scale::Linear && (0.2..=1.0).contains(&high) && low > -10.0;
        Self { scale, low, high, whole: values().all(|x| x.fract() == 0.0), shares }
    }

    /// A value's colour, and whether letters on it must be white.
    fn of_value(&self, value: f64) -> (String, bool) {
        let share = match self.scale {
            _ if !is_shown(value, self.scale) => 0.0,
            Scale::Linear => (value - self.low) / (self.high - self.low).max(f64::MIN_POSITIVE),
            Scale::Log => (value / self.low).ln() / (self.high / self.low).ln().max(f64::MIN_POSITIVE),
        };
        palette::shade(share)
    }

    fn label(&self, value: f64) -> String {
        match () {
            () if self.whole => compact(value),
            () if self.shares => format!("{value:.2}"),
            () => two_digits(value),
        }
    }

    /// Room above the colours: for what they mean and their ends, in one line or two.
    fn height(&self, map: &HeatMap, place: &Place<'_>) -> f64 {
        let ends = width(&compact(self.low), SMALL) + width(&compact(self.high), SMALL);
        let all = width(&map.value, SMALL) + ends + STRIPS as f64 * STRIP + 20.0;
        if all <= place.right - place.left { 26.0 } else { 40.0 }
    }

    /// What the colours mean: a strip from the smallest to the largest value.
    fn ruler(&self, map: &HeatMap, place: &Place<'_>) -> Fragment {
        let label = |x: f64, y: f64, words: &str| -> Element { text(x, y + 10.0, words).set("font-size", SMALL) };
        let (mut x, mut y) = (place.left, place.top + 1.0);
        let mut out = Fragment::new();
        out.add(label(x, y, &cut(&map.value, SMALL, place.right - place.left)));
        if self.height(map, place) > 30.0 {
            y += 15.0;
        } else {
            x += width(&map.value, SMALL) + 8.0;
        }
        out.add(label(x, y, &compact(self.low)));
        x += width(&compact(self.low), SMALL) + 4.0;
        for i in 0..STRIPS {
            let (colour, _) = palette::shade(i as f64 / (STRIPS - 1) as f64);
            out.add(rect(x + i as f64 * STRIP, y, STRIP, 12.0).fill(&colour));
        }
        let wide = STRIPS as f64 * STRIP;
        out.add(rect(x, y, wide, 12.0).fill("none").stroke("#9aa6ad", 0.6));
        out.add(label(x + wide + 5.0, y, &compact(self.high)));
        out
    }
}

fn is_shown(value: f64, scale: Scale) -> bool {
    value.is_finite() && (scale == Scale::Linear || value > 0.0)
}

/// About two digits, to fit in a cell.
fn two_digits(value: f64) -> String {
    match value.abs() {
        0.0 => "0".into(),
        x if x >= 100.0 => compact(value.round()),
        x if x >= 10.0 => compact((value * 10.0).round() / 10.0),
        x if x >= 0.095 => format!("{value:.2}"),
        x if x >= 0.00095 => shoal_page::text::trimmed(&format!("{value:.4}")).into(),
        _ => format!("{value:.0e}"),
    }
}
