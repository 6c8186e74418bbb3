//! Lists of buckets for raw values of one column, fixed before a row is looked at.
//!
//! Bounds are estimated when nothing is known about a column, not even its unit, so there is no lattice yet. What is asked
//! about the doubles themselves is how many fall into each bucket. A bucket is found from a double's bits, or by
//! comparing it with edges: no arithmetic is done on it, so no rounding decides where a value belongs.

/// Least exponent of two that the magnitudes distinguish from zero.
const LEAST_EXPONENT: i32 = -32;

/// Buckets on each side of zero, each four times as wide as the one before.
const STEPS: usize = 48;

/// Disjoint buckets that hold every finite double, in ascending order.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub enum ValueBuckets {
    /// Zero and magnitudes in factors of four: see [`ValueBuckets::STEPS`].
    Magnitudes,
    /// The parts between neighbouring edges; values beyond the first or the last edge count in the outermost parts.
    Parts(Vec<f64>),
}

impl ValueBuckets {
    /// Buckets of [`ValueBuckets::Magnitudes`] on each side of zero: ±[4^s, 4^(s+1)) for s = −16 … 31, the last one with
    /// all that is larger. What is smaller than 4^−16 counts as zero.
    pub const STEPS: usize = STEPS;

    /// Where [`ValueBuckets::Magnitudes`] has zero.
    pub const ZERO: usize = STEPS;

    /// `parts` equal parts from `lo` to `hi`, where the edges are different numbers.
    ///
    /// # Panics
    /// When there are no parts.
    pub fn equal_parts(lo: f64, hi: f64, parts: usize) -> Self {
        assert!(parts > 0, "an interval has at least one part");
        let mut edges: Vec<f64> = (0..=parts).map(|i| lo + (hi - lo) * (i as f64 / parts as f64)).collect();
        edges[parts] = hi;
        Self::Parts(edges)
    }

    /// Whether every finite double has a bucket: edges must be finite, at least two, and in ascending order.
    pub fn is_sound(&self) -> bool {
        match self {
            Self::Magnitudes => true,
            Self::Parts(edges) => edges.len() >= 2 && edges.iter().all(|edge| edge.is_finite()) && edges.is_sorted(),
        }
    }

    /// Number of buckets.
    pub fn count(&self) -> usize {
        match self {
            Self::Magnitudes => 2 * STEPS + 1,
            Self::Parts(edges) => edges.len().saturating_sub(1),
        }
    }

    /// The bucket of a finite double.
    pub fn bucket(&self, value: f64) -> usize {
        match self {
            Self::Magnitudes => match step(value) {
                None => Self::ZERO,
                Some(step) if value > 0.0 => Self::ZERO + 1 + step,
                Some(step) => Self::ZERO - 1 - step,
            },
            // Only inner edges decide, so that what lies beyond the outer ones is in the outermost parts.
            Self::Parts(edges) => edges[1..edges.len() - 1].partition_point(|edge| *edge <= value),
        }
    }

    /// Counts finite values into the buckets of this list, of which `counts` has one number each.
    pub(crate) fn add_counts(&self, values: &[f64], counts: &mut [u64]) {
        values.iter().for_each(|value| counts[self.bucket(*value)] += 1);
    }

    /// The ends of a bucket. Larger values than the outermost ends are moved there when bounds are applied.
    ///
    /// # Panics
    /// When there is no such bucket.
    pub fn ends(&self, bucket: usize) -> [f64; 2] {
        match self {
            Self::Magnitudes if bucket == Self::ZERO => [-magnitude(0), magnitude(0)],
            Self::Magnitudes if bucket > Self::ZERO => {
                let step = bucket - Self::ZERO - 1;
                assert!(step < STEPS, "a bucket of the list");
                [magnitude(step), magnitude(step + 1)]
            }
            Self::Magnitudes => {
                let step = Self::ZERO - 1 - bucket;
                [-magnitude(step + 1), -magnitude(step)]
            }
            Self::Parts(edges) => [edges[bucket], edges[bucket + 1]],
        }
    }
}

/// The step of a double's magnitude, read from its exponent; nothing when it counts as zero.
fn step(value: f64) -> Option<usize> {
    let exponent = ((value.to_bits() >> 52) & 0x7ff) as i32 - 1023;
    let above = usize::try_from(exponent - LEAST_EXPONENT).ok()?;
    Some((above / 2).min(STEPS - 1))
}

/// The least magnitude of a step: a power of four.
fn magnitude(step: usize) -> f64 {
    f64::from_bits(((1023 + LEAST_EXPONENT + 2 * step as i32) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn powers_of_four_start_their_bucket_and_their_neighbours_below_end_the_one_before() {
        let list = ValueBuckets::Magnitudes;
        for step in 1..STEPS {
            let edge = magnitude(step);
            assert_eq!(list.bucket(edge), list.bucket(edge.next_down()) + 1, "{edge}");
            assert_eq!(list.bucket(-edge) + 1, list.bucket(-edge.next_down()), "-{edge}");
        }
        assert_eq!(list.ends(list.bucket(5.0)), [4.0, 16.0]);
        assert_eq!(list.ends(list.bucket(-4.0)), [-16.0, -4.0]);
        for tiny in [0.0, -0.0, 5e-324, -1e-300, magnitude(0).next_down()] {
            assert_eq!(list.bucket(tiny), ValueBuckets::ZERO);
        }
        assert_eq!((list.bucket(f64::MIN), list.bucket(f64::MAX)), (0, list.count() - 1));
        assert_eq!((magnitude(0), magnitude(STEPS)), (2f64.powi(-32), 2f64.powi(64)));
    }

    #[test]
    fn parts_that_cannot_be_told_apart_still_hold_every_value_once() {
        let list = ValueBuckets::equal_parts(1.0, 1.0f64.next_up(), 64);
        for value in [0.0, 1.0, 1.0f64.next_up(), 2.0] {
            assert!(list.bucket(value) < 64);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(10_000))]

        #[test]
        fn every_finite_double_is_in_one_bucket_whose_ends_enclose_it(bits in any::<u64>()) {
            let value = f64::from_bits(bits);
            prop_assume!(value.is_finite());
            let list = ValueBuckets::Magnitudes;
            let bucket = list.bucket(value);
            let [lo, hi] = list.ends(bucket);
            let within = value.clamp(-magnitude(STEPS), magnitude(STEPS));
            prop_assert!(lo <= within && within <= hi, "{value} is not in [{lo}, {hi}]");
            let holds = |other: &usize| {
                let [lo, hi] = list.ends(*other);
                if *other > ValueBuckets::ZERO { lo <= value && value < hi } else { lo < value && value <= hi }
            };
            let others = (0..list.count()).filter(|other| *other != ValueBuckets::ZERO).filter(holds).count();
            prop_assert!(others <= 1);
        }

        #[test]
        fn every_value_is_in_one_part_whose_ends_enclose_it(lo in -1e6..1e6f64, width in 1e-3..1e6f64, value in any::<f64>()) {
            prop_assume!(value.is_finite());
            let list = ValueBuckets::equal_parts(lo, lo + width, 64);
            let [low, high] = list.ends(list.bucket(value));
            let within = value.clamp(lo, lo + width);
            prop_assert!(low <= within && within <= high);
            let larger = list.bucket(value.next_up().min(f64::MAX));
            prop_assert!(larger >= list.bucket(value));
        }
    }
}
