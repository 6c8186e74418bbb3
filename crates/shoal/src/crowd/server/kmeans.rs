//! DKdP (YTL22, Algorithm 1, line 7): k-means on the reports, as if they were records.

use shoal_noise::NoiseSource;

use super::{Clusters, ReportPoints};
use crate::data::{HALF_WIDTH, LatticePoints};
use crate::plain::{Restarts, kmeans_restarts};

/// k-means from several k-means++ starts.
///
/// Centres are means of reports, so they may lie outside the records' box, and they are drawn to where the noise is: no
/// standard error would tell how far.
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
    let to_widths = |centre: &[f64]| centre.iter().map(|x| middle + x * half).collect();
    Clusters {
        centres: found.centres.chunks_exact(points.dims()).map(to_widths).collect(),
        shares: found.weights.iter().map(|weight| weight / points.rows() as f64).collect(),
        centre_errors: Vec::new(),
        share_errors: Vec::new(),
        widths: Vec::new(),
        ln_likelihood: None,
        climbed: Vec::new(),
    }
}
