//! The honest but curious aggregator of SZY19 §VI, who has codes and decoding parameters and no anchors.
//!
//! One code alone reveals nothing: over the draw of the anchors every bit is as likely set for one value as for another
//! (Theorem 3). But it has everyone's codes, made with the same anchors, and distances are what they are for. Classical
//! scaling turns the distances into places on a line, up to a shift and a mirror.

use shoal_kernel::Condensed;

/// Rounds of the power iteration; the first axis of one-dimensional records stands far above the others.
const ROUNDS: usize = 100;

/// Places that an aggregator found.
pub struct CuriousAggregator {
    places: Vec<f64>,
}

impl CuriousAggregator {
    /// Finds places from all pairs of decoded distances.
    pub fn new(distances: &Condensed) -> Self {
        let n = distances.len();
        // Classical scaling: the first eigenvector of -½ J D² J, J taking means away.
        let squared: Vec<f64> = (0..n * n).map(|c| distances.get(c / n, c % n).powi(2)).collect();
        let means: Vec<f64> = squared.chunks_exact(n).map(|row| row.iter().sum::<f64>() / n as f64).collect();
        let mean = means.iter().sum::<f64>() / n as f64;
        let inner = |i: usize, j: usize| -0.5 * (squared[i * n + j] - means[i] - means[j] + mean);
        let mut axis: Vec<f64> = (0..n).map(|i| inner(i, 0)).collect();
        let mut strength = 0.0;
        for _ in 0..ROUNDS {
            let length = axis.iter().map(|x| x * x).sum::<f64>().sqrt();
            if length == 0.0 {
                break;
            }
            axis.iter_mut().for_each(|x| *x /= length);
            let next: Vec<f64> = (0..n).map(|i| (0..n).map(|j| inner(i, j) * axis[j]).sum()).collect();
            strength = next.iter().zip(&axis).map(|(a, b)| a * b).sum();
            axis = next;
        }
        let length = axis.iter().map(|x| x * x).sum::<f64>().sqrt();
        let scale = if length > 0.0 { f64::sqrt(f64::max(strength, 0.0)) / length } else { 0.0 };
        Self { places: axis.iter().map(|x| x * scale).collect() }
    }

    /// The places, moved, mirrored and scaled as fits the truth best: how close the aggregator comes when it learns the
    /// middle, which way is up and how much of what it sees is noise, say from public statistics.
    pub fn fitted(&self, truth: &[f64]) -> Vec<f64> {
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        let (middle, true_middle) = (mean(&self.places), mean(truth));
        let product: f64 = self.places.iter().zip(truth).map(|(a, b)| (a - middle) * (b - true_middle)).sum();
        let square: f64 = self.places.iter().map(|a| (a - middle).powi(2)).sum();
        let slope = if square > 0.0 { product / square } else { 0.0 };
        self.places.iter().map(|x| true_middle + slope * (x - middle)).collect()
    }

    /// The places.
    pub fn places(&self) -> &[f64] {
        &self.places
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_distances_give_the_places_back() {
        let truth: Vec<f64> = (0..40).map(|i| f64::from(i * i % 61)).collect();
        let distances = Condensed::from_fn(40, |i, j| (truth[i] - truth[j]).abs());
        let found = CuriousAggregator::new(&distances).fitted(&truth);
        let far = found.iter().zip(&truth).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(far < 1e-6, "{far}");
    }

    #[test]
    fn equal_records_have_one_place() {
        let found = CuriousAggregator::new(&Condensed::from_fn(5, |_, _| 0.0));
        assert!(found.places().iter().all(|x| *x == 0.0));
    }
}
