//! Climbing the likelihood from one start, and never down.
//!
//! A round is one step of expectation and maximisation, in which the table is replaced by its tangent in squared distance
//! (see `profile`): centres become means with a weight per report, as for a geometric median. Under heavy noise rounds are
//! many and small, so every second one is followed by a leap along the two (Varadhan and Roland 2008, scheme S3); a leap
//! that lands lower is taken back.

use crate::server::noise_aware::Width;
use crate::server::noise_aware::pass::{ByDistance, Mixture, Sums, pass};
use crate::server::noise_aware::prior::Prior;
use crate::server::noise_aware::profile::Profiles;
use crate::server::points::ReportPoints;

/// Leaps between two updates of the widths, which need the shares by distance.
const LEAPS_PER_WIDTH: usize = 2;

/// How a climb goes and when it ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Climb {
    pub width: Width,
    pub prior: Prior,
    /// Passes over the reports, at most.
    pub passes: usize,
    /// Ends when a round raises the logarithm of the likelihood by less.
    pub least_gain: f64,
}

/// Where a climb has got to.
#[derive(Clone, Debug)]
pub(super) struct Reached {
    pub mixture: Mixture,
    /// Logarithm of likelihood and prior density, which is what was climbed.
    pub height: f64,
    /// Logarithm of the likelihood alone.
    pub ln_likelihood: f64,
    /// Heights that were kept, in order.
    pub heights: Vec<f64>,
}

/// A mixture with what a pass found of it.
struct Seen {
    mixture: Mixture,
    sums: Sums,
    height: f64,
}

impl Climb {
    /// Climbs from `start` until a round no longer helps.
    pub fn from(&self, start: Mixture, points: &ReportPoints, tables: &Profiles) -> Reached {
        let mut passes = 0;
        let mut look = |mixture: Mixture, widths: bool| {
            passes += 1;
            (self.look(mixture, points, tables, widths), passes)
        };
        let (mut at, mut spent) = look(start, true);
        let mut heights = vec![at.height];
        for leap in 0.. {
            let first = self.step(&at, tables);
            let (first, _) = look(first, false);
            let second = self.step(&first, tables);
            heights.push(first.height);
            if first.height - at.height < self.least_gain && leap >= LEAPS_PER_WIDTH || spent + 2 > self.passes {
                at = first;
                break;
            }
            let widths = leap % LEAPS_PER_WIDTH == 0;
            let leapt = leap_along(&at.mixture, &first.mixture, &second);
            let (landed, _) = look(leapt, widths);
            (at, spent) = if landed.height >= first.height { (landed, spent + 2) } else { look(second, widths) };
            heights.push(at.height);
        }
        Reached { ln_likelihood: at.sums.ln_likelihood, mixture: at.mixture, height: at.height, heights }
    }

    /// One round: the next mixture, and the logarithm of the likelihood of this one.
    pub fn round(&self, at: Mixture, points: &ReportPoints, tables: &Profiles, widths: bool) -> (Mixture, f64) {
        let seen = self.look(at, points, tables, widths);
        (self.step(&seen, tables), seen.sums.ln_likelihood)
    }

    /// What a pass finds of a mixture.
    fn look(&self, mixture: Mixture, points: &ReportPoints, tables: &Profiles, widths: bool) -> Seen {
        let by_distance = match self.width {
            Width::Shared if widths => ByDistance::Together,
            Width::PerCluster if widths => ByDistance::PerCluster,
            _ => ByDistance::No,
        };
        let sums = pass(points, &mixture, tables, by_distance);
        let height = sums.ln_likelihood + self.prior.ln_density(&mixture);
        Seen { mixture, sums, height }
    }

    /// The centres, weights and widths that do best against the tangents at the present ones.
    fn step(&self, at: &Seen, tables: &Profiles) -> Mixture {
        let mixture = &at.mixture;
        let mut sums = at.sums.clone();
        self.prior.add_to(&mut sums, mixture);
        let dims = mixture.dims;
        let total: f64 = sums.shares.iter().sum();
        let mut next = mixture.clone();
        for (ln_weight, share) in next.ln_weights.iter_mut().zip(&sums.shares) {
            *ln_weight = libm::log((share / total).max(1e-12));
        }
        for (at, centre) in next.centres.iter_mut().enumerate() {
            let pull = if tables.per_attribute { sums.pulls[at] } else { sums.pulls[at / dims] };
            if pull > 0.0 {
                // The tangent rises alike in all directions, so the best point of the box is the clamped one.
                *centre = (sums.moments[at] / pull).clamp(0.0, 1.0);
            }
        }
        if !sums.by_distance.is_empty() {
            next.widths = self.widths(&sums, tables, &mixture.widths);
            if next.widths != mixture.widths {
                // The tangents were those of the old widths: one or the other may move, not both.
                next.centres.clone_from(&mixture.centres);
            }
        }
        next
    }

    fn widths(&self, sums: &Sums, tables: &Profiles, present: &[usize]) -> Vec<usize> {
        let knots = sums.knots(tables.spacing);
        match self.width {
            Width::None => present.to_vec(),
            Width::PerCluster => {
                knots.iter().zip(present).map(|(knots, &width)| best_width(knots, tables, width)).collect()
            }
            Width::Shared => vec![best_width(&knots[0], tables, present[0]); present.len()],
        }
    }
}

/// The width under which the shares by distance are most likely, uphill from the present one.
fn best_width(knots: &[f64], tables: &Profiles, present: usize) -> usize {
    let score = |width: usize| knots.iter().zip(&tables.values[width]).map(|(share, value)| share * value).sum::<f64>();
    let mut best = (score(present), present);
    for upward in [true, false] {
        loop {
            let next = if upward { best.1 + 1 } else { best.1.wrapping_sub(1) };
            if next >= tables.widths.len() {
                break;
            }
            let found = score(next);
            if found <= best.0 {
                break;
            }
            best = (found, next);
        }
    }
    best.1
}

/// From three mixtures in a row, where many more such steps would lead.
fn leap_along(zeroth: &Mixture, first: &Mixture, second: &Mixture) -> Mixture {
    let values = |m: &Mixture| m.centres.iter().chain(&m.ln_weights).copied().collect::<Vec<_>>();
    let (a, b, c) = (values(zeroth), values(first), values(second));
    let stride: Vec<f64> = a.iter().zip(&b).map(|(a, b)| b - a).collect();
    let bend: Vec<f64> = stride.iter().zip(b.iter().zip(&c)).map(|(r, (b, c))| c - b - r).collect();
    let norm = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
    let mut leapt = second.clone();
    if norm(&bend) <= 1e-12 {
        return leapt;
    }
    let length = (norm(&stride) / norm(&bend)).clamp(1.0, 64.0);
    let at = |i: usize| a[i] + 2.0 * length * stride[i] + length * length * bend[i];
    for (i, centre) in leapt.centres.iter_mut().enumerate() {
        *centre = at(i).clamp(0.0, 1.0);
    }
    let from = second.centres.len();
    let logs: Vec<f64> = (0..second.k()).map(|j| at(from + j)).collect();
    let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let total = libm::log(logs.iter().map(|log| libm::exp(log - largest)).sum::<f64>()) + largest;
    for (ln_weight, log) in leapt.ln_weights.iter_mut().zip(logs) {
        *ln_weight = (log - total).max(-27.0);
    }
    leapt
}
