//! The guarantee of codes, in the same words everywhere.

use serde_json::{Value, json};
use shoal_consortium::{Flips, Promise, Terms};
use shoal_page::text::{Rounding, plural, significant};
use shoal_privacy::{Delta, Guarantee, Loss, NoGuarantee};

use crate::show::summary::weak;

/// What the agreement opens.
pub const KEEP_SECRET: &str = "Whoever has the agreement can read values out of codes: keep it from the aggregator.";

/// What distances open.
pub const KNOWN_RECORDS: &str = "An aggregator who knows some of the records can locate others by their distances.";

/// What holds, in a sentence.
pub fn sentence(promise: &Promise) -> String {
    match &promise.guarantee {
        Guarantee::Void { none: NoGuarantee::NotPrivate } => {
            "NO PRIVACY: no bit is flipped (BV), and codes without flips promise nothing.".into()
        }
        guarantee => guarantee.sentence(),
    }
}

/// The promise for people: the sentence, both forms of the loss, and what to beware of.
pub fn text(promise: &Promise, terms: &Terms, delta: Option<&Delta>) -> String {
    let mut text = format!("{}\n", sentence(promise));
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
    warnings(promise, terms).iter().for_each(|warning| text.push_str(&format!("{warning}\n")));
    text
}

/// What to beware of in a promise: that it is weak, and that another was published.
pub fn warnings(promise: &Promise, terms: &Terms) -> Vec<String> {
    let is_weak = promise.guarantee.claim().is_some_and(|claim| !weak(claim).is_empty());
    let weak = promise.per_bit.as_ref().zip(promise.pure.as_ref()).filter(|_| is_weak).map(|(per_bit, pure)| {
        let (bits, dims, differing) = (u64::from(terms.bits()), terms.dims() as u64, promise.differing.bits);
        let counted = if differing == bits * dims {
            format!("{} × {}", plural(bits as usize, "bit"), plural(dims as usize, "column"))
        } else {
            format!("{} that can differ", plural(differing as usize, "bit"))
        };
        format!("WARNING: ε = {per_bit} per bit × {counted} = {pure}, a weak promise; 1 is a common choice.")
    });
    let published = promise.published.as_ref().map(|published| {
        let label = if promise.published_holds(terms) {
            "and true of each value alone at so few bits"
        } else {
            "and DOES NOT HOLD"
        };
        format!("Published ({}), {label}: {}.", published.paper, published.text)
    });
    weak.into_iter().chain(published).collect()
}

/// The same for programs.
pub fn json(promise: &Promise, terms: &Terms, delta: Option<&Delta>) -> Value {
    json!({
        "guarantee": promise.guarantee,
        "sentence": sentence(promise),
        "pure_epsilon": promise.pure,
        "at_delta": promise.loss_at(delta),
        "differing_bits": promise.differing.bits,
        "published": promise.published.as_ref().map(|claim| json!({
            "text": claim.text, "paper": claim.paper, "holds": promise.published_holds(terms),
        })),
    })
}

/// The terms in a line.
pub fn terms(terms: &Terms) -> String {
    let columns = plural(terms.dims(), "column");
    let each = if terms.dims() == 1 { "" } else { " each" };
    let bits = plural(terms.bits() as usize, "bit");
    match terms.flips() {
        Flips::None => format!("{columns} of {bits}{each}, none flipped (BV)"),
        Flips::PerBit(epsilon) => format!("{columns} of {bits}{each}, flipped with ε = {epsilon} (DPBV)"),
    }
}

/// Four digits, rounded up.
pub fn short(value: f64) -> String {
    significant(value, 4, Rounding::Up)
}

/// Four digits, rounded down.
pub fn short_down(value: f64) -> String {
    significant(value, 4, Rounding::Down)
}
