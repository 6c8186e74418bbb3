//! Groups of bars with error bars.

use shoal_page::svg::palette::{self, INK};
use shoal_page::svg::{Fragment, Path, rect};
use shoal_page::text::compact;

use super::axis::Ruler;
use super::model::{Bars, Scale};
use super::place::{Place, band, series};

/// Draws groups of bars in their frame.
pub(super) fn draw(bars: &Bars, place: &Place<'_>) -> Fragment {
    let points = || bars.series.iter().flat_map(|(_, values)| values.iter().flatten());
    let scale = place.scales.y.unwrap_or(bars.y.scale);
    let floor = if scale == Scale::Linear { Some(0.0) } else { None };
    let y = Ruler::new(points().flat_map(|p| [p.y, p.low, p.high]).chain(floor), scale, place.bottom, place.top);
    let mut out = place.across(&y, &y.ticks(bars.y.ticks.as_deref(), 7));
    let room = (place.right - place.left) / bars.groups.len().max(1) as f64;
    let each = room * 0.84 / bars.series.len().max(1) as f64;
    let middle = |group: usize| place.left + (group as f64 + 0.5) * room;
    let labels: Vec<_> = bars.groups.iter().enumerate().map(|(i, label)| (middle(i), label.clone())).collect();
    out.add(place.below(&labels));
    let foot = if scale == Scale::Linear { y.place(0.0) } else { place.bottom };
    for (s, (name, values)) in bars.series.iter().enumerate() {
        let colour = palette::colour(place.legend.index(name));
        let mut group = series(name);
        for (g, point) in values.iter().enumerate() {
            let Some(point) = point.filter(|p| y.shows(p.y)) else { continue };
            let left = place.left + g as f64 * room + room * 0.08 + s as f64 * each;
            let (a, b) = (y.place(point.y).min(foot), y.place(point.y).max(foot));
            let value = format!(
                "{name}\n{}: {}\n{}: {}{}",
                bars.x,
                bars.groups[g],
                bars.y.title,
                compact(point.y),
                band(point.low, point.high)
            );
            let bar = rect(left, a, (each - 1.0).max(1.0), (b - a).max(0.5)).fill(colour);
            group = group.with(place.tip(bar, &value));
            if point.high > point.low {
                let middle = left + (each - 1.0) / 2.0;
                let whisker = Path::at(middle, y.place(point.low)).up_to(y.place(point.high));
                group = group.with(whisker.draw().stroke(INK, 1.1));
            }
        }
        out.add(group);
    }
    out.add(place.frame(&bars.x, &bars.y.title));
    out
}
