//! A number known to lie between two doubles. Every operation rounds the lower end down and the upper end up.

/// Units in the last place that a library's exponential or logarithm may be off, with much to spare.
const UNITS: u64 = 8;

/// Something between `low` and `high`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Enclosure {
    pub low: f64,
    pub high: f64,
}

impl Enclosure {
    /// This very double.
    pub fn exactly(value: f64) -> Self {
        Self { low: value, high: value }
    }

    /// A whole number, below 2^53 exactly.
    pub fn whole(value: u64) -> Self {
        Self::exactly(value as f64)
    }

    /// What a library function returned, which may be off by some units.
    fn nearly(low: f64, high: f64) -> Self {
        let room = |x: f64| x.abs() * UNITS as f64 * f64::EPSILON + f64::MIN_POSITIVE;
        Self { low: low - room(low), high: high + room(high) }
    }

    pub fn plus(self, other: Self) -> Self {
        Self { low: (self.low + other.low).next_down(), high: (self.high + other.high).next_up() }
    }

    pub fn minus(self, other: Self) -> Self {
        Self { low: (self.low - other.high).next_down(), high: (self.high - other.low).next_up() }
    }

    pub fn times(self, other: Self) -> Self {
        let ends = [self.low * other.low, self.low * other.high, self.high * other.low, self.high * other.high];
        Self {
            low: ends.into_iter().fold(f64::INFINITY, f64::min).next_down(),
            high: ends.into_iter().fold(f64::NEG_INFINITY, f64::max).next_up(),
        }
    }

    /// Divided by something above zero.
    pub fn over(self, other: Self) -> Self {
        debug_assert!(other.low > 0.0, "the divisor is positive");
        let ends = [self.low / other.low, self.low / other.high, self.high / other.low, self.high / other.high];
        Self {
            low: ends.into_iter().fold(f64::INFINITY, f64::min).next_down(),
            high: ends.into_iter().fold(f64::NEG_INFINITY, f64::max).next_up(),
        }
    }

    pub fn exp(self) -> Self {
        let Self { low, high } = Self::nearly(self.low.exp(), self.high.exp());
        Self { low: low.max(0.0), high }
    }

    pub fn exp_m1(self) -> Self {
        Self::nearly(self.low.exp_m1(), self.high.exp_m1())
    }

    pub fn ln(self) -> Self {
        Self::nearly(self.low.ln(), self.high.ln())
    }

    /// ln(1 + x).
    pub fn ln_1p(self) -> Self {
        Self::nearly(self.low.ln_1p(), self.high.ln_1p())
    }
}

#[cfg(test)]
mod tests {
    use dashu_ratio::RBig;
    use proptest::prelude::*;

    use super::*;

    fn holds(enclosure: Enclosure, exact: &RBig) -> bool {
        RBig::try_from(enclosure.low).unwrap() <= *exact && *exact <= RBig::try_from(enclosure.high).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5_000))]

        #[test]
        fn the_exact_result_is_enclosed(a in -1e6..1e6_f64, b in 1e-6..1e6_f64) {
            let exact = |x: f64| RBig::try_from(x).unwrap();
            let (x, y) = (Enclosure::exactly(a), Enclosure::exactly(b));
            prop_assert!(holds(x.plus(y), &(exact(a) + exact(b))));
            prop_assert!(holds(x.minus(y), &(exact(a) - exact(b))));
            prop_assert!(holds(x.times(y), &(exact(a) * exact(b))));
            prop_assert!(holds(x.over(y), &(exact(a) / exact(b))));
        }

        #[test]
        fn functions_and_their_inverses_enclose_the_argument(a in 1e-6..600.0_f64) {
            let within = |e: Enclosure| e.low <= a && a <= e.high;
            prop_assert!(within(Enclosure::exactly(a).ln().exp()));
            prop_assert!(within(Enclosure::exactly(a).exp().ln()));
            prop_assert!(within(Enclosure::exactly(a).exp_m1().ln_1p()));
        }
    }
}
