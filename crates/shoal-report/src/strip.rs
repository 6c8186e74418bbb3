//! Every column as a strip: what was found of it, and on it the clusters with their spread and their interval.

use maud::{Markup, html};
use shoal::facts::{ClusterFacts, Facts, Margins};
use shoal::model::Model;
use shoal_page::svg::{Element, Fragment, Share, circle, group, line, rect, text};

use super::geometry::{Spot, View, colour_class};
use super::tables::breakable;
use crate::measured;

/// Fraction of a strip that a badge takes on a narrow screen.
const BADGE: f64 = 0.055;
/// Lanes a strip may have; beyond, badges share one.
const LANES: usize = 12;
/// Height of a lane in pixels.
const LANE: f64 = 21.0;

/// The figure.
pub fn strips(model: &Model, facts: &Facts) -> Markup {
    let drawn: Vec<&ClusterFacts> = facts.clusters.iter().filter(|cluster| cluster.reliance.is_drawn()).collect();
    if drawn.is_empty() || model.numbers() == 0 {
        return html! {};
    }
    let spread = drawn.iter().any(|cluster| cluster.spread.is_some());
    html! {
        figure.strips {
            figcaption {
                @if model.numbers() == 1 { "Where the clusters lie" } @else { "Every column on its own" }
            }
            @for column in 0..model.numbers() { (strip(model, facts, &drawn, column)) }
            p.legend {
                "A numbered dot is a cluster’s centre."
                @if spread { " The pale bar shows how far its people are spread: two standard deviations each way." }
                @if !matches!(facts.margins, Margins::LastStep(_)) {
                    " The line is the centre’s interval; if you see none, it is shorter than the dot."
                }
            }
        }
    }
}

fn strip(model: &Model, facts: &Facts, drawn: &[&ClusterFacts], column: usize) -> Markup {
    let view = View::zoomed(model, facts, column);
    let spots: Vec<_> = drawn.iter().map(|cluster| Spot::of(cluster, column, &view)).collect();
    let lanes = lanes(&spots);
    let height = LANE * (lanes.iter().max().copied().unwrap_or(0) + 1) as f64 + 9.0;
    let middle = |c: usize| LANE * (lanes[c] as f64 + 0.5) + 4.5;
    let each = |draw: fn(usize, Spot, f64) -> Element| -> Fragment {
        spots.iter().enumerate().map(|(c, spot)| draw(drawn[c].number, *spot, middle(c))).collect()
    };
    let (lo, hi) = view.ends(&model.bounds[column]);
    let drawing = Element::new("svg")
        .set("role", "img")
        .set("aria-label", described(model, drawn, column))
        .set("height", height)
        .with(rect(0.0, 0.0, Share(1.0), Share(1.0)).class("track").set("rx", 6.0))
        .with(each(bar))
        .with(each(band))
        .with(each(badge));
    html! {
        div.strip {
            p.strip-name { (breakable(&model.columns[column])) }
            div { (drawing) p.ends aria-hidden="true" { span { (lo) } span { (hi) } } }
        }
    }
}

/// The spread of a cluster, within what is shown.
fn bar(number: usize, spot: Spot, y: f64) -> Element {
    let [from, to] = spot.spread.map(|end| end.clamp(0.0, 1.0));
    group()
        .class(&format!("spread {}", colour_class(number)))
        .with(rect(Share(from), y - 6.0, Share(to - from), 12.0).set("rx", 3.0))
}

/// The interval of a centre: a line with a cap at each end that is not cut off.
fn band(number: usize, spot: Spot, y: f64) -> Element {
    let [from, to] = spot.interval.map(|end| end.clamp(0.0, 1.0));
    let cap = |at: f64| line(Share(at), y - 4.0, Share(at), y + 4.0);
    let mut band = group().class(&colour_class(number)).with(line(Share(from), y, Share(to), y));
    let known = spot.interval[1] > spot.interval[0];
    for end in spot.interval.iter().filter(|end| known && (0.0..=1.0).contains(*end)) {
        band = band.with(cap(*end));
    }
    band
}

fn badge(number: usize, spot: Spot, y: f64) -> Element {
    let x = Share(spot.at.clamp(0.0, 1.0));
    let number_text = text(x, y, &number.to_string()).set("dy", ".35em");
    group().class(&colour_class(number)).with(circle(x, y, 9.5)).with(number_text)
}

/// The strip in words, for those who cannot see it.
fn described(model: &Model, drawn: &[&ClusterFacts], column: usize) -> String {
    let range = model.bounds[column].width();
    let of = |cluster: &&ClusterFacts| {
        let shown = measured::shown(&cluster.values[column], range, false);
        format!("cluster {} at {}", cluster.number, shown.text())
    };
    let values: Vec<_> = drawn.iter().map(of).collect();
    format!("{}: {}.", model.columns[column], values.join("; "))
}

/// A lane for each centre, so that nothing runs through another's badge; where that takes too many lanes, so that at
/// least few badges cover each other.
fn lanes(spots: &[Spot]) -> Vec<usize> {
    let reach = |spot: &Spot| {
        let ends = [spot.interval[0], spot.spread[0], spot.at - BADGE / 2.0];
        let others = [spot.interval[1], spot.spread[1], spot.at + BADGE / 2.0];
        [ends.into_iter().fold(f64::INFINITY, f64::min), others.into_iter().fold(f64::NEG_INFINITY, f64::max)]
    };
    let whole = packed(spots, reach);
    if whole.iter().all(|lane| *lane < LANES) {
        return whole;
    }
    packed(spots, |spot| [spot.at - BADGE / 2.0, spot.at + BADGE / 2.0]).into_iter().map(|lane| lane % LANES).collect()
}

/// From left to right, each in the first lane that is free; `reach` is what one takes.
fn packed(spots: &[Spot], reach: impl Fn(&Spot) -> [f64; 2]) -> Vec<usize> {
    let mut order: Vec<_> = (0..spots.len()).collect();
    order.sort_by(|a, b| reach(&spots[*a])[0].total_cmp(&reach(&spots[*b])[0]));
    let mut ends: Vec<f64> = Vec::new();
    let mut lanes = vec![0; spots.len()];
    for c in order {
        let [start, end] = reach(&spots[c]);
        lanes[c] = ends.iter().position(|taken| *taken <= start).unwrap_or(ends.len());
        match ends.get_mut(lanes[c]) {
            Some(taken) => *taken = end,
            None => ends.push(end),
        }
    }
    lanes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spot(at: f64, half: f64) -> Spot {
        Spot { at, interval: [at - half, at + half], spread: [at; 2] }
    }

    #[test]
    fn near_badges_get_lanes_of_their_own() {
        let narrow = |at| spot(at, 0.01);
        assert_eq!(lanes(&[narrow(0.5), narrow(0.1), narrow(0.51), narrow(0.9)]), [0, 0, 1, 0]);
        assert_eq!(lanes(&[narrow(0.5), spot(0.2, 0.4)]), [1, 0]);
        assert!(lanes(&[narrow(0.5); 50]).into_iter().all(|lane| lane < LANES));
    }
}
