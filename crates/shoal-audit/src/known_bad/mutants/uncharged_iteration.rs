//! A mutant of Shoal's DPLloyd that makes one step more than it is charged for.
//!
//! *Sold as.* What `DpLloyd` with T − 1 steps says of itself.
//!
//! *Fault.* T steps with the noise of T − 1.
//!
//! *Repaired.* T − 1 steps.
//!
//! *Audit.* Events on the log-likelihood ratio of the noisy sums and counts of all steps: the claim covers all that a run
//! computes with, since its losses are added up step by step.

use shoal_curator::internals::NoisySumsMechanism;
use shoal_curator::{DpLloyd, DpLloydParams, RowMechanism, System};
use shoal_kernel::LatticeCentres;
use shoal_kernel::internals::sums_and_counts_parallel;
use shoal_lattice::{HALF_WIDTH, LatticePoints};
use shoal_noise::NoiseSource;
use shoal_privacy::Epsilon;

use crate::known_bad::entry::{Case, KnownBad, Version, by_events, ln_laplace};
use crate::{RunFailure, Runs, Side, TargetInfo, each};

/// Steps that are charged for.
const CHARGED: u32 = 2;
/// Runs on each input.
const RUNS: usize = 150_000;

/// DPLloyd with a step for free.
#[derive(Clone, Copy)]
pub struct UnchargedIteration;

/// The steps from one centre in the middle. Every row is nearest to the only centre wherever it goes, so the exact sums are
/// the same in all steps.
fn fit(rows: &[i16], steps: u32, step: NoisySumsMechanism) -> Box<dyn Side> {
    let mut points = LatticePoints::new(1);
    rows.iter().for_each(|row| points.push_row(&[*row]));
    let exact = sums_and_counts_parallel(&points, &LatticeCentres::new(1, vec![0]));
    each(move |noise: &mut dyn NoiseSource, out: &mut Runs| {
        for _ in 0..steps {
            let noisy = step.draw(exact.clone(), noise);
            out.tell_all([noisy.sums[0], noisy.counts[0]].map(|x| x as f64));
        }
    })
}

impl KnownBad for UnchargedIteration {
    fn info(&self) -> TargetInfo {
        TargetInfo {
            name: "mutant-uncharged-iteration",
            group: "known-bad",
            what: "Shoal's DPLloyd with a step that is not charged for; events on the likelihood ratio of all steps",
        }
    }

    fn cases(&self, epsilon: &Epsilon, version: Version) -> Result<Vec<Case>, RunFailure> {
        let params = DpLloydParams { iterations: CHARGED, ..DpLloydParams::new(1, epsilon.clone()) };
        let claim = DpLloyd::new(params, 1)?.claim();
        let step = NoisySumsMechanism::per_step(1, &epsilon.split(CHARGED.into()))?;
        // The paper's noise, Lap((d + 1)/ε) of a step on each number.
        let scale = 2.0 * f64::from(CHARGED) / epsilon.to_f64_up();
        let steps = if version.is_faulty() { CHARGED + 1 } else { CHARGED };
        let setting = format!("k = 1, d = 1, ε = {epsilon}, {steps} iterations, {CHARGED} charged");
        let sides = (fit(&[], steps, step.clone()), fit(&[i16::MAX], steps, step));
        let remark = "by events on the log-likelihood ratio of all steps";
        let case = by_events(setting, &claim, sides, "no row and one at the border", (RUNS, 8 * RUNS), remark);
        Ok(vec![case.looking_at("log-likelihood ratio", move |noisy| {
            let ratio = |x: f64| ln_laplace(x, scale) - ln_laplace(x - 1.0, scale);
            noisy.chunks_exact(2).map(|step| ratio(step[0] / f64::from(HALF_WIDTH)) + ratio(step[1])).sum()
        })])
    }
}
