//! From a method's name and options to the system that runs.

use shoal::curator::{
    DesignSize, DpLloyd, DpLloydParams, Eugkm, EugkmParams, GridRule, Hybrid, HybridParams, Kccm, KccmParams,
    MethodInfo, Shares, Start, SynopsisKMeans, System,
};

use crate::arguments::FitArgs;
use crate::failure::Failure;

/// The system for a table of `dims` attributes, designed for `rows` rows if anyone may know them.
pub fn build(method: &MethodInfo, args: &FitArgs, rows: Option<u64>, dims: usize) -> Result<Box<dyn System>, Failure> {
    let kccm =
        |n, shares| -> Result<Box<dyn System>, Failure> { Ok(Box::new(Kccm::new(kccm(args, n, shares), dims)?)) };
    Ok(match method.name {
        "dplloyd" => Box::new(DpLloyd::new(dplloyd(args, Start::Uniform), dims)?),
        "dplloyd-impr" => Box::new(DpLloyd::new(dplloyd(args, Start::SpherePacking), dims)?),
        "eugkm" => Box::new(Eugkm::new(eugkm(args, rows), dims)?),
        "hybrid" => Box::new(Hybrid::new(hybrid(args, rows), dims)?),
        "kccm" | "allocation-nk" => kccm(3, Shares::Growing)?,
        "average-nk" => kccm(3, Shares::Equal)?,
        "allocation-k" => kccm(1, Shares::Growing)?,
        "average-k" => kccm(1, Shares::Equal)?,
        other => return Err(Failure::usage(format!("the method {other} cannot be run by this command"))),
    })
}

fn dplloyd(args: &FitArgs, start: Start) -> DpLloydParams {
    let params = DpLloydParams::new(args.k, args.epsilon.clone());
    DpLloydParams { iterations: args.knobs.iterations.unwrap_or(params.iterations), start, ..params }
}

fn design_size(args: &FitArgs, rows: Option<u64>) -> DesignSize {
    match (rows, &args.knobs.count_share) {
        (Some(rows), _) => DesignSize::Public(rows),
        (None, Some(share)) => DesignSize::Bought { share: share.clone() },
        (None, None) => DesignSize::bought(),
    }
}

fn eugkm(args: &FitArgs, rows: Option<u64>) -> EugkmParams {
    let knobs = &args.knobs;
    let params = EugkmParams::new(args.k, args.epsilon.clone(), design_size(args, rows));
    let grid = GridRule {
        theta: knobs.theta.unwrap_or(params.grid.theta),
        most_cells: knobs.max_cells.map_or(params.grid.most_cells, |most| most as usize),
    };
    let kmeans = SynopsisKMeans {
        inits: knobs.inits.map_or(params.kmeans.inits, |inits| inits as usize),
        rounds: knobs.iterations.map_or(params.kmeans.rounds, |rounds| rounds as usize),
        ..params.kmeans
    };
    EugkmParams { grid, kmeans, ..params }
}

fn hybrid(args: &FitArgs, rows: Option<u64>) -> HybridParams {
    let params = HybridParams::new(eugkm(args, rows));
    HybridParams {
        rho: args.knobs.rho.unwrap_or(params.rho),
        synopsis_share: args.knobs.synopsis_share.clone().unwrap_or(params.synopsis_share),
        ..params
    }
}

fn kccm(args: &FitArgs, n: usize, shares: Shares) -> KccmParams {
    let params = KccmParams::new(args.k, args.epsilon.clone());
    KccmParams {
        n: args.knobs.n.map_or(n, |n| n as usize),
        iterations: args.knobs.iterations.unwrap_or(params.iterations),
        shares: args.knobs.shares.clone().map_or(shares, Shares::Given),
        ..params
    }
}
