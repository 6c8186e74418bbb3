//! What Lloyd-type systems share.

pub(crate) mod noisy_lloyd;
pub(crate) mod sphere_packing;

pub use sphere_packing::sphere_packing;
