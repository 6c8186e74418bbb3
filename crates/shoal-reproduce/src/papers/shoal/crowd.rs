//! Servers on the same reports, at the same ε per width of the box.

use std::sync::Arc;

use shoal_device::Ending;

use crate::chart::{Axis, Body, Chart, Lines, Panel, Point, Series, Style};
use crate::data::Records;
use crate::measure::crowd::{self, Noise, Radius, Server, Way};
use crate::papers::words::{data_caveats, short};
use crate::{Cell, Drawing, Failure, Figure, Info, Key, Lab, Paper, Places, Results, Run, Statement};

/// Data sets with their numbers of clusters: those that the papers look for. No paper names one for the roads, which have
/// as many as in YTL22's figures here.
const DATA: [(&str, usize); 11] = [
    ("iris", 3),
    ("seeds", 3),
    ("wine", 3),
    ("wdbc", 2),
    ("digits", 10),
    ("travel", 10),
    ("road", 3),
    ("gauss-2", 5),
    ("gauss-5", 5),
    ("gauss-10", 5),
    ("adult", 5),
];
/// Mechanisms that promise the same: ε per width in Euclidean distance.
const MECHANISMS: [(Noise, &str); 3] = [
    (Noise::Bpm(Radius::Information), "BPM"),
    (Noise::NdLaplace(Ending::Raw), "nD-Laplace"),
    (Noise::LaplaceMetric, "Laplace"),
];
const SERVERS: [(Server, &str); 3] =
    [(Server::NoiseAware, "noise-aware"), (Server::KMeans, "k-means"), (Server::CorrectedTkMeans, "TK-means")];
const EPSILONS: [&str; 6] = ["0.5", "1", "2", "4", "8", "16"];
/// Rows beyond which a reduced run leaves a table out.
const QUICK: usize = 1_000;
const MEASURES: &[&str] = &["nicv"];
/// Without noise: k-means, and one centre at the mean.
const WITHOUT: &[&str] = &["nicv", "one_centre"];

pub struct Crowd;

/// What all servers see: the reports of one mechanism. The same key without a server gives them the same noise.
fn reports_key(records: &Records, k: usize) -> Key {
    records.key("shoal-crowd").with("k", k)
}

fn key(records: &Records, k: usize, noise: Noise, server: Server, epsilon: &str) -> Key {
    Way { noise, server }.key(reports_key(records, k), epsilon)
}

fn available(lab: &Lab) -> (Vec<(Arc<Records>, usize)>, Vec<String>) {
    let names = DATA.map(|(name, _)| name);
    let (there, missing) = lab.data.available(&names);
    let most = lab.effort.pick(usize::MAX, QUICK);
    let k = |records: &Records| DATA.iter().find(|(name, _)| *name == records.set.name).map_or(2, |(_, k)| *k);
    let small = there.into_iter().filter(|records| records.rows() <= most);
    (small.map(|records| (records.clone(), k(&records))).collect(), missing)
}

impl Figure for Crowd {
    fn info(&self) -> Info {
        Info {
            id: "shoal-crowd".into(),
            paper: Paper::Shoal,
            label: "Own figure 2".into(),
            title: "Utility of reports at the same ε per width of the box".into(),
            protocol:
                "Every mechanism promises ε·d in Euclidean distance, in widths of the box; bounds are the table's own \
                       limits, taken as public; NICV on the true records over 10 runs; k-means with 10 starts; for one \
                       centre, the mean of the records without noise"
                    .into(),
            quick: "5 runs, tables of up to 1,000 rows".into(),
        }
    }

    fn cells(&self, lab: &Lab) -> Result<Vec<Cell>, Failure> {
        let (there, missing) = available(lab);
        let runs = lab.effort.pick(10, 5);
        let mut cells = Vec::new();
        for (records, k) in there {
            let crowd = Arc::new(crowd::Crowd::of(&records, k));
            let of_cell = crowd.clone();
            let plain = Way { noise: Noise::None, server: Server::KMeans };
            cells.push(Cell::new(key(&records, k, plain.noise, plain.server, ""), WITHOUT, 1, move |run| {
                Ok(vec![of_cell.run(&plain, "1", &mut run.noise)?.nicv, of_cell.one_centre()])
            }));
            for (noise, _) in MECHANISMS {
                for (server, _) in SERVERS {
                    for epsilon in EPSILONS {
                        let (of_cell, way, reports) = (crowd.clone(), Way { noise, server }, reports_key(&records, k));
                        let measure = move |run: &mut Run| {
                            let mut of_reports = run.shared(&reports);
                            Ok(vec![of_cell.run_on(&way, epsilon, &mut of_reports, &mut run.noise)?.nicv])
                        };
                        let cell = Cell::new(key(&records, k, noise, server, epsilon), MEASURES, runs, measure);
                        cells.push(cell.costing(5.0 + (crowd.rows() * crowd.dims * k) as f64 / 1e3));
                    }
                }
            }
        }
        if cells.is_empty() { Err(missing.join("; ").into()) } else { Ok(cells) }
    }

    fn draw(&self, lab: &Lab, results: &Results) -> Result<Drawing, Failure> {
        let (there, missing) = available(lab);
        let mut panels = Vec::new();
        let mut judged = [(0, 0, 0, Vec::new()), (0, 0, 0, Vec::new())];
        for (records, k) in &there {
            panels.push(panel(records, *k, results)?);
            for (noise, mechanism_name) in MECHANISMS {
                for epsilon in EPSILONS {
                    let of = |server| results.summary(&key(records, *k, noise, server, epsilon), "nicv");
                    let ours = of(Server::NoiseAware)?;
                    for ((held, lost, tried, exceptions), other) in
                        judged.iter_mut().zip([Server::KMeans, Server::CorrectedTkMeans])
                    {
                        let theirs = of(other)?;
                        *tried += 1;
                        *held += usize::from(ours.is_clearly_below(&theirs));
                        if theirs.is_clearly_below(&ours) {
                            *lost += 1;
                            exceptions.push(format!(
                                "{}, {mechanism_name}, ε = {epsilon}: {} against {}",
                                records.set.title,
                                short(ours.mean),
                                short(theirs.mean)
                            ));
                        }
                    }
                }
            }
        }
        let mut statements = Vec::new();
        let mut sentences = Vec::new();
        for ((held, lost, tried, exceptions), other) in judged.into_iter().zip(["k-means", "TK-means"]) {
            let named = if exceptions.is_empty() { "none".into() } else { exceptions.join("; ") };
            let places = Places { held, tied: tried - held - lost, against: lost };
            statements.push(Statement::over(
                format!("Noise-aware clustering beats {other} on the same reports"),
                places,
                format!("clearly better in {held} of {tried} settings, clearly worse in {lost}: {named}"),
            ));
            sentences
                .push(format!("clearly better than {other} in {held} of {tried} settings and clearly worse in {lost}"));
        }
        let paragraph = format!(
            "On the same reports, noise-aware clustering is {}. Where neither is clear, reports tell so little or so much that \
             servers agree within two standard errors.",
            sentences.join("; ")
        );
        let caveats = data_caveats(there.iter().map(|(records, _)| records), &missing);
        Ok(Drawing { chart: Chart { panels, columns: 3 }, statements, paragraph, caveats })
    }
}

fn panel(records: &Records, k: usize, results: &Results) -> Result<Panel, Failure> {
    let mut series = Vec::new();
    for (server, server_name) in SERVERS {
        for (noise, name) in MECHANISMS {
            let point = |epsilon: &str| -> Result<Point, Failure> {
                let found = results.summary(&key(records, k, noise, server, epsilon), "nicv")?;
                Ok(Point::mean(epsilon.parse()?, &found))
            };
            let points = EPSILONS.into_iter().map(point).collect::<Result<_, _>>()?;
            series.push(Series { name: format!("{server_name} on {name}"), style: Style::Marked, points });
        }
    }
    let plain = results.get(&key(records, k, Noise::None, Server::KMeans, ""))?;
    for (measure, name) in [("one_centre", "one centre, no noise"), ("nicv", "k-means on the records")] {
        let found = plain.summary(measure)?.mean;
        let points = [0.5, 16.0].map(|epsilon| Point::exact(epsilon, found)).to_vec();
        series.push(Series { name: name.into(), style: Style::Dashed, points });
    }
    let x = Axis::log("ε per width of the box").ticks(&[0.5, 1.0, 2.0, 4.0, 8.0, 16.0]);
    let body = Body::Lines(Lines { x, y: Axis::log("NICV (widths²)"), series });
    let title = format!("{}, k = {k}", records.set.title);
    Ok(Panel { title, note: records.note(), body })
}
