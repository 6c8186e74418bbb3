//! How codes are made, where several commands ask for it.

use shoal_consortium::Scale;

use crate::arguments::names::Names;

/// How attributes count in a distance.
pub const SCALES: Names<Scale> = Names(&[
    ("own", Scale::Own, "In their own units"),
    ("range", Scale::Range, "In widths of their ranges, so that all count alike"),
]);

/// Bits of a code.
pub fn parse_bits(text: &str) -> Result<u32, String> {
    let bits = text.parse::<u32>().ok().filter(|bits| (1..=1 << 20).contains(bits));
    bits.ok_or_else(|| "give a whole number of bits from 1 to 1048576, for example 20".into())
}

/// The window t as a share of a range.
pub fn parse_window(text: &str) -> Result<f64, String> {
    let window = text.parse::<f64>().ok().filter(|window| (1e-4..=256.0).contains(window));
    window.ok_or_else(|| "give a share of the range from 0.0001 to 256, for example 0.5".into())
}
