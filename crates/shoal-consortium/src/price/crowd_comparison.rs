//! The same job by reports of the crowd: distances between noisy records at the same total for any two records.
//!
//! Codes and reports are compared in widths of the attributes' ranges, on uniform records, with real clients and a public
//! seed. Reports give more than distances: their noise has a known distribution, from which a server gets centres with
//! error bars ([`NoiseAware`](shoal_crowd::server::noise_aware::NoiseAware)); codes give distances only.

use serde::Serialize;
use shoal_noise::SeededNoise;
use shoal_privacy::{Amount, Claim, Epsilon, Loss, Neighbours};

use crate::Partition;
use crate::price::distance_error::{blind_error, uniform_value};
use crate::price::mean_error;
use crate::{Scale, Terms, TermsError};
use shoal_device::{Client, Design, Mechanism};
use shoal_lattice::STEPS;
use shoal_lattice::{Bounds, Interval};

const PAIRS: usize = 500;
const SEED: u64 = 0x5059_1926;
/// Radii of BPM that are tried, in diagonals of the box: up to one the loss for any two records is ε·L.
const RADII: [f64; 5] = [0.125, 0.25, 0.5, 1.0, 2.0];

/// Mean absolute errors of distances at one total, in widths.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CrowdComparison {
    /// The ε for any two records that all are held to. Codes may use a δ as well.
    pub total: Epsilon,
    /// Of codes.
    pub codes: f64,
    /// Of Laplace noise, where it can be drawn.
    pub laplace: Option<f64>,
    /// Of BPM with the radius that did best, where it can be drawn.
    pub bpm: Option<BpmChoice>,
    /// Of no data at all: the mean distance as the answer to everything.
    pub blind: f64,
}

/// BPM with a radius that was chosen on public numbers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BpmChoice {
    /// L in widths.
    pub radius: f64,
    /// ε per width.
    pub epsilon: Epsilon,
    /// Its error.
    pub error: f64,
}

impl CrowdComparison {
    /// Compares codes on these terms with reports that give away `total` at most.
    ///
    /// # Errors
    /// When the ranges make no pairs; see [`Terms::decomposed`].
    pub fn new(terms: &Terms, partition: Partition, total: &Epsilon) -> Result<Self, TermsError> {
        let terms = Terms::new(terms.attributes().to_vec(), terms.bits(), terms.flips().clone(), Scale::Range)?;
        let dims = terms.dims();
        Ok(Self {
            total: total.clone(),
            codes: mean_error(&terms, partition)?,
            laplace: client(Mechanism::Laplace, total, dims, total).map(|client| error_of(&client)),
            bpm: best_bpm(dims, total),
            blind: blind_error(&terms, |i| terms.step(i)),
        })
    }

    /// The better of the crowd's errors and its mechanism.
    pub fn crowd(&self) -> Option<(&'static str, f64)> {
        let laplace = self.laplace.map(|error| ("laplace", error));
        let bpm = self.bpm.as_ref().map(|bpm| ("bpm", bpm.error));
        laplace.into_iter().chain(bpm).min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Which serves better, and by how much, in plain words.
    pub fn sentence(&self) -> String {
        let codes = shown(self.codes);
        let Some((name, error)) = self.crowd() else {
            return format!(
                "At this total no report of the crowd can be drawn to compare; codes err by {codes} widths."
            );
        };
        let noise = shown(error);
        let blind = shown(self.blind);
        let mut sentence = if error < self.codes {
            let times = if error > 0.0 { shown(self.codes / error) } else { "many".into() };
            format!(
                "Reports serve better: at the same ε, which they keep without any δ, distances between reports of `shoal \
                 perturb --mechanism {name}` err by {noise} widths on average and distances between codes by {codes}, {times} times as much."
            )
        } else {
            let times = if self.codes > 0.0 { shown(error / self.codes) } else { "many".into() };
            format!(
                "Codes serve better for distances: at the same ε they err by {codes} widths on average, and distances \
                 between reports of `shoal perturb --mechanism {name}` by {noise}, {times} times as much."
            )
        };
        if self.codes.min(error) >= self.blind {
            sentence.push_str(&format!(
                " Neither beats answering the same distance for every pair, which errs by {blind}."
            ));
        } else if self.codes >= self.blind {
            sentence.push_str(&format!(
                " Codes do not beat answering the same distance for every pair, which errs by {blind}."
            ));
        }
        sentence.push_str(" Reports also give centres with error bars, which codes do not.");
        sentence
    }
}

/// Three digits.
fn shown(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let decimals = 2 - value.abs().log10().floor() as i32;
    if (0..=6).contains(&decimals) { format!("{value:.*}", decimals as usize) } else { format!("{value:.2e}") }
}

/// A client that gives away `total` at most between any two records.
fn client(mechanism: Mechanism, epsilon: &Epsilon, dims: usize, total: &Epsilon) -> Option<Client> {
    let columns = (0..dims).map(|i| format!("c{i}")).collect();
    let bounds = Bounds::new(columns, vec![Interval::new(0.0, 1.0).ok()?; dims]).ok()?;
    let design = Design::new(mechanism, epsilon.clone(), bounds).ok()?;
    let client = Client::new(&design).ok()?;
    let promises = client.promises();
    let any_two = |claim: &&Claim| claim.neighbours == Neighbours::AnyTwoInputs;
    let claim = promises.guarantee.claim().into_iter().chain(&promises.also).find(any_two)?;
    claim.loss.implies(&Loss::Pure(total.clone())).then_some(client)
}

fn best_bpm(dims: usize, total: &Epsilon) -> Option<BpmChoice> {
    let diagonal = (dims as f64).sqrt();
    let choices = RADII.iter().filter_map(|share| {
        let radius_steps = (share * diagonal * STEPS as f64).floor().max(1.0);
        let radius = radius_steps / STEPS as f64;
        // A little less than the quotient, so that the exact claim of the mechanism stays within the total.
        let quotient = total.amount().to_f64_down() / radius.min(diagonal) * (1.0 - 1e-9);
        let epsilon = Epsilon::new(Amount::from_shortest_decimal(quotient).ok()?);
        let mechanism = Mechanism::Bpm { radius_steps: radius_steps as u64 };
        let client = client(mechanism, &epsilon, dims, total)?;
        Some(BpmChoice { radius, epsilon, error: error_of(&client) })
    });
    choices.min_by(|a, b| a.error.total_cmp(&b.error))
}

/// The mean absolute error of distances between reports of uniform records, in widths.
fn error_of(client: &Client) -> f64 {
    let dims = client.dims();
    let mut noise = SeededNoise::new(SEED);
    let mut sides = [(vec![0_i64; dims], vec![0_i64; dims]), (vec![0; dims], vec![0; dims])];
    let mut total = 0.0;
    for _ in 0..PAIRS {
        for (record, report) in &mut sides {
            record.fill_with(|| uniform_value(&mut noise) as i64);
            client.report(record, &mut noise, report);
        }
        let distance = |a: &[i64], b: &[i64]| {
            let squares = a.iter().zip(b).map(|(a, b)| ((*a as f64 - *b as f64) / STEPS as f64).powi(2));
            squares.sum::<f64>().sqrt()
        };
        total += (distance(&sides[0].1, &sides[1].1) - distance(&sides[0].0, &sides[1].0)).abs();
    }
    total / PAIRS as f64
}
