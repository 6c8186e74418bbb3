//! Made-up tables for measuring how certain results are: families of shapes, each table drawn anew.
//!
//! Everything is in box units, `[-1, 1]` in each attribute. Constants of the library may be adjusted on families of
//! [`CALIBRATION`]; those of [`HELD_OUT`] are for reporting alone.

use shoal_lattice::{HALF_WIDTH, LatticePoints};
use shoal_noise::SeededNoise;
use shoal_noise::uniform::{normal_f64, unit_f64};

/// How groups lie to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Groups at least six standard deviations apart.
    Separated,
    /// Groups that touch.
    Overlapping,
    /// No groups at all.
    Shapeless,
}

/// A family of tables.
#[derive(Clone, Copy)]
pub struct Family {
    /// Its name.
    pub name: &'static str,
    /// How groups lie to each other.
    pub kind: Kind,
    /// Rows.
    pub rows: usize,
    /// Attributes.
    pub dims: usize,
    /// Clusters that are asked for.
    pub k: usize,
    /// What the rows look like.
    pub shape: Shape,
}

/// What the rows of a family look like.
#[derive(Clone, Copy)]
pub enum Shape {
    /// Round normal groups of this standard deviation, their places at least so many of them apart.
    Groups {
        /// Standard deviation.
        sd: f64,
        /// Least distance of places in standard deviations.
        apart: f64,
        /// Sizes fall by this factor from group to group; 1 for equal sizes.
        fall: f64,
        /// What a group looks like.
        tails: Tails,
    },
    /// Normal groups that are long in one direction, all in the same.
    Elongated {
        /// Standard deviation across.
        sd: f64,
        /// How many times longer the long axis is.
        longer: f64,
        /// Least distance of places in standard deviations across.
        apart: f64,
    },
    /// Evenly spread over the middle of the box, of this half-width.
    Uniform(f64),
    /// One normal group of this standard deviation.
    Gaussian(f64),
    /// One group whose attributes follow few common factors.
    Factors {
        /// Common factors.
        factors: usize,
        /// Distance of two halves along the first factor, in standard deviations.
        apart: f64,
    },
}

/// What a group looks like.
#[derive(Clone, Copy)]
pub enum Tails {
    /// Normal.
    Normal,
    /// Student's t with three degrees of freedom, scaled to the standard deviation.
    Heavy,
    /// Exponential to one side.
    Skewed,
}

const fn groups(sd: f64, apart: f64, fall: f64, tails: Tails) -> Shape {
    Shape::Groups { sd, apart, fall, tails }
}

macro_rules! families {
    ($($name:literal $kind:ident $rows:literal x $dims:literal k $k:literal $shape:expr;)*) => {
        &[$(Family { name: $name, kind: Kind::$kind, rows: $rows, dims: $dims, k: $k, shape: $shape }),*]
    };
}

/// Families on which constants may be adjusted.
pub const CALIBRATION: &[Family] = families! {
    "separated-2" Separated 6000 x 2 k 5 groups(0.06, 6.0, 1.0, Tails::Normal);
    "separated-5" Separated 6000 x 5 k 4 groups(0.08, 6.0, 1.0, Tails::Normal);
    "separated-10" Separated 8000 x 10 k 5 groups(0.1, 7.0, 1.0, Tails::Normal);
    "overlapping-2" Overlapping 8000 x 2 k 4 groups(0.18, 2.6, 1.0, Tails::Normal);
    "overlapping-5" Overlapping 8000 x 5 k 3 groups(0.15, 3.0, 1.0, Tails::Normal);
    "unbalanced-3" Overlapping 8000 x 3 k 5 groups(0.1, 4.0, 0.5, Tails::Normal);
    "uniform-2" Shapeless 8000 x 2 k 4 Shape::Uniform(0.8);
    "gaussian-2" Shapeless 8000 x 2 k 3 Shape::Gaussian(0.25);
    "gaussian-13" Shapeless 8000 x 13 k 3 Shape::Gaussian(0.25);
    "overlapping-13" Overlapping 8000 x 13 k 4 groups(0.2, 3.0, 1.0, Tails::Normal);
    "factors-16" Overlapping 8000 x 16 k 3 Shape::Factors { factors: 3, apart: 3.0 };
    "separated-20" Separated 8000 x 20 k 5 groups(0.12, 6.0, 1.0, Tails::Normal);
    "skewed-24" Overlapping 8000 x 24 k 4 groups(0.15, 4.0, 0.7, Tails::Skewed);
};

/// Families for reporting alone.
pub const HELD_OUT: &[Family] = families! {
    "separated-3" Separated 9000 x 3 k 6 groups(0.07, 6.0, 1.0, Tails::Normal);
    "separated-8" Separated 8000 x 8 k 6 groups(0.08, 7.0, 0.9, Tails::Normal);
    "overlapping-4" Overlapping 8000 x 4 k 5 groups(0.15, 2.8, 0.9, Tails::Normal);
    "unbalanced-2" Overlapping 9000 x 2 k 6 groups(0.08, 4.0, 0.6, Tails::Normal);
    "correlated-4" Overlapping 8000 x 4 k 3 Shape::Elongated { sd: 0.07, longer: 3.0, apart: 5.0 };
    "heavy-tailed-3" Overlapping 8000 x 3 k 4 groups(0.12, 3.5, 1.0, Tails::Heavy);
    "skewed-2" Overlapping 8000 x 2 k 3 groups(0.14, 3.0, 0.8, Tails::Skewed);
    "uniform-5" Shapeless 8000 x 5 k 4 Shape::Uniform(0.8);
    "gaussian-4" Shapeless 8000 x 4 k 3 Shape::Gaussian(0.25);
    "factors-8" Overlapping 8000 x 8 k 3 Shape::Factors { factors: 2, apart: 3.0 };
    "overlapping-12" Overlapping 8000 x 12 k 3 groups(0.18, 3.5, 0.8, Tails::Normal);
    "separated-16" Separated 8000 x 16 k 4 groups(0.12, 6.0, 1.0, Tails::Normal);
    "factors-20" Overlapping 8000 x 20 k 4 Shape::Factors { factors: 4, apart: 3.0 };
    "uniform-15" Shapeless 8000 x 15 k 3 Shape::Uniform(0.8);
};

impl Family {
    /// A table of the family, another one for each seed.
    pub fn draw(&self, seed: u64) -> LatticePoints {
        let random = &mut SeededNoise::new(0x5eed_0000 + seed);
        let dims = self.dims;
        let mut points = LatticePoints::with_capacity(dims, self.rows);
        let mut push = |row: Vec<f64>| {
            let lattice = |x: &f64| (x.clamp(-1.0, 1.0) * f64::from(HALF_WIDTH)).round() as i16;
            points.push_row(&row.iter().map(lattice).collect::<Vec<_>>());
        };
        match self.shape {
            Shape::Groups { sd, apart, fall, tails } => {
                let places = places(self.k, dims, sd * apart, sd, random);
                let shares: Vec<f64> = (0..self.k).map(|j| fall.powi(j as i32)).collect();
                for _ in 0..self.rows {
                    let place = &places[pick(&shares, random)];
                    push(place.iter().map(|m| m + sd * tails.draw(random)).collect());
                }
            }
            Shape::Elongated { sd, longer, apart } => {
                let places = places(self.k, dims, sd * apart, sd, random);
                let along = direction(dims, random);
                for i in 0..self.rows {
                    let far = sd * (longer * longer - 1.0).sqrt() * normal_f64(random);
                    let place = &places[i % self.k];
                    push(place.iter().zip(&along).map(|(m, u)| m + far * u + sd * normal_f64(random)).collect());
                }
            }
            Shape::Uniform(half) => {
                (0..self.rows).for_each(|_| push((0..dims).map(|_| half * (2.0 * unit_f64(random) - 1.0)).collect()));
            }
            Shape::Gaussian(sd) => {
                (0..self.rows).for_each(|_| push((0..dims).map(|_| sd * normal_f64(random)).collect()));
            }
            Shape::Factors { factors, apart } => {
                let directions: Vec<Vec<f64>> = (0..factors).map(|_| direction(dims, random)).collect();
                let width = 0.12 * (dims as f64).sqrt();
                for i in 0..self.rows {
                    let mut row: Vec<f64> = (0..dims).map(|_| 0.08 * normal_f64(random)).collect();
                    for (f, along) in directions.iter().enumerate() {
                        let half = if f == 0 { apart * (i as f64 % 2.0 - 0.5) } else { 0.0 };
                        let far = width * (normal_f64(random) + half) / (1.0 + f as f64).sqrt();
                        row.iter_mut().zip(along).for_each(|(x, u)| *x += far * u);
                    }
                    push(row);
                }
            }
        }
        points
    }
}

impl Tails {
    fn draw(self, random: &mut SeededNoise) -> f64 {
        match self {
            Self::Normal => normal_f64(random),
            Self::Heavy => {
                let squares: f64 = (0..3).map(|_| normal_f64(random).powi(2)).sum();
                // The variance of three degrees of freedom is three.
                normal_f64(random) / (squares / 3.0).sqrt() / 3f64.sqrt()
            }
            Self::Skewed => -(1.0 - unit_f64(random)).ln() - 1.0,
        }
    }
}

/// k places in the box, at least `apart` from each other where they fit, and three standard deviations from the border.
fn places(k: usize, dims: usize, mut apart: f64, sd: f64, random: &mut SeededNoise) -> Vec<Vec<f64>> {
    let room = (1.0 - 3.0 * sd).max(0.2);
    let mut places: Vec<Vec<f64>> = Vec::new();
    // Half as far again at most, so that groups that are to touch do.
    let mut most = 1.5 * apart;
    while places.len() < k {
        let place: Vec<f64> = (0..dims).map(|_| room * (2.0 * unit_f64(random) - 1.0)).collect();
        let distances = places.iter().map(|other| crate::squared(other, &place).sqrt());
        let nearest = distances.fold(f64::INFINITY, f64::min);
        if places.is_empty() || (nearest >= apart && nearest <= most) {
            places.push(place);
        } else {
            apart *= 0.9999;
            most *= 1.001;
        }
    }
    places
}

fn direction(dims: usize, random: &mut SeededNoise) -> Vec<f64> {
    let raw: Vec<f64> = (0..dims).map(|_| normal_f64(random)).collect();
    let length = raw.iter().map(|x| x * x).sum::<f64>().sqrt();
    raw.iter().map(|x| x / length).collect()
}

fn pick(shares: &[f64], random: &mut SeededNoise) -> usize {
    let mut left = unit_f64(random) * shares.iter().sum::<f64>();
    shares
        .iter()
        .position(|share| {
            left -= share;
            left < 0.0
        })
        .unwrap_or(shares.len() - 1)
}
