//! A number of bytes, for people.

use std::fmt;

/// Bytes that are written as `1.5 GB`.
///
/// ```
/// assert_eq!(shoal::consortium::Bytes(1_500_000_000).to_string(), "1.5 GB");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bytes(pub u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [(f64, &str); 3] = [(1e9, "GB"), (1e6, "MB"), (1e3, "kB")];
        match UNITS.iter().find(|(unit, _)| self.0 as f64 >= *unit) {
            Some((unit, name)) => write!(f, "{:.1} {name}", self.0 as f64 / unit),
            None => write!(f, "{} bytes", self.0),
        }
    }
}
