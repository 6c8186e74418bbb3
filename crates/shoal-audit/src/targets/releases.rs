//! Targets: every release against its charge, exactly ([`crate::releases`]). Each has a second line, on which one noise after
//! the other is halved: all of these mutants must be caught.

use std::time::Instant;

use rayon::prelude::*;
use shoal_curator::{Method, methods};

use super::curator::for_releases;
use crate::releases::Tally;
use crate::releases::mechanisms::{MECHANISMS, Tried, tried};
use crate::releases::methods::{Setting, private_bounds};
use crate::releases::tables::Engine;
use crate::runs::RunFailure;
use crate::{Effort, Expected, Line, Measure, Plan, Target, TargetInfo};

/// The group of these targets.
const GROUP: &str = "exact";

/// What every one of them claims.
const CLAIM: &str = "no release loses more than it is charged, add or remove one row";

/// Trials of each mechanism, quick and in full.
const TRIALS: [usize; 2] = [24, 240];

/// Numbers of columns on which methods are tried, quick and in full.
const DIMS: [&[usize]; 2] = [&[2, 16, 64], &[1, 2, 3, 10, 16, 33, 64, 130]];

/// The same for methods that choose among all positions of each column, or of each centre's coordinate.
const FEW_DIMS: [&[usize]; 2] = [&[1, 2], &[1, 2, 5, 16]];

/// All of them.
#[must_use]
pub fn targets() -> Vec<Box<dyn Target>> {
    let mechanisms = MECHANISMS.iter().map(|tried| Box::new(MechanismReleases(tried)) as Box<dyn Target>);
    let others = [Box::new(MethodReleases) as Box<dyn Target>, Box::new(BoundsReleases)];
    mechanisms.chain(others).collect()
}

fn of<T>(plan: &Plan<'_>, quick_and_full: [T; 2]) -> T {
    let [quick, full] = quick_and_full;
    if plan.effort == Effort::Quick { quick } else { full }
}

fn seed(plan: &Plan<'_>, part: &str) -> Result<u64, RunFailure> {
    Ok(plan.randomness.for_part(part).stream(0)?.next_u64())
}

/// The line of what was found, and that of the mutants.
fn lines(name: &str, setting: &str, tally: &Tally, started: Instant) -> Vec<Line> {
    let honest = Measure::Releases {
        worst: tally.worst,
        at: tally.at.clone(),
        compared: tally.compared,
        faults: tally.faults.clone(),
    };
    let (weakest, which) = tally.weakest_mutant().unwrap_or((0.0, "none"));
    let mutants = Measure::Releases {
        worst: weakest,
        at: format!("the mutant closest to passing: {which}"),
        compared: tally.mutants(),
        faults: Vec::new(),
    };
    let halved = format!("{setting}, each noise halved in turn");
    let by_a_row = format!(
        "{} of {} mutants exceed their charge with a row of the tables tried; the others only with the largest change \
         that their query allows.",
        tally.shown_by_a_row(),
        tally.mutants()
    );
    let missed = tally.missed();
    let remark = match &missed[..] {
        [] => by_a_row,
        missed => format!("Not caught: {}. {by_a_row}", missed[..missed.len().min(12)].join("; ")),
    };
    let reached =
        format!("Rows of the tables tried reach {} of the charge.", crate::allowed::short_down(tally.by_a_row));
    let seconds = started.elapsed().as_secs_f64();
    let mut lines = vec![
        Line::new(name, setting, CLAIM, Expected::Kept, honest).with_remark(reached),
        Line::new(name, halved, CLAIM, Expected::Broken, mutants).with_remark(remark),
    ];
    lines.iter_mut().for_each(|line| line.seconds = seconds / 2.0);
    lines
}

/// One mechanism.
struct MechanismReleases(&'static Tried);

impl Target for MechanismReleases {
    fn info(&self) -> TargetInfo {
        TargetInfo {
            name: self.0.name,
            group: GROUP,
            what: "a mechanism against its charge, up to 200 columns; nothing is drawn",
        }
    }

    fn work(&self, _: &Plan<'_>) -> usize {
        0
    }

    fn audit(&self, plan: &Plan<'_>) -> Result<Vec<Line>, RunFailure> {
        let started = Instant::now();
        let trials = of(plan, TRIALS);
        let tally = tried(self.0, trials, seed(plan, self.0.name)?)?;
        let setting = format!("d = 1 to 200, {trials} sets of parameters and tables");
        Ok(lines(self.0.name, &setting, &tally, started))
    }
}

/// All methods of the catalogue.
struct MethodReleases;

impl Target for MethodReleases {
    fn info(&self) -> TargetInfo {
        let what = "every release of every curator method against its charge; nothing is drawn";
        TargetInfo { name: "exact-methods", group: GROUP, what }
    }

    fn work(&self, _: &Plan<'_>) -> usize {
        0
    }

    fn audit(&self, plan: &Plan<'_>) -> Result<Vec<Line>, RunFailure> {
        let all: Vec<&'static Method> = methods().collect();
        let lines: Vec<Vec<Line>> =
            all.into_par_iter().map(|method| of_method(method, plan)).collect::<Result<_, _>>()?;
        Ok(lines.concat())
    }
}

/// The two lines of a method.
fn of_method(method: &'static Method, plan: &Plan<'_>) -> Result<Vec<Line>, RunFailure> {
    let started = Instant::now();
    let name = method.info.name;
    let dims = of(plan, if name.starts_with("gkm") { FEW_DIMS } else { DIMS });
    let seed = seed(plan, name)?;
    let mut all = Tally::default();
    for &dims in dims {
        for (number, case) in for_releases(&method.info, dims).into_iter().enumerate() {
            let make = case.make(method, plan)?;
            // Another engine and other rows each time.
            let engine = Engine::ALL[(number + dims) % Engine::ALL.len()];
            let seed = seed.wrapping_add((1000 * number + dims) as u64);
            let mut tally = Setting { method, make: &make, dims, k: case.k, engine, seed }.check()?;
            tally.at = format!("{}; {}", case.words(&method.info, plan), tally.at);
            tally.faults.iter_mut().for_each(|fault| *fault = format!("d = {dims}: {fault}"));
            all.join(tally);
        }
    }
    let columns: Vec<String> = dims.iter().map(usize::to_string).collect();
    Ok(lines(name, &format!("every release, d = {}", columns.join(", ")), &all, started))
}

/// The purchase of bounds.
struct BoundsReleases;

impl Target for BoundsReleases {
    fn info(&self) -> TargetInfo {
        let what =
            "both histograms of bought bounds against their charge, on a table that is read twice; nothing is drawn";
        TargetInfo { name: "exact-private-bounds", group: GROUP, what }
    }

    fn work(&self, _: &Plan<'_>) -> usize {
        0
    }

    fn audit(&self, plan: &Plan<'_>) -> Result<Vec<Line>, RunFailure> {
        let started = Instant::now();
        let (epsilon, seed) = (plan.exact_epsilon(1.0)?, seed(plan, "exact-private-bounds")?);
        let mut all = Tally::default();
        for &dims in of(plan, DIMS) {
            all.join(private_bounds(dims, &epsilon, seed.wrapping_add(dims as u64))?);
        }
        Ok(lines("exact-private-bounds", "every release, read as text", &all, started))
    }
}
