//! Greedy k-means++ seeding: the next centre is a row drawn with probability proportional to weight times squared
//! distance from the centres so far; of a few such draws the one that lowers the total most is kept.
//!
//! Paper: Arthur and Vassilvitskii, "k-means++: the advantages of careful seeding", SODA 2007, who suggest the greedy
//! variant; the number of draws is scikit-learn's.
//!
//! The seeding only ever sees public or released rows, so ordinary random numbers do. The same numbers give the same
//! centres on every machine and any number of threads: sums run over chunks of fixed length, in order.

use std::ops::Range;

use rayon::prelude::*;

use crate::LatticeCentres;
use crate::kmeans::rows_that_count::RowsThatCount;
use crate::kmeans::seed_distances;
use shoal_lattice::{LatticePoints, TILE};

/// Tiles per chunk.
const CHUNK: usize = 256;

/// Candidates that are looked at in one pass.
const TOGETHER: usize = 4;

/// Draws that are enough to choose from for `clusters` centres; scikit-learn's rule.
pub fn usual_candidates(clusters: usize) -> usize {
    2 + (clusters.max(1) as f64).ln() as usize
}

/// `clusters` rows as start centres, using exactly `clusters · candidates` random numbers.
///
/// Rows with a weight that is not positive are never chosen while there are others. When rows run out (all of them lie
/// on a centre already) rows are repeated.
///
/// # Panics
/// When there are no rows, no clusters or no candidates, or not one weight per row.
pub fn kmeanspp(
    points: &LatticePoints,
    weights: Option<&[f64]>,
    clusters: usize,
    candidates: usize,
    draw: &mut impl FnMut() -> u64,
) -> LatticeCentres {
    SeedRows::new(points, weights).kmeanspp(clusters, candidates, draw)
}

/// Rows to draw start centres from, any number of times.
pub(crate) struct SeedRows<'a> {
    points: &'a LatticePoints,
    weights: Option<&'a [f64]>,
    /// The rows that can be drawn, where they are few.
    few: Option<RowsThatCount>,
}

impl<'a> SeedRows<'a> {
    pub fn new(points: &'a LatticePoints, weights: Option<&'a [f64]>) -> Self {
        assert!(weights.is_none_or(|w| w.len() == points.rows()), "one weight per row");
        let few = weights.and_then(|weights| RowsThatCount::of(points, |row| weights[row] > 0.0));
        Self { points, weights, few }
    }

    /// [`kmeanspp`] on these rows.
    pub fn kmeanspp(&self, clusters: usize, candidates: usize, draw: &mut impl FnMut() -> u64) -> LatticeCentres {
        assert!(self.points.rows() > 0 && clusters > 0 && candidates > 0, "there are rows, clusters and candidates");
        let mut seeding = Seeding::new(self);
        let mut coordinates = Vec::with_capacity(clusters * self.points.dims());
        for j in 0..clusters {
            let draws: Vec<u64> = (0..candidates).map(|_| draw()).collect();
            // All first rows are equally good as long as nothing is known.
            let draws = if j == 0 { &draws[..1] } else { &draws };
            let rows: Vec<Vec<i16>> = draws.iter().map(|&random| seeding.pick(random)).collect();
            if j == 0 {
                seeding.distances.fill(f32::INFINITY);
            }
            let masses = seeding.masses_with(&rows);
            let totals = masses.iter().map(|masses| masses.iter().sum::<f64>());
            // Unwrap safety: there is at least one candidate. The first of equals is kept, and the first of all where
            // totals are no numbers.
            let best = totals.enumerate().reduce(|best, next| if next.1 < best.1 { next } else { best }).unwrap().0;
            seeding.take(&rows[best]);
            seeding.masses = masses.into_iter().nth(best).unwrap_or_default();
            coordinates.extend(&rows[best]);
        }
        LatticeCentres::new(self.points.dims(), coordinates)
    }
}

struct Seeding<'a> {
    from: &'a SeedRows<'a>,
    /// The rows that are looked at: all, or those that can be drawn.
    points: &'a LatticePoints,
    /// Which of them are in each chunk of the table.
    chunks: Vec<Range<usize>>,
    /// Squared distance of each row from its nearest centre.
    distances: Vec<f32>,
    /// Weight times squared distance, summed over each chunk.
    masses: Vec<f64>,
}

impl<'a> Seeding<'a> {
    fn new(from: &'a SeedRows<'a>) -> Self {
        let (points, len) = (from.few.as_ref().map_or(from.points, |few| &few.points), CHUNK * TILE);
        let chunk = |i: usize| match &from.few {
            None => i * len..((i + 1) * len).min(points.rows()),
            Some(few) => {
                let first = |i: usize| few.places.partition_point(|&place| (place as usize) < i * len);
                first(i)..first(i + 1)
            }
        };
        let chunks = (0..from.points.rows().div_ceil(len)).map(chunk).collect();
        let mut seeding = Self { from, points, chunks, distances: vec![1.0; points.rows()], masses: Vec::new() };
        let whole = |rows: &Range<usize>| {
            let mut sums = [0.0; TILE];
            rows.clone().for_each(|row| sums[seeding.lane(row)] += seeding.weight(row) * f64::from(1.0_f32));
            sums.iter().sum()
        };
        seeding.masses = seeding.chunks.par_iter().map(whole).collect();
        seeding
    }

    /// The number in the table of a row that is looked at.
    fn place(&self, row: usize) -> usize {
        self.from.few.as_ref().map_or(row, |few| few.places[row] as usize)
    }

    /// Sums of floats depend on their order, so every row is added where it would be if all were looked at.
    fn lane(&self, row: usize) -> usize {
        self.place(row) % TILE
    }

    fn weight(&self, row: usize) -> f64 {
        self.from.weights.map_or(1.0, |w| w[self.place(row)].max(0.0))
    }

    /// The masses of all chunks that there would be with one more centre, for each of `centres`.
    fn masses_with(&self, centres: &[Vec<i16>]) -> Vec<Vec<f64>> {
        let mut masses = vec![Vec::with_capacity(self.chunks.len()); centres.len()];
        for (masses, centres) in masses.chunks_mut(TOGETHER).zip(centres.chunks(TOGETHER)) {
            match centres {
                [a] => self.masses_of([a], masses),
                [a, b] => self.masses_of([a, b], masses),
                [a, b, c] => self.masses_of([a, b, c], masses),
                [a, b, c, d] => self.masses_of([a, b, c, d], masses),
                _ => (),
            }
        }
        masses
    }

    fn masses_of<const C: usize>(&self, centres: [&Vec<i16>; C], masses: &mut [Vec<f64>]) {
        let centres = centres.map(Vec::as_slice);
        let found: Vec<[f64; C]> =
            self.chunks.par_iter().map(|rows| self.chunk_masses(rows.clone(), centres)).collect();
        for (c, masses) in masses.iter_mut().enumerate() {
            masses.extend(found.iter().map(|found| found[c]));
        }
    }

    fn chunk_masses<const C: usize>(&self, rows: Range<usize>, centres: [&[i16]; C]) -> [f64; C] {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") {
            #[target_feature(enable = "avx2")]
            fn with_avx2<const C: usize>(on: &Seeding<'_>, rows: Range<usize>, centres: [&[i16]; C]) -> [f64; C] {
                on.sum_chunk(rows, |cells| seed_distances::avx2(cells, centres))
            }
            // SAFETY: the processor has been asked.
            return unsafe { with_avx2(self, rows, centres) };
        }
        self.sum_chunk(rows, |cells| seed_distances::plain(cells, centres))
    }

    #[inline(always)]
    fn sum_chunk<const C: usize>(
        &self,
        rows: Range<usize>,
        distances: impl Fn(&[i16]) -> [[f32; TILE]; C],
    ) -> [f64; C] {
        let mut sums = [[0.0; TILE]; C];
        for tile in rows.start / TILE..rows.end.div_ceil(TILE) {
            let reach = distances(self.points.tile_cells(tile..tile + 1));
            let first = tile * TILE;
            let (from, to) = (first.max(rows.start), (first + TILE).min(rows.end));
            match (&self.from.few, self.from.weights) {
                (None, None) if to - from == TILE => {
                    let known = &self.distances[first..][..TILE];
                    for (sums, reach) in sums.iter_mut().zip(&reach) {
                        for lane in 0..TILE {
                            sums[lane] += f64::from(known[lane].min(reach[lane]));
                        }
                    }
                }
                (None, Some(weights)) if to - from == TILE => {
                    let (known, weights) = (&self.distances[first..][..TILE], &weights[first..][..TILE]);
                    for (sums, reach) in sums.iter_mut().zip(&reach) {
                        for lane in 0..TILE {
                            sums[lane] += weights[lane].max(0.0) * f64::from(known[lane].min(reach[lane]));
                        }
                    }
                }
                _ => {
                    for row in from..to {
                        let (lane, weight) = (self.lane(row), self.weight(row));
                        for (sums, reach) in sums.iter_mut().zip(&reach) {
                            sums[lane] += weight * f64::from(self.distances[row].min(reach[row - first]));
                        }
                    }
                }
            }
        }
        sums.map(|sums| sums.iter().sum())
    }

    /// Adds a centre; its masses are known from [`Seeding::masses_with`].
    fn take(&mut self, centre: &[i16]) {
        let points = self.points;
        self.distances.par_chunks_mut(CHUNK * TILE).enumerate().for_each(|(i, distances)| {
            shorten(points, i * CHUNK, distances, centre);
        });
    }

    /// A row with probability proportional to its mass, or any row when there is no mass left.
    fn pick(&self, random: u64) -> Vec<i16> {
        let mut coordinates = vec![0; self.points.dims()];
        let share = (random >> 11) as f64 / (1u64 << 53) as f64;
        let total: f64 = self.masses.iter().sum();
        if total <= 0.0 {
            let all = self.from.points;
            all.copy_row((share * all.rows() as f64) as usize, &mut coordinates);
            return coordinates;
        }
        let mut left = share * total;
        let mut chunk = (0..0, f64::INFINITY);
        for (rows, &mass) in self.chunks.iter().zip(&self.masses) {
            if mass <= 0.0 {
                continue;
            }
            // Rounding may leave something after the very last chunk: then its last row with mass is meant.
            chunk = (rows.clone(), f64::INFINITY);
            if left >= mass {
                left -= mass;
                continue;
            }
            chunk.1 = left;
            break;
        }
        self.points.copy_row(self.pick_in(chunk.0, chunk.1), &mut coordinates);
        coordinates
    }

    fn pick_in(&self, rows: Range<usize>, mut left: f64) -> usize {
        let mut last = rows.start;
        for row in rows {
            let mass = self.weight(row) * f64::from(self.distances[row]);
            if mass > 0.0 {
                last = row;
                if left < mass {
                    break;
                }
                left -= mass;
            }
        }
        last
    }
}

/// Lowers the distances of rows, from `first_tile` on, to those from `centre`.
fn shorten(points: &LatticePoints, first_tile: usize, distances: &mut [f32], centre: &[i16]) {
    #[inline(always)]
    fn with(
        points: &LatticePoints,
        first_tile: usize,
        distances: &mut [f32],
        from: impl Fn(&[i16]) -> [[f32; TILE]; 1],
    ) {
        for (t, known) in distances.chunks_mut(TILE).enumerate() {
            let [reach] = from(points.tile_cells(first_tile + t..first_tile + t + 1));
            known.iter_mut().zip(reach).for_each(|(known, reach)| *known = known.min(reach));
        }
    }
    #[cfg(target_arch = "x86_64")]
    if is_x86_feature_detected!("avx2") {
        #[target_feature(enable = "avx2")]
        fn with_avx2(points: &LatticePoints, first_tile: usize, distances: &mut [f32], centre: &[i16]) {
            with(points, first_tile, distances, |cells| seed_distances::avx2(cells, [centre]));
        }
        // SAFETY: the processor has been asked.
        return unsafe { with_avx2(points, first_tile, distances, centre) };
    }
    with(points, first_tile, distances, |cells| seed_distances::plain(cells, [centre]));
}

#[cfg(test)]
mod tests;
