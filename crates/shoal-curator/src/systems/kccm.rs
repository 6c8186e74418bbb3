//! DP-KCCM (NQC21 §3, Algorithm 1) and its ablations: noisy Lloyd with n·k centres and growing budgets, then merging.
//!
//! From n·k sphere-packing centres, 12 noisy steps whose budgets grow (4 × ε/24, 4 × ε/12, 4 × ε/8) or are equal; then
//! the two nearest centres are merged into their mean weighted by noisy counts, until k remain. [`Merge::Ward`] is ours.
//!
//! | name | centres | budgets |
//! |---|---|---|
//! | `average-k` (DPLloyd-Impr with 12 steps) | k | equal |
//! | `allocation-k` | k | growing |
//! | `average-nk` | n·k, merged | equal |
//! | `allocation-nk`, `kccm` | n·k, merged | growing |
//!
//! *Privacy.* Pure ε-DP for adding or removing one row (Theorem 1). Each step is a [`super::NoisySumsMechanism`] with
//! its share of ε; the shares are exact fractions that add up to one. The start looks at no record; merging is
//! post-processing.
//!
//! *Law.* Discrete Laplace noise of scale (d + 1)/ε_iter on every sum and count (eqs (10), (11)).
//!
//! *Utility.* The last step decides: see [`crate::expected_error`]. A merged centre has the noise of the mean of its
//! parts.
//!
//! *Runtime.* 12 scans of n·k·d and (n·k)³ steps for merging, at most.
//!
//! *Assumes.* Public bounds; one row per person. The number of rows is not used.
//!
//! *Deviations.* Those of [`crate::lloyd::noisy_lloyd`]. Noisy counts can be negative: for merging they are floored at zero, and
//! sizes are floored when they have been added up; two clusters without rows merge into the point midway. With another number of steps, growing
//! budgets are 1 : 2 : 3 over the thirds, of which 12 steps give the paper's fractions.

use shoal_lattice::{BoxPosition, Widths};
use shoal_noise::NoiseSource;
use shoal_privacy::{Accountant, Allowance, Amount, Claim, Epsilon, MethodInfo, Parameter};

use crate::ExpectedError;
use crate::catalogue::SCL16;
use crate::expected_error::RHO;
use crate::expected_error::{HOPELESS, centre_variance};
use crate::lloyd::noisy_lloyd::NoisyLloyd;
use crate::plan::{Forecast, LOCAL_MINIMUM};
use crate::sphere_packing;
use crate::system::check_basics;
use crate::{FitError, MOST_CENTRES, Method, Outcome, Settings, System, Watch};
use shoal_scan::Scan;

/// Those that keep their k centres.
const NQC21: MethodInfo =
    MethodInfo { paper: "NQC21", status: "as published; papers/NQC21.md", options: &["iterations", "shares"], ..SCL16 };

/// Those that merge n·k centres.
const MERGED: MethodInfo = MethodInfo { options: &["iterations", "shares", "n", "merge"], ..NQC21 };

const MERGED_FORECAST: Forecast = Forecast::per_rows(0.9, 1.0, 0.3, "merged centres");

/// DP-KCCM and its ablations.
pub(crate) const METHODS: &[Method] = &[
    Method {
        info: MethodInfo {
            name: "kccm",
            summary: "DP-KCCM: n·k centres in steps of growing budget, then the nearest are merged until k remain",
            ..MERGED
        },
        build: |settings, dims| build(settings, 3, Shares::Growing, dims),
        forecast: MERGED_FORECAST,
    },
    Method {
        info: MethodInfo {
            name: "allocation-nk",
            summary: "another name for kccm: n·k centres, growing budgets, merged",
            ..MERGED
        },
        build: |settings, dims| build(settings, 3, Shares::Growing, dims),
        forecast: MERGED_FORECAST,
    },
    Method {
        info: MethodInfo { name: "average-nk", summary: "kccm with equal budgets: n·k centres, merged", ..MERGED },
        build: |settings, dims| build(settings, 3, Shares::Equal, dims),
        forecast: MERGED_FORECAST,
    },
    Method {
        info: MethodInfo { name: "allocation-k", summary: "kccm without merging: k centres, growing budgets", ..NQC21 },
        build: |settings, dims| build(settings, 1, Shares::Growing, dims),
        forecast: Forecast::per_rows(0.65, 0.5, 0.5, LOCAL_MINIMUM),
    },
    Method {
        info: MethodInfo {
            name: "average-k",
            summary: "NQC21's baseline: k centres, equal budgets, which is dplloyd-impr with 12 steps",
            ..NQC21
        },
        build: |settings, dims| build(settings, 1, Shares::Equal, dims),
        forecast: Forecast::per_rows(0.65, 0.5, 0.5, LOCAL_MINIMUM),
    },
];

fn build(settings: &Settings, n: usize, shares: Shares, dims: usize) -> Result<Box<dyn System>, FitError> {
    let knobs = &settings.knobs;
    let params = KccmParams::new(settings.k, settings.epsilon.clone());
    let params = KccmParams {
        n: knobs.n.unwrap_or(n),
        iterations: knobs.iterations.unwrap_or(params.iterations),
        shares: knobs.shares.clone().map_or(shares, Shares::Given),
        merge: knobs.merge.unwrap_or(params.merge),
        ..params
    };
    Ok(Box::new(Kccm::new(params, dims)?))
}

/// How ε is shared among the steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shares {
    /// The same for every step: "average" in NQC21.
    Equal,
    /// 1 : 2 : 3 over the thirds of the steps: "allocation" in NQC21 (§3.1).
    Growing,
    /// In these proportions, one for each step.
    Given(Vec<Amount>),
}

/// Which two clusters are merged next. Merging is post-processing: it costs nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merge {
    /// The two nearest, whatever they hold: the paper's.
    Nearest,
    /// Those whose merging adds least to the sum of squares, n_p·n_q/(n_p + n_q)·‖c_p − c_q‖² (Ward 1963), by noisy counts:
    /// ours. Clusters without rows go first.
    Ward,
}

/// The parameters of DP-KCCM, not yet checked.
#[derive(Clone, Debug)]
pub struct KccmParams {
    /// Number of centres in the end.
    pub k: usize,
    /// The whole budget.
    pub epsilon: Epsilon,
    /// n: there are n·k centres before merging; 3 in the paper, 1 for no merging.
    pub n: usize,
    /// Number of steps: 12 in the paper. Ignored when the shares are given.
    pub iterations: u32,
    /// How ε is shared among them.
    pub shares: Shares,
    /// Which clusters are merged.
    pub merge: Merge,
}

impl KccmParams {
    /// DP-KCCM with the paper's values.
    pub fn new(k: usize, epsilon: Epsilon) -> Self {
        Self { k, epsilon, n: 3, iterations: 12, shares: Shares::Growing, merge: Merge::Nearest }
    }
}

/// DP-KCCM with parameters that make sense.
pub struct Kccm {
    params: KccmParams,
    dims: usize,
    steps: NoisyLloyd,
}

impl Kccm {
    /// Checks the parameters for a table of `dims` attributes.
    pub fn new(params: KccmParams, dims: usize) -> Result<Self, FitError> {
        check_basics(params.k, &params.epsilon, dims)?;
        if params.n == 0 {
            return Err(FitError::Parameter { what: Parameter::N, given: "0".into(), wanted: "1 or more".into() });
        }
        let centres = params.k.saturating_mul(params.n);
        if centres > MOST_CENTRES {
            let wanted =
                format!("at most {}, so that there are no more than {MOST_CENTRES} centres", MOST_CENTRES / params.k);
            return Err(FitError::Parameter { what: Parameter::N, given: params.n.to_string(), wanted });
        }
        let budgets = budgets(&params)?;
        Ok(Self { steps: NoisyLloyd::new(dims, &budgets)?, params, dims })
    }
}

/// The budget of each step; they add up to ε exactly.
fn budgets(params: &KccmParams) -> Result<Vec<Epsilon>, FitError> {
    let steps = u64::from(params.iterations);
    let weights: Vec<Amount> = match &params.shares {
        Shares::Equal => vec![Amount::ratio(1, 1); steps as usize],
        // 1/24, 1/12 and 1/8 of ε (NQC21 §3.1) are 1 : 2 : 3.
        Shares::Growing => (0..steps).map(|step| Amount::ratio(1 + 3 * step / steps, 1)).collect(),
        Shares::Given(weights) => weights.clone(),
    };
    let Some(total) = weights.iter().cloned().reduce(|sum, weight| sum.plus(&weight)) else {
        return Err(FitError::NoIterations);
    };
    if weights.iter().any(Amount::is_zero) {
        return Err(FitError::Share { what: "a step", share: Parameter::SHARES });
    }
    let share = |weight: &Amount| {
        // Unwrap safety: the total is a sum of positive amounts.
        Amount::from_rational(weight.as_rational() / total.as_rational()).unwrap()
    };
    Ok(weights.iter().map(|weight| params.epsilon.times(&share(weight))).collect())
}

impl System for Kccm {
    fn claim(&self) -> Claim {
        self.steps.claim()
    }

    fn expected_error(&self, rows: f64) -> ExpectedError {
        // A merged centre is the mean of n parts, each with n times fewer rows: noise √n times that of one cluster, as
        // of a cluster with √n times fewer rows.
        let per_cluster = rows / self.params.k as f64 / (self.params.n as f64).sqrt();
        ExpectedError::of_equal_clusters(self.steps.last(), self.dims, per_cluster, RHO)
    }

    fn run_watched(
        &self,
        scan: &dyn Scan,
        allowance: Allowance,
        noise: &mut dyn NoiseSource,
        _: Watch<'_>,
    ) -> Result<Outcome, FitError> {
        let mut accountant = Accountant::new(allowance);
        let start = sphere_packing(self.params.k * self.params.n, self.dims, noise);
        let found = self.steps.run(scan, &mut accountant, noise, start)?;
        let last = self.steps.last();
        let parts: Vec<Part> = found
            .centres
            .chunks_exact(self.dims)
            .zip(found.counts.iter().map(|&count| count as f64))
            .map(|(centre, count)| Part::new(centre, count, centre_variance(last, &BoxPosition::list(centre), count)))
            .collect();
        let merged = merge(parts, self.params.k, self.params.merge);
        let sizes = merged.iter().map(|part| part.count.max(0.0)).collect();
        let size_noise = merged.iter().map(|part| (part.parts * last.count_variance()).sqrt()).collect();
        let noise_per_centre = merged.iter().map(Part::noise).collect();
        let centres = merged.iter().map(|part| BoxPosition::list(&part.centre)).collect();
        Ok(Outcome::new(centres, noise_per_centre, &accountant, noise).with_sizes(sizes, size_noise))
    }
}

/// A cluster, or several merged into one.
#[derive(Clone, Debug, PartialEq)]
struct Part {
    centre: Vec<f64>,
    /// Noisy; may be negative. Adds up to the noisy number of rows, which floored counts would overstate.
    count: f64,
    /// Weight in merging: counts floored at zero.
    size: f64,
    /// Variance of the centre's noise per attribute if it has `size` rows, in squared widths, not limited.
    variance: Vec<f64>,
    parts: f64,
}

impl Part {
    fn new(centre: &[f64], count: f64, variance: Vec<f64>) -> Self {
        Self { centre: centre.to_vec(), count, size: count.max(0.0), variance, parts: 1.0 }
    }

    /// Standard deviation of the centre's noise per attribute.
    fn noise(&self) -> Vec<Widths> {
        let fewer = self.size / self.count;
        let sd = |variance: &f64| if self.count > 0.0 { Widths(variance.sqrt() * fewer) } else { HOPELESS };
        self.variance.iter().map(|variance| sd(variance).at_most(HOPELESS)).collect()
    }

    /// Eq. (12): coordinate by coordinate the mean weighted by size, whichever of the two is the larger.
    fn merged(&self, other: &Self) -> Self {
        let total = self.size + other.size;
        let share = if total > 0.0 { self.size / total } else { 0.5 };
        let mean = |(a, b): (&f64, &f64)| share * a + (1.0 - share) * b;
        // The mean of two blind guesses is a blind guess.
        let noise = |(a, b): (&f64, &f64)| match total > 0.0 {
            true => share.powi(2) * a + (1.0 - share).powi(2) * b,
            false => a.max(*b),
        };
        Self {
            centre: self.centre.iter().zip(&other.centre).map(mean).collect(),
            count: self.count + other.count,
            size: total,
            variance: self.variance.iter().zip(&other.variance).map(noise).collect(),
            parts: self.parts + other.parts,
        }
    }

    fn squared_distance(&self, other: &Self) -> f64 {
        self.centre.iter().zip(&other.centre).map(|(a, b)| (a - b).powi(2)).sum()
    }

    /// The least is merged first.
    fn cost(&self, other: &Self, rule: Merge) -> f64 {
        let total = self.size + other.size;
        match rule {
            Merge::Nearest => self.squared_distance(other),
            Merge::Ward if total > 0.0 => self.size * other.size / total * self.squared_distance(other),
            Merge::Ward => 0.0,
        }
    }
}

/// Merges two clusters until `k` remain (Algorithm 1, last loop), the nearest or those of the least cost; the first pair on a
/// tie.
fn merge(mut parts: Vec<Part>, k: usize, rule: Merge) -> Vec<Part> {
    // The nearest later cluster of each one, so that a round costs one row and not all pairs.
    let nearest = |parts: &[Part], i: usize| {
        let later = (i + 1..parts.len()).map(|j| (parts[i].cost(&parts[j], rule), j));
        later.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)))
    };
    let mut best: Vec<Option<(f64, usize)>> = (0..parts.len()).map(|i| nearest(&parts, i)).collect();
    while parts.len() > k {
        let candidates = best.iter().enumerate().filter_map(|(i, found)| found.map(|(distance, j)| (distance, i, j)));
        let Some((_, i, j)) = candidates.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))) else { break };
        parts[i] = parts[i].merged(&parts[j]);
        parts.remove(j);
        best.remove(j);
        for p in 0..parts.len() {
            // Rows that pointed at either, or lie before the merged one, may have another nearest now.
            let stale = best[p].is_some_and(|(_, at)| at == i || at == j) || p == i;
            if stale {
                best[p] = nearest(&parts, p);
                continue;
            }
            if let Some((_, at)) = &mut best[p]
                && *at > j
            {
                *at -= 1;
            }
            if p < i {
                let distance = parts[p].cost(&parts[i], rule);
                if best[p].is_some_and(|(known, at)| distance < known || (distance == known && i < at)) {
                    best[p] = Some((distance, i));
                }
            }
        }
        // The last one has no later cluster.
        if let Some(last) = best.last_mut() {
            *last = None;
        }
    }
    parts
}

#[cfg(test)]
mod tests;
