//! `shoal plan`

use serde_json::json;
use shoal::{Plan, Planned};
use shoal_curator::Route;
use shoal_page::text::plural;

use crate::arguments::plan::PlanArgs;
use crate::arguments::{Format, Shown};
use crate::failure::{Failure, with_flags};
use crate::library::failed;
use crate::show::output::{self, Table};

/// Shows what to expect of every method. Reads nothing.
pub fn run(args: &PlanArgs, shown: &Shown) -> Result<(), Failure> {
    let plan = Plan::new(args.rows, args.dims, args.k, &args.epsilon).and_then(|plan| plan.delta(&args.delta));
    let plan = plan.and_then(|plan| plan.run()).map_err(failed)?;
    let Planned { route, decisions, predictions: predicted, .. } = plan;
    let why = decisions.iter().map(with_flags).collect::<Vec<_>>().join(" ");
    if shown.format == Format::Json {
        return output::json(&json!({
            "rows": args.rows,
            "dims": args.dims,
            "k": args.k,
            "epsilon": args.epsilon,
            "delta": args.delta,
            "auto": { "route": route.name(), "why": why, "decisions": decisions },
            "predictions": predicted,
        }));
    }
    let delta = if args.delta.amount().is_zero() { String::new() } else { format!(", δ = {}", args.delta) };
    let mut text = format!(
        "To expect of {} by {} from about {}, for ε = {}{delta}. Nothing is read and nothing is spent.\n\n",
        plural(args.k, "cluster"),
        plural(args.dims, "column"),
        plural(args.rows as usize, "row"),
        args.epsilon
    );
    let mut table = Table::new(&["", "method", "NICV", "why"]);
    for found in &predicted {
        let mark = if found.method == route.name() { "→" } else { "" };
        table.row([
            mark,
            found.method,
            &if found.nicv.is_finite() { format!("{:.3}", found.nicv) } else { "–".into() },
            &found.why,
        ]);
    }
    text.push_str(&table.to_string());
    text.push_str(&format!("\n→ {why}\n"));
    text.push_str(warning(route));
    text.push_str(
        "\nNICV is the mean squared distance of a row from its centre, each column scaled to [-1, 1]. These numbers rank the methods; how good a result is depends on the data, too.\n",
    );
    output::print(&output::wrapped(&text))
}

/// What the user should know before a budget goes into so little.
fn warning(route: Route) -> &'static str {
    match route {
        Route::Mean => {
            "WARNING: this budget cannot tell clusters apart: one centre will come back. Use more rows, fewer columns, or a larger ε.\n"
        }
        Route::Directions => {
            "WARNING: this budget tells clusters apart at best roughly: fewer centres may come back than asked for. Use more rows, fewer columns, or a larger ε.\n"
        }
        Route::Grid | Route::RefinedTree => "",
    }
}
