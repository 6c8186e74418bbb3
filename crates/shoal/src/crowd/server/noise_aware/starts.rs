//! Where climbs begin. Under heavy noise reports say little about where centres are; under light noise, nearly all.

use shoal_noise::{NoiseSource, uniform};

use super::pass::Mixture;
use crate::crowd::server::points::ReportPoints;

/// Ways to draw a start, taken in turn.
const WAYS: usize = 3;

/// The `number`-th start for `k` clusters, all of the same share and width.
pub(super) fn start(
    points: &ReportPoints,
    k: usize,
    number: usize,
    width: usize,
    random: &mut dyn NoiseSource,
) -> Mixture {
    let dims = points.dims();
    let mut centres: Vec<f64> = match number % WAYS {
        0 => far_apart(points, k, random),
        1 => (0..k * dims).map(|_| uniform::unit_f64(random)).collect(),
        _ => {
            // Reports scatter more widely than records do: half of the way out from their mean.
            let mean = points.mean();
            let half_way = |x: f64, mean: &f64| mean + 0.5 * (x - mean);
            (0..k)
                .flat_map(|_| {
                    let row = points.row(uniform::below(random, points.rows() as u64) as usize);
                    row.into_iter().zip(&mean).map(|(x, mean)| half_way(x, mean)).collect::<Vec<_>>()
                })
                .collect()
        }
    };
    for x in &mut centres {
        *x = x.clamp(0.0, 1.0);
    }
    Mixture { dims, centres, ln_weights: vec![-(k as f64).ln(); k], widths: vec![width; k] }
}

/// Reports drawn in proportion to their squared distance from those drawn before (k-means++).
fn far_apart(points: &ReportPoints, k: usize, random: &mut dyn NoiseSource) -> Vec<f64> {
    let clamped = |row: usize| points.row(row).iter().map(|x| x.clamp(0.0, 1.0)).collect::<Vec<f64>>();
    let mut centres = clamped(uniform::below(random, points.rows() as u64) as usize);
    let mut nearest = vec![f64::INFINITY; points.rows()];
    for _ in 1..k {
        let last = &centres[centres.len() - points.dims()..];
        for (row, nearest) in nearest.iter_mut().enumerate() {
            let squared: f64 = clamped(row).iter().zip(last).map(|(x, m)| (x - m).powi(2)).sum();
            *nearest = nearest.min(squared);
        }
        let mut left = uniform::unit_f64(random) * nearest.iter().sum::<f64>();
        let chosen = nearest.iter().position(|&squared| {
            left -= squared;
            left <= 0.0
        });
        centres.extend(clamped(chosen.unwrap_or(points.rows() - 1)));
    }
    centres
}

/// At most `most` of the reports, drawn with replacement when there are more.
pub(super) fn sample(points: &ReportPoints, most: usize, random: &mut dyn NoiseSource) -> Option<ReportPoints> {
    (points.rows() > most).then(|| {
        let rows: Vec<usize> = (0..most).map(|_| uniform::below(random, points.rows() as u64) as usize).collect();
        points.some(&rows)
    })
}
