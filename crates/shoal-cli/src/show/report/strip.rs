//! Every attribute as a strip: its public interval, and on it the centres with their noise.

use maud::{Markup, html};
use shoal::model::Model;
use shoal_page::svg::{Element, Fragment, Share, circle, group, line, rect, text};
use shoal_page::text::{listed, number, with_noise};

use super::geometry::{BAND, Spot, colour_class};
use super::tables::breakable;

/// Fraction of a strip that a badge takes on a narrow screen.
const BADGE: f64 = 0.055;
/// Lanes a strip may have; beyond, badges share one.
const LANES: usize = 12;
/// Height of a lane in pixels.
const LANE: f64 = 21.0;

/// The figure.
pub fn strips(model: &Model) -> Markup {
    html! {
        figure.strips {
            figcaption {
                @if model.columns.len() == 1 { "Where the centres lie" } @else { "Every attribute on its own" }
            }
            @for attribute in 0..model.columns.len() { (strip(model, attribute)) }
            p.legend {
                "Each band runs from the lowest to the highest value that the public bounds allow. A numbered dot is a cluster’s centre; its line extends two standard deviations of privacy noise each way. A line that is not visible is shorter than the dot."
                (cut_note(model))
            }
        }
    }
}

fn strip(model: &Model, attribute: usize) -> Markup {
    let spots: Vec<_> = (0..model.k()).map(|c| Spot::of(model, c, attribute)).collect();
    let lanes = lanes(&spots);
    let height = LANE * (lanes.iter().max().copied().unwrap_or(0) + 1) as f64 + 9.0;
    let middle = |c: usize| LANE * (lanes[c] as f64 + 0.5) + 4.5;
    let bands: Fragment = spots.iter().enumerate().map(|(c, spot)| band(c, *spot, middle(c))).collect();
    let badges: Fragment = spots.iter().enumerate().map(|(c, spot)| badge(c, Share(spot.at), middle(c))).collect();
    let (lo, hi) = (number(model.bounds[attribute].lo()), number(model.bounds[attribute].hi()));
    let drawing = Element::new("svg")
        .set("role", "img")
        .set("aria-label", described(model, attribute))
        .set("height", height)
        .with(rect(0.0, 0.0, Share(1.0), Share(1.0)).class("track").set("rx", 6.0))
        .with(bands)
        .with(badges);
    html! {
        div.strip {
            p.strip-name { (breakable(&model.columns[attribute])) }
            div { (drawing) p.ends aria-hidden="true" { span { (lo) } span { (hi) } } }
        }
    }
}

/// The noise of a centre: a line with a cap at each end that is not cut off.
fn band(c: usize, spot: Spot, y: f64) -> Element {
    let (from, to) = ((spot.at - spot.spread).max(0.0), (spot.at + spot.spread).min(1.0));
    let cap = |at: f64| line(Share(at), y - 4.0, Share(at), y + 4.0);
    let mut band = group().class(colour_class(c)).with(line(Share(from), y, Share(to), y));
    if spot.at - spot.spread >= 0.0 {
        band = band.with(cap(from));
    }
    if spot.at + spot.spread <= 1.0 {
        band = band.with(cap(to));
    }
    band
}

fn badge(c: usize, x: Share, y: f64) -> Element {
    let number = (c + 1).to_string();
    group().class(colour_class(c)).with(circle(x, y, 9.5)).with(text(x, y, &number).set("dy", ".35em"))
}

/// The strip in words, for those who cannot see it.
fn described(model: &Model, attribute: usize) -> String {
    let interval = &model.bounds[attribute];
    let values: Vec<_> = (0..model.k())
        .map(|c| {
            let (value, band) = with_noise(model.centres[c][attribute], BAND * model.centre_sd[c][attribute]);
            let band = band.map_or_else(String::new, |band| format!(" give or take {band}"));
            format!("cluster {} at {value}{band}", c + 1)
        })
        .collect();
    let (name, lo, hi) = (&model.columns[attribute], number(interval.lo()), number(interval.hi()));
    format!("{name}, from {lo} to {hi}: {}.", values.join("; "))
}

/// A lane for each centre, so that no band runs through another's badge; where that takes too many lanes, so that at
/// least few badges cover each other.
fn lanes(spots: &[Spot]) -> Vec<usize> {
    let whole = packed(spots, |spot| spot.spread.max(BADGE / 2.0));
    if whole.iter().all(|lane| *lane < LANES) {
        return whole;
    }
    packed(spots, |_| BADGE / 2.0).into_iter().map(|lane| lane % LANES).collect()
}

/// From left to right, each in the first lane that is free; `half` is half of what one takes.
fn packed(spots: &[Spot], half: impl Fn(&Spot) -> f64) -> Vec<usize> {
    let start = |c: &usize| spots[*c].at - half(&spots[*c]);
    let mut order: Vec<_> = (0..spots.len()).collect();
    order.sort_by(|a, b| start(a).total_cmp(&start(b)));
    let mut ends: Vec<f64> = Vec::new();
    let mut lanes = vec![0; spots.len()];
    for c in order {
        let end = spots[c].at + half(&spots[c]);
        lanes[c] = ends.iter().position(|taken| *taken <= start(&c)).unwrap_or(ends.len());
        match ends.get_mut(lanes[c]) {
            Some(taken) => *taken = end,
            None => ends.push(end),
        }
    }
    lanes
}

/// A sentence on bands that do not fit into the picture, if there are any.
fn cut_note(model: &Model) -> String {
    let cut: Vec<_> = (0..model.k())
        .filter(|c| (0..model.columns.len()).any(|a| Spot::of(model, *c, a).is_cut()))
        .map(|c| (c + 1).to_string())
        .collect();
    let whose = match cut.len() {
        0 => return String::new(),
        1 => format!("cluster {}", cut[0]),
        n if n == model.k() => "every cluster".into(),
        _ => format!("clusters {}", listed(&cut)),
    };
    format!(" The noise of {whose} extends beyond the bounds in places; it is drawn only up to them.")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spot(at: f64) -> Spot {
        Spot { at, spread: 0.01 }
    }

    #[test]
    fn near_badges_get_lanes_of_their_own() {
        assert_eq!(lanes(&[spot(0.5), spot(0.1), spot(0.51), spot(0.9)]), [0, 0, 1, 0]);
        assert_eq!(lanes(&[spot(0.5), Spot { at: 0.2, spread: 0.4 }]), [1, 0]);
        assert!(lanes(&[spot(0.5); 50]).into_iter().all(|lane| lane < LANES));
    }
}
