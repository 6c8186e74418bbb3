//! How the result was made: method, command, bounds, budget.

use shoal::model::Model;

use super::promise::verdict;
use super::text::escape;
use super::{About, Budget, tables};
use crate::failure::with_flags;

/// The whole section.
pub fn making(model: &Model, about: &About<'_>) -> String {
    let fact = |term: &str, words: &str| format!("<div><dt>{term}</dt><dd>{words}</dd></div>\n");
    let spent = model.spent.as_ref().map_or_else(String::new, |spent| {
        let delta = spent.delta.as_ref().map_or_else(String::new, |delta| format!(", δ = {delta}"));
        let words = match &model.paid_before {
            Some(paid) => format!("nothing; the synopsis was paid for with ε = {}", paid.epsilon),
            None => format!("ε = {}{delta}", spent.epsilon),
        };
        fact("Cost", &escape(&words))
    });
    let decisions = match model.decisions.as_slice() {
        [] => String::new(),
        decisions => {
            let lines: Vec<String> = decisions.iter().map(|decision| escape(&with_flags(decision))).collect();
            fact("Decided on the way", &lines.join("<br>"))
        }
    };
    let facts = [
        fact("Method", &format!("<strong>{}</strong><br>{}", escape(&model.method), escape(about.method_summary))),
        fact("Data", &escape(about.source)),
        fact("Command", &format!("<code class=\"command\">{}</code>", escape(about.command))),
        spent,
        decisions,
        fact("Written", &escape(about.written_at)),
        fact("Program", &format!("shoal {}", escape(&model.shoal))),
    ];
    format!(
        r#"<dl class="facts">{}</dl>
{}
<h3>Public bounds</h3>
<p>Values outside these limits were moved to the nearest limit before anything was computed.</p>
{}
<p class="closing">{}</p>"#,
        facts.concat(),
        about.budget.as_ref().map_or_else(String::new, budget),
        tables::bounds(model),
        if verdict(model).is_ok() {
            "This page holds only released numbers: no record of any person is in it."
        } else {
            "This page holds no record of any person, but its numbers were computed from the records without protection."
        }
    )
}

/// What was spent and what is left, as a bar where the amounts can be read as numbers.
fn budget(budget: &Budget<'_>) -> String {
    let bar = match (amount(&budget.spent), amount(&budget.total)) {
        (Some(spent), Some(total)) if total > 0.0 => format!(
            r#"<div class="budget-bar" aria-hidden="true"><i style="width:{:.1}%"></i></div>"#,
            (spent / total).clamp(0.0, 1.0) * 100.0
        ),
        _ => String::new(),
    };
    format!(
        r#"<div class="budget"><h3>Budget of {}</h3>{bar}
<p class="budget-words"><span><b>{}</b> spent, this release included</span><span><b>{}</b> left of {}</span></p></div>"#,
        super::text::name(budget.dataset),
        escape(&budget.spent),
        escape(&budget.left),
        escape(&budget.total)
    )
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
