//! Rounds that move centres to where their rows are: noisy sums of clipped distances from the centre.
//!
//! In each round every row goes to the nearest centre and is measured from it, attribute by attribute, at most as far as a
//! few standard deviations of the cluster, which the synopsis tells. So the noise is made for the width of a cluster, not
//! for that of the box, and how many rows a cluster has is known from the synopsis. Displacements are cleaned of
//! noise: in the first round together ([`shrink_singular_values`]), later each by how much it can still be expected to
//! move (a Kalman filter: what is known of a centre after a round has a variance, and clusters that still change add to it).
//!
//! *Privacy.* One step of clipped sums without counts per round, with equal parts of the budget, and all that is left for the last one
//! once centres stand still; the losses add. The number of rounds and the reach follow from what was released before.
//!
//! *Utility.* Excess of a round: Σ_j n_j/n·Σ_i (κ·s_ji·σ/n_j)², with σ the noise for half-width 1.
//!
//! *Runtime.* One scan per round.

use shoal_privacy::Amount;

use crate::FitError;
use crate::StepBudget;
use crate::auto::noise_size::{felt, step_sd};
use crate::auto::placed_cells::{CellClusters, PlacedCells};
use crate::auto::singular_shrinkage::shrink_singular_values;
use crate::auto::steps::ReleasedSums;
use shoal_kernel::{LatticeCentres, Reach};
use shoal_lattice::HALF_WIDTH;
use shoal_release::{Releaser, Take};

/// Rounds at most: later ones find little, and each takes from the others.
const MOST_ROUNDS: u32 = 8;

/// Centres have settled when a round moves them, squared, by less than this part of the NICV.
const SETTLED: f64 = 5e-4;

/// Or when the noise accounts for all but this many times itself of how far they moved, squared.
const STILL: f64 = 1.0;

/// A further round is worth its price when its noise costs less than this part of the NICV.
const ROUND_WORTH: f64 = 0.03;

/// Half-widths are at least this many standard deviations of the cluster: clipping a normal cluster there costs little.
const LEAST_REACH: f64 = 1.5;

/// And at most this many, where noise is so small that even rare rows may be counted in full.
const MOST_REACH: f64 = 3.0;

/// The reach grows until its noise costs this part of the NICV.
const REACH_WORTH: f64 = 0.001;

/// How much of its last displacement a centre may move again.
const DRIFT: f64 = 0.3;

/// Centres with what is known of their error.
pub struct Refined {
    /// Box units, centre after centre.
    pub centres: Vec<f64>,
    /// Variance of each coordinate's error from noise, box units.
    pub variances: Vec<f64>,
    /// Rounds that were run.
    pub rounds: u32,
    /// How far the rows wanted to move each coordinate in the last round, without what noise accounts for, box units.
    pub last_moved: Vec<f64>,
}

/// Moves `centres` with all of `budget`.
pub fn refine(
    cells: &PlacedCells,
    mut centres: Vec<f64>,
    budget: &StepBudget,
    releaser: &mut dyn Releaser,
) -> Result<Refined, FitError> {
    let dims = releaser.dims();
    let felt = felt(budget, releaser.copies());
    let mut of_cells = cells.clusters(&centres);
    let nicv = of_cells.nicv();
    // What the noise of a round costs per squared standard deviation of reach, for `share` of the budget.
    let price = |clusters: &CellClusters, share: f64| {
        let sd = step_sd(dims, &felt, share);
        let of = |j: usize| clusters.variance(j).iter().sum::<f64>() * sd * sd / clusters.rows(j);
        let total: f64 = (0..clusters.count()).map(|j| clusters.rows(j)).sum();
        (0..clusters.count()).map(of).sum::<f64>() / total
    };
    let worth = |rounds: &u32| LEAST_REACH.powi(2) * price(&of_cells, 1.0 / f64::from(*rounds)) < ROUND_WORTH * nicv;
    let parts = (2..=MOST_ROUNDS).take_while(worth).last().unwrap_or(1);
    let mut variances: Option<Vec<f64>> = None;
    let mut moved = vec![0.0; centres.len()];
    let mut last_moved = moved.clone();
    let (mut left, mut rounds, mut settled) = (parts, 0, false);
    while left > 0 {
        // Once centres stand still, all that is left goes into one last round.
        let used = if settled { left } else { 1 };
        left -= used;
        let share = f64::from(used) / f64::from(parts);
        let part = budget.times(&Amount::ratio(used.into(), parts.into()));
        if rounds > 0 {
            of_cells = cells.clusters(&centres);
        }
        let affordable = (REACH_WORTH * nicv / price(&of_cells, share).max(1e-300)).sqrt();
        let kappa = affordable.clamp(LEAST_REACH, MOST_REACH);
        let start = LatticeCentres::from_unit(dims, &centres);
        let width = |(j, axis): (usize, usize)| {
            let width = kappa * of_cells.variance(j)[axis].sqrt() * f64::from(HALF_WIDTH);
            width.round().clamp(33.0, f64::from(Reach::MOST)) as u32
        };
        let places = (0..of_cells.count()).flat_map(|j| (0..dims).map(move |axis| (j, axis)));
        let reach = Reach::new(start.clone(), places.map(width).collect());
        let released = ReleasedSums::clipped(releaser, &start, &reach, Take::Sums, &part)?;
        let at = |i: usize| (i / dims, i % dims);
        let displacement =
            |i: usize| released.sums.sum(at(i).0, at(i).1) / f64::from(HALF_WIDTH) / of_cells.rows(at(i).0);
        moved = (0..centres.len()).map(displacement).collect();
        let deviation = |i: usize| released.sum_variance(at(i).0, at(i).1).sqrt() / of_cells.rows(at(i).0);
        let sd: Vec<f64> = (0..centres.len()).map(deviation).collect();
        let beyond_noise = |(moved, sd): (&f64, &f64)| (moved * moved - sd * sd).max(0.0).sqrt();
        last_moved = moved.iter().zip(&sd).map(beyond_noise).collect();
        let (taken, known) = match variances.take() {
            None => (shrink_singular_values(&moved, &sd, of_cells.count()), sd.iter().map(|sd| sd * sd).collect()),
            Some(known) => weigh(&known, &moved, &sd),
        };
        for (x, (from, taken)) in centres.iter_mut().zip(start.to_unit().iter().zip(&taken)) {
            *x = (from + taken).clamp(-1.0, 1.0);
        }
        let drifting: Vec<f64> =
            if left > 0 { moved.iter().map(|d| (DRIFT * d).powi(2)).collect() } else { vec![0.0; moved.len()] };
        // What noise alone would move the centres by says nothing about whether they still move.
        let square = |numbers: &[f64], j: usize| numbers[j * dims..][..dims].iter().map(|x| x * x).sum::<f64>();
        let weighted =
            |numbers: &[f64]| (0..of_cells.count()).map(|j| of_cells.rows(j) * square(numbers, j)).sum::<f64>();
        let all: f64 = (0..of_cells.count()).map(|j| of_cells.rows(j)).sum();
        let of_noise = weighted(&sd);
        settled = weighted(&moved) - of_noise < (SETTLED * nicv * all).max(STILL * of_noise);
        rounds += 1;
        variances = Some(known.iter().zip(&drifting).map(|(known, drift): (&f64, &f64)| known + drift).collect());
    }
    let variances = variances.unwrap_or_else(|| vec![0.0; moved.len()]);
    Ok(Refined { centres, variances, rounds, last_moved })
}

/// Displacements weighed against what is known already, and the variance that is left.
fn weigh(known: &[f64], moved: &[f64], sd: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let gain = |(known, sd): (&f64, &f64)| known / (known + sd * sd).max(1e-300);
    let gains: Vec<f64> = known.iter().zip(sd).map(gain).collect();
    let taken = gains.iter().zip(moved).map(|(gain, moved)| gain * moved).collect();
    (taken, gains.iter().zip(known).map(|(gain, known)| (1.0 - gain) * known).collect())
}
