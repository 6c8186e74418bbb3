//! What a clustering says: the text on the screen and the page.

use std::ops::Range;

use shoal::facts::{ClusterFacts, Facts, Level, Margins};
use shoal::model::{Kind, Model};
use shoal_lattice::Category;
use shoal_page::text::{plural, printable, shell_word, shortened};
use shoal_privacy::ledger::Balance;
use shoal_privacy::{Claim, Strength};

use crate::arguments::Shown;
use crate::failure::{flagged, with_flags};
use crate::show::output::{Table, loud, mild};
use crate::show::{clock, evidence};
use shoal_report::quality::{self, expected_error};
use shoal_report::{self as report, About, Budget, measured};

/// Columns shown on the screen; the model has them all.
const MOST_COLUMNS: usize = 8;

/// Letters of a column's name that are shown.
const MOST_LETTERS: usize = 20;

/// The result for a person at a terminal.
pub fn text(model: &Model, source: &str, balance: Option<&(String, Balance)>, shown: &Shown) -> String {
    let facts = facts(model);
    let mut text = heading(model, source);
    text.push_str(&format!("\n\n{}", clusters(model, &facts)));
    if !shown.quiet {
        text.push_str(&format!("\n{}\n", facts.margins.meaning()));
    }
    text.push_str(&notes(&facts, shown));
    if let Some(explained) = quality::explained(&facts) {
        text.push_str(&format!("\nQuality: {explained}\n"));
    }
    if let Some(found) = model.nicv_estimate.as_ref().filter(|_| !shown.quiet) {
        let gap = if facts.explained.is_some() { "" } else { "\n" };
        text.push_str(&format!("{gap}Fit: {}\n", quality::nicv(found)));
    }
    if let Some(evidence) = facts.evidence.as_ref().filter(|_| !shown.quiet) {
        text.push_str(&format!("\n{}", evidence::evidence_text(evidence, model.kind)));
    }
    text.push_str(&format!("\n{}", guarantee(&facts)));
    text.push_str(&format!("{}\n", facts.publish.sentence()));
    text.push_str(&cost(model, balance, shown));
    if !shown.quiet {
        text.push_str(&making(model, &facts));
    }
    text
}

/// What a model says, with parameters as flags.
pub fn facts(model: &Model) -> Facts {
    flagged(|| model.facts())
}

fn heading(model: &Model, source: &str) -> String {
    let (clusters, columns) = (plural(model.k(), "cluster"), plural(model.table_columns().len(), "column"));
    let source = match &model.from_reports {
        Some(from) => format!("{} in {source}", plural(from.reports as usize, "report")),
        None => source.into(),
    };
    format!("{clusters} of {source} by {columns}, method {}", model.method)
}

/// The clusters as a table.
fn clusters(model: &Model, facts: &Facts) -> String {
    let columns = model.numbers().min(MOST_COLUMNS);
    let sized = facts.clusters.iter().any(|cluster| cluster.size.is_some());
    let remarked = facts.clusters.iter().any(|cluster| !remark(cluster).is_empty());
    let mut heading = vec!["cluster".to_string()];
    if sized {
        heading.extend(["size".into(), "share".into()]);
    }
    heading.extend(model.columns[..columns].iter().map(|name| shortened(&printable(name), MOST_LETTERS)));
    if remarked {
        heading.push("what stands out".into());
    }
    let at_least = facts.margins == Margins::Intervals { at_least: true };
    let mut table = Table::new(&heading);
    for cluster in &facts.clusters {
        let mut row = vec![cluster.number.to_string()];
        if let Some(size) = cluster.size.as_ref().filter(|_| sized) {
            row.push(measured::size(size, at_least).text());
            row.push(measured::share_of(cluster));
        }
        let values = cluster.values.iter().zip(&model.bounds).take(columns);
        row.extend(values.map(|(value, bounds)| measured::shown(value, bounds.width(), at_least).text()));
        if remarked {
            row.push(remark(cluster));
        }
        table.row(row);
    }
    let more = match model.numbers() - columns {
        0 => String::new(),
        more => format!("  … and {}, in the model (--out) and the report (--report)\n", plural(more, "more column")),
    };
    let shares: String =
        model.places_of_categories().map(|(category, places)| shares(category, places, facts)).collect();
    format!("{table}{more}{shares}")
}

/// The shares of a category's levels in each cluster.
fn shares(category: &Category, places: Range<usize>, facts: &Facts) -> String {
    let at_least = facts.margins == Margins::Intervals { at_least: true };
    let shown = places.len().min(MOST_COLUMNS);
    let letters = |name: &str| shortened(&printable(name), MOST_LETTERS);
    let heading = std::iter::once("cluster".to_string()).chain(category.shown_levels().take(shown).map(letters));
    let mut table = Table::new(&heading.chain([Category::OTHER.to_string()]).collect::<Vec<_>>());
    for cluster in &facts.clusters {
        let levels = cluster.values[places.clone()].iter().take(shown);
        let rest = measured::rest_of(&cluster.values[places.clone()]);
        let cells = levels.map(|value| measured::level(value, at_least).text()).chain([rest]);
        table.row(std::iter::once(cluster.number.to_string()).chain(cells));
    }
    let more = match places.len() - shown {
        0 => String::new(),
        more => format!("  … and {}, in the model (--out) and the report (--report)\n", plural(more, "more level")),
    };
    format!("\nShares of {} in each cluster, in %:\n\n{table}{more}", letters(category.column()))
}

/// What stands out about a cluster: that it cannot be relied on, then what distinguishes it.
pub fn remark(cluster: &ClusterFacts) -> String {
    let doubt = if cluster.reliance.is_drawn() { "" } else { cluster.reliance.words() };
    match (doubt, cluster.description.as_str()) {
        ("", description) => description.into(),
        (doubt, "") => doubt.into(),
        (doubt, description) => format!("{doubt}; {description}"),
    }
}

/// Warnings first; a quiet command shows only what must not be overlooked.
fn notes(facts: &Facts, shown: &Shown) -> String {
    let lines = facts.notes.iter().filter(|note| !shown.quiet || note.level < Level::Note).map(|note| {
        let title = &note.title;
        match note.level {
            Level::Warning => format!("{}: {title}. {}\n", loud("WARNING"), note.text),
            Level::Caution => format!("{}: {title}. {}\n", mild("Caution"), note.text),
            Level::Note => format!("Note: {}\n", note.text),
        }
    });
    let lines: String = lines.collect();
    if lines.is_empty() { lines } else { format!("\n{lines}") }
}

/// The guarantee: what people understand, the formula, the conditions, each on a line of its own.
fn guarantee(facts: &Facts) -> String {
    let Some(claim) = facts.guarantee.claim() else {
        let sentence = facts.guarantee.sentence();
        return format!("{}\n", sentence.replacen("NO PRIVACY", &loud("NO PRIVACY"), 1));
    };
    let also = facts.also.iter().map(|sentence| format!("Also: {sentence}\n"));
    statement(claim) + &also.collect::<String>()
}

/// A claim on three lines.
pub fn statement(claim: &Claim) -> String {
    let statement = claim.statement();
    let conditions = statement.holds_if().map_or_else(String::new, |sentence| format!("{sentence}\n"));
    format!("{}\n{}\n{conditions}", statement.plain, statement.formal)
}

fn cost(model: &Model, balance: Option<&(String, Balance)>, shown: &Shown) -> String {
    if model.kind == Kind::Crowd {
        let nothing = "Spent: nothing; every report was perturbed before it was sent.\n";
        return if shown.quiet { String::new() } else { nothing.into() };
    }
    if let Some(merged) = &model.merged_from {
        return format!("Spent: nothing; the custodians had paid: {}.\n", merged.paid());
    }
    if let Some(paid) = &model.paid_before {
        return format!("Spent: nothing; the synopsis was paid for with ε = {}.\n", paid.epsilon);
    }
    let Some(spent) = &model.spent else { return String::new() };
    let delta = spent.delta.as_ref().map_or_else(String::new, |delta| format!(", δ = {delta}"));
    let mut text = format!("Spent: ε = {}{delta}", spent.epsilon);
    match balance {
        Some((dataset, balance)) => {
            let delta_left = match spent.delta {
                Some(_) => format!(", δ = {} of {}", balance.delta_left().display_down(), balance.delta_total),
                None => String::new(),
            };
            text.push_str(&format!(
                "; ε = {} of {}{delta_left} is left for {dataset}.\n",
                balance.epsilon_left().amount().display_down(),
                balance.epsilon_total
            ));
        }
        None if shown.quiet => text.push_str(".\n"),
        None => text.push_str(". No ledger keeps count: this adds to whatever else is released about these people (`shoal ledger --help`).\n"),
    }
    text
}

/// How the result was made.
fn making(model: &Model, facts: &Facts) -> String {
    let mut lines: Vec<String> = expected_error(model).into_iter().collect();
    lines.extend(model.decisions.iter().map(with_flags));
    let published = &model.published;
    // What is Shoal's own has no paper to say anything.
    if published.paper != "Shoal" && facts.guarantee.claim().is_some() {
        lines.push(format!("The paper ({}) says: {}.", published.paper, published.text));
    }
    if lines.is_empty() { String::new() } else { format!("\n{}\n", lines.join("\n")) }
}

/// A warning where a guarantee is weak, for commands that release no model.
pub fn weak(claim: &Claim) -> String {
    match claim.strength() {
        Strength::Usual => String::new(),
        Strength::Weak => {
            format!("{}: with so large an ε the guarantee is weak; 1 is a common choice.\n", mild("Caution"))
        }
        Strength::VeryWeak => {
            format!(
                "{}: with so large an ε the guarantee is too weak to protect anyone; 1 is a common choice.\n",
                loud("WARNING")
            )
        }
    }
}

/// The result as a page.
pub fn page(model: &Model, source: &str, balance: Option<&(String, Balance)>) -> String {
    let command = command_line();
    let summary = model.summary();
    let about = About {
        source,
        command: &command,
        written_at: &clock::minute(),
        method_summary: &summary,
        budget: balance.map(|(dataset, balance)| {
            let with_delta = |epsilon: String, delta: String| match balance.delta_total.amount().is_zero() {
                true => epsilon,
                false => format!("ε = {epsilon}, δ = {delta}"),
            };
            Budget {
                dataset,
                total: with_delta(balance.epsilon_total.to_string(), balance.delta_total.to_string()),
                spent: with_delta(balance.epsilon_spent.to_string(), balance.delta_spent.to_string()),
                left: with_delta(balance.epsilon_left().amount().display_down(), balance.delta_left().display_down()),
            }
        }),
    };
    flagged(|| report::render(model, &about))
}

/// The command that was run, for a shell; the program goes by its name, not its place.
pub fn command_line() -> String {
    let words = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
    words
        .map(|word| if word.ends_with("/shoal") { "shoal".into() } else { shell_word(&word) })
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::Format;

    #[test]
    fn what_is_not_reproducible_has_no_interval_on_the_terminal_either() {
        let rows: Vec<f64> = (0..3000).map(|i| [10.0, 50.0, 90.0][i % 3] + (i % 7) as f64).collect();
        let table = shoal_files::Matrix::from_rows(&["x"], &rows).unwrap();
        let fit = shoal::Fit::new(3, "1").unwrap().bounds("x=0:100").unwrap().seed(1);
        let mut model = fit.run(table).unwrap();
        model.certainty.as_mut().unwrap().stability = vec![1.0, 0.7, 0.3];
        let shown = Shown { format: Format::Table, quiet: false, threads: None, log: false, data_dir: None };
        let text = text(&model, "people.csv", None, &shown);
        // Lines of the table are indented; the heading starts with the number of clusters.
        let of = |line: &&str, number: &str| line.starts_with(' ') && line.trim_start().starts_with(number);
        let line = |number: &str| text.lines().find(|line| of(line, number)).unwrap();
        assert!(line("3 ").contains("not reproducible") && !line("3 ").contains('±'), "{text}");
        assert!(line("2 ").contains("unstable") && line("1 ").contains('±'), "{text}");
        for note in &facts(&model).notes {
            assert!(text.contains(&note.text), "{note:?}");
        }
    }
}
