//! Greedy k-means++ seeding: the next centre is a row drawn with probability proportional to weight times squared
//! distance from the centres so far; of a few such draws the one that lowers the total most is kept.
//!
//! Paper: Arthur and Vassilvitskii, "k-means++: the advantages of careful seeding", SODA 2007, who suggest the greedy
//! variant; the number of draws is scikit-learn's.
//!
//! The seeding only ever sees public or released rows, so ordinary random numbers do. The same numbers give the same
//! centres on every machine and any number of threads: sums run over chunks of fixed length, in order.

use rayon::prelude::*;

use crate::LatticeCentres;
use shoal_lattice::{LatticePoints, TILE};

/// Tiles per chunk.
const CHUNK: usize = 256;

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
    assert!(points.rows() > 0 && clusters > 0 && candidates > 0, "there are rows, clusters and candidates");
    assert!(weights.is_none_or(|w| w.len() == points.rows()), "one weight per row");
    let mut seeding = Seeding { points, weights, distances: vec![1.0; points.rows()], masses: Vec::new() };
    seeding.masses = seeding.masses_with(None);
    let mut coordinates = Vec::with_capacity(clusters * points.dims());
    for j in 0..clusters {
        let mut best: Option<(f64, Vec<i16>)> = None;
        let draws: Vec<u64> = (0..candidates).map(|_| draw()).collect();
        // All first rows are equally good as long as nothing is known.
        for &random in if j == 0 { &draws[..1] } else { &draws } {
            let mut row = vec![0; points.dims()];
            points.copy_row(seeding.pick(random), &mut row);
            let total =
                if candidates == 1 || j == 0 { 0.0 } else { seeding.masses_with(Some(&row)).iter().sum::<f64>() };
            if best.as_ref().is_none_or(|(lowest, _)| total < *lowest) {
                best = Some((total, row));
            }
        }
        // Unwrap safety: there is at least one candidate.
        let (_, row) = best.unwrap();
        seeding.take(&row, j == 0);
        coordinates.extend(row);
    }
    LatticeCentres::new(points.dims(), coordinates)
}

struct Seeding<'a> {
    points: &'a LatticePoints,
    weights: Option<&'a [f64]>,
    /// Squared distance of each row from its nearest centre.
    distances: Vec<f32>,
    /// Weight times squared distance, summed over each chunk.
    masses: Vec<f64>,
}

impl Seeding<'_> {
    fn weight(&self, row: usize) -> f64 {
        self.weights.map_or(1.0, |w| w[row].max(0.0))
    }

    /// The masses there would be with one more centre.
    fn masses_with(&self, centre: Option<&[i16]>) -> Vec<f64> {
        let chunk = |(i, distances): (usize, &[f32])| {
            let mut sums = [0.0; TILE];
            for (t, known) in distances.chunks(TILE).enumerate() {
                let tile = i * CHUNK + t;
                let reach = centre.map_or([f32::INFINITY; TILE], |c| tile_distances(self.points, tile, c));
                for lane in 0..known.len() {
                    sums[lane] += self.weight(tile * TILE + lane) * f64::from(known[lane].min(reach[lane]));
                }
            }
            sums.iter().sum()
        };
        self.distances.par_chunks(CHUNK * TILE).enumerate().map(chunk).collect()
    }

    /// Adds a centre.
    fn take(&mut self, centre: &[i16], first: bool) {
        let points = self.points;
        self.distances.par_chunks_mut(CHUNK * TILE).enumerate().for_each(|(i, distances)| {
            for (t, known) in distances.chunks_mut(TILE).enumerate() {
                let reach = tile_distances(points, i * CHUNK + t, centre);
                for (known, reach) in known.iter_mut().zip(reach) {
                    *known = if first { reach } else { known.min(reach) };
                }
            }
        });
        self.masses = self.masses_with(None);
    }

    /// A row with probability proportional to its mass, or any row when there is no mass left.
    fn pick(&self, random: u64) -> usize {
        let share = (random >> 11) as f64 / (1u64 << 53) as f64;
        let total: f64 = self.masses.iter().sum();
        if total <= 0.0 {
            return (share * self.points.rows() as f64) as usize;
        }
        let mut left = share * total;
        let mut last = 0;
        for (i, &mass) in self.masses.iter().enumerate() {
            if mass <= 0.0 {
                continue;
            }
            let rows = i * CHUNK * TILE..((i + 1) * CHUNK * TILE).min(self.points.rows());
            if left >= mass {
                left -= mass;
                // Rounding may leave something after the very last chunk: then its last row with mass is meant.
                last = i;
                continue;
            }
            return self.pick_in(rows, left);
        }
        self.pick_in(last * CHUNK * TILE..((last + 1) * CHUNK * TILE).min(self.points.rows()), f64::INFINITY)
    }

    fn pick_in(&self, rows: std::ops::Range<usize>, mut left: f64) -> usize {
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

/// Squared distances of a tile's rows from a centre. Rounded to 24 bits: this is a probability, not a label.
fn tile_distances(points: &LatticePoints, tile: usize, centre: &[i16]) -> [f32; TILE] {
    let mut sums = [0.0; TILE];
    for (pair, c) in points.tile_cells(tile..tile + 1).as_chunks::<{ 2 * TILE }>().0.iter().zip(centre.chunks(2)) {
        // The padding of an odd number of attributes is zero in points, so it must be in the centre.
        let (even, odd) = (i32::from(c[0]), i32::from(c.get(1).copied().unwrap_or(0)));
        for lane in 0..TILE {
            let x = (i32::from(pair[2 * lane]) - even) as f32;
            let y = (i32::from(pair[2 * lane + 1]) - odd) as f32;
            sums[lane] += x * x + y * y;
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::random;

    fn line(values: &[i16]) -> LatticePoints {
        let mut points = LatticePoints::new(1);
        values.iter().for_each(|&x| points.push_row(&[x]));
        points
    }

    #[test]
    fn distant_groups_get_a_centre_each() {
        let points = line(&[0, 1, 2, 10_000, 10_001, -20_000, -20_001, 30_000]);
        for seed in 0..20 {
            let centres = kmeanspp(&points, None, 4, usual_candidates(4), &mut random(seed));
            let mut groups: Vec<i32> = (0..4).map(|j| (i32::from(centres.centre(j)[0]) + 500) / 1000).collect();
            groups.sort_unstable();
            assert_eq!(groups, [-19, 0, 10, 30]);
        }
    }

    #[test]
    fn rows_are_repeated_when_they_run_out() {
        let centres = kmeanspp(&line(&[5, 5, 7]), None, 6, 1, &mut random(1));
        assert_eq!(centres.count(), 6);
        assert!((0..6).any(|j| centres.centre(j) == [5]) && (0..6).any(|j| centres.centre(j) == [7]));
    }

    #[test]
    fn weightless_rows_are_not_chosen() {
        let points = line(&[1, 2, 3, 4]);
        for seed in 0..50 {
            let centres = kmeanspp(&points, Some(&[0.0, 1.0, -5.0, 0.25]), 2, 2, &mut random(seed));
            assert!((0..2).all(|j| [2, 4].contains(&centres.centre(j)[0])));
        }
        kmeanspp(&points, Some(&[0.0; 4]), 3, 2, &mut random(0));
    }

    #[test]
    fn draws_follow_the_squared_distance() {
        // After the heavy first row the others are drawn as 1 : 4 : 16.
        let points = line(&[0, 100, 200, 400]);
        let weights = [1e12, 1.0, 1.0, 1.0];
        let mut counts = [0u32; 4];
        let mut next = random(7);
        for _ in 0..21_000 {
            let centres = kmeanspp(&points, Some(&weights), 2, 1, &mut next);
            counts
                [usize::from(centres.centre(1)[0] as u16) / 100 % 4 + usize::from(centres.centre(1)[0] == 400) * 3] +=
                1;
        }
        let expected = [1000.0, 4000.0, 16_000.0];
        let deviation: f64 = expected.iter().zip(&counts[1..]).map(|(e, &c)| (f64::from(c) - e).powi(2) / e).sum();
        assert!(deviation < 27.6, "chi-squared {deviation} with two degrees of freedom, counts {counts:?}");
    }

    #[test]
    fn threads_do_not_matter() {
        let mut next = random(3);
        let points = line(&(0..20_000).map(|_| (next() >> 49) as i16).collect::<Vec<_>>());
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| kmeanspp(&points, None, 9, 3, &mut random(11)))
        };
        assert_eq!(with(1), with(3));
    }
}
