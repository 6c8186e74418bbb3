//! The clusters and the bounds as tables.

use maud::{Markup, html};
use shoal::model::{Kind, Model};
use shoal_page::html::{name, scrolling};
use shoal_page::text::{fixed, number, percent, with_noise};

use super::geometry::{BAND, COLOURS};

/// The badge of a cluster in running text and tables.
pub fn chip(c: usize) -> Markup {
    html! { span class={ "chip c" (c % COLOURS) } { (c + 1) } }
}

/// Share of each cluster in all that are above zero; none when none is.
pub fn shares(sizes: &[f64]) -> Vec<Option<f64>> {
    let counted = |size: f64| if size.is_finite() { size.max(0.0) } else { 0.0 };
    let total: f64 = sizes.iter().map(|size| counted(*size)).sum();
    sizes.iter().map(|size| (total > 0.0 && total.is_finite()).then(|| counted(*size) / total)).collect()
}

/// A name that may be broken after an underscore rather than anywhere.
pub fn breakable(column: &str) -> Markup {
    if column.trim().is_empty() {
        return name(column);
    }
    html! { bdi { @for part in column.split_inclusive('_') { (part) @if part.ends_with('_') { wbr; } } } }
}

/// One row per cluster: size, share, and each attribute with its noise.
pub fn clusters(model: &Model) -> Markup {
    // Columns for sizes only where there are sizes.
    let sized = !model.sizes.is_empty();
    let shares = shares(&model.sizes);
    let units = match model.kind {
        Kind::Curator => "Rows",
        Kind::Crowd => "Reports",
    };
    let table = html! {
        table {
            thead {
                tr {
                    th scope="col" { "Cluster" }
                    @if sized { th.n scope="col" { (units) } th.n scope="col" { "Share" } }
                    @for column in &model.columns { th.n scope="col" { (breakable(column)) } }
                }
            }
            tbody {
                @for c in 0..model.k() {
                    tr {
                        th scope="row" { span.aside { "Cluster " } (chip(c)) }
                        @if sized { td.n { (fixed(model.sizes[c], 0)) } (share_cell(shares[c])) }
                        @for a in 0..model.columns.len() { (value_cell(model, c, a)) }
                    }
                }
            }
        }
    };
    html! {
        (scrolling("Table of clusters", &table))
        p.legend {
            "Values are in the units of the data. The number after ± is " (model.plus_minus()) "." (about_sizes(model))
        }
    }
}

fn share_cell(share: Option<f64>) -> Markup {
    html! {
        td.n {
            @if let Some(share) = share {
                i.share style={ "--share:" (format!("{:.1}", share * 100.0)) "%" } {}
                span { (percent(share)) }
            } @else {
                "–"
            }
        }
    }
}

fn value_cell(model: &Model, c: usize, attribute: usize) -> Markup {
    let (value, band) = with_noise(model.centres[c][attribute], BAND * model.centre_sd[c][attribute]);
    html! { td.n { (value) @if let Some(band) = band { " " span.band { "±\u{a0}" (band) } } } }
}

fn about_sizes(model: &Model) -> &'static str {
    if model.kind == Kind::Crowd {
        " Numbers of reports are estimates too."
    } else if model.sizes.is_empty() {
        " This method releases no numbers of rows."
    } else if model.sizes.iter().any(|size| *size < 0.0) {
        " Numbers of rows carry noise of their own. A size below zero is the work of noise: read it as few rows, or none."
    } else {
        " Numbers of rows carry noise of their own."
    }
}

/// One row per attribute: its public interval.
pub fn bounds(model: &Model) -> Markup {
    let table = html! {
        table.bounds {
            thead {
                tr { th scope="col" { "Attribute" } th.n scope="col" { "Lowest" } th.n scope="col" { "Highest" } }
            }
            tbody {
                @for (column, interval) in model.columns.iter().zip(&model.bounds) {
                    tr {
                        th scope="row" { (name(column)) }
                        td.n { (number(interval.lo())) }
                        td.n { (number(interval.hi())) }
                    }
                }
            }
        }
    };
    scrolling("Table of public bounds", &table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up_and_survive_noise() {
        assert_eq!(shares(&[30.0, 10.0, -4.0]), [Some(0.75), Some(0.25), Some(0.0)]);
        assert_eq!(shares(&[0.0, -1.0]), [None, None]);
    }
}
