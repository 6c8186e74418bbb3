//! Sums of many doubles.

/// A sum that keeps what each addition rounds away (Neumaier 1974), so that a billion rows add up as well as ten, and
/// in batches as well as at once.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sum {
    rounded: f64,
    lost: f64,
}

impl Sum {
    pub(crate) fn add(&mut self, term: f64) {
        let total = self.rounded + term;
        // The smaller of the two lost its last digits.
        self.lost += if self.rounded.abs() >= term.abs() {
            (self.rounded - total) + term
        } else {
            (term - total) + self.rounded
        };
        self.rounded = total;
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.add(other.rounded);
        self.lost += other.lost;
    }

    pub(crate) fn value(&self) -> f64 {
        // Past the largest double the correction is no number, and the sum is infinite.
        if self.rounded.is_finite() { self.rounded + self.lost } else { self.rounded }
    }
}

impl FromIterator<f64> for Sum {
    fn from_iter<I: IntoIterator<Item = f64>>(terms: I) -> Self {
        let mut sum = Self::default();
        terms.into_iter().for_each(|term| sum.add(term));
        sum
    }
}

/// ‖a − b‖².
pub(crate) fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_terms_are_not_lost_beside_large_ones() {
        let terms = [1.0, 1e100, 1.0, -1e100];
        assert_eq!(terms.iter().sum::<f64>(), 0.0);
        assert_eq!(terms.into_iter().collect::<Sum>().value(), 2.0);
        let mut parts: Sum = terms[..2].iter().copied().collect();
        parts.merge(&terms[2..].iter().copied().collect());
        assert_eq!(parts.value(), 2.0);
        assert_eq!([f64::MAX, f64::MAX].into_iter().collect::<Sum>().value(), f64::INFINITY);
    }
}
