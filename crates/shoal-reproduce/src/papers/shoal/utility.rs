//! Curator methods at the same pure ε, on all data sets.

use std::sync::Arc;

use shoal_curator::Knobs;

use crate::chart::{Axis, Body, Chart, Lines, Panel, Point, Series, Style};
use crate::data::Records;
use crate::measure::curator::CuratorTable;
use crate::papers::words::{data_caveats, short};
use crate::{Cell, Drawing, Effort, Failure, Figure, Info, Key, Lab, Paper, Results, Run, Statement};

/// Data sets with the number of clusters that the papers look for.
const DATA: [(&str, usize); 19] = [
    ("s1", 15),
    ("gowalla", 5),
    ("tiger", 2),
    ("image", 3),
    ("adult", 5),
    ("lifesci", 3),
    ("blood", 4),
    ("tripadvisor", 4),
    ("electrical", 5),
    ("review-ratings", 4),
    ("credit-card", 5),
    ("iris", 3),
    ("wine", 3),
    ("wdbc", 2),
    ("digits", 10),
    ("seeds", 3),
    ("gauss-2", 5),
    ("gauss-5", 5),
    ("gauss-10", 5),
];
/// `auto` first, then the papers' systems, then what else Shoal has.
const METHODS: [(&str, &str); 11] = [
    ("auto", "auto (Shoal)"),
    ("dplloyd", "DPLloyd, uniform starts"),
    ("dplloyd-impr", "DPLloyd-Impr"),
    ("gkm", "GkM"),
    ("gkm-3k", "GkM-3K"),
    ("pgkm", "PGkM"),
    ("eugkm", "EUGkM"),
    ("hybrid", "Hybrid"),
    ("kccm", "DP-KCCM"),
    ("tree", "tree alone"),
    ("knorm-lloyd", "Lloyd, cube noise"),
];
const EPSILONS: [&str; 6] = ["0.05", "0.1", "0.25", "0.5", "1", "2"];
/// Starts of k-means without privacy.
const STARTS: usize = 30;
/// Numbers in a table beyond which a reduced run leaves it out.
const QUICK: usize = 19_000;
/// [`grid_work`] beyond which EUGkM and Hybrid are left out: seconds a run, and soon minutes.
const GRID_WORK: f64 = 3e7;
/// Rows beyond which GkM is left out: its blocks are few and large, and each is clustered.
const GKM_ROWS: usize = 10_000;
const MEASURES: &[&str] = &["nicv"];

pub struct Utility;

fn key(records: &Records, k: usize, method: &str, epsilon: &str) -> Key {
    records.key("shoal-utility").with("k", k).with("method", method).with("epsilon", epsilon)
}

/// The data sets that are there and small enough, with their k.
fn available(lab: &Lab) -> (Vec<(Arc<Records>, usize)>, Vec<String>) {
    let names = DATA.map(|(name, _)| name);
    let (there, missing) = lab.data.available(&names);
    let most = lab.effort.pick(usize::MAX, QUICK);
    let k = |records: &Records| DATA.iter().find(|(name, _)| *name == records.set.name).map_or(2, |(_, k)| *k);
    let small = there.into_iter().filter(|records| records.values.len() <= most);
    (small.map(|records| (records.clone(), k(&records))).collect(), missing)
}

/// Cells of EUGkM's grid, by the paper's formula.
fn grid_cells(records: &Records, epsilon: f64) -> f64 {
    let d = records.dims() as f64;
    (records.rows() as f64 * epsilon / 10.0).powf(2.0 * d / (2.0 + d))
}

/// What k-means on the grid takes, up to a factor: k-means in many attributes also needs more rounds.
fn grid_work(records: &Records, k: usize, epsilon: f64) -> f64 {
    grid_cells(records, epsilon) * (records.dims().pow(2) * k) as f64
}

/// Whether a method takes part: grids of many attributes and searches in large tables take hours.
fn takes_part(lab: &Lab, records: &Records, k: usize, method: &str, epsilon: &str) -> bool {
    let epsilon: f64 = epsilon.parse().unwrap_or(1.0);
    match method {
        "eugkm" | "hybrid" => match lab.effort {
            Effort::Paper => grid_work(records, k, epsilon) <= GRID_WORK,
            Effort::Quick => grid_cells(records, epsilon) <= 2_000.0,
        },
        "gkm" => records.rows() <= GKM_ROWS,
        "pgkm" => (records.values.len() * k) as f64 <= lab.effort.pick(400_000.0, 10_000.0),
        _ => true,
    }
}

/// Milliseconds of a run, roughly.
fn cost(records: &Records, k: usize, method: &str, epsilon: &str) -> f64 {
    let numbers = records.values.len() as f64;
    let epsilon: f64 = epsilon.parse().unwrap_or(1.0);
    let pass = numbers * k as f64 / 1e6;
    1.0 + match method {
        "eugkm" | "hybrid" => grid_work(records, k, epsilon) * 6e-5,
        "pgkm" => pass * 1600.0 * (1.25e-5 * records.rows() as f64 * epsilon).max(1.0),
        "auto" | "tree" => numbers / 1e3 + 20.0,
        "gkm" | "gkm-3k" => 20.0 * pass,
        "baseline" => 300.0 * pass,
        _ => 5.0 * pass,
    }
}

impl Figure for Utility {
    fn info(&self) -> Info {
        Info {
            id: "shoal-utility".into(),
            paper: Paper::Shoal,
            label: "Own figure 1".into(),
            title: "Utility of curator methods at the same pure ε".into(),
            protocol: "Pure ε, add or remove one row; bounds are the table's own limits and the design size is the true number of \
                       rows, both taken as public; NICV over 10 runs, k as in the papers; without privacy the best of 30 \
                       starts. EUGkM and Hybrid where cells × attributes² × k is up to 30 million, GkM up to 10,000 rows, PGkM where \
                       rows × attributes × k is up to 400,000"
                .into(),
            quick: "5 runs, tables of up to 19,000 numbers, grids of up to 2,000 cells, PGkM up to 10,000".into(),
        }
    }

    fn cells(&self, lab: &Lab) -> Result<Vec<Cell>, Failure> {
        let (there, missing) = available(lab);
        let runs = lab.effort.pick(10, 5);
        let mut cells = Vec::new();
        for (records, k) in there {
            let table = Arc::new(CuratorTable::new(records.points()?));
            let of_cell = table.clone();
            let baseline = move |run: &mut Run| Ok(vec![of_cell.baseline(k, STARTS, &mut run.noise)?.squared]);
            let cell = Cell::new(key(&records, k, "baseline", ""), MEASURES, 1, baseline);
            cells.push(cell.costing(cost(&records, k, "baseline", "1")));
            for (method, _) in METHODS {
                for epsilon in EPSILONS.into_iter().filter(|e| takes_part(lab, &records, k, method, e)) {
                    let of_cell = table.clone();
                    let measure = move |run: &mut Run| {
                        Ok(vec![of_cell.run(method, k, epsilon, Knobs::default(), &mut run.noise)?.squared])
                    };
                    let cell = Cell::new(key(&records, k, method, epsilon), MEASURES, runs, measure);
                    cells.push(cell.costing(cost(&records, k, method, epsilon)));
                }
            }
        }
        if cells.is_empty() { Err(missing.join("; ").into()) } else { Ok(cells) }
    }

    fn draw(&self, lab: &Lab, results: &Results) -> Result<Drawing, Failure> {
        let (there, missing) = available(lab);
        let mut panels = Vec::new();
        let (mut held, mut won, mut tried, mut exceptions) = (0, 0, 0, Vec::new());
        let mut farthest = 1.0_f64;
        for (records, k) in &there {
            panels.push(panel(lab, records, *k, results)?);
            for epsilon in EPSILONS {
                let auto = results.summary(&key(records, *k, "auto", epsilon), "nicv")?;
                let mut others = Vec::new();
                for (method, name) in METHODS.into_iter().skip(1) {
                    if takes_part(lab, records, *k, method, epsilon) {
                        others.push((name, results.summary(&key(records, *k, method, epsilon), "nicv")?));
                    }
                }
                let best = others.iter().min_by(|a, b| a.1.mean.total_cmp(&b.1.mean)).ok_or("no other method")?;
                tried += 1;
                won += usize::from(auto.is_clearly_below(&best.1));
                if best.1.is_clearly_below(&auto) {
                    farthest = farthest.max(auto.mean / best.1.mean);
                    let (title, name, times) = (records.set.title, best.0, auto.mean / best.1.mean);
                    exceptions.push(format!("{title} at ε = {epsilon}: {times:.3} times that of {name}"));
                } else {
                    held += 1;
                }
            }
        }
        let named = if exceptions.is_empty() { "none".into() } else { exceptions.join("; ") };
        let behind = match exceptions.len() {
            0 => "nowhere clearly behind".into(),
            count => format!("clearly behind in {count}, there by a factor of up to {}", short(farthest)),
        };
        let says = "auto is the best method, or within errors of the best, at every ε on every data set";
        let found = format!(
            "in {held} of {tried} settings, clearly the best in {won}, {behind}; exceptions, by the NICV: {named}"
        );
        let paragraph = format!(
            "At the same pure ε, `auto` is the best method or within errors of it in {held} of {tried} settings ({} data \
             sets, {} budgets), clearly better than all others in {won}, and {behind}. Exceptions, by the NICV: {named}. The \
             consortium's codes are left out because at these totals nothing is left in them (see sun19-table3 and sun19-fig8).",
            there.len(),
            EPSILONS.len()
        );
        let caveats = data_caveats(there.iter().map(|(records, _)| records), &missing);
        let statements = vec![Statement::counted(says, held, tried, found)];
        Ok(Drawing { chart: Chart { panels, columns: 4 }, statements, paragraph, caveats })
    }
}

fn panel(lab: &Lab, records: &Records, k: usize, results: &Results) -> Result<Panel, Failure> {
    let mut series = Vec::new();
    for (method, name) in METHODS {
        let mut points = Vec::new();
        for epsilon in EPSILONS.into_iter().filter(|e| takes_part(lab, records, k, method, e)) {
            points.push(Point::mean(epsilon.parse()?, &results.summary(&key(records, k, method, epsilon), "nicv")?));
        }
        if !points.is_empty() {
            series.push(Series { name: name.into(), style: Style::Marked, points });
        }
    }
    let best = results.summary(&key(records, k, "baseline", ""), "nicv")?.mean;
    let points = [0.05, 2.0].map(|epsilon| Point::exact(epsilon, best)).to_vec();
    series.push(Series { name: "without privacy".into(), style: Style::Dashed, points });
    let x = Axis::log("privacy budget ε").ticks(&[0.05, 0.1, 0.25, 0.5, 1.0, 2.0]);
    let body = Body::Lines(Lines { x, y: Axis::log("NICV (box units²)"), series });
    let title = format!("{}, k = {k}", records.set.title);
    Ok(Panel { title, note: records.note(), body })
}
