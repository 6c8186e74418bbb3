//! Data sets that papers generate.

use shoal_curator::internals::sphere_packing;
use shoal_lattice::{HALF_WIDTH, LatticePoints};
use shoal_noise::{NoiseSource, uniform};

/// SCL16's synthetic data: `k` well separated Gaussian clusters of equal size in [−1, 1]^d.
///
/// The paper gives neither centres nor widths. Here centres keep the distances of sphere packing with radius a, and the
/// standard deviation is a third of a over √d, so that nearly all rows are nearer to their own centre than to others.
pub fn gaussians(rows: usize, dims: usize, k: usize, noise: &mut dyn NoiseSource) -> LatticePoints {
    let centres = sphere_packing(k, dims, noise);
    let centre = |j: usize| &centres[j * dims..(j + 1) * dims];
    let distance = |i: usize, j: usize| -> f64 {
        centre(i).iter().zip(centre(j)).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
    };
    let pairs = (0..k).flat_map(|i| (0..i).map(move |j| (i, j)));
    let nearest = pairs.map(|(i, j)| distance(i, j)).fold(2.0, f64::min);
    let width = nearest / 2.0 / 3.0 / (dims as f64).sqrt();
    let mut points = LatticePoints::with_capacity(dims, rows);
    for row in 0..rows {
        let place = |x: &f64, z: f64| ((x + width * z).clamp(-1.0, 1.0) * f64::from(HALF_WIDTH)).round() as i16;
        let coordinates: Vec<i16> = centre(row % k).iter().map(|x| place(x, uniform::normal_f64(noise))).collect();
        points.push_row(&coordinates);
    }
    points
}
