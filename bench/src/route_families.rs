//! Made-up tables for measuring routes: families of shapes and sizes, some to set the rules by which `auto` chooses, others
//! only to check them.
//!
//! As with tables from elsewhere, the bounds of a column are its own minimum and maximum.

use shoal_lattice::{HALF_WIDTH, LatticePoints};
use shoal_noise::SeededNoise;
use shoal_noise::uniform::{normal_f64, unit_f64};

use crate::table_seed;

/// What the rows look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RouteFamily {
    /// Round Gaussian clusters of equal size, mostly apart.
    Round,
    /// The same, each with a bit more than half of the rows of the one before.
    Falling,
    /// Clusters that overlap, with three common factors, and skewed columns.
    Factors,
    /// Evenly spread over the box.
    Uniform,
    /// Student's t with three degrees of freedom about centres.
    HeavyTails,
    /// Long clusters, each in a direction of its own.
    Long,
    /// Exponential to one side in every column.
    Skewed,
    /// Gaussian clusters of unequal width and size, and a tenth of the rows anywhere.
    Background,
    /// Overlapping clusters, values rounded to one of 21.
    Rounded,
    /// One correlated Gaussian cloud.
    Cloud,
}

/// A family with a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MadeUp {
    /// What the rows look like.
    pub family: RouteFamily,
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub dims: usize,
    /// Clusters.
    pub k: usize,
}

impl RouteFamily {
    /// Those by which the rules were set.
    pub const CALIBRATION: [Self; 5] = [Self::Round, Self::Falling, Self::Factors, Self::Uniform, Self::HeavyTails];

    /// Those that were measured when the rules were set.
    pub const HELD_BACK: [Self; 5] = [Self::Long, Self::Skewed, Self::Background, Self::Rounded, Self::Cloud];

    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Round => "round",
            Self::Falling => "falling",
            Self::Factors => "factors",
            Self::Uniform => "uniform",
            Self::HeavyTails => "heavy-tails",
            Self::Long => "long",
            Self::Skewed => "skewed",
            Self::Background => "background",
            Self::Rounded => "rounded",
            Self::Cloud => "cloud",
        }
    }
}

/// Rows, columns and clusters by which the rules were set.
pub const CALIBRATION_SIZES: &[(usize, usize, usize)] = &[
    (100, 1, 2),
    (2000, 1, 5),
    (20_000, 1, 20),
    (150, 2, 3),
    (1000, 2, 10),
    (3000, 2, 100),
    (10_000, 2, 4),
    (30_000, 2, 31),
    (300, 3, 4),
    (2000, 3, 8),
    (3000, 3, 50),
    (20_000, 3, 5),
    (160, 4, 3),
    (700, 4, 4),
    (3000, 4, 30),
    (8000, 4, 6),
    (300, 5, 5),
    (1500, 5, 3),
    (20_000, 5, 12),
    (220, 6, 3),
    (1000, 6, 8),
    (5000, 6, 4),
    (400, 7, 3),
    (3000, 7, 5),
    (600, 8, 4),
    (4000, 9, 6),
    (200, 12, 3),
    (1000, 12, 4),
    (10_000, 12, 30),
    (600, 24, 2),
    (5000, 24, 4),
    (20_000, 32, 8),
    (1500, 48, 6),
    (2000, 64, 10),
    (300_000, 4, 8),
];

/// Other sizes, to check them.
pub const HELD_BACK_SIZES: &[(usize, usize, usize)] = &[
    (500, 1, 3),
    (8000, 1, 40),
    (250, 2, 2),
    (1500, 2, 50),
    (5000, 2, 15),
    (40_000, 2, 8),
    (600, 3, 3),
    (4000, 3, 31),
    (8000, 3, 6),
    (200, 4, 2),
    (500, 4, 5),
    (2500, 4, 40),
    (3000, 4, 3),
    (420, 5, 2),
    (2500, 5, 6),
    (30_000, 5, 5),
    (800, 6, 3),
    (10_000, 6, 10),
    (250, 7, 4),
    (2000, 7, 8),
    (1000, 8, 3),
    (15_000, 8, 5),
    (300, 10, 4),
    (3000, 10, 60),
    (2000, 14, 5),
    (800, 20, 3),
    (8000, 28, 6),
    (3000, 40, 4),
    (10_000, 64, 8),
    (1_000_000, 3, 5),
];

impl MadeUp {
    /// All families with all sizes; of large tables the first two families only.
    pub fn all(families: &[RouteFamily], sizes: &[(usize, usize, usize)]) -> Vec<Self> {
        let of = |&(rows, dims, k): &(usize, usize, usize)| {
            let few = if rows >= 100_000 { 2 } else { families.len() };
            families.iter().take(few).map(move |&family| Self { family, rows, dims, k })
        };
        sizes.iter().flat_map(of).collect()
    }

    /// Its name.
    pub fn name(&self) -> String {
        format!("{} {}×{} k={}", self.family.name(), self.rows, self.dims, self.k)
    }

    /// The table; always the same.
    pub fn table(&self) -> LatticePoints {
        let random = &mut SeededNoise::new(table_seed(&self.name(), 1));
        let MadeUp { family, rows, dims, k } = *self;
        let apart = match family {
            RouteFamily::Factors | RouteFamily::Rounded => 1.2,
            RouteFamily::Uniform | RouteFamily::Cloud => 0.0,
            _ => 4.0,
        };
        // With many columns even close centres are far apart in all of them together.
        let spread = apart * (3.0 / (dims as f64).max(3.0)).sqrt() * (k as f64).powf(1.0 / dims as f64).min(12.0) / 2.0;
        let centres: Vec<f64> = (0..k * dims).map(|_| spread * normal_f64(random)).collect();
        let widths: Vec<f64> = (0..k)
            .map(|_| if family == RouteFamily::Background { 4f64.powf(unit_f64(random) - 0.5) } else { 1.0 })
            .collect();
        let fall: f64 = match family {
            RouteFamily::Falling => 0.55,
            RouteFamily::Background => 0.8,
            _ => 1.0,
        };
        let shares: Vec<f64> = (0..k).map(|j| fall.powi(j as i32).max(0.01)).collect();
        let unit = |random: &mut SeededNoise| -> Vec<f64> {
            let raw: Vec<f64> = (0..dims).map(|_| normal_f64(random)).collect();
            let length = raw.iter().map(|x| x * x).sum::<f64>().sqrt().max(1e-9);
            raw.iter().map(|x| x / length).collect()
        };
        let factors: Vec<Vec<f64>> = match family {
            RouteFamily::Factors => (0..3).map(|_| unit(random)).collect(),
            RouteFamily::Long => (0..k).map(|_| unit(random)).collect(),
            RouteFamily::Cloud => (0..2).map(|_| unit(random)).collect(),
            _ => Vec::new(),
        };
        let skewed: Vec<bool> = (0..dims).map(|_| family == RouteFamily::Factors && unit_f64(random) < 0.45).collect();
        let total: f64 = shares.iter().sum();
        let mut values = Vec::with_capacity(rows * dims);
        for _ in 0..rows {
            let mut left = total * unit_f64(random);
            let j = shares.iter().position(|share| {
                left -= share;
                left < 0.0
            });
            let j = j.unwrap_or(k - 1);
            let mut row: Vec<f64> = (0..dims)
                .map(|axis| {
                    let own = match family {
                        RouteFamily::Uniform => 3.4 * (unit_f64(random) - 0.5),
                        RouteFamily::HeavyTails => {
                            let square: f64 = (0..3).map(|_| normal_f64(random).powi(2)).sum();
                            normal_f64(random) / (square / 3.0).sqrt()
                        }
                        RouteFamily::Skewed => -2.0 * (1.0 - unit_f64(random)).ln(),
                        _ => normal_f64(random),
                    };
                    centres[j * dims + axis] + widths[j] * own
                })
                .collect();
            match family {
                RouteFamily::Factors | RouteFamily::Cloud => {
                    for (f, along) in factors.iter().enumerate() {
                        let far = 1.5 * (dims as f64).sqrt() * normal_f64(random) / (1.0 + f as f64);
                        row.iter_mut().zip(along).for_each(|(x, u)| *x += far * u);
                    }
                }
                RouteFamily::Long => {
                    let far = 3.0 * normal_f64(random);
                    row.iter_mut().zip(&factors[j]).for_each(|(x, u)| *x += far * u);
                }
                RouteFamily::Background if unit_f64(random) < 0.1 => {
                    row.iter_mut().for_each(|x| *x = 2.5 * (spread + 1.0) * (2.0 * unit_f64(random) - 1.0));
                }
                _ => {}
            }
            row.iter_mut().zip(&skewed).filter(|(_, skewed)| **skewed).for_each(|(x, _)| *x = (0.5 * *x).exp());
            values.extend(row);
        }
        let steps = (family == RouteFamily::Rounded).then_some(20.0);
        scaled(&values, dims, steps)
    }
}

/// Columns between their own limits, on the lattice; rounded to so many steps, where they are.
fn scaled(values: &[f64], dims: usize, steps: Option<f64>) -> LatticePoints {
    let mut limits = vec![(f64::INFINITY, f64::NEG_INFINITY); dims];
    for row in values.chunks_exact(dims) {
        limits.iter_mut().zip(row).for_each(|((low, high), &x)| (*low, *high) = (low.min(x), high.max(x)));
    }
    let mut points = LatticePoints::with_capacity(dims, values.len() / dims);
    for row in values.chunks_exact(dims) {
        let place = |(x, (low, high)): (&f64, &(f64, f64))| {
            let part = (x - low) / (high - low).max(1e-12);
            let part = steps.map_or(part, |steps| (steps * part).round() / steps);
            ((2.0 * part - 1.0) * f64::from(HALF_WIDTH)).round() as i16
        };
        points.push_row(&row.iter().zip(&limits).map(place).collect::<Vec<_>>());
    }
    points
}
