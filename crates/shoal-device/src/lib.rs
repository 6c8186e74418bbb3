//! What runs on a person's device.

pub mod bpgm;
mod bpm;
pub mod bpm_law;
pub mod choose_radius;
mod client;
mod design;
mod laplace;
mod nd_laplace;
mod radial;

pub use bpgm::Bpgm;
pub use bpm::Bpm;
pub use bpm_law::BpmLaw;
pub use client::{Client, Promises};
pub use design::{BpgmForm, CrowdError, Design, Ending, Mechanism, NoiseLaw, Sampler, Space};
pub use laplace::LaplacePerAttribute;
pub use nd_laplace::NdLaplace;
