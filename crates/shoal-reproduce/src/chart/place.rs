//! Where a panel's picture goes: its frame, the labels around it, and the values at hand.

use shoal_page::svg::palette::SOFT;
use shoal_page::svg::text::{cut, width};
use shoal_page::svg::{Element, Fragment, Path, group, rect, text};
use shoal_page::text::compact;

use super::axis::{Ruler, tick_label};
use super::legend::Legend;
use super::model::Scale;

/// Another scale than the paper's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scales {
    /// Across.
    pub x: Option<Scale>,
    /// Up.
    pub y: Option<Scale>,
}

/// How values are shown to a reader who points at them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hover {
    /// As titles, which every viewer of SVG shows.
    Titles,
    /// As attributes, for a page that has its own way.
    Attributes,
}

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
    /// The mark with words for a reader who points at it.
    pub fn tip(&self, mark: Element, words: &str) -> Element {
        match self.hover {
            Hover::Titles => mark.title(words),
            Hover::Attributes => mark.set("data-tip", words),
        }
    }

    /// Lines across at the labels of an axis that goes up.
    pub fn across(&self, ruler: &Ruler, ticks: &[f64]) -> Fragment {
        let mut out = Fragment::new();
        for &tick in ticks {
            let y = ruler.place(tick);
            out.add(Path::at(self.left, y).across_to(self.right).draw().stroke("#e3e7e8", 1.0));
            out.add(label(self.left - 6.0, y + 4.0, &tick_label(tick), "end"));
        }
        out
    }

    /// The frame, with titles of the axes.
    pub fn frame(&self, x: &str, y: &str) -> Fragment {
        let (wide, high) = (self.right - self.left, self.bottom - self.top);
        let (middle, centre) = (self.left + wide / 2.0, self.top + high / 2.0);
        let title = text(middle, self.bottom + 36.0, &cut(x, 12.0, wide + 60.0));
        [
            rect(self.left, self.top, wide, high).fill("none").stroke("#9aa6ad", 1.0),
            title.set("text-anchor", "middle").set("font-size", 12.0),
            turned(self.left - 50.0, centre, &cut(y, 12.0, high + 40.0)),
        ]
        .into_iter()
        .collect()
    }

    /// Labels below a frame, at these places; some are left out when they would run into each other.
    pub fn below(&self, labels: &[(f64, String)]) -> Fragment {
        let widest = labels.iter().map(|(_, label)| width(label, 11.0)).fold(0.0, f64::max);
        let room = (self.right - self.left) / labels.len().max(1) as f64;
        let every = if widest > room { (widest / room).ceil() as usize } else { 1 };
        labels.iter().step_by(every).map(|(x, words)| label(*x, self.bottom + 17.0, words, "middle")).collect()
    }
}

fn label(x: f64, y: f64, words: &str, anchor: &str) -> Element {
    text(x, y, words).set("text-anchor", anchor).set("font-size", 11.0).fill(SOFT)
}

/// The title of an axis that goes up.
pub(super) fn turned(x: f64, y: f64, words: &str) -> Element {
    let turn = format!("rotate(-90 {x:.1} {y:.1})");
    text(x, y, words).set("text-anchor", "middle").set("font-size", 12.0).set("transform", turn)
}

/// All that is drawn of a series, which a reader can hide.
pub(super) fn series(name: &str) -> Element {
    group().class("series").set("data-series", name)
}

/// A band in brackets, where there is one.
pub(super) fn band(low: f64, high: f64) -> String {
    if high > low { format!(" ({} to {})", compact(low), compact(high)) } else { String::new() }
}
