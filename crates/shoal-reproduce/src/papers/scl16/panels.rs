//! Panels of NICV against ε, one for each data set.

use std::collections::BTreeMap;

use super::tables::{EPSILONS, Table, Tables};
use crate::chart::{Axis, Body, Lines, Panel, Point, Series, Style};
use crate::data::by_name;
use crate::measure::tally::Tally;
use crate::statistics::Summary;
use crate::{Failure, Info, Results, printed};

/// A method and its name on plots.
#[derive(Clone, Copy)]
pub struct Curve {
    /// The library's name.
    pub method: &'static str,
    /// The paper's name.
    pub name: &'static str,
}

/// What was measured, for judging.
pub struct Read<'a> {
    /// The data sets.
    pub tables: &'a Tables,
    /// Their runs.
    pub results: &'a Results,
}

impl Read<'_> {
    /// Nothing where a first look has left the point out.
    pub fn at(&self, table: &Table, curve: Curve, epsilon: &str) -> Option<Summary> {
        self.results.summary(&table.key(curve.method, epsilon), "nicv").ok()
    }

    /// One curve against another, on the data sets of these names and at the budgets that are wanted.
    pub fn tally(&self, names: &[&str], first: Curve, second: Curve, wanted: impl Fn(&Table, f64) -> bool) -> Tally {
        self.best(names, first, &[second], wanted)
    }

    /// One curve against several at once, where all of them have a point.
    pub fn best(&self, names: &[&str], first: Curve, rivals: &[Curve], wanted: impl Fn(&Table, f64) -> bool) -> Tally {
        let mut tally = Tally::default();
        for table in self.tables.named(names) {
            let chosen = |epsilon: &&&str| epsilon.parse().is_ok_and(|epsilon| wanted(table, epsilon));
            for epsilon in EPSILONS.iter().filter(chosen) {
                let rivals: Option<Vec<Summary>> = rivals.iter().map(|rival| self.at(table, *rival, epsilon)).collect();
                if let (Some(first), Some(rivals)) = (self.at(table, first, epsilon), rivals) {
                    tally.add_against(format!("{} ε = {epsilon}", table.data.title()), &first, &rivals);
                }
            }
        }
        tally
    }

    /// Those of the named data sets on which these curves have no point together.
    pub fn untried(&self, names: &[&'static str], curves: &[Curve]) -> Vec<&'static str> {
        let together =
            |table: &Table, epsilon: &str| curves.iter().all(|curve| self.at(table, *curve, epsilon).is_some());
        let tried = |name: &str| {
            self.tables.get(name).is_some_and(|table| EPSILONS.iter().any(|epsilon| together(table, epsilon)))
        };
        let title = |name: &&'static str| by_name(name).map_or(*name, |set| set.title);
        names.iter().filter(|name| !tried(name)).map(title).collect()
    }
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
            let summary = results.summary(&table.key(curve.method, epsilon), "nicv").ok()?;
            Some(Point::mean(epsilon.parse().ok()?, &summary))
        };
        let points: Vec<Point> = EPSILONS.iter().filter_map(point).collect();
        if points.is_empty() {
            continue;
        }
        series.push(Series { name: curve.name.into(), style: Style::Marked, points });
    }
    let best = results.summary(&table.baseline_key(), "nicv")?.mean;
    let points = [EPSILONS[0], EPSILONS[EPSILONS.len() - 1]].map(|epsilon| Ok(Point::exact(epsilon.parse()?, best)));
    let points = points.into_iter().collect::<Result<_, Failure>>()?;
    series.push(Series { name: "baseline, not private".into(), style: Style::Dashed, points });
    for (name, points) in told(info, table)? {
        series.push(Series { name: name.into(), style: Style::Printed, points });
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

/// The values that the paper prints for this data set and those of its authors' repository, each under its source.
fn told(info: &Info, table: &Table) -> Result<BTreeMap<&'static str, Vec<Point>>, Failure> {
    let mut points: BTreeMap<_, Vec<Point>> = BTreeMap::new();
    for value in printed::all()?.iter().filter(|value| value.figure == info.id && value.measure == "nicv") {
        let own = value.cell.get("data").is_some_and(|data| data == table.name());
        if let (true, Some(epsilon)) = (own, value.cell.get("epsilon").and_then(|epsilon| epsilon.parse().ok())) {
            let in_paper = !value.source.contains("repository");
            let name = if in_paper { "printed in the paper" } else { "in the authors' repository" };
            points.entry(name).or_default().push(Point::exact(epsilon, value.number()?));
        }
    }
    Ok(points)
}
