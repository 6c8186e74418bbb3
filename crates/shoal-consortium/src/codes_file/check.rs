//! Whether the description of a file of codes can be true.

use shoal_privacy::{Assumption, Delta, Epsilon, Guarantee};

use crate::Promise;
use crate::Terms;
use crate::codes_file::description::Description;
use crate::codes_file::{Kind, columns_of, partition};

/// What can be checked without computing a guarantee; gives the terms of the columns.
pub(super) fn shape(about: &Description) -> Result<Terms, String> {
    let columns = columns_of(about.kind, &about.terms).map_err(|error| error.to_string())?;
    let hex = |text: &str| text.len() == 32 && text.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
    if !hex(&about.fingerprint) {
        return Err("its fingerprint is none".into());
    }
    // These go to the screen as they are.
    let names = about.terms.attributes().iter().map(|a| &a.name).chain(&about.id).chain([&about.shoal]);
    if names.into_iter().any(|text| text.chars().any(shoal_privacy::is_unprintable)) {
        return Err("its texts hold control characters".into());
    }
    if let Some(id) = &about.id
        && columns.attributes().iter().any(|attribute| attribute.name == *id)
    {
        return Err(format!("the column {id} is both a name and a code"));
    }
    if about.bridge > 0 && (about.kind != Kind::Records || about.terms.dims() != 1) {
        return Err("only codes of one attribute have made-up records among them".into());
    }
    match (about.kind, about.records) {
        (Kind::Records, Some(_)) => Err("only pairs have records apart from their rows".into()),
        (Kind::Pairs, None) => Err("it does not say how many records its pairs are of".into()),
        _ => Ok(columns),
    }
}

/// Whether so many rows can be there.
pub(super) fn rows(about: &Description, rows: u64) -> Result<(), String> {
    if about.bridge > rows {
        return Err("it has fewer rows than made-up ones".into());
    }
    match about.records {
        Some(n) if u128::from(n) * u128::from(n.saturating_sub(1)) != 2 * u128::from(rows) => {
            Err(format!("{n} records do not make {rows} pairs"))
        }
        _ => Ok(()),
    }
}

/// ε as a file has it: rounded up to a number that JSON can write. What was rounded is compared with what would have been.
fn as_written(epsilon: &Epsilon) -> f64 {
    serde_json::to_value(epsilon).ok().and_then(|number| number.as_f64()).unwrap_or(f64::NAN)
}

/// What the terms guarantee for whatever anchors, on the conditions that the file names as well.
pub(super) fn promise(about: &Description) -> Result<Promise, String> {
    let promise = Promise::of_terms(&about.terms, partition(about.kind, about.records), None);
    let promise = promise.map_err(|error| error.to_string())?;
    let promise = if about.seeded { promise.with_seeded_noise() } else { promise };
    match (&about.guarantee, &promise.guarantee) {
        (Guarantee::Holds(said), Guarantee::Holds(worst)) => {
            let within = match (said.loss.epsilon_at_up(&Delta::ZERO), worst.loss.epsilon_at_up(&Delta::ZERO)) {
                (Some(said), Some(worst)) => as_written(&said) <= as_written(&worst),
                // An (ε, δ) promise has no pure ε to compare.
                _ => true,
            };
            if said.neighbours != worst.neighbours || !within {
                return Err("its promise is not one that such codes have".into());
            }
            // A code does not show how it was made.
            let more: Vec<_> = said.assumes.iter().copied().chain([Assumption::ReportsAsDescribed]).collect();
            Ok(promise.assuming(more))
        }
        (Guarantee::Void { none: said }, Guarantee::Void { none }) if said == none => Ok(promise),
        _ => Err("its promise is not one that such codes have".into()),
    }
}
