//! How the result was made: method, command, bounds, budget.

use maud::{Markup, html};
use shoal::model::Model;
use shoal_page::html::{command, facts, name};

use super::promise::verdict;
use super::{About, Budget, tables};
use shoal::facts::Facts;
use shoal_page::text::printable;

/// The whole section.
pub fn making(model: &Model, facts_of: &Facts, about: &About<'_>) -> Markup {
    let mut rows = vec![
        ("Method", html! { strong { (model.method) } br; (about.method_summary) }),
        ("Data", html! { (about.source) }),
        ("Command", command(about.command)),
    ];
    if let Some(spent) = &model.spent {
        let cost = match (&model.paid_before, &model.merged_from) {
            (_, Some(merged)) => format!("nothing; the custodians had paid: {}", merged.paid()),
            (Some(paid), None) => format!("nothing; the synopsis was paid for with ε = {}", paid.epsilon),
            (None, None) => match &spent.delta {
                Some(delta) => format!("ε = {}, δ = {delta}", spent.epsilon),
                None => format!("ε = {}", spent.epsilon),
            },
        };
        rows.push(("Cost", html! { (cost) ". Whoever ran the command chose it; the program does not." }));
    }
    if !model.decisions.is_empty() {
        let lines = html! {
            @for (i, decision) in model.decisions.iter().enumerate() { @if i > 0 { br; } (printable(&decision.to_string())) }
        };
        rows.push(("Decided on the way", lines));
    }
    rows.push(("Written", html! { (about.written_at) }));
    rows.push(("Program", html! { "shoal " (model.shoal) }));
    html! {
        (facts("facts", rows))
        @if let Some(ledger) = &about.budget { (budget(ledger)) }
        h3 { "Public bounds" }
        p { "Values outside these limits were moved to the nearest limit before anything was computed." }
        (tables::bounds(model))
        p.closing {
            @if verdict(facts_of).is_ok() {
                "This page has only released numbers: no record of any person is in it."
            } @else {
                "No record of any person is on this page, but its numbers were computed from the records without protection."
            }
        }
    }
}

/// What was spent and what is left, as a bar where the amounts can be read as numbers.
fn budget(budget: &Budget<'_>) -> Markup {
    let part = match (amount(&budget.spent), amount(&budget.total)) {
        (Some(spent), Some(total)) if total > 0.0 => Some((spent / total).clamp(0.0, 1.0) * 100.0),
        _ => None,
    };
    html! {
        div.budget {
            h3 { "Budget of " (name(budget.dataset)) }
            @if let Some(part) = part {
                div.budget-bar aria-hidden="true" { i style={ "width:" (format!("{part:.1}")) "%" } {} }
            }
            p.budget-words {
                span { b { (budget.spent) } " spent, this release included" }
                span { b { (budget.left) } " left of " (budget.total) }
            }
        }
    }
}

/// The first number of a text such as `ε = 0.5`.
fn amount(text: &str) -> Option<f64> {
    let words = text.split(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ',' | '='));
    words.filter_map(|word| word.parse::<f64>().ok()).find(|value| value.is_finite() && *value >= 0.0)
}

#[cfg(test)]
mod tests {
    use super::amount;

    #[test]
    fn amounts_are_found_in_words() {
        assert_eq!(amount("0.5"), Some(0.5));
        assert_eq!(amount("(ε = 1, δ = 1e-6)"), Some(1.0));
        assert_eq!(amount("all of it"), None);
    }
}
