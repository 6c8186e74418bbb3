//! How far a method that does not know the noise is off because of it.
//!
//! k-means on reports divides the noise as well as the records, and a mixture of t distributions fits the noise only
//! roughly; no standard error shows how far that moves whole clusters. But the server can simulate it: it takes the clusters
//! that were found for the truth, makes reports of them with the same mechanism, and measures where the method puts them.

use shoal_noise::{NoiseSource, SeededNoise, uniform};

use crate::server::Clusters;
use crate::server::points::ReportPoints;
use shoal_device::Client;
use shoal_kernel::assign_min_cost;
use shoal_lattice::{Steps, UnitPosition, Widths};

/// Reports that are made up, at most.
const MOST_REPORTS: usize = 5_000;

/// The clusters, with the distance between made-up truth and what `method` finds of it added to the errors of the centres.
pub fn with_simulated_error(
    found: Clusters,
    client: &Client,
    rows: usize,
    random: &mut dyn NoiseSource,
    method: impl FnOnce(&ReportPoints, &mut dyn NoiseSource) -> Clusters,
) -> Clusters {
    // Nothing private rests on this noise: it is put on made-up records.
    let mut noise = SeededNoise::new(random.next_u64());
    let (dims, k) = (client.dims(), found.centres.len());
    let to_steps = |x: &UnitPosition| x.nearest_steps().0;
    let truth: Vec<Vec<i64>> = found.centres.iter().map(|centre| centre.iter().map(to_steps).collect()).collect();
    let mut columns = vec![Vec::new(); dims];
    let mut report = vec![0; dims];
    for _ in 0..rows.min(MOST_REPORTS).max(k) {
        let mut left = uniform::unit_f64(&mut noise);
        let of = found.shares.iter().position(|share| {
            left -= share;
            left < 0.0
        });
        client.report(&truth[of.unwrap_or(k - 1)], &mut noise, &mut report);
        columns.iter_mut().zip(&report).for_each(|(column, &x)| column.push(x));
    }
    let again = method(&ReportPoints::from_steps(&columns), &mut noise);
    let truth: Vec<Vec<UnitPosition>> =
        truth.iter().map(|centre| centre.iter().map(|&x| Steps(x).in_unit()).collect()).collect();
    let squared =
        |a: &[UnitPosition], b: &[UnitPosition]| a.iter().zip(b).map(|(a, b)| (a.0 - b.0).powi(2)).sum::<f64>();
    let costs: Vec<f64> = truth.iter().flat_map(|a| again.centres.iter().map(|b| squared(a, b))).collect();
    let partners = assign_min_cost(k, k, &costs).column_of;
    let with_shift = |(j, errors): (usize, &Vec<Widths>)| {
        // A k-means centre outside the box is off by what it lies outside, too.
        let partner = &again.centres[partners[j].unwrap_or(j)];
        let shift = |i: usize| (partner[i].0 - truth[j][i].0).abs().max((found.centres[j][i].0 - truth[j][i].0).abs());
        errors.iter().enumerate().map(|(i, error)| Widths(error.0.hypot(shift(i)))).collect()
    };
    let centre_errors = found.centre_errors.iter().enumerate().map(with_shift).collect();
    Clusters { centre_errors, ..found }
}
