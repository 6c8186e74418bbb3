//! `shoal plan`

use serde_json::{Value, json};
use shoal::{CrowdPlan, Error, Needed, Plan, PlanCrowd, PlanTarget, Planned, Targeted};
use shoal_curator::Accuracy;
use shoal_files::BoundsSpec;

use crate::arguments::plan::PlanArgs;
use crate::arguments::{Format, Shown};
use crate::failure::{Failure, with_flags};
use crate::library::failed;
use crate::show::output::{self, Table};

/// Shows what to expect of a fit, or what an accuracy needs. Reads nothing.
pub fn run(args: &PlanArgs, shown: &Shown) -> Result<(), Failure> {
    let dims = dims(args.dims, args.bounds.as_deref())?;
    if args.crowd {
        let plan = crowd(args, dims).map_err(failed)?;
        return match shown.format {
            Format::Json => output::json(&crowd_json(&plan)),
            Format::Table => output::print(&output::wrapped(&format!("{}\n", with_flags(&plan)))),
        };
    }
    if let Some(target) = &args.target {
        let found = targeted(args, dims, target).map_err(failed)?;
        return match shown.format {
            Format::Json => output::json(&target_json(&found, args)),
            Format::Table => output::print(&output::wrapped(&with_flags(&found))),
        };
    }
    let plan = planned(args, dims).map_err(failed)?;
    match shown.format {
        Format::Json => output::json(&plan_json(&plan)),
        Format::Table => output::print(&output::wrapped(&plan_text(&plan, args))),
    }
}

/// The number of columns: given, or those that have bounds.
pub(crate) fn dims(dims: Option<usize>, bounds: Option<&str>) -> Result<usize, Failure> {
    match (dims, bounds) {
        (Some(dims), _) => Ok(dims),
        (None, Some(bounds)) => match BoundsSpec::parse(bounds) {
            Ok(BoundsSpec::Named(pairs)) => Ok(pairs.len()),
            Ok(BoundsSpec::All(_)) => Err(Failure::usage(
                "bounds for all columns do not show how many there are; add --dims, or name the columns: --bounds age=0:110,visits=0:50",
            )),
            Err(error) => Err(failed(Error::BoundsText(error))),
        },
        // The command line requires categories then, which are counted by themselves.
        (None, None) => Ok(0),
    }
}

/// Applies every option that was given to a builder.
macro_rules! with_options {
    ($builder:expr, $args:expr) => {{
        let mut builder = $builder.delta(&$args.delta)?;
        if let Some(bounds) = &$args.bounds {
            builder = builder.bounds(bounds)?;
        }
        if let Some(scale) = &$args.scale {
            builder = builder.scale(scale)?;
        }
        if let Some(weight) = &$args.weight {
            builder = builder.weight(weight)?;
        }
        if let Some(categories) = &$args.categories {
            builder = builder.categories(categories)?;
        }
        if let Some(share) = $args.spread {
            builder = builder.spread(share)?;
        }
        if let Some(share) = $args.overlap {
            builder = builder.overlap(share)?;
        }
        if let Some(share) = $args.smallest {
            builder = builder.smallest(share)?;
        }
        builder
    }};
}

fn planned(args: &PlanArgs, dims: usize) -> Result<Planned, Error> {
    // Unwrap safety: the command line requires both where there is no target.
    let (rows, epsilon) = (args.rows.unwrap(), args.epsilon.clone().unwrap());
    let mut plan = with_options!(Plan::new(rows, dims, args.k, &epsilon)?, args);
    if let Some(way) = &args.per_person {
        plan = plan.per_person(&way.to_string())?;
    }
    plan.run()
}

fn crowd(args: &PlanArgs, dims: usize) -> Result<CrowdPlan, Error> {
    // Unwrap safety: the command line requires it where there is no target.
    let epsilon = args.epsilon.clone().unwrap();
    let mut plan = PlanCrowd::new(dims, args.k, &epsilon)?;
    if let Some(share) = args.spread {
        plan = plan.spread(share)?;
    }
    plan.run()
}

fn crowd_json(plan: &CrowdPlan) -> Value {
    json!({
        "dims": plan.dims,
        "k": plan.k,
        "epsilon": plan.epsilon,
        "mechanism": plan.mechanism,
        "guarantee": plan.guarantee,
        "information_per_report": plan.information,
        "spread": plan.spread,
        "simulated": plan.cells,
        "needed": plan.needed,
    })
}

fn targeted(args: &PlanArgs, dims: usize, target: &str) -> Result<Targeted, Error> {
    let mut builder = with_options!(PlanTarget::new(dims, args.k, target)?, args);
    if let Some(rows) = args.rows {
        builder = builder.rows(rows)?;
    }
    if let Some(epsilon) = &args.epsilon {
        builder = builder.epsilon(epsilon)?;
    }
    builder.run()
}

fn plan_text(plan: &Planned, args: &PlanArgs) -> String {
    let mut text = with_flags(plan);
    let why = plan.decisions.iter().map(with_flags).collect::<Vec<_>>().join(" ");
    if !args.all_methods {
        text.push_str(&format!(
            "\nRecommended: the default method auto. Here it takes the route {}; --all-methods shows why, and all others.\n",
            plan.route.name()
        ));
        return text;
    }
    text.push_str("\nAll methods, the best first (→ is the route of auto):\n\n");
    let mut table = Table::new(&["", "method", "NICV", "why"]);
    for found in &plan.predictions {
        let mark = if found.method == plan.route.name() { "→" } else { "" };
        let nicv = if found.nicv.is_finite() { format!("{:.3}", found.nicv) } else { "–".into() };
        table.row([mark, found.method, &nicv, &found.why]);
    }
    text.push_str(&table.to_string());
    text.push_str(&format!("\n→ {why}\n"));
    text.push_str(
        "\nNICV is the mean squared distance of a row from its centre, each column scaled to [-1, 1], for a table of which nothing is known. These numbers rank the methods. How large the NICV of a table is depends on its data.\n",
    );
    text
}

fn plan_json(plan: &Planned) -> Value {
    let why = plan.decisions.iter().map(with_flags).collect::<Vec<_>>().join(" ");
    let mut planned = json!({
        "rows": plan.rows,
        "dims": plan.dims,
        "k": plan.k,
        "k_asked": plan.asked.to_string(),
        "epsilon": plan.epsilon,
        "delta": plan.delta,
        "expected": accuracy_json(&plan.accuracy),
        "columns": plan.columns,
        "assumed": plan.guess,
        "auto": { "route": plan.route.name(), "why": why, "decisions": plan.decisions },
        "predictions": plan.predictions,
    });
    if plan.levels > 0 {
        planned["levels"] = plan.levels.into();
    }
    planned
}

fn accuracy_json(accuracy: &Accuracy) -> Value {
    json!({
        "verdict": accuracy.verdict(),
        "found": accuracy.found,
        "centre": { "typical": accuracy.centre, "plus_minus": accuracy.centre_plus_minus() },
        "size": accuracy.size.map(|typical| json!({ "typical": typical, "plus_minus": accuracy.size_plus_minus() })),
        "nicv_ratio": accuracy.nicv_ratio,
    })
}

fn needed_json<T: serde::Serialize>(needed: &Needed<T>) -> Value {
    let met = match needed {
        Needed::AtLeast(_) => "at-least",
        Needed::Any(_) => "any",
        _ => "more-than",
    };
    json!({ "answer": met, "value": needed.value() })
}

fn target_json(found: &Targeted, args: &PlanArgs) -> Value {
    json!({
        "target": found.wanted,
        "dims": found.dims,
        "k": found.k,
        "k_asked": args.k.to_string(),
        "rows": found.rows_given,
        "epsilon": found.epsilon_given,
        "delta": args.delta,
        "epsilon_needed": found.epsilon.as_ref().map(needed_json),
        "rows_needed": found.rows.iter().map(|(epsilon, needed)| {
            json!({ "epsilon": epsilon, "rows": needed_json(needed) })
        }).collect::<Vec<_>>(),
        "table": found.around.iter().map(|cell| {
            json!({ "rows": cell.rows, "epsilon": cell.epsilon, "met": cell.met, "expected": accuracy_json(&cell.accuracy) })
        }).collect::<Vec<_>>(),
        "assumed": found.guess,
    })
}
