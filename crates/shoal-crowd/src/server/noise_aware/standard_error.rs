//! How far off the clusters may be: standard errors from the scores of the reports.
//!
//! The score of a report is the gradient of the logarithm of its density: share · weight · (x − m_j) for centre j, share −
//! w_j for the logarithm of a share, and, with one standard deviation per attribute, ½·Σ share·s²·((x−m)²/(u+s²)² − 1/(u+s²))
//! for the logarithm of a variance. The sum V of their outer products estimates the information that the reports carry, and
//! its inverse the covariance of the estimates, if clusters have the shape that the model assumes. They need not have it,
//! so V goes between two factors of the inverse curvature H of the likelihood (Huber's sandwich, H⁻¹VH⁻¹, which is the same
//! where the model is right). The curvature is how fast the sum of the scores changes when a parameter moves by about its
//! error. (The sum of second derivatives would not do: e^(-k·distance) has its curvature at the tip, where no report is.)
//! The information in the prior is added, so that where reports carry none the error is that of the prior and not infinite.

use rayon::prelude::*;

use crate::server::noise_aware::matrix::Matrix;
use crate::server::noise_aware::pass::{ByDistance, Density, Mixture, Sums, pass};
use crate::server::noise_aware::prior::Prior;
use crate::server::noise_aware::profile::Profiles;
use crate::server::noise_aware::scales::Scales;
use crate::server::noise_aware::scores::{ScaleScores, Scores, TableScores};
use crate::server::points::ReportPoints;
use crate::server::words::Words;

/// Reports whose scores are added up, at most; of more, evenly spaced ones are taken.
const MOST_REPORTS: usize = 20_000;

/// Parts that the reports are cut into.
const PARTS: usize = 8;

/// Parameters whose covariances are all estimated. Beyond it, each centre is taken by itself.
const MOST_PARAMETERS: usize = 400;

/// Scores added up for one column of the curvature, times columns; and reports that are taken at least.
const MOST_SCORES: usize = 1_000_000;
const FEWEST_REPORTS: usize = 2_000;

/// The same for passes, which take sixteen reports at once.
const MOST_PASSED: usize = 500_000;

/// Information about what is known for certain, in reports' worth.
const CERTAIN: f64 = 1e6;

/// Precision of the prior on the logarithm of a variance: a standard deviation of two.
const VARIANCE_PRECISION: f64 = 0.25;

/// Standard errors in widths.
pub(super) struct Errors {
    pub centres: Vec<Vec<f64>>,
    pub shares: Vec<f64>,
    /// Per cluster: of the shares of its words.
    pub levels: Vec<Vec<f64>>,
}

/// The rows whose scores are added up.
fn rows_of(points: &ReportPoints) -> Vec<usize> {
    if points.rows() <= MOST_REPORTS {
        (0..points.rows()).collect()
    } else {
        (0..MOST_REPORTS).map(|i| (i as u128 * points.rows() as u128 / MOST_REPORTS as u128) as usize).collect()
    }
}

/// The information V about the first `size` parameters: centres, logarithms of shares, logarithms of variances.
pub(super) fn information(points: &ReportPoints, mixture: &Mixture, density: &Density, size: usize) -> Matrix {
    outer_products(points, &rows_of(points), mixture, density, &[size]).swap_remove(0)
}

/// Sums of the outer products of scores, a matrix for each stretch of `sizes` parameters.
fn outer_products(
    points: &ReportPoints,
    rows: &[usize],
    mixture: &Mixture,
    density: &Density,
    sizes: &[usize],
) -> Vec<Matrix> {
    let scale = points.rows() as f64 / rows.len() as f64;
    let part = |rows: &[usize]| {
        let mut information: Vec<Matrix> = sizes.iter().map(|&size| Matrix::new(size)).collect();
        let mut scores: Box<dyn Scores> = match density {
            Density::Tables(tables) => Box::new(TableScores::new(mixture, tables)),
            Density::Scales(scales) => Box::new(ScaleScores::new(mixture, scales)),
        };
        let mut report = vec![0.0; mixture.dims];
        let mut words = OfWords::new(points, mixture);
        for &row in rows {
            points.copy_row(row, &mut report);
            let values = scores.of(&report, words.of(row));
            let mut from = 0;
            for matrix in &mut information {
                matrix.add_square(&values[from..from + matrix.size], scale);
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
    information
}

/// The standard errors of a mixture that reports were clustered into.
pub(super) fn standard_errors(points: &ReportPoints, mixture: &Mixture, density: &Density, prior: &Prior) -> Errors {
    let (k, dims) = (mixture.k(), mixture.dims);
    let together = k * (dims + 1) <= MOST_PARAMETERS;
    let rows = rows_of(points);
    // All parameters in one matrix, or a matrix for each centre and one for the shares.
    let sizes = if together {
        vec![k * dims + k + mixture.variances.len()]
    } else {
        std::iter::repeat_n(dims, k).chain([k]).collect()
    };
    let information = outer_products(points, &rows, mixture, density, &sizes);
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
        let known: Vec<f64> = (0..matrix.size)
            .map(|i| match i.checked_sub(centres) {
                None => known,
                Some(share) => weights.get(share).map_or(VARIANCE_PRECISION, |weight| held * weight),
            })
            .collect();
        let mut known = Matrix::diagonal(&known);
        if matrix.size > centres {
            // Shares add up to one: nothing moves along the gradient of their sum, which is the shares themselves.
            let zeros = |count: usize| std::iter::repeat_n(0.0, count);
            let after = zeros(matrix.size - centres - k);
            let sum: Vec<f64> = zeros(centres).chain(weights.iter().copied()).chain(after).collect();
            known.add_square(&sum, CERTAIN * points.rows() as f64);
        }
        matrix.add(&known);
        // Were the clusters as the model assumes, the inverse of the information would do.
        let round =
            matrix.clone().factor().map_or_else(|| vec![1.0; matrix.size], |factor| factor.diagonal_of_inverse());
        let measured = || match density {
            Density::Tables(tables) => curvature(points, &rows, mixture, tables, &round),
            Density::Scales(scales) => scale_curvature(points, mixture, density, scales, &round),
        };
        let robust = together.then(measured).and_then(|mut curvature| {
            curvature.add(&known);
            curvature.factor().map(|factor| factor.diagonal_between(&matrix))
        });
        variances.extend(robust.unwrap_or(round));
    }
    let centre = |j: usize| variances[j * dims..(j + 1) * dims].iter().map(|v| v.sqrt()).collect();
    let share = |j: usize| weights[j] * variances[k * dims + j].sqrt();
    let levels = match points.words() {
        Some(words) => {
            let errors = words.errors(&mixture.levels, &confusion(points, mixture, density));
            errors.chunks_exact(words.outcomes()).map(<[f64]>::to_vec).collect()
        }
        None => Vec::new(),
    };
    let (centres, shares) = ((0..k).map(centre).collect(), (0..k).map(|j| share(j).min(1.0)).collect());
    Errors { centres, shares, levels }
}

/// Of each cluster: the variance of the mean of its reports' indicators, for an indicator of variance 1. One over the number of
/// its reports, where their clusters are certain; more, where clusters are confused with each other.
pub(super) fn confusion(points: &ReportPoints, mixture: &Mixture, density: &Density) -> Vec<f64> {
    let (k, dims, rows) = (mixture.k(), mixture.dims, rows_of(points));
    let scale = points.rows() as f64 / rows.len() as f64;
    let mut scores: Box<dyn Scores> = match density {
        Density::Tables(tables) => Box::new(TableScores::new(mixture, tables)),
        Density::Scales(scales) => Box::new(ScaleScores::new(mixture, scales)),
    };
    let weights: Vec<f64> = mixture.ln_weights.iter().map(|&ln_weight| libm::exp(ln_weight)).collect();
    let (mut report, mut words) = (vec![0.0; dims], OfWords::new(points, mixture));
    let mut products = Matrix::diagonal(&vec![1e-6; k]);
    for &row in &rows {
        points.copy_row(row, &mut report);
        let values = scores.of(&report, words.of(row));
        // The score of the logarithm of a share is the membership less the share.
        let memberships: Vec<f64> = (0..k).map(|j| values[k * dims + j] + weights[j]).collect();
        products.add_square(&memberships, scale);
    }
    // Rounding alone can make it fail: then nothing is known.
    products.factor().map_or_else(|| vec![1.0; k], |factor| factor.diagonal_of_inverse())
}

/// The logarithms of the probabilities of one report's words after another under each cluster.
struct OfWords<'a> {
    words: Option<(&'a Words, Vec<f64>)>,
    logs: Vec<f64>,
}

impl<'a> OfWords<'a> {
    fn new(points: &'a ReportPoints, mixture: &Mixture) -> Self {
        let words = points.words().map(|words| (words, words.logs(&mixture.levels)));
        Self { logs: if words.is_some() { vec![0.0; mixture.k()] } else { Vec::new() }, words }
    }

    fn of(&mut self, row: usize) -> &[f64] {
        if let Some((words, table)) = &self.words {
            words.add_logs(row, table, &mut self.logs);
        }
        &self.logs
    }
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
                let mut scores = TableScores::new(&moved, tables);
                let (mut sum, mut report) = (vec![0.0; size], vec![0.0; mixture.dims]);
                let mut words = OfWords::new(points, mixture);
                for &row in &some {
                    points.copy_row(row, &mut report);
                    sum.iter_mut().zip(scores.of(&report, words.of(row))).for_each(|(sum, score)| *sum += score);
                }
                sum
            });
            sums[0].iter().zip(&sums[1]).map(|(up, down)| scale * (down - up) / (2.0 * step)).collect()
        })
        .collect();
    Matrix::symmetric(size, |i, j| 0.5 * (columns[i][j] + columns[j][i]))
}

/// The same with one standard deviation per attribute, by whole passes: their sums are the sums of the scores.
fn scale_curvature(
    points: &ReportPoints,
    mixture: &Mixture,
    density: &Density,
    scales: &Scales,
    variances: &[f64],
) -> Matrix {
    let (k, dims, size) = (mixture.k(), mixture.dims, variances.len());
    let centres = k * dims;
    let most = (MOST_PASSED / size).max(FEWEST_REPORTS);
    let some = (points.rows() > most).then(|| {
        let rows: Vec<usize> = (0..most).map(|i| (i as u128 * points.rows() as u128 / most as u128) as usize).collect();
        points.some(&rows)
    });
    let some = some.as_ref().unwrap_or(points);
    let scale = points.rows() as f64 / some.rows() as f64;
    let columns: Vec<Vec<f64>> = (0..size)
        .into_par_iter()
        .map(|parameter| {
            let error = variances[parameter].sqrt();
            let step = if parameter < centres { error.clamp(1e-3, 0.1) } else { error.clamp(0.01, 0.5) };
            let sums = [step, -step].map(|step| {
                let mut moved = mixture.clone();
                if parameter < centres {
                    moved.centres[parameter] += step;
                } else if parameter < centres + k {
                    moved.ln_weights[parameter - centres] += step;
                    let total: f64 = moved.ln_weights.iter().map(|&ln_weight| libm::exp(ln_weight)).sum();
                    moved.ln_weights.iter_mut().for_each(|ln_weight| *ln_weight -= libm::log(total));
                } else {
                    moved.variances[parameter - centres - k] *= libm::exp(step);
                }
                summed_scores(some, &moved, density, scales)
            });
            sums[0].iter().zip(&sums[1]).map(|(up, down)| scale * (down - up) / (2.0 * step)).collect()
        })
        .collect();
    Matrix::symmetric(size, |i, j| 0.5 * (columns[i][j] + columns[j][i]))
}

fn summed_scores(points: &ReportPoints, mixture: &Mixture, density: &Density, scales: &Scales) -> Vec<f64> {
    let (k, dims) = (mixture.k(), mixture.dims);
    let sums = pass(points, mixture, density, ByDistance::No);
    let of_centre = |at: usize| sums.moments[at] - mixture.centres[at] * sums.pulls[at];
    let of_share = |j: usize| sums.shares[j] - points.rows() as f64 * libm::exp(mixture.ln_weights[j]);
    let of_variance = |i: usize| variance_score(&sums, mixture, scales, i);
    (0..k * dims).map(of_centre).chain((0..k).map(of_share)).chain((0..dims).map(of_variance)).collect()
}

/// The sum of the scores of the logarithm of one attribute's variance.
pub(super) fn variance_score(sums: &Sums, mixture: &Mixture, scales: &Scales, attribute: usize) -> f64 {
    let (dims, variance) = (mixture.dims, mixture.variances[attribute]);
    let of_node = |(q, u): (usize, &f64)| {
        let precision = 1.0 / (u + variance);
        precision * (sums.squares[q * dims + attribute] * precision - sums.by_node[q])
    };
    0.5 * variance * scales.variances.iter().enumerate().map(of_node).sum::<f64>()
}
