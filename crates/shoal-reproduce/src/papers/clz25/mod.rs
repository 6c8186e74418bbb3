//! The figures of CLZ25.
//!
//! The paper's mechanism keeps none of its promise ([`shoal_device::bpgm::reason`]), so every figure says so and
//! shows next to it what becomes of the same server where the promise is kept.

mod agreement;
mod distances;
mod information;
mod printed;
mod relative_error;
mod setting;
mod statements;

use crate::Figure;

/// All of them.
pub fn figures() -> Vec<Box<dyn Figure>> {
    vec![
        Box::new(agreement::Agreement),
        Box::new(information::Information),
        Box::new(relative_error::RelativeError),
        Box::new(distances::Distances { number: 6, bound: "1" }),
        Box::new(distances::Distances { number: 7, bound: "10" }),
    ]
}
