//! `shoal consortium plan`: which way to cluster the tables of several custodians. Reads no data.

use shoal::Error;
use shoal::consortium::{Plan, PlannedConsortium};

use crate::arguments::consortium::plan::ConsortiumPlanArgs;
use crate::arguments::{Format, Shown};
use crate::commands::plan::dims;
use crate::failure::Failure;
use crate::library::failed;
use crate::show::consortium::plan::text;
use crate::show::output;

/// Compares the ways.
pub fn run(args: &ConsortiumPlanArgs, shown: &Shown) -> Result<(), Failure> {
    let dims = dims(args.dims, args.bounds.as_deref())?;
    let planned = planned(args, dims).map_err(failed)?;
    match shown.format {
        Format::Json => output::json(&planned),
        Format::Table => output::print(&output::wrapped(&text(&planned))),
    }
}

fn planned(args: &ConsortiumPlanArgs, dims: usize) -> Result<PlannedConsortium, Error> {
    let mut plan = Plan::new(args.rows, args.custodians, dims, args.k, &args.epsilon)?.delta(&args.delta)?;
    if let Some(bounds) = &args.bounds {
        plan = plan.bounds(bounds)?;
    }
    if let Some(share) = args.spread {
        plan = plan.spread(share)?;
    }
    if let Some(share) = args.overlap {
        plan = plan.overlap(share)?;
    }
    if let Some(share) = args.smallest {
        plan = plan.smallest(share)?;
    }
    plan.run()
}
