//! The number of clusters, chosen on released cells: free of charge.
//!
//! For each k the cells are clustered, and each cell is asked how much farther its second-nearest centre is than its nearest:
//! (b − a)/b, the simplified silhouette. The k with the highest mean over the rows wins.
//!
//! *Privacy.* Post-processing of a synopsis.

use shoal_noise::NoiseSource;

use super::placed_cells::PlacedCells;
use crate::curator::synopsis::SynopsisKMeans;

/// The number of clusters that budgets are planned for when it is not known.
pub const PLANNED: usize = 8;

/// Most clusters that are considered unless the user says otherwise.
pub const MOST: usize = 20;

/// The best number of clusters from 2 to `most`.
pub fn choose(
    cells: &PlacedCells,
    how: &SynopsisKMeans,
    most: usize,
    noise: &mut dyn NoiseSource,
    decisions: &mut Vec<String>,
) -> usize {
    let scores: Vec<(usize, f64)> = (2..=most.max(2))
        .map(|k| {
            let best = cells.kmeans(&SynopsisKMeans { k, inits: how.inits.min(10), ..*how }, noise, &|_| ());
            (k, cells.silhouette(&best.centres))
        })
        .collect();
    // Unwrap safety: there is k = 2. The first of equals is the smallest.
    let best = scores.iter().copied().reduce(|best, next| if next.1 > best.1 + 1e-9 { next } else { best }).unwrap();
    let mut ranked = scores;
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
    let table: Vec<String> = ranked.iter().take(4).map(|(k, score)| format!("{k}: {score:.3}")).collect();
    decisions.push(format!(
        "k = {} was chosen on the released cells, free of charge (mean silhouette of the best: {}).",
        best.0,
        table.join(", ")
    ));
    best.0
}
