//! How often each cluster reappears.
//!
//! A cluster reappears in a solution when its centre there is nearer to its usual place than half the distance from that place to the
//! nearest other centre. The stability of a cluster is the lesser of two shares: of the reruns in which it reappears, and
//! of the rival solutions on the released cells in which it does. The first measures what noise can do to the simulated
//! table, the second what it may have done already.

/// For each of `centres` (box units, centre after centre), the share of `solutions` in which it reappears; 1 without any.
pub fn reappearing<'a>(centres: &[f64], solutions: impl Iterator<Item = &'a [f64]>, dims: usize) -> Vec<f64> {
    let k = centres.len() / dims;
    let near: Vec<f64> = (0..k).map(|j| 0.5 * nearest_other(centres, j, dims)).collect();
    let (mut times, mut of) = (vec![0.0; k], 0.0);
    for solution in solutions {
        of += 1.0;
        for j in 0..k {
            let moved = distance(&centres[j * dims..][..dims], &solution[j * dims..][..dims]);
            times[j] += f64::from(u8::from(moved < near[j]));
        }
    }
    times.iter().map(|times| if of > 0.0 { times / of } else { 1.0 }).collect()
}

/// Distance of centre `j` from the nearest other one; infinite when there is none.
fn nearest_other(centres: &[f64], j: usize, dims: usize) -> f64 {
    let own = &centres[j * dims..][..dims];
    let others = centres.chunks_exact(dims).enumerate().filter(|&(other, _)| other != j);
    others.map(|(_, other)| distance(own, other)).fold(f64::INFINITY, f64::min)
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cluster_reappears_within_half_the_way_to_the_next() {
        let centres = [0.0, 0.4, -1.0];
        let solutions: [&[f64]; 4] = [&[0.0, 0.4, -1.0], &[0.19, 0.4, -0.4], &[0.21, 0.4, -0.6], &[-0.1, 0.7, -1.0]];
        assert_eq!(reappearing(&centres, solutions.into_iter(), 1), [0.75, 0.75, 0.75]);
        assert_eq!(reappearing(&[0.5], [[-0.9].as_slice()].into_iter(), 1), [1.0], "one cluster has nowhere to go");
        assert_eq!(reappearing(&centres, std::iter::empty(), 1), [1.0; 3]);
    }
}
