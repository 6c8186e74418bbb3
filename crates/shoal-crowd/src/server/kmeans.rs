//! DKdP (YTL22, Algorithm 1, line 7): k-means on the reports, as if they were records.

use shoal_noise::NoiseSource;
use shoal_privacy::MethodInfo;

use crate::catalogue::SERVER;
use crate::server::Clusters;
use crate::server::points::ReportPoints;
use shoal_kernel::{Restarts, kmeans_restarts};
use shoal_lattice::{HALF_WIDTH, LatticePoints, UnitPosition, Widths};

/// Its row in the catalogue.
pub(crate) const METHOD: MethodInfo = MethodInfo {
    name: "kmeans",
    status: "as published (DKdP); papers/YTL22.md",
    summary: "k-means on the reports as if they were records",
    options: &["inits", "iterations"],
    plus_minus: "two standard errors, with how far the noise moves such clusters added from a simulation",
    ..SERVER
};

/// Root mean square error of a guess that is uniform in the interval.
const BLIND: Widths = Widths(0.408_248_290_463_863);

/// k-means from several k-means++ initialisations.
///
/// Centres are means of reports, so they may lie outside the records' box, and they are drawn to where the noise is. The
/// errors are those of a mean; [`crate::server::simulated_error::with_simulated_error`] adds how far the noise has moved whole clusters.
pub fn kmeans_on_reports(points: &ReportPoints, how: &Restarts, random: &mut dyn NoiseSource) -> Clusters {
    // One scale for all attributes, so that distances stay in proportion.
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for row in 0..points.rows() {
        for attribute in 0..points.dims() {
            let x = f64::from(points.value(row, attribute));
            (low, high) = (low.min(x), high.max(x));
        }
    }
    let (middle, half) = (0.5 * (low + high), (0.5 * (high - low)).max(f64::MIN_POSITIVE));
    let scale = f64::from(HALF_WIDTH);
    let mut lattice = LatticePoints::with_capacity(points.dims(), points.rows());
    let mut cells = vec![0_i16; points.dims()];
    for row in 0..points.rows() {
        for (attribute, cell) in cells.iter_mut().enumerate() {
            *cell = ((f64::from(points.value(row, attribute)) - middle) / half * scale).round() as i16;
        }
        lattice.push_row(&cells);
    }
    let found = kmeans_restarts(&lattice, None, how, &mut || random.next_u64());
    let in_unit = |centre: &[f64]| centre.iter().map(|x| UnitPosition(middle + x * half)).collect();
    let centres: Vec<Vec<UnitPosition>> = found.centres.chunks_exact(points.dims()).map(in_unit).collect();
    let (centre_errors, shares) = errors_of_means(points, &centres);
    Clusters {
        share_errors: shares.iter().map(|share| (share * (1.0 - share) / points.rows() as f64).sqrt()).collect(),
        centres,
        shares,
        centre_errors,
        widths: Vec::new(),
        degrees_of_freedom: None,
        ln_likelihood: None,
        objectives: Vec::new(),
        levels: Vec::new(),
        level_errors: Vec::new(),
        pooled_from: None,
    }
}

/// The standard error of each coordinate of the mean of each cluster's reports, and the clusters' shares of the reports. A
/// cluster with fewer than two reports has the error of a blind guess.
fn errors_of_means(points: &ReportPoints, centres: &[Vec<UnitPosition>]) -> (Vec<Vec<Widths>>, Vec<f64>) {
    let centres: Vec<Vec<f64>> = centres.iter().map(|centre| UnitPosition::numbers(centre)).collect();
    let mut squares = vec![vec![0.0; points.dims()]; centres.len()];
    let mut counts = vec![0.0; centres.len()];
    for row in 0..points.rows() {
        let x = points.row(row);
        let distance = |centre: &Vec<f64>| centre.iter().zip(&x).map(|(m, x)| (x - m) * (x - m)).sum::<f64>();
        let nearest = centres.iter().map(distance).enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
        let label = nearest.map_or(0, |(label, _)| label);
        counts[label] += 1.0;
        for ((sum, x), m) in squares[label].iter_mut().zip(&x).zip(&centres[label]) {
            *sum += (x - m) * (x - m);
        }
    }
    let error =
        |square: &f64, count: f64| if count < 2.0 { BLIND } else { Widths((square / (count - 1.0) / count).sqrt()) };
    let errors = squares.iter().zip(&counts).map(|(s, &count)| s.iter().map(|s| error(s, count)).collect()).collect();
    (errors, counts.iter().map(|count| count / points.rows() as f64).collect())
}
