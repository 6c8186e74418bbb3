//! What `shoal consortium price` prints.

use serde::Serialize;
use shoal::consortium::{Affordable, Priced, SHARES};
use shoal_consortium::price::{AttributeError, Price};
use shoal_consortium::promise::AtDistance;
use shoal_consortium::{Partition, Scale, Terms};
use shoal_page::text::{Rounding, plural, significant};
use shoal_privacy::Delta;

use crate::arguments::Shown;
use crate::show::output::Table;
use crate::show::summary::weak;

/// Attributes whose errors are listed; more only where they differ.
const MOST_ATTRIBUTES: usize = 12;

/// A price with its sentences.
#[derive(Serialize)]
pub struct PricedText<'a> {
    sentence: String,
    #[serde(flatten)]
    priced: &'a Priced,
    compared: String,
}

impl<'a> PricedText<'a> {
    pub fn new(priced: &'a Priced) -> Self {
        let sentence = sentence(&priced.terms, priced.partition, &priced.price, priced.delta.as_ref());
        Self { sentence, priced, compared: priced.comparison.sentence() }
    }
}

/// What a total affords, with a sentence.
#[derive(Serialize)]
pub struct AffordableText<'a> {
    #[serde(flatten)]
    found: &'a Affordable,
    compared: String,
}

impl<'a> AffordableText<'a> {
    pub fn new(found: &'a Affordable) -> Self {
        Self { found, compared: found.comparison.sentence() }
    }
}

/// The price in one sentence.
fn sentence(terms: &Terms, partition: Partition, price: &Price, delta: Option<&Delta>) -> String {
    let coded = match partition {
        Partition::Records => String::new(),
        Partition::Pairs { records } => format!(", coded pair by pair among {records} records"),
    };
    let pure = price.promise.pure.as_ref().map_or_else(|| "everything".into(), |pure| format!("ε = {pure}"));
    let at = match delta {
        Some(delta) if Some(price.loss_at(Some(delta))) < price.promise.pure => {
            format!(" ({} at δ = {delta})", short_up(price.loss_at(Some(delta)).to_f64_up()))
        }
        _ => String::new(),
    };
    let unit = unit(terms.scale());
    let each = if terms.dims() > 1 { " each" } else { "" };
    format!(
        "Codes of {} with {}{each}{coded} give away up to {pure}{at} between any two records, and distances read off them are off by {}{unit} on average; answering the same distance for every pair is off by {}.",
        plural(terms.dims(), "attribute"),
        plural(terms.bits() as usize, "bit"),
        short(price.mean_absolute_error),
        short(price.blind_error),
    )
}

impl PricedText<'_> {
    /// The whole price.
    pub fn text(&self, shown: &Shown) -> String {
        let priced = self.priced;
        let mut text = format!("{}\n\n{}\n", self.sentence, priced.price.promise.guarantee.sentence());
        if let Some(claim) = priced.price.promise.guarantee.claim() {
            text.push_str(&weak(claim));
        }
        if let Some(published) = &priced.price.promise.published {
            let label = if priced.price.promise.published_holds(&priced.terms) {
                "Published, and true of each value alone at so few bits"
            } else {
                "Published, does not hold"
            };
            text.push_str(&format!("{label} ({}): {}\n", published.paper, published.text));
        }
        let delta = priced.delta.as_ref();
        if !priced.one_attribute.is_empty() {
            text.push_str(&format!(
                "\nWhat one attribute gives away, by distance\n{}",
                distances(&priced.one_attribute, delta, priced.agreed)
            ));
        }
        if !priced.whole_record.is_empty() {
            text.push_str(&format!(
                "\nWhat a record gives away, so far apart in all {} attributes\n{}",
                priced.terms.dims(),
                distances(&priced.whole_record, delta, priced.agreed)
            ));
        }
        if !priced.one_attribute.is_empty() && !shown.quiet {
            text.push_str(if priced.agreed {
            "“these anchors” counts the bits in which values so close can differ by the anchors of the agreement. "
        } else {
            "“any anchors” holds whatever the anchors are; once they are agreed on, bits are counted and it may be less. "
        });
            text.push_str(
            "“over the draw” holds for two values that were fixed before the anchors were drawn, and for no others. “mean loss” is an average in nats, no guarantee.\n",
        );
        }
        text.push_str(&format!("\nError of a distance\n{}", errors(&priced.price.attributes, priced.partition)));
        text.push_str(&format!(
            "Mean absolute error between uniform records{}: {}{}.\n",
            if priced.partition == Partition::Records { " (eq. 19)" } else { " (eq. 23)" },
            short(priced.price.mean_absolute_error),
            unit(priced.terms.scale())
        ));
        text.push_str(&format!("\n{}\n", self.compared));
        text
    }
}

fn distances(rows: &[AtDistance], delta: Option<&Delta>, agreed: bool) -> String {
    let pure = if agreed { "ε, these anchors" } else { "ε, any anchors" };
    let mut heading = vec!["apart".to_string(), "bits that differ".into(), pure.into()];
    if let Some(delta) = delta {
        heading.extend([format!("at δ = {delta}"), "over the draw".into()]);
    }
    heading.push("mean loss".into());
    let mut table = Table::new(&heading);
    for (row, share) in rows.iter().zip(SHARES) {
        let mut cells = vec![format!("{}% of the range", 100.0 * share), short(row.mean_bits), row.pure.to_string()];
        if delta.is_some() {
            cells.extend([row.approximate, row.over_the_draw].map(|value| value.map_or("-".into(), short_up)));
        }
        cells.push(short(row.mean_loss));
        table.row(cells);
    }
    table.to_string()
}

fn errors(attributes: &[AttributeError], partition: Partition) -> String {
    let alike = |a: &AttributeError, b: &AttributeError| (a.range, a.at_zero) == (b.range, b.at_zero);
    let mut table = Table::new(&["attribute", "range", "sd of equal values", "sd at the far end", "Theorem 6, 95%"]);
    let groups: Vec<&[AttributeError]> = attributes.chunk_by(alike).collect();
    for group in groups.iter().take(MOST_ATTRIBUTES) {
        let first = &group[0];
        let name = match (group, partition) {
            (_, Partition::Pairs { .. }) => "squared distance of a pair".into(),
            ([one], _) => one.name.clone(),
            ([one, .., last], _) => format!("each of {} to {}", one.name, last.name),
            ([], _) => continue,
        };
        let cells = [first.range, first.at_zero, first.at_range, first.theorem_6].map(short);
        table.row([name].into_iter().chain(cells));
    }
    let more = groups.len().saturating_sub(MOST_ATTRIBUTES);
    if more > 0 { format!("{table}  … and {more} more, with --format json\n") } else { table.to_string() }
}

impl AffordableText<'_> {
    /// What a total affords.
    pub fn text(&self, shown: &Shown) -> String {
        let affordable = self.found;
        let best = &affordable.found.rows[affordable.found.best];
        let total = affordable.total.loss().symbols();
        let mut text = format!(
            "Within {total} for any two records, codes of {} at ε = {} per bit keep distances best: off by {}{} on average over {}.\n\n",
            plural(best.bits as usize, "bit"),
            best.epsilon_per_bit,
            short(best.mean_absolute_error),
            unit(affordable.scale),
            plural(affordable.attributes.len(), "attribute"),
        );
        let mut table = Table::new(&["bits", "ε per bit", "sd of equal values", "mean absolute error", ""]);
        for (i, row) in affordable.found.rows.iter().enumerate() {
            let mark = if i == affordable.found.best { "← best" } else { "" };
            table.row([
                row.bits.to_string(),
                row.epsilon_per_bit.to_string(),
                short(row.at_zero),
                short(row.mean_absolute_error),
                mark.into(),
            ]);
        }
        text.push_str(&table.to_string());
        if !shown.quiet {
            text.push_str(&format!(
            "Every line promises {total}. More bits share the same total, so each is noisier, and the noise grows faster than the bits help.\n"
        ));
        }
        text.push_str(&format!("\n{}\n", self.compared));
        text
    }
}

fn unit(scale: Scale) -> &'static str {
    match scale {
        Scale::Own => "",
        Scale::Range => " widths",
    }
}

/// Three digits.
fn short(value: f64) -> String {
    significant(value, 3, Rounding::Nearest)
}

/// Four digits, never less than the value.
fn short_up(value: f64) -> String {
    significant(value, 4, Rounding::Up)
}
