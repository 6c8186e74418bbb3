//! Noisy clipped sums as they were released, and where they put a centre.
//!
//! *Privacy.* Everything here is post-processing of released integers and public limits.

use shoal_kernel::Reach;
use shoal_lattice::HALF_WIDTH;

/// Noisy sums of clipped distances (see [`Reach`]) and noisy counts, centre after centre, all multiplied by `scale`.
///
/// The numbers that noise was added to are integers; a scale above one makes room for noise finer than a lattice unit
/// or a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScaledSums {
    /// Number of attributes.
    pub dims: usize,
    /// What sums and counts were multiplied by before noise was added.
    pub scale: u32,
    /// Per centre and attribute.
    pub sums: Vec<i64>,
    /// Per centre, where counts were released; noise can make one negative.
    pub counts: Option<Vec<i64>>,
}

impl ScaledSums {
    /// The noisy sum of centre `j` in attribute `axis`, in lattice units.
    pub fn sum(&self, j: usize, axis: usize) -> f64 {
        self.sums[j * self.dims + axis] as f64 / f64::from(self.scale)
    }

    /// The noisy number of rows of centre `j`, where one was released.
    pub fn count(&self, j: usize) -> Option<f64> {
        self.counts.as_ref().map(|counts| counts[j] as f64 / f64::from(self.scale))
    }

    /// The mean of the rows of centre `j` in box units, if there are `rows` of them (the noisy count, or what is known
    /// from elsewhere).
    ///
    /// A mean of clipped distances is within the reach, and a mean of rows within the box, so whatever noise moved
    /// beyond is moved back.
    pub fn mean(&self, j: usize, rows: f64, reach: &Reach) -> Vec<f64> {
        let half = f64::from(HALF_WIDTH);
        let places = reach.reference().centre(j).iter().zip(reach.half_widths(j)).enumerate();
        places
            .map(|(axis, (&from, &width))| {
                let width = f64::from(width);
                let distance = (self.sum(j, axis) / rows).clamp(-width, width);
                ((f64::from(from) + distance) / half).clamp(-1.0, 1.0)
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use shoal_kernel::LatticeCentres;

    #[test]
    fn means_are_measured_from_the_reference_and_stay_in_reach_and_box() {
        let reach = Reach::new(LatticeCentres::new(2, vec![1000, -32_000]), vec![500, 2000]);
        let released = |sums: Vec<i64>| ScaledSums { dims: 2, scale: 4, sums, counts: Some(vec![40]) };
        let lattice = |mean: Vec<f64>| mean.iter().map(|x| (x * 32_767.0).round() as i64).collect::<Vec<_>>();
        let numbers = released(vec![4 * 1000, -4 * 3000]);
        assert_eq!((numbers.count(0), numbers.sum(0, 1)), (Some(10.0), -3000.0));
        assert_eq!(lattice(numbers.mean(0, 10.0, &reach)), [1100, -32_300]);
        assert_eq!(lattice(released(vec![1 << 40, -(1 << 40)]).mean(0, 10.0, &reach)), [1500, -32_767]);
    }
}
