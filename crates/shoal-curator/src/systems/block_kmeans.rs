//! k-means inside one block of sample-and-aggregate, and the order of its centres (SCL16 §4.1.2).
//!
//! A function of a block's rows and of numbers drawn beforehand, alike for all blocks: a few k-means++ starts, Lloyd's
//! steps from each, the cheapest wins. It always gives k centres. A block with fewer distinct rows than k repeats rows,
//! and one without rows hands in a public set of centres (sphere packing).
//!
//! Blocks average their *first* centres, their second and so on, so the centres must come in an order that means the
//! same in every block: [`Matching`].
//!
//! *Privacy.* None by itself: results are per-block functions and leave through [`super::BlockSumsMechanism`].
//!
//! *Runtime.* starts · (rounds + 1) · rows · k · d. A block holds some 3k rows for `gkm-3k` and there are thousands of
//! them, so the kernel for large tables, which prepares its centres for each step, would mostly prepare. Here rows are
//! turned into columns once and distances are plain vector loops. 32-bit floats round distances; every machine rounds
//! them alike, since no sum is reordered.

use shoal_noise::NoiseSource;

use crate::lloyd::sphere_packing;
use shoal_kernel::{LatticeCentres, assign_min_cost};
use shoal_lattice::LatticePoints;

/// How the centres of different blocks are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matching {
    /// Sorted by the second coordinate (the only one, if there is one), then by the others: as published.
    Sort,
    /// Each to its own of k public places, so that the squared distances add up to the least.
    Assign,
}

/// k-means for blocks.
pub struct BlockKMeans {
    dims: usize,
    rounds: usize,
    /// Per start: one random number for each centre, the same in every block.
    starts: Vec<Vec<u64>>,
    matching: Matching,
    /// The result of a block without rows, and the places of [`Matching::Assign`].
    public: Vec<i16>,
}

impl BlockKMeans {
    /// Draws what the blocks share: `starts` starts of at most `rounds` steps, and the public places.
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

/// The rows of a block, one at least, attribute after attribute.
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

    /// The sum of squared distances at the last step, and the centres after at most `rounds` steps. A cluster without
    /// rows keeps its centre.
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
