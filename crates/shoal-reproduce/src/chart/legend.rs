//! Which colour is which series: one legend for all panels.

use shoal_page::svg::palette::{self, PRINTED};
use shoal_page::svg::text::width;
use shoal_page::svg::{Element, Fragment, Path, group, rect, text};

use super::lines::dashed;
use super::model::{Body, Chart, Style};

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
    pub fn draw(&self, left: f64, right: f64, top: f64) -> (Fragment, f64) {
        let (mut out, mut x, mut y) = (Fragment::new(), left, top);
        if self.0.is_empty() {
            return (out, 0.0);
        }
        for entry in &self.0 {
            let wide = SAMPLE + width(&entry.name, SIZE) + 22.0;
            if x > left && x + wide > right {
                (x, y) = (left, y + LINE);
            }
            let name = text(x + SAMPLE, y + LINE / 2.0 + 3.5, &entry.name).set("font-size", SIZE);
            let key = group().class("key").set("data-series", &entry.name);
            out.add(key.with(sample(entry, x, y + LINE / 2.0 - 1.0)).with(name));
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

fn sample(entry: &Entry, x: f64, y: f64) -> Fragment {
    let colour = palette::colour(entry.index);
    let line = |(colour, dashes): (&str, &str)| {
        dashed(Path::at(x, y).across_to(x + 22.0).draw().fill("none").stroke(colour, 2.0), dashes)
    };
    let own = (colour, palette::dashes(entry.index));
    let mut out = Fragment::new();
    match entry.style {
        None => out.add(rect(x + 4.0, y - 5.0, 16.0, 11.0).fill(colour)),
        Some(Style::Plain) => out.add(line(own)),
        Some(Style::Dashed) => out.add(line(palette::reference(entry.index))),
        Some(Style::Marked) => {
            out.add(line(own));
            out.add(palette::mark(entry.index, x + 11.0, y, 3.6).fill(colour));
        }
        Some(Style::Printed) => out.add(printed_mark(x + 11.0, y)),
    }
    out
}

/// A mark for what a paper prints: a hollow diamond.
pub fn printed_mark(x: f64, y: f64) -> Element {
    palette::mark(3, x, y, 4.4).fill("none").stroke(PRINTED, 1.8)
}
