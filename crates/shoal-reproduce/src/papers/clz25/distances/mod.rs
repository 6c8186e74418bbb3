//! Figs 6 and 7: the distribution of BPGM's noise distance, and what it means in space.

mod statements;

use shoal_device::BpgmForm;
use shoal_device::bpm_law::ln_sphere_area;
use shoal_device::{Bpgm, BpmLaw, choose_radius};
use shoal_lattice::STEPS;
use shoal_noise::uniform;

use crate::Failure;
use crate::chart::{Axis, Body, Chart, Lines, Panel, Point, Series, Style};
use crate::figure::{Drawing, Figure, Info, Paper};
use crate::lab::{Cell, Key, Lab, Results, Run};
use crate::measure::crowd::{Noise, Server, Way};
use crate::statistics::Summary;

/// Densities of the noise distance for one bound ℓ.
pub struct Distances {
    /// The number of the figure.
    pub number: usize,
    /// The bound ℓ, in widths of the box.
    pub bound: &'static str,
}

/// Budgets. The paper shows several without naming them in its text.
const EPSILONS: [&str; 6] = ["0.1", "0.5", "1", "2", "5", "10"];
/// Attributes of the records, as many as Iris has.
const DIMS: usize = 4;
/// Reports of a run.
const REPORTS: usize = 2_000;
/// Bins of the distance.
const BINS: usize = 30;
/// The farthest bin ends here in units of 1/ε, or at the bound.
const REACH: f64 = 6.0;

impl Figure for Distances {
    fn info(&self) -> Info {
        Info {
            id: format!("chen25-fig{}", self.number),
            paper: Paper::Clz25,
            label: format!("Fig. {}", self.number),
            title: format!("Noise distance of BPGM with ℓ = {}", self.bound),
            protocol: format!(
                "Densities of the distance between record and report; here from reports by Adam on records anywhere in the \
                 box of {DIMS} attributes, {REPORTS} a run, 50 runs. The budgets ε are ours: the text names none. BPGM is Algorithm \
                 2 with its loss and stop test corrected, constants ours. Beside them what the claim would need: the distance of \
                 nD-Laplace, and both densities in space."
            ),
            quick: "10 runs".into(),
        }
    }

    fn cells(&self, lab: &Lab) -> Result<Vec<Cell>, Failure> {
        let mut cells = Vec::new();
        for epsilon in EPSILONS {
            let (bound, width) = (self.bound, self.width(epsilon)?);
            let histogram = move |run: &mut Run| {
                let mut counts = [0.0; BINS];
                for distance in distances(bound, epsilon, run)? {
                    if let Some(count) = counts.get_mut((distance / width) as usize) {
                        *count += 1.0;
                    }
                }
                let middle = |at: usize| (at as f64 + 0.5) * width;
                let density = |count: f64| count / REPORTS as f64 / width;
                Ok(counts.iter().enumerate().flat_map(|(at, &count)| [middle(at), density(count)]).collect())
            };
            let moments = move |run: &mut Run| {
                let all = Summary::of(&distances(bound, epsilon, run)?);
                Ok(vec![all.mean, all.max])
            };
            let runs = lab.effort.pick(50, 10);
            cells.push(Cell::new(self.histogram_key(epsilon), &["distance", "density"], runs, histogram).costing(20.0));
            cells.push(Cell::new(self.moments_key(epsilon), &["mean", "farthest"], runs, moments).costing(20.0));
        }
        Ok(cells)
    }

    fn draw(&self, _: &Lab, results: &Results) -> Result<Drawing, Failure> {
        let bound: f64 = self.bound.parse()?;
        let panels = vec![
            self.panel("Distance, BPGM (measured)", "density (1/width)", false, |epsilon| {
                self.measured(results, epsilon)
            })?,
            self.panel("Distance if the claim held", "density (1/width)", false, |epsilon| {
                drawn(4.0 * bound, |rho| (sound(epsilon, rho) + ln_sphere(rho)).exp())
            })?,
            self.panel("Density in space, BPGM", "density (1/width⁴)", true, |epsilon| {
                let bpgm = self.bpgm(epsilon)?;
                drawn(bound, |rho| bpgm.ln_density_of_idealisation(rho).exp())
            })?,
            self.panel("Density in space if the claim held", "density (1/width⁴)", true, |epsilon| {
                drawn(bound, |rho| sound(epsilon, rho).exp())
            })?,
        ];
        let statements =
            vec![self.as_printed(results)?, self.more_noise(results)?, self.within(results)?, self.promise()?];
        let paragraph = self.paragraph(results)?;
        Ok(Drawing { chart: Chart { panels, columns: 2 }, statements, paragraph, caveats: Vec::new() })
    }
}

/// Distances between records anywhere in the box and their reports.
fn distances(bound: &'static str, epsilon: &str, run: &mut Run) -> Result<Vec<f64>, Failure> {
    let way = Way { noise: Noise::Bpgm(bound), server: Server::TkMeans };
    let client = way.client(epsilon, DIMS)?.ok_or("BPGM has a client")?;
    let mut report = [0; DIMS];
    let mut one = || {
        let record = [(); DIMS].map(|()| uniform::below(&mut run.noise, STEPS + 1) as i64);
        client.report(&record, &mut run.noise, &mut report);
        let squared: f64 = record.iter().zip(&report).map(|(v, x)| ((x - v) as f64 / STEPS as f64).powi(2)).sum();
        squared.sqrt()
    };
    Ok((0..REPORTS).map(|_| one()).collect())
}

/// ln of the density in space that keeps ε per width: nD-Laplace's.
fn sound(epsilon: &str, rho: f64) -> f64 {
    let rate = epsilon.parse().unwrap_or(f64::NAN);
    let radius = choose_radius::nd_laplace(DIMS, rate).steps as f64 / STEPS as f64;
    BpmLaw { dims: DIMS, rate, radius }.ln_density(rho)
}

/// ln of the area of a sphere: from density in space to density of the distance.
fn ln_sphere(rho: f64) -> f64 {
    ln_sphere_area(DIMS) + (DIMS as f64 - 1.0) * rho.ln()
}

/// A formula between 0 and an end. Points are nearer to each other near 0, where densities change most.
fn drawn(end: f64, density: impl Fn(f64) -> f64) -> Result<Vec<Point>, Failure> {
    let places = (1..=80).map(|at| end * (f64::from(at) / 80.0).powi(2));
    Ok(places.map(|rho| Point::exact(rho, density(rho))).collect())
}

impl Distances {
    fn histogram_key(&self, epsilon: &str) -> Key {
        self.key("clz25-distances", epsilon).with("bins", BINS)
    }

    fn moments_key(&self, epsilon: &str) -> Key {
        self.key("clz25-distance", epsilon)
    }

    fn key(&self, experiment: &'static str, epsilon: &str) -> Key {
        let key = Key::new(experiment).with("dims", DIMS).with("reports", REPORTS);
        key.with("mechanism", format!("bpgm l={}", self.bound)).with("epsilon", epsilon)
    }

    /// The width of a bin.
    fn width(&self, epsilon: &str) -> Result<f64, Failure> {
        let (bound, rate): (f64, f64) = (self.bound.parse()?, epsilon.parse()?);
        Ok(bound.min(REACH / rate) / BINS as f64)
    }

    fn bpgm(&self, epsilon: &str) -> Result<Bpgm, Failure> {
        let rate = epsilon.parse().map_err(|error| format!("{epsilon}: {error}"))?;
        let bound = self.bound.parse().map_err(|error| format!("{}: {error}", self.bound))?;
        Ok(Bpgm::new(&rate, DIMS, &bound, BpgmForm::Adam)?)
    }

    /// The bins over the runs, each with its distance.
    fn bins(&self, results: &Results, epsilon: &str) -> Result<Vec<(f64, Summary)>, Failure> {
        let cell = results.get(&self.histogram_key(epsilon))?;
        let bin = |at: usize| {
            let densities: Vec<f64> = cell.runs.iter().map(|run| run[2 * at + 1]).collect();
            (cell.runs[0][2 * at], Summary::of(&densities))
        };
        Ok((0..BINS).map(bin).collect())
    }

    fn measured(&self, results: &Results, epsilon: &str) -> Result<Vec<Point>, Failure> {
        Ok(self.bins(results, epsilon)?.iter().map(|(x, summary)| Point::mean(*x, summary)).collect())
    }

    fn panel(
        &self,
        title: &str,
        axis: &str,
        log: bool,
        points: impl Fn(&str) -> Result<Vec<Point>, Failure>,
    ) -> Result<Panel, Failure> {
        let mut series = Vec::new();
        for epsilon in EPSILONS {
            series.push(Series { name: format!("ε = {epsilon}"), style: Style::Plain, points: points(epsilon)? });
        }
        let y = if log { Axis::log(axis) } else { Axis::linear(axis) };
        let body = Body::Lines(Lines { x: Axis::linear("distance from the record (widths)"), y, series });
        Ok(Panel { title: title.into(), note: None, body })
    }
}
