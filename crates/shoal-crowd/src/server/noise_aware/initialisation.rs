//! Initialisations of EM. Under heavy noise reports carry little information about where centres are; under light noise,
//! nearly all of it.

use shoal_noise::{NoiseSource, uniform};

use crate::server::noise_aware::pass::{Density, Mixture};
use crate::server::points::{LANES, ReportPoints};

/// Ways to draw an initialisation, taken in turn.
const WAYS: usize = 3;

/// The standard deviation of records in an attribute that EM begins with, in widths of the box.
const DEVIATION: f64 = 0.04;

/// How much the words of one report count in the shares that a cluster begins with.
const PULLED: f64 = 0.3;

/// Clusters about these centres, all of the same share and standard deviation.
pub(super) fn alike(centres: Vec<f64>, dims: usize, density: &Density) -> Mixture {
    let k = centres.len() / dims;
    let (widths, variances) = match density {
        Density::Tables(tables) => (vec![tables.widths.len() / 3; k * dims], Vec::new()),
        Density::Scales(_) => (Vec::new(), vec![DEVIATION * DEVIATION; dims]),
    };
    Mixture { dims, centres, ln_weights: vec![-libm::log(k as f64); k], widths, variances, levels: Vec::new() }
}

/// The same clusters with standard deviations for another density to begin with.
pub(super) fn with_density(mixture: Mixture, density: &Density) -> Mixture {
    let Mixture { dims, centres, ln_weights, levels, .. } = mixture;
    Mixture { ln_weights, levels, ..alike(centres, dims, density) }
}

/// `count` initialisations for `k` clusters, all clusters of the same share and standard deviation.
pub(super) fn initialisations(
    points: &ReportPoints,
    k: usize,
    count: usize,
    density: &Density,
    random: &mut dyn NoiseSource,
) -> Vec<Mixture> {
    let mean = points.mean();
    (0..count)
        .map(|number| {
            let mut centres = match number % WAYS {
                0 => far_apart(points, k, random),
                1 => (0..k * points.dims()).map(|_| uniform::unit_f64(random)).collect(),
                _ => half_way_out(points, &mean, k, random),
            };
            for x in &mut centres {
                *x = x.clamp(0.0, 1.0);
            }
            let levels = levels(points, k, random);
            Mixture { levels, ..alike(centres, points.dims(), density) }
        })
        .collect()
}

/// Shares of words to begin with: those of all reports together, pulled in each cluster by the words of one report, so that
/// clusters that differ in their words alone are found as well.
pub(super) fn levels(points: &ReportPoints, k: usize, random: &mut dyn NoiseSource) -> Vec<f64> {
    let Some(words) = points.words() else { return Vec::new() };
    let of_cluster = |_| {
        let row = uniform::below(random, points.rows() as u64) as usize;
        let mut shares: Vec<f64> = words.overall().iter().map(|share| (1.0 - PULLED) * share).collect();
        words.of(row).for_each(|at| shares[at] += PULLED);
        shares
    };
    (0..k).flat_map(of_cluster).collect()
}

/// Reports scatter more widely than records do: some of them, half of the way out from their mean.
fn half_way_out(points: &ReportPoints, mean: &[f64], k: usize, random: &mut dyn NoiseSource) -> Vec<f64> {
    let mut centres = Vec::with_capacity(k * mean.len());
    for _ in 0..k {
        let row = points.row(uniform::below(random, points.rows() as u64) as usize);
        centres.extend(row.iter().zip(mean).map(|(x, mean)| mean + 0.5 * (x - mean)));
    }
    centres
}

/// Reports drawn in proportion to their squared distance from those drawn before (k-means++).
fn far_apart(points: &ReportPoints, k: usize, random: &mut dyn NoiseSource) -> Vec<f64> {
    let clamped = |row: usize| points.row(row).into_iter().map(|x| x.clamp(0.0, 1.0));
    let mut centres: Vec<f64> = clamped(uniform::below(random, points.rows() as u64) as usize).collect();
    let mut nearest = vec![f64::INFINITY; points.rows()];
    for _ in 1..k {
        let last = &centres[centres.len() - points.dims()..];
        for (tile, nearest) in nearest.chunks_mut(LANES).enumerate() {
            let mut squared = [0.0; LANES];
            for (values, m) in points.tile(tile).as_chunks::<LANES>().0.iter().zip(last) {
                for (sum, &x) in squared.iter_mut().zip(values) {
                    let apart = f64::from(x).clamp(0.0, 1.0) - m;
                    *sum += apart * apart;
                }
            }
            for (nearest, squared) in nearest.iter_mut().zip(squared) {
                *nearest = nearest.min(squared);
            }
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
