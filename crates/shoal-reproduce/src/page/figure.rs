//! The page of a figure.

use maud::{Markup, html};
use shoal_page::html::{command, facts, scrolling};
use shoal_page::text::compact;

use super::{page, pill, verdict_pill};
use crate::chart::{Body, Chart, Hover, Point, Scale, Scales, drawing};
use crate::lab::Effort;
use crate::outcome::Outcome;
use crate::printed::{Comparison, Relation};

/// The page: the picture with its values at hand, what the paper says and prints, and how all was measured. `indexed` where an
/// index of all figures is in the same folder.
#[must_use]
pub fn figure(outcome: &Outcome, made_by: &str, indexed: bool) -> String {
    let (info, told) = (&outcome.info, outcome.told());
    let heading = format!("{} {}: {}", info.paper.key(), info.label, info.title);
    let file = |ending: &str, name: &str| html! { a href={ (info.id) "." (ending) } { (name) } };
    let body = html! {
        header {
            @if indexed { p.facts-line { a href="index.html" { "All figures" } } }
            h1 { (heading) }
            p.facts-line { (info.paper.citation()) }
        }
        main {
            @if outcome.effort == Effort::Quick {
                p.banner {
                    "Reduced run, not the paper’s protocol: " (info.quick.trim_end_matches('.')) ". Without " code { "--quick" }
                    " the command below measures all of it."
                }
            }
            div.card {
                (super::told_pill(&told.verdict))
                p.counts {
                    "Of what the paper states and prints: " (told.statements.to_string()) ". Headline: " (told.headline.word())
                    ". Data: " (told.data.word()) ". Protocol: " (told.protocol) ". Privacy claim: " (told.privacy.word()) "."
                }
                p { (outcome.drawing.paragraph) }
            }
            (pictures(outcome))
            p.legend {
                (caption(&outcome.drawing.chart)) " "
                (file("csv", "Numbers")) ", " (file("svg", "SVG")) ", " (file("png", "PNG")) "."
            }
            (statements(outcome))
            (printed(&outcome.comparisons))
            (caveats(outcome))
            section {
                h2 { "How it was measured" }
                (facts("", [
                    ("Protocol", info.protocol.clone()),
                    ("Reduced run", info.quick.clone()),
                    ("Seed", format!("{}: the same numbers each time, but for times", outcome.seed)),
                ]))
                (command(made_by))
            }
        }
    };
    page(&heading, &body, include_str!("script.js"))
}

/// The picture in the scales that make sense, one shown at a time.
fn pictures(outcome: &Outcome) -> Markup {
    let chart = &outcome.drawing.chart;
    let (x, y) = axes(chart);
    let choices = |own: Option<Scale>| match own {
        None => vec![None],
        Some(Scale::Linear) => vec![None, Some(Scale::Log)],
        Some(Scale::Log) => vec![None, Some(Scale::Linear)],
    };
    let is_log = |own: Option<Scale>, other: Option<Scale>| other.or(own) == Some(Scale::Log);
    let button = |axis: &str, own: Option<Scale>, words: &str| {
        html! {
            @if let Some(own) = own {
                label { input type="checkbox" data-axis=(axis) checked[own == Scale::Log]; " " (words) }
            }
        }
    };
    let draw = |across, up| drawing(chart, &outcome.heading(), Scales { x: across, y: up }, Hover::Attributes);
    html! {
        figure.chart {
            @if x.is_some() || y.is_some() {
                div.controls { (button("x", x, "log scale across")) (button("y", y, "log scale up")) }
            }
            @for across in choices(x) {
                @for up in choices(y) {
                    div.picture data-x=(is_log(x, across)) data-y=(is_log(y, up))
                        hidden[across.is_some() || up.is_some()]
                    {
                        (draw(across, up))
                    }
                }
            }
        }
    }
}

/// What a reader can do with this kind of picture, and what its marks mean.
fn caption(chart: &Chart) -> String {
    let has = |test: fn(&Body) -> bool| chart.panels.iter().any(|panel| test(&panel.body));
    let mut parts = Vec::new();
    if has(|body| matches!(body, Body::Lines(_) | Body::Bars(_) | Body::Boxes(_))) {
        parts.push("Click a name in the legend to hide or show its series; point at a mark for its value.");
    } else {
        parts.push("Point at a mark for its value.");
    }
    if has(|body| matches!(body, Body::Lines(_))) {
        parts.push("Bands are two standard errors to both sides.");
    }
    if has(|body| matches!(body, Body::Bars(_))) {
        parts.push("Error bars are two standard errors to both sides.");
    }
    if has(|body| matches!(body, Body::Boxes(_))) {
        parts.push("Boxes are quartiles, whiskers reach to the last run within one and a half boxes.");
    }
    if has(|body| matches!(body, Body::HeatMap(_))) {
        parts.push("Colours are means over runs.");
    }
    parts.join(" ")
}

/// The scale of the axes, where readers may change it: values that a log scale can show.
fn axes(chart: &Chart) -> (Option<Scale>, Option<Scale>) {
    let mut x = Vec::new();
    let mut y = Vec::new();
    for panel in &chart.panels {
        match &panel.body {
            Body::Lines(lines) => {
                let positive = |of: fn(&Point) -> f64| {
                    lines.series.iter().flat_map(|series| &series.points).all(|point| of(point) > 0.0)
                };
                x.push(positive(|point| point.x).then_some(lines.x.scale));
                y.push(positive(|point| point.y).then_some(lines.y.scale));
            }
            Body::Bars(bars) => {
                let values = bars.series.iter().flat_map(|(_, values)| values.iter().flatten());
                y.push(values.map(|point| point.y).all(|y| y > 0.0).then_some(bars.y.scale));
            }
            Body::Boxes(boxes) => {
                let values = boxes.groups.iter().flat_map(|group| &group.boxes).flat_map(|(_, runs)| runs);
                y.push(values.copied().all(|y| y > 0.0).then_some(boxes.y.scale));
            }
            Body::HeatMap(_) | Body::Scatter(_) => {}
        }
    }
    let common = |scales: Vec<Option<Scale>>| {
        scales.iter().all(Option::is_some).then(|| scales.first().copied().flatten()).flatten()
    };
    (common(x), common(y))
}

fn statements(outcome: &Outcome) -> Markup {
    let table = html! {
        table.words.stacked {
            thead { tr { th { "the paper" } th { "here" } th { "measured" } } }
            tbody {
                @for statement in &outcome.drawing.statements {
                    tr {
                        td {
                            (statement.says)
                            @if statement.headline { " " span.source { "(headline)" } }
                            @if statement.privacy { " " span.source { "(privacy claim)" } }
                            @if statement.ours { " " span.source { "(our remark)" } }
                        }
                        td { (verdict_pill(statement.verdict)) }
                        td { (statement.found) }
                    }
                }
            }
        }
    };
    html! {
        @if !outcome.drawing.statements.is_empty() {
            section { h2 { "What the paper says of it" } (scrolling("Statements of the paper", &table)) }
        }
    }
}

fn printed(comparisons: &[Comparison]) -> Markup {
    let table = html! {
        table.words {
            thead {
                tr {
                    th { "value" } th.n { "printed" } th.n { "measured ± standard error" } th.n { "may differ by" } th.n { "standard errors apart" }
                    th { "verdict" } th { "remark" }
                }
            }
            tbody { @for comparison in comparisons { (compared(comparison)) } }
        }
    };
    html! {
        section {
            h2 { "Printed and measured" }
            @if comparisons.is_empty() {
                p { "The paper prints no value of this figure in its text or tables." }
            } @else {
                (scrolling("Printed and measured values", &table))
                p.legend {
                    "What may differ: three standard errors of the difference, from the spread over runs (more where there are few), and half of the last printed digit. Differences that statements are about count by the same rule."
                }
            }
        }
    }
}

/// A printed value beside the measured one.
fn compared(comparison: &Comparison) -> Markup {
    let printed = &comparison.printed;
    let sign = match printed.relation {
        Relation::Equal => "",
        Relation::Above => "above ",
        Relation::Below => "below ",
        Relation::About => "about ",
    };
    let measured = comparison.measured.map_or("–".to_string(), |(mean, error)| {
        if error > 0.0 { format!("{} ± {}", compact(mean), compact(error)) } else { compact(mean) }
    });
    let verdict = match comparison.agrees {
        Some(true) => pill("good", "agrees"),
        Some(false) => pill("bad", "differs"),
        None if comparison.measured.is_some() => pill("none", "too few runs"),
        None => pill("none", "not measured"),
    };
    html! {
        tr {
            td { (printed.what) br; span.source { (printed.source) } }
            td.n { (sign) (printed.value) }
            td.n { (measured) }
            td.n { (comparison.tolerance.map_or("–".into(), compact)) }
            td.n { (comparison.standard_errors.map_or("–".into(), |errors| format!("{errors:.1}"))) }
            td { (verdict) }
            td { (printed.why) }
        }
    }
}

fn caveats(outcome: &Outcome) -> Markup {
    html! {
        @if !outcome.drawing.caveats.is_empty() {
            section {
                h2 { "What is not as in the paper" }
                ul.points { @for caveat in &outcome.drawing.caveats { li { (caveat) } } }
            }
        }
    }
}
