//! How far the numbers can be trusted, in plain words.

use maud::{Markup, html};
use shoal::facts::{Facts, Level, Note};
use shoal::model::Model;
use shoal_curator::Evidence;
use shoal_page::svg::{Element, Fragment, Share, circle, group, line, text};
use shoal_page::text::percent;

use super::tables;
use crate::quality;

/// What must not be overlooked, at the top of the page.
pub fn warnings(facts: &Facts) -> Markup {
    html! { @for note in facts.notes.iter().filter(|note| note.level < Level::Note) { (card(note)) } }
}

fn card(note: &Note) -> Markup {
    let class = if note.level == Level::Warning { "card warning strong" } else { "card warning" };
    html! {
        div class=(class) role="note" {
            p.tag { span aria-hidden="true" { "▲" } " " (note.title) }
            p { (note.text) }
        }
    }
}

/// The whole section.
pub fn trust(model: &Model, facts: &Facts) -> Markup {
    html! {
        ul.points {
            li { strong { "How sure are the numbers?" } " " (facts.margins.meaning()) }
            @if let Some(error) = quality::expected_error(model) { li { (error) } }
            @if let Some(explained) = quality::explained(facts) {
                li {
                    strong { "How well do the clusters fit?" } " " (super::capital(&explained))
                    " Wider bounds do not change this share."
                }
            }
            @for note in facts.notes.iter().filter(|note| note.level == Level::Note) {
                li { strong { (note.title) "." } " " (note.text) }
            }
            @if let Some(found) = &model.nicv_estimate {
                li { strong { "For comparing methods:" } " " (quality::nicv(found)) }
            }
            li {
                strong { "Noise is not the only source of doubt." }
                " Another number of clusters may divide the same people differently, and other people would give other clusters, as with any clustering."
            }
        }
        @if let Some(evidence) = &facts.evidence { (evidence_of(evidence, model)) }
        (tables::spreads(model, facts))
    }
}

/// Why there are so many clusters: a table and a small drawing.
fn evidence_of(evidence: &Evidence, model: &Model) -> Markup {
    let k = model.k();
    html! {
        h3 { "How many clusters are there?" }
        p { (quality::evidence_sentence(evidence, model.kind)) }
        div.evidence {
            table {
                thead { tr { @for heading in quality::evidence_headings(model.kind) { th.n scope="col" { (heading) } } } }
                tbody {
                    @for (row, of) in quality::evidence_rows(evidence).iter().zip(&evidence.tried) {
                        tr class=[(of.k == k).then_some("chosen")] { @for cell in row { td.n { (cell) } } }
                    }
                }
            }
            (evidence_plot(evidence, k))
        }
        p.legend { "The line of this model’s number of clusters is marked." }
    }
}

/// The share of variance that k clusters explain.
fn evidence_plot(evidence: &Evidence, k: usize) -> Element {
    const TOP: f64 = 14.0;
    const BOTTOM: f64 = 150.0;
    let most = evidence.tried.iter().map(|of| of.k).max().unwrap_or(1).max(2) as f64;
    let x = |k: usize| Share(0.06 + 0.88 * (k as f64 - 1.0) / (most - 1.0));
    let y = |share: f64| BOTTOM - (BOTTOM - TOP) * if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 };
    let lines: Fragment = evidence
        .tried
        .windows(2)
        .map(|two| line(x(two[0].k), y(two[0].explained), x(two[1].k), y(two[1].explained)).class("curve"))
        .collect();
    let grid: Fragment = [0.0, 0.5, 1.0]
        .map(|share| {
            let label = text(0.0, y(share), &percent(share)).set("dy", -3.0);
            group().class("ticks").with(line(0.0, y(share), Share(1.0), y(share))).with(label)
        })
        .into_iter()
        .collect();
    let dots: Fragment = evidence
        .tried
        .iter()
        .map(|of| {
            let class = if of.k == k { "dot chosen" } else { "dot" };
            let label = text(x(of.k), BOTTOM, &of.k.to_string()).set("dy", 18.0).class("label");
            group().with(circle(x(of.k), y(of.explained), if of.k == k { 6.0 } else { 4.0 }).class(class)).with(label)
        })
        .collect();
    Element::new("svg")
        .class("elbow")
        .set("role", "img")
        .set("aria-label", "Share of variance explained, by number of clusters")
        .set("height", BOTTOM + 26.0)
        .with(grid)
        .with(lines)
        .with(dots)
}
