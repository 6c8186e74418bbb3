//! Servers on the same reports, at the same ε per width of the box.

use std::sync::Arc;

use shoal::crowd::client::choose_radius;
use shoal::crowd::server::{NoiseAware, ReportPoints, TkMeans, kmeans_on_reports};
use shoal::crowd::{Client, Design, Ending, Mechanism, STEPS, Sampler};
use shoal::data::{Bounds, Interval};
use shoal::plain::Restarts;
use shoal_noise::SeededNoise;

use crate::chart::{Axis, Body, Chart, Lines, Panel, Point, Series, Style};
use crate::data::Records;
use crate::papers::szy19::three;
use crate::{Cell, Drawing, Failure, Figure, Info, Key, Lab, Paper, Results, Run, Statement};

/// Data sets with the number of clusters that the papers look for.
const DATA: [(&str, usize); 9] = [
    ("iris", 3),
    ("seeds", 3),
    ("wine", 3),
    ("travel", 10),
    ("road", 5),
    ("gauss-2", 5),
    ("gauss-5", 5),
    ("gauss-10", 5),
    ("adult", 5),
];
/// Mechanisms that promise the same: ε per width in Euclidean distance.
const MECHANISMS: [(&str, &str); 3] = [("bpm", "BPM"), ("nd-laplace", "nD-Laplace"), ("laplace-metric", "Laplace")];
const SERVERS: [(&str, &str); 3] = [("noise-aware", "noise-aware"), ("kmeans", "k-means"), ("tk-means", "TK-means")];
const EPSILONS: [&str; 6] = ["0.5", "1", "2", "4", "8", "16"];
/// Starts of k-means, on records and on reports.
const STARTS: usize = 10;
/// Rows beyond which a quick look leaves a table out.
const QUICK: usize = 1_000;
const MEASURES: &[&str] = &["nicv"];

pub struct Crowd;

fn key(records: &Records, k: usize, mechanism: &str, server: &str, epsilon: &str) -> Key {
    let key = records.key("shoal-crowd").with("k", k).with("mechanism", mechanism);
    key.with("server", server).with("epsilon", epsilon)
}

fn available(lab: &Lab) -> (Vec<(Arc<Records>, usize)>, Vec<String>) {
    let names = DATA.map(|(name, _)| name);
    let (there, missing) = lab.data.available(&names);
    let most = lab.effort.pick(usize::MAX, QUICK);
    let k = |records: &Records| DATA.iter().find(|(name, _)| *name == records.set.name).map_or(2, |(_, k)| *k);
    let small = there.into_iter().filter(|records| records.rows() <= most);
    (small.map(|records| (records.clone(), k(&records))).collect(), missing)
}

fn client(mechanism: &str, epsilon: &str, dims: usize) -> Result<Client, Failure> {
    let rate: f64 = epsilon.parse()?;
    let mechanism = match mechanism {
        "bpm" => Mechanism::Bpm { radius_steps: choose_radius::information(dims, rate).steps },
        "nd-laplace" => {
            Mechanism::NdLaplace { radius_steps: choose_radius::nd_laplace(dims, rate).steps, ending: Ending::Raw }
        }
        "laplace-metric" => Mechanism::LaplaceMetric,
        other => return Err(format!("there is no mechanism {other}").into()),
    };
    let columns = (0..dims).map(|i| format!("c{i}")).collect();
    let bounds = Bounds::new(columns, vec![Interval::new(0.0, 1.0)?; dims])?;
    let epsilon = epsilon.parse().map_err(|error| format!("{epsilon}: {error}"))?;
    Ok(Client::new(&Design { mechanism, epsilon, sampler: Sampler::Exact, bounds })?)
}

fn restarts(k: usize) -> Restarts {
    Restarts { clusters: k, restarts: STARTS, iterations: 100 }
}

/// Mean squared distance of records in widths to their nearest centre.
fn nicv(records: &[f64], dims: usize, centres: &[Vec<f64>]) -> f64 {
    let squared = |c: &[f64], x: &[f64]| c.iter().zip(x).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
    let nearest = |x: &[f64]| centres.iter().map(|c| squared(c, x)).fold(f64::INFINITY, f64::min);
    records.chunks_exact(dims).map(nearest).sum::<f64>() / (records.len() / dims) as f64
}

/// Reports of all records, clustered by a server; NICV on the records. The reports of a run are the same for all servers.
fn run(steps: &[i64], dims: usize, k: usize, way: (&str, &str, &str), run: &mut Run) -> Result<Vec<f64>, Failure> {
    let (mechanism, server, epsilon) = way;
    let client = client(mechanism, epsilon, dims)?;
    let mut reports = vec![0; steps.len()];
    let mut noise = SeededNoise::new(run.index as u64);
    for (record, report) in steps.chunks_exact(dims).zip(reports.chunks_exact_mut(dims)) {
        client.report(record, &mut noise, report);
    }
    let points = ReportPoints::from_rows(dims, &to_widths(&reports));
    let found = match server {
        "kmeans" => kmeans_on_reports(&points, &restarts(k), &mut run.noise),
        "tk-means" => TkMeans::new(k).cluster(&points, &mut run.noise),
        _ => {
            let law = client.noise_law().ok_or("these reports have no density")?;
            NoiseAware::new(k).cluster(&points, law, &mut run.noise)
        }
    };
    Ok(vec![nicv(&to_widths(steps), dims, &found.centres)])
}

fn to_widths(steps: &[i64]) -> Vec<f64> {
    steps.iter().map(|&x| x as f64 / STEPS as f64).collect()
}

impl Figure for Crowd {
    fn info(&self) -> Info {
        Info {
            id: "shoal-crowd".into(),
            paper: Paper::Shoal,
            label: "Utility of reports at equal guarantee".into(),
            title: "Servers and mechanisms at the same ε per width of the box".into(),
            protocol: "Every mechanism promises ε·d in Euclidean distance, in widths of the box; NICV on the true records over 20 \
                       runs; k-means with 10 starts; for one centre, the mean of the records without noise"
                .into(),
            quick: "2 runs, tables of up to 1,000 rows".into(),
        }
    }

    fn cells(&self, lab: &Lab) -> Result<Vec<Cell>, Failure> {
        let (there, missing) = available(lab);
        let runs = lab.effort.pick(20, 2);
        let mut cells = Vec::new();
        for (records, k) in there {
            let dims = records.dims();
            let steps: Arc<Vec<i64>> =
                Arc::new(records.unit().iter().map(|x| (x * STEPS as f64).round() as i64).collect());
            for clusters in [1, k] {
                let of_cell = steps.clone();
                let measure = move |run: &mut Run| {
                    let widths = to_widths(&of_cell);
                    let found =
                        kmeans_on_reports(&ReportPoints::from_rows(dims, &widths), &restarts(clusters), &mut run.noise);
                    Ok(vec![nicv(&widths, dims, &found.centres)])
                };
                let server = if clusters == 1 { "one centre" } else { "kmeans" };
                cells.push(Cell::new(key(&records, k, "none", server, ""), MEASURES, 1, measure));
            }
            for (mechanism, _) in MECHANISMS {
                for (server, _) in SERVERS {
                    for epsilon in EPSILONS {
                        let of_cell = steps.clone();
                        let measure = move |one: &mut Run| run(&of_cell, dims, k, (mechanism, server, epsilon), one);
                        let cell = Cell::new(key(&records, k, mechanism, server, epsilon), MEASURES, runs, measure);
                        cells.push(cell.costing(5.0 + (steps.len() * k) as f64 / 1e3));
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
            for (mechanism, mechanism_name) in MECHANISMS {
                for epsilon in EPSILONS {
                    let of = |server| results.summary(&key(records, *k, mechanism, server, epsilon), "nicv");
                    let ours = of("noise-aware")?;
                    for ((held, lost, tried, exceptions), other) in judged.iter_mut().zip(["kmeans", "tk-means"]) {
                        let theirs = of(other)?;
                        *tried += 1;
                        *held += usize::from(ours.is_clearly_below(&theirs));
                        if theirs.is_clearly_below(&ours) {
                            *lost += 1;
                            exceptions.push(format!(
                                "{}, {mechanism_name}, ε = {epsilon}: {} against {}",
                                records.set.title,
                                three(ours.mean),
                                three(theirs.mean)
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
            statements.push(Statement::counted(
                format!("Noise-aware clustering beats {other} on the same reports"),
                held,
                tried,
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
        let mut caveats = missing;
        caveats.extend(there.iter().filter_map(|(records, _)| {
            records.set.standing.note().map(|note| format!("{}: {note}", records.set.title))
        }));
        Ok(Drawing { chart: Chart { panels, columns: 3 }, statements, paragraph, caveats })
    }
}

fn panel(records: &Records, k: usize, results: &Results) -> Result<Panel, Failure> {
    let mut series = Vec::new();
    for (server, server_name) in SERVERS {
        for (mechanism, name) in MECHANISMS {
            let point = |epsilon: &str| -> Result<Point, Failure> {
                let found = results.summary(&key(records, k, mechanism, server, epsilon), "nicv")?;
                Ok(Point::mean(epsilon.parse()?, &found))
            };
            let points = EPSILONS.into_iter().map(point).collect::<Result<_, _>>()?;
            series.push(Series { name: format!("{server_name} on {name}"), style: Style::Marked, points });
        }
    }
    for (server, name) in [("one centre", "one centre, no noise"), ("kmeans", "k-means on the records")] {
        let found = results.summary(&key(records, k, "none", server, ""), "nicv")?.mean;
        let points = [0.5, 16.0].map(|epsilon| Point::exact(epsilon, found)).to_vec();
        series.push(Series { name: name.into(), style: Style::Dashed, points });
    }
    let x = Axis::log("ε per width of the box").ticks(&[0.5, 1.0, 2.0, 4.0, 8.0, 16.0]);
    let body = Body::Lines(Lines { x, y: Axis::log("NICV (widths²)"), series });
    let title = format!("{}, k = {k}", records.set.title);
    Ok(Panel { title, note: records.set.standing.note().map(str::to_string), body })
}
