//! Which colour is which series: one legend for all panels.

use super::model::{Body, Chart, Style};
use super::palette;
use super::text::{escape, width};

/// A line of the legend.
pub struct Entry {
    /// The series' name.
    pub name: String,
    /// Its place among the colours.
    pub index: usize,
    /// How it looks, if it is a curve.
    pub style: Option<Style>,
}

/// The series of a chart in the order in which they appear.
pub struct Legend(pub Vec<Entry>);

const SIZE: f64 = 12.5;
const LINE: f64 = 20.0;
const SAMPLE: f64 = 30.0;

impl Legend {
    pub fn of(chart: &Chart) -> Self {
        let mut entries: Vec<Entry> = Vec::new();
        let mut add = |name: &str, style: Option<Style>| {
            if !entries.iter().any(|entry| entry.name == name) {
                // What papers print and what is there for reference take no colour from the others.
                let kind = kind(style);
                let before = entries.iter().filter(|entry| self::kind(entry.style) == kind).count();
                entries.push(Entry { name: name.to_string(), index: before, style });
            }
        };
        for panel in &chart.panels {
            match &panel.body {
                Body::Lines(lines) => lines.series.iter().for_each(|series| add(&series.name, Some(series.style))),
                Body::Bars(bars) => bars.series.iter().for_each(|(name, _)| add(name, None)),
                Body::Boxes(boxes) => {
                    boxes.groups.iter().flat_map(|group| &group.boxes).for_each(|(name, _)| add(name, None));
                }
                Body::HeatMap(_) | Body::Scatter(_) => {}
            }
        }
        Self(entries)
    }

    /// The place of a series among the colours.
    pub fn index(&self, name: &str) -> usize {
        self.0.iter().find(|entry| entry.name == name).map_or(0, |entry| entry.index)
    }

    /// The legend between two sides, and how high it is.
    pub fn draw(&self, left: f64, right: f64, top: f64) -> (String, f64) {
        if self.0.is_empty() {
            return (String::new(), 0.0);
        }
        let (mut out, mut x, mut y) = (String::new(), left, top);
        for entry in &self.0 {
            let wide = SAMPLE + width(&entry.name, SIZE) + 22.0;
            if x > left && x + wide > right {
                (x, y) = (left, y + LINE);
            }
            let name = escape(&entry.name);
            out += &format!(r#"<g class="key" data-series="{name}">"#);
            out += &sample(entry, x, y + LINE / 2.0 - 1.0);
            out += &format!(
                r#"<text x="{:.1}" y="{:.1}" font-size="{SIZE}">{name}</text></g>"#,
                x + SAMPLE,
                y + LINE / 2.0 + 3.5
            );
            x += wide;
        }
        (out, y + LINE - top + 6.0)
    }
}

/// Series, references and printed values are numbered apart.
fn kind(style: Option<Style>) -> u8 {
    match style {
        Some(Style::Dashed) => 1,
        Some(Style::Printed) => 2,
        _ => 0,
    }
}

fn sample(entry: &Entry, x: f64, y: f64) -> String {
    let colour = palette::colour(entry.index);
    let dashes = palette::dashes(entry.index);
    let line = |colour: &str, dashes: &str| {
        format!(
            r#"<path d="M{x:.1} {y:.1}h22" stroke="{colour}" stroke-width="2" stroke-dasharray="{dashes}" fill="none"/>"#
        )
    };
    match entry.style {
        None => format!(r#"<rect x="{:.1}" y="{:.1}" width="16" height="11" fill="{colour}"/>"#, x + 4.0, y - 5.0),
        Some(Style::Plain) => line(colour, dashes),
        Some(Style::Dashed) => {
            let (colour, dashes) = palette::reference(entry.index);
            line(colour, dashes)
        }
        Some(Style::Marked) => {
            line(colour, dashes) + &palette::mark(entry.index, x + 11.0, y, 3.6, &format!(r#"fill="{colour}""#))
        }
        Some(Style::Printed) => printed_mark(x + 11.0, y),
    }
}

/// A mark for what a paper prints: a hollow diamond.
pub fn printed_mark(x: f64, y: f64) -> String {
    palette::mark(3, x, y, 4.4, &format!(r#"fill="none" stroke="{}" stroke-width="1.8""#, palette::PRINTED))
}
