//! The mechanisms, one per file: each turns a record on the lattice into a noisy report and states what that guarantees.

pub mod bpgm;
pub(crate) mod bpgm_as_printed;
mod bpm;
mod laplace;
mod nd_laplace;
mod radial;
mod words;

pub use bpgm::Bpgm;
pub use bpm::Bpm;
pub use laplace::LaplacePerAttribute;
pub use nd_laplace::NdLaplace;
pub use words::WordResponse;
