//! Figs 6 and 7: the law of BPGM's noise distance, and what it means in space.

use shoal::crowd::client::bpm_law::ln_sphere_area;
use shoal::crowd::client::{Bpgm, BpmLaw, choose_radius};
use shoal::crowd::{BpgmForm, STEPS};
use shoal_noise::uniform;

use crate::Failure;
use crate::chart::{Axis, Body, Chart, Lines, Panel, Point, Series, Style};
use crate::figure::{Drawing, Figure, Info, Paper, Statement, Verdict};
use crate::lab::{Cell, Key, Lab, Results, Run};
use crate::measure::crowd::compare::{falls, short};
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
/// Two records, and a report near the first: where the ratio of densities is looked at, in widths.
const APART: f64 = 0.1;
const NEAR: f64 = 0.001;

impl Figure for Distances {
    fn info(&self) -> Info {
        Info {
            id: format!("chen25-fig{}", self.number),
            paper: Paper::Clz25,
            label: format!("Fig. {}", self.number),
            title: format!("Noise distance of BPGM with ℓ = {}", self.bound),
            protocol: format!(
                "Densities of the distance between record and report; here from reports by Adam on records anywhere in the \
                 box of {DIMS} attributes, {REPORTS} a run, 50 runs. Beside them what the claim would need: the distance of \
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

    /// Whether the reports follow eq. (5): the mean square of the bins' deviations in standard errors is near one.
    fn as_printed(&self, results: &Results) -> Result<Statement, Failure> {
        let bound: f64 = self.bound.parse()?;
        let (mut held, mut told) = (0, Vec::new());
        for epsilon in EPSILONS {
            let rate: f64 = epsilon.parse()?;
            let width = self.width(epsilon)?;
            let below = |x: f64| (-rate * x.min(bound)).exp_m1() / (-rate * bound).exp_m1();
            let mut squares = 0.0;
            for (middle, bin) in self.bins(results, epsilon)? {
                let share = below(middle + 0.5 * width) - below(middle - 0.5 * width);
                // The spread that so many independent reports must have: few runs would tell it badly.
                let error = (share * (1.0 - share) / (bin.runs * REPORTS) as f64).sqrt();
                squares += ((bin.mean * width - share) / error).powi(2);
            }
            let mean = squares / BINS as f64;
            held += usize::from(mean < 2.0);
            told.push(format!("{} at ε = {epsilon}", short(mean)));
        }
        let found = format!("mean squared deviation of the bins in standard errors: {}", told.join(", "));
        Ok(Statement::counted("The distance has the density of eq. (5)", held, EPSILONS.len(), found))
    }

    fn means(&self, results: &Results, measure: &str) -> Result<Vec<Summary>, Failure> {
        EPSILONS.iter().map(|epsilon| results.summary(&self.moments_key(epsilon), measure)).collect()
    }

    fn more_noise(&self, results: &Results) -> Result<Statement, Failure> {
        let means = self.means(results, "mean")?;
        let told: Vec<String> = means.iter().map(|s| short(s.mean)).collect();
        let found = format!("mean distance at ε = {}: {}", EPSILONS.join(", "), told.join(", "));
        Ok(Statement::counted("A smaller budget means more noise", usize::from(falls(&means)), 1, found))
    }

    fn within(&self, results: &Results) -> Result<Statement, Failure> {
        let bound: f64 = self.bound.parse()?;
        let farthest = self.means(results, "farthest")?.iter().map(|s| s.max).fold(0.0, f64::max);
        // The loop ends within its threshold of the distance that was drawn.
        let held = farthest <= bound + 2.0 * shoal::crowd::client::bpgm::THRESHOLD;
        let found = format!("the farthest report is {farthest:.4} widths from its record");
        Ok(Statement::counted(format!("The noise stays within ℓ = {}", self.bound), usize::from(held), 1, found))
    }

    /// The ratio of densities of a report near one of two records, where directions are uniform.
    fn promise(&self) -> Result<Statement, Failure> {
        let (mut held, mut told) = (0, Vec::new());
        for epsilon in EPSILONS {
            let bpgm = self.bpgm(epsilon)?;
            let loss = bpgm.ln_density_of_idealisation(NEAR) - bpgm.ln_density_of_idealisation(APART);
            let allowed = epsilon.parse::<f64>()? * APART;
            held += usize::from(loss <= allowed);
            told.push(format!("{} where {} is allowed at ε = {epsilon}", short(loss), short(allowed)));
        }
        let verdict = if held == EPSILONS.len() { Verdict::Holds } else { Verdict::Fails };
        let found = format!(
            "a report {NEAR} from one record and {APART} from another has a log-ratio of {}; beyond ℓ the ratio is infinite",
            told.join(", ")
        );
        Ok(Statement { says: "Noise with this distance keeps ε·d_χ-privacy (Theorem 1)".into(), verdict, found })
    }

    fn paragraph(&self, results: &Results) -> Result<String, Failure> {
        let printed = match self.as_printed(results)?.verdict {
            Verdict::Holds => "The distances follow eq. (5)",
            _ => "The distances do not all follow eq. (5)",
        };
        let means = self.means(results, "mean")?;
        let needed = |epsilon: &str| Ok::<_, Failure>(short(DIMS as f64 / epsilon.parse::<f64>()?));
        Ok(format!(
            "{printed}: {} widths on average at ε = 0.1, {} at ε = 1 and {} at ε = 10. That is the law \
             of a distance, though, and the claim is about the density in space: spread over spheres whose area shrinks \
             with the third power of their radius, it has no bound at the record (lower left). A density in space that \
             falls by e^(−ε) a width (lower right) puts reports in {DIMS} attributes {} widths away on average at ε = 0.1, \
             {} at ε = 1 and {} at ε = 10 (upper right). So noise of this kind is small at \
             small budgets because it protects nothing.",
            short(means[0].mean),
            short(means[2].mean),
            short(means[5].mean),
            needed("0.1")?,
            needed("1")?,
            needed("10")?,
        ))
    }
}
