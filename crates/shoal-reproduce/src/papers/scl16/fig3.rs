//! Fig. 3: GkM's error against the size of its blocks, and the two errors it is made of.

use std::sync::Arc;

use shoal_curator::Knobs;

use super::block_means::{Blocked, published_blocks};
use super::tables::{Table, Tables, baseline};
use crate::chart::{Axis, Body, Chart, Lines, Panel, Point, Series, Style};
use crate::measure::tally::Tally;
use crate::papers::words::{by_much, short, verdicts};
use crate::statistics::Summary;
use crate::{Cell, Drawing, Effort, Failure, Figure, Info, Key, Lab, Paper, Results, Statement};

/// The figure.
pub struct Fig3;

/// The budget. The paper's text does not print it.
const EPSILON: &str = "1";

/// Blocks have N to the power of these rows.
const EXPONENTS: [&str; 10] = ["0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1"];

/// That of GUPT, ℓ = N^0.4.
const ADVISED: &str = "0.6";

const SERIES: [(&str, &str, &str); 4] = [
    ("gkm", "nicv", "GkM"),
    ("aggregate", "nicv", "means over blocks, no noise (SAG)"),
    ("aggregate", "nicv within quartiles", "the same, kept within the rows' quartiles (ours)"),
    ("noise", "nicv", "noise on the best centres (Noise)"),
];

/// Rows and k of Table 1, which the block counts there follow from. It prints a formula for the made-up sets: here with the
/// least and the largest k.
const TABLE_1: [(&str, u64, usize); 8] = [
    ("s1", 5_000, 15),
    ("gowalla", 107_091, 5),
    ("tiger", 16_281, 2),
    ("image", 34_112, 3),
    ("adult", 48_841, 5),
    ("lifesci", 26_733, 3),
    ("synthetic", 10_000, 2),
    ("synthetic", 10_000, 10),
];

fn key(table: &Table, part: &str, blocks: u32) -> Key {
    let epsilon = if part == "aggregate" { "" } else { EPSILON };
    let key = table.data.records.key("scl16-blocks").with("k", table.k).with("method", part);
    key.with("blocks", blocks).with("epsilon", epsilon)
}

/// The three cells of a block size.
fn cells(effort: Effort, blocked: &Arc<Blocked>, blocks: u32) -> [Cell; 3] {
    let (table, k) = (&blocked.table, blocked.table.k);
    let cost = 1.0 + table.data.records.values.len() as f64 * k as f64 * 1e-4;
    let key = |part| key(table, part, blocks);
    let gkm = {
        let table = table.clone();
        Cell::new(key("gkm"), &["nicv"], effort.pick(100, 2), move |run| {
            let knobs = Knobs { blocks: Some(blocks), ..Knobs::default() };
            Ok(vec![table.data.table()?.run("gkm", k, EPSILON, knobs, &mut run.noise)?.squared])
        })
    };
    let aggregate = {
        let blocked = blocked.clone();
        Cell::new(key("aggregate"), &["nicv", "nicv within quartiles"], effort.pick(100, 2), move |run| {
            Ok(blocked.aggregate(blocks, &mut run.noise)?.to_vec())
        })
    };
    let noise = {
        let blocked = blocked.clone();
        let epsilon = EPSILON.parse().unwrap_or(1.0);
        Cell::new(key("noise"), &["nicv"], effort.pick(100, 5), move |run| {
            Ok(vec![blocked.noise_on_best(blocks, epsilon, &mut run.noise)?])
        })
    };
    [gkm.costing(cost), aggregate.costing(cost), noise.costing(0.1 * cost)]
}

/// The number of blocks that Table 1 prints.
fn table_1() -> impl Iterator<Item = Cell> {
    TABLE_1.into_iter().flat_map(|(data, rows, k)| {
        ["gkm", "gkm-3k"].into_iter().map(move |method| {
            let key =
                Key::new("scl16-table-1").with("data", data).with("rows", rows).with("k", k).with("method", method);
            Cell::new(key, &["blocks"], 1, move |_| Ok(vec![published_blocks(method, rows, k)])).costing(0.01)
        })
    })
}

impl Figure for Fig3 {
    fn info(&self) -> Info {
        Info {
            id: "su16-fig3".into(),
            paper: Paper::Scl16,
            label: "Fig. 3".into(),
            title: "GkM's error by the size of its blocks".into(),
            protocol: format!(
                "Blocks from about N^0.1 rows to N: GkM, its aggregate without noise (SAG), and the noise of eq. (3) on the best \
                 known centroids (Noise); 100 runs. The text prints neither ε nor the steps: ε = {EPSILON} and steps of 0.1 are ours, \
                 as is the curve kept within quartiles. The noise is that for the whole range. Blocks with fewer rows than clusters are left \
                 out."
            ),
            quick: "2 runs of GkM and the aggregate and 5 of the noise, instead of 100.".into(),
        }
    }

    fn cells(&self, lab: &Lab) -> Result<Vec<Cell>, Failure> {
        let mut all: Vec<Cell> = table_1().collect();
        for table in Tables::find(lab)?.there {
            all.push(baseline(&table));
            let blocked = Arc::new(Blocked::new(table));
            for exponent in EXPONENTS {
                let blocks = blocked.blocks(exponent.parse()?);
                all.extend(blocks.into_iter().flat_map(|blocks| cells(lab.effort, &blocked, blocks)));
            }
        }
        Ok(all)
    }

    fn draw(&self, lab: &Lab, results: &Results) -> Result<Drawing, Failure> {
        let tables = Tables::find(lab)?;
        let mut panels = Vec::new();
        let mut found = Found::default();
        for table in &tables.there {
            let blocked = Blocked::new(table.clone());
            let sizes: Vec<(f64, u32)> = EXPONENTS
                .iter()
                .filter_map(|exponent| exponent.parse().ok())
                .filter_map(|exponent| Some((exponent, blocked.blocks(exponent)?)))
                .collect();
            let at = |part: &str, measure: &str, blocks: u32| results.summary(&key(table, part, blocks), measure);
            let mut series = Vec::new();
            for (part, measure, name) in SERIES {
                let point = |&(exponent, blocks): &(f64, u32)| Ok(Point::mean(exponent, &at(part, measure, blocks)?));
                let points = sizes.iter().map(point).collect::<Result<_, Failure>>()?;
                series.push(Series { name: name.into(), style: Style::Marked, points });
            }
            let best = results.summary(&table.baseline_key(), "nicv")?.mean;
            let ends = [sizes.first(), sizes.last()].into_iter().flatten();
            let points = ends.map(|(exponent, _)| Point::exact(*exponent, best)).collect();
            series.push(Series { name: "baseline, not private".into(), style: Style::Dashed, points });
            if let Some(blocks) = blocked.blocks(ADVISED.parse()?) {
                let read = |part| at(part, "nicv", blocks);
                found.at_advised(table, &read("gkm")?, &read("aggregate")?, &read("noise")?);
            }
            let gkm = sizes.iter().map(|&(exponent, blocks)| Ok((exponent, at("gkm", "nicv", blocks)?)));
            found.least(table, &gkm.collect::<Result<Vec<_>, Failure>>()?);
            // The paper's error falls until blocks are nearly as small as k, so the best size counts.
            let means = sizes.iter().map(|&(_, blocks)| Ok(at("aggregate", "nicv", blocks)?.mean / best));
            let means = means.collect::<Result<Vec<f64>, Failure>>()?;
            if let Some(least) = means.iter().copied().min_by(f64::total_cmp) {
                found.smallest(table, least);
            }
            panels.push(Panel {
                title: format!("{}, k = {}, ε = {EPSILON}", table.data.title(), table.k),
                note: table.data.note(),
                body: Body::Lines(Lines {
                    x: Axis::linear("block size, exponent of N").ticks(&[0.2, 0.4, 0.6, 0.8, 1.0]),
                    y: Axis::log("NICV (squared box units)"),
                    series,
                }),
            });
        }
        let statements = found.statements();
        let paragraph = format!(
            "{} Means over blocks, without noise, have at their best size this many times the NICV of the baseline: {}. The curve kept \
             within the rows' quartiles shows what a range of that kind costs (`--range quartiles`); GkM here finds its range from \
             what the blocks hand in.",
            verdicts(&statements),
            found.smallest.join(", "),
        );
        Ok(Drawing { chart: Chart { panels, columns: 3 }, statements, paragraph, caveats: tables.caveats() })
    }
}

/// What the statements are judged by.
#[derive(Default)]
struct Found {
    dominated: (Tally, Vec<String>),
    smaller: (Tally, Vec<String>),
    tiger: Option<f64>,
    smallest: Vec<String>,
}

impl Found {
    fn at_advised(&mut self, table: &Table, gkm: &Summary, aggregate: &Summary, noise: &Summary) {
        self.dominated.0.add_against(table.data.title(), aggregate, &[*gkm, *noise]);
        let told = [gkm, aggregate, noise].map(|summary| short(summary.mean)).join(", ");
        self.dominated.1.push(format!("{} {told}", table.data.title()));
    }

    /// The best of GkM's smaller blocks against the advised ones, and where its error is least of all.
    fn least(&mut self, table: &Table, curve: &[(f64, Summary)]) {
        let advised: f64 = ADVISED.parse().unwrap_or(1.0);
        let least = |wanted: &dyn Fn(f64) -> bool| {
            let of = curve.iter().filter(|(exponent, _)| wanted(*exponent));
            of.min_by(|a, b| a.1.mean.total_cmp(&b.1.mean))
        };
        let told = |(exponent, nicv): &(f64, Summary)| format!("N^{exponent} ({})", short(nicv.mean));
        let (Some(smaller), Some(own), Some(best)) =
            (least(&|exponent| exponent < advised), least(&|exponent| exponent == advised), least(&|_| true))
        else {
            return;
        };
        self.smaller.0.add(table.data.title(), &smaller.1, &own.1);
        self.smaller.1.push(format!("{} {}, with N^{ADVISED} {}", table.data.title(), told(best), short(own.1.mean)));
    }

    fn smallest(&mut self, table: &Table, ratio: f64) {
        self.smallest.push(format!("{} {}", table.data.title(), short(ratio)));
        if table.name() == "tiger" {
            self.tiger = Some(ratio);
        }
    }

    fn statements(&self) -> Vec<Statement> {
        let (dominated, told) = &self.dominated;
        let (smaller, least) = &self.smaller;
        vec![
            by_much(
                "With ℓ = N^0.4 GkM's error is mostly noise, much higher than that of sampling and aggregating.",
                dominated,
                format!(
                    "the aggregate is {} against both; NICV of GkM, of the aggregate and of the noise: {}",
                    dominated.with_much(),
                    told.join("; ")
                ),
            ),
            by_much(
                "Blocks of N^0.6 rows are far from the best: GkM improves as they become smaller.",
                smaller,
                format!("the best of smaller blocks is {}; best of all are: {}", smaller.with_much(), least.join("; ")),
            ),
            Statement::counted(
                "On TIGER the mean over very small blocks comes very close to the true centroids.",
                usize::from(self.tiger.is_some_and(|ratio| ratio < 1.1)),
                usize::from(self.tiger.is_some()),
                self.tiger.map_or("TIGER is missing".into(), |ratio| {
                    format!("with blocks of the best size its NICV is {} times the baseline's", short(ratio))
                }),
            ),
        ]
    }
}
