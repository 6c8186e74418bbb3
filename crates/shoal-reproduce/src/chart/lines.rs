//! Curves with bands.

use super::axis::{Ruler, nice_number, tick_label};
use super::legend::printed_mark;
use super::model::{Lines, Point, Series, Style};
use super::palette;
use super::svg::Place;
use super::text::escape;

/// Draws curves in their frame.
pub(super) fn draw(lines: &Lines, place: &Place<'_>) -> String {
    let points = || lines.series.iter().flat_map(|series| &series.points);
    let x_scale = place.scales.x.unwrap_or(lines.x.scale);
    let y_scale = place.scales.y.unwrap_or(lines.y.scale);
    let x = Ruler::across(points().map(|p| p.x), x_scale, place.left, place.right);
    let ends = points().flat_map(|p| [p.y, p.low.max(p.y / 3.0), p.high]);
    let y = Ruler::new(ends, y_scale, place.bottom, place.top);
    let mut out = place.across(&y, &y.ticks(lines.y.ticks.as_deref(), 7));
    let most = ((place.right - place.left) / 60.0).clamp(3.0, 12.0) as usize;
    let ticks = x.ticks(lines.x.ticks.as_deref(), most);
    for &tick in &ticks {
        let at = x.place(tick);
        out += &format!(r##"<path d="M{at:.1} {:.1}V{:.1}" stroke="#eff2f2"/>"##, place.top, place.bottom);
    }
    let labels: Vec<_> = ticks.iter().map(|&tick| (x.place(tick), tick_label(tick))).collect();
    out += &spaced(&labels, place);
    out += &place.frame(&lines.x.title, &lines.y.title);
    for series in &lines.series {
        out += &curve(series, &x, &y, lines, place);
    }
    out
}

/// Labels that do not run into each other: those that would are left out.
fn spaced(labels: &[(f64, String)], place: &Place<'_>) -> String {
    let (mut out, mut free) = (String::new(), f64::NEG_INFINITY);
    for (x, label) in labels {
        let half = super::text::width(label, 11.0) / 2.0;
        if x - half >= free {
            out += &place.below(&[(*x, label.clone())]);
            free = x + half + 3.0;
        }
    }
    out
}

fn curve(series: &Series, x: &Ruler, y: &Ruler, lines: &Lines, place: &Place<'_>) -> String {
    let index = place.legend.index(&series.name);
    let (colour, dashes) = match series.style {
        Style::Dashed => palette::reference(index),
        _ => (palette::colour(index), palette::dashes(index)),
    };
    let mut out = format!(r#"<g class="series" data-series="{}">"#, escape(&series.name));
    let shown: Vec<&Point> = series.points.iter().filter(|p| x.shows(p.x) && y.shows(p.y)).collect();
    let path = |of: &dyn Fn(&Point) -> f64, points: &mut dyn Iterator<Item = &&Point>| -> String {
        let parts: Vec<_> = points.map(|p| format!("{:.1} {:.1}", x.place(p.x), y.place(of(p)))).collect();
        parts.join("L")
    };
    if shown.iter().any(|p| p.high > p.low) {
        let up = path(&|p| p.high, &mut shown.iter());
        let back = path(&|p| p.low, &mut shown.iter().rev());
        out += &format!(r#"<path d="M{up}L{back}Z" fill="{colour}" fill-opacity="0.16"/>"#);
    }
    if series.style != Style::Printed && !shown.is_empty() {
        let line = path(&|p| p.y, &mut shown.iter());
        out += &format!(
            r#"<path d="M{line}" fill="none" stroke="{colour}" stroke-width="1.9" stroke-dasharray="{dashes}" stroke-linejoin="round"/>"#
        );
    }
    for p in &shown {
        let (attributes, content) = place.tip(&told(series, p, lines));
        let (at, up) = (x.place(p.x), y.place(p.y));
        out += &match series.style {
            Style::Marked => palette::mark(index, at, up, 3.4, &format!(r#"fill="{colour}""#)),
            Style::Printed => printed_mark(at, up),
            Style::Plain | Style::Dashed => String::new(),
        };
        // A larger spot that nobody sees, so that pointing at a value is easy.
        out += &format!(
            r#"<circle cx="{at:.1}" cy="{up:.1}" r="7" fill="{colour}" fill-opacity="0"{attributes}>{content}</circle>"#
        );
    }
    out + "</g>"
}

fn told(series: &Series, p: &Point, lines: &Lines) -> String {
    let band =
        if p.high > p.low { format!(" ({} to {})", nice_number(p.low), nice_number(p.high)) } else { String::new() };
    let (x, y) = (nice_number(p.x), nice_number(p.y));
    format!("{}\n{}: {x}\n{}: {y}{band}", series.name, lines.x.title, lines.y.title)
}
