//! Initial centres that keep their distance (SCL16 §4.1.1, NQC21 §2.2.1).
//!
//! For a radius `a`, centres are drawn one by one, each at least `a` from every border of the box and `2a` from every
//! earlier centre; a draw that is not is drawn again. When that fails repeatedly, `a` is too large; a binary search
//! finds the largest `a` that works.
//!
//! *Privacy.* No record is looked at; the result costs nothing.
//!
//! *Runtime.* At most 20 radii × k × 200 draws × k·d operations.
//!
//! *Deviations.* The papers do not say how often "repeatedly" is (here 200 draws for one centre) nor when the binary
//! search stops (here after 20 halvings, 10⁻⁶ of the box). NQC21 starts the search at `a = 0.5`, SCL16 does not say;
//! here it starts from the whole range (0, 1]. The centre sets that SCL16's authors published keep away from the corners
//! only; the text's rule is followed here.

use shoal_noise::NoiseSource;
use shoal_noise::uniform::unit_f64;

/// Draws for one centre before a radius counts as too large.
const TRIES: usize = 200;

/// Halvings of the interval that holds the largest radius.
const HALVINGS: usize = 20;

/// `k` centres in the box `[-1, 1]^dims`, one after the other, as far apart as random packing gets them.
///
/// ```
/// use shoal_kernel::sphere_packing;
/// use shoal_noise::SeededNoise;
///
/// let centres = sphere_packing(3, 2, &mut SeededNoise::new(1));
/// assert_eq!(centres.len(), 3 * 2);
/// ```
pub fn sphere_packing(k: usize, dims: usize, noise: &mut (impl NoiseSource + ?Sized)) -> Vec<f64> {
    let (mut works, mut fails) = (0.0, 1.0);
    // A radius of zero asks for nothing, so it always works.
    let mut best = (0..k * dims).map(|_| between(-1.0, 1.0, noise)).collect();
    for _ in 0..HALVINGS {
        let radius = 0.5 * (works + fails);
        match pack(k, dims, radius, noise) {
            Some(centres) => {
                works = radius;
                best = centres;
            }
            None => fails = radius,
        }
    }
    best
}

fn pack(k: usize, dims: usize, radius: f64, noise: &mut (impl NoiseSource + ?Sized)) -> Option<Vec<f64>> {
    let reach = 1.0 - radius;
    let mut centres: Vec<f64> = Vec::with_capacity(k * dims);
    for _ in 0..k {
        let centre = (0..TRIES).find_map(|_| {
            let draw: Vec<f64> = (0..dims).map(|_| between(-reach, reach, noise)).collect();
            centres.chunks_exact(dims).all(|other| distance(other, &draw) >= 2.0 * radius).then_some(draw)
        })?;
        centres.extend(centre);
    }
    Some(centres)
}

fn between(low: f64, high: f64, noise: &mut (impl NoiseSource + ?Sized)) -> f64 {
    low + (high - low) * unit_f64(noise)
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y).powi(2)).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use shoal_noise::SeededNoise;

    use super::*;

    /// Largest `a` that the set respects: distance to the borders and half the distance between centres.
    fn radius(centres: &[f64], dims: usize) -> f64 {
        let border = centres.iter().map(|x| 1.0 - x.abs()).fold(f64::INFINITY, f64::min);
        let rows: Vec<_> = centres.chunks_exact(dims).collect();
        let pairs = rows.iter().enumerate().flat_map(|(i, a)| rows[..i].iter().map(|b| 0.5 * distance(a, b)));
        pairs.fold(border, f64::min)
    }

    #[test]
    fn centres_keep_their_distance() {
        for (k, dims, at_least) in [(1, 2, 0.99), (2, 1, 0.4), (3, 2, 0.3), (15, 2, 0.14), (5, 6, 0.3), (10, 64, 0.6)] {
            let centres = sphere_packing(k, dims, &mut SeededNoise::new(7));
            assert_eq!(centres.len(), k * dims);
            assert!(radius(&centres, dims) >= at_least, "k = {k}, d = {dims}: {}", radius(&centres, dims));
        }
    }

    #[test]
    fn uniform_draws_would_not_pass() {
        let mut noise = SeededNoise::new(7);
        let uniform: Vec<f64> = (0..30).map(|_| between(-1.0, 1.0, &mut noise)).collect();
        assert!(radius(&uniform, 2) < 0.1);
    }
}
