//! The page of `shoal compare`: two models side by side.

use maud::{Markup, html};
use shoal::model::Model;
use shoal::{Compare, Pair, Verdict};
use shoal_page::html::{Page, command, footer, name, scrolling};
use shoal_page::svg::{Element, Fragment, Share, circle, group, line, rect, text};
use shoal_page::text::with_noise;

use crate::commands::compare::{SIZE, headline, lines, shown_change, verdict};
use crate::show::clock;
use crate::show::summary::command_line;
use shoal_report::{COLOURS, chip, colour_class};

/// Height of a lane of a strip.
const LANE: f64 = 24.0;

/// The page.
pub fn render(models: [&Model; 2], comparison: &Compare, names: &[String; 2]) -> String {
    let body = html! {
        header {
            h1 { (name(&names[0])) " and " (name(&names[1])) }
            p.facts-line { "two models side by side · " (clock::minute()) }
        }
        main {
            section.card.publish { p.sentence { (headline(comparison)) } p { (comparison.together) } }
            section aria-labelledby="moved" {
                h2 id="moved" { "What changed" }
                @for i in 0..comparison.columns.len() { (strip(models, comparison, i)) }
                p.legend {
                    "The hollow dot is " (name(&names[0])) ", the full one " (name(&names[1]))
                    ". The bar around a full dot shows how large a difference noise explains."
                }
            }
            section aria-labelledby="numbers" {
                h2 id="numbers" { "In numbers" }
                (scrolling("Table of changes", &table(comparison, names)))
                p.legend { "Noise: how large a difference the noise of both models explains, with 95\u{a0}% confidence." }
            }
            section aria-labelledby="know" {
                h2 id="know" { "Good to know" }
                ul.points { @for note in &comparison.notes { li { (note) } } }
                (command(&command_line()))
            }
        }
        (footer("Both models were released before; comparing them reveals nothing more.", env!("CARGO_PKG_VERSION")))
    };
    let title = format!("{} and {}", names[0], names[1]);
    Page::new(&title, body).style(COLOURS).style(include_str!("compare.css")).render()
}

/// The number whose colour a pair has: that of the second model, which may follow the first.
fn number(pair: &Pair) -> usize {
    pair.first.or(pair.second).unwrap_or(1)
}

fn table(comparison: &Compare, names: &[String; 2]) -> Markup {
    html! {
        table.changes {
            thead {
                tr {
                    th scope="col" { "Cluster" } th scope="col" { "" }
                    th.n scope="col" { (name(&names[0])) } th.n scope="col" { (name(&names[1])) }
                    th.n scope="col" { "Difference" } th.n scope="col" { "Noise" } th scope="col" { "" }
                }
            }
            @for pair in &comparison.pairs {
                tbody {
                    @for (i, (column, change)) in lines(comparison, pair).iter().enumerate() {
                        tr {
                            th scope="row" { @if i == 0 { (who(pair)) } }
                            td { (column) }
                            @for cell in shown_change(change, column == SIZE && comparison.sizes_as_shares) { td.n { (cell) } }
                            td { span class=(pill(change.verdict)) { (verdict(change)) } }
                        }
                    }
                }
            }
        }
    }
}

/// The number of a cluster, and that in the other model where it differs.
fn who(pair: &Pair) -> Markup {
    html! {
        (chip(number(pair)))
        @match (pair.first, pair.second) {
            (Some(a), Some(b)) if a != b => { " → " (b) }
            (Some(_), None) => " gone",
            (None, Some(_)) => " new",
            _ => "",
        }
    }
}

fn pill(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Changed | Verdict::OneSided => "pill warn",
        Verdict::WithinNoise => "pill good",
        Verdict::CannotTell => "pill none",
    }
}

/// One column: every cluster before and after.
fn strip(models: [&Model; 2], comparison: &Compare, column: usize) -> Markup {
    let all = comparison.pairs.iter().map(|pair| &pair.columns[column]);
    let ends = all.flat_map(|change| {
        let noise = change.explained_by_noise.filter(|noise| noise.is_finite()).unwrap_or(0.0);
        [change.first, change.second].into_iter().flatten().flat_map(move |value| [value - noise, value + noise])
    });
    let bounds = models[0].bounds[column];
    // Along the axis of a stretched column, values lie as they were clustered.
    let scale = models[0].scale(column);
    let along = |value: f64| match scale.is_linear() {
        true => value,
        false => scale.forward(value.clamp(bounds.lo(), bounds.hi())),
    };
    let ends = ends.map(along);
    let (lo, hi) = ends.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), end| (lo.min(end), hi.max(end)));
    let (lo, hi) = if hi > lo && (hi - lo).is_finite() { (lo, hi) } else { (along(bounds.lo()), along(bounds.hi())) };
    let place = |value: f64| {
        let share = 0.04 + 0.92 * (along(value) - lo) / (hi - lo);
        Share(if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.5 })
    };
    let lane = |(i, pair): (usize, &Pair)| {
        let change = &pair.columns[column];
        let y = LANE * (i as f64 + 0.5) + 4.0;
        let mut lane = group().class(&colour_class(number(pair)));
        if let Some((second, noise)) = change.second.zip(change.explained_by_noise).filter(|_| change.first.is_some()) {
            let (Share(from), Share(to)) = (place(second - noise), place(second + noise));
            lane = lane.with(rect(Share(from), y - 6.0, Share(to - from), 12.0).set("rx", 3.0));
        }
        if let Some((first, second)) = change.first.zip(change.second) {
            lane = lane.with(line(place(first), y, place(second), y));
        }
        if let Some(first) = change.first {
            lane = lane.with(circle(place(first), y, if change.second.is_none() { 9.5 } else { 7.0 }).class("before"));
            if change.second.is_none() {
                let label = text(place(first), y, &number(pair).to_string()).set("dy", ".35em").class("was");
                lane = lane.with(label);
            }
        }
        if let Some(second) = change.second {
            let label = text(place(second), y, &number(pair).to_string()).set("dy", ".35em");
            lane = lane.with(circle(place(second), y, 9.5).class("after")).with(label);
        }
        lane
    };
    let lanes: Fragment = comparison.pairs.iter().enumerate().map(lane).collect();
    let drawing = Element::new("svg")
        .set("role", "img")
        .set(
            "aria-label",
            format!("{}: every cluster before and after; the table has the values.", comparison.columns[column]),
        )
        .set("height", LANE * comparison.pairs.len() as f64 + 8.0)
        .with(rect(0.0, 0.0, Share(1.0), Share(1.0)).class("track").set("rx", 6.0))
        .with(lanes);
    // The ends of the strip are a little beyond the outermost numbers.
    let beyond = (hi - lo) * 0.04 / 0.92;
    let ends = [lo - beyond, hi + beyond].map(|end| with_noise(end, (hi - lo) / 30.0).0);
    html! {
        div.strip {
            p.strip-name { (name(&comparison.columns[column])) }
            div { (drawing) p.ends aria-hidden="true" { span { (ends[0]) } span { (ends[1]) } } }
        }
    }
}
