//! Clustering of records that several custodians pool as noisy bit vectors (SZY19).
//!
//! The code is split by role, as the parties are.
//! - [`Terms`]: what is public: attributes, ranges, the window t, bits per attribute, ε per bit.
//! - [`Agreement`]: the terms and the secret that custodians share, from which everyone draws the same [`Anchors`].
//! - [`AgreementFile`]: an agreement on its way from custodian to custodian.
//! - [`Codes`]: records as packed bits, which is all that an aggregator gets.
//! - [`custodian`]: records in, codes out.
//! - [`codes_file`]: codes on their way from the custodians to the aggregator.
//! - [`promise`]: what codes give away, and [`price`]: what that costs in distances.
//! - [`aggregator`]: distances between codes, and what clusters them.
//!
//! Records are rounded to the lattice of [`STEPS`](shoal_lattice::STEPS) steps across each attribute's public range, and
//! anchors are positions on the same lattice, continued by t on both sides. So codes, their Hamming distances and what
//! they give away are exact: bit i of x is 1 when |x − r_i| ≤ t in whole steps.

pub mod aggregator;
mod agreement;
mod agreement_file;
mod anchors;
mod catalogue;
mod codes;
pub mod codes_file;
pub mod custodian;
mod distances_file;
mod pair_scalars;
pub mod price;
pub mod promise;
mod terms;

pub use agreement::{Agreement, AnchorSecret};
pub use agreement_file::{AGREEMENT_VERSION, AgreementFile, AgreementFileError};
pub use anchors::Anchors;
pub use catalogue::{METHODS, find_method};
pub use codes::Codes;
pub use distances_file::write_distances;
pub use promise::{Limit, OverLimit, Partition, Promise};
pub use terms::{Attribute, Flips, Scale, Terms, TermsError};
