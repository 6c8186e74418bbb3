//! Hybrid (SCL16 §6.3): EUGkM finds the centres, one step of DPLloyd refines them, if the budget allows.
//!
//! Half of ε goes to EUGkM and half to one noisy step from its centres, when that is expected to be better than EUGkM
//! with all of ε: when ε ≥ (X/Y)^((2+d)/(2d)) (eq. (15)). Otherwise Hybrid *is* EUGkM.
//!
//! *Privacy.* Pure ε-DP for adding or removing one row. Either one [`super::NoisyCountsMechanism`] with all of ε, or one
//! with a half and one [`super::NoisySumsMechanism`] with the other half; the losses add. Which of the two it is follows
//! from public numbers (n₀, d, k, ε).
//!
//! *Utility.* Eq. (13) above the threshold, eq. (12) below it.
//!
//! *Assumes.* As EUGkM.
//!
//! *Deviations.* Those of EUGkM and DPLloyd. ρ, the mean distance of a centre's coordinate from zero in box widths, is
//! 0.225 as in the journal version of the paper (eq. (6) writes β for it). ε in eq. (15) is what is left after a bought
//! row count. Eq. (15) is that of eq. (4)'s cells also where another number of cells is given.

use shoal_lattice::BoxPosition;
use shoal_noise::NoiseSource;
use shoal_privacy::{Accountant, Allowance, Amount, Claim, Epsilon, MethodInfo, Parameter};

use crate::Decision;
use crate::EugkmParams;
use crate::ExpectedError;
use crate::SizeStep;
use crate::expected_error::RHO;
use crate::lloyd::noisy_lloyd::NoisyLloyd;
use crate::system::rest_of;
use crate::systems::eugkm::{GRID, GRID_FORECAST, GridRelease, outcome};
use crate::{FitError, Method, Outcome, Settings, System, Watch};
use shoal_scan::Scan;

/// The one form of Hybrid.
pub(crate) const METHODS: &[Method] = &[Method {
    info: MethodInfo {
        name: "hybrid",
        summary: "EUGkM, then one noisy Lloyd step with half of ε where that is expected to pay",
        options: &[
            "iterations",
            "theta",
            "inits",
            "cells",
            "max-cells",
            "negative",
            "rho",
            "synopsis-share",
            "count-share",
        ],
        ..GRID
    },
    build,
    forecast: GRID_FORECAST,
}];

fn build(settings: &Settings, dims: usize) -> Result<Box<dyn System>, FitError> {
    let knobs = &settings.knobs;
    let params = HybridParams::new(EugkmParams::of(settings));
    let params = HybridParams {
        rho: knobs.rho.unwrap_or(params.rho),
        synopsis_share: knobs.synopsis_share.clone().unwrap_or(params.synopsis_share),
        ..params
    };
    Ok(Box::new(Hybrid::new(params, dims)?))
}

/// The parameters of Hybrid, not yet checked.
#[derive(Clone, Debug)]
pub struct HybridParams {
    /// The EUGkM part, with the whole budget of Hybrid.
    pub eugkm: EugkmParams,
    /// ρ of eq. (6): 0.225.
    pub rho: f64,
    /// The synopsis' share of ε when there is a refining step: one half in the paper.
    pub synopsis_share: Amount,
}

impl HybridParams {
    /// The paper's values.
    pub fn new(eugkm: EugkmParams) -> Self {
        Self { eugkm, rho: RHO, synopsis_share: Amount::ratio(1, 2) }
    }
}

/// Hybrid with parameters that make sense.
pub struct Hybrid {
    params: HybridParams,
    dims: usize,
    size: SizeStep,
    /// ε left for the method.
    epsilon: f64,
    /// ε for the grid and for the step, when there is one.
    parts: (Epsilon, Epsilon),
    alone: GridRelease,
    first: GridRelease,
    step: NoisyLloyd,
}

impl Hybrid {
    /// Checks the parameters for a table of `dims` attributes.
    pub fn new(params: HybridParams, dims: usize) -> Result<Self, FitError> {
        params.eugkm.check(dims)?;
        if !(0.0..=0.5).contains(&params.rho) {
            let given = params.rho.to_string();
            return Err(FitError::Parameter { what: Parameter::RHO, given, wanted: "a number from 0 to 0.5".into() });
        }
        let (size, epsilon) = params.eugkm.size.split(&params.eugkm.epsilon)?;
        let share = &params.synopsis_share;
        let other = rest_of(share, Parameter::SYNOPSIS_SHARE, "the cells")?;
        let grid = |epsilon: &Epsilon| GridRelease::new(params.eugkm.grid, epsilon);
        let parts = (epsilon.times(share), epsilon.times(&other));
        Ok(Self {
            alone: grid(&epsilon)?,
            first: grid(&parts.0)?,
            step: NoisyLloyd::new(dims, std::slice::from_ref(&parts.1))?,
            parts,
            epsilon: epsilon.to_f64_up(),
            params,
            dims,
            size,
        })
    }

    /// The ε from which on a refining step pays, for `rows` rows: eq. (15).
    pub fn threshold(&self, rows: f64) -> f64 {
        let HybridParams { eugkm, rho, synopsis_share } = &self.params;
        threshold(rows, self.dims, eugkm.kmeans.k, *rho, eugkm.grid.theta, 1.0 - synopsis_share.to_f64_up())
    }
}

/// Eq. (15) with r = 1. The paper's 10 is θ, and its 8 is 2 over the square of the step's share of ε, one half.
fn threshold(rows: f64, dims: usize, k: usize, rho: f64, theta: f64, step_share: f64) -> f64 {
    let (d, k) = (dims as f64, k as f64);
    let x = 2.0 / step_share.powi(2) * d * (1.0 + (2.0 * rho).powi(2)) * (k * (d + 1.0) / rows).powi(2);
    let y = 2.0 * d * k.powf((d - 2.0) / d) / (3.0 * theta.powf(2.0 * d / (2.0 + d)) * rows.powf(4.0 / (2.0 + d)));
    (x / y).powf((2.0 + d) / (2.0 * d))
}

impl System for Hybrid {
    fn claim(&self) -> Claim {
        // Unwrap safety: both are pure and about the same neighbours.
        let refined = self.first.claim().then(&self.step.claim()).unwrap();
        debug_assert_eq!(refined.loss, self.alone.claim().loss, "both ways cost the same");
        self.size.claim_with(refined)
    }

    fn expected_error(&self, rows: f64) -> ExpectedError {
        let (design, k) = (self.size.expected(rows), self.params.eugkm.kmeans.k);
        if self.epsilon >= self.threshold(design as f64) {
            ExpectedError::of_equal_clusters(self.step.last(), self.dims, rows / k as f64, self.params.rho)
        } else {
            self.alone.expected_error(design, rows, self.dims, k)
        }
    }

    fn run_watched(
        &self,
        scan: &dyn Scan,
        allowance: Allowance,
        noise: &mut dyn NoiseSource,
        watch: Watch<'_>,
    ) -> Result<Outcome, FitError> {
        let mut accountant = Accountant::new(allowance);
        let settled = self.size.settle(scan, &mut accountant, noise)?;
        let mut decisions: Vec<Decision> = settled.decision.into_iter().collect();
        let threshold = self.threshold(settled.rows as f64);
        let kmeans = &self.params.eugkm.kmeans;
        if self.epsilon < threshold {
            decisions.push(Decision::GridAlone { threshold });
            let synopsis = self.alone.run(settled.rows, scan, &mut accountant, noise, kmeans.k, &mut decisions)?;
            let found = synopsis.cluster_watched(kmeans, noise, watch);
            return Ok(outcome(found, synopsis, kmeans, &accountant, noise).with_decisions(decisions));
        }
        let (grid, step) = self.parts.clone();
        decisions.push(Decision::GridAndStep { threshold, grid, step });
        let synopsis = self.first.run(settled.rows, scan, &mut accountant, noise, kmeans.k, &mut decisions)?;
        let start = BoxPosition::numbers(&synopsis.cluster_watched(kmeans, noise, watch).centres.concat());
        let found = self.step.run(scan, &mut accountant, noise, start)?;
        let last = self.step.last();
        let outcome = Outcome::new(found.rows(self.dims), found.noise(last, self.dims), &accountant, noise)
            .with_sizes(found.sizes(), vec![last.count_variance().sqrt(); kmeans.k])
            .with_decisions(decisions);
        Ok(outcome.on_cells(synopsis, kmeans, true))
    }
}

#[cfg(test)]
mod tests {
    use super::threshold;

    #[test]
    fn thresholds_are_those_of_the_paper_s_data() {
        // n, d, k of Table 1.
        for (rows, dims, k, expected) in [
            (5_000.0, 2, 15, 58.4),
            (107_091.0, 2, 5, 0.303),
            (16_281.0, 2, 2, 0.319),
            (34_112.0, 3, 3, 0.126),
            (48_841.0, 6, 5, 0.068),
            (26_733.0, 10, 3, 0.073),
        ] {
            let found = threshold(rows, dims, k, 0.225, 10.0, 0.5);
            assert!((found / expected - 1.0).abs() < 0.01, "{rows} rows: {found}, not {expected}");
        }
    }
}
