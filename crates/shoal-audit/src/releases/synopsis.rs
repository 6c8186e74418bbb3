//! The synopsis file against its own claim.
//!
//! A synopsis is released after some of a run's steps and claims what those steps cost. So the file must follow from the
//! outputs of these steps alone: two runs that release the same in them and something else afterwards must write the same
//! bytes.

use shoal_curator::internals::{Script, WitnessedNoise};
use shoal_curator::synopsis_file::SynopsisFile;
use shoal_curator::{Outcome, System};
use shoal_privacy::{Allowance, Loss, MethodInfo};
use shoal_scan::Scan;

use super::Tally;
use super::tables::bounds_of_lattice;
use crate::runs::RunFailure;

/// Checks the file of one run against `times` others that differ after it; false when the run released no synopsis or claims the whole run for it.
///
/// # Errors
/// When a run fails.
pub fn check(
    info: &MethodInfo,
    system: &dyn System,
    scan: &dyn Scan,
    (seed, times): (u64, u64),
    tally: &mut Tally,
) -> Result<bool, RunFailure> {
    let (first, charges, script) = run(system, scan, seed, seed, None)?;
    let Some(claimed) = first.synopsis.as_ref().map(|synopsis| synopsis.charged.clone()) else { return Ok(false) };
    // How many of the first releases cost exactly what the file claims.
    let mut sum = Loss::NONE;
    let mut steps = None;
    for (number, charge) in charges.iter().enumerate() {
        sum = sum.then(charge).map_err(|error| RunFailure::Other(error.to_string()))?;
        if sum == claimed {
            steps = Some(number + 1);
        }
    }
    let Some(steps) = steps else {
        // With a δ the file claims all that the run was allowed.
        if !matches!(claimed, Loss::Approximate { .. }) {
            tally.fault(format!("no number of releases costs the {} that the synopsis claims", claimed.symbols()));
        }
        return Ok(false);
    };
    if steps == charges.len() {
        return Ok(false);
    }
    let file = bytes(info, first, scan.dims())?;
    for draws in 1..=times {
        let (other, ..) = run(system, scan, seed, seed.wrapping_add(draws), Some(&script.first(steps)))?;
        tally.compared += 1;
        if bytes(info, other, scan.dims())? != file {
            tally
                .fault(format!("the synopsis file depends on releases after the {} that it claims", claimed.symbols()));
        }
    }
    Ok(true)
}

fn run(
    system: &dyn System,
    scan: &dyn Scan,
    common: u64,
    draws: u64,
    script: Option<&Script>,
) -> Result<(Outcome, Vec<Loss>, Script), RunFailure> {
    let mut noise = WitnessedNoise::replaying(common, draws, script.cloned().unwrap_or_default());
    let outcome = system.run(scan, Allowance::without_ledger(system.claim()), &mut noise)?;
    let (steps, script, _) = noise.finish();
    Ok((outcome, steps.into_iter().map(|step| step.charge).collect(), script))
}

fn bytes(info: &MethodInfo, outcome: Outcome, dims: usize) -> Result<Vec<u8>, RunFailure> {
    let failed = |why: String| RunFailure::Other(why);
    let file = SynopsisFile::of(outcome, &bounds_of_lattice(dims)?, info.name, info.published())
        .ok_or_else(|| failed("a run released a synopsis once and not again".into()))?;
    let mut bytes = Vec::new();
    file.write(&mut bytes).map_err(|error| failed(error.to_string()))?;
    Ok(bytes)
}
