//! The report: one HTML page, complete in itself, for people who were not there when the clusters were found.
//!
//! The page loads nothing, works from a file, and declares both to the browser in its content security policy.
//! Everything on it comes from the released [`Model`] and from what the user typed; all of it is escaped by its type.

mod geometry;
mod making;
pub mod measured;
mod promise;
pub mod quality;
mod scatter;
mod strip;
mod tables;
#[cfg(test)]
mod tests;
mod trust;

use maud::{Markup, html};
use shoal::facts::{ClusterFacts, Facts, Margins};
use shoal::model::Model;
use shoal_page::html::{Page, footer, name};
use shoal_page::svg::Element;
use shoal_page::text::{fixed, plural};

pub use geometry::colour_class;
pub use tables::chip;

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

/// The page. Parameters that its words mention have the names that the caller gives them.
pub fn render(model: &Model, about: &About<'_>) -> String {
    let facts = model.facts();
    let clusters = plural(model.k(), "cluster");
    let body = html! {
        header {
            (mark())
            h1 { (clusters) " of " (name(about.source)) }
            p.facts-line { (line(model, about)) }
        }
        main {
            (promise::card(&facts))
            (trust::warnings(&facts))
            (section("found", "What was found", &html! {
                (findings(model, &facts))
                (tables::clusters(model, &facts))
                (scatter::scatter(model, &facts))
                (strip::strips(model, &facts))
            }))
            (promise::publish(&facts))
            (section("trusted", "How far to trust it", &trust::trust(model, &facts)))
            (section("promised", "The privacy guarantee in detail", &promise::details(model, &facts)))
            (section("made", "How it was made", &making::making(model, &facts, about)))
        }
        (footer("In a shoal no single fish can be picked out, yet the shoal’s shape is plain to see.", &model.shoal))
    };
    let title = format!("{clusters} of {}", about.source);
    Page::new(&title, body).style(COLOURS).style(include_str!("style.css")).script(include_str!("script.js")).render()
}

/// The colours of clusters, the same on every page.
pub const COLOURS: &str = include_str!("colours.css");

/// A sentence that begins with a capital letter.
fn capital(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
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
fn line(model: &Model, about: &About<'_>) -> Markup {
    html! {
        @if let Some(from) = &model.from_reports { (fixed(from.reports as f64, 0)) " reports · " }
        (plural(model.table_columns().len(), "column")) " · method " (model.method) " · " (about.written_at)
    }
}

/// The largest and the smallest cluster that can be relied on, in a sentence.
fn findings(model: &Model, facts: &Facts) -> Markup {
    let sized: Vec<&ClusterFacts> =
        facts.clusters.iter().filter(|cluster| cluster.reliance.is_drawn() && cluster.size.is_some()).collect();
    let at_least = facts.margins == Margins::Intervals { at_least: true };
    let size = |cluster: &ClusterFacts| {
        let shown = cluster.size.as_ref().map_or_else(String::new, |size| match size.interval() {
            Some(_) => measured::size(size, at_least).text(),
            None => format!("about {}", measured::size(size, at_least).value),
        });
        html! {
            (chip(cluster.number)) " (" (shown) " " (model.units())
            @if cluster.share.is_some() { ", " (measured::share_of(cluster)) } ")"
        }
    };
    let by_size = |a: &&&ClusterFacts, b: &&&ClusterFacts| {
        let of = |cluster: &ClusterFacts| cluster.size.map_or(0.0, |size| size.value);
        of(a).total_cmp(&of(b))
    };
    match (sized.iter().max_by(by_size), sized.iter().min_by(by_size)) {
        (Some(largest), Some(smallest)) if largest.number != smallest.number => html! {
            p { "The largest is cluster " (size(largest)) ", the smallest cluster " (size(smallest)) "." }
        },
        (Some(only), _) if facts.clusters.len() == 1 => html! { p { "There is one cluster: " (size(only)) "." } },
        _ => html! {},
    }
}
