//! The lattice itself: how many positions an attribute has.

/// Lattice units from the middle of an interval to its end: lattice coordinates lie in `-HALF_WIDTH..=HALF_WIDTH`.
pub const HALF_WIDTH: i32 = 32_767;

/// Lattice steps across an attribute's bounds: counted from the lower bound, a record's coordinate is one of `0..=STEPS`.
pub const STEPS: u64 = 2 * HALF_WIDTH as u64;
