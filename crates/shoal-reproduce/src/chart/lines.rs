//! Curves with bands.

use shoal_page::svg::text::width;
use shoal_page::svg::{Element, Fragment, Path, circle, palette};
use shoal_page::text::compact;

use super::axis::{Ruler, tick_label};
use super::legend::printed_mark;
use super::model::{Lines, Point, Series, Style};
use super::place::{Place, band, series};

/// Draws curves in their frame.
pub(super) fn draw(lines: &Lines, place: &Place<'_>) -> Fragment {
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
        out.add(Path::at(x.place(tick), place.top).up_to(place.bottom).draw().stroke("#eff2f2", 1.0));
    }
    let labels: Vec<_> = ticks.iter().map(|&tick| (x.place(tick), tick_label(tick))).collect();
    out.add(spaced(&labels, place));
    out.add(place.frame(&lines.x.title, &lines.y.title));
    for series in &lines.series {
        out.add(curve(series, &x, &y, lines, place));
    }
    out
}

/// Labels that do not run into each other: those that would are left out.
fn spaced(labels: &[(f64, String)], place: &Place<'_>) -> Fragment {
    let (mut out, mut free) = (Fragment::new(), f64::NEG_INFINITY);
    for (x, label) in labels {
        let half = width(label, 11.0) / 2.0;
        if x - half >= free {
            out.add(place.below(&[(*x, label.clone())]));
            free = x + half + 3.0;
        }
    }
    out
}

fn curve(curve: &Series, x: &Ruler, y: &Ruler, lines: &Lines, place: &Place<'_>) -> Element {
    let index = place.legend.index(&curve.name);
    let (colour, dashes) = match curve.style {
        Style::Dashed => palette::reference(index),
        _ => (palette::colour(index), palette::dashes(index)),
    };
    let mut group = series(&curve.name);
    let shown: Vec<&Point> = curve.points.iter().filter(|p| x.shows(p.x) && y.shows(p.y)).collect();
    let at = |p: &Point, value: f64| (x.place(p.x), y.place(value));
    if shown.iter().any(|p| p.high > p.low) {
        let there = shown.iter().map(|p| at(p, p.high));
        let back = shown.iter().rev().map(|p| at(p, p.low));
        group = group.with(Path::through(there.chain(back)).closed().draw().fill(colour).set("fill-opacity", 0.16));
    }
    if curve.style != Style::Printed && !shown.is_empty() {
        let line = Path::through(shown.iter().map(|p| at(p, p.y))).draw().fill("none").stroke(colour, 1.9);
        group = group.with(dashed(line, dashes).set("stroke-linejoin", "round"));
    }
    for p in &shown {
        let (across, up) = at(p, p.y);
        match curve.style {
            Style::Marked => group = group.with(palette::mark(index, across, up, 3.4).fill(colour)),
            Style::Printed => group = group.with(printed_mark(across, up)),
            Style::Plain | Style::Dashed => {}
        }
        // A larger spot that nobody sees, so that pointing at a value is easy.
        let spot = circle(across, up, 7.0).fill(colour).set("fill-opacity", 0.0);
        group = group.with(place.tip(spot, &words(curve, p, lines)));
    }
    group
}

/// The line broken into dashes, if there are any.
pub(super) fn dashed(line: Element, dashes: &str) -> Element {
    line.set_some("stroke-dasharray", (!dashes.is_empty()).then_some(dashes))
}

fn words(series: &Series, p: &Point, lines: &Lines) -> String {
    let (x, y, band) = (compact(p.x), compact(p.y), band(p.low, p.high));
    format!("{}\n{}: {x}\n{}: {y}{band}", series.name, lines.x.title, lines.y.title)
}
