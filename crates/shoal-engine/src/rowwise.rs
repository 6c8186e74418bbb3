//! Queries that work row by row: each row of the table gives one row of the result or none, whatever the other rows are.
//!
//! A guarantee is about one more or one less row. It carries over from the result of a query to its table when a row of
//! the table can change one row of the result. `SELECT` with expressions and `WHERE` keep that; an aggregate, a window, a
//! limit, a join, `DISTINCT` and a subquery do not, or not for certain. Functions that give something else each time they
//! are asked are refused, too: a fit asks many times, about the same rows.
//!
//! The plan is compared with what is allowed, not with what is forbidden, so a kind of plan that is unknown here is
//! refused.

use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::logical_expr::{Expr, LogicalPlan, Volatility};

use crate::EngineError;

/// Refuses a plan that does not work row by row.
pub fn check(plan: &LogicalPlan) -> Result<(), EngineError> {
    let mut found = None;
    let walked = plan.apply(|node| {
        found = forbidden(node);
        if found.is_none() {
            node.apply_expressions(|expression| {
                expression.apply(|part| {
                    found = found.take().or_else(|| forbidden_expression(part));
                    Ok(if found.is_some() { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
                })
            })?;
        }
        Ok(if found.is_some() { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
    });
    match (found, walked) {
        (Some(what), _) => Err(EngineError::NotRowByRow { what }),
        (None, Err(error)) => Err(EngineError::Query { why: crate::error::planning(&error) }),
        (None, Ok(_)) => Ok(()),
    }
}

/// What a plan has that does not work row by row.
fn forbidden(plan: &LogicalPlan) -> Option<String> {
    let what = match plan {
        LogicalPlan::Projection(_) | LogicalPlan::Filter(_) | LogicalPlan::SubqueryAlias(_) => return None,
        LogicalPlan::TableScan(scan) if scan.fetch.is_none() => return None,
        // Order alone changes no row; with a limit in it, it chooses some.
        LogicalPlan::Sort(sort) if sort.fetch.is_none() => return None,
        LogicalPlan::Aggregate(_) => "an aggregate (GROUP BY, sum, count …)",
        LogicalPlan::Distinct(_) => "DISTINCT",
        LogicalPlan::Limit(_) | LogicalPlan::TableScan(_) | LogicalPlan::Sort(_) => "a limit",
        LogicalPlan::Window(_) => "a window function (OVER)",
        LogicalPlan::Join(_) => "a join",
        LogicalPlan::Union(_) => "a union, in which a row may count twice",
        LogicalPlan::Unnest(_) => "unnest, which makes several rows of one",
        LogicalPlan::RecursiveQuery(_) => "a recursive query",
        LogicalPlan::Subquery(_) => "a subquery",
        LogicalPlan::Values(_) | LogicalPlan::EmptyRelation(_) => "rows of its own instead of a table's",
        LogicalPlan::Ddl(_) | LogicalPlan::Dml(_) | LogicalPlan::Copy(_) | LogicalPlan::Statement(_) => {
            "a statement that changes something"
        }
        _ => "a part that is not known to work row by row",
    };
    Some(what.into())
}

/// The same of a part of an expression.
fn forbidden_expression(expression: &Expr) -> Option<String> {
    match expression {
        Expr::ScalarSubquery(_) | Expr::Exists(_) | Expr::InSubquery(_) | Expr::OuterReferenceColumn(..) => {
            Some("a subquery".into())
        }
        Expr::AggregateFunction(_) => Some("an aggregate (GROUP BY, sum, count …)".into()),
        Expr::WindowFunction(_) => Some("a window function (OVER)".into()),
        Expr::Unnest(_) => Some("unnest, which makes several rows of one".into()),
        Expr::ScalarFunction(call) if call.func.signature().volatility != Volatility::Immutable => {
            Some(format!("the function {}, which may answer something else each time it is asked", call.func.name()))
        }
        _ => None,
    }
}
