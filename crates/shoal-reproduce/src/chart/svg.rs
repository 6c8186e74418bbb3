//! A whole picture: heading, legend, panels.

use maud::Render;
use shoal_page::svg::palette::{INK, SOFT, WARNING};
use shoal_page::svg::text::{cut, wrapped};
use shoal_page::svg::{Element, Fragment, group, rect, text, view};

use super::legend::Legend;
use super::model::{Body, Chart, Panel};
use super::place::{Hover, Place, Scales};
use super::{bars, boxes, heat_map, lines, scatter};

/// What stands above the panels.
pub struct Heading {
    /// What the picture shows.
    pub title: String,
    /// Whose figure it is, and how it was measured.
    pub facts: String,
    /// What nobody may overlook: that this is a reduced run, or what is missing.
    pub warning: Option<String>,
}

/// Width of every picture.
const WIDTH: f64 = 1120.0;
/// Room around it, and between panels.
const MARGIN: f64 = 28.0;
const GAP: f64 = 26.0;

/// Draws a chart, as the text of a file.
#[must_use]
pub fn svg(chart: &Chart, heading: &Heading, scales: Scales, hover: Hover) -> String {
    drawing(chart, heading, scales, hover).render().into_string()
}

/// The same for a page.
pub(crate) fn drawing(chart: &Chart, heading: &Heading, scales: Scales, hover: Hover) -> Element {
    let legend = Legend::of(chart);
    let columns = chart.columns.clamp(1, 6);
    let wide = (WIDTH - 2.0 * MARGIN - GAP * (columns - 1) as f64) / columns as f64;
    let (mut body, mut y) = head(heading);
    let (key, key_height) = legend.draw(MARGIN, WIDTH - MARGIN, y);
    body.add(key);
    y += key_height;
    for row in chart.panels.chunks(columns) {
        // Notes of a row take the room of the longest, so that the frames are in line.
        let notes: Vec<Vec<String>> = row
            .iter()
            .map(|panel| panel.note.as_deref().map_or(Vec::new(), |note| wrapped(note, 10.5, wide - 10.0)))
            .collect();
        let above = 30.0 + 13.0 * notes.iter().map(Vec::len).max().unwrap_or(0) as f64;
        let high = row.iter().map(|panel| height(panel, wide)).fold(0.0, f64::max);
        for (i, (panel, notes)) in row.iter().zip(&notes).enumerate() {
            let x = MARGIN + i as f64 * (wide + GAP);
            body.add(titles(panel, notes, x, y, wide));
            let (left, below) = margins(panel);
            let place = Place {
                left: x + left,
                right: x + wide - 6.0,
                top: y + above,
                bottom: y + above + high - below,
                legend: &legend,
                scales,
                hover,
            };
            body.add(group().class("panel").with(match &panel.body {
                Body::Lines(it) => lines::draw(it, &place),
                Body::Bars(it) => bars::draw(it, &place),
                Body::Boxes(it) => boxes::draw(it, &place),
                Body::HeatMap(it) => heat_map::draw(it, &place),
                Body::Scatter(it) => scatter::draw(it, &place),
            }));
        }
        y += above + high + 16.0;
    }
    let y = y.round();
    view(WIDTH, y, &heading.title)
        .set("xmlns", "http://www.w3.org/2000/svg")
        .set("width", WIDTH)
        .set("height", y)
        .set("font-family", "DejaVu Sans, Verdana, sans-serif")
        .fill(INK)
        .with(rect(0.0, 0.0, WIDTH, y).fill("#ffffff"))
        .with(body)
}

/// Title, facts and warning, and where the rest begins.
fn head(heading: &Heading) -> (Fragment, f64) {
    let (mut out, mut y) = (Fragment::new(), MARGIN + 8.0);
    let mut line = |words: &str, size: f64, weight: &str, colour: &str, step: f64| {
        for part in wrapped(words, size, WIDTH - 2.0 * MARGIN) {
            out.add(text(MARGIN, y, &part).set("font-size", size).set("font-weight", weight).fill(colour));
            y += step;
        }
    };
    line(&heading.title, 19.0, "bold", INK, 24.0);
    line(&heading.facts, 12.0, "normal", SOFT, 17.0);
    if let Some(warning) = &heading.warning {
        line(warning, 12.0, "bold", WARNING, 17.0);
    }
    (out, y - 4.0)
}

/// A panel's title and what must be stated of its data.
fn titles(panel: &Panel, notes: &[String], x: f64, y: f64, wide: f64) -> Fragment {
    let mut out = Fragment::new();
    let title = text(x, y + 18.0, &cut(&panel.title, 14.5, wide));
    out.add(title.set("font-size", 14.0).set("font-weight", "bold"));
    for (i, note) in notes.iter().enumerate() {
        let note = text(x, y + 33.0 + 13.0 * i as f64, note);
        out.add(note.set("font-size", 10.5).set("font-style", "italic").fill(WARNING));
    }
    out
}

/// Room for the labels at the left and below.
fn margins(panel: &Panel) -> (f64, f64) {
    match &panel.body {
        Body::HeatMap(map) => (heat_map::label_width(map) + 26.0, 44.0),
        _ => (66.0, 44.0),
    }
}

/// How high a panel's picture is, labels included.
fn height(panel: &Panel, wide: f64) -> f64 {
    match &panel.body {
        Body::HeatMap(map) => (map.rows.len() as f64 * 26.0).clamp(90.0, 420.0) + 44.0 + 44.0,
        Body::Scatter(_) => (wide * 0.82).min(420.0),
        _ => (wide * 0.66).clamp(250.0, 440.0),
    }
}
