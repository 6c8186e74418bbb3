//! How far the numbers can be trusted, in plain words.

use maud::{Markup, html};
use shoal::model::{Kind, Model};
use shoal_curator::SWAMPED;
use shoal_lattice::Widths;
use shoal_page::text::percent;

use super::promise;
use super::tables::chip;
use crate::show::quality;
use crate::show::summary::fewer_words;

/// Above this part of the range a centre is blurred; above [`SWAMPED`] it is mostly noise.
const BLURRED: Widths = Widths(0.05);
/// Right end of the gauge.
const GAUGE: Widths = Widths(0.30);
/// Pairs of clusters that are named before the rest is only counted.
const PAIRS: usize = 5;

/// The whole section.
pub fn trust(model: &Model) -> Markup {
    let units = model.units();
    html! {
        // Where even the page's beginning warns, a second warning adds nothing.
        @if !model.drowned() && model.expected_error.swamps() {
            (warning("Mostly noise", &format!(
                "These centres are mostly noise: use more {units}, fewer clusters or columns, or a larger ε."
            )))
        }
        (gauge(model.expected_error.center_rmse))
        ul.points {
            li { (sentence(model)) }
            @if let Some(found) = &model.nicv_estimate {
                li {
                    strong { "How well the clusters fit was measured, privately:" } " "
                    (quality::sentence(found, model.columns.len()))
                }
            }
            @if let Some(fewer) = fewer_words(model) {
                li { strong { "There are fewer clusters than asked for:" } " " (fewer) }
            }
            @if let Some(least) = least_certain(model) { li { (least) } }
            @if let Some(pairs) = not_told_apart(model) { li { (pairs) } }
            @if !model.sizes.is_empty() {
                li {
                    strong { "Sizes are noisy too." } " The number of " (units)
                    " of a cluster, and with it its share, is not exact; small clusters suffer most."
                }
            }
            li {
                strong { "Noise is not the only source of doubt." }
                " Another number of clusters or another initialisation may divide the same people differently, as with any clustering."
            }
        }
    }
}

fn warning(tag: &str, words: &str) -> Markup {
    html! {
        div.card.warning role="note" { p.tag { span aria-hidden="true" { "▲" } " " (tag) } p { (words) } }
    }
}

/// The box at the top of a page whose centres mean nothing.
pub fn not_separated(model: &Model) -> Markup {
    if !model.drowned() {
        return html! {};
    }
    warning(
        "The clusters cannot be told apart from noise",
        "The error of these centres is as large as the distances between them. Collect more reports, ask for fewer clusters, use fewer columns, or a larger ε.",
    )
}

fn sentence(model: &Model) -> Markup {
    let error = model.expected_error.center_rmse;
    if !(error.0.is_finite() && error.0 > 0.0) {
        return html! {
            strong { "No noise is stated for these centres." } " They are shown as they were computed."
        };
    }
    let verdict = if error > SWAMPED {
        "Where they lie says little about the data."
    } else if error > BLURRED {
        "The rough picture holds; fine differences do not."
    } else {
        "Differences between centres that are several times larger are unlikely to be noise."
    };
    let private = promise::verdict(model).is_ok();
    html! {
        strong {
            @if model.kind == Kind::Crowd { "A centre is off" } @else { "Privacy noise moves a centre" }
            " by " (about(error.0)) " of each column’s range."
        }
        " " (verdict)
        @if private && model.kind == Kind::Curator {
            " By how much each one was really moved, nobody knows: the noise was not kept."
        }
    }
}

/// A share in words: `about 3 %`, or `less than 0.1 %`.
fn about(share: f64) -> String {
    let percent = percent(share);
    if percent.starts_with("less") { percent } else { format!("about {percent}") }
}

/// A scale from no noise to far too much, with the clustering's place on it.
fn gauge(error: Widths) -> Markup {
    if !error.0.is_finite() {
        return html! {};
    }
    let place = |Widths(share): Widths| share.clamp(0.0, GAUGE.0) / GAUGE.0 * 100.0;
    let width = |percent: f64| format!("width:{percent:.1}%");
    let (clear, blurred) = (width(place(BLURRED)), width(place(SWAMPED) - place(BLURRED)));
    let label = format!(
        "Expected error {} of the range. Up to 5\u{a0}% is clear, up to 15\u{a0}% blurred, above that mostly noise.",
        percent(error.0)
    );
    html! {
        div.gauge role="img" aria-label=(label) {
            div.gauge-bar {
                i style=(clear) {} i style=(blurred) {} i {} b style={ "left:" (format!("{:.1}", place(error))) "%" } {}
            }
            div.gauge-words aria-hidden="true" {
                span style=(clear) { "clear" } span style=(blurred) { "blurred" } span { "mostly noise" }
            }
        }
    }
}

/// Root mean square noise of one centre, as a part of the ranges.
fn noise_of(model: &Model, c: usize) -> f64 {
    let squares =
        model.centre_sd[c].iter().zip(&model.bounds).map(|(&sd, interval)| Widths::of_user(sd, interval).0.powi(2));
    (squares.sum::<f64>() / model.columns.len().max(1) as f64).sqrt()
}

fn least_certain(model: &Model) -> Option<Markup> {
    let noise: Vec<_> = (0..model.k()).map(|c| noise_of(model, c)).collect();
    let worst = (0..model.k()).max_by(|a, b| noise[*a].total_cmp(&noise[*b]))?;
    let clearly_worse = noise[worst].is_finite() && noise[worst] > 1.5 * model.expected_error.center_rmse.0.max(1e-12);
    (model.k() > 1 && clearly_worse).then(|| {
        html! {
            strong { "Least certain is cluster " (chip(worst)) ":" }
            " noise moves it by " (about(noise[worst])) ". The fewer " (model.units())
            " a cluster has, the less is known about it."
        }
    })
}

/// Clusters whose centres differ by less than their noise in every attribute.
fn not_told_apart(model: &Model) -> Option<Markup> {
    let apart = |a: usize, b: usize| {
        (0..model.columns.len()).any(|i| {
            let noise = 2.0 * model.centre_sd[a][i].hypot(model.centre_sd[b][i]);
            (model.centres[a][i] - model.centres[b][i]).abs() > noise
        })
    };
    let pairs: Vec<_> =
        (0..model.k()).flat_map(|a| (a + 1..model.k()).map(move |b| (a, b))).filter(|(a, b)| !apart(*a, *b)).collect();
    let named = pairs.len().min(PAIRS);
    let more = pairs.len() - named;
    // Commas between pairs, and before the last an “and”, unless the rest is counted.
    let before = |i: usize| match i {
        0 => "",
        i if i + 1 == named && more == 0 => " and ",
        _ => ", ",
    };
    (!pairs.is_empty()).then(|| {
        html! {
            strong { "Some clusters may be one and the same." }
            " Noise alone could explain the difference between "
            @for (i, (a, b)) in pairs.iter().take(PAIRS).enumerate() { (before(i)) (chip(*a)) "–" (chip(*b)) }
            @if more > 0 { " and " (more) " more pairs" }
            "."
        }
    })
}
