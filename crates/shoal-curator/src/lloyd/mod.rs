//! What Lloyd-type systems share.

pub(crate) mod noisy_lloyd;
