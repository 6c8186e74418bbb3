//! A whole picture: heading, legend, panels.

use super::axis::{Ruler, tick_label};
use super::legend::Legend;
use super::model::{Body, Chart, Panel, Scale};
use super::text::{cut, escape, wrapped};
use super::{bars, boxes, heat_map, lines, scatter};

/// What stands above the panels.
pub struct Heading {
    /// What the picture shows.
    pub title: String,
    /// Whose figure it is, and how it was measured.
    pub facts: String,
    /// What nobody may overlook: that this is a quick look, or what is missing.
    pub warning: Option<String>,
}

/// Another scale than the paper's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scales {
    /// Across.
    pub x: Option<Scale>,
    /// Up.
    pub y: Option<Scale>,
}

/// How values are told to a reader who points at them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hover {
    /// As titles, which every viewer of SVG shows.
    Titles,
    /// As attributes, for a page that has its own way.
    Attributes,
}

/// Width of every picture.
const WIDTH: f64 = 1120.0;
/// Room around it, and between panels.
const MARGIN: f64 = 28.0;
const GAP: f64 = 26.0;

/// Where a panel's picture goes, and what it needs to know.
pub(super) struct Place<'a> {
    /// The frame of the data.
    pub left: f64,
    pub right: f64,
    pub top: f64,
    pub bottom: f64,
    pub legend: &'a Legend,
    pub scales: Scales,
    pub hover: Hover,
}

impl Place<'_> {
    /// Attributes and content that tell a reader a value.
    pub fn tip(&self, text: &str) -> (String, String) {
        match self.hover {
            Hover::Titles => (String::new(), format!("<title>{}</title>", escape(text))),
            Hover::Attributes => (format!(r#" data-tip="{}""#, escape(text)), String::new()),
        }
    }

    /// Lines across at the labels of an axis that goes up.
    pub fn across(&self, ruler: &Ruler, ticks: &[f64]) -> String {
        let mut out = String::new();
        for &tick in ticks {
            let y = ruler.place(tick);
            out += &format!(
                r##"<path d="M{:.1} {y:.1}H{:.1}" stroke="#e3e7e8"/><text x="{:.1}" y="{:.1}" text-anchor="end" font-size="11" fill="#54636d">{}</text>"##,
                self.left,
                self.right,
                self.left - 6.0,
                y + 4.0,
                tick_label(tick)
            );
        }
        out
    }

    /// The frame, with titles of the axes.
    pub fn frame(&self, x: &str, y: &str) -> String {
        let (wide, high) = (self.right - self.left, self.bottom - self.top);
        let (middle, centre) = (self.left + wide / 2.0, self.top + high / 2.0);
        let up = self.left - 50.0;
        format!(
            r##"<rect x="{:.1}" y="{:.1}" width="{wide:.1}" height="{high:.1}" fill="none" stroke="#9aa6ad"/><text x="{middle:.1}" y="{:.1}" text-anchor="middle" font-size="12">{}</text><text x="{up:.1}" y="{centre:.1}" text-anchor="middle" font-size="12" transform="rotate(-90 {up:.1} {centre:.1})">{}</text>"##,
            self.left,
            self.top,
            self.bottom + 36.0,
            escape(&cut(x, 12.0, wide + 60.0)),
            escape(&cut(y, 12.0, high + 40.0)),
        )
    }

    /// Labels below a frame, at these places; turned when they would run into each other.
    pub fn below(&self, labels: &[(f64, String)]) -> String {
        let widest = labels.iter().map(|(_, label)| super::text::width(label, 11.0)).fold(0.0, f64::max);
        let room = (self.right - self.left) / labels.len().max(1) as f64;
        let every = if widest > room { (widest / room).ceil() as usize } else { 1 };
        let one = |(x, label): &(f64, String)| {
            format!(
                r##"<text x="{x:.1}" y="{:.1}" text-anchor="middle" font-size="11" fill="#54636d">{}</text>"##,
                self.bottom + 17.0,
                escape(label)
            )
        };
        labels.iter().step_by(every).map(one).collect()
    }
}

/// Draws a chart.
#[must_use]
pub fn svg(chart: &Chart, heading: &Heading, scales: Scales, hover: Hover) -> String {
    let legend = Legend::of(chart);
    let columns = chart.columns.clamp(1, 6);
    let wide = (WIDTH - 2.0 * MARGIN - GAP * (columns - 1) as f64) / columns as f64;
    let (mut body, mut y) = head(heading);
    let (key, key_height) = legend.draw(MARGIN, WIDTH - MARGIN, y);
    body += &key;
    y += key_height;
    for row in chart.panels.chunks(columns) {
        // Notes of a row take the room of the longest, so that the frames stand in line.
        let notes: Vec<Vec<String>> = row
            .iter()
            .map(|panel| panel.note.as_deref().map_or(Vec::new(), |note| wrapped(note, 10.5, wide - 10.0)))
            .collect();
        let above = 30.0 + 13.0 * notes.iter().map(Vec::len).max().unwrap_or(0) as f64;
        let high = row.iter().map(|panel| height(panel, wide)).fold(0.0, f64::max);
        for (i, (panel, notes)) in row.iter().zip(&notes).enumerate() {
            let x = MARGIN + i as f64 * (wide + GAP);
            body += &titles(panel, notes, x, y, wide);
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
            body += "<g class=\"panel\">";
            body += &match &panel.body {
                Body::Lines(it) => lines::draw(it, &place),
                Body::Bars(it) => bars::draw(it, &place),
                Body::Boxes(it) => boxes::draw(it, &place),
                Body::HeatMap(it) => heat_map::draw(it, &place),
                Body::Scatter(it) => scatter::draw(it, &place),
            };
            body += "</g>";
        }
        y += above + high + 16.0;
    }
    let label = escape(&heading.title);
    format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y:.0}" width="{WIDTH}" height="{y:.0}" font-family="DejaVu Sans, Verdana, sans-serif" fill="#1c2a33" role="img" aria-label="{label}"><rect width="{WIDTH}" height="{y:.0}" fill="#ffffff"/>{body}</svg>"##
    )
}

/// Title, facts and warning, and where the rest begins.
fn head(heading: &Heading) -> (String, f64) {
    let (mut out, mut y) = (String::new(), MARGIN + 8.0);
    let mut line = |text: &str, size: f64, attributes: &str, step: f64| {
        for part in wrapped(text, size, WIDTH - 2.0 * MARGIN) {
            out +=
                &format!(r#"<text x="{MARGIN}" y="{y:.1}" font-size="{size}" {attributes}>{}</text>"#, escape(&part));
            y += step;
        }
    };
    line(&heading.title, 19.0, r#"font-weight="bold""#, 24.0);
    line(&heading.facts, 12.0, r##"fill="#54636d""##, 17.0);
    if let Some(warning) = &heading.warning {
        line(warning, 12.0, r##"font-weight="bold" fill="#a04a00""##, 17.0);
    }
    (out, y - 4.0)
}

/// A panel's title and what must be said of its data.
fn titles(panel: &Panel, notes: &[String], x: f64, y: f64, wide: f64) -> String {
    let mut out = format!(
        r#"<text x="{x:.1}" y="{:.1}" font-size="14" font-weight="bold">{}</text>"#,
        y + 18.0,
        escape(&cut(&panel.title, 14.5, wide))
    );
    for (i, note) in notes.iter().enumerate() {
        out += &format!(
            r##"<text x="{x:.1}" y="{:.1}" font-size="10.5" font-style="italic" fill="#a04a00">{}</text>"##,
            y + 33.0 + 13.0 * i as f64,
            escape(note)
        );
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
