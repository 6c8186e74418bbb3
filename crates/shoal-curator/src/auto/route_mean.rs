//! One noisy mean: what is left when nothing finer can be told.
//!
//! With few rows, many attributes and a small ε, k noisy centres are farther from the rows than one good one, and one noisy
//! centre may be farther than the middle of the box, which costs nothing. So the rows are clipped to a width that noise
//! can bear, their sum is released, and the mean is pulled towards the middle by what noise alone accounts for.
//!
//! *Privacy.* One [`ClippedStep`] without a count, with the whole budget. The width follows from public numbers.
//!
//! *Utility.* Noise of √((d + 1)(d + 2)/3)·w/(ε·n) on each coordinate, less what is pulled back; never much worse than the
//! middle of the box.
//!
//! *Runtime.* One scan.

use crate::ClippedStep;
use crate::Decision;
use crate::FitError;
use crate::auto::moments::shrunk_means;
use crate::auto::noise_size::step_sd;
use crate::auto::run::{Found, Run};
use shoal_kernel::{LatticeCentres, Reach};
use shoal_lattice::HALF_WIDTH;

/// Noise on the mean that is borne before rows are clipped: above it, the width is lowered in proportion.
const BEARABLE: f64 = 0.21;

/// Runs the route.
pub fn run(run: &mut Run<'_>) -> Result<Found, FitError> {
    let dims = run.scan.dims();
    let unclipped = step_sd(dims, &run.budget, 1.0) / run.rows;
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
    let dims = run.scan.dims();
    let half = f64::from(HALF_WIDTH);
    let width = ((width * half).round().max(1.0)) as u32;
    let middle = LatticeCentres::new(dims, vec![0; dims]);
    let step = ClippedStep::new(&Reach::new(middle.clone(), vec![width; dims]), &run.part(thousandths), false)?;
    let released = step.release(run.scan, &middle, run.accountant, run.noise)?;
    let raw: Vec<f64> = (0..dims).map(|axis| released.sum(0, axis) / half / run.rows).collect();
    let sd = step.sum_variance(0, 0).sqrt() / run.rows;
    Ok((shrunk_means(&raw, sd).into_iter().map(|x| x.clamp(-1.0, 1.0)).collect(), sd))
}
