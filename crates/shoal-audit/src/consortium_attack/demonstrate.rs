//! All attackers on the same codes, and how close they come.

use serde::Serialize;

use crate::consortium_attack::curious_aggregator::CuriousAggregator;
use crate::consortium_attack::known_plaintext::KnownPlaintext;
use crate::consortium_attack::knows_parameters::KnowsParameters;
use shoal_consortium::aggregator::{Decoder, hamming};
use shoal_consortium::{Agreement, Codes};
use shoal_kernel::Condensed;
use shoal_lattice::STEPS;

/// Close means within this share of the range.
const CLOSE: f64 = 0.05;

/// How one attacker did. Computed from true values: not private.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Attack {
    /// Which attacker.
    pub attacker: &'static str,
    /// What it has beside the codes.
    pub knows: String,
    /// Mean distance of the places found from the true values, as a share of the range.
    pub mean_error: f64,
    /// The same for a guess without any code.
    pub guess_error: f64,
    /// Share of the records placed within 5 % of the range.
    pub close: f64,
    /// The same for the guess.
    pub guess_close: f64,
    /// Mean width of the interval that holds the value with 95 %, as a share of the range.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<f64>,
    /// How often the interval held the value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub covered: Option<f64>,
}

/// All attackers on one set of records.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Demonstration {
    /// Number of records.
    pub records: usize,
    /// One entry for each attacker.
    pub attacks: Vec<Attack>,
}

/// Attacks one attribute of `codes`, which are those of `values` (in lattice steps) under the agreement. `known` says how many
/// records the attackers with known plaintext know, taken from the front.
///
/// # Panics
/// When there is not one value for each code, or an attacker knows all records.
pub fn demonstrate(
    agreement: &Agreement,
    attribute: usize,
    codes: &Codes,
    values: &[i32],
    known: &[usize],
) -> Demonstration {
    assert_eq!(codes.rows(), values.len(), "one value for each code");
    let truth: Vec<f64> = values.iter().map(|x| f64::from(*x) / STEPS as f64).collect();
    let mut attacks = vec![curious(agreement, attribute, codes, &truth)];
    for &known in known {
        attacks.push(known_plaintext(agreement, attribute, codes, values, known));
    }
    attacks.push(knows_parameters(agreement, attribute, codes, &truth));
    Demonstration { records: values.len(), attacks }
}

fn curious(agreement: &Agreement, attribute: usize, codes: &Codes, truth: &[f64]) -> Attack {
    let decoder = Decoder::of(agreement.terms(), attribute);
    let range = agreement.terms().step(attribute) * STEPS as f64;
    let code = |i| codes.code(i, attribute);
    let distances =
        Condensed::from_fn(codes.rows(), |i, j| decoder.distance(hamming::distance(code(i), code(j))) / range);
    let found = CuriousAggregator::new(&distances).fitted(truth);
    let mean = truth.iter().sum::<f64>() / truth.len() as f64;
    measured(
        "curious aggregator",
        "nothing; is given the middle, the scale and which way is up".into(),
        &found,
        truth,
        mean,
    )
}

fn known_plaintext(agreement: &Agreement, attribute: usize, codes: &Codes, values: &[i32], known: usize) -> Attack {
    assert!(known < values.len(), "some records are unknown");
    let plain = (0..known).map(|i| (values[i], codes.code(i, attribute))).collect();
    let attacker = KnownPlaintext::new(agreement.terms(), attribute, plain);
    let found: Vec<f64> =
        (known..values.len()).map(|i| attacker.locate(codes.code(i, attribute)) / STEPS as f64).collect();
    let truth: Vec<f64> = values[known..].iter().map(|x| f64::from(*x) / STEPS as f64).collect();
    let knows = format!("the values of {known} {}", if known == 1 { "record" } else { "records" });
    measured("known plaintext", knows, &found, &truth, 0.5)
}

fn knows_parameters(agreement: &Agreement, attribute: usize, codes: &Codes, truth: &[f64]) -> Attack {
    let anchors = agreement.anchors();
    let attacker = KnowsParameters::new(&anchors[attribute], agreement.terms().flips());
    let located: Vec<_> = (0..codes.rows()).map(|i| attacker.locate(codes.code(i, attribute))).collect();
    let found: Vec<f64> = located.iter().map(|l| l.mean / STEPS as f64).collect();
    let rows = codes.rows() as f64;
    let width = located.iter().map(|l| (l.high - l.low) / STEPS as f64).sum::<f64>() / rows;
    let held = |(l, x): (&super::Located, &f64)| (l.low - 0.5..=l.high + 0.5).contains(&(x * STEPS as f64));
    let covered = located.iter().zip(truth).filter(|pair| held((pair.0, pair.1))).count() as f64 / rows;
    let attack = measured("has the agreement", "the anchors, t and ε".into(), &found, truth, 0.5);
    Attack { interval: Some(width), covered: Some(covered), ..attack }
}

fn measured(attacker: &'static str, knows: String, found: &[f64], truth: &[f64], guess: f64) -> Attack {
    let n = truth.len() as f64;
    let errors = || found.iter().zip(truth).map(|(a, b)| (a - b).abs());
    let guesses = || truth.iter().map(|b| (guess - b).abs());
    Attack {
        attacker,
        knows,
        mean_error: errors().sum::<f64>() / n,
        guess_error: guesses().sum::<f64>() / n,
        close: errors().filter(|e| *e <= CLOSE).count() as f64 / n,
        guess_close: guesses().filter(|e| *e <= CLOSE).count() as f64 / n,
        interval: None,
        covered: None,
    }
}
