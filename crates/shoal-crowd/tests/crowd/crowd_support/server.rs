//! Clusters of records, reports on them, and what a server may be compared with.

use shoal_crowd::server::ReportPoints;
use shoal_device::{BpmLaw, choose_radius};
use shoal_device::{Client, Ending, Mechanism, NoiseLaw, Sampler};
use shoal_kernel::score::NicvAccumulator;
use shoal_lattice::UnitPosition;
use shoal_noise::SeededNoise;
use shoal_noise::uniform::{below, unit_f64};

use super::{M, design};

/// The names of [`mechanisms`].
pub const NAMES: [&str; 5] = ["bpm", "bpm, L = 0.5", "nd-laplace", "laplace", "laplace-metric"];

/// Every mechanism whose reports have a density, for a rate near this one.
pub fn mechanisms(dims: usize, rate: f64) -> [Mechanism; 5] {
    [
        Mechanism::Bpm { radius_steps: choose_radius::information(dims, rate).steps },
        Mechanism::Bpm { radius_steps: choose_radius::given(0.5).steps },
        Mechanism::NdLaplace { radius_steps: choose_radius::nd_laplace(dims, rate).steps, ending: Ending::Raw },
        Mechanism::Laplace,
        Mechanism::LaplaceMetric,
    ]
}

/// The client of one of the [`mechanisms`] at a whole ε, and what a server knows of its noise.
pub fn noisy_client(which: usize, epsilon: u32, dims: usize) -> (Client, NoiseLaw) {
    let [mechanism, ..] = &mechanisms(dims, f64::from(epsilon))[which..] else { unreachable!() };
    let client = Client::new(&design(mechanism.clone(), &epsilon.to_string(), dims, Sampler::Doubles)).unwrap();
    let law = client.noise_law().unwrap();
    (client, law)
}

/// Clusters of records: where they are, how many records each has relative to the others, and how wide they are.
#[derive(Clone, Debug)]
pub struct Groups {
    pub places: Vec<Vec<f64>>,
    pub shares: Vec<f64>,
    pub widths: Vec<f64>,
}

impl Groups {
    /// Clusters of the same share and width.
    pub fn alike(places: &[&[f64]], width: f64) -> Self {
        let k = places.len();
        let places = places.iter().map(|place| place.to_vec()).collect();
        Self { places, shares: vec![1.0 / k as f64; k], widths: vec![width; k] }
    }

    /// Clusters anywhere, of any share, up to `widest` wide.
    pub fn random(dims: usize, k: usize, widest: f64, noise: &mut SeededNoise) -> Self {
        let places = (0..k).map(|_| (0..dims).map(|_| unit_f64(noise)).collect()).collect();
        let parts: Vec<f64> = (0..k).map(|_| 0.1 + unit_f64(noise)).collect();
        let total: f64 = parts.iter().sum();
        let widths = (0..k).map(|_| widest * unit_f64(noise)).collect();
        Self { places, shares: parts.iter().map(|part| part / total).collect(), widths }
    }

    pub fn dims(&self) -> usize {
        self.places[0].len()
    }

    /// Records drawn from the clusters, one after the other, and moved into the box where they fall outside.
    pub fn records(&self, count: usize, noise: &mut SeededNoise) -> Vec<f64> {
        let mut records = Vec::with_capacity(count * self.dims());
        for _ in 0..count {
            let mut left = unit_f64(noise);
            let of = self.shares.iter().position(|share| {
                left -= share;
                left < 0.0
            });
            let of = of.unwrap_or(self.shares.len() - 1);
            records.extend(self.places[of].iter().map(|x| (x + self.widths[of] * normal(noise)).clamp(0.0, 1.0)));
        }
        records
    }
}

/// The reports of the people with these records.
pub fn reports_on(records: &[f64], client: &Client, noise: &mut SeededNoise) -> ReportPoints {
    let dims = client.dims();
    let mut columns = vec![Vec::with_capacity(records.len() / dims); dims];
    let mut report = vec![0; dims];
    for record in records.chunks_exact(dims) {
        let steps: Vec<i64> = record.iter().map(|x| (x * M as f64).round() as i64).collect();
        client.report(&steps, noise, &mut report);
        for (column, &x) in columns.iter_mut().zip(&report) {
            column.push(x);
        }
    }
    ReportPoints::from_steps(&columns)
}

/// Records of the clusters, and the reports on them.
pub fn reported(groups: &Groups, count: usize, client: &Client, seed: u64) -> (Vec<f64>, ReportPoints) {
    let mut noise = SeededNoise::new(seed);
    let records = groups.records(count, &mut noise);
    let points = reports_on(&records, client, &mut noise);
    (records, points)
}

/// A standard normal number (Box and Muller).
pub fn normal(noise: &mut SeededNoise) -> f64 {
    let radius = (-2.0 * (1.0 - unit_f64(noise)).ln()).sqrt();
    radius * (std::f64::consts::TAU * unit_f64(noise)).cos()
}

/// All rows of reports, one after the other.
pub fn rows_of(points: &ReportPoints) -> Vec<f64> {
    (0..points.rows()).flat_map(|row| points.row(row)).collect()
}

/// The same reports in another order.
pub fn shuffled(points: &ReportPoints, seed: u64) -> ReportPoints {
    let mut noise = SeededNoise::new(seed);
    let mut order: Vec<usize> = (0..points.rows()).collect();
    for i in (1..order.len()).rev() {
        order.swap(i, below(&mut noise, i as u64 + 1) as usize);
    }
    let rows: Vec<f64> = order.into_iter().flat_map(|row| points.row(row)).collect();
    ReportPoints::from_rows(points.dims(), &rows)
}

/// The mean squared distance of records from the nearest centre.
pub fn nicv(records: &[f64], centres: &[Vec<f64>]) -> f64 {
    let mut sum = NicvAccumulator::new(&centres.concat(), centres[0].len()).unwrap();
    sum.add_rows(records).unwrap();
    sum.squared().unwrap()
}

/// Centres as bare numbers, for naive arithmetic on them.
pub fn places(centres: &[Vec<UnitPosition>]) -> Vec<Vec<f64>> {
    centres.iter().map(|centre| UnitPosition::numbers(centre)).collect()
}

/// For each place, the number of the centre nearest to it that no place before it took.
pub fn matched(places: &[Vec<f64>], centres: &[Vec<f64>]) -> Vec<usize> {
    let mut free: Vec<usize> = (0..centres.len()).collect();
    let away = |place: &[f64], of: usize| squared(place, &centres[of]);
    let mut taken = Vec::new();
    for place in places {
        let at = (0..free.len()).min_by(|&a, &b| away(place, free[a]).total_cmp(&away(place, free[b]))).unwrap();
        taken.push(free.swap_remove(at));
    }
    taken
}

pub fn squared(x: &[f64], m: &[f64]) -> f64 {
    x.iter().zip(m).map(|(x, m)| (x - m).powi(2)).sum()
}

/// ln of the density of a report about its record, in doubles and by the mechanism's own formula.
pub fn ln_density(law: NoiseLaw, report: &[f64], record: &[f64]) -> f64 {
    match law {
        NoiseLaw::Radial { rate, radius } => {
            BpmLaw { dims: report.len(), rate, radius }.ln_density(squared(report, record).sqrt())
        }
        NoiseLaw::PerAttribute { scale } => {
            let sum: f64 = report.iter().zip(record).map(|(x, m)| (x - m).abs()).sum();
            -sum / scale - report.len() as f64 * (2.0 * scale).ln()
        }
    }
}

/// ln of the likelihood of clusters without a width.
pub fn ln_likelihood(points: &ReportPoints, law: NoiseLaw, centres: &[Vec<f64>], shares: &[f64]) -> f64 {
    let mut sum = 0.0;
    for row in 0..points.rows() {
        let x = points.row(row);
        let logs: Vec<f64> = centres.iter().zip(shares).map(|(m, w)| w.ln() + ln_density(law, &x, m)).collect();
        let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        sum += largest + logs.iter().map(|log| (log - largest).exp()).sum::<f64>().ln();
    }
    sum
}

/// By how much, at worst, a series falls from one number to the next.
pub fn worst_fall(heights: &[f64]) -> f64 {
    heights.windows(2).map(|pair| pair[0] - pair[1]).fold(0.0, f64::max)
}

/// The root of the mean of squares.
pub fn rms(values: &[f64]) -> f64 {
    (values.iter().map(|x| x * x).sum::<f64>() / values.len() as f64).sqrt()
}
