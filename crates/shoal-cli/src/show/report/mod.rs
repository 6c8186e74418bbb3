//! The report: one HTML page, complete in itself, for people who were not there when the clusters were found.
//!
//! The page loads nothing, works from a file, and declares both to the browser in its content security policy.
//! Everything on it comes from the released [`Model`] and from what the user typed; all of it is escaped by its type.

mod geometry;
mod making;
mod promise;
mod scatter;
mod strip;
mod tables;
#[cfg(test)]
mod tests;
mod trust;

use maud::{Markup, html};
use shoal::model::Model;
use shoal_page::html::{Page, footer, name};
use shoal_page::svg::Element;
use shoal_page::text::{fixed, percent, plural};

use tables::chip;

/// What the page says about how the model was made.
#[derive(Clone, Debug)]
pub struct About<'a> {
    /// Name of the file the data came from, without folders.
    pub source: &'a str,
    /// The command that was run.
    pub command: &'a str,
    /// When, such as `2026-01-31 12:00 UTC`.
    pub written_at: &'a str,
    /// One line on what the method does.
    pub method_summary: &'a str,
    /// The data set's budget, where a ledger was used.
    pub budget: Option<Budget<'a>>,
}

/// The ledger's state after the release.
#[derive(Clone, Debug)]
pub struct Budget<'a> {
    /// Name of the data set in the ledger.
    pub dataset: &'a str,
    /// All that may ever be spent.
    pub total: String,
    /// What has been spent, this release included.
    pub spent: String,
    /// What is left.
    pub left: String,
}

/// The page.
pub fn render(model: &Model, about: &About<'_>) -> String {
    let clusters = plural(model.k(), "cluster");
    let body = html! {
        header {
            (mark())
            h1 { (clusters) " of " (name(about.source)) }
            p.facts-line { (facts(model, about)) }
        }
        main {
            (promise::card(model))
            (trust::not_separated(model))
            (section("found", "What was found", &html! {
                (findings(model))
                (scatter::scatter(model))
                (strip::strips(model))
            }))
            (section("values", "The clusters in numbers", &tables::clusters(model)))
            (section("trusted", "How far to trust it", &trust::trust(model)))
            (section("promised", "The privacy guarantee in detail", &promise::details(model)))
            (section("made", "How it was made", &making::making(model, about)))
        }
        (footer("In a shoal no single fish can be picked out, yet the shoal’s shape is plain to see.", &model.shoal))
    };
    let title = format!("{clusters} of {}", about.source);
    Page::new(&title, body).style(include_str!("style.css")).script(include_str!("script.js")).render()
}

fn section(id: &str, heading: &str, content: &Markup) -> Markup {
    html! { section aria-labelledby=(id) { h2 id=(id) { (heading) } (content) } }
}

/// The shoal at the head of the page.
fn mark() -> Element {
    const FISH: [(f64, f64); 8] =
        [(4.0, 17.0), (34.0, 6.0), (34.0, 28.0), (64.0, 17.0), (66.0, -1.0), (66.0, 34.0), (94.0, 8.0), (94.0, 26.0)];
    let fish = Element::new("path").set("id", "fish").set("d", "M0 5C5 0 12 0 17 5l5-4v8l-5-4C12 10 5 10 0 5z");
    let svg = Element::new("svg").class("mark").set("viewBox", "0 0 120 44").set("aria-hidden", "true");
    FISH.iter().fold(svg.with(Element::new("defs").with(fish)), |svg, (x, y)| {
        svg.with(Element::new("use").set("href", "#fish").set("x", *x).set("y", *y))
    })
}

/// The line below the title.
fn facts(model: &Model, about: &About<'_>) -> Markup {
    html! {
        @if let Some(from) = &model.from_reports { (fixed(from.reports as f64, 0)) " reports · " }
        (plural(model.columns.len(), "attribute")) " · method " (model.method) " · " (about.written_at)
    }
}

/// The sizes in a sentence.
fn findings(model: &Model) -> Markup {
    if model.sizes.is_empty() {
        return html! { p { "This method does not release how many rows each cluster has." } };
    }
    let shares = tables::shares(&model.sizes);
    let size = |c: usize| {
        html! {
            (chip(c)) " (about " (fixed(model.sizes[c].max(0.0), 0)) " " (model.units())
            @if let Some(share) = shares[c] { ", " (percent(share)) } ")"
        }
    };
    let by_size = |a: &usize, b: &usize| model.sizes[*a].total_cmp(&model.sizes[*b]);
    match ((0..model.k()).max_by(by_size), (0..model.k()).min_by(by_size)) {
        (Some(largest), Some(smallest)) if largest != smallest => html! {
            p { "The largest is cluster " (size(largest)) ", the smallest cluster " (size(smallest)) "." }
        },
        (Some(only), _) => html! { p { "There is one cluster: " (size(only)) "." } },
        _ => html! {},
    }
}
