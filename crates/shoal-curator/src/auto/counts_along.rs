//! One heap or two? Rows counted along the line between the two halves of the released cells.
//!
//! Two groups make one long cloud, and an even spread of the same length gains nearly as much from being halved, so the gaps
//! of [`crate::certainty::evidence`] may miss two groups that are plain, above all in many columns, where cells are coarse.
//! One cluster leaves the rounds of refinement little to do. So where k is to be chosen and no clusters show, half of
//! what refinement has pays for a look at the rows themselves: points on the line through the two centres of k-means on the
//! cells, and for each the number of rows nearest to it. These are slabs across the line, whatever the number of columns.
//!
//! There are two heaps when some slab has fewer rows than one on either side of it, by [`CLEAR`] standard deviations (of the
//! noise, and of counts as random as a sample's) and by a [`DEEP`] part. A distribution with one peak, even or skewed, has no
//! such valley along any line. The last slab at an end holds all rows beyond, so it is no heap unless the box ends there.
//!
//! *Privacy.* One row changes one count by 1: [`NoisyCountsMechanism`](crate::NoisyCountsMechanism), charged before the rows are looked at. The line
//! follows from released cells and public random numbers.
//!
//! *Runtime.* One scan for [`POINTS`] centres.

use shoal_kernel::{LatticeCentres, kmeans_from, kmeanspp, usual_candidates};
use shoal_noise::{NoiseSource, SeededNoise};
use shoal_scan::Question;

use crate::auto::placed_cells::PlacedCells;
use crate::auto::run::Run;
use crate::auto::steps::counts;
use crate::{Decision, FitError};

/// Points on the line at most: from −2.5 to 2.5 in steps of a half, where the centres are at −1 and 1.
const POINTS: i32 = 11;

/// Standard deviations by which a valley must be below the heaps on both sides.
const CLEAR: f64 = 4.0;

/// The part of the lower heap by which it must be below.
const DEEP: f64 = 0.25;

/// Centres closer than this, in box units, show no direction.
const CLOSEST: f64 = 1e-3;

/// Initialisations of k-means with two centres on the cells.
const STARTS: usize = 8;

/// Iterations from each.
const ITERATIONS: usize = 50;

/// Points on a line, in order, and what lies beyond them.
struct Line {
    points: LatticeCentres,
    /// Whether the box goes on beyond the first and the last point.
    goes_on: (bool, bool),
}

impl Line {
    /// Through two centres, or along the first axis when they are too close to show a direction.
    fn through(a: &[f64], b: &[f64]) -> Self {
        let middle = vec![0.0; a.len() - 1];
        let (left, right) = ([&[-0.4], middle.as_slice()].concat(), [&[0.4], middle.as_slice()].concat());
        let apart = a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
        let (a, b) = if apart < CLOSEST { (left.as_slice(), right.as_slice()) } else { (a, b) };
        let at = |step: i32| -> Vec<f64> {
            let t = 0.5 + 0.25 * f64::from(step);
            a.iter().zip(b).map(|(a, b)| a + t * (b - a)).collect()
        };
        let inside = |step: &i32| at(*step).iter().all(|x| x.abs() <= 1.0);
        let most = POINTS / 2;
        let first = (-most..=-2).find(inside).unwrap_or(-2);
        let last = (2..=most).rev().find(inside).unwrap_or(2);
        let points: Vec<f64> = (first..=last).flat_map(at).collect();
        let goes_on = (inside(&(first - 1)), inside(&(last + 1)));
        Self { points: LatticeCentres::from_unit(a.len(), &points), goes_on }
    }
}

/// Whether rows along the line between the two halves of `cells` are in two heaps, with `thousandths` of the budget.
pub fn two_heaps(run: &mut Run<'_>, cells: &PlacedCells, thousandths: u64) -> Result<bool, FitError> {
    let halves = halves(cells);
    let (a, b) = halves.split_at(cells.dims());
    let line = Line::through(a, b);
    let epsilon = run.pure_part(thousandths)?;
    let question = Question::SumsAndCounts { centres: line.points.clone() };
    let (counts, variance) = counts(run.releaser, question, &epsilon)?;
    let heaps = Valley::USUAL.is_in(&counts, variance, line.goes_on);
    run.decisions.push(Decision::CountedAlong { counts, noise: variance.sqrt(), two_heaps: heaps });
    Ok(heaps)
}

/// The best two centres on the cells, with public random numbers.
fn halves(cells: &PlacedCells) -> Vec<f64> {
    let mut random = SeededNoise::new(2);
    let weights = Some(cells.weights.as_slice());
    let mut draw = || random.next_u64();
    let starts: Vec<LatticeCentres> =
        (0..STARTS).map(|_| kmeanspp(cells.points(), weights, 2, usual_candidates(2), &mut draw)).collect();
    let found = kmeans_from(cells.points(), weights, &starts, ITERATIONS).into_iter();
    // Unwrap safety: there is at least one start.
    found.min_by(|a, b| a.cost.total_cmp(&b.cost)).unwrap().centres
}

/// What makes a valley.
#[derive(Clone, Copy)]
struct Valley {
    /// Standard deviations below the lower heap.
    clear: f64,
    /// Part of the lower heap.
    deep: f64,
}

impl Valley {
    const USUAL: Self = Self { clear: CLEAR, deep: DEEP };

    /// True when some count is below one on either side of it, clearly and deeply. `noise` is the variance of a count's.
    fn is_in(self, counts: &[i64], noise: f64, goes_on: (bool, bool)) -> bool {
        let rows: Vec<f64> = counts.iter().map(|&count| (count as f64).max(0.0)).collect();
        let (from, to) = (usize::from(goes_on.0), rows.len() - usize::from(goes_on.1));
        let highest = |range: std::ops::Range<usize>| rows[range].iter().copied().fold(0.0, f64::max);
        (from + 1..to - 1).any(|valley| {
            let low = rows[valley];
            let heap = highest(from..valley).min(highest(valley + 1..to));
            let deviation = (2.0 * noise + heap + low).sqrt();
            heap - low >= self.clear * deviation && heap - low >= self.deep * heap
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shoal_noise::DiscreteLaplace;
    use shoal_noise::uniform::{normal_f64, unit_f64};

    /// The share of noisy counts of 3000 rows of a shape, centres at ±1, that have a valley.
    fn found(how: Valley, goes_on: (bool, bool), draw: impl Fn(&mut SeededNoise) -> f64) -> f64 {
        let law = DiscreteLaplace::new("3/40".parse().unwrap()).unwrap();
        let mut random = SeededNoise::new(5);
        let tries = 400;
        let mut times = 0.0;
        for _ in 0..tries {
            let mut counts = vec![0_i64; POINTS as usize];
            for _ in 0..3000 {
                let slab = (2.0 * draw(&mut random)).round().clamp(-5.0, 5.0) as i32 + POINTS / 2;
                counts[slab as usize] += 1;
            }
            counts.iter_mut().for_each(|count| *count += law.sample(&mut random));
            times += f64::from(u8::from(how.is_in(&counts, law.variance(), goes_on)));
        }
        times / f64::from(tries)
    }

    fn even(random: &mut SeededNoise) -> f64 {
        4.0 * unit_f64(random) - 2.0
    }

    /// Two normal heaps of one width, so many standard deviations apart.
    fn heaps(apart: f64) -> impl Fn(&mut SeededNoise) -> f64 {
        move |random| if unit_f64(random) < 0.5 { -1.0 } else { 1.0 } + 2.0 / apart * normal_f64(random)
    }

    #[test]
    fn one_peak_has_no_valley() {
        let inside = (true, true);
        assert!(found(Valley::USUAL, inside, even) < 0.01);
        assert!(found(Valley::USUAL, inside, |random| 1.25 * normal_f64(random)) < 0.01);
        // The centres of two halves of an exponential distribution are 0.59 and 2.59.
        assert!(found(Valley::USUAL, inside, |random| -(1.0 - unit_f64(random)).ln() - 1.59) < 0.01);
        let nothing = Valley { clear: 0.0, deep: 0.0 };
        assert!(found(nothing, inside, even) > 0.9, "the mutant must see valleys in noise");
        // All that is beyond the last point is no heap.
        assert!(found(Valley::USUAL, (false, false), |random| 3.0 * normal_f64(random)) > 0.9, "the mutant must fail");
        assert!(found(Valley::USUAL, inside, |random| 3.0 * normal_f64(random)) < 0.01);
    }

    #[test]
    fn two_heaps_have_one() {
        assert!(found(Valley::USUAL, (true, true), heaps(7.0)) > 0.99);
        assert!(found(Valley::USUAL, (true, true), heaps(5.0)) > 0.99);
        let blind = Valley { clear: 40.0, deep: 0.25 };
        assert!(found(blind, (true, true), heaps(7.0)) < 0.01, "the mutant must fail");
    }

    #[test]
    fn lines_stay_in_the_box_and_have_a_direction() {
        let inside = Line::through(&[-0.2, 0.1], &[0.2, -0.1]);
        assert_eq!((inside.points.count(), inside.goes_on), (11, (true, true)));
        // Centres near the border: the line ends at them.
        let border = Line::through(&[-0.9, 0.0], &[0.95, 0.0]);
        assert_eq!((border.points.count(), border.goes_on), (5, (false, false)));
        assert_eq!(border.points.centre(0), LatticeCentres::from_unit(2, &[-0.9, 0.0]).centre(0));
        let none = Line::through(&[0.3, 0.3], &[0.3, 0.3]);
        assert!(none.points.centre(0) != none.points.centre(1));
        assert!(Line::through(&[0.3], &[0.3]).points.count() > 4, "one column");
    }

    #[test]
    fn odd_counts_have_no_valley() {
        for counts in [vec![0; 5], vec![-9; 5], vec![i64::MAX / 4, 0, i64::MIN / 4, 7, 7]] {
            assert!(!Valley::USUAL.is_in(&counts, 1.0, (true, true)), "{counts:?}");
        }
        assert!(!Valley::USUAL.is_in(&[900, 0, 900], 1.0, (true, true)), "all but the valley is beyond the ends");
        assert!(Valley::USUAL.is_in(&[900, 0, 900], 1.0, (false, false)));
    }
}
