//! k-means inside one block of sample-and-aggregate, and the order of its centres (SCL16 §4.1.2).
//!
//! The result is a function of the block's rows and of numbers drawn beforehand, the same for all blocks: a few k-means++
//! initialisations, Lloyd's iterations from each, and the cheapest result wins. There are always k centres. A block with
//! fewer distinct rows than k repeats rows, and an empty block returns a public set of centres (sphere packing).
//!
//! Blocks average their *first* centres, their second and so on, so the order of the centres must mean the same in every
//! block: [`Matching`].
//!
//! [`BlockKMeans`] is plain data: everything random in it is drawn before a row is seen, so that whoever holds a block's
//! rows computes the same centres.
//!
//! *Privacy.* None by itself: results are functions of one block each, and leave through a mechanism that adds noise to
//! their sum.
//!
//! *Runtime.* Initialisations · (rounds + 1) · rows · k · d. A block of `gkm-3k` holds some 3k rows and there are
//! thousands of blocks, so the kernel for large tables would spend most of its time preparing centres for each iteration.
//! Here rows are turned into columns once and distances are plain vector loops. Distances are rounded to 32-bit floats;
//! every machine rounds them alike, since no sum is reordered.

use serde::{Deserialize, Serialize};
use shoal_noise::NoiseSource;

use crate::{LatticeCentres, ShapeError, assign_min_cost, sphere_packing};
use shoal_lattice::LatticePoints;

/// How the centres of different blocks are matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Matching {
    /// Sorted by the second coordinate (the only one, if there is one), then by the others: as published.
    Sort,
    /// Each to its own of k public places, so that the sum of squared distances is smallest.
    Assign,
}

/// k-means for blocks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Unchecked")]
pub struct BlockKMeans {
    dims: usize,
    rounds: usize,
    /// For each initialisation, one random number per centre, the same in every block.
    starts: Vec<Vec<u64>>,
    matching: Matching,
    /// The result of an empty block, and the places of [`Matching::Assign`].
    public: Vec<i16>,
}

/// k-means as it is written, before anyone has checked it.
#[derive(Deserialize)]
struct Unchecked {
    dims: usize,
    rounds: usize,
    starts: Vec<Vec<u64>>,
    matching: Matching,
    public: Vec<i16>,
}

impl TryFrom<Unchecked> for BlockKMeans {
    type Error = ShapeError;

    fn try_from(read: Unchecked) -> Result<Self, ShapeError> {
        let Unchecked { dims, rounds, starts, matching, public } = read;
        let k = LatticeCentres::checked(dims, public.clone())?.count();
        if starts.iter().any(|start| start.len() != k) {
            return Err(ShapeError::Uneven);
        }
        if matching == Matching::Assign && k > Self::MOST_ASSIGNED {
            return Err(ShapeError::TooManyToAssign);
        }
        if rounds > Self::MOST_ROUNDS {
            return Err(ShapeError::TooManyRounds);
        }
        Ok(Self { dims, rounds, starts, matching, public })
    }
}

impl BlockKMeans {
    /// Most centres for [`Matching::Assign`], which takes time that grows with their cube, in every block.
    pub const MOST_ASSIGNED: usize = 256;

    /// Most iterations. Centres are rounded to the lattice, so iterations may go round in circles for ever.
    pub const MOST_ROUNDS: usize = 1_000_000;

    /// Draws what the blocks share: the public places, and `starts` initialisations of at most `rounds` iterations.
    pub fn new(
        (k, dims): (usize, usize),
        (starts, rounds): (usize, usize),
        matching: Matching,
        noise: &mut (impl NoiseSource + ?Sized),
    ) -> Self {
        let places = LatticeCentres::from_unit(dims, &sphere_packing(k, dims, noise));
        let starts = (0..starts).map(|_| (0..k).map(|_| noise.next_u64()).collect()).collect();
        let public = (0..k).flat_map(|j| places.centre(j).to_vec()).collect();
        let mut all = Self { dims, rounds, starts, matching, public };
        if matching == Matching::Sort {
            all.public = all.sorted(&all.public);
        }
        all
    }

    /// One centre in the middle of the box, whatever the rows are: for a query about no blocks at all.
    pub fn idle(dims: usize) -> Self {
        Self { dims, rounds: 0, starts: Vec::new(), matching: Matching::Sort, public: vec![0; dims] }
    }

    /// Number of attributes.
    pub fn dims(&self) -> usize {
        self.dims
    }

    /// Numbers that a block returns: the coordinates of its k centres.
    pub fn result_len(&self) -> usize {
        self.public.len()
    }

    /// The k centres of a block, in the order that the matching gives them.
    pub fn centres(&self, rows: &LatticePoints) -> Vec<i16> {
        if rows.rows() == 0 {
            return self.public.clone();
        }
        let block = Block::new(rows);
        let run = |start: &Vec<u64>| block.lloyd(block.kmeanspp(start), self.rounds);
        // `min_by` keeps the first of equals.
        let best = self.starts.iter().map(run).min_by(|a, b| a.0.total_cmp(&b.0));
        best.map_or_else(|| self.public.clone(), |(_, centres)| self.matched(&centres))
    }

    fn matched(&self, centres: &[i16]) -> Vec<i16> {
        match self.matching {
            Matching::Sort => self.sorted(centres),
            Matching::Assign => self.assigned(centres),
        }
    }

    fn sorted(&self, centres: &[i16]) -> Vec<i16> {
        let mut rows: Vec<&[i16]> = centres.chunks_exact(self.dims).collect();
        // The second coordinate if there is one; then all in their order, so that equal keys are equal centres.
        let key = |row: &[i16]| row[1.min(row.len() - 1)];
        rows.sort_unstable_by(|a, b| key(a).cmp(&key(b)).then_with(|| a.cmp(b)));
        rows.concat()
    }

    fn assigned(&self, centres: &[i16]) -> Vec<i16> {
        let rows = || centres.chunks_exact(self.dims);
        let cost = |a: &[i16], b: &[i16]| a.iter().zip(b).map(|(&x, &y)| (f64::from(x) - f64::from(y)).powi(2)).sum();
        let costs: Vec<f64> =
            self.public.chunks_exact(self.dims).flat_map(|place| rows().map(move |row| cost(place, row))).collect();
        let k = rows().len();
        let of_place = assign_min_cost(k, k, &costs).column_of;
        of_place.into_iter().flatten().flat_map(|j| centres[j * self.dims..][..self.dims].to_vec()).collect()
    }
}

/// The rows of a block, at least one, attribute after attribute.
struct Block {
    rows: usize,
    dims: usize,
    columns: Vec<f32>,
}

impl Block {
    fn new(points: &LatticePoints) -> Self {
        let (rows, dims) = (points.rows(), points.dims());
        let columns = (0..dims).flat_map(|a| (0..rows).map(move |r| f32::from(points.get(r, a)))).collect();
        Self { rows, dims, columns }
    }

    fn columns(&self) -> impl Iterator<Item = &[f32]> {
        self.columns.chunks_exact(self.rows)
    }

    /// Writes the squared distance of every row from a centre.
    fn distances(&self, centre: &[i16], out: &mut [f32]) {
        out.fill(0.0);
        for (column, &c) in self.columns().zip(centre) {
            let c = f32::from(c);
            for (distance, &x) in out.iter_mut().zip(column) {
                *distance += (x - c) * (x - c);
            }
        }
    }

    /// One row for each random number: the first uniformly, the others in proportion to the squared distance from the
    /// rows taken before, or uniformly when every row has been taken.
    fn kmeanspp(&self, random: &[u64]) -> Vec<i16> {
        let mut centres = Vec::with_capacity(random.len() * self.dims);
        let (mut nearest, mut reach) = (vec![f32::INFINITY; self.rows], vec![0.0; self.rows]);
        for &random in random {
            let row = self.pick(random, &nearest);
            let from = centres.len();
            centres.extend(self.columns().map(|column| column[row] as i16));
            self.distances(&centres[from..], &mut reach);
            nearest.iter_mut().zip(&reach).for_each(|(nearest, &reach)| *nearest = nearest.min(reach));
        }
        centres
    }

    fn pick(&self, random: u64, nearest: &[f32]) -> usize {
        let share = (random >> 11) as f64 / (1u64 << 53) as f64;
        let total: f64 = nearest.iter().map(|&d| f64::from(d)).sum();
        if !(total > 0.0 && total.is_finite()) {
            return (share * self.rows as f64) as usize;
        }
        let mut left = share * total;
        let stop = nearest.iter().position(|&d| {
            left -= f64::from(d);
            left < 0.0
        });
        // Rounding may leave something after the last row.
        stop.unwrap_or(self.rows - 1)
    }

    /// The sum of squared distances in the last iteration, and the centres after at most `rounds` iterations. A cluster
    /// without rows keeps its centre.
    fn lloyd(&self, mut centres: Vec<i16>, rounds: usize) -> (f64, Vec<i16>) {
        let (mut nearest, mut reach) = (vec![0.0; self.rows], vec![0.0; self.rows]);
        let (mut labels, mut before) = (vec![0; self.rows], Vec::new());
        for _ in 0..rounds {
            nearest.fill(f32::INFINITY);
            for (j, centre) in centres.chunks_exact(self.dims).enumerate() {
                self.distances(centre, &mut reach);
                for ((nearest, label), &reach) in nearest.iter_mut().zip(&mut labels).zip(&reach) {
                    let closer = reach < *nearest;
                    *nearest = if closer { reach } else { *nearest };
                    *label = if closer { j as u32 } else { *label };
                }
            }
            if labels == before {
                break;
            }
            self.move_to_means(&labels, &mut centres);
            before.clone_from(&labels);
        }
        (nearest.iter().map(|&d| f64::from(d)).sum(), centres)
    }

    fn move_to_means(&self, labels: &[u32], centres: &mut [i16]) {
        let mut counts = vec![0i64; centres.len() / self.dims];
        labels.iter().for_each(|&label| counts[label as usize] += 1);
        let mut sums = vec![0i64; counts.len()];
        for (attribute, column) in self.columns().enumerate() {
            sums.fill(0);
            column.iter().zip(labels).for_each(|(&x, &label)| sums[label as usize] += x as i64);
            for (j, (&sum, &count)) in sums.iter().zip(&counts).enumerate() {
                if count > 0 {
                    centres[j * self.dims + attribute] = (2 * sum + count).div_euclid(2 * count) as i16;
                }
            }
        }
    }
}
