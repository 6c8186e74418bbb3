//! A noisy mean, and one round of Lloyd's algorithm around it in random directions: for few rows and many attributes.
//!
//! Start centres that are spread over the box are of no use where rows fill a small part of it. So a part of the budget buys
//! the mean, k start centres go out from it in random directions at right angles to each other, and the rest buys the sums
//! of the rows that each direction attracts. What the k sums have in common is the data's own directions, as in one step of
//! power iteration, and what they do not is noise, which goes ([`shrink_singular_values`]).
//!
//! Rows are clipped at a bound w from the mean, and the noise is made for w. Clipping a normal distribution of standard
//! deviation s at w leaves erf(w/(s·√2)) of a small displacement, so displacements are divided by that. The signal against
//! the noise goes as erf(w/(s·√2))/w: a narrow bound wins, as long as its bias is corrected.
//!
//! *Privacy.* Two steps of clipped sums, three tenths of the budget for the mean; the losses add. The noise is calibrated to the
//! same [`Reach`] that rows are clipped to.
//!
//! *Utility.* Where a cluster's own mean would be mostly noise: τ·k > 0.12, τ the noise on the mean with the whole budget. Not
//! for columns with two modes far apart, whose displacements a narrow bound hides.
//!
//! *Runtime.* Two scans.

use nalgebra::DMatrix;
use shoal_noise::NoiseSource;
use shoal_noise::uniform::normal_f64;

use crate::Decision;
use crate::FitError;
use crate::auto::noise_size::step_sd;
use crate::auto::route_mean::noisy_mean;
use crate::auto::run::{Found, Run};
use crate::auto::singular_shrinkage::shrink_singular_values;
use crate::auto::steps::ReleasedSums;
use shoal_kernel::{LatticeCentres, Reach};
use shoal_lattice::HALF_WIDTH;
use shoal_release::Take;

/// The mean's part of the budget, in thousandths.
pub const MEAN: u64 = 300;

/// How far from the mean a row counts at most, in half box widths.
const WIDTH: f64 = 0.4;

/// Standard deviation that an attribute is taken to have: the root of the plan's variance, about.
const SPREAD: f64 = 0.35;

/// How far the start centres are from the mean. The rows that each attracts do not depend on it, as long as all stay inside.
const STEP: f64 = 0.05;

/// Directions times the squared noise on the mean that is borne.
const BEARABLE: f64 = 0.012;

/// Runs the route.
pub fn run(run: &mut Run<'_>) -> Result<Found, FitError> {
    let dims = run.dims();
    let k = affordable(run.kmeans.k, step_sd(dims, &run.felt(), 1.0) / run.rows);
    let half = f64::from(HALF_WIDTH);
    let (mean, _) = noisy_mean(run, MEAN, 1.0)?;
    let out = directions(k, dims, run.releaser.randomness());
    let start: Vec<f64> =
        out.iter().enumerate().map(|(i, u)| mean[i % dims].clamp(STEP - 1.0, 1.0 - STEP) + STEP * u).collect();
    let from = LatticeCentres::from_unit(dims, &mean.repeat(k));
    let width = (WIDTH * half).round() as u32;
    let (start, reach) = (LatticeCentres::from_unit(dims, &start), Reach::new(from.clone(), vec![width; k * dims]));
    let part = run.part(1000 - MEAN);
    let released = ReleasedSums::clipped(run.releaser, &start, &reach, Take::SumsAndCounts, &part)?;
    // A direction that seems to attract hardly any rows has noise for a count.
    let least = 0.1 * run.rows / k as f64;
    let counts: Vec<f64> = (0..k).map(|j| released.sums.count(j).unwrap_or(0.0)).collect();
    let rows = |j: usize| counts[j].max(least).max(1.0);
    let at = |i: usize| (i / dims, i % dims);
    let kept = left_by_clipping();
    let moved: Vec<f64> =
        (0..k * dims).map(|i| released.sums.sum(at(i).0, at(i).1) / half / rows(at(i).0) / kept).collect();
    let sd: Vec<f64> =
        (0..k * dims).map(|i| released.sum_variance(at(i).0, at(i).1).sqrt() / rows(at(i).0) / kept).collect();
    let clean = shrink_singular_values(&moved, &sd, k);
    let centres = from.to_unit().iter().zip(&clean).map(|(from, by)| (from + by).clamp(-1.0, 1.0)).collect();
    let of_count = |j: usize| released.count_variance(j).unwrap_or(0.0).sqrt();
    let sizes = (counts.iter().map(|count| count.max(0.0)).collect(), (0..k).map(of_count).collect());
    let found = Found {
        centres,
        variances: sd.iter().map(|sd| sd * sd).collect(),
        sizes,
        cells: None,
        nicv: None,
        evidence: None,
        last_round: None,
    };
    let found = found.without_copies(dims);
    let (centres, asked) = (found.centres.len() / dims, run.kmeans.k);
    run.decisions.push(Decision::Directions { directions: k, found: centres, asked });
    Ok(found)
}

/// What clipping leaves of a displacement: erf(w/(s·√2)).
fn left_by_clipping() -> f64 {
    libm::erf(WIDTH / (SPREAD * std::f64::consts::SQRT_2))
}

/// How far noise reaches for a row, in half box widths, after the correction.
pub fn corrected_width() -> f64 {
    WIDTH / left_by_clipping()
}

/// How many directions noise can bear, two at least: each gets fewer rows the more there are, and its square falls with that.
fn affordable(k: usize, noise_on_mean: f64) -> usize {
    let bearable = (BEARABLE / noise_on_mean.powi(2)).round().clamp(2.0, 1e6) as usize;
    k.min(bearable)
}

/// k random directions, at right angles to each other as far as there is room.
fn directions(k: usize, dims: usize, noise: &mut dyn NoiseSource) -> Vec<f64> {
    let random = DMatrix::from_fn(dims, k, |_, _| normal_f64(noise));
    let at_right_angles = if k <= dims { random.qr().q() } else { random };
    let unit = |j: usize| {
        let column = at_right_angles.column(j).normalize();
        column.iter().copied().collect::<Vec<f64>>()
    };
    (0..k).flat_map(unit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use shoal_noise::SeededNoise;

    #[test]
    fn loud_noise_gets_fewer_directions() {
        assert_eq!([0.02, 0.055, 0.1, 10.0, 0.0].map(|noise| affordable(10, noise)), [10, 4, 2, 2, 10]);
        assert_eq!(affordable(1, 0.01), 1);
    }

    #[test]
    fn the_correction_is_what_clipping_takes_from_a_normal_distribution() {
        assert!((left_by_clipping() - 0.747).abs() < 1e-3);
        let random = &mut SeededNoise::new(3);
        let (shift, rows) = (0.02, 400_000);
        // Both signs of the same noise: what is left is the shift.
        let clipped = |x: f64| x.clamp(-WIDTH, WIDTH);
        let sum: f64 = (0..rows)
            .map(|_| {
                let z = SPREAD * normal_f64(random);
                clipped(shift + z) + clipped(shift - z)
            })
            .sum();
        let left = sum / (2.0 * f64::from(rows)) / shift;
        assert!((left / left_by_clipping() - 1.0).abs() < 0.01, "{left}");
    }

    #[test]
    fn directions_are_units_at_right_angles_while_there_is_room() {
        let found = directions(4, 6, &mut SeededNoise::new(1));
        for a in 0..4 {
            for b in 0..4 {
                let product: f64 = (0..6).map(|axis| found[a * 6 + axis] * found[b * 6 + axis]).sum();
                assert!((product - f64::from(u8::from(a == b))).abs() < 1e-9);
            }
        }
        let many = directions(5, 2, &mut SeededNoise::new(2));
        assert!(many.chunks(2).all(|u| (u[0].hypot(u[1]) - 1.0).abs() < 1e-9));
    }
}
