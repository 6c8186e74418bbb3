//! Panels of NICV against ε, one for each data set.

use super::tables::{EPSILONS, Table, Tables};
use crate::chart::{Axis, Body, Lines, Panel, Point, Series, Style};
use crate::{Failure, Info, Results, printed};

/// A method and its name on plots.
#[derive(Clone, Copy)]
pub struct Curve {
    /// The library's name.
    pub method: &'static str,
    /// The paper's name.
    pub name: &'static str,
}

/// Where labels stand on the axis of ε.
const TICKS: [f64; 6] = [0.05, 0.1, 0.2, 0.5, 1.0, 2.0];

/// A panel for each data set, with the baseline and the values that the paper prints.
pub fn epsilon_panels(
    info: &Info,
    tables: &Tables,
    curves: &[Curve],
    results: &Results,
) -> Result<Vec<Panel>, Failure> {
    tables.there.iter().map(|table| panel(info, table, curves, results)).collect()
}

fn panel(info: &Info, table: &Table, curves: &[Curve], results: &Results) -> Result<Panel, Failure> {
    let mut series = Vec::new();
    for curve in curves {
        let point = |epsilon: &&str| {
            Ok(Point::mean(epsilon.parse()?, &results.summary(&table.key(curve.method, epsilon), "nicv")?))
        };
        let points = EPSILONS.iter().map(point).collect::<Result<_, Failure>>()?;
        series.push(Series { name: curve.name.into(), style: Style::Marked, points });
    }
    let best = results.summary(&table.baseline_key(), "nicv")?.mean;
    let points = [EPSILONS[0], EPSILONS[EPSILONS.len() - 1]].map(|epsilon| Ok(Point::exact(epsilon.parse()?, best)));
    let points = points.into_iter().collect::<Result<_, Failure>>()?;
    series.push(Series { name: "baseline, not private".into(), style: Style::Dashed, points });
    let told = told(info, table)?;
    if !told.is_empty() {
        series.push(Series { name: "printed in the paper".into(), style: Style::Printed, points: told });
    }
    Ok(Panel {
        title: format!("{}, k = {}", table.data.title(), table.k),
        note: table.data.note(),
        body: Body::Lines(Lines {
            x: Axis::log("privacy budget ε").ticks(&TICKS),
            y: Axis::log("NICV (squared box units)"),
            series,
        }),
    })
}

/// The values that the paper prints for this data set.
fn told(info: &Info, table: &Table) -> Result<Vec<Point>, Failure> {
    let mut points = Vec::new();
    for value in printed::all()?.iter().filter(|value| value.figure == info.id && value.measure == "nicv") {
        let own = value.cell.get("data").is_some_and(|data| data == table.name());
        if let (true, Some(epsilon)) = (own, value.cell.get("epsilon").and_then(|epsilon| epsilon.parse().ok())) {
            points.push(Point::exact(epsilon, value.number()?));
        }
    }
    Ok(points)
}
