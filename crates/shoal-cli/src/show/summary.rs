//! What a fit says: the text on the screen and the page.

use shoal::model::{Kind, Model};
use shoal_page::text::{first_few, plural, printable, shell_word, shortened, to_step};
use shoal_privacy::ledger::Balance;
use shoal_privacy::rounding::exp_up;
use shoal_privacy::{Claim, Delta, Loss};

use super::bars::error_text;
use crate::arguments::Shown;
use crate::failure::with_flags;
use crate::show::clock;
use crate::show::output::Table;
use crate::show::quality;
use crate::show::report::{self, About, Budget};

/// Attributes shown on the screen; the model has them all.
const MOST_COLUMNS: usize = 8;

/// Letters of a column's name that are shown.
const MOST_LETTERS: usize = 20;

/// Clusters named in a line.
const MOST_NAMED: usize = 12;

/// From this ε on, a coin toss becomes near certainty.
const WEAK: f64 = 5.0;

/// The result for a person at a terminal.
pub fn text(model: &Model, source: &str, balance: Option<&(String, Balance)>, shown: &Shown) -> String {
    let mut text = String::new();
    let dims = model.columns.len();
    let (clusters, columns) = (plural(model.k(), "cluster"), plural(dims, "column"));
    let source = match &model.from_reports {
        Some(from) => format!("{} in {source}", plural(from.reports as usize, "report")),
        None => source.into(),
    };
    text.push_str(&format!("{clusters} of {source} by {columns}, method {}\n\n", model.method));

    let shown_columns = dims.min(MOST_COLUMNS);
    let mut heading = vec!["cluster".to_string()];
    if !model.sizes.is_empty() {
        heading.push("size".into());
    }
    heading.extend(model.columns[..shown_columns].iter().map(|name| shorten(name)));
    let mut table = Table::new(&heading);
    for (j, (centre, sd)) in model.centres.iter().zip(&model.centre_sd).enumerate() {
        let mut row = vec![(j + 1).to_string()];
        if !model.sizes.is_empty() {
            row.push(format!("{:.0} ± {:.0}", model.sizes[j], (2.0 * model.size_sd[j]).ceil()));
        }
        row.extend((0..shown_columns).map(|i| with_noise(centre[i], 2.0 * sd[i])));
        table.row(row);
    }
    text.push_str(&table.to_string());
    if shown_columns < dims {
        text.push_str(&format!(
            "  … and {} more columns, in the model (--out) and the report (--report)\n",
            dims - shown_columns
        ));
    }
    if !shown.quiet {
        text.push_str(&format!("\nThe number after ± is {}.\n", model.plus_minus()));
        if model.sizes.is_empty() {
            text.push_str("This method releases no numbers of rows.\n");
        }
        if !model.decisions.is_empty() {
            let decisions: Vec<String> = model.decisions.iter().map(with_flags).collect();
            text.push_str(&format!("\n{}\n", decisions.join("\n")));
        }
    }

    text.push_str(&format!("\n{}\n", model.guarantee.sentence()));
    for also in &model.also {
        text.push_str(&format!("Also: {}\n", also.sentence()));
    }
    if let Some(claim) = model.guarantee.claim() {
        text.push_str(&in_practice(claim));
    }
    if !shown.quiet {
        let published = &model.published;
        // What is Shoal's own has no paper to say anything.
        match published.paper.as_str() {
            "Shoal" => text.push_str(&format!("Published about it: {}.\n", published.text)),
            paper => text.push_str(&format!("The paper ({paper}) says: {}.\n", published.text)),
        }
    }
    if model.kind == Kind::Crowd {
        if !shown.quiet {
            text.push_str("Spent: nothing; every report was perturbed before it was sent.\n");
        }
    } else if let Some(paid) = &model.paid_before {
        text.push_str(&format!("Spent: nothing; the synopsis was paid for with ε = {}.\n", paid.epsilon));
    } else if let Some(spent) = &model.spent {
        let delta = spent.delta.as_ref().map_or_else(String::new, |delta| format!(", δ = {delta}"));
        text.push_str(&format!("Spent: ε = {}{delta}", spent.epsilon));
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
            None => text.push_str(". No ledger keeps count; see `shoal ledger --help`.\n"),
        }
    }
    match model.kind {
        Kind::Curator => text.push_str(&format!("Expected error: {}.\n", error_text(&model.expected_error))),
        Kind::Crowd => {
            let percent = 100.0 * model.expected_error.center_rmse.0;
            let percent = to_step(percent, percent);
            text.push_str(&format!("Expected error: a centre is off by about {percent} % of each column's range.\n"));
        }
    }
    if let Some(found) = &model.nicv_estimate {
        text.push_str(&format!("Quality: {}\n", quality::sentence(found, dims)));
    }
    if let Some(fewer) = fewer_words(model) {
        text.push_str(&format!("FEWER CLUSTERS THAN ASKED FOR: {fewer}\n"));
    }
    let swamped: Vec<String> = model.swamped_clusters().iter().map(|j| (j + 1).to_string()).collect();
    if model.drowned() {
        text.push_str(
            "NOTHING TO SEE: the error of these centres is as large as the distances between them, so these reports do not tell clusters apart. Collect more reports, ask for fewer clusters (-k auto says how many show), use fewer columns, or a larger ε.\n",
        );
    } else if model.expected_error.swamps() || swamped.len() == model.k() {
        text.push_str(
            "WARNING: these centres are mostly noise. Use more rows, fewer clusters or columns, tighter bounds, or a larger ε.\n",
        );
    } else if !swamped.is_empty() && (!shown.quiet || 2 * swamped.len() >= model.k()) {
        let one = swamped.len() == 1;
        let (clusters, are, are_its) =
            if one { ("Cluster", "is", "are its") } else { ("Clusters", "are", "are theirs") };
        let named = first_few(&swamped, MOST_NAMED);
        // Half of the clusters or more is not a detail.
        let warning = if 2 * swamped.len() >= model.k() { "WARNING: " } else { "" };
        text.push_str(&format!(
            "{warning}{clusters} {named} {are} mostly noise: hardly any of the {} {are_its} alone.\n",
            model.units()
        ));
    }
    text
}

/// What is said when there are fewer clusters than were asked for.
pub fn fewer_words(model: &Model) -> Option<String> {
    let asked = model.k_asked?;
    Some(format!(
        "{} instead of {asked}. With this ε, further centres would be mostly noise. Use more rows, fewer columns, tighter bounds, or a larger ε; another --method gives {asked}, with more error.",
        plural(model.k(), "centre")
    ))
}

/// What a promise comes to: a loss per distance for two records that are near each other, and a warning where it is weak.
pub fn in_practice(claim: &Claim) -> String {
    let Loss::PerDistance(epsilon) = &claim.loss else {
        let epsilon = match &claim.loss {
            Loss::Approximate { epsilon, .. } => Some(epsilon.clone()),
            other => other.epsilon_at_up(&Delta::ZERO),
        };
        let weak = epsilon.is_some_and(|epsilon| epsilon.to_f64_up() >= WEAK);
        let warning = "WARNING: with so large an ε this is a weak promise; 1 is a common choice.\n";
        return if weak { warning.into() } else { String::new() };
    };
    let tenth = epsilon.split(10);
    let odds = exp_up(tenth.to_f64_up());
    let odds = if odds < 1e6 {
        format!("at most {} times better", to_step(odds, odds / 10.0))
    } else {
        "without limit worth the name".into()
    };
    let mut text = format!("For example, odds {odds} for two records that differ by a tenth of one column's range.\n");
    if tenth.to_f64_up() >= WEAK {
        text.push_str("WARNING: with so large an ε even near records can be told apart; 1 to 10 is a common choice.\n");
    }
    text
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
    report::render(model, &about)
}

/// The command that was run, for a shell; the program goes by its name, not its place.
pub fn command_line() -> String {
    let words = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
    words
        .map(|word| if word.ends_with("/shoal") { "shoal".into() } else { shell_word(&word) })
        .collect::<Vec<_>>()
        .join(" ")
}

/// A coordinate and how far noise may have moved it, both to the digits that the noise leaves meaningful.
fn with_noise(value: f64, noise: f64) -> String {
    format!("{} ± {}", to_step(value, noise), to_step(noise, noise))
}

/// Long column names would push the numbers off the screen, and control characters could do anything to it.
fn shorten(name: &str) -> String {
    shortened(&printable(name), MOST_LETTERS)
}
