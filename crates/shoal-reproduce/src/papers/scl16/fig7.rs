//! Fig. 7: how long DPLloyd and EUGkM take.

use std::sync::Arc;

use shoal_curator::Knobs;

use super::fig1::{DPLLOYD, EUGKM};
use super::panels::Curve;
use super::tables::{Table, Tables};
use crate::chart::{Axis, Bars, Body, Chart, Panel, Point};
use crate::measure::tally::Tally;
use crate::papers::words::{by_much, short, verdicts};
use crate::{Cell, Drawing, Effort, Failure, Figure, Info, Key, Lab, Paper, Results};

/// The figure.
pub struct Fig7;

const EPSILON: &str = "0.1";

fn key(table: &Table, curve: Curve) -> Key {
    let key = table.data.records.key("scl16-time").with("k", table.k);
    key.with("method", curve.method).with("epsilon", EPSILON)
}

fn cell(effort: Effort, table: &Arc<Table>, curve: Curve) -> Cell {
    let (table, key) = (table.clone(), key(table, curve));
    let cost = super::cost::milliseconds(&table, curve.method, EPSILON);
    Cell::new(key, &["seconds"], effort.pick(100, 15), move |run| {
        let score = table.data.table()?.run(curve.method, table.k, EPSILON, Knobs::default(), &mut run.noise)?;
        Ok(vec![score.seconds])
    })
    .costing(cost)
    .alone()
}

impl Figure for Fig7 {
    fn info(&self) -> Info {
        Info {
            id: "su16-fig7".into(),
            paper: Paper::Scl16,
            label: "Fig. 7".into(),
            title: "Run time of DPLloyd and EUGkM".into(),
            protocol: format!(
                "One run at ε = {EPSILON}: five steps of DPLloyd, or a synopsis with 30 starts of k-means on it. Mean of 100 runs, one \
                 after the other, on all cores of this machine; the paper does not say how its times were averaged."
            ),
            quick: "15 runs instead of 100.".into(),
        }
    }

    fn cells(&self, lab: &Lab) -> Result<Vec<Cell>, Failure> {
        let tables = Tables::find(lab)?.there;
        Ok(tables.iter().flat_map(|table| [DPLLOYD, EUGKM].map(|curve| cell(lab.effort, table, curve))).collect())
    }

    fn draw(&self, lab: &Lab, results: &Results) -> Result<Drawing, Failure> {
        let tables = Tables::find(lab)?;
        let at = |table: &Table, curve| results.summary(&key(table, curve), "seconds");
        let mut tally = Tally::default();
        let mut told = Vec::new();
        for table in &tables.there {
            let (dplloyd, eugkm) = (at(table, DPLLOYD)?, at(table, EUGKM)?);
            tally.add(table.data.title(), &dplloyd, &eugkm);
            let milliseconds = [dplloyd.mean, eugkm.mean].map(|seconds| short(1e3 * seconds)).join(" and ");
            told.push(format!("{} {milliseconds}", table.data.title()));
        }
        let mut series = Vec::new();
        for curve in [DPLLOYD, EUGKM] {
            let bar = |(group, table): (usize, &Arc<Table>)| Ok(Some(Point::mean(group as f64, &at(table, curve)?)));
            let bars = tables.there.iter().enumerate().map(bar).collect::<Result<_, Failure>>()?;
            series.push((curve.name.to_string(), bars));
        }
        let statements = vec![by_much(
            "DPLloyd takes much less time than EUGkM.",
            &tally,
            format!("DPLloyd's time is {}; milliseconds of DPLloyd and EUGkM: {}", tally.with_much(), told.join("; ")),
        )];
        let paragraph = format!(
            "{} DPLloyd's time is {tally}. EUGkM reads the rows once and then works on cells, of which there are few at a small ε and \
             with few rows or attributes: where cells are fewer than rows, thirty starts on cells can cost less than five passes over \
             the rows. Times are of this machine and this program; only their ratios can be compared with the paper's.",
            verdicts(&statements)
        );
        let panel = Panel {
            title: format!("ε = {EPSILON}"),
            note: tables.notes(),
            body: Body::Bars(Bars {
                x: "data set".into(),
                y: Axis::log("time of a run (seconds)"),
                groups: tables.there.iter().map(|table| table.data.title().to_string()).collect(),
                series,
            }),
        };
        Ok(Drawing {
            chart: Chart { panels: vec![panel], columns: 1 },
            statements,
            paragraph,
            caveats: tables.caveats(),
        })
    }
}
