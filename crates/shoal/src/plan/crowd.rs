//! How many reports of a crowd are needed for which error: crowds are simulated on public numbers, and clustered as a
//! server would.

use std::fmt;

use serde::Serialize;
use shoal_crowd::server::{NoiseAware, ReportPoints};
use shoal_curator::{DataGuess, MOST_DIMS};
use shoal_device::{Client, Design, Mechanism, choose_radius};
use shoal_lattice::{Bounds, Interval, STEPS, UnitPosition};
use shoal_noise::{NoiseSource, SeededNoise};
use shoal_privacy::{Epsilon, Guarantee};

use crate::epsilon::IntoEpsilon;
use crate::k::IntoK;
use crate::{Error, K};

/// Numbers of reports that are simulated.
const REPORTS: [u64; 5] = [1_000, 3_000, 10_000, 30_000, 100_000];

/// Errors, as shares of a column's range, that the reports for them are stated of.
const TARGETS: [f64; 4] = [0.1, 0.05, 0.02, 0.01];

/// Crowds that are simulated for each number of reports.
const CROWDS: u64 = 3;

/// Places of centres that are tried for each crowd; those that are farthest apart are taken.
const PLACES: u64 = 200;

/// Clusters count as found when this share of the centres is within its error.
const FOUND: f64 = 0.95;

/// The most clusters that a crowd is simulated for.
const MOST_CLUSTERS: usize = 50;

/// A question about how many reports a collection needs. Reads nothing and spends nothing.
///
/// ```
/// let plan = shoal::PlanCrowd::new(2, 2, "8")?.up_to(3_000).run()?;
/// println!("{plan}");
/// assert!(plan.cells[1].plus_minus < 0.1, "± 10 % of each column's range");
/// # Ok::<(), shoal::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct PlanCrowd {
    dims: usize,
    k: usize,
    epsilon: Epsilon,
    spread: f64,
    most: u64,
}

/// What to expect of a collection.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CrowdPlan {
    /// Columns.
    pub dims: usize,
    /// Clusters.
    pub k: usize,
    /// ε of each report.
    pub epsilon: Epsilon,
    /// The mechanism, with its own parameters.
    pub mechanism: Mechanism,
    /// What each report guarantees.
    pub guarantee: Guarantee,
    /// Fisher information about each coordinate in one report, in 1/widths².
    pub information: Option<f64>,
    /// Standard deviation of the records of a cluster, as a share of a column's range: assumed.
    pub spread: f64,
    /// What was simulated.
    pub cells: Vec<CrowdCell>,
    /// Reports for some errors.
    pub needed: Vec<CrowdNeeded>,
}

/// The error for a number of reports.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CrowdCell {
    /// Reports.
    pub reports: u64,
    /// 95 % of the coordinates of the centres are this near to the true ones, as a share of a column's range.
    pub plus_minus: f64,
    /// The share of true centres that have a found one nearer than half the way to the next true one.
    pub found: f64,
    /// What no server can do better than, on average: the error if every report showed its cluster.
    pub bound: Option<f64>,
}

/// Reports for an error.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CrowdNeeded {
    /// 95 % of the coordinates of the centres are to be this near, as a share of a column's range.
    pub plus_minus: f64,
    /// About how many reports that takes; nothing where not even the largest simulated crowd shows all clusters.
    pub reports: Option<u64>,
    /// Whether it lies beyond what was simulated, where errors fall with the square root of the reports.
    pub beyond: bool,
}

impl PlanCrowd {
    /// A collection of reports with `dims` columns, for `k` clusters, by BPM with ε per unit of distance.
    ///
    /// # Errors
    /// Numbers that make no sense.
    pub fn new(dims: usize, k: impl IntoK, epsilon: impl IntoEpsilon) -> Result<Self, Error> {
        if !(1..=MOST_DIMS).contains(&dims) {
            return Err(Error::Dimensions { most: MOST_DIMS });
        }
        let k = match k.into_k()? {
            K::Given(k @ 1..=MOST_CLUSTERS) => k,
            other => {
                let wanted =
                    format!("a whole number of clusters from 1 to {MOST_CLUSTERS}: crowds are simulated for it");
                return Err(Error::K { given: other.to_string(), wanted });
            }
        };
        let (spread, most) = (DataGuess::default().spread.0, REPORTS[REPORTS.len() - 1]);
        Ok(Self { dims, k, epsilon: epsilon.into_epsilon()?, spread, most })
    }

    /// The standard deviation of the records of a cluster, as a share of a column's range: a guess.
    ///
    /// # Errors
    /// A share that makes no sense.
    pub fn spread(mut self, share: f64) -> Result<Self, Error> {
        if !(share > 0.0 && share <= DataGuess::WIDEST.0) {
            return Err(Error::Guess { what: "spread", given: share, wanted: "above 0 % and at most 30 %" });
        }
        self.spread = share;
        Ok(self)
    }

    /// No more reports than this are simulated; at least 1,000 are.
    #[must_use]
    pub fn up_to(mut self, most: u64) -> Self {
        self.most = most;
        self
    }

    /// Simulates crowds: seconds.
    ///
    /// # Errors
    /// An ε that the mechanism cannot work with.
    pub fn run(&self) -> Result<CrowdPlan, Error> {
        let columns = (1..=self.dims).map(|i| format!("c{i}")).collect();
        let bounds = Bounds::new(columns, vec![Interval::new(0.0, 1.0)?; self.dims])?;
        let radius_steps = choose_radius::information(self.dims, self.epsilon.to_f64_up()).steps;
        let design = Design::new(Mechanism::Bpm { radius_steps }, self.epsilon.clone(), bounds)?;
        let client = Client::new(&design)?;
        let simulated = REPORTS.iter().filter(|reports| **reports <= self.most.max(REPORTS[0]));
        let cells: Vec<CrowdCell> = simulated.map(|reports| self.cell(&client, *reports)).collect();
        Ok(CrowdPlan {
            dims: self.dims,
            k: self.k,
            epsilon: self.epsilon.clone(),
            mechanism: design.mechanism().clone(),
            guarantee: client.promises().guarantee,
            information: client.information_per_report(),
            spread: self.spread,
            needed: TARGETS.iter().map(|target| needed(&cells, *target)).collect(),
            cells,
        })
    }

    fn cell(&self, client: &Client, reports: u64) -> CrowdCell {
        let (mut errors, mut found) = (Vec::new(), 0);
        for crowd in 0..CROWDS {
            // No data take part, so the numbers may come from a seed: the same plan each time.
            let mut noise = SeededNoise::new(1 + crowd);
            let centres = self.centres(&mut noise);
            let points = self.reports(client, &centres, reports as usize, &mut noise);
            let Some(law) = client.noise_law() else { continue };
            let clusters = NoiseAware { starts: 12, ..NoiseAware::new(self.k) }.cluster(&points, law, &mut noise);
            let guesses: Vec<Vec<f64>> = clusters.centres.iter().map(|centre| UnitPosition::numbers(centre)).collect();
            for (j, truth) in centres.iter().enumerate() {
                let nearest = guesses.iter().min_by(|a, b| distance(a, truth).total_cmp(&distance(b, truth)));
                let Some(nearest) = nearest else { continue };
                let others = centres.iter().enumerate().filter(|(i, _)| *i != j);
                let next = others.map(|(_, other)| distance(other, truth)).fold(1.0, f64::min);
                found += u64::from(distance(nearest, truth) < 0.5 * next);
                errors.extend(nearest.iter().zip(truth).map(|(a, b)| (a - b).abs()));
            }
        }
        errors.sort_by(f64::total_cmp);
        let at = ((errors.len() as f64 * 0.95).ceil() as usize).clamp(1, errors.len().max(1)) - 1;
        let each = reports as f64 / self.k as f64;
        CrowdCell {
            reports,
            plus_minus: errors.get(at).copied().unwrap_or(1.0),
            found: found as f64 / (CROWDS * self.k as u64) as f64,
            bound: client.information_per_report().map(|information| 1.96 / (each * information).sqrt()),
        }
    }

    /// Centres that are well apart.
    fn centres(&self, noise: &mut SeededNoise) -> Vec<Vec<f64>> {
        let mut best = (f64::NEG_INFINITY, Vec::new());
        for _ in 0..PLACES {
            let centre = |noise: &mut SeededNoise| (0..self.dims).map(|_| 0.1 + 0.8 * uniform(noise)).collect();
            let centres: Vec<Vec<f64>> = (0..self.k).map(|_| centre(noise)).collect();
            let apart =
                |j: usize| centres[..j].iter().map(|other| distance(other, &centres[j])).fold(f64::MAX, f64::min);
            let nearest = (0..self.k).map(apart).fold(f64::MAX, f64::min);
            if nearest > best.0 {
                best = (nearest, centres);
            }
        }
        best.1
    }

    /// Reports on records about the centres, as many about each.
    fn reports(&self, client: &Client, centres: &[Vec<f64>], count: usize, noise: &mut SeededNoise) -> ReportPoints {
        let mut columns = vec![Vec::with_capacity(count); self.dims];
        let (mut record, mut report) = (vec![0; self.dims], vec![0; self.dims]);
        for person in 0..count {
            for (x, centre) in record.iter_mut().zip(&centres[person % self.k]) {
                let value = (centre + self.spread * normal(noise)).clamp(0.0, 1.0);
                *x = (value * STEPS as f64).round() as i64;
            }
            client.report(&record, noise, &mut report);
            columns.iter_mut().zip(&report).for_each(|(column, x)| column.push(*x));
        }
        ReportPoints::consuming_steps(columns)
    }
}

/// Reports for an error, from what was simulated.
fn needed(cells: &[CrowdCell], target: f64) -> CrowdNeeded {
    let good = |cell: &&CrowdCell| cell.found >= FOUND && cell.plus_minus > 0.0;
    let scaled = |cell: &CrowdCell| cell.reports as f64 * (cell.plus_minus / target).powi(2);
    // The first that is good enough; errors between it and the one before fall about with the square root.
    if let Some(at) = cells.iter().position(|cell| good(&cell) && cell.plus_minus <= target) {
        let before = at.checked_sub(1).map_or(0.0, |at| cells[at].reports as f64);
        let reports = scaled(&cells[at]).clamp(before, cells[at].reports as f64).ceil();
        return CrowdNeeded { plus_minus: target, reports: Some(reports as u64), beyond: false };
    }
    let last = cells.last().filter(good);
    CrowdNeeded { plus_minus: target, reports: last.map(|cell| scaled(cell).ceil() as u64), beyond: true }
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt()
}

fn uniform(noise: &mut SeededNoise) -> f64 {
    (noise.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// A standard normal number, by Box and Muller. Records of a simulation; no privacy rests on it.
fn normal(noise: &mut SeededNoise) -> f64 {
    (-2.0 * (1.0 - uniform(noise)).ln()).sqrt() * (std::f64::consts::TAU * uniform(noise)).cos()
}

/// `10,000` for 10000, to two digits.
fn about(number: u64) -> String {
    let size = 10_u64.pow(number.checked_ilog10().unwrap_or(0).saturating_sub(1));
    let digits = (number.div_ceil(size) * size).to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

impl fmt::Display for CrowdPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (k, dims) = (self.k, self.dims);
        writeln!(
            f,
            "Expected error for {k} clusters and {dims} columns, reports by {} with ε = {}.",
            self.mechanism.name(),
            self.epsilon
        )?;
        writeln!(f)?;
        for needed in &self.needed {
            let target = format!("centres within ± {:.0} % of each column’s range", 100.0 * needed.plus_minus);
            match needed.reports {
                Some(reports) => writeln!(f, "  {target}: about {} reports", about(reports))?,
                None => writeln!(
                    f,
                    "  {target}: not within {} reports",
                    about(self.cells.last().map_or(0, |cell| cell.reports))
                )?,
            }
        }
        writeln!(f)?;
        writeln!(f, "Simulated, {CROWDS} crowds each (± holds for 95 % of all coordinates):")?;
        writeln!(f)?;
        for cell in &self.cells {
            let found = (cell.found * k as f64).round();
            writeln!(
                f,
                "  {:>8} reports: ± {:>4.1} %, {found} of {k} clusters found",
                about(cell.reports),
                100.0 * cell.plus_minus
            )?;
        }
        writeln!(f)?;
        writeln!(
            f,
            "This is for clusters of equal size, well apart, whose records spread by {:.0} % of each range ({}). Smaller clusters need more: the error of a centre goes with one over the square root of its own reports. Collect some and look at the intervals: they come from your data.",
            100.0 * self.spread,
            shoal_privacy::Parameter::new("spread")
        )?;
        write!(f, "{}", self.guarantee)
    }
}
