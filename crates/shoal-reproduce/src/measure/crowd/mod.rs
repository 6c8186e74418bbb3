//! One run in the crowd model: everyone's report, a server's clusters of the reports, and how good they are.

mod score;
mod way;

pub use score::{MEASURES, Score};
pub use way::{Noise, Radius, Server, Way};

use shoal_crowd::server::{ReportPoints, kmeans_on_reports};
use shoal_device::NoiseLaw;
use shoal_kernel::Restarts;
use shoal_lattice::{STEPS, UnitPosition};
use shoal_noise::uniform::{normal_f64, unit_f64};
use shoal_noise::{NoiseSource, SeededNoise};

use crate::Failure;
use crate::data::Records;

/// People and attributes of the runs that make a fingerprint, in two clusters.
const TRIED: [(usize, usize); 2] = [(60, 2), (40, 5)];

/// What a way gives on two small groups of people, by its words in keys: for the version of its runs.
pub(crate) fn fingerprint(mechanism: &str, server: &str) -> Result<Vec<f64>, Failure> {
    let way = Way::of_words(mechanism, server)?;
    let mut all = Vec::new();
    for (people, dims) in TRIED {
        let mut noise = SeededNoise::new(people as u64);
        let place = |at: usize, noise: &mut SeededNoise| (at % 2) as f64 * 0.5 + 0.3 * unit_f64(noise);
        let unit: Vec<f64> = (0..people * dims).map(|value| place(value / dims, &mut noise)).collect();
        all.extend(Crowd::new(dims, &unit, 2, None).run(&way, "4", &mut noise)?.values());
    }
    Ok(all)
}

/// Starts of the k-means that finds the true clusters where the source names none.
const TRUTH_STARTS: usize = 30;

/// People with their records, and the clusters that they truly belong to.
#[derive(Clone, Debug)]
pub struct Crowd {
    /// Number of attributes.
    pub dims: usize,
    /// Number of clusters.
    pub k: usize,
    /// The records on the lattice of reports, one after the other.
    steps: Vec<i64>,
    /// The same in widths of the box.
    records: Vec<f64>,
    /// The true cluster of each.
    truth: Vec<usize>,
    /// How the true clusters are known, as a word for keys.
    truth_from: &'static str,
}

impl Crowd {
    /// A data set between its own limits. Its own classes are the true clusters where it has `k` of them.
    #[must_use]
    pub fn of(records: &Records, k: usize) -> Self {
        let classes = records.labels.as_deref().map(numbered).filter(|(_, classes)| *classes == k);
        Self::new(records.dims(), &records.unit(), k, classes.map(|(labels, _)| labels))
    }

    /// Rows in [0, 1]^d. Without classes, the true clusters are those that k-means finds in the records.
    #[must_use]
    pub fn new(dims: usize, unit: &[f64], k: usize, classes: Option<Vec<usize>>) -> Self {
        let on_lattice = |x: &f64| (x.clamp(0.0, 1.0) * STEPS as f64).round() as i64;
        let steps: Vec<i64> = unit.iter().map(on_lattice).collect();
        let records: Vec<f64> = steps.iter().map(|&x| x as f64 / STEPS as f64).collect();
        let truth_from = if classes.is_some() { "classes" } else { "k-means" };
        let truth = classes.unwrap_or_else(|| found_in(dims, &records, k));
        Self { dims, k, steps, records, truth, truth_from }
    }

    /// These of the people, some perhaps several times.
    #[must_use]
    pub fn some(&self, people: &[usize]) -> Self {
        let row = |at: &usize| at * self.dims..(at + 1) * self.dims;
        Self {
            steps: people.iter().flat_map(|at| self.steps[row(at)].iter().copied()).collect(),
            records: people.iter().flat_map(|at| self.records[row(at)].iter().copied()).collect(),
            truth: people.iter().map(|&at| self.truth[at]).collect(),
            ..*self
        }
    }

    /// How many people.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.truth.len()
    }

    /// How the true clusters are known.
    #[must_use]
    pub fn truth_from(&self) -> &'static str {
        self.truth_from
    }

    /// Everyone reports, a server clusters the reports, and the result is held against the records.
    pub fn run(&self, way: &Way, epsilon: &str, noise: &mut SeededNoise) -> Result<Score, Failure> {
        let (reports, law) = self.reports(way, epsilon, noise)?;
        let centres = way.server.centres(self.k, &ReportPoints::from_rows(self.dims, &reports), law, noise)?;
        self.score(&reports, &centres)
    }

    /// The same, on reports with noise of their own, for servers that are to see the same.
    pub fn run_on(
        &self,
        way: &Way,
        epsilon: &str,
        of_reports: &mut SeededNoise,
        of_server: &mut SeededNoise,
    ) -> Result<Score, Failure> {
        let (reports, law) = self.reports(way, epsilon, of_reports)?;
        let centres = way.server.centres(self.k, &ReportPoints::from_rows(self.dims, &reports), law, of_server)?;
        self.score(&reports, &centres)
    }

    /// Everyone's report in widths of the box, and the distribution of their noise where it has a density.
    fn reports(
        &self,
        way: &Way,
        epsilon: &str,
        noise: &mut SeededNoise,
    ) -> Result<(Vec<f64>, Option<NoiseLaw>), Failure> {
        if way.noise == Noise::PlanarRadius {
            let rate: f64 = epsilon.parse()?;
            let each = self.records.chunks_exact(self.dims);
            return Ok((each.flat_map(|record| planar_radius(record, rate, noise)).collect(), None));
        }
        let Some(client) = way.client(epsilon, self.dims)? else { return Ok((self.records.clone(), None)) };
        let mut reports = vec![0; self.steps.len()];
        let pairs = self.steps.chunks_exact(self.dims).zip(reports.chunks_exact_mut(self.dims));
        pairs.for_each(|(record, report)| client.report(record, noise, report));
        Ok((reports.iter().map(|&x| x as f64 / STEPS as f64).collect(), client.noise_law()))
    }

    /// The NICV of one centre at the mean of the records: what can be had without clusters.
    #[must_use]
    pub fn one_centre(&self) -> f64 {
        let rows = self.rows() as f64;
        let spread = |at: usize| {
            let values = || self.records.iter().skip(at).step_by(self.dims);
            let mean = values().sum::<f64>() / rows;
            values().map(|x| (x - mean).powi(2)).sum::<f64>()
        };
        (0..self.dims).map(spread).sum::<f64>() / rows
    }

    /// The RE (same members) of a server that ignores all reports and takes the middle of the box for every report.
    pub fn blind_re(&self) -> Result<f64, Failure> {
        let middle = vec![0.5; self.records.len()];
        Ok(self.score(&middle, &vec![0.5; self.k * self.dims])?.re)
    }

    /// The SSE of a single centre in the middle of the box.
    pub fn blind_sse(&self) -> f64 {
        self.records.iter().map(|x| (x - 0.5).powi(2)).sum()
    }

    /// A draw of people: each once at most where there are enough, and with replacement where there are not.
    #[must_use]
    pub fn draw(&self, count: usize, noise: &mut dyn NoiseSource) -> Self {
        let rows = self.rows();
        if count > rows {
            let people: Vec<usize> = (0..count).map(|_| index(rows, noise)).collect();
            return self.some(&people);
        }
        let mut people: Vec<usize> = (0..rows).collect();
        for at in 0..count {
            people.swap(at, at + index(rows - at, noise));
        }
        self.some(&people[..count])
    }
}

/// A record moved in a uniform direction by a distance of density ∝ r·e^(−εr), which is right in two dimensions, and clamped
/// into the box.
fn planar_radius(record: &[f64], rate: f64, noise: &mut dyn NoiseSource) -> Vec<f64> {
    let exponential = |noise: &mut dyn NoiseSource| -(1.0 - unit_f64(noise)).ln() / rate;
    let radius = exponential(noise) + exponential(noise);
    let direction: Vec<f64> = record.iter().map(|_| normal_f64(noise)).collect();
    let length = direction.iter().map(|x| x * x).sum::<f64>().sqrt().max(f64::MIN_POSITIVE);
    record.iter().zip(direction).map(|(x, z)| (x + radius * z / length).clamp(0.0, 1.0)).collect()
}

/// Classes numbered from zero, whatever the source calls them, and how many there are.
fn numbered(labels: &[usize]) -> (Vec<usize>, usize) {
    let mut names = labels.to_vec();
    names.sort_unstable();
    names.dedup();
    (labels.iter().map(|label| names.partition_point(|name| name < label)).collect(), names.len())
}

/// A number below `n`.
fn index(n: usize, noise: &mut dyn NoiseSource) -> usize {
    shoal_noise::uniform::below(noise, n as u64) as usize
}

/// The clusters that k-means finds in records, the same every time.
fn found_in(dims: usize, records: &[f64], k: usize) -> Vec<usize> {
    let restarts = Restarts { clusters: k, restarts: TRUTH_STARTS, iterations: 100 };
    let found = kmeans_on_reports(&ReportPoints::from_rows(dims, records), &restarts, &mut SeededNoise::new(0));
    let centres = UnitPosition::numbers(&found.centres.concat());
    records.chunks_exact(dims).map(|x| score::nearest(&centres, x).0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_planar_radius_is_two_over_epsilon_on_average() {
        let mut noise = SeededNoise::new(4);
        for dims in [2, 4] {
            let far = |noise: &mut SeededNoise| {
                let moved = planar_radius(&vec![0.5; dims], 100.0, noise);
                moved.iter().map(|x| (x - 0.5).powi(2)).sum::<f64>().sqrt()
            };
            let mean = (0..20_000).map(|_| far(&mut noise)).sum::<f64>() / 20_000.0;
            assert!((mean / 0.02 - 1.0).abs() < 0.03, "{mean} in {dims} dimensions");
        }
    }

    #[test]
    fn classes_are_numbered_from_zero() {
        assert_eq!(numbered(&[3, 1, 7, 3]), (vec![1, 0, 2, 1], 3));
    }

    #[test]
    fn a_draw_takes_everyone_once_where_it_can() {
        let unit: Vec<f64> = (0..10).map(|at| f64::from(at) / 9.0).collect();
        let crowd = Crowd::new(1, &unit, 2, None);
        let mut all = crowd.draw(10, &mut SeededNoise::new(1)).steps;
        assert_ne!(all, crowd.steps, "in another order");
        all.sort_unstable();
        assert_eq!(all, crowd.steps);
        assert_eq!(crowd.draw(25, &mut SeededNoise::new(1)).rows(), 25);
    }
}
