//! Groups of bars with error bars.

use super::axis::{Ruler, nice_number};
use super::model::{Bars, Scale};
use super::palette;
use super::svg::Place;
use super::text::escape;

/// Draws groups of bars in their frame.
pub(super) fn draw(bars: &Bars, place: &Place<'_>) -> String {
    let points = || bars.series.iter().flat_map(|(_, values)| values.iter().flatten());
    let scale = place.scales.y.unwrap_or(bars.y.scale);
    let floor = if scale == Scale::Linear { Some(0.0) } else { None };
    let y = Ruler::new(points().flat_map(|p| [p.y, p.low, p.high]).chain(floor), scale, place.bottom, place.top);
    let mut out = place.across(&y, &y.ticks(bars.y.ticks.as_deref(), 7));
    let room = (place.right - place.left) / bars.groups.len().max(1) as f64;
    let each = room * 0.84 / bars.series.len().max(1) as f64;
    let middle = |group: usize| place.left + (group as f64 + 0.5) * room;
    let labels: Vec<_> = bars.groups.iter().enumerate().map(|(i, label)| (middle(i), label.clone())).collect();
    out += &place.below(&labels);
    let foot = if scale == Scale::Linear { y.place(0.0) } else { place.bottom };
    for (s, (name, values)) in bars.series.iter().enumerate() {
        let colour = palette::colour(place.legend.index(name));
        out += &format!(r#"<g class="series" data-series="{}">"#, escape(name));
        for (group, point) in values.iter().enumerate() {
            let Some(point) = point.filter(|p| y.shows(p.y)) else { continue };
            let left = place.left + group as f64 * room + room * 0.08 + s as f64 * each;
            let (a, b) = (y.place(point.y).min(foot), y.place(point.y).max(foot));
            let band = if point.high > point.low {
                format!(" ({} to {})", nice_number(point.low), nice_number(point.high))
            } else {
                String::new()
            };
            let told =
                format!("{name}\n{}: {}\n{}: {}{band}", bars.x, bars.groups[group], bars.y.title, nice_number(point.y));
            let (attributes, content) = place.tip(&told);
            out += &format!(
                r#"<rect x="{left:.1}" y="{a:.1}" width="{:.1}" height="{:.1}" fill="{colour}"{attributes}>{content}</rect>"#,
                (each - 1.0).max(1.0),
                (b - a).max(0.5)
            );
            if point.high > point.low {
                out += &format!(
                    r##"<path d="M{:.1} {:.1}V{:.1}" stroke="#1c2a33" stroke-width="1.1"/>"##,
                    left + (each - 1.0) / 2.0,
                    y.place(point.low),
                    y.place(point.high)
                );
            }
        }
        out += "</g>";
    }
    out + &place.frame(&bars.x, &bars.y.title)
}
