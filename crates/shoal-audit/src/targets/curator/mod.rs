//! Targets: algorithms of a trusted holder. Every method that is listed is audited, also one that was added yesterday.
//!
//! Tables are tiny, and so are the numbers of starts, rounds and cells: what an algorithm claims does not depend on them,
//! and thousands of whole runs say more than a few large ones. In full, a search over neighbouring tables comes first.

mod cases;
mod private_bounds;

use std::sync::Arc;
use std::time::Instant;

use shoal_curator::{Method, methods};
use shoal_noise::OsNoise;
use shoal_privacy::{Allowance, Claim, Loss};

use crate::allowed::promise;
use crate::pairs::curator::{CuratorPairs, Make, scan_of};
use crate::runs::RunFailure;
use crate::statistical::search::{PairSpace, Search, search_and_audit};
use crate::statistical::{Experiment, Finding};
use crate::{Allowed, Effort, Expected, Line, Measure, Plan, Target, TargetInfo};
pub use cases::{Case, cases, for_releases};
pub use private_bounds::{BoundsPairs, PrivateBoundsTarget};

/// All of them.
#[must_use]
pub fn targets() -> Vec<Box<dyn Target>> {
    let of = |method: &'static Method| Box::new(MethodTarget { method }) as Box<dyn Target>;
    methods().map(of).chain([Box::new(PrivateBoundsTarget) as Box<dyn Target>]).collect()
}

/// One of [`methods`] in several settings.
pub struct MethodTarget {
    /// The method.
    pub method: &'static Method,
}

/// How much is run for each setting of a method.
#[derive(Clone, Copy)]
struct Pace {
    quick: usize,
    /// Settings that are audited where there is little time.
    quick_cases: usize,
    full: usize,
    search: Search,
}

impl MethodTarget {
    /// Methods differ a thousandfold in what a run costs, whatever the table; one that is new is taken for a slow one.
    fn pace(&self) -> Pace {
        let of = |quick, quick_cases, full, pilot_runs, variations| Pace {
            quick,
            quick_cases,
            full,
            search: Search { pilot_runs, variations },
        };
        match self.method.info.name {
            // Two choices among thousands of positions for each coordinate of each centre.
            "gkm" | "gkm-3k" => of(500, 1, 8_000, 0, 0),
            "refined-tree" | "looks" | "fixed-tree" => of(800, 3, 15_000, 800, 4),
            "auto" | "grid" | "mean" | "directions" => of(800, 6, 25_000, 800, 4),
            "dplloyd" => of(12_000, 6, 200_000, 4_000, 12),
            "pgkm" | "allocation-k" | "average-k" | "tree" | "eugkm" => of(4_000, 6, 60_000, 2_000, 8),
            "dplloyd-impr" | "hybrid" | "knorm-lloyd" | "kccm" | "allocation-nk" | "average-nk" => {
                of(2_000, 6, 60_000, 1_000, 8)
            }
            _ => of(200, 6, 3_000, 300, 0),
        }
    }

    fn runs_of(&self, plan: &Plan<'_>) -> usize {
        plan.runs(self.pace().quick, self.pace().full)
    }

    /// No search where there is no time for it.
    fn search(&self, plan: &Plan<'_>) -> Option<Search> {
        Some(self.pace().search).filter(|search| plan.effort == Effort::Full && search.pilot_runs > 0)
    }

    fn cases_of(&self, plan: &Plan<'_>) -> Vec<Case> {
        let all = cases(&self.method.info).into_iter();
        all.take(if plan.effort == Effort::Quick { self.pace().quick_cases } else { usize::MAX }).collect()
    }

    /// The audit of one setting: one line, or two where the loss is stated in two units.
    fn audit_case(&self, case: &Case, plan: &Plan<'_>) -> Result<Vec<Line>, RunFailure> {
        let started = Instant::now();
        let make = case.make(self.method, plan)?;
        let (claim, also) = claims(&make, case)?;
        let space = CuratorPairs::new(case.k, case.dims, make)?.promising(Allowed::of(&claim.loss, 1.0));
        let space = space.read_by(case.engine);
        let space = if case.file_only { space.of_the_file() } else { space };
        let name = format!("{} {}", self.method.info.name, case.words(&self.method.info, plan));
        let randomness = plan.randomness.for_part(&name);
        let experiment = Experiment { runs: self.runs_of(plan), alpha: plan.alpha, randomness };
        let (tables, finding) = match self.search(plan) {
            Some(search) => search_and_audit(&space, search, &experiment, plan.watch)?,
            None => {
                let tables = space.usual();
                let finding = experiment.audit(&space.pair(&tables)?, plan.watch)?;
                (tables, finding)
            }
        };
        let mut lines = vec![self.line(case, plan, &claim, finding, started)];
        for claim in also {
            let started = Instant::now();
            let pair = space.clone().promising(Allowed::of(&claim.loss, 1.0)).pair(&tables)?;
            let experiment = Experiment { randomness: randomness.for_part("also"), ..experiment };
            lines.push(self.line(case, plan, &claim, experiment.audit(&pair, plan.watch)?, started));
        }
        Ok(lines)
    }

    fn line(&self, case: &Case, plan: &Plan<'_>, claim: &Claim, finding: Finding, started: Instant) -> Line {
        let remark = seen(&finding);
        let setting = case.words(&self.method.info, plan);
        let mut line =
            Line::new(self.method.info.name, setting, promise(claim), Expected::Kept, Measure::Events(finding));
        line.seconds = started.elapsed().as_secs_f64();
        line.with_remark(remark)
    }
}

impl Target for MethodTarget {
    fn info(&self) -> TargetInfo {
        TargetInfo { name: self.method.info.name, group: "curator", what: self.method.info.summary }
    }

    fn work(&self, plan: &Plan<'_>) -> usize {
        let of = |case: &Case| {
            let Ok(make) = case.make(self.method, plan) else { return 0 };
            let Ok(space) = CuratorPairs::new(case.k, case.dims, make.clone()) else { return 0 };
            let lines = claims(&make, case).map_or(1, |(_, also)| 1 + also.len());
            let search = self.search(plan).map_or(0, |search| search.runs(space.catalogue().len()));
            search + 2 * self.runs_of(plan) * lines
        };
        self.cases_of(plan).iter().map(of).sum()
    }

    fn audit(&self, plan: &Plan<'_>) -> Result<Vec<Line>, RunFailure> {
        let mut lines = Vec::new();
        for case in self.cases_of(plan) {
            lines.extend(self.audit_case(&case, plan)?);
        }
        Ok(lines)
    }
}

/// The claim of an outcome, and the same in other units. A method with a δ may find that it needs none and claim a pure ε
/// instead: the stronger claim is audited. An outcome has a claim only if its noise is real. A synopsis file has its own.
fn claims(make: &Make, case: &Case) -> Result<(Claim, Vec<Claim>), RunFailure> {
    let system = make()?;
    let claim = system.claim();
    if matches!(claim.loss, Loss::Pure(_)) && !case.file_only {
        return Ok((claim, Vec::new()));
    }
    let allowance = Allowance::without_ledger(claim.clone());
    let outcome = system.run(&scan_of(case.dims, &[]), allowance, &mut OsNoise::new()?)?;
    if case.file_only {
        let synopsis = outcome.synopsis.and_then(|synopsis| synopsis.guarantee.claim().cloned());
        let claim = synopsis.ok_or_else(|| RunFailure::Other("the synopsis has no guarantee".into()))?;
        return Ok((claim, Vec::new()));
    }
    Ok((outcome.guarantee.claim().cloned().unwrap_or(claim), outcome.also))
}

/// From this share of the claim on a test has power. Between one half and this, a mechanism with twice the claimed loss can
/// look the same: with halved noise, a refined tree in 16 columns shows 73 % of its claim.
pub const POWERFUL: f64 = 0.9;

/// How much of the claimed loss the runs showed, unless that is nearly all of it.
pub(super) fn seen(finding: &Finding) -> String {
    let parts =
        finding.curve.iter().filter_map(|point| point.allowed.map(|allowed| point.at_least / allowed.max(1e-12)));
    let part = parts.fold(0.0, f64::max);
    if part >= POWERFUL {
        return String::new();
    }
    let exact = "The group `exact` checks each noise of this method by itself.";
    format!("{} whole runs show {:.0} % of the claimed loss: little power. {exact}", 2 * finding.runs, 100.0 * part)
}

/// A maker of systems that is the same on every thread.
pub(super) fn maker<F>(make: F) -> Make
where
    F: Fn() -> Result<Box<dyn shoal_curator::System>, shoal_curator::FitError> + Send + Sync + 'static,
{
    Arc::new(make)
}
