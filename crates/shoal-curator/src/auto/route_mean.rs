//! One noisy mean: what is left when nothing finer can be told.
//!
//! With few rows, many attributes and a small ε, k noisy centres are farther from the rows than one good one, and one noisy
//! centre may be farther than the middle of the box, which costs nothing. So the rows are clipped to a width that noise
//! can bear, their sum is released, and the means are pulled towards their common mean, and that one towards the middle, by what
//! noise alone accounts for (Lindley's form of the estimator of James and Stein). Scaled to their own bounds most columns
//! lean to the same side, so their common mean is worth more than the middle of the box.
//!
//! *Privacy.* One step of clipped sums without a count, with the whole budget. The width follows from public numbers.
//!
//! *Utility.* Noise of √((d + 1)(d + 2)/3)·w/(ε·n) on each coordinate, less what is pulled back; never much worse than the
//! middle of the box.
//!
//! *Runtime.* One scan.

use crate::Decision;
use crate::FitError;
use crate::auto::noise_size::step_sd;
use crate::auto::run::{Found, Run};
use crate::auto::steps::ReleasedSums;
use shoal_kernel::{LatticeCentres, Reach};
use shoal_lattice::HALF_WIDTH;
use shoal_release::Take;

/// Noise on the mean that is borne before rows are clipped: above it, the width is lowered in proportion.
const BEARABLE: f64 = 0.21;

/// Runs the route.
pub fn run(run: &mut Run<'_>) -> Result<Found, FitError> {
    let dims = run.dims();
    let unclipped = step_sd(dims, &run.felt(), 1.0) / run.rows;
    let width = (BEARABLE / unclipped).min(1.0);
    let (mean, _) = noisy_mean(run, 1000, width)?;
    run.decisions.push(Decision::OneCentre { rows: run.rows, columns: dims });
    Ok(Found {
        // Clipping trades noise for a bias of about the same size, so the noise that there would have been is told.
        variances: vec![unclipped * unclipped; dims],
        centres: mean,
        sizes: (Vec::new(), Vec::new()),
        cells: None,
        nicv: None,
        evidence: None,
        last_round: None,
    })
}

/// The noisy mean of rows clipped to `width` (half box widths around the middle), and the standard deviation of its noise,
/// for some thousandths of the budget.
pub fn noisy_mean(run: &mut Run<'_>, thousandths: u64, width: f64) -> Result<(Vec<f64>, f64), FitError> {
    let dims = run.dims();
    let half = f64::from(HALF_WIDTH);
    let width = ((width * half).round().max(1.0)) as u32;
    let middle = LatticeCentres::new(dims, vec![0; dims]);
    let reach = Reach::new(middle.clone(), vec![width; dims]);
    let part = run.part(thousandths);
    let released = ReleasedSums::clipped(run.releaser, &middle, &reach, Take::Sums, &part)?;
    let raw: Vec<f64> = (0..dims).map(|axis| released.sums.sum(0, axis) / half / run.rows).collect();
    let sd = released.sum_variance(0, 0).sqrt() / run.rows;
    Ok((towards_common_mean(&raw, sd).into_iter().map(|x| x.clamp(-1.0, 1.0)).collect(), sd))
}

/// Means pulled towards their common mean g, and g towards the middle, each by what noise of standard deviation `sd` alone
/// accounts for: g·(1 − s²/(d·g²))₊ + e·(1 − (d − 1)·s²/Σe²)₊ with e the differences from g.
fn towards_common_mean(raw: &[f64], sd: f64) -> Vec<f64> {
    let d = raw.len() as f64;
    let common = raw.iter().sum::<f64>() / d;
    let apart: Vec<f64> = raw.iter().map(|x| x - common).collect();
    let kept = |noise: f64, squares: f64| (1.0 - noise / squares.max(1e-12)).max(0.0);
    let own = kept((d - 1.0) * sd * sd, apart.iter().map(|e| e * e).sum());
    let common = common * kept(sd * sd, d * common * common);
    apart.iter().map(|e| common + own * e).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use shoal_noise::SeededNoise;
    use shoal_noise::uniform::normal_f64;

    #[test]
    fn without_noise_means_stay_and_noise_alone_becomes_the_middle() {
        for raw in [vec![0.5], vec![-0.2, 0.9, 0.1], vec![0.0, 0.0]] {
            let same = towards_common_mean(&raw, 0.0);
            assert!(same.iter().zip(&raw).all(|(a, b)| (a - b).abs() < 1e-12), "{same:?}");
            assert!(towards_common_mean(&raw, 10.0).iter().all(|x| x.abs() < 1e-12));
        }
        // One column has nothing to be pulled to but the middle: 0.5·(1 − 0.04/0.25).
        assert!((towards_common_mean(&[0.5], 0.2)[0] - 0.42).abs() < 1e-12);
    }

    #[test]
    fn columns_that_lean_to_one_side_are_nearer_to_the_truth() {
        let (truth, sd) = ([-0.7, -0.5, -0.6, -0.4, -0.65, -0.55, -0.5, -0.7], 0.3);
        let random = &mut SeededNoise::new(5);
        let (mut of_common, mut of_middle) = (0.0, 0.0);
        for _ in 0..2000 {
            let raw: Vec<f64> = truth.iter().map(|x| x + sd * normal_f64(random)).collect();
            let error = |found: &[f64]| found.iter().zip(&truth).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
            of_common += error(&towards_common_mean(&raw, sd));
            of_middle += error(&crate::auto::moments::shrunk_means(&raw, sd));
        }
        assert!(of_common < 0.6 * of_middle, "{of_common} {of_middle}");
    }
}
