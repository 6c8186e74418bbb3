//! How far off the clusters may be: standard errors from the scores of the reports.
//!
//! The score of a report is the gradient of the logarithm of its density: share · weight · (x − m_j) for centre j, and share
//! − w_j for the logarithm of its share. The sum of their outer products estimates the information that the reports carry,
//! and its inverse the covariance of the estimates, if clusters are what the law says: round. They need not be, so the
//! information V stands between two factors of the inverse curvature H of the likelihood (Huber's sandwich, H⁻¹VH⁻¹, which
//! is the same for round clusters). The curvature is how fast the sum of the scores changes when a parameter moves by about
//! its error. (The sum of second derivatives would not do: e^(-k·distance) has its curvature at the tip, where no report is.)
//! What the prior knows is added, so that where the reports say nothing the error is that of the prior and not infinite.

use rayon::prelude::*;

use crate::server::noise_aware::matrix::Matrix;
use crate::server::noise_aware::pass::Mixture;
use crate::server::noise_aware::prior::Prior;
use crate::server::noise_aware::profile::{PIECES, Profiles};
use crate::server::points::ReportPoints;

/// Reports whose scores are added up; of more, evenly spaced ones stand for all.
const MOST_REPORTS: usize = 20_000;

/// Parts that the reports are cut into.
const PARTS: usize = 8;

/// Parameters whose covariances are all estimated. Beyond it, each centre is taken by itself.
const MOST_PARAMETERS: usize = 400;

/// Scores added up for one column of the curvature, times columns; and reports that are taken at least.
const MOST_SCORES: usize = 1_000_000;
const FEWEST_REPORTS: usize = 2_000;

/// Information about what is known for certain, in reports' worth.
const CERTAIN: f64 = 1e6;

/// Standard errors in widths.
pub(super) struct Errors {
    pub centres: Vec<Vec<f64>>,
    pub shares: Vec<f64>,
}

/// The standard errors of a mixture that reports were clustered into.
pub(super) fn standard_errors(points: &ReportPoints, mixture: &Mixture, tables: &Profiles, prior: &Prior) -> Errors {
    let (k, dims) = (mixture.k(), mixture.dims);
    let together = k * (dims + 1) <= MOST_PARAMETERS;
    let rows: Vec<usize> = if points.rows() <= MOST_REPORTS {
        (0..points.rows()).collect()
    } else {
        (0..MOST_REPORTS).map(|i| (i as u128 * points.rows() as u128 / MOST_REPORTS as u128) as usize).collect()
    };
    let scale = points.rows() as f64 / rows.len() as f64;
    // All centres and shares in one matrix, or a matrix for each centre and one for the shares.
    let sizes = if together { vec![k * dims + k] } else { std::iter::repeat_n(dims, k).chain([k]).collect() };
    let part = |rows: &[usize]| {
        let mut information: Vec<Matrix> = sizes.iter().map(|&size| Matrix::new(size)).collect();
        let mut scores = Scores::new(mixture, tables);
        let mut report = vec![0.0; dims];
        for &row in rows {
            points.copy_row(row, &mut report);
            scores.of(&report);
            let mut from = 0;
            for matrix in &mut information {
                matrix.add_square(&scores.values[from..from + matrix.size], scale);
                from += matrix.size;
            }
        }
        information
    };
    // A fixed number of parts, added in order: the number of threads changes nothing.
    let parts: Vec<Vec<Matrix>> = rows.par_chunks(rows.len().div_ceil(PARTS)).map(part).collect();
    let mut parts = parts.into_iter();
    // Unwrap safety: there are reports, so there is a part.
    let mut information = parts.next().unwrap();
    for part in parts {
        for (matrix, other) in information.iter_mut().zip(part) {
            matrix.add(&other);
        }
    }
    let (known, held) = (prior.pull(dims).max(1e-9), prior.reports.max(1e-3));
    let weights: Vec<f64> = mixture.ln_weights.iter().map(|&ln_weight| libm::exp(ln_weight)).collect();
    let mut variances = Vec::with_capacity(k * dims + k);
    for (number, mut matrix) in information.into_iter().enumerate() {
        let centres = if together {
            k * dims
        } else if number < k {
            dims
        } else {
            0
        };
        let known: Vec<f64> =
            (0..matrix.size).map(|i| if i < centres { known } else { held * weights[i - centres] }).collect();
        let mut known = Matrix::diagonal(&known);
        if matrix.size > centres {
            // Shares add up to one: nothing moves along the gradient of their sum, which is the shares themselves.
            let sum: Vec<f64> = std::iter::repeat_n(0.0, centres).chain(weights.iter().copied()).collect();
            known.add_square(&sum, CERTAIN * points.rows() as f64);
        }
        matrix.add(&known);
        // If the clusters were as round as the law says, the inverse of the information would do.
        let round =
            matrix.clone().factor().map_or_else(|| vec![1.0; matrix.size], |factor| factor.diagonal_of_inverse());
        let robust = together.then(|| curvature(points, &rows, mixture, tables, &round)).and_then(|mut curvature| {
            curvature.add(&known);
            curvature.factor().map(|factor| factor.diagonal_between(&matrix))
        });
        variances.extend(robust.unwrap_or(round));
    }
    let centre = |j: usize| variances[j * dims..(j + 1) * dims].iter().map(|v| v.sqrt()).collect();
    let share = |j: usize| weights[j] * variances[k * dims + j].sqrt();
    Errors { centres: (0..k).map(centre).collect(), shares: (0..k).map(|j| share(j).min(1.0)).collect() }
}

/// Minus the change of the summed scores per move of each parameter, measured across about one error to either side.
fn curvature(points: &ReportPoints, rows: &[usize], mixture: &Mixture, tables: &Profiles, variances: &[f64]) -> Matrix {
    let (size, centres) = (variances.len(), mixture.centres.len());
    // Fewer reports where there are many parameters: every one needs two passes.
    let most = (MOST_SCORES / size).max(FEWEST_REPORTS).min(rows.len());
    let some: Vec<usize> = (0..most).map(|i| rows[i * rows.len() / most]).collect();
    let scale = points.rows() as f64 / some.len() as f64;
    let columns: Vec<Vec<f64>> = (0..size)
        .into_par_iter()
        .map(|parameter| {
            let error = variances[parameter].sqrt();
            let step =
                if parameter < centres { error.min(0.1).max(2.0 * tables.spacing) } else { error.clamp(0.01, 0.5) };
            let sums = [step, -step].map(|step| {
                let mut moved = mixture.clone();
                if parameter < centres {
                    moved.centres[parameter] += step;
                } else {
                    moved.ln_weights[parameter - centres] += step;
                    let total: f64 = moved.ln_weights.iter().map(|&ln_weight| libm::exp(ln_weight)).sum();
                    moved.ln_weights.iter_mut().for_each(|ln_weight| *ln_weight -= libm::log(total));
                }
                let mut scores = Scores::new(&moved, tables);
                let (mut sum, mut report) = (vec![0.0; size], vec![0.0; mixture.dims]);
                for &row in &some {
                    points.copy_row(row, &mut report);
                    scores.of(&report);
                    sum.iter_mut().zip(&scores.values).for_each(|(sum, score)| *sum += score);
                }
                sum
            });
            sums[0].iter().zip(&sums[1]).map(|(up, down)| scale * (down - up) / (2.0 * step)).collect()
        })
        .collect();
    Matrix::symmetric(size, |i, j| 0.5 * (columns[i][j] + columns[j][i]))
}

/// The scores of one report after another.
struct Scores<'a> {
    mixture: &'a Mixture,
    tables: &'a Profiles,
    weights: Vec<f64>,
    /// For each centre and attribute, then for each share.
    values: Vec<f64>,
    logs: Vec<f64>,
}

impl<'a> Scores<'a> {
    fn new(mixture: &'a Mixture, tables: &'a Profiles) -> Self {
        let (k, dims) = (mixture.k(), mixture.dims);
        let weights = mixture.ln_weights.iter().map(|&ln_weight| libm::exp(ln_weight)).collect();
        Self { mixture, tables, weights, values: vec![0.0; k * dims + k], logs: vec![0.0; k] }
    }

    fn of(&mut self, report: &[f64]) {
        let (k, dims) = (self.mixture.k(), self.mixture.dims);
        for j in 0..k {
            let centre = &self.mixture.centres[j * dims..(j + 1) * dims];
            let gradient = &mut self.values[j * dims..(j + 1) * dims];
            let table = (self.tables, self.mixture.widths[j]);
            let mut log = self.mixture.ln_weights[j];
            if self.tables.per_attribute {
                for (i, to) in gradient.iter_mut().enumerate() {
                    let apart = report[i] - centre[i];
                    let (value, weight) = at(table, apart * apart);
                    log += value;
                    *to = weight * apart;
                }
            } else {
                let squared = report.iter().zip(centre).map(|(x, m)| (x - m).powi(2)).sum();
                let (value, weight) = at(table, squared);
                log += value;
                for (i, to) in gradient.iter_mut().enumerate() {
                    *to = weight * (report[i] - centre[i]);
                }
            }
            self.logs[j] = log;
        }
        let largest = self.logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let total: f64 = self.logs.iter().map(|log| libm::exp(log - largest)).sum();
        for j in 0..k {
            let share = libm::exp(self.logs[j] - largest) / total;
            for to in &mut self.values[j * dims..(j + 1) * dims] {
                *to *= share;
            }
            self.values[k * dims + j] = share - self.weights[j];
        }
    }
}

/// The table's value at a squared distance, and minus twice its slope there.
fn at((tables, width): (&Profiles, usize), squared: f64) -> (f64, f64) {
    let piece = ((squared.sqrt() / tables.spacing) as usize).min(PIECES - 1);
    let [value, slope] = tables.pieces[width][piece];
    let left = piece as f64 * tables.spacing;
    (f64::from(value) + f64::from(slope) * (squared - left * left), -2.0 * f64::from(slope))
}
