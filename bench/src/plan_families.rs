//! Families of made-up tables for measuring forecasts: some set the constants of a forecast, others only check it.

use shoal_lattice::{HALF_WIDTH, LatticePoints};
use shoal_noise::uniform::{normal_f64, unit_f64};
use shoal_noise::{NoiseSource, SeededNoise};

/// A kind of made-up table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanFamily {
    /// Round Gaussian clusters, 8 standard deviations apart.
    Separated,
    /// Round Gaussian clusters, 5 standard deviations apart.
    Touching,
    /// Round Gaussian clusters, 3 standard deviations apart.
    Overlapping,
    /// As `Touching`, and the largest cluster has ten times the rows of the smallest.
    Unbalanced,
    /// Gaussian clusters whose spread differs by column and cluster, up to a factor of four.
    Elongated,
    /// Clusters are cubes that are filled evenly.
    Cubes,
    /// Student's t with three degrees of freedom in each column.
    HeavyTails,
    /// Exponential in each column: dense at one corner and thin away from it.
    Skewed,
    /// Gaussian clusters, and a tenth of the rows anywhere.
    Background,
    /// Gaussian clusters in which all columns rise and fall together.
    Correlated,
    /// Gaussian clusters with values rounded to one of 41.
    Rounded,
    /// Every second cluster has a third of the spread of the others.
    Uneven,
}

impl PlanFamily {
    /// Those that set the constants.
    pub const CALIBRATION: [Self; 4] = [Self::Separated, Self::Touching, Self::Overlapping, Self::Unbalanced];

    /// Those that set no constant of the formulas. They showed that clipping has a price where clusters are not Gaussian,
    /// and so set how small an error a forecast distinguishes.
    pub const CHECKED: [Self; 5] = [Self::Elongated, Self::Cubes, Self::HeavyTails, Self::Skewed, Self::Background];

    /// Those that were first measured when everything was set.
    pub const HELD_OUT: [Self; 3] = [Self::Correlated, Self::Rounded, Self::Uneven];

    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Separated => "separated",
            Self::Touching => "touching",
            Self::Overlapping => "overlapping",
            Self::Unbalanced => "unbalanced",
            Self::Elongated => "elongated",
            Self::Cubes => "cubes",
            Self::HeavyTails => "heavy-tails",
            Self::Skewed => "skewed",
            Self::Background => "background",
            Self::Correlated => "correlated",
            Self::Rounded => "rounded",
            Self::Uneven => "uneven",
        }
    }

    /// The distance of neighbouring centres, in standard deviations of a cluster.
    fn separation(self) -> f64 {
        match self {
            Self::Separated => 8.0,
            Self::Overlapping => 3.0,
            Self::Cubes | Self::Elongated => 4.0,
            _ => 5.0,
        }
    }

    /// A table of this kind, and the centres it was made from in box units, one after the other.
    pub fn table(self, rows: usize, dims: usize, k: usize, spread: f64, seed: u64) -> (LatticePoints, Vec<f64>) {
        let random = &mut SeededNoise::new(seed);
        let (centres, spread) = constellation(dims, k, self.separation(), spread, random);
        let scale = |i: usize| match self {
            Self::Elongated => 0.5 * 4f64.powf(unit_f64(random)),
            Self::Uneven if (i / dims).is_multiple_of(2) => 1.0 / 3.0,
            _ => 1.0,
        };
        let scales: Vec<f64> = (0..k * dims).map(scale).collect();
        let weights: Vec<f64> = (0..k).map(|j| self.weight(j, k)).collect();
        let total: f64 = weights.iter().sum();
        let mut points = LatticePoints::with_capacity(dims, rows);
        let mut row = vec![0; dims];
        for _ in 0..rows {
            let mut at = total * unit_f64(random);
            let j = weights.iter().position(|weight| {
                at -= weight;
                at < 0.0
            });
            let j = j.unwrap_or(k - 1);
            let stray = self == Self::Background && unit_f64(random) < 0.1;
            let shared = if self == Self::Correlated { normal_f64(random) } else { 0.0 };
            for (axis, place) in row.iter_mut().enumerate() {
                let x = if stray {
                    unit_f64(random)
                } else {
                    let own = self.draw(random);
                    let drawn = if self == Self::Correlated { 0.8 * shared + 0.6 * own } else { own };
                    centres[j * dims + axis] + spread * scales[j * dims + axis] * drawn
                };
                let x = if self == Self::Rounded { (40.0 * x).round() / 40.0 } else { x };
                *place = ((2.0 * x.clamp(0.0, 1.0) - 1.0) * f64::from(HALF_WIDTH)).round() as i16;
            }
            points.push_row(&row);
        }
        (points, centres.iter().map(|x| 2.0 * x - 1.0).collect())
    }

    fn weight(self, j: usize, k: usize) -> f64 {
        if self == Self::Unbalanced && k > 1 { 10f64.powf(-(j as f64) / (k - 1) as f64) } else { 1.0 }
    }

    /// A coordinate of a row, of mean 0 and variance 1.
    fn draw(self, random: &mut SeededNoise) -> f64 {
        match self {
            Self::Cubes => 12f64.sqrt() * (unit_f64(random) - 0.5),
            Self::HeavyTails => {
                let square: f64 = (0..3).map(|_| normal_f64(random).powi(2)).sum();
                normal_f64(random) / square.sqrt()
            }
            Self::Skewed => -(1.0 - unit_f64(random)).ln() - 1.0,
            _ => normal_f64(random),
        }
    }
}

/// k centres in [0.15, 0.85]^d, spread out, drawn together until neighbours are `separation` spreads apart; with less
/// spread where the box has no room for that.
fn constellation(dims: usize, k: usize, separation: f64, spread: f64, random: &mut dyn NoiseSource) -> (Vec<f64>, f64) {
    let mut centres: Vec<Vec<f64>> = Vec::new();
    while centres.len() < k {
        // The farthest of a few candidates.
        let candidates = (0..10).map(|_| (0..dims).map(|_| 0.15 + 0.7 * unit_f64(random)).collect::<Vec<f64>>());
        let nearest = |x: &Vec<f64>| centres.iter().map(|y| crate::squared(x, y)).fold(f64::INFINITY, f64::min);
        let best = candidates.max_by(|a, b| nearest(a).total_cmp(&nearest(b)));
        centres.extend(best);
    }
    let nearest = |j: usize| {
        let others = (0..k).filter(|&i| i != j).map(|i| crate::squared(&centres[i], &centres[j]).sqrt());
        others.fold(f64::INFINITY, f64::min)
    };
    let apart = (0..k).map(nearest).sum::<f64>() / k as f64;
    let (shrink, spread) =
        if separation * spread < apart { (separation * spread / apart, spread) } else { (1.0, apart / separation) };
    (centres.concat().iter().map(|x| 0.5 + shrink * (x - 0.5)).collect(), spread)
}
