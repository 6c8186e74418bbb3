//! The mean of a cluster of noisy centres: random effects, estimated by empirical Bayes.
//!
//! A released centre is x_i = μ_i + e_i: the mean of n_i rows of one table, and noise of known variance s_i². Wanted is the
//! mean of all rows, Σ n_i·μ_i/N. The means of the tables differ by a variance τ² that the centres themselves show:
//!
//! 1. τ² by moments: Σ n_i·(x_i − x̄)² is Σ n_i·(1 − n_i/N)·(τ² + s_i²) on average, for x̄ = Σ n_i·x_i/N.
//! 2. The common mean by least squares: γ = Σ g_i·x_i/Σ g_i, g_i = 1/(τ² + s_i²).
//! 3. Each table's mean is drawn towards it: μ̂_i = γ + b_i·(x_i − γ), b_i = τ²/(τ² + s_i²).
//!
//! Where tables differ by more than the noise (each has clusters of its own) all b_i are near 1, and rows count alike. Where
//! they do not (rows were dealt at random) b_i is near 0, and centres count by their precision: a small table with large
//! noise does no harm. The result is a weighted mean of the centres, and these are its weights.

/// A variance below this is none: the lattice has no finer steps.
const LEAST: f64 = 1e-9;

/// The weight of each centre in the mean of a cluster, for coordinates `x`, variances of their noise, and rows; they add up
/// to one. Centres without rows have none, unless no centre has any: then all count alike.
pub(super) fn weights(x: &[f64], variances: &[f64], rows: &[f64]) -> Vec<f64> {
    let total: f64 = rows.iter().sum();
    if total <= 0.0 {
        return vec![1.0 / x.len().max(1) as f64; x.len()];
    }
    let share: Vec<f64> = rows.iter().map(|rows| rows / total).collect();
    let mean: f64 = share.iter().zip(x).map(|(share, x)| share * x).sum();
    let square: f64 = share.iter().zip(x).map(|(share, x)| share * (x - mean).powi(2)).sum();
    let of_noise: f64 = share.iter().zip(variances).map(|(share, v)| share * (1.0 - share) * v).sum();
    let freedom: f64 = share.iter().map(|share| share * (1.0 - share)).sum();
    let between = if freedom > 0.0 { ((square - of_noise) / freedom).max(0.0) } else { 0.0 };
    let with_rows = |share: f64| f64::from(u8::from(share > 0.0));
    let precision: Vec<f64> =
        share.iter().zip(variances).map(|(&share, v)| with_rows(share) / (between + v + LEAST)).collect();
    let all: f64 = precision.iter().sum();
    let kept: Vec<f64> = variances.iter().map(|v| (between + LEAST) / (between + v + LEAST)).collect();
    let drawn: f64 = share.iter().zip(&kept).map(|(share, kept)| share * (1.0 - kept)).sum();
    let of = |((share, kept), precision): ((&f64, &f64), &f64)| share * kept + drawn * precision / all;
    share.iter().zip(&kept).zip(&precision).map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use shoal_noise::SeededNoise;
    use shoal_noise::uniform::normal_f64;

    fn mean(weights: &[f64], x: &[f64]) -> f64 {
        weights.iter().zip(x).map(|(w, x)| w * x).sum()
    }

    #[test]
    fn weights_add_up_and_ignore_centres_without_rows() {
        for (x, variances, rows) in [
            (vec![0.1, 0.2, 0.9], vec![0.01, 0.0, 1.0], vec![10.0, 20.0, 0.0]),
            (vec![0.5], vec![0.1], vec![3.0]),
            (vec![-1.0, 1.0], vec![0.0, 0.0], vec![0.0, 0.0]),
            (vec![0.3, 0.3, 0.3], vec![0.1, 0.2, 0.3], vec![1e-9, 1e9, 5.0]),
        ] {
            let found = weights(&x, &variances, &rows);
            assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{found:?}");
            assert!(found.iter().all(|w| (-1e-12..=1.0 + 1e-12).contains(w)));
        }
        assert_eq!(weights(&[0.1, 0.9], &[0.01, 0.01], &[5.0, 0.0])[1], 0.0);
    }

    #[test]
    fn without_noise_rows_count_and_with_noise_alone_precision_does() {
        // Tables that differ, without noise: the mean of all rows.
        let found = weights(&[0.0, 1.0], &[0.0, 0.0], &[300.0, 100.0]);
        assert!((found[1] - 0.25).abs() < 1e-6, "{found:?}");
        // Tables that do not differ more than their noise: by precision.
        let found = weights(&[0.1, 0.1], &[0.01, 0.04], &[100.0, 100.0]);
        assert!((found[0] - 0.8).abs() < 1e-6, "{found:?}");
    }

    #[test]
    fn it_beats_counting_rows_and_counting_precision() {
        let random = &mut SeededNoise::new(5);
        // Root mean square errors of this, of rows alone and of precision alone, for tables that differ by `tau`.
        let mut errors = |tau: f64| {
            let mut squares = [0.0; 3];
            for _ in 0..2000 {
                let rows: Vec<f64> = (0..8).map(|i| f64::from(1 + i) * 100.0).collect();
                let variances: Vec<f64> = rows.iter().map(|rows| (40.0 / rows).powi(2)).collect();
                let means: Vec<f64> = rows.iter().map(|_| tau * normal_f64(random)).collect();
                let x: Vec<f64> =
                    means.iter().zip(&variances).map(|(m, v)| m + v.sqrt() * normal_f64(random)).collect();
                let total: f64 = rows.iter().sum();
                let by_rows: Vec<f64> = rows.iter().map(|rows| rows / total).collect();
                let precision: f64 = variances.iter().map(|v| 1.0 / v).sum();
                let by_precision: Vec<f64> = variances.iter().map(|v| 1.0 / v / precision).collect();
                let truth = mean(&by_rows, &means);
                for (square, weights) in squares.iter_mut().zip([weights(&x, &variances, &rows), by_rows, by_precision])
                {
                    *square += (mean(&weights, &x) - truth).powi(2);
                }
            }
            squares.map(|square| (square / 2000.0_f64).sqrt())
        };
        let [own, rows, _] = errors(0.0);
        assert!(own < 0.95 * rows, "tables that do not differ: {own} {rows}");
        let [own, rows, precision] = errors(1.0);
        assert!(own < 1.05 * rows && own < 0.7 * precision, "tables that differ: {own} {rows} {precision}");
    }
}
