//! The pooled estimate: centres that cost least on average over the posterior distribution.
//!
//! Where reports leave several divisions nearly equally likely, the most likely one is a poor answer: it is one end of a
//! ridge. What is wanted is the k centres c with the least expected cost for the records,
//!
//!   E over draws of Σ_j w_j·(min_c ‖m_j − c‖² + d·s²),
//!
//! and those are found by k-means on the centres m_j of all draws, each weighted by its share w_j. Where nothing can be
//! told, the centres of the draws lie about everywhere, and the pooled ones move together towards the mean of the records:
//! one centre. The deviation of the draws from the pooled centres is their error.
//!
//! Draws come from chains that begin at the best optima (see `sampler`); a chain counts by how likely its draws are.

use rayon::prelude::*;
use shoal_kernel::assign_min_cost;
use shoal_lattice::{UnitPosition, Widths};
use shoal_noise::{NoiseSource, SeededNoise, uniform};

use crate::server::Clusters;
use crate::server::noise_aware::maximise::Optimum;
use crate::server::noise_aware::pass::Density;
use crate::server::noise_aware::prior::Prior;
use crate::server::noise_aware::sampler::{Draw, Posterior};
use crate::server::points::ReportPoints;

/// Trajectories of a chain before its draws count, and draws of all chains together.
const WARM_UP: usize = 12;
const DRAWS: usize = 60;

/// Restarts of k-means on the centres of the draws, and iterations of each.
const RESTARTS: usize = 8;
const ITERATIONS: usize = 30;

/// A draw with its weight.
struct Weighted {
    draw: Draw,
    weight: f64,
}

/// The pooled clusters, from the clusters at the best optimum. Nothing where no chain can be run.
pub(super) fn pooled(
    points: &ReportPoints,
    density: &Density,
    prior: Prior,
    optima: &[Optimum],
    best: &Clusters,
) -> Option<Clusters> {
    let posterior = Posterior { points, density, prior };
    let seed = seed(points);
    let chains: Vec<Option<Vec<Draw>>> = optima
        .par_iter()
        .enumerate()
        .map(|(number, from)| {
            let mut random = SeededNoise::new(seed.wrapping_add(number as u64));
            posterior.chain(from, WARM_UP, DRAWS.div_ceil(optima.len()), &mut random)
        })
        .collect();
    let draws = weighted(chains.into_iter().flatten().collect());
    if draws.is_empty() {
        return None;
    }
    let dims = points.dims();
    let atoms: Vec<(&[f64], f64)> = draws
        .iter()
        .flat_map(|one| {
            let shares = one.draw.mixture.ln_weights.iter().map(|&ln_weight| one.weight * libm::exp(ln_weight));
            one.draw.mixture.centres.chunks_exact(dims).zip(shares)
        })
        .collect();
    let start: Vec<f64> = best.centres.iter().flat_map(|centre| UnitPosition::numbers(centre)).collect();
    let (centres, shares) = cheapest_centres(&atoms, start, dims, &mut SeededNoise::new(seed));
    Some(summary(best, &draws, &centres, &shares, dims))
}

/// A number that the reports determine, in whatever order they came: the same reports have the same draws.
fn seed(points: &ReportPoints) -> u64 {
    let of_row = |row: usize| {
        // FNV-1a, on the bits of the coordinates.
        let bits = (0..points.dims()).map(|attribute| u64::from(points.value(row, attribute).to_bits()));
        bits.fold(0xcbf2_9ce4_8422_2325_u64, |hash, bits| (hash ^ bits).wrapping_mul(0x0100_0000_01b3))
    };
    (0..points.rows()).fold(0, |sum, row| sum.wrapping_add(of_row(row)))
}

/// Each chain counts by the mean of the logarithms of its draws' densities; draws of one chain count alike.
fn weighted(chains: Vec<Vec<Draw>>) -> Vec<Weighted> {
    let height = |chain: &Vec<Draw>| chain.iter().map(|draw| draw.ln_density).sum::<f64>() / chain.len() as f64;
    let heights: Vec<f64> = chains.iter().map(height).collect();
    let highest = heights.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> =
        heights.iter().zip(&chains).map(|(h, chain)| libm::exp(h - highest) / chain.len() as f64).collect();
    let total: f64 = weights.iter().zip(&chains).map(|(w, chain)| w * chain.len() as f64).sum();
    let of_chain = |(chain, weight): (Vec<Draw>, f64)| {
        chain.into_iter().map(move |draw| Weighted { draw, weight: weight / total }).collect::<Vec<_>>()
    };
    chains.into_iter().zip(weights).flat_map(of_chain).collect()
}

/// k-means on weighted points: the centres and their weights, by the least cost of several starts.
fn cheapest_centres(
    atoms: &[(&[f64], f64)],
    start: Vec<f64>,
    dims: usize,
    random: &mut dyn NoiseSource,
) -> (Vec<f64>, Vec<f64>) {
    let k = start.len() / dims;
    let mut starts = vec![start];
    for _ in 0..RESTARTS {
        starts.push(far_apart(atoms, k, random));
    }
    let found = starts.into_iter().map(|start| lloyd(atoms, start, dims));
    let best = found.min_by(|a, b| a.2.total_cmp(&b.2));
    // Unwrap safety: there is the given start.
    let (centres, shares, _) = best.unwrap();
    (centres, shares)
}

fn lloyd(atoms: &[(&[f64], f64)], mut centres: Vec<f64>, dims: usize) -> (Vec<f64>, Vec<f64>, f64) {
    let k = centres.len() / dims;
    let (mut weights, mut cost) = (vec![0.0; k], f64::INFINITY);
    for _ in 0..ITERATIONS {
        let (mut sums, mut next, mut total) = (vec![0.0; k * dims], vec![0.0; k], 0.0);
        for &(atom, weight) in atoms {
            let (nearest, away) = nearest(&centres, atom);
            total += weight * away;
            next[nearest] += weight;
            sums[nearest * dims..][..dims].iter_mut().zip(atom).for_each(|(sum, x)| *sum += weight * x);
        }
        weights = next;
        for j in (0..k).filter(|&j| weights[j] > 0.0) {
            for (to, sum) in centres[j * dims..][..dims].iter_mut().zip(&sums[j * dims..]) {
                *to = sum / weights[j];
            }
        }
        if cost - total <= 1e-9 * cost {
            break;
        }
        cost = total;
    }
    (centres, weights, cost)
}

fn nearest(centres: &[f64], x: &[f64]) -> (usize, f64) {
    let distances = centres.chunks_exact(x.len()).map(|centre| squared(centre, x)).enumerate();
    distances.min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0, f64::INFINITY))
}

/// Atoms drawn in proportion to weight times squared distance from those drawn before (k-means++).
fn far_apart(atoms: &[(&[f64], f64)], k: usize, random: &mut dyn NoiseSource) -> Vec<f64> {
    let mut scores: Vec<f64> = atoms.iter().map(|(_, weight)| *weight).collect();
    let mut centres: Vec<f64> = Vec::new();
    for _ in 0..k {
        let mut left = uniform::unit_f64(random) * scores.iter().sum::<f64>();
        let chosen = scores.iter().position(|score| {
            left -= score;
            left <= 0.0
        });
        let centre = atoms[chosen.unwrap_or(atoms.len() - 1)].0;
        let first = centres.is_empty();
        centres.extend_from_slice(centre);
        for (score, (atom, weight)) in scores.iter_mut().zip(atoms) {
            let away = weight * squared(atom, centre);
            *score = if first { away } else { score.min(away) };
        }
    }
    centres
}

fn squared(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum()
}

/// The pooled clusters with the errors that the draws show.
fn summary(best: &Clusters, draws: &[Weighted], centres: &[f64], shares: &[f64], dims: usize) -> Clusters {
    let k = shares.len();
    let (mut errors, mut share_errors, mut variances) = (vec![0.0; k * dims], vec![0.0; k], vec![0.0; dims]);
    for Weighted { draw, weight } in draws {
        let of = &draw.mixture.centres;
        let costs: Vec<f64> =
            centres.chunks_exact(dims).flat_map(|a| of.chunks_exact(dims).map(|b| squared(a, b))).collect();
        let partners = assign_min_cost(k, k, &costs).column_of;
        for j in 0..k {
            let partner = partners[j].unwrap_or(j);
            for i in 0..dims {
                errors[j * dims + i] += weight * (of[partner * dims + i] - centres[j * dims + i]).powi(2);
            }
            share_errors[j] += weight * (libm::exp(draw.mixture.ln_weights[partner]) - shares[j]).powi(2);
        }
        for (sum, variance) in variances.iter_mut().zip(&draw.mixture.variances) {
            *sum += weight * variance;
        }
    }
    let own = |variance: &f64| Widths(variance.sqrt());
    Clusters {
        centres: centres
            .chunks_exact(dims)
            .map(|centre| centre.iter().map(|x| UnitPosition(x.clamp(0.0, 1.0))).collect())
            .collect(),
        shares: shares.to_vec(),
        centre_errors: errors.chunks_exact(dims).map(|row| row.iter().map(own).collect()).collect(),
        share_errors: share_errors.iter().map(|square| square.sqrt()).collect(),
        widths: if draws[0].draw.mixture.variances.is_empty() {
            best.widths.clone()
        } else {
            vec![variances.iter().map(own).collect(); k]
        },
        pooled_from: Some(draws.len()),
        ..best.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// k-means on weighted points, by hand: two atoms of weight 1 and 3 near each other, one far away.
    #[test]
    fn the_cheapest_centres_are_weighted_means() {
        let atoms: [(&[f64], f64); 3] = [(&[0.0, 0.0], 1.0), (&[0.4, 0.0], 3.0), (&[0.0, 10.0], 2.0)];
        let (centres, shares) = cheapest_centres(&atoms, vec![0.0, 9.0, 0.0, 10.0], 2, &mut SeededNoise::new(1));
        let mut found: Vec<(Vec<f64>, f64)> =
            centres.chunks_exact(2).map(<[f64]>::to_vec).zip(shares.iter().copied()).collect();
        found.sort_by(|a, b| b.1.total_cmp(&a.1));
        for (x, y) in found[0].0.iter().zip([0.3, 0.0]) {
            assert!((x - y).abs() < 1e-12, "{found:?}");
        }
        assert_eq!((&found[1].0, found[0].1, found[1].1), (&vec![0.0, 10.0], 4.0, 2.0));
        // Mutant: without weights the first centre would be elsewhere.
        assert!((found[0].0[0] - 0.2).abs() > 0.05);
    }

    #[test]
    fn chains_count_by_how_likely_their_draws_are() {
        let mixture = crate::server::noise_aware::pass::Mixture {
            dims: 1,
            centres: vec![0.5],
            ln_weights: vec![0.0],
            widths: vec![0],
            variances: Vec::new(),
            levels: Vec::new(),
        };
        let chain = |ln_density: f64, count: usize| -> Vec<Draw> {
            (0..count).map(|_| Draw { mixture: mixture.clone(), ln_density }).collect()
        };
        let draws = weighted(vec![chain(-10.0, 4), chain(-10.0 - 2f64.ln(), 2)]);
        let total = |range: std::ops::Range<usize>| draws[range].iter().map(|one| one.weight).sum::<f64>();
        assert!((total(0..4) - 2.0 / 3.0).abs() < 1e-12 && (total(4..6) - 1.0 / 3.0).abs() < 1e-12);
        assert!(weighted(Vec::new()).is_empty());
    }
}
