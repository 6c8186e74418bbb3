//! BPGM against its published claim, which it does not keep.

use std::time::Instant;

use shoal_device::{Bpgm, bpgm};
use shoal_device::{BpgmForm, Mechanism, Sampler};
use shoal_lattice::STEPS;
use shoal_privacy::{Amount, Assumption, Claim, Epsilon, Loss, Metric, Neighbours, Numerics};

use super::device::{Device, Way};
use super::pairs::{CrowdPairs, Records, allowed, distance};
use crate::exact::DensityRatio;
use crate::runs::RunFailure;
use crate::statistical::Experiment;
use crate::statistical::search::PairSpace;
use crate::{Expected, Line, Measure, Plan, Target, TargetInfo};

/// Attributes with which densities are compared, and reports by events.
const DENSITIES: [usize; 3] = [1, 2, 4];
const EVENTS: [usize; 2] = [1, 2];

pub(super) struct BpgmTarget;

impl Target for BpgmTarget {
    fn info(&self) -> TargetInfo {
        let what = "BPGM against the claim of its paper, which it breaks: by events and by density ratio";
        TargetInfo { name: "bpgm", group: "crowd", what }
    }

    fn work(&self, plan: &Plan<'_>) -> usize {
        2 * EVENTS.len() * 2 * runs(plan)
    }

    fn audit(&self, plan: &Plan<'_>) -> Result<Vec<Line>, RunFailure> {
        let epsilon = plan.exact_epsilon(1.0)?;
        let bound = bound(&epsilon)?;
        let claims = [published(&epsilon)];
        let mut lines = Vec::new();
        for form in [BpgmForm::Adam, BpgmForm::ClosedForm] {
            for dims in EVENTS {
                let start = Instant::now();
                let device = device(&epsilon, &bound, dims, form);
                let measure = by_events(&device, &claims, plan)?;
                lines.push(line(&device, Way::Events, &claims, measure, start)?);
            }
        }
        for dims in DENSITIES {
            let start = Instant::now();
            let device = device(&epsilon, &bound, dims, BpgmForm::ClosedForm);
            let measure = by_density(&epsilon, &bound, dims, &claims)?;
            lines.push(line(&device, Way::Density, &claims, measure, start)?);
        }
        Ok(lines)
    }
}

fn runs(plan: &Plan<'_>) -> usize {
    plan.runs(10_000, 100_000)
}

fn device(epsilon: &Epsilon, bound: &Amount, dims: usize, form: BpgmForm) -> Device {
    let mechanism = Mechanism::Bpgm { bound: bound.clone(), form };
    Device { mechanism, epsilon: epsilon.clone(), dims, sampler: Sampler::Exact }
}

/// A bound on the noise of one over ε, so that reports come near it, of a tenth of the box to the whole.
fn bound(epsilon: &Epsilon) -> Result<Amount, RunFailure> {
    let bound = (1.0 / epsilon.to_f64_up()).clamp(0.1, 1.0);
    Amount::from_shortest_decimal(bound).map_err(|why| RunFailure::Other(why.to_string()))
}

/// The claim of the paper, for its ε.
fn published(epsilon: &Epsilon) -> Claim {
    Claim {
        neighbours: Neighbours::PerUnitOf(Metric::Euclidean),
        loss: Loss::PerDistance(epsilon.clone()),
        numerics: Numerics::IdealReals,
        assumes: [Assumption::BoundsPublic, Assumption::OneReportPerPerson].into(),
    }
}

fn line(device: &Device, way: Way, claims: &[Claim], measure: Measure, start: Instant) -> Result<Line, RunFailure> {
    let published = device.client()?.promises().published;
    let promise = format!("published ({}): {}", published.paper, Device::promise(claims));
    let mut line = Line::new("bpgm", device.setting(way), promise, Expected::Broken, measure);
    line.seconds = start.elapsed().as_secs_f64();
    let Mechanism::Bpgm { form, .. } = device.mechanism else {
        return Err(RunFailure::Other("this audit is for bpgm".into()));
    };
    Ok(line.with_remark(bpgm::reason(form)))
}

/// Records a quarter of the bound apart: reports near the rim of one are out of reach of the other.
fn by_events(device: &Device, claims: &[Claim], plan: &Plan<'_>) -> Result<Measure, RunFailure> {
    let Mechanism::Bpgm { bound, .. } = &device.mechanism else {
        return Err(RunFailure::Other("this audit is for bpgm".into()));
    };
    let pairs = CrowdPairs::new(device.client()?).claiming(claims.to_vec());
    let middle = vec![STEPS as i64 / 2; device.dims];
    let mut second = middle.clone();
    second[0] += (bound.to_f64_up() * STEPS as f64 / 4.0) as i64;
    let randomness = plan.randomness.for_part(&format!("bpgm, {}", device.setting(Way::Events)));
    let experiment = Experiment { runs: runs(plan), alpha: plan.alpha, randomness };
    Ok(Measure::Events(experiment.audit(&pairs.pair(&Records { first: middle, second })?, plan.watch)?))
}

/// The density that reports would have if directions were uniform.
fn by_density(epsilon: &Epsilon, bound: &Amount, dims: usize, claims: &[Claim]) -> Result<Measure, RunFailure> {
    let law =
        Bpgm::new(epsilon, dims, bound, BpgmForm::ClosedForm).map_err(|why| RunFailure::Other(why.to_string()))?;
    let ratio = DensityRatio {
        dims,
        beyond: bound.to_f64_up(),
        ln_density: &|x, v| law.ln_density_of_idealisation(distance(x, v)),
        allowed: &|v, w| allowed(claims, distance(v, w)),
    };
    Ok(ratio.maximise())
}
