//! Whether the description of a file of reports can be true.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value;
use shoal_privacy::Assumption;

use crate::report_file::description::Description;
use shoal_device::{Client, Promises};
use shoal_device::{Design, Mechanism, Sampler};
use shoal_lattice::{Category, STEPS};

/// Two computations of one promise agree to this part of it: the ε in a file is a decimal number, rounded up.
const AGREEMENT: f64 = 1e-12;

/// What can be checked without computing anything: a damaged file is not to cost time.
pub(super) fn shape(about: &Description) -> Result<(), String> {
    if about.columns.is_empty() {
        return Err("it has no columns".into());
    }
    if about.columns.iter().collect::<BTreeSet<_>>().len() != about.columns.len() {
        return Err("two columns have the same name".into());
    }
    if about.columns.len() != about.bounds.len() + about.categories.len() {
        return Err("each column needs bounds, or levels".into());
    }
    let of_words = &about.columns[about.bounds.len()..];
    if !of_words.iter().map(String::as_str).eq(about.categories.iter().map(Category::column)) {
        return Err("its columns of words do not come last".into());
    }
    if about.steps != STEPS {
        return Err(format!("its lattice has {} steps and not {STEPS}", about.steps));
    }
    let drawn = match about.mechanism {
        Mechanism::Laplace | Mechanism::LaplaceMetric => about.sampler == Sampler::Exact,
        Mechanism::Bpgm { .. } => about.sampler == Sampler::Doubles,
        Mechanism::Bpm { .. } | Mechanism::NdLaplace { .. } => true,
    };
    if !drawn {
        return Err(format!("{} does not draw its noise in that way", about.mechanism.name()));
    }
    // These go to the screen as they are.
    let texts = [&about.published.text, &about.published.paper, &about.shoal];
    if about.columns.iter().chain(texts).any(|text| text.chars().any(shoal_privacy::is_unprintable)) {
        return Err("its texts hold control characters".into());
    }
    Ok(())
}

/// What a design guarantees, if the file claims the same, and the client that would make such reports. The file may name
/// conditions of its own: those of the collection.
pub(super) fn promises(about: &Description, design: &Design) -> Result<(Promises, Client), String> {
    // An unsound mechanism guarantees nothing, and its reports may be clustered.
    let client = Client::accepting_unsound(design).map_err(|error| error.to_string())?;
    let promises = if about.seeded { client.promises().with_seeded_noise() } else { client.promises() };
    let named: BTreeSet<Assumption> = about.guarantee.claim().into_iter().flat_map(|c| c.assumes.clone()).collect();
    let promises = promises.assuming(named);
    if agree(&about.guarantee, &promises.guarantee) && agree(&about.also, &promises.also) {
        Ok((promises, client))
    } else {
        Err("its promise is not the one that its mechanism keeps".into())
    }
}

fn agree<T: Serialize>(a: &T, b: &T) -> bool {
    matches!((serde_json::to_value(a), serde_json::to_value(b)), (Ok(a), Ok(b)) if alike(&a, &b))
}

fn alike(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => match (a.as_f64(), b.as_f64()) {
            (Some(a), Some(b)) => (a - b).abs() <= AGREEMENT * a.abs(),
            _ => a == b,
        },
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| alike(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| alike(a, b)))
        }
        (a, b) => a == b,
    }
}
