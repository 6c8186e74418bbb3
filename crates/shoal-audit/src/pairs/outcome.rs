//! The numbers that a fit releases, for an attacker who knows all rows but one, and what such an attacker looks at.
//!
//! Everything that a user sees counts: centres, sizes, the noise figures, the cells with their counts and their shape, the
//! estimate of the NICV, what was decided and what was charged. The first numbers are the output as it is, in a fixed
//! layout; what follows is read off it with the row in mind, each with a [`Score`] that puts it into words.

use shoal_curator::{Cells, Outcome, Synopsis};
use shoal_lattice::{BoxPosition, HALF_WIDTH, Lattice};

use crate::pair::Score;
use crate::randomness::fnv_1a;
use crate::runs::Runs;
use crate::statistical::features::MOST_NUMBERS;

/// What is read off an output, in this order.
const READ: [&str; 14] = [
    "farthest centre in the row's direction",
    "centres in the row's direction, summed",
    "closeness of the nearest centre to the row",
    "size of the centre nearest to the row",
    "sum of sizes",
    "noisy count of the row's cell",
    "width of the row's cell",
    "sum of the cells' counts",
    "number of cells",
    "sum of rows in the row's direction, from centres and sizes",
    "least that sizes and sums exceed those of the other rows by",
    "most that sizes and sums exceed those of the other rows by",
    "count of the row's cell and sum of sizes",
    "count of the row's cell and closeness of the nearest centre",
];

/// An attacker who knows the other rows and asks about one.
#[derive(Clone, Debug)]
pub struct Attacker {
    row: Vec<i16>,
    /// The row in box units.
    at: Vec<f64>,
    /// From the middle to the row; some direction where the row is the middle.
    direction: Vec<f64>,
    others: f64,
    /// Sums of the other rows, as positions in the box.
    sums: Vec<f64>,
}

impl Attacker {
    /// An attacker who knows `others` and asks about `row`.
    #[must_use]
    pub fn new(others: &[Vec<i16>], row: &[i16]) -> Self {
        let unit = |x: i16| Lattice(x).in_box().0;
        let at: Vec<f64> = row.iter().map(|&x| unit(x)).collect();
        let length = at.iter().map(|x| x * x).sum::<f64>().sqrt();
        let direction =
            at.iter().map(|x| if length > 0.0 { x / length } else { (at.len() as f64).powf(-0.5) }).collect();
        let sums = (0..row.len()).map(|axis| others.iter().map(|other| unit(other[axis])).sum()).collect();
        Self { row: row.to_vec(), at, direction, others: others.len() as f64, sums }
    }

    /// Records the numbers of an outcome of a fit that was asked for `k` clusters.
    pub fn tell(&self, outcome: &Outcome, k: usize, out: &mut Runs) {
        let mut raw = Vec::with_capacity(MOST_NUMBERS);
        self.raw(outcome, k, &mut raw);
        raw.resize(MOST_NUMBERS, 0.0);
        out.tell_all(raw);
        out.tell_all(self.read(outcome));
    }

    /// What to look at, in words.
    #[must_use]
    pub fn scores() -> Vec<Score> {
        let score = |(i, words): (usize, &&str)| {
            Score::new(*words, move |run: &[f64]| run.get(MOST_NUMBERS + i).copied().unwrap_or(0.0))
        };
        READ.iter().enumerate().map(score).collect()
    }

    /// The output as it is, each number at its place whatever the number of centres.
    fn raw(&self, outcome: &Outcome, k: usize, raw: &mut Vec<f64>) {
        let mut block = |numbers: &mut dyn Iterator<Item = f64>, places: usize| {
            let before = raw.len();
            raw.extend(numbers.take(places));
            raw.resize(before + places, 0.0);
        };
        let dims = self.row.len();
        block(&mut std::iter::once(outcome.centres.len() as f64), 1);
        block(&mut outcome.centres.iter().flatten().map(|x| x.0), k * dims);
        block(&mut outcome.sizes.iter().copied(), k);
        block(&mut outcome.size_noise.iter().copied(), k);
        block(&mut outcome.noise_per_centre.iter().flatten().map(|sd| sd.0), k * dims);
        let nicv =
            outcome.nicv.iter().flat_map(|estimate| [estimate.nicv, estimate.low, estimate.high, estimate.capped_at]);
        block(&mut nicv.into_iter(), 4);
        // Decisions have to be the same, or their numbers give something away.
        let decided: Vec<String> = outcome.decisions.iter().map(ToString::to_string).collect();
        let (decided, charged) = (decided.join("\n"), outcome.charged.symbols());
        block(&mut [outcome.decisions.len() as f64, as_number(&decided), as_number(&charged)].into_iter(), 3);
        let (noise, counts) =
            outcome.synopsis.as_ref().map_or((0.0, &[][..]), |cells| (cells.count_noise, &cells.counts[..]));
        block(&mut std::iter::once(noise), 1);
        let left = MOST_NUMBERS.saturating_sub(raw.len());
        raw.extend(counts.iter().take(left).map(|&count| count as f64));
        raw.truncate(MOST_NUMBERS);
    }

    fn read(&self, outcome: &Outcome) -> [f64; READ.len()] {
        let along = |centre: &[BoxPosition]| centre.iter().zip(&self.direction).map(|(x, u)| x.0 * u).sum::<f64>();
        let closeness =
            |centre: &[BoxPosition]| -centre.iter().zip(&self.at).map(|(x, r)| (x.0 - r).powi(2)).sum::<f64>().sqrt();
        let (mut farthest, mut summed, mut nearest) = (f64::NEG_INFINITY, 0.0, (f64::NEG_INFINITY, 0));
        for (j, centre) in outcome.centres.iter().enumerate() {
            farthest = along(centre).max(farthest);
            summed += along(centre);
            nearest = if closeness(centre) > nearest.0 { (closeness(centre), j) } else { nearest };
        }
        let size = outcome.sizes.get(nearest.1).copied().unwrap_or(0.0);
        let sizes: f64 = outcome.sizes.iter().sum();
        let moment = outcome.centres.iter().zip(&outcome.sizes).map(|(centre, size)| size * along(centre)).sum();
        let (count, width) = self.cell(outcome.synopsis.as_ref());
        let counts = outcome.synopsis.as_ref().map_or(0.0, |cells| cells.counts.iter().sum::<i64>() as f64);
        let cells = outcome.synopsis.as_ref().map_or(0.0, |cells| cells.counts.len() as f64);
        let (least, most) = self.excess(outcome, sizes);
        [
            farthest,
            summed,
            nearest.0,
            size,
            sizes,
            count,
            width,
            counts,
            cells,
            moment,
            least,
            most,
            count + sizes,
            count + 4.0 * nearest.0,
        ]
    }

    /// The noisy count of the row's cell, and how wide the cell is, in sides of the box.
    fn cell(&self, synopsis: Option<&Synopsis>) -> (f64, f64) {
        let Some(synopsis) = synopsis else { return (0.0, 0.0) };
        match &synopsis.cells {
            Cells::Grid(grid) => (synopsis.counts[grid.cell(&self.row)] as f64, 0.0),
            Cells::Boxes(boxes) => {
                let leaf = boxes.tree().leaf(&self.row);
                let sides = boxes.leaves().high(leaf).iter().zip(boxes.leaves().low(leaf));
                let width = sides.map(|(&high, &low)| f64::from(i32::from(high) - i32::from(low) + 1)).sum::<f64>();
                (synopsis.counts[leaf] as f64, width / f64::from(2 * HALF_WIDTH + 1))
            }
            _ => (0.0, 0.0),
        }
    }

    /// By how much the number of rows and their sums, towards the row, exceed those of the other rows: the least and the
    /// most of these. Noise on each of them is independent, so all of them together reveal most.
    fn excess(&self, outcome: &Outcome, sizes: f64) -> (f64, f64) {
        let (mut least, mut most) = (sizes - self.others, sizes - self.others);
        for (axis, &at) in self.at.iter().enumerate() {
            let towards = if at < 0.0 { -1.0 } else { 1.0 };
            let (mut sum, mut all_at_end) = (0.0, true);
            for (centre, size) in outcome.centres.iter().zip(&outcome.sizes) {
                sum += size * centre[axis].0;
                all_at_end &= centre[axis].0.abs() >= 1.0;
            }
            // A centre at a border says only that the sum is at least so large.
            let beyond = if all_at_end && !outcome.sizes.is_empty() { sum.signum() * f64::INFINITY } else { sum };
            let excess = towards * (beyond - self.sums[axis]);
            least = least.min(excess);
            most = most.max(excess);
        }
        (least, most)
    }
}

/// A number for a text, from 0 to 1: another one for another text.
fn as_number(text: &str) -> f64 {
    (fnv_1a(0, text) >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_one_length_are_told_apart() {
        assert_ne!(as_number("ε = 0.5"), as_number("ε = 0.6"));
        assert_eq!(as_number("ε = 0.5"), as_number("ε = 0.5"));
        assert!((0.0..=1.0).contains(&as_number("")));
    }
}
