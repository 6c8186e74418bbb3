//! Made-up tables whose number of clusters is known: mixtures, and shapes with one peak or none.

use shoal_lattice::{HALF_WIDTH, LatticePoints};
use shoal_noise::{NoiseSource, SeededNoise, uniform};

use crate::squared;

/// A family of tables: every seed draws another one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// One normal distribution, equally wide in all columns.
    Gaussian,
    /// One normal distribution whose columns are correlated by 0.8.
    Correlated,
    /// Uniform in a box that takes 0.8 of the bounds.
    Uniform,
    /// Exponential in every column.
    Exponential,
    /// Uniform in a ball.
    Ball,
    /// Student's t with five degrees of freedom.
    Student,
    /// Log-normal in every column.
    LogNormal,
    /// Round groups of equal size, the closest two so many standard deviations apart.
    Groups {
        /// How many.
        k: usize,
        /// Standard deviations between the closest two.
        apart: f64,
    },
    /// Round groups whose sizes fall by this factor from one to the next.
    Unbalanced {
        /// How many.
        k: usize,
        /// Standard deviations between the closest two.
        apart: f64,
        /// From one size to the next.
        factor: f64,
    },
    /// Groups three times as long, in a direction of their own, as they are wide.
    Elongated {
        /// How many.
        k: usize,
        /// Standard deviations, of the long side, between the closest two.
        apart: f64,
    },
}

impl Shape {
    /// The number of clusters.
    pub fn truth(self) -> usize {
        match self {
            Self::Groups { k, .. } | Self::Unbalanced { k, .. } | Self::Elongated { k, .. } => k,
            _ => 1,
        }
    }

    /// A table.
    pub fn draw(self, rows: usize, dims: usize, random: &mut SeededNoise) -> LatticePoints {
        let mut points = LatticePoints::with_capacity(dims, rows);
        let mut row = vec![0.0; dims];
        let mut push = |row: &[f64]| {
            let lattice = |x: &f64| (x.clamp(-1.0, 1.0) * f64::from(HALF_WIDTH)).round() as i16;
            points.push_row(&row.iter().map(lattice).collect::<Vec<_>>());
        };
        match self {
            Self::Groups { .. } | Self::Unbalanced { .. } | Self::Elongated { .. } => {
                let groups = Groups::new(self, dims, random);
                for _ in 0..rows {
                    groups.fill(&mut row, random);
                    push(&row);
                }
            }
            _ => {
                for _ in 0..rows {
                    self.fill(&mut row, random);
                    push(&row);
                }
            }
        }
        points
    }

    /// One row of a shape without groups.
    fn fill(self, row: &mut [f64], random: &mut SeededNoise) {
        let unit = |random: &mut SeededNoise| uniform::unit_f64(random);
        let normal = |random: &mut SeededNoise| uniform::normal_f64(random);
        match self {
            Self::Gaussian => row.iter_mut().for_each(|x| *x = 0.25 * normal(random)),
            Self::Correlated => {
                let common = normal(random);
                row.iter_mut().for_each(|x| *x = 0.25 * (0.8_f64.sqrt() * common + 0.2_f64.sqrt() * normal(random)));
            }
            Self::Uniform => row.iter_mut().for_each(|x| *x = 1.6 * unit(random) - 0.8),
            Self::Exponential => row.iter_mut().for_each(|x| *x = -0.9 - 0.25 * (1.0 - unit(random)).ln()),
            Self::Ball => loop {
                row.iter_mut().for_each(|x| *x = 1.8 * unit(random) - 0.9);
                if row.iter().map(|x| x * x).sum::<f64>() <= 0.81 {
                    break;
                }
            },
            Self::Student => {
                let squares: f64 = (0..5).map(|_| normal(random).powi(2)).sum();
                let scale = 0.12 / (squares / 5.0).sqrt();
                row.iter_mut().for_each(|x| *x = scale * normal(random));
            }
            Self::LogNormal => row.iter_mut().for_each(|x| *x = -0.9 + 0.15 * (0.7 * normal(random)).exp()),
            // Groups have their own way.
            _ => row.fill(0.0),
        }
    }
}

/// Places, widths and sizes of groups.
struct Groups {
    centres: Vec<Vec<f64>>,
    sd: f64,
    /// Sums of sizes up to each group.
    up_to: Vec<f64>,
    /// The direction in which a group is long, if it is.
    long: Option<Vec<Vec<f64>>>,
}

/// Standard deviations between the outermost centres and the bounds.
const MARGIN: f64 = 2.5;

impl Groups {
    fn new(shape: Shape, dims: usize, random: &mut SeededNoise) -> Self {
        let (k, apart, factor) = match shape {
            Shape::Unbalanced { k, apart, factor } => (k, apart, factor),
            Shape::Groups { k, apart } | Shape::Elongated { k, apart } => (k, apart, 1.0),
            _ => (1, 1.0, 1.0),
        };
        let mut centres: Vec<Vec<f64>> = Vec::new();
        // Of ten places the one farthest from the others.
        for _ in 0..k {
            let place = |random: &mut SeededNoise| (0..dims).map(|_| 2.0 * uniform::unit_f64(random) - 1.0).collect();
            let nearest = |place: &Vec<f64>| centres.iter().map(|c| squared(c, place)).fold(f64::INFINITY, f64::min);
            let candidates: Vec<Vec<f64>> = (0..10).map(|_| place(random)).collect();
            let best = candidates.into_iter().max_by(|a, b| nearest(a).total_cmp(&nearest(b)));
            centres.extend(best);
        }
        let pairs = (0..k).flat_map(|i| (0..i).map(move |j| (i, j)));
        let closest = pairs.map(|(i, j)| squared(&centres[i], &centres[j]).sqrt()).fold(f64::INFINITY, f64::min);
        let mut sum = 0.0;
        let sizes = (0..k).map(|j| factor.powi(j as i32)).map(|size| {
            sum += size;
            sum
        });
        let up_to = sizes.collect();
        let long = matches!(shape, Shape::Elongated { .. }).then(|| {
            let direction = |_| {
                let raw: Vec<f64> = (0..dims).map(|_| uniform::normal_f64(random)).collect();
                let length = raw.iter().map(|x| x * x).sum::<f64>().sqrt();
                raw.iter().map(|x| x / length).collect()
            };
            (0..k).map(direction).collect()
        });
        // The groups fill the bounds: centres within ±h and a margin, h·(1 + MARGIN·closest/apart) = 1.
        let closest = if closest.is_finite() { closest } else { 1.0 };
        let h = 1.0 / (1.0 + MARGIN * closest / apart);
        centres.iter_mut().flatten().for_each(|x| *x *= h);
        Self { centres, sd: h * closest / apart, up_to, long }
    }

    fn fill(&self, row: &mut [f64], random: &mut SeededNoise) {
        let at = uniform::unit_f64(random) * self.up_to[self.up_to.len() - 1];
        let j = self.up_to.iter().position(|&end| at < end).unwrap_or(0);
        let sd = if self.long.is_some() { self.sd / 3.0 } else { self.sd };
        for (x, centre) in row.iter_mut().zip(&self.centres[j]) {
            *x = centre + sd * uniform::normal_f64(random);
        }
        if let Some(long) = &self.long {
            let along = (self.sd * self.sd - sd * sd).sqrt() * uniform::normal_f64(random);
            row.iter_mut().zip(&long[j]).for_each(|(x, direction)| *x += along * direction);
        }
    }
}

/// A seed for a table of a family and run.
pub fn table_seed(name: &str, run: u64) -> u64 {
    let hash = name
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3_u64));
    SeededNoise::new(hash ^ run).next_u64()
}
