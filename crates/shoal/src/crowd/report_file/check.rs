//! Whether what a file says of itself can be true.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value;
use shoal_privacy::{Guarantee, NoGuarantee};

use super::description::Description;
use crate::crowd::STEPS;
use crate::crowd::client::{Client, Promises};
use crate::crowd::design::{CrowdError, Design, Ending, Mechanism, Space};

/// The widest report space: sums of two positions in it are still whole numbers of 64 bits.
const WIDEST: u64 = 1 << 61;

/// Two computations of one promise agree to this part of it: the ε in a file is a decimal number, rounded up.
const AGREEMENT: f64 = 1e-12;

/// What can be seen without computing anything: a damaged file is not to cost time.
pub(super) fn shape(about: &Description) -> Result<(), String> {
    if about.columns.is_empty() {
        return Err("it has no columns".into());
    }
    if about.columns.iter().collect::<BTreeSet<_>>().len() != about.columns.len() {
        return Err("two columns have the same name".into());
    }
    if about.columns.len() != about.bounds.len() {
        return Err("each column needs bounds".into());
    }
    if about.steps != STEPS {
        return Err(format!("its lattice has {} steps and not {STEPS}", about.steps));
    }
    // These go to the screen as they are.
    let texts = [&about.published.text, &about.published.paper, &about.shoal];
    if about.columns.iter().chain(texts).any(|text| text.chars().any(char::is_control)) {
        return Err("its texts hold control characters".into());
    }
    Ok(())
}

/// The promise of a design, if it is the one that the file makes.
pub(super) fn promises(about: &Description, design: &Design) -> Result<Promises, String> {
    let promises = if matches!(design.mechanism, Mechanism::Bpgm { .. }) {
        let guarantee = Guarantee::Void { none: NoGuarantee::Unsound };
        Promises { guarantee, also: Vec::new(), published: about.published.clone() }
    } else {
        Client::new(design).map_err(|error| error.to_string())?.promises()
    };
    let promises = if about.seeded { promises.with_seeded_noise() } else { promises };
    if agree(&about.guarantee, &promises.guarantee) && agree(&about.also, &promises.also) {
        Ok(promises)
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

/// Where the reports of a design can lie.
pub fn space_of(design: &Design) -> Result<Space, CrowdError> {
    let wider = |what: &'static str, steps: u64| {
        if steps > WIDEST {
            let advice = format!("give at most {} widths", WIDEST / STEPS);
            return Err(CrowdError::Parameter { what, given: format!("{} widths", steps / STEPS), advice });
        }
        Ok(Space { low: -(steps as i64), high: (STEPS + steps) as i64 })
    };
    match &design.mechanism {
        Mechanism::Laplace | Mechanism::LaplaceMetric => Ok(Space { low: i64::MIN, high: i64::MAX }),
        Mechanism::Bpm { radius_steps } | Mechanism::NdLaplace { radius_steps, ending: Ending::Raw } => {
            wider("the radius", *radius_steps)
        }
        Mechanism::NdLaplace { ending: Ending::Clamped | Ending::Grid { .. }, .. } => wider("the radius", 0),
        Mechanism::Bpgm { bound, .. } => {
            // A double is precise enough: the bound is rounded to a whole step and has one to spare.
            let steps = (bound.to_f64_up() * STEPS as f64).ceil();
            wider("the bound on the noise", if steps < WIDEST as f64 { steps as u64 + 1 } else { u64::MAX })
        }
    }
}
