//! For measurements only: the same work, step by step. Not part of the interface.

use shoal_noise::NoiseSource;

use crate::server::Clusters;
use crate::server::noise_aware::climb::Climb;
use crate::server::noise_aware::pass::Mixture;
use crate::server::noise_aware::{NoiseAware, tables_for};
use crate::server::points::ReportPoints;
use shoal_device::NoiseLaw;

/// [`NoiseAware::cluster`], which names every phase when it has ended.
pub fn cluster(
    how: &NoiseAware,
    points: &ReportPoints,
    law: NoiseLaw,
    random: &mut dyn NoiseSource,
    ended: &mut dyn FnMut(&'static str),
) -> Clusters {
    let tables = tables_for(points, law, how.width);
    ended("tables");
    let reached = how.climb(points, &tables, random, ended);
    let clusters = how.clusters(points, &tables, &reached);
    ended("standard errors");
    clusters
}

/// Rounds of expectation and maximisation from given centres, one after the other and without leaps. `measured` runs each;
/// every `per_width`-th of them also updates the widths, none when it is zero. Returns the logarithms of the likelihood.
pub fn rounds(
    how: &NoiseAware,
    points: &ReportPoints,
    law: NoiseLaw,
    centres: &[f64],
    (rounds, per_width): (usize, usize),
    measured: &mut dyn FnMut(&mut dyn FnMut()),
) -> Vec<f64> {
    let tables = tables_for(points, law, how.width);
    let k = centres.len() / points.dims();
    let mut mixture = Mixture {
        dims: points.dims(),
        centres: centres.to_vec(),
        ln_weights: vec![-(k as f64).ln(); k],
        widths: vec![tables.widths.len() / 3; k],
    };
    let climb = Climb { width: how.width, prior: how.prior, passes: rounds, least_gain: 0.0 };
    let mut heights = Vec::with_capacity(rounds);
    for number in 0..rounds {
        let widths = per_width > 0 && number % per_width == 0;
        measured(&mut || {
            let (next, ln_likelihood) = climb.round(mixture.clone(), points, &tables, widths);
            mixture = next;
            heights.push(ln_likelihood);
        });
    }
    heights
}
