//! What NQC21 measured: data sets, methods, grids, and the cells of a run.

use std::sync::Arc;

use shoal_curator::{Knobs, Merge};

use crate::chart::{Axis, Body, Chart, Lines, Panel, Series};
use crate::measure::on_demand::OnDemand;
use crate::papers::words::data_caveats;
use crate::{Cell, Drawing, Effort, Failure, Info, Key, Lab, Paper, Statement};

/// A data set of Table 2 with what the figures fix for it.
pub struct Setting {
    /// Its name in the catalogue.
    pub data: &'static str,
    /// What the captions call it.
    pub caption: &'static str,
    /// k of Figs 3 to 8.
    pub k: usize,
    /// ε of Figs 9 to 14.
    pub epsilon: &'static str,
    /// The budgets of Figs 3 to 8.
    pub epsilons: &'static [&'static str],
    /// Runs of a first look.
    pub quick: usize,
}

const WIDE: &[&str] = &["0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9", "1"];
const NARROW: &[&str] = &["0.05", "0.1", "0.15", "0.2", "0.3", "0.4", "0.5"];

const fn setting(
    data: &'static str,
    caption: &'static str,
    k: usize,
    epsilon: &'static str,
    epsilons: &'static [&'static str],
    quick: usize,
) -> Setting {
    Setting { data, caption, k, epsilon, epsilons, quick }
}

/// In the order of the figures.
pub const SETTINGS: [Setting; 6] = [
    setting("blood-class", "Blood", 4, "0.6", WIDE, 200),
    setting("tripadvisor", "Tripadvisor-review", 4, "0.6", WIDE, 100),
    setting("review-ratings", "Travel-review (Review-ratings)", 4, "0.2", NARROW, 30),
    setting("adult-train", "Adult", 5, "0.2", NARROW, 20),
    setting("electrical", "Electrical", 5, "0.2", NARROW, 30),
    setting("credit-card-class", "Credit-card", 5, "0.2", NARROW, 10),
];

/// The numbers of clusters of Figs 9 to 14.
pub const CLUSTERS: [usize; 9] = [2, 3, 4, 5, 6, 7, 8, 9, 10];

/// The paper's methods, as the library and as plots name them.
pub const METHODS: [(&str, &str); 4] = [
    ("average-k", "average_k"),
    ("allocation-k", "allocation_k"),
    ("average-nk", "average_nk"),
    ("allocation-nk", "allocation_nk (DP-KCCM)"),
];

/// What we show as well: SCL16's five steps, where the paper's baseline takes twelve.
pub const FIVE_STEPS: (&str, &str) = ("dplloyd-impr", "DPLloyd-Impr, 5 steps");

/// DP-KCCM that merges by Ward's cost instead of the distance: free, since merging is post-processing.
pub const WARD: (&str, &str) = ("allocation-nk ward", "DP-KCCM with Ward merging (ours)");

/// Without privacy.
pub const BASELINE: (&str, &str) = ("baseline", "not private");

/// The paper's NICV: eq. (5) has no square.
pub const UNSQUARED: &str = "unsquared nicv";

/// What a run reports: the paper's NICV, and the usual one.
const MEASURES: &[&str] = &[UNSQUARED, "squared nicv"];

/// The paper's runs: 20 starts of 50 runs.
const RUNS: usize = 1000;

/// Starts of the baseline.
const STARTS: usize = 20;

/// What is stated of a figure before anything is measured.
pub fn info(setting: &Setting, number: usize, shows: String, protocol: &str) -> Info {
    Info {
        id: format!("ni21-fig{number}"),
        paper: Paper::Nqc21,
        label: format!("Fig. {number}"),
        title: format!("{}: {shows}", setting.caption),
        protocol: protocol.into(),
        quick: format!("{} runs instead of 1000.", setting.quick),
    }
}

/// The one panel of a figure, with what is stated about it.
pub fn drawing(
    data: &OnDemand,
    (title, x): (String, Axis),
    series: Vec<Series>,
    statements: Vec<Statement>,
    paragraph: String,
) -> Drawing {
    let body = Body::Lines(Lines { x, y: Axis::linear("NICV, not squared (box units)"), series });
    Drawing {
        chart: Chart { panels: vec![Panel { title, note: data.note(), body }], columns: 1 },
        statements,
        paragraph,
        caveats: data_caveats([&data.records].into_iter(), &[]),
    }
}

/// The data of a setting, or an error that says how to get them.
pub fn data(lab: &Lab, setting: &Setting) -> Result<Arc<OnDemand>, Failure> {
    Ok(Arc::new(OnDemand::new(lab.data.get(setting.data)?)))
}

/// The key of a run. The baseline has no ε.
pub fn key(data: &OnDemand, method: &str, k: usize, epsilon: &str) -> Key {
    data.records.key("nqc21").with("k", k).with("method", method).with("epsilon", epsilon)
}

/// The cells of all methods at one k and ε.
pub fn cells(
    effort: Effort,
    setting: &Setting,
    data: &Arc<OnDemand>,
    k: usize,
    epsilon: &'static str,
) -> impl Iterator<Item = Cell> {
    let (data, runs) = (data.clone(), effort.pick(RUNS, setting.quick));
    METHODS.iter().chain([&FIVE_STEPS, &WARD]).map(move |&(method, _)| {
        let (steps, centres) = match method {
            "dplloyd-impr" => (5, k),
            "average-nk" | "allocation-nk" | "allocation-nk ward" => (12, 3 * k),
            _ => (12, k),
        };
        let key = key(&data, method, k, epsilon);
        let cost = data.records.values.len() as f64 * (steps * (centres + 3)) as f64 * 1e-6;
        let data = data.clone();
        let measure = move |run: &mut crate::Run| {
            let merge = (method == WARD.0).then_some(Merge::Ward);
            let name = method.split(' ').next().unwrap_or(method);
            let knobs = Knobs { merge, ..Knobs::default() };
            let score = data.table()?.run(name, k, epsilon, knobs, &mut run.noise)?;
            Ok(vec![score.unsquared, score.squared])
        };
        Cell::new(key, MEASURES, runs, measure).costing(cost + 0.1)
    })
}

/// k-means without privacy: the best of twenty starts.
pub fn baseline(data: &Arc<OnDemand>, k: usize) -> Cell {
    let (data, key) = (data.clone(), key(data, BASELINE.0, k, ""));
    let cost = data.records.values.len() as f64 * k as f64 * 3e-4;
    Cell::new(key, MEASURES, 1, move |run| {
        let score = data.table()?.baseline(k, STARTS, &mut run.noise)?;
        Ok(vec![score.unsquared, score.squared])
    })
    .costing(cost)
}
