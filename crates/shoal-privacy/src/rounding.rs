//! Double arithmetic whose result is never below the exact one.
//!
//! Used only where a loss is not rational (the conversion from zCDP); everything else is exact in [`crate::Amount`].
//! IEEE 754 rounds the four operations and the square root to nearest, so the next double up is a bound. Exponentials
//! and logarithms come from a library whose error is below one unit in the last place; four units are added here.

/// `a + b`, rounded up.
pub fn add_up(a: f64, b: f64) -> f64 {
    (a + b).next_up()
}

/// `a - b`, rounded up.
pub fn sub_up(a: f64, b: f64) -> f64 {
    (a - b).next_up()
}

/// `a · b`, rounded up.
pub fn mul_up(a: f64, b: f64) -> f64 {
    (a * b).next_up()
}

/// `a / b`, rounded up.
pub fn div_up(a: f64, b: f64) -> f64 {
    (a / b).next_up()
}

/// `e^a`, rounded up.
pub fn exp_up(a: f64) -> f64 {
    four_up(a.exp())
}

/// `ln a`, rounded up.
pub fn ln_up(a: f64) -> f64 {
    four_up(a.ln())
}

/// `ln a`, rounded down.
pub fn ln_down(a: f64) -> f64 {
    -four_up(-a.ln())
}

fn four_up(a: f64) -> f64 {
    a.next_up().next_up().next_up().next_up()
}

#[cfg(test)]
mod tests {
    use dashu_ratio::RBig;
    use proptest::prelude::*;

    use super::*;

    fn exact(x: f64) -> RBig {
        RBig::try_from(x).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(10_000))]

        #[test]
        fn the_four_operations_never_round_down(a in 1e-9..1e9_f64, b in 1e-9..1e9_f64) {
            prop_assert!(exact(add_up(a, b)) >= exact(a) + exact(b));
            prop_assert!(exact(sub_up(a, b)) >= exact(a) - exact(b));
            prop_assert!(exact(mul_up(a, b)) >= exact(a) * exact(b));
            prop_assert!(exact(div_up(a, b)) >= exact(a) / exact(b));
        }

        #[test]
        fn logarithm_and_exponential_enclose_each_other(a in 1e-6..500.0_f64) {
            prop_assert!(ln_up(exp_up(a)) >= a);
            prop_assert!(exp_up(ln_up(a)) >= a);
            prop_assert!(ln_down(a) < ln_up(a));
        }
    }
}
