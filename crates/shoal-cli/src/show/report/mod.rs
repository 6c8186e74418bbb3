//! The report: one HTML page, complete in itself, for people who were not there when the clusters were found.
//!
//! The page loads nothing, works from a file, and says so to the browser in its content security policy. Everything on
//! it comes from the released [`Model`] and from what the user typed; all of it is escaped.

mod geometry;
mod making;
mod promise;
mod scatter;
mod strip;
mod tables;
#[cfg(test)]
mod tests;
pub mod text;
mod trust;

use shoal::model::Model;

use tables::chip;
use text::{escape, name, percent, rows};

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

/// What a ledger says after the release.
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
    let k = model.k();
    let clusters = if k == 1 { "1 cluster".to_string() } else { format!("{k} clusters") };
    let parts = [
        ("style", include_str!("style.css").to_string()),
        ("script", include_str!("script.js").to_string()),
        ("document", escape(&format!("{clusters} of {}", about.source))),
        ("heading", format!("{clusters} of {}", name(about.source))),
        ("facts", facts(model, about)),
        ("card", format!("{}{}", promise::card(model), trust::drowned(model))),
        ("findings", findings(model)),
        ("scatter", scatter::scatter(model)),
        ("strips", strip::strips(model)),
        ("table", tables::clusters(model)),
        ("trust", trust::trust(model)),
        ("promise", promise::details(model)),
        ("making", making::making(model, about)),
        ("version", escape(&model.shoal)),
    ];
    fill(include_str!("page.html"), &parts)
}

/// The template with each `{{name}}` replaced. What is put in is never searched again.
pub fn fill(template: &str, parts: &[(&str, String)]) -> String {
    let mut page = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        page.push_str(before);
        let Some((key, after)) = after.split_once("}}") else { break };
        page.push_str(parts.iter().find(|(name, _)| *name == key).map_or("", |(_, text)| text));
        rest = after;
    }
    page.push_str(rest);
    page
}

/// The line below the title.
fn facts(model: &Model, about: &About<'_>) -> String {
    let attributes = match model.columns.len() {
        1 => "1 attribute".to_string(),
        d => format!("{d} attributes"),
    };
    let reports =
        model.from_reports.as_ref().map_or(String::new(), |from| format!("{} reports · ", rows(from.reports as f64)));
    format!("{reports}{attributes} · method {} · {}", escape(&model.method), escape(about.written_at))
}

/// The sizes in a sentence.
fn findings(model: &Model) -> String {
    if model.sizes.is_empty() {
        return "<p>How many rows each cluster has is not part of what this method releases.</p>".into();
    }
    let shares = tables::shares(&model.sizes);
    let size = |c: usize| {
        let share = shares[c].map_or_else(String::new, |share| format!(", {}", percent(share)));
        format!("{} (about {} {}{share})", chip(c), rows(model.sizes[c].max(0.0)), model.units())
    };
    let by_size = |a: &usize, b: &usize| model.sizes[*a].total_cmp(&model.sizes[*b]);
    let (largest, smallest) = ((0..model.k()).max_by(by_size), (0..model.k()).min_by(by_size));
    match (largest, smallest) {
        (Some(largest), Some(smallest)) if largest != smallest => {
            format!("<p>The largest is cluster {}, the smallest cluster {}.</p>", size(largest), size(smallest))
        }
        (Some(only), _) => format!("<p>There is one cluster: {}.</p>", size(only)),
        _ => String::new(),
    }
}
