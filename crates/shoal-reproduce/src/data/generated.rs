//! Made-up tables for data sets that are not at hand, so that every figure runs everywhere. They are named on the plot.
//!
//! Each has the shape of the data set and one of four kinds of structure, and depends on its name alone: the same table on
//! every machine. Nothing here was fitted to the real data, but for the width of the published mixtures. The kinds:
//!
//! | kind | how it is made |
//! |---|---|
//! | published | Gaussian clusters of equal sizes around the published centres (S1, S2) |
//! | groups | Gaussian clusters of unequal sizes around a sphere packing, a third of its radius wide (the reviews, seeds) |
//! | skewed | the same with every second attribute cubed away from zero, as counts and amounts are (Adult, Blood, Credit-card, Lifesci) |
//! | towns | Zipf-sized clusters, each as wide as its rank, on a background (Gowalla, TIGER) |
//! | colours | whole numbers from 0 to 255, all distinct: surfaces of one colour each, from shadow to light (Image) |
//! | walks | random walks of 80 steps in the bounds of the area, with a smooth height (roads) |
//! | shapes | two half moons, or rings around a cluster (two moons, Pathbased, Aggregation) |

use std::collections::HashSet;
use std::f64::consts::PI;

use sha2::{Digest, Sha256};
use shoal_curator::internals::sphere_packing;
use shoal_noise::uniform::{normal_f64, unit_f64};
use shoal_noise::{NoiseSource, SeededNoise};

use super::DataSet;
use super::mixtures::Mixture;

/// The structure of a made-up table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Gaussian clusters around published centres.
    Published(&'static Mixture),
    /// So many Gaussian clusters.
    Groups(usize),
    /// The same, with long tails.
    Skewed(usize),
    /// So many towns of very different sizes.
    Towns(usize),
    /// The distinct colours of a picture with so many surfaces.
    Colours(usize),
    /// Roads.
    Walks,
    /// Two half moons.
    Moons,
    /// So many rings around a cluster.
    Rings(usize),
}

impl Kind {
    /// In a few words.
    #[must_use]
    pub fn words(self) -> String {
        match self {
            Self::Published(mixture) => {
                format!("{} Gaussian clusters at the published centres", mixture.centres.len())
            }
            Self::Groups(k) => format!("{k} Gaussian clusters"),
            Self::Skewed(k) => format!("{k} clusters with long tails"),
            Self::Towns(k) => format!("{k} towns of very different sizes"),
            Self::Colours(k) => format!("the colours of {k} surfaces, from shadow to light"),
            Self::Walks => "random walks as roads".into(),
            Self::Moons => "two half moons".into(),
            Self::Rings(k) => format!("{k} rings around a cluster"),
        }
    }
}

/// A made-up table: rows of attributes, and the cluster that each belongs to.
pub struct MadeUpTable {
    /// The rows.
    pub rows: Vec<Vec<f64>>,
    /// The clusters.
    pub labels: Vec<usize>,
}

/// The table in the place of a data set.
#[must_use]
pub fn table(set: &DataSet) -> MadeUpTable {
    let mut seed = [0; 32];
    seed.copy_from_slice(&Sha256::digest(format!("made up: {}", set.file)));
    let noise = &mut SeededNoise::from_key(seed);
    let (rows, dims) = set.shape;
    match set.kind {
        Kind::Published(mixture) => published(rows, mixture, noise),
        Kind::Colours(k) => colours(rows, k, noise),
        Kind::Groups(k) => groups(rows, dims, k, false, noise),
        Kind::Skewed(k) => groups(rows, dims, k, true, noise),
        Kind::Towns(k) => towns(rows, dims, k, noise),
        Kind::Walks => walks(rows, noise),
        Kind::Moons => moons(rows, noise),
        Kind::Rings(k) => rings(rows, k, noise),
    }
}

/// One of these, by weight.
fn pick(weights: &[f64], noise: &mut dyn NoiseSource) -> usize {
    let mut left = unit_f64(noise) * weights.iter().sum::<f64>();
    let stop = weights.iter().position(|weight| {
        left -= weight;
        left < 0.0
    });
    stop.unwrap_or(weights.len() - 1)
}

/// Between the limits of the rows themselves, as SCL16's authors scale S1.
fn published(rows: usize, mixture: &Mixture, noise: &mut dyn NoiseSource) -> MadeUpTable {
    let k = mixture.centres.len();
    let labels: Vec<usize> = (0..rows).map(|row| row * k / rows).collect();
    let width = f64::from(mixture.deviation);
    let mut all: Vec<Vec<f64>> = Vec::with_capacity(rows);
    for &label in &labels {
        let (x, y) = mixture.centres[label];
        all.push([x, y].map(|at| f64::from(at) + width * normal_f64(noise)).to_vec());
    }
    for axis in 0..2 {
        let limits =
            all.iter().fold((f64::MAX, f64::MIN), |(low, high), row| (low.min(row[axis]), high.max(row[axis])));
        all.iter_mut().for_each(|row| row[axis] = 2.0 * (row[axis] - limits.0) / (limits.1 - limits.0) - 1.0);
    }
    MadeUpTable { rows: all, labels }
}

/// A picture's colours without repeats. A surface has one colour in all degrees of light, give or take a few steps of each
/// channel.
fn colours(rows: usize, k: usize, noise: &mut dyn NoiseSource) -> MadeUpTable {
    let surfaces: Vec<[f64; 3]> = (0..k).map(|_| [0; 3].map(|_| 60.0 + 190.0 * unit_f64(noise))).collect();
    let weights: Vec<f64> = (0..k).map(|j| 1.0 + j as f64 / k as f64).collect();
    let mut seen = HashSet::with_capacity(rows);
    let (mut all, mut labels) = (Vec::with_capacity(rows), Vec::with_capacity(rows));
    while all.len() < rows {
        let j = pick(&weights, noise);
        let light = 0.25 + 0.75 * unit_f64(noise);
        let colour = surfaces[j].map(|channel| (light * channel + 9.0 * normal_f64(noise)).round().clamp(0.0, 255.0));
        if seen.insert(colour.map(|channel| channel as u8)) {
            all.push(colour.to_vec());
            labels.push(j);
        }
    }
    MadeUpTable { rows: all, labels }
}

fn groups(rows: usize, dims: usize, k: usize, skewed: bool, noise: &mut dyn NoiseSource) -> MadeUpTable {
    let centres = sphere_packing(k, dims, noise);
    // Nearly the radius of the packing: how far the nearest two are apart.
    let apart = |i: usize, j: usize| -> f64 {
        (0..dims).map(|a| (centres[i * dims + a] - centres[j * dims + a]).powi(2)).sum::<f64>().sqrt()
    };
    let nearest = (0..k).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| apart(i, j)).fold(2.0, f64::min);
    let width = nearest / 6.0 / (dims as f64).sqrt().max(1.0) * 1.4;
    let weights: Vec<f64> = (0..k).map(|j| 1.0 + j as f64 / k as f64).collect();
    let (mut all, mut labels) = (Vec::with_capacity(rows), Vec::with_capacity(rows));
    for _ in 0..rows {
        let j = pick(&weights, noise);
        let row = (0..dims).map(|a| {
            let x = (centres[j * dims + a] + width * normal_f64(noise)).clamp(-1.0, 1.0);
            if skewed && a % 2 == 1 { ((x + 1.0) / 2.0).powi(3) } else { x }
        });
        all.push(row.collect());
        labels.push(j);
    }
    MadeUpTable { rows: all, labels }
}

fn towns(rows: usize, dims: usize, k: usize, noise: &mut dyn NoiseSource) -> MadeUpTable {
    let centres: Vec<f64> = (0..k * dims).map(|_| 1.8 * unit_f64(noise) - 0.9).collect();
    // The last one is the background, a twentieth of all.
    let mut weights: Vec<f64> = (0..k).map(|j| 1.0 / (1.0 + j as f64)).collect();
    weights.push(weights.iter().sum::<f64>() / 19.0);
    let (mut all, mut labels) = (Vec::with_capacity(rows), Vec::with_capacity(rows));
    for _ in 0..rows {
        let j = pick(&weights, noise);
        let width = 0.02 + 0.1 / (1.0 + j as f64).sqrt();
        let place = |a: usize, noise: &mut dyn NoiseSource| match j {
            j if j == k => 2.0 * unit_f64(noise) - 1.0,
            _ => (centres[j * dims + a] + width * normal_f64(noise)).clamp(-1.0, 1.0),
        };
        all.push((0..dims).map(|a| place(a, noise)).collect());
        labels.push(j.min(k - 1));
    }
    MadeUpTable { rows: all, labels }
}

/// Longitude, latitude and height in the north of Jutland, where the real roads are.
fn walks(rows: usize, noise: &mut dyn NoiseSource) -> MadeUpTable {
    const STEPS: usize = 80;
    const BOX: [(f64, f64); 2] = [(8.2, 11.2), (56.5, 57.75)];
    let (mut all, mut labels) = (Vec::with_capacity(rows), Vec::with_capacity(rows));
    let (mut at, mut heading) = ([0.0; 2], 0.0);
    for row in 0..rows {
        if row % STEPS == 0 {
            at = BOX.map(|(low, high)| low + (high - low) * unit_f64(noise));
            heading = 2.0 * PI * unit_f64(noise);
        }
        heading += 0.3 * normal_f64(noise);
        at = [at[0] + 0.003 * heading.cos(), at[1] + 0.0015 * heading.sin()];
        for (x, (low, high)) in at.iter_mut().zip(BOX) {
            *x = x.clamp(low, high);
        }
        let height = 25.0 + 20.0 * (3.0 * at[0]).sin() * (5.0 * at[1]).cos() + normal_f64(noise);
        all.push(vec![at[0], at[1], height.max(0.0)]);
        labels.push(row / STEPS);
    }
    MadeUpTable { rows: all, labels }
}

fn moons(rows: usize, noise: &mut dyn NoiseSource) -> MadeUpTable {
    let (mut all, mut labels) = (Vec::with_capacity(rows), Vec::with_capacity(rows));
    for row in 0..rows {
        let angle = PI * unit_f64(noise);
        let (x, y) = if row % 2 == 0 { (angle.cos(), angle.sin()) } else { (1.0 - angle.cos(), 0.5 - angle.sin()) };
        all.push(vec![x + 0.05 * normal_f64(noise), y + 0.05 * normal_f64(noise)]);
        labels.push(row % 2);
    }
    MadeUpTable { rows: all, labels }
}

/// A cluster in the middle and rings around it, all equally dense along their line.
fn rings(rows: usize, k: usize, noise: &mut dyn NoiseSource) -> MadeUpTable {
    let weights: Vec<f64> = (0..=k).map(|ring| 1.0 + 2.0 * ring as f64).collect();
    let (mut all, mut labels) = (Vec::with_capacity(rows), Vec::with_capacity(rows));
    for _ in 0..rows {
        let ring = pick(&weights, noise);
        let angle = 2.0 * PI * unit_f64(noise);
        let radius = ring as f64 * 3.0;
        let at = [radius * angle.cos(), radius * angle.sin()];
        all.push(at.iter().map(|x| x + 0.35 * normal_f64(noise)).collect());
        labels.push(ring);
    }
    MadeUpTable { rows: all, labels }
}
