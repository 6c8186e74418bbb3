//! RSP, random subspace projection (SZY19 §II-C 2): p′ = p·R/(√q·σ) with a d×q matrix R of independent N(0, σ²).

use shoal_noise::{NoiseSource, uniform};

use crate::comparators::Rows;

/// Projects rows to `kept` numbers. σ cancels, so R is standard normal here.
///
/// # Panics
/// When nothing is kept.
pub fn random_subspace_projection(rows: &Rows, kept: usize, source: &mut impl NoiseSource) -> Rows {
    assert!(kept > 0, "at least one dimension is kept");
    let dims = rows.dims();
    let matrix: Vec<f64> = (0..dims * kept).map(|_| uniform::normal_f64(source)).collect();
    let scale = 1.0 / (kept as f64).sqrt();
    let mut values = Vec::with_capacity(rows.len() * kept);
    for i in 0..rows.len() {
        let row = rows.row(i);
        for j in 0..kept {
            let product: f64 = row.iter().enumerate().map(|(a, x)| x * matrix[a * kept + j]).sum();
            values.push(product * scale);
        }
    }
    Rows::new(kept, values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use shoal_noise::SeededNoise;

    fn mean_squared_ratio(project: impl Fn(&Rows, u64) -> Rows) -> f64 {
        let rows = Rows::new(8, (0..16).map(|i| f64::from(i * i % 7)).collect());
        let squared = |r: &Rows| r.row(0).iter().zip(r.row(1)).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
        (0..4_000).map(|seed| squared(&project(&rows, seed)) / squared(&rows)).sum::<f64>() / 4_000.0
    }

    /// Squared distances are kept on average: each is a χ²_q / q, so the mean of 4,000 is within 5·√(2/(4·4000)) of one.
    #[test]
    fn squared_distances_are_kept_on_average() {
        let right = mean_squared_ratio(|rows, seed| random_subspace_projection(rows, 4, &mut SeededNoise::new(seed)));
        assert!((right - 1.0).abs() < 0.056, "{right}");
        let scaled_by_d = mean_squared_ratio(|rows, seed| {
            let projected = random_subspace_projection(rows, 4, &mut SeededNoise::new(seed));
            Rows::new(4, projected.values().iter().map(|x| x * f64::sqrt(4.0 / 8.0)).collect())
        });
        assert!((scaled_by_d - 1.0).abs() > 0.056, "{scaled_by_d}");
    }
}
