//! The made-up data sets of Figs 2 and 6, and the heat maps over k and d.

use std::sync::{Arc, OnceLock};

use shoal_curator::Knobs;
use shoal_noise::SeededNoise;

use super::cost::of_size;
use crate::chart::{Body, HeatMap, Panel, Scale};
use crate::data::gaussians;
use crate::measure::curator::CuratorTable;
use crate::measure::lloyd::PlainTable;
use crate::statistics::Summary;
use crate::{Cell, Effort, Failure, Key, Results};

/// Rows of each set, as in §5.1.
const ROWS: usize = 10_000;

/// The ε of both figures.
pub const EPSILON: &str = "1";

/// Differences below this are drawn as this: the colours are logarithms.
const LEAST: f64 = 1e-6;

/// What must be stated of the data.
pub const CAVEAT: &str = "The paper prints neither centres nor widths of its made-up clusters: ours keep the distances of a \
                          sphere packing of radius a, with a standard deviation of a third of a over √d.";

/// The same in short, for plots.
const NOTE: &str = "all panels: centres and widths of the made-up clusters are ours, the paper prints neither";

/// A method with its θ, and its name on plots.
#[derive(Clone, Copy)]
pub struct Map {
    /// The library's name.
    pub method: &'static str,
    /// θ of eq. (4), where it is not the paper's 10.
    pub theta: Option<f64>,
    /// Its name on plots.
    pub name: &'static str,
    /// The paper's number of runs.
    pub runs: usize,
    /// Runs of a first look.
    pub quick: usize,
}

/// A made-up data set, generated when it is first needed.
pub struct MadeUp {
    /// Number of clusters, and of centres.
    pub k: usize,
    /// Number of attributes.
    pub d: usize,
    table: OnceLock<CuratorTable>,
}

impl MadeUp {
    fn table(&self) -> &CuratorTable {
        self.table.get_or_init(|| {
            // One set for each k and d, whatever the seed of the runs.
            let mut noise = SeededNoise::new((100 * self.k + self.d) as u64);
            CuratorTable::new(gaussians(ROWS, self.d, self.k, &mut noise))
        })
    }

    fn key(&self, map: &Map) -> Key {
        let theta = map.theta.map_or(String::new(), |theta| theta.to_string());
        let base = Key::new("scl16-made-up").with("rows", ROWS).with("k", self.k).with("d", self.d);
        base.with("method", map.method).with("theta", theta).with("epsilon", EPSILON)
    }

    fn cell(self: &Arc<Self>, map: &Map, effort: Effort) -> Cell {
        let (set, map) = (self.clone(), *map);
        let cost = match map.method {
            "baseline" => 20.0 * (self.k * self.d) as f64,
            method => of_size(ROWS as f64, self.d, self.k, method, 1.0, map.theta.unwrap_or(10.0)),
        };
        if map.method == "baseline" {
            return Cell::new(self.key(&map), &["nicv"], 1, move |run| {
                Ok(vec![PlainTable::new(set.table().points()).best(set.k, map.runs, &mut run.noise).nicv])
            })
            .costing(cost);
        }
        Cell::new(self.key(&map), &["nicv"], effort.pick(map.runs, map.quick), move |run| {
            let knobs = Knobs { theta: map.theta, ..Knobs::default() };
            Ok(vec![set.table().run(map.method, set.k, EPSILON, knobs, &mut run.noise)?.squared])
        })
        .costing(cost)
    }
}

/// The baseline: the best of 30 starts.
const BASELINE: Map = Map { method: "baseline", theta: None, name: "baseline", runs: 30, quick: 30 };

/// The sets of a figure.
pub struct Sets {
    ks: Vec<usize>,
    ds: Vec<usize>,
    all: Vec<Arc<MadeUp>>,
}

impl Sets {
    /// k and d from 2 to 10. A first look takes few of them: cells become too many with d.
    pub fn new(effort: Effort) -> Self {
        let all = || (2..=10).collect::<Vec<usize>>();
        let (ks, ds) = effort.pick((all(), all()), (vec![2, 6, 10], vec![2, 3, 5]));
        let pairs = ds.iter().flat_map(|&d| ks.iter().map(move |&k| (k, d)));
        let all = pairs.map(|(k, d)| Arc::new(MadeUp { k, d, table: OnceLock::new() })).collect();
        Self { ks, ds, all }
    }

    /// The cells of these maps.
    pub fn cells(&self, maps: &[Map], effort: Effort) -> Vec<Cell> {
        let maps = || maps.iter().chain([&BASELINE]);
        self.all.iter().flat_map(|set| maps().map(move |map| set.cell(map, effort))).collect()
    }

    /// All sets.
    pub fn iter(&self) -> impl Iterator<Item = &MadeUp> {
        self.all.iter().map(|set| &**set)
    }

    /// The least and the largest k.
    pub fn k_ends(&self) -> (usize, usize) {
        (self.ks[0], self.ks[self.ks.len() - 1])
    }

    /// The least and the largest d.
    pub fn d_ends(&self) -> (usize, usize) {
        (self.ds[0], self.ds[self.ds.len() - 1])
    }

    /// A panel for each map, all with the same colours.
    pub fn panels(&self, maps: &[Map], results: &Results) -> Result<Vec<Panel>, Failure> {
        let mut tables = Vec::new();
        for map in maps {
            let mut rows = Vec::new();
            for d in self.ds.iter().rev() {
                let row =
                    self.iter().filter(|set| set.d == *d).map(|set| Ok(above(results, set, map)?.mean.max(LEAST)));
                rows.push(row.collect::<Result<Vec<f64>, Failure>>()?);
            }
            tables.push(rows);
        }
        let values = || tables.iter().flatten().flatten().copied();
        let range = Some((values().fold(f64::INFINITY, f64::min), values().fold(LEAST, f64::max)));
        let labels = |sizes: &[usize]| sizes.iter().map(usize::to_string).collect::<Vec<_>>();
        let panel = |(at, (map, values)): (usize, (&Map, Vec<Vec<f64>>))| Panel {
            title: map.name.into(),
            note: (at == 0).then(|| NOTE.into()),
            body: Body::HeatMap(HeatMap {
                x: "number of clusters k".into(),
                y: "number of attributes d".into(),
                value: "NICV above baseline".into(),
                columns: labels(&self.ks),
                rows: labels(&self.ds).into_iter().rev().collect(),
                values,
                range,
                scale: Scale::Log,
            }),
        };
        Ok(maps.iter().zip(tables).enumerate().map(panel).collect())
    }
}

/// The NICV of a map's runs.
pub fn nicv(results: &Results, set: &MadeUp, map: &Map) -> Result<Summary, Failure> {
    results.summary(&set.key(map), "nicv")
}

/// How far it is above the baseline.
pub fn above(results: &Results, set: &MadeUp, map: &Map) -> Result<Summary, Failure> {
    let baseline = nicv(results, set, &BASELINE)?.mean;
    let runs = results.get(&set.key(map))?.values("nicv")?;
    Ok(Summary::of(&runs.iter().map(|nicv| nicv - baseline).collect::<Vec<_>>()))
}
