//! Lloyd's algorithm with noise in which every iteration spends the whole budget.
//!
//! *Sold as.* ε-DP for adding or removing one row: Lap((d + 1)/ε) on each sum and count of T iterations.
//!
//! *Fault.* Each iteration looks at the rows anew and costs ε, so T of them cost T·ε. SCL16 has (d + 1)·T/ε.
//!
//! *Repaired.* The noise of an iteration is T times as wide.
//!
//! *Audit.* Events on the history of noisy sums and counts that the fit returns (what a run releases is all it computed
//! with), through their log-likelihood ratio: the attacker follows the centres along the history.

use shoal_privacy::{Epsilon, Loss, Neighbours};

use super::entry::{Case, KnownBad, Version, by_events, laplace_f64, ln_laplace, sold_as};
use crate::{RunFailure, Side, TargetInfo, each};

/// Iterations.
const ROUNDS: usize = 5;
/// Where the centres start.
const START: [f64; 2] = [-0.5, 0.5];

/// Lloyd's algorithm that forgets to compose.
pub struct NoComposition;

/// Sum and count of the rows nearest to each centre.
fn aggregates(rows: &[f64], centres: [f64; 2]) -> [f64; 4] {
    let mut of = [0.0; 4];
    for row in rows {
        let nearest = usize::from((row - centres[1]).abs() < (row - centres[0]).abs());
        of[2 * nearest] += row;
        of[2 * nearest + 1] += 1.0;
    }
    of
}

/// Where the centres go from noisy sums and counts.
fn moved(centres: [f64; 2], noisy: &[f64]) -> [f64; 2] {
    let to = |j: usize| if noisy[2 * j + 1] >= 1.0 { noisy[2 * j] / noisy[2 * j + 1] } else { centres[j] };
    [to(0).clamp(-1.0, 1.0), to(1).clamp(-1.0, 1.0)]
}

/// To a millionth: bits of doubles are another entry's fault.
fn rounded(x: f64) -> f64 {
    (x * 1e6).round() / 1e6
}

fn fit(rows: &'static [f64], scale: f64) -> Box<dyn Side> {
    each(move |noise, out| {
        let mut centres = START;
        for _ in 0..ROUNDS {
            let noisy = aggregates(rows, centres).map(|exact| rounded(exact + laplace_f64(scale, noise)));
            out.tell_all(noisy);
            centres = moved(centres, &noisy);
        }
    })
}

/// ln of the probability of a history but for a constant.
fn ln_probability(history: &[f64], rows: &[f64], scale: f64) -> f64 {
    let mut centres = START;
    let mut ln = 0.0;
    for noisy in history.chunks_exact(4) {
        let exact = aggregates(rows, centres);
        ln += noisy.iter().zip(exact).map(|(x, exact)| ln_laplace(x - exact, scale)).sum::<f64>();
        centres = moved(centres, noisy);
    }
    ln
}

impl KnownBad for NoComposition {
    fn info(&self) -> TargetInfo {
        TargetInfo {
            name: "no-composition",
            group: "known-bad",
            what: "Lloyd's algorithm whose every iteration spends the whole ε; events on its history",
        }
    }

    fn cases(&self, epsilon: &Epsilon, version: Version) -> Result<Vec<Case>, RunFailure> {
        let claim = sold_as(Loss::Pure(epsilon.clone()), Neighbours::AddRemoveOne);
        let (without, with): (&[f64], &[f64]) = (&[-1.0, -0.8], &[-1.0, -0.8, 1.0]);
        let times = if version.is_faulty() { 1.0 } else { ROUNDS as f64 };
        let scale = times * 2.0 / epsilon.to_f64_up();
        let setting = format!("k = 2, d = 1, ε = {epsilon}, {ROUNDS} iterations");
        let remark = "by events on the log-likelihood ratio of the history";
        let sides = (fit(with, scale), fit(without, scale));
        let case = by_events(setting, &claim, sides, "three rows and two of them", (20_000, 400_000), remark);
        Ok(vec![case.looking_at("log-likelihood ratio", move |history| {
            ln_probability(history, with, scale) - ln_probability(history, without, scale)
        })])
    }
}
