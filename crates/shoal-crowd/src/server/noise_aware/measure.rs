//! For measurements only: the same work, step by step. Not part of the interface.

use shoal_noise::NoiseSource;

use crate::server::Clusters;
use crate::server::noise_aware::initialisation::alike;
use crate::server::noise_aware::maximise::Em;
use crate::server::noise_aware::{Densities, NoiseAware};
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
    let densities = Densities::new(points, law, how.width);
    ended("tables");
    let found = how.best(points, &densities, random, ended);
    let clusters = how.clusters(points, &densities.density, &found);
    ended("standard errors");
    clusters
}

/// EM iterations from given centres, one after the other and without extrapolation. `measured` runs each; every
/// `per_width`-th of them also updates standard deviations, none when it is zero. Returns the logarithms of the likelihood.
pub fn rounds(
    how: &NoiseAware,
    points: &ReportPoints,
    law: NoiseLaw,
    centres: &[f64],
    (rounds, per_width): (usize, usize),
    measured: &mut dyn FnMut(&mut dyn FnMut()),
) -> Vec<f64> {
    let densities = Densities::new(points, law, how.width);
    let mut mixture = alike(centres.to_vec(), points.dims(), &densities.density);
    if let Some(words) = points.words() {
        mixture.levels = words.overall().repeat(mixture.k());
    }
    let em = Em { width: how.width, prior: how.prior, passes: rounds, least_gain: 0.0 };
    let mut objectives = Vec::with_capacity(rounds);
    for number in 0..rounds {
        let widths = per_width > 0 && number % per_width == 0;
        measured(&mut || {
            let (next, ln_likelihood) = em.round(mixture.clone(), points, &densities.density, widths);
            mixture = next;
            objectives.push(ln_likelihood);
        });
    }
    objectives
}
