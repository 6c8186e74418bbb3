//! What the paper says of DPBV (Theorem 4, eq. 10), and how far that is from the truth.
//!
//! Eq. 10 bounds P(y|x) − e^ε·P(y|x′) for single outcomes y. A promise has to hold for sets of outcomes, whose excesses
//! add up, and about half of the 2^h outcomes of h differing bits have one. At s ≤ 3 only the outcome with no bit flipped
//! has odds above e^ε, and the printed δ happens to be right; from s = 4 on it is too small, and more bits make it smaller
//! where they make the truth larger.

use shoal_privacy::{Epsilon, Published};

use crate::promise::curve::Curve;

/// log10 of eq. 10's δ = (e^ε/(e^ε+1))^s − e^ε·(1/(e^ε+1))^s; minus infinity for one bit, where it is 0.
pub fn log10_delta(epsilon: f64, bits: u32) -> f64 {
    let s = f64::from(bits);
    // The second power is e^(−ε(s−1)) of the first.
    let ln = -s * libm::log1p(libm::exp(-epsilon)) + libm::log(-libm::expm1(-epsilon * (s - 1.0)));
    ln / std::f64::consts::LN_10
}

/// The bits that §VI (Fig. 9) asks for to "achieve" δ: s = ⌈ln δ / (ε − ln(e^ε + 1))⌉.
pub fn bits_for(epsilon: f64, delta: f64) -> f64 {
    // ε − ln(e^ε + 1) without cancellation.
    (libm::log(delta) / -libm::log1p(libm::exp(-epsilon))).ceil()
}

/// Whether eq. 10 is true of a value's s bits: up to three only one outcome has odds above e^ε, and eq. 10 is its excess.
pub fn holds(bits: u32) -> bool {
    bits <= 3
}

/// A δ that is true of s bits that all differ, at the ε that is published for them.
pub fn true_delta_at_published_epsilon(epsilon: &Epsilon, bits: u32) -> f64 {
    Curve::of_bits(epsilon, bits.into()).delta_up(epsilon.amount().to_f64_down())
}

/// Eq. 10 as it would be printed. The paper says it of each value, whatever the number of attributes.
pub fn claim(epsilon: &Epsilon, bits: u32, attributes: usize) -> Published {
    let delta = power_of_ten(log10_delta(epsilon.to_f64_up(), bits));
    let whose = if attributes == 1 { "" } else { " per value" };
    Published::new(format!("({epsilon}, {delta})-LDP{whose}"), "SZY19")
}

/// A number given by its decimal logarithm, with two digits, also where it is no double any more.
fn power_of_ten(log10: f64) -> String {
    if log10 == f64::NEG_INFINITY {
        return "0".into();
    }
    if log10 >= -3.0 {
        return format!("{:.3}", 10_f64.powf(log10));
    }
    let exponent = log10.floor();
    // Digits are cut and not rounded, so that the number shown is never weaker than that of the paper.
    let digits = (10_f64.powf(log10 - exponent) * 10.0).floor() / 10.0;
    format!("{digits}e{exponent}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn epsilon(text: &str) -> Epsilon {
        text.parse().unwrap()
    }

    #[test]
    fn the_printed_numbers_come_out() {
        assert_eq!(claim(&epsilon("1"), 1000, 1).text, "(1, 8.9e-137)-LDP");
        assert_eq!(claim(&epsilon("2"), 1000, 64).text, "(2, 7.5e-56)-LDP per value");
        assert_eq!(claim(&epsilon("1"), 1, 1).text, "(1, 0)-LDP");
        assert_eq!(claim(&epsilon("1"), 5, 1).text, "(1, 0.205)-LDP");
        assert!(claim(&epsilon("1"), 1 << 20, 1).text.starts_with("(1, 3.3e-142657)"), "beyond the doubles");
        assert_eq!(bits_for(1.0, 1e-6), 45.0);
    }

    #[test]
    fn the_printed_delta_is_true_up_to_three_bits_and_false_from_four_on() {
        for (bits, holds) in [(1, true), (2, true), (3, true), (4, false), (5, false), (20, false), (1000, false)] {
            let published = 10_f64.powf(log10_delta(1.0, bits));
            let truth = true_delta_at_published_epsilon(&epsilon("1"), bits);
            assert_eq!(super::holds(bits), holds);
            assert_eq!(truth <= published * (1.0 + 1e-9) + 1e-15, holds, "{bits} bits: {truth} against {published}");
        }
        assert!((true_delta_at_published_epsilon(&epsilon("1"), 5) - 0.537).abs() < 5e-4);
    }
}
