//! Groups of box plots: quartiles, whiskers to the last run within one and a half boxes, and runs beyond.

use shoal_page::svg::{Element, Fragment, Path, circle, palette, rect};
use shoal_page::text::compact;

use super::axis::Ruler;
use super::model::Boxes;
use super::place::{Place, series};
use crate::statistics::Summary;

/// Draws groups of boxes in their frame.
pub(super) fn draw(boxes: &Boxes, place: &Place<'_>) -> Fragment {
    let scale = place.scales.y.unwrap_or(boxes.y.scale);
    let values = boxes.groups.iter().flat_map(|group| &group.boxes).flat_map(|(_, runs)| runs.iter().copied());
    let y = Ruler::new(values, scale, place.bottom, place.top);
    let mut out = place.across(&y, &y.ticks(boxes.y.ticks.as_deref(), 7));
    let room = (place.right - place.left) / boxes.groups.len().max(1) as f64;
    let middle = |group: usize| place.left + (group as f64 + 0.5) * room;
    let labels: Vec<_> = boxes.groups.iter().enumerate().map(|(i, group)| (middle(i), group.label.clone())).collect();
    out.add(place.below(&labels));
    for (i, group) in boxes.groups.iter().enumerate() {
        let each = room * 0.8 / group.boxes.len().max(1) as f64;
        for (b, (name, runs)) in group.boxes.iter().enumerate() {
            if runs.is_empty() {
                continue;
            }
            let one = OneBox {
                left: place.left + i as f64 * room + room * 0.1 + b as f64 * each,
                wide: each * 0.86,
                colour: palette::colour(place.legend.index(name)),
                heading: format!("{name}\n{}: {}", boxes.x, group.label),
            };
            out.add(one.draw(series(name), runs, &y, place));
        }
    }
    out.add(place.frame(&boxes.x, &boxes.y.title));
    out
}

/// Where a box stands, and whose it is.
struct OneBox {
    left: f64,
    wide: f64,
    colour: &'static str,
    heading: String,
}

impl OneBox {
    fn draw(&self, group: Element, runs: &[f64], y: &Ruler, place: &Place<'_>) -> Element {
        let summary = Summary::of(runs);
        let whisker = 1.5 * (summary.q3 - summary.q1);
        let (least, most) = (summary.q1 - whisker, summary.q3 + whisker);
        let inside = || runs.iter().copied().filter(|x| (least..=most).contains(x));
        let (low, high) = (inside().fold(f64::INFINITY, f64::min), inside().fold(f64::NEG_INFINITY, f64::max));
        let (a, b, median) = (y.place(summary.q3), y.place(summary.q1), y.place(summary.median));
        let (left, centre) = (self.left, self.left + self.wide / 2.0);
        let whiskers = Path::at(centre, y.place(high)).up_to(a).jump(centre, b).up_to(y.place(low));
        let quartiles = rect(left, a, self.wide, (b - a).max(1.0))
            .fill(self.colour)
            .set("fill-opacity", 0.35)
            .stroke(self.colour, 1.3);
        let mut group = group
            .with(whiskers.draw().stroke(self.colour, 1.3))
            .with(place.tip(quartiles, &self.words(&summary)))
            .with(Path::at(left, median).across_to(left + self.wide).draw().stroke(self.colour, 2.4));
        for &run in runs.iter().filter(|x| !(least..=most).contains(x) && y.shows(**x)) {
            group = group.with(circle(centre, y.place(run), 1.8).fill("none").stroke(self.colour, 1.0));
        }
        group
    }

    fn words(&self, summary: &Summary) -> String {
        format!(
            "{}\nmedian {}, quartiles {} and {}\nmean {}, {} runs from {} to {}",
            self.heading,
            compact(summary.median),
            compact(summary.q1),
            compact(summary.q3),
            compact(summary.mean),
            summary.runs,
            compact(summary.min),
            compact(summary.max)
        )
    }
}
