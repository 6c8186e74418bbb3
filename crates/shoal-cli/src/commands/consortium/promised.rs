//! What is said about the promise of codes, in the same words everywhere.

use serde_json::{Value, json};
use shoal::consortium::promise::published;
use shoal::consortium::{Flips, Promise, Terms};
use shoal_privacy::{Delta, Loss};

use super::super::summary::{in_practice, plural};
use crate::arguments::Shown;

/// Who can do what with what they have.
pub const THREATS: &str = "Whoever has the agreement can read values out of codes: keep it from the aggregator. An aggregator who knows some of the records can locate others by their distances.";

/// The promise for people: the sentence, both forms of the loss, and what was published.
pub fn text(promise: &Promise, terms: &Terms, delta: Option<&Delta>, shown: &Shown) -> String {
    let mut text = format!("{}\n", promise.guarantee.sentence());
    if let Some(claim) = promise.guarantee.claim() {
        text.push_str(&in_practice(claim));
    }
    if let Some(pure) = &promise.pure {
        text.push_str(&format!(
            "In numbers, for any two records: ε = {pure} ({} can differ)",
            plural(promise.differing.bits as usize, "bit")
        ));
        if let Some(Loss::Approximate { epsilon, delta }) = promise.loss_at(delta).as_deref() {
            text.push_str(&format!(", or ε = {} with δ = {delta}", short(epsilon.to_f64_up())));
        }
        text.push_str(".\n");
    }
    if let Some(said) = promise.published.as_ref().filter(|_| !shown.quiet) {
        let truth = if published_holds(promise, terms) { "true of so few bits" } else { "DOES NOT HOLD" };
        text.push_str(&format!("Published ({}), and {truth}: {}.\n", said.paper, said.text));
    }
    text
}

/// The same for programs.
pub fn json(promise: &Promise, terms: &Terms, delta: Option<&Delta>) -> Value {
    json!({
        "guarantee": promise.guarantee,
        "sentence": promise.guarantee.sentence(),
        "pure_epsilon": promise.pure,
        "at_delta": promise.loss_at(delta),
        "differing_bits": promise.differing.bits,
        "published": promise.published.as_ref().map(|said| json!({
            "text": said.text, "paper": said.paper, "holds": published_holds(promise, terms),
        })),
    })
}

/// Whether what was published is true of codes of single records whose flips nobody can repeat.
fn published_holds(promise: &Promise, terms: &Terms) -> bool {
    let of_records = promise.differing.bits <= u64::from(terms.bits()) * terms.dims() as u64;
    promise.guarantee.claim().is_some() && of_records && published::holds(terms.bits())
}

/// The terms in a line.
pub fn terms(terms: &Terms) -> String {
    let columns = plural(terms.dims(), "column");
    let bits = plural(terms.bits() as usize, "bit");
    match terms.flips() {
        Flips::None => format!("{columns} of {bits} each, none flipped (BV)"),
        Flips::PerBit(epsilon) => format!("{columns} of {bits} each, flipped with ε = {epsilon} (DPBV)"),
    }
}

/// Four digits, rounded up.
pub fn short(value: f64) -> String {
    if value <= 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let unit = 10f64.powf(value.log10().floor() - 3.0);
    let decimals = (-unit.log10()).round().max(0.0) as usize;
    // So small a number would be rows of zeros, and rounded away among them.
    if decimals > 12 {
        return format!("{value:e}");
    }
    format!("{:.decimals$}", (value / unit).ceil() * unit)
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn shortened_numbers_are_never_less_and_never_nothing() {
        for value in [1e-30, 1.2345e-13, 1.23456e-10, 3.2e-9, 0.000_123_456, 0.2, 1.000_01, 17.0, 30_612.345, 1e9] {
            let shown: f64 = short(value).parse().unwrap();
            assert!(shown >= value * (1.0 - 1e-15) && shown <= value * 1.002, "{value} as {shown}");
        }
        assert_eq!(short(0.0), "0");
    }
}
