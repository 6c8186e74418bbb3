//! EM from one initialisation: the objective, ln likelihood + ln prior, never falls.
//!
//! An EM iteration replaces the logarithm of each report's density by a bound that touches it: for tables their tangent in
//! squared distance (see `profile`), for mixtures of Gaussians the mean over the nodes (see `scales`). Centres become means
//! with a weight per report, as for a geometric median. Under heavy noise iterations are many and small, so every second
//! one is followed by an extrapolation along the last two (Varadhan and Roland 2008, scheme S3), which is undone if it
//! lowers the objective.

use crate::server::noise_aware::Width;
use crate::server::noise_aware::pass::{ByDistance, Density, Mixture, Sums, pass};
use crate::server::noise_aware::prior::Prior;
use crate::server::noise_aware::profile::Profiles;
use crate::server::noise_aware::scales::{NARROWEST, Scales, WIDEST};
use crate::server::points::ReportPoints;

/// Extrapolations between two updates of standard deviations from tables, which need the shares by distance.
const EXTRAPOLATIONS_PER_WIDTH: usize = 2;

/// How EM runs and when it ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Em {
    pub width: Width,
    pub prior: Prior,
    /// Passes over the reports, at most.
    pub passes: usize,
    /// Ends when an iteration raises the objective by less.
    pub least_gain: f64,
}

/// Where EM ended.
#[derive(Clone, Debug)]
pub(super) struct Optimum {
    pub mixture: Mixture,
    /// Logarithm of likelihood and prior density, which is what was maximised.
    pub objective: f64,
    /// Logarithm of the likelihood alone.
    pub ln_likelihood: f64,
    /// The objective after each iteration that was kept.
    pub objectives: Vec<f64>,
}

/// A mixture with what a pass found of it.
struct Seen {
    mixture: Mixture,
    sums: Sums,
    objective: f64,
}

/// What an M step may move.
#[derive(Clone, Copy, PartialEq)]
enum Moves {
    All,
    /// Centres and weights only: this never lowers the objective.
    Centres,
}

impl Em {
    /// Iterates from an initialisation until an iteration no longer helps.
    pub fn from(&self, start: Mixture, points: &ReportPoints, density: &Density) -> Optimum {
        let mut passes = 0;
        let mut look = |mixture: Mixture, widths: bool| {
            passes += 1;
            (self.look(mixture, points, density, widths), passes)
        };
        let (mut at, mut spent) = look(start, true);
        let mut objectives = vec![at.objective];
        for round in 0.. {
            let (mut first, _) = look(self.step(&at, points, density, Moves::All), false);
            if first.objective < at.objective && matches!(density, Density::Scales(_)) {
                // The bound is maximised over centres and over deviations, each given the other: together they may do worse.
                (first, _) = look(self.step(&at, points, density, Moves::Centres), false);
            }
            let second = self.step(&first, points, density, Moves::All);
            objectives.push(first.objective);
            let gain = first.objective - at.objective;
            if gain < self.least_gain && round >= EXTRAPOLATIONS_PER_WIDTH || spent + 2 > self.passes {
                at = first;
                break;
            }
            let widths = round % EXTRAPOLATIONS_PER_WIDTH == 0;
            let (landed, _) = look(extrapolated(points, &at.mixture, &first.mixture, &second), widths);
            (at, spent) = if landed.objective >= first.objective {
                (landed, spent + 2)
            } else {
                let (landed, spent) = look(second, widths);
                if landed.objective >= first.objective || matches!(density, Density::Tables(_)) {
                    (landed, spent)
                } else {
                    look(self.step(&first, points, density, Moves::Centres), widths)
                }
            };
            objectives.push(at.objective);
        }
        Optimum { ln_likelihood: at.sums.ln_likelihood, mixture: at.mixture, objective: at.objective, objectives }
    }

    /// One iteration: the next mixture, and the logarithm of the likelihood of this one.
    pub fn round(&self, at: Mixture, points: &ReportPoints, density: &Density, widths: bool) -> (Mixture, f64) {
        let seen = self.look(at, points, density, widths);
        (self.step(&seen, points, density, Moves::All), seen.sums.ln_likelihood)
    }

    /// What a pass finds of a mixture (the E step).
    fn look(&self, mixture: Mixture, points: &ReportPoints, density: &Density, widths: bool) -> Seen {
        let by_distance = match (self.width, density) {
            (Width::Shared, _) if widths => ByDistance::Together,
            (Width::PerCluster, _) if widths => ByDistance::PerCluster,
            (Width::PerAttribute, Density::Tables(tables)) if widths => {
                if tables.per_attribute {
                    ByDistance::PerAttribute
                } else {
                    ByDistance::Together
                }
            }
            _ => ByDistance::No,
        };
        let sums = pass(points, &mixture, density, by_distance);
        let of_words = points.words().map_or(0.0, |words| words.ln_prior(&mixture.levels));
        let objective = sums.ln_likelihood + self.prior.ln_density(&mixture) + of_words;
        Seen { mixture, sums, objective }
    }

    /// The centres, weights and standard deviations that do best against the bound at the present ones (the M step).
    fn step(&self, at: &Seen, points: &ReportPoints, density: &Density, moves: Moves) -> Mixture {
        let mixture = &at.mixture;
        let mut sums = at.sums.clone();
        self.prior.add_to(&mut sums, mixture);
        let dims = mixture.dims;
        let total: f64 = sums.shares.iter().sum();
        let mut next = mixture.clone();
        for (ln_weight, share) in next.ln_weights.iter_mut().zip(&sums.shares) {
            *ln_weight = libm::log((share / total).max(1e-12));
        }
        if let Some(words) = points.words() {
            next.levels = words.step(&sums.by_word, &mixture.levels);
        }
        let per_attribute = density.per_attribute();
        for (at, centre) in next.centres.iter_mut().enumerate() {
            let pull = if per_attribute { sums.pulls[at] } else { sums.pulls[at / dims] };
            if pull > 0.0 {
                // The bound falls alike to both sides of its best point, so the best point of the box is the clamped one.
                *centre = (sums.moments[at] / pull).clamp(0.0, 1.0);
            }
        }
        match density {
            Density::Scales(scales) if moves == Moves::All => {
                for (i, variance) in next.variances.iter_mut().enumerate() {
                    *variance = scales_variance(scales, &sums, i, dims, *variance);
                }
            }
            Density::Tables(tables) if !sums.by_distance.is_empty() => {
                next.widths = self.widths(&sums, tables, mixture);
                if next.widths != mixture.widths {
                    // The tangents were those of the old deviations: one or the other may move, not both.
                    next.centres.clone_from(&mixture.centres);
                }
            }
            _ => {}
        }
        next
    }

    fn widths(&self, sums: &Sums, tables: &Profiles, mixture: &Mixture) -> Vec<usize> {
        let knots = sums.knots(tables.spacing);
        let (dims, present) = (mixture.dims, &mixture.widths);
        // The histogram that belongs to an attribute of a cluster.
        let histogram = |at: usize| match (self.width, knots.len()) {
            (_, 1) => 0,
            (Width::PerAttribute, _) => at % dims,
            _ => at / dims,
        };
        if self.width == Width::None {
            return present.clone();
        }
        let mut found: Vec<Option<usize>> = vec![None; knots.len()];
        (0..present.len())
            .map(|at| {
                let of = histogram(at);
                *found[of].get_or_insert_with(|| best_width(&knots[of], tables, present[at]))
            })
            .collect()
    }
}

fn scales_variance(scales: &Scales, sums: &Sums, attribute: usize, dims: usize, present: f64) -> f64 {
    let squares: Vec<f64> = sums.squares.iter().skip(attribute).step_by(dims).copied().collect();
    scales.best_variance(&sums.by_node, &squares, present)
}

/// The standard deviation under which the shares by distance are most likely, uphill from the present one.
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

/// From three mixtures in a row, where many more such iterations would lead.
fn extrapolated(points: &ReportPoints, zeroth: &Mixture, first: &Mixture, second: &Mixture) -> Mixture {
    let values = |m: &Mixture| -> Vec<f64> {
        let variances = m.variances.iter().map(|&v| 0.5 * libm::log(v));
        let levels = m.levels.iter().map(|&share| libm::log(share));
        m.centres.iter().chain(&m.ln_weights).copied().chain(variances).chain(levels).collect()
    };
    let (a, b, c) = (values(zeroth), values(first), values(second));
    let stride: Vec<f64> = a.iter().zip(&b).map(|(a, b)| b - a).collect();
    let bend: Vec<f64> = stride.iter().zip(b.iter().zip(&c)).map(|(r, (b, c))| c - b - r).collect();
    let norm = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
    let mut landed = second.clone();
    if norm(&bend) <= 1e-12 {
        return landed;
    }
    let length = (norm(&stride) / norm(&bend)).clamp(1.0, 64.0);
    let at = |i: usize| a[i] + 2.0 * length * stride[i] + length * length * bend[i];
    for (i, centre) in landed.centres.iter_mut().enumerate() {
        *centre = at(i).clamp(0.0, 1.0);
    }
    let from = second.centres.len();
    let logs: Vec<f64> = (0..second.k()).map(|j| at(from + j)).collect();
    let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let total = libm::log(logs.iter().map(|log| libm::exp(log - largest)).sum::<f64>()) + largest;
    for (ln_weight, log) in landed.ln_weights.iter_mut().zip(logs) {
        *ln_weight = (log - total).max(-27.0);
    }
    let from = from + second.k();
    for (i, variance) in landed.variances.iter_mut().enumerate() {
        *variance = libm::exp(at(from + i)).clamp(NARROWEST, WIDEST).powi(2);
    }
    if let Some(words) = points.words() {
        let from = from + second.variances.len();
        landed.levels = words.of_logs((0..second.levels.len()).map(|i| at(from + i)));
    }
    landed
}
