//! The likelihood that a server maximises: it never falls, and it is that of the mechanism's density.

use rayon::prelude::*;
use shoal_crowd::server::ReportPoints;
use shoal_crowd::server::noise_aware::{Estimate, NoiseAware, Prior, Width};
use shoal_device::NoiseLaw;
use shoal_noise::SeededNoise;
use shoal_noise::uniform::{below, unit_f64};

use crate::crowd_support::server::{
    Groups, NAMES, ln_density, ln_likelihood, noisy_client, places, reported, squared, worst_fall,
};

/// Reports are added up in single precision: each logarithm is off by up to 2^-24 of itself, with either sign.
fn allowed(objectives: &[f64]) -> f64 {
    1e-7 * objectives.last().unwrap().abs() + 1e-4
}

#[test]
fn never_falls() {
    let priors = [Prior::NONE, Prior::WEAK, Prior { reports: 3.0, spread: 0.05, middle: f64::INFINITY }];
    let widths = [Width::None, Width::Shared, Width::PerCluster, Width::PerAttribute];
    // Five mechanisms, eight numbers of attributes, four widths and four numbers of clusters go round separately.
    let rounds: Vec<usize> = (0..60_usize)
        .into_par_iter()
        .map(|i| {
            let mut noise = SeededNoise::new(900 + i as u64);
            let (dims, k) = (1 + i % 8, 1 + i % 4 + i % 3);
            let epsilon = [1, 3, 8, 30][i / 2 % 4];
            let (client, law) = noisy_client(i % 5, epsilon, dims);
            let groups = Groups::random(dims, 1 + below(&mut noise, 4) as usize, 0.15, &mut noise);
            let (_, points) = reported(&groups, 200 + below(&mut noise, 1000) as usize, &client, i as u64);
            let how = NoiseAware { width: widths[i % 4], prior: priors[i / 3 % 3], starts: 3, ..NoiseAware::new(k) };
            let found = how.cluster(&points, law, &mut noise);
            let (fall, allowed) = (worst_fall(&found.objectives), allowed(&found.objectives));
            assert!(fall <= allowed, "{i}: {}, ε = {epsilon}, {how:?}: fell by {fall}, not {allowed}", NAMES[i % 5]);
            let rise = found.objectives.last().unwrap() - found.objectives[0];
            assert!(rise >= -allowed, "{i}: the last is the highest");
            found.objectives.len()
        })
        .collect();
    assert!(rounds.iter().sum::<usize>() > 5 * rounds.len(), "there were rounds to fall in: {rounds:?}");
}

/// One round of expectation and maximisation in doubles: the share of each report, then centres as weighted means.
fn round(points: &ReportPoints, law: NoiseLaw, centres: &[Vec<f64>], aware: bool) -> Vec<Vec<f64>> {
    let k = centres.len();
    let mut sums = vec![vec![0.0; points.dims()]; k];
    let mut weights = vec![0.0; k];
    for row in 0..points.rows() {
        let x = points.row(row);
        let densities: Vec<f64> = centres.iter().map(|m| ln_density(law, &x, m).exp()).collect();
        let total: f64 = densities.iter().sum();
        for j in 0..k {
            let towards = if aware { 1.0 / squared(&x, &centres[j]).sqrt().max(1e-6) } else { 1.0 };
            let weight = densities[j] / total * towards;
            weights[j] += weight;
            for (sum, x) in sums[j].iter_mut().zip(&x) {
                *sum += weight * x;
            }
        }
    }
    sums.iter().zip(weights).map(|(sum, weight)| sum.iter().map(|s| s / weight).collect()).collect()
}

/// What the check above must see: centres that are plain means of shares, as for a Gaussian, lower the likelihood.
#[test]
fn means_that_ignore_the_law_make_it_fall() {
    let (client, law) = noisy_client(2, 4, 2);
    let groups = Groups::alike(&[&[0.2, 0.3], &[0.8, 0.6]], 0.0);
    let (_, points) = reported(&groups, 400, &client, 5);
    let heights = |aware: bool| {
        let mut centres = vec![vec![0.25, 0.3], vec![0.75, 0.6]];
        let mut heights = vec![ln_likelihood(&points, law, &centres, &[0.5, 0.5])];
        for _ in 0..12 {
            centres = round(&points, law, &centres, aware);
            heights.push(ln_likelihood(&points, law, &centres, &[0.5, 0.5]));
        }
        heights
    };
    let (right, wrong) = (heights(true), heights(false));
    assert!(worst_fall(&right) <= allowed(&right), "{right:?}");
    assert!(worst_fall(&wrong) > 100.0 * allowed(&wrong), "{wrong:?}");
}

/// From one clustering to another, the stated logarithm changes as the exact density says.
#[test]
fn is_that_of_the_exact_density() {
    (0..15_usize).into_par_iter().for_each(|i| {
        let (dims, which) = (1 + i % 6, i % 5);
        let epsilon = [2, 6, 20][i / 5];
        let mut noise = SeededNoise::new(70 + i as u64);
        let (client, law) = noisy_client(which, epsilon, dims);
        let groups = Groups::random(dims, 3, 0.1, &mut noise);
        let (_, points) = reported(&groups, 1500, &client, i as u64);
        let found: Vec<(f64, f64)> = [1, 2, 3, 5]
            .into_iter()
            .map(|k| {
                let prior = if k == 2 { Prior::WEAK } else { Prior::NONE };
                let estimate = Estimate::Mode;
                let how =
                    NoiseAware { width: Width::None, prior, starts: 2, passes: 20, estimate, ..NoiseAware::new(k) };
                let found = how.cluster(&points, law, &mut noise);
                (found.ln_likelihood.unwrap(), ln_likelihood(&points, law, &places(&found.centres), &found.shares))
            })
            .collect();
        for (stated, exact) in &found[1..] {
            let (stated, exact) = (stated - found[0].0, exact - found[0].1);
            // Straight pieces between 2048 knots stand for the tip of the density, in each attribute for some laws.
            let off = (stated - exact).abs();
            assert!(off <= 3e-4 * exact.abs() + 0.04, "{i}: {}: {stated}, not {exact}", NAMES[which]);
        }
        // The check must distinguish this distribution from one of a rate a twentieth higher.
        let mutant = match law {
            NoiseLaw::Radial { rate, radius } => NoiseLaw::Radial { rate: 1.05 * rate, radius },
            NoiseLaw::PerAttribute { scale } => NoiseLaw::PerAttribute { scale: scale / 1.05 },
        };
        let estimate = Estimate::Mode;
        let how = |k: usize| NoiseAware { width: Width::None, starts: 2, passes: 20, estimate, ..NoiseAware::new(k) };
        let [one, three] = [1, 3].map(|k| how(k).cluster(&points, mutant, &mut noise));
        let stated = three.ln_likelihood.unwrap() - one.ln_likelihood.unwrap();
        let exact = ln_likelihood(&points, law, &places(&three.centres), &three.shares)
            - ln_likelihood(&points, law, &places(&one.centres), &one.shares);
        if exact > 20.0 {
            assert!((stated - exact).abs() > 5e-3 * exact, "{i}: {stated} and {exact} are of different laws");
        }
    });
}

/// Where the density has ended its decay a report says nothing: far reports leave the centre of near ones alone.
#[test]
fn reports_beyond_the_radius_pull_at_nothing() {
    let mut noise = SeededNoise::new(3);
    let law = NoiseLaw::Radial { rate: 10.0, radius: 0.5 };
    let near: Vec<f64> = (0..400).flat_map(|_| [0.3, 0.6].map(|m| m + 0.1 * (unit_f64(&mut noise) - 0.5))).collect();
    let with_far: Vec<f64> = near.iter().copied().chain((0..100).flat_map(|_| [1.4, 1.5])).collect();
    let how = NoiseAware { width: Width::None, prior: Prior::NONE, ..NoiseAware::new(1) };
    let [alone, beside] =
        [&near, &with_far].map(|rows| how.cluster(&ReportPoints::from_rows(2, rows), law, &mut SeededNoise::new(1)));
    let moved = squared(&places(&alone.centres)[0], &places(&beside.centres)[0]).sqrt();
    assert!(moved < 2e-3, "moved by {moved}");
    // Without a radius they do pull.
    let endless = NoiseLaw::Radial { rate: 10.0, radius: 1e6 };
    let drawn = how.cluster(&ReportPoints::from_rows(2, &with_far), endless, &mut SeededNoise::new(1));
    assert!(squared(&places(&alone.centres)[0], &places(&drawn.centres)[0]).sqrt() > 5e-3);
}
