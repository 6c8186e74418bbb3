//! How certain clusters of reports are: intervals, stability, and what the clusters explain. Post-processing of the reports.
//!
//! *Intervals* are about what the same clustering would give on the records, without privacy noise. For `noise-aware` they
//! are 1.96 standard errors (see `noise_aware/standard_error.rs`) or, where that is more, what a parametric bootstrap shows.
//! k-means and TK-means do not model the noise: part of their error is a bias that no simulation from their own result
//! shows in full, so their intervals are lower bounds (`at_least`).
//!
//! *Stability* is a parametric bootstrap: the clusters that were found are taken for the truth, records are drawn from them
//! and reports from the records by the same mechanism, and the reports are clustered again. A cluster is stable as often
//! as its centre comes back within half the distance to its nearest neighbour. With more than [`MOST_REPORTS`] reports
//! only so many are drawn, and distances are scaled by the root of the ratio: errors shrink like 1/√n.

use rayon::prelude::*;
use shoal_device::Client;
use shoal_kernel::assign_min_cost;
use shoal_lattice::{UnitPosition, Widths};
use shoal_noise::{NoiseSource, SeededNoise, uniform};

use crate::server::Clusters;
use crate::server::noise_aware::TriedK;
use crate::server::points::ReportPoints;
use crate::server::words::WordLaw;

/// Reports that are drawn in one bootstrap sample, at most.
const MOST_REPORTS: usize = 4_000;

/// Bootstrap samples.
const SAMPLES: usize = 20;

/// The 97.5 % quantile of the normal distribution: intervals have a confidence of 95 %.
const TWO_SIDED: f64 = 1.959_963_984_540_054;

/// A bootstrap error that exceeds the standard error by less is the scatter of so few samples.
const CLEARLY_MORE: f64 = 1.3;

/// How certain clusters of reports are. Every attribute is scaled to a width of one.
#[derive(Clone, Debug, PartialEq)]
pub struct Certainty {
    /// From where to where each coordinate of each centre may be without privacy noise, at 95 % confidence.
    pub centres: Vec<Vec<[UnitPosition; 2]>>,
    /// How far the same coordinate may be if everyone reported again.
    pub rerun: Vec<Vec<Widths>>,
    /// From where to where the share of each cluster may be.
    pub shares: Vec<[f64; 2]>,
    /// How often each cluster comes back when records and noise are drawn again, from 0 to 1.
    pub stability: Vec<f64>,
    /// Standard deviation of the records of each cluster in each attribute; empty when the method knows none.
    pub spread: Vec<Vec<Widths>>,
    /// The share of the records' variance that lies between the clusters.
    pub explained: Option<Explained>,
    /// The intervals are lower bounds: a part of the error is not known.
    pub at_least: bool,
    /// Whether the reports show clusters at all: numbers of clusters that were compared, from one upwards.
    pub tried: Vec<TriedK>,
}

/// An estimate with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Explained {
    /// The estimate, from 0 to 1.
    pub share: f64,
    /// The lower end of its interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// What is known about the error of a server method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorModel {
    /// It models the noise: standard errors are those of its estimates, and a bootstrap sample scatters about the truth.
    Known,
    /// It does not, so its results are biased by an unknown amount and scatter about something else.
    AtLeast,
}

impl Certainty {
    /// How certain clusters are that a method found in `rows` reports. `again` is the method, for other reports.
    pub fn of(
        found: &Clusters,
        client: &Client,
        rows: usize,
        model: ErrorModel,
        random: &mut dyn NoiseSource,
        again: impl Fn(&ReportPoints, &mut dyn NoiseSource) -> Clusters + Sync,
    ) -> Self {
        let drawn = rows.clamp(1, MOST_REPORTS).max(found.centres.len());
        // Errors shrink like 1/√n, so those of fewer reports are scaled down.
        let scale = (drawn as f64 / rows.max(1) as f64).sqrt().min(1.0);
        // Nothing private depends on this noise: the records are made up.
        let seed = random.next_u64();
        let refits: Vec<Clusters> = (0..SAMPLES as u64)
            .into_par_iter()
            .map(|sample| {
                let mut noise = SeededNoise::new(seed.wrapping_add(sample));
                let points = simulated(found, client, drawn, &mut noise);
                again(&points, &mut noise)
            })
            .collect();
        let found = &found.with_indicators(client);
        let refits: Vec<Clusters> = refits.iter().map(|refit| refit.with_indicators(client)).collect();
        let moved = Moved::new(found, &refits, model);
        let half = |j: usize, i: usize| {
            let error = found.centre_errors[j][i].0;
            let bootstrap = scale * moved.deviation(j, i);
            let error = if bootstrap > CLEARLY_MORE * error { bootstrap } else { error };
            Widths(TWO_SIDED * error.min(MOST_ERROR))
        };
        let (k, dims) = (found.centres.len(), client.parts().len());
        let halves: Vec<Vec<Widths>> = (0..k).map(|j| (0..dims).map(|i| half(j, i)).collect()).collect();
        let about = |centre: &Vec<UnitPosition>, halves: &Vec<Widths>| {
            centre.iter().zip(halves).map(|(x, half)| [x.0 - half.0, x.0 + half.0].map(UnitPosition)).collect()
        };
        let share = |(share, error): (&f64, &f64)| {
            [share - TWO_SIDED * error, share + TWO_SIDED * error].map(|end| end.clamp(0.0, 1.0))
        };
        Self {
            centres: found.centres.iter().zip(&halves).map(|(centre, halves)| about(centre, halves)).collect(),
            rerun: halves.iter().map(|row| row.iter().map(|h| Widths(h.0 * 2f64.sqrt())).collect()).collect(),
            shares: found.shares.iter().zip(&found.share_errors).map(share).collect(),
            stability: (0..k).map(|j| moved.stability(j, scale)).collect(),
            spread: found.widths.clone(),
            explained: explained_with_interval(found, &refits, scale),
            at_least: model == ErrorModel::AtLeast,
            tried: Vec::new(),
        }
    }
}

/// No interval of a record's coordinate needs to be wider than this to either side, in standard errors of a guess.
const MOST_ERROR: f64 = 1.0;

/// Reports of records that are drawn from the clusters.
fn simulated(found: &Clusters, client: &Client, rows: usize, noise: &mut SeededNoise) -> ReportPoints {
    let (dims, k) = (client.dims(), found.centres.len());
    let mut columns = vec![Vec::with_capacity(rows); dims];
    let (mut record, mut report) = (vec![0; dims], vec![0; dims]);
    for _ in 0..rows {
        let mut left = uniform::unit_f64(noise);
        let of = found.shares.iter().position(|share| {
            left -= share;
            left < 0.0
        });
        let of = of.unwrap_or(k - 1);
        for (i, to) in record[..client.numbers()].iter_mut().enumerate() {
            let deviation = found.widths.get(of).map_or(0.0, |widths| widths[i].0);
            let away = if deviation > 0.0 { deviation * uniform::normal_f64(noise) } else { 0.0 };
            *to = UnitPosition((found.centres[of][i].0 + away).clamp(0.0, 1.0)).nearest_steps().0;
        }
        let mut first = 0;
        for (word, to) in client.words().iter().zip(&mut record[client.numbers()..]) {
            let shares = &found.levels[of][first..first + word.outcomes()];
            let mut left = uniform::unit_f64(noise);
            let drawn = shares.iter().position(|share| {
                left -= share;
                left < 0.0
            });
            (*to, first) = (drawn.unwrap_or(0) as i64, first + word.outcomes());
        }
        client.report(&record, noise, &mut report);
        columns.iter_mut().zip(&report).for_each(|(column, &x)| column.push(x));
    }
    ReportPoints::of_reports(columns, &WordLaw::of_client(client))
}

/// How far clusters of bootstrap samples are from where they belong.
struct Moved {
    /// Where they belong.
    truth: Vec<Vec<f64>>,
    /// Per sample: the matched centres.
    matched: Vec<Vec<Vec<f64>>>,
}

impl Moved {
    fn new(found: &Clusters, refits: &[Clusters], model: ErrorModel) -> Self {
        let numbers = |clusters: &Clusters| -> Vec<Vec<f64>> {
            clusters.centres.iter().map(|centre| UnitPosition::numbers(centre)).collect()
        };
        let of_found = numbers(found);
        let against = |truth: &Vec<Vec<f64>>| -> Vec<Vec<Vec<f64>>> {
            refits.iter().map(|refit| matched(truth, &numbers(refit))).collect()
        };
        match model {
            ErrorModel::Known => Self { matched: against(&of_found), truth: of_found },
            ErrorModel::AtLeast => {
                // Biased methods scatter about the mean of their own results.
                let first = against(&of_found);
                let mean =
                    |j: usize, i: usize| first.iter().map(|sample| sample[j][i]).sum::<f64>() / first.len() as f64;
                let truth: Vec<Vec<f64>> =
                    (0..of_found.len()).map(|j| (0..of_found[j].len()).map(|i| mean(j, i)).collect()).collect();
                Self { matched: against(&truth), truth }
            }
        }
    }

    /// The root of the mean squared distance in one coordinate.
    fn deviation(&self, j: usize, i: usize) -> f64 {
        let squares = self.matched.iter().map(|sample| (sample[j][i] - self.truth[j][i]).powi(2));
        (squares.sum::<f64>() / self.matched.len() as f64).sqrt()
    }

    /// How often a centre comes back within half the distance to its nearest neighbour.
    fn stability(&self, j: usize, scale: f64) -> f64 {
        let others = (0..self.truth.len()).filter(|&other| other != j);
        let nearest = others.map(|other| squared(&self.truth[j], &self.truth[other])).fold(f64::INFINITY, f64::min);
        let back = |sample: &&Vec<Vec<f64>>| scale * scale * squared(&sample[j], &self.truth[j]) < 0.25 * nearest;
        self.matched.iter().filter(back).count() as f64 / self.matched.len() as f64
    }
}

/// The centres of `found` in the order of those of `truth` that they are nearest to, over all.
fn matched(truth: &[Vec<f64>], found: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let costs: Vec<f64> = truth.iter().flat_map(|a| found.iter().map(|b| squared(a, b))).collect();
    let partners = assign_min_cost(truth.len(), found.len(), &costs).column_of;
    partners.iter().enumerate().map(|(j, partner)| found[partner.unwrap_or(j)].clone()).collect()
}

fn squared(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum()
}

/// The share of the records' variance that lies between the clusters: 1 − variance within / variance in all. Nothing for
/// methods that do not know the spread of records.
pub(crate) fn explained(found: &Clusters) -> Option<f64> {
    if found.widths.is_empty() {
        return None;
    }
    let (mut between, mut within) = (0.0, 0.0);
    for i in 0..found.centres[0].len() {
        let middle: f64 = found.centres.iter().zip(&found.shares).map(|(centre, share)| share * centre[i].0).sum();
        for (j, share) in found.shares.iter().enumerate() {
            between += share * (found.centres[j][i].0 - middle).powi(2);
            within += share * found.widths[j][i].0.powi(2);
        }
    }
    Some(if between > 0.0 { between / (between + within) } else { 0.0 })
}

fn explained_with_interval(found: &Clusters, refits: &[Clusters], scale: f64) -> Option<Explained> {
    let share = explained(found)?;
    let squares = refits.iter().filter_map(explained).map(|again| (again - share).powi(2));
    let half = TWO_SIDED * scale * (squares.sum::<f64>() / refits.len() as f64).sqrt();
    Some(Explained { share, low: (share - half).max(0.0), high: (share + half).min(1.0) })
}
