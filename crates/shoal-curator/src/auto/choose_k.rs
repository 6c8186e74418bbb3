//! The number of clusters, chosen on released cells: free of charge.
//!
//! For each k the cells are clustered, and each cell is asked how much farther its second-nearest centre is than its nearest:
//! (b − a)/b, the simplified silhouette. The k with the highest mean over the rows wins.
//!
//! *Privacy.* Post-processing of a synopsis.

use shoal_noise::NoiseSource;

use crate::Decision;
use crate::SilhouetteOfK;
use crate::SynopsisKMeans;
use crate::auto::axis_law::AxisLaw;
use crate::auto::informed_cuts::InformedCuts;
use crate::auto::placed_cells::PlacedCells;
use crate::auto::posterior_counts::posterior_counts;
use crate::{Step, Watch};
use shoal_scan::LeafBoxes;

/// The number of clusters that budgets are planned for when it is not known.
const PLANNED: usize = 8;

/// Most clusters that are considered unless the user asks for more.
pub const MOST: usize = 20;

/// The number of clusters to plan for when up to `most` may be chosen.
pub fn planned(most: usize) -> usize {
    PLANNED.min(most)
}

/// [`choose`] on the boxes of any released synopsis, of which no more is known than noisy counts.
pub fn choose_on(
    boxes: &LeafBoxes,
    (counts, count_noise): (&[i64], f64),
    how: &SynopsisKMeans,
    most: usize,
    noise: &mut dyn NoiseSource,
) -> (usize, Decision) {
    let dims = if boxes.count() > 0 { boxes.low(0).len() } else { 1 };
    let uniform = InformedCuts::new(vec![AxisLaw::UNIFORM; dims]);
    let weights = posterior_counts(counts, decay_of(count_noise));
    let cells = PlacedCells::of_boxes(boxes, &uniform, weights);
    choose(&cells, how, most, noise, &|_| ())
}

/// The decay a of discrete Laplace noise with this standard deviation, whose variance is 1/(2·sinh²(a/2)).
fn decay_of(sd: f64) -> f64 {
    2.0 * (1.0 / (sd.max(1e-6) * std::f64::consts::SQRT_2)).asinh()
}

/// The best number of clusters from 2 to `most`, and the decision that reports it.
pub fn choose(
    cells: &PlacedCells,
    how: &SynopsisKMeans,
    most: usize,
    noise: &mut dyn NoiseSource,
    watch: Watch<'_>,
) -> (usize, Decision) {
    let scores: Vec<(usize, f64)> = (2..=most.max(2))
        .map(|k| {
            let best = cells.kmeans(&SynopsisKMeans { k, inits: how.inits.min(10), ..*how }, noise, &|_| ());
            watch(Step { what: "numbers of clusters tried", done: k - 1, of: most.max(2) - 1 });
            (k, cells.silhouette(&best.centres))
        })
        .collect();
    // Unwrap safety: there is k = 2. The first of equals is the smallest.
    let best = scores.iter().copied().reduce(|best, next| if next.1 > best.1 + 1e-9 { next } else { best }).unwrap();
    let mut ranked = scores;
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
    let scores = ranked.into_iter().map(|(k, silhouette)| SilhouetteOfK { k, silhouette }).collect();
    (best.0, Decision::ChoseK { k: best.0, scores })
}

#[cfg(test)]
mod tests {
    use shoal_noise::{DiscreteLaplace, SeededNoise};

    use super::*;

    #[test]
    fn the_decay_is_found_from_the_noise() {
        for decay in ["0.01", "0.1", "1", "3"] {
            let exact: shoal_privacy::Epsilon = decay.parse().unwrap();
            let sd = DiscreteLaplace::new(exact.amount().as_rational().clone()).unwrap().variance().sqrt();
            assert!((decay_of(sd) / exact.to_f64_up() - 1.0).abs() < 1e-6, "{decay}");
        }
    }

    #[test]
    fn three_heaps_on_a_line_are_three_clusters() {
        let edge = |i: i32| ((2000 * i - 30_000) as i16, (2000 * i - 28_001) as i16);
        let edges: Vec<(i16, i16)> = (0..30).map(edge).collect();
        let boxes = LeafBoxes::new(1, edges.iter().map(|e| e.0).collect(), edges.iter().map(|e| e.1).collect());
        let counts: Vec<i64> =
            (0..30).map(|i| if [3, 4, 14, 15, 25, 26].contains(&i) { 1000 } else { i % 3 - 1 }).collect();
        let (k, decision) = choose_on(&boxes, (&counts, 1.4), &SynopsisKMeans::new(1), 8, &mut SeededNoise::new(3));
        assert_eq!(k, 3, "{decision}");
        assert!(matches!(decision, Decision::ChoseK { k: 3, scores } if scores.len() == 7 && scores[0].k == 3));
        assert_eq!((planned(3), planned(20)), (3, 8));
    }
}
