//! Reruns: the whole method again and again on one table, with fresh noise each time.
//!
//! *Privacy.* The table is simulated ([`super::simulated_table`]), so nothing here is sensitive and no budget is spent. The
//! noise comes from a public key: it hides nothing. It is not the source of the release's own noise, which is neither
//! read nor advanced, so the same release always has the same intervals.

use rayon::prelude::*;
use shoal_kernel::assign_min_cost;
use shoal_noise::SeededNoise;

/// A stream of random numbers that anyone can repeat; a different one for each label.
pub fn public_random(label: u64) -> SeededNoise {
    let mut key = *b"shoal: reruns on simulated rows.";
    key[24..].copy_from_slice(&label.to_le_bytes());
    SeededNoise::from_key(key)
}

/// What one rerun found, in box units.
#[derive(Clone, Debug, PartialEq)]
pub struct Rerun {
    /// Centre after centre.
    pub centres: Vec<f64>,
    /// Where they were before the rounds that refine them, on the rerun's own cells; empty for methods without such rounds.
    pub on_cells: Vec<f64>,
    /// Rows of each cluster, in rows of the simulated table; empty when the method releases none.
    pub sizes: Vec<f64>,
    /// The share of variance that the rerun would report as explained, and the one that it does explain.
    pub explained: Option<(f64, f64)>,
}

/// Runs `work` without a log: queries about simulated rows and their releases are no steps of the run.
pub fn unlogged<T>(work: impl FnOnce() -> T) -> T {
    tracing::dispatcher::with_default(&tracing::Dispatch::none(), work)
}

/// `count` reruns side by side, each with a stream of its own; those that fail are left out.
pub fn rerun(count: usize, one: impl Fn(&mut SeededNoise) -> Option<Rerun> + Sync) -> Vec<Rerun> {
    (0..count as u64).into_par_iter().filter_map(|label| unlogged(|| one(&mut public_random(1000 + label)))).collect()
}

/// For each centre of `to`, the number of the centre of `from` that belongs to it: the smallest sum of squared distances
/// (Hungarian matching). None when there are fewer.
pub fn matching(to: &[f64], from: &[f64], dims: usize) -> Option<Vec<usize>> {
    let (k, others) = (to.len() / dims, from.len() / dims);
    let squared = |j: usize, other: usize| {
        to[j * dims..][..dims].iter().zip(&from[other * dims..][..dims]).map(|(a, b)| (a - b).powi(2)).sum::<f64>()
    };
    let costs: Vec<f64> = (0..k).flat_map(|j| (0..others).map(move |other| squared(j, other))).collect();
    assign_min_cost(k, others, &costs).column_of.into_iter().collect()
}

impl Rerun {
    /// The same with its clusters in the order of those in `to`; none when there are fewer.
    pub fn in_order_of(self, to: &[f64], dims: usize) -> Option<Self> {
        let order = matching(to, &self.centres, dims)?;
        let rows = |from: &[f64], j: usize| from[j * dims..][..dims].to_vec();
        let sorted = |from: &[f64]| match from {
            [] => Vec::new(),
            _ => order.iter().flat_map(|&j| rows(from, j)).collect(),
        };
        let (centres, on_cells) = (sorted(&self.centres), sorted(&self.on_cells));
        let sizes = if self.sizes.is_empty() { Vec::new() } else { order.iter().map(|&j| self.sizes[j]).collect() };
        Some(Self { centres, on_cells, sizes, ..self })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_are_put_in_order() {
        let centres = vec![0.9, 0.9, -0.5, 0.1];
        let found = Rerun { on_cells: centres.clone(), centres, sizes: vec![7.0, 5.0], explained: None };
        let ordered = found.clone().in_order_of(&[-0.4, 0.0, 1.0, 1.0], 2).unwrap();
        assert_eq!((ordered.centres, ordered.sizes), (vec![-0.5, 0.1, 0.9, 0.9], vec![5.0, 7.0]));
        assert_eq!(found.in_order_of(&[0.0; 6], 2), None, "two centres for three");
    }

    #[test]
    fn reruns_differ_and_repeat() {
        use shoal_noise::NoiseSource;
        let draw = || {
            rerun(3, |noise| {
                let first = (noise.next_u64() >> 40) as f64;
                Some(Rerun { centres: vec![first], on_cells: vec![first], sizes: Vec::new(), explained: None })
            })
        };
        assert_eq!(draw(), draw());
        assert_ne!(draw()[0], draw()[1]);
    }
}
