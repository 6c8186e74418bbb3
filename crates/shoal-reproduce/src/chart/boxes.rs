//! Groups of box plots: quartiles, whiskers to the last run within one and a half boxes, and runs beyond.

use super::axis::{Ruler, nice_number};
use super::model::Boxes;
use super::palette;
use super::svg::Place;
use super::text::escape;
use crate::statistics::Summary;

/// Draws groups of boxes in their frame.
pub(super) fn draw(boxes: &Boxes, place: &Place<'_>) -> String {
    let scale = place.scales.y.unwrap_or(boxes.y.scale);
    let values = boxes.groups.iter().flat_map(|group| &group.boxes).flat_map(|(_, runs)| runs.iter().copied());
    let y = Ruler::new(values, scale, place.bottom, place.top);
    let mut out = place.across(&y, &y.ticks(boxes.y.ticks.as_deref(), 7));
    let room = (place.right - place.left) / boxes.groups.len().max(1) as f64;
    let middle = |group: usize| place.left + (group as f64 + 0.5) * room;
    let labels: Vec<_> = boxes.groups.iter().enumerate().map(|(i, group)| (middle(i), group.label.clone())).collect();
    out += &place.below(&labels);
    for (i, group) in boxes.groups.iter().enumerate() {
        let each = room * 0.8 / group.boxes.len().max(1) as f64;
        for (b, (name, runs)) in group.boxes.iter().enumerate() {
            if runs.is_empty() {
                continue;
            }
            let left = place.left + i as f64 * room + room * 0.1 + b as f64 * each;
            let told = format!("{name}\n{}: {}", boxes.x, group.label);
            out += &format!(r#"<g class="series" data-series="{}">"#, escape(name));
            out += &one(runs, &y, left, each * 0.86, palette::colour(place.legend.index(name)), &told, place);
            out += "</g>";
        }
    }
    out + &place.frame(&boxes.x, &boxes.y.title)
}

fn one(runs: &[f64], y: &Ruler, left: f64, wide: f64, colour: &str, name: &str, place: &Place<'_>) -> String {
    let summary = Summary::of(runs);
    let reach = 1.5 * (summary.q3 - summary.q1);
    let (least, most) = (summary.q1 - reach, summary.q3 + reach);
    let inside = || runs.iter().copied().filter(|x| (least..=most).contains(x));
    let (low, high) = (inside().fold(f64::INFINITY, f64::min), inside().fold(f64::NEG_INFINITY, f64::max));
    let told = format!(
        "{name}\nmedian {}, quartiles {} and {}\nmean {}, {} runs from {} to {}",
        nice_number(summary.median),
        nice_number(summary.q1),
        nice_number(summary.q3),
        nice_number(summary.mean),
        summary.runs,
        nice_number(summary.min),
        nice_number(summary.max)
    );
    let (attributes, content) = place.tip(&told);
    let (a, b, m) = (y.place(summary.q3), y.place(summary.q1), y.place(summary.median));
    let (centre, right) = (left + wide / 2.0, left + wide);
    let mut out = format!(
        r#"<path d="M{centre:.1} {:.1}V{a:.1}M{centre:.1} {b:.1}V{:.1}" stroke="{colour}" stroke-width="1.3"/><rect x="{left:.1}" y="{a:.1}" width="{wide:.1}" height="{:.1}" fill="{colour}" fill-opacity="0.35" stroke="{colour}" stroke-width="1.3"{attributes}>{content}</rect><path d="M{left:.1} {m:.1}H{right:.1}" stroke="{colour}" stroke-width="2.4"/>"#,
        y.place(high),
        y.place(low),
        (b - a).max(1.0),
    );
    for &run in runs.iter().filter(|x| !(least..=most).contains(x) && y.shows(**x)) {
        out += &format!(r#"<circle cx="{centre:.1}" cy="{:.1}" r="1.8" fill="none" stroke="{colour}"/>"#, y.place(run));
    }
    out
}
