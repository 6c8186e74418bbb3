//! Takes noise out of a matrix whose rows have something in common: optimal shrinkage of singular values.
//!
//! The displacements of k centres in d attributes are a matrix of noise of known size plus what the data say, and that lies
//! in few directions. Singular values up to √n·(1 + √β), n the longer side and β = shorter/longer, are what noise alone gives:
//! they are set to zero. Greater ones are lowered by what noise adds to them, with the shrinker that has the least squared
//! error (Gavish, Donoho, "Optimal Shrinkage of Singular Values", 2017). So clusters that cannot be distinguished fall
//! together, and the effective number of centres follows from what was released.
//!
//! *Privacy.* Post-processing.
//!
//! *Runtime.* One singular value decomposition.

use nalgebra::DMatrix;

/// The matrix (row after row) with noise taken out, for noise of the given standard deviation in each entry.
///
/// # Panics
/// When the lengths do not fit.
pub fn shrink_singular_values(matrix: &[f64], noise: &[f64], rows: usize) -> Vec<f64> {
    assert!(rows > 0 && matrix.len() == noise.len() && matrix.len().is_multiple_of(rows), "a matrix and its noise");
    let columns = matrix.len() / rows;
    if columns == 0 {
        return Vec::new();
    }
    // Entries in units of their noise. Without any there is nothing to take out.
    if noise.iter().any(|&sd| sd <= 0.0 || !sd.is_finite()) {
        return matrix.to_vec();
    }
    let whitened = DMatrix::from_row_iterator(rows, columns, matrix.iter().zip(noise).map(|(x, sd)| x / sd));
    if whitened.iter().any(|x| !x.is_finite()) {
        return matrix.to_vec();
    }
    if rows == 1 {
        // One row has one direction: James and Stein's factor is better than a threshold.
        let squares: f64 = whitened.iter().map(|x| x * x).sum();
        let factor = (1.0 - columns as f64 / squares.max(1e-12)).max(0.0);
        return matrix.iter().map(|x| x * factor).collect();
    }
    let mut parts = whitened.svd(true, true);
    let (longer, shorter) = (rows.max(columns) as f64, rows.min(columns) as f64);
    parts.singular_values.iter_mut().for_each(|value| *value = shrunk(*value, longer, shorter));
    match parts.recompose() {
        Ok(clean) => (0..rows * columns).map(|i| clean[(i / columns, i % columns)] * noise[i]).collect(),
        Err(_) => matrix.to_vec(),
    }
}

/// The shrinker for squared error.
fn shrunk(value: f64, longer: f64, shorter: f64) -> f64 {
    let (y, beta) = (value / longer.sqrt(), shorter / longer);
    if y <= 1.0 + beta.sqrt() {
        return 0.0;
    }
    let inner = (y * y - beta - 1.0).powi(2) - 4.0 * beta;
    inner.max(0.0).sqrt() / y * longer.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use shoal_noise::SeededNoise;
    use shoal_noise::uniform::normal_f64;

    fn noise_of(count: usize, seed: u64) -> Vec<f64> {
        let mut source = SeededNoise::new(seed);
        (0..count).map(|_| normal_f64(&mut source)).collect()
    }

    #[test]
    fn pure_noise_vanishes() {
        let noise = noise_of(10 * 64, 1);
        assert!(shrink_singular_values(&noise, &[1.0; 640], 10).iter().all(|x| x.abs() < 1e-9));
        // Noise twice as large as stated does not.
        let loud: Vec<f64> = noise.iter().map(|x| 2.0 * x).collect();
        assert!(shrink_singular_values(&loud, &[1.0; 640], 10).iter().any(|x| x.abs() > 0.1));
    }

    #[test]
    fn what_rows_have_in_common_stays_and_most_noise_goes() {
        let (rows, columns) = (8, 50);
        let signal: Vec<f64> = (0..rows * columns)
            .map(|i| 3.0 * ((i / columns) as f64 - 3.5) * if i % columns % 3 == 0 { 0.2 } else { -0.1 })
            .collect();
        let sd: Vec<f64> = (0..rows * columns).map(|i| 0.5 + 0.1 * (i / columns) as f64).collect();
        let noisy: Vec<f64> = signal.iter().zip(&sd).zip(noise_of(400, 2)).map(|((s, sd), z)| s + sd * z).collect();
        let error = |found: &[f64]| found.iter().zip(&signal).map(|(a, b)| (a - b).powi(2)).sum::<f64>();
        let found = shrink_singular_values(&noisy, &sd, rows);
        assert!(error(&found) < 0.4 * error(&noisy) && error(&found) < 0.5 * error(&vec![0.0; 400]));
    }

    #[test]
    fn one_row_is_pulled_towards_nothing_and_odd_input_is_left_alone() {
        assert_eq!(shrink_singular_values(&[2.0, 2.0], &[1.0, 1.0], 1), [1.5, 1.5]);
        assert_eq!(shrink_singular_values(&[0.1, 0.1], &[1.0, 1.0], 1), [0.0, 0.0]);
        assert_eq!(shrink_singular_values(&[1.0, 2.0], &[0.0, 1.0], 2), [1.0, 2.0]);
        assert_eq!(shrink_singular_values(&[f64::NAN, 2.0], &[1.0, 1.0], 2)[1], 2.0);
    }
}
