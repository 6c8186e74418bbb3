//! The clusters and the bounds as tables.

use std::ops::Range;

use maud::{Markup, html};
use shoal::facts::{ClusterFacts, Facts, Margins, Reliance};
use shoal::model::{Kind, Model};
use shoal_lattice::Category;
use shoal_page::html::{name, scrolling};
use shoal_page::text::{listed, number, with_noise};

use super::capital;
use super::geometry::colour_class;
use crate::measured::{self, Shown};

/// The badge of a cluster in running text and tables.
pub fn chip(number: usize) -> Markup {
    html! { span class={ "chip " (colour_class(number)) } { (number) } }
}

/// A name that may be broken after an underscore rather than anywhere.
pub fn breakable(column: &str) -> Markup {
    if column.trim().is_empty() {
        return name(column);
    }
    html! { bdi { @for part in column.split_inclusive('_') { (part) @if part.ends_with('_') { wbr; } } } }
}

/// One row per cluster: who they are, how many, and each column with its interval.
pub fn clusters(model: &Model, facts: &Facts) -> Markup {
    let sized = facts.clusters.iter().any(|cluster| cluster.size.is_some());
    let described = facts.clusters.iter().any(|cluster| !cluster.description.is_empty() || !is_plain(cluster));
    let at_least = facts.margins == Margins::Intervals { at_least: true };
    let units = match model.kind {
        Kind::Curator => "Rows",
        Kind::Crowd => "Reports",
    };
    let numbers = model.numbers();
    let width = 1 + if sized { 2 } else { 0 } + numbers;
    let row = |cluster: &ClusterFacts| {
        html! {
            tr class=[(!cluster.reliance.is_drawn()).then_some("doubtful-row")] {
                th scope="row" { span.aside { "Cluster " } (chip(cluster.number)) }
                @if let Some(size) = &cluster.size {
                    td.n data-label=(units) { (cell(&measured::size(size, at_least))) }
                    (share_cell(cluster))
                }
                @for ((value, bounds), column) in
                    cluster.values[..numbers].iter().zip(&model.bounds).zip(&model.columns)
                {
                    td.n data-label=(column) { (cell(&measured::shown(value, bounds.width(), at_least))) }
                }
            }
            // Below the numbers, so that words do not push them off the page.
            @if described { tr.who { td colspan=(width) { (standing(cluster)) (capital(&cluster.description)) } } }
        }
    };
    let table = html! {
        table.clusters {
            thead {
                tr {
                    th scope="col" { "Cluster" }
                    @if sized { th.n scope="col" { (units) } th.n scope="col" { "Share" } }
                    @for column in &model.columns[..numbers] { th.n scope="col" { (breakable(column)) } }
                }
            }
            tbody { @for cluster in &facts.clusters { (row(cluster)) } }
        }
    };
    html! {
        (scrolling("Table of clusters", &table))
        p.legend { (facts.margins.meaning()) " Values are in the units of the data." }
        @for (category, places) in model.places_of_categories() { (shares(category, places, facts)) }
    }
}

/// One row per cluster: the share of each level of a category.
fn shares(category: &Category, places: Range<usize>, facts: &Facts) -> Markup {
    let at_least = facts.margins == Margins::Intervals { at_least: true };
    let table = html! {
        table.clusters {
            thead {
                tr {
                    th scope="col" { "Cluster" }
                    @for level in category.shown_levels() { th.n scope="col" { (breakable(level)) } }
                    th.n scope="col" { (Category::OTHER) }
                }
            }
            tbody {
                @for cluster in &facts.clusters {
                    tr class=[(!cluster.reliance.is_drawn()).then_some("doubtful-row")] {
                        th scope="row" { span.aside { "Cluster " } (chip(cluster.number)) }
                        @for (value, level) in cluster.values[places.clone()].iter().zip(category.shown_levels()) {
                            td.n data-label=(level) { (cell(&measured::level(value, at_least))) }
                        }
                        td.n data-label=(Category::OTHER) { (measured::rest_of(&cluster.values[places.clone()])) }
                    }
                }
            }
        }
    };
    html! {
        h3 { "Shares of " (name(category.column())) ", in %" }
        (scrolling(&format!("Table of shares of {}", category.column()), &table))
        p.legend { "The last column is what the levels leave of 100 %. Its error is not known." }
    }
}

fn is_plain(cluster: &ClusterFacts) -> bool {
    matches!(cluster.reliance, Reliance::Stable | Reliance::Unknown)
}

/// A pill where a cluster cannot be relied on.
fn standing(cluster: &ClusterFacts) -> Markup {
    let class = match cluster.reliance {
        Reliance::Stable | Reliance::Unknown => return html! {},
        Reliance::Unstable => "pill warn",
        Reliance::NotReproducible | Reliance::MostlyNoise => "pill bad",
    };
    html! { span class=(class) { (cluster.reliance.words()) } " " }
}

fn cell(shown: &Shown) -> Markup {
    html! {
        span { (shown.value) @if let Some(error) = &shown.error { " " span.band { (error.replace(' ', "\u{a0}")) } } }
    }
}

fn share_cell(cluster: &ClusterFacts) -> Markup {
    html! {
        td.n data-label="Share" {
            @if let Some(share) = cluster.share {
                span {
                    i.share style={ "--share:" (format!("{:.1}", share * 100.0)) "%" } {}
                    span.percent { (measured::share_of(cluster)) }
                }
            } @else {
                "–"
            }
        }
    }
}

/// One row per cluster: the standard deviation of its rows in each column; nothing where it is not known.
pub fn spreads(model: &Model, facts: &Facts) -> Markup {
    if model.numbers() == 0 || facts.clusters.iter().all(|cluster| cluster.spread.is_none()) {
        return html! {};
    }
    let numbers = model.numbers();
    let table = html! {
        table.clusters {
            thead {
                tr {
                    th scope="col" { "Cluster" }
                    @for column in &model.columns[..numbers] { th.n scope="col" { (breakable(column)) } }
                }
            }
            tbody {
                @for cluster in facts.clusters.iter().filter(|cluster| cluster.reliance.is_drawn()) {
                    tr {
                        th scope="row" { span.aside { "Cluster " } (chip(cluster.number)) }
                        @for (i, column) in model.columns[..numbers].iter().enumerate() {
                            td.n data-label=(column) {
                                @match cluster.spread.as_ref().map(|spread| spread[i]) {
                                    Some(sd) if sd.is_finite() => (with_noise(sd, sd / 5.0).0),
                                    _ => "–",
                                }
                            }
                        }
                    }
                }
            }
        }
    };
    html! {
        h3 { "How far the people of a cluster are spread" }
        p { "Standard deviations of the rows of each cluster, as far as what was released shows them." }
        (scrolling("Table of spreads", &table))
    }
}

/// One row per column: its public interval, and its scale and weight where there are any.
pub fn bounds(model: &Model) -> Markup {
    let (scaled, weighted) = (!model.scales.is_empty(), !model.weights.is_empty());
    let numbers = model.numbers();
    let table = html! {
        table.bounds {
            thead {
                tr {
                    th scope="col" { "Column" } th.n scope="col" { "Lowest" } th.n scope="col" { "Highest" }
                    @if scaled { th scope="col" { "Scale" } th scope="col" { "A centre is a" } }
                    @if weighted { th.n scope="col" { "Weight" } }
                }
            }
            tbody {
                @for (i, (column, interval)) in model.columns[..numbers].iter().zip(&model.bounds).enumerate() {
                    tr {
                        th scope="row" { (name(column)) }
                        td.n { (number(interval.lo())) }
                        td.n { (number(interval.hi())) }
                        @if scaled { td { (model.scale(i).short()) } td { (model.scale(i).mean()) } }
                        @if let Some(weight) = model.weights.get(i) { td.n { (number(*weight)) } }
                    }
                }
            }
        }
    };
    html! {
        @if numbers > 0 { (scrolling("Table of public bounds", &table)) }
        @for category in &model.categories {
            p {
                "Levels of " (name(category.column())) ": " (listed(&category.shown_levels().collect::<Vec<&str>>()))
                "; weight " (number(category.weight())) "."
            }
        }
    }
}
