//! Clustering of records that several custodians pool as noisy bit vectors (SZY19).
//!
//! Custodians who may not show each other their tables agree on public [`Terms`] and a common secret, from which all draw the
//! same random positions, the [`Anchors`]. A record becomes one bit for each anchor: whether the value lies within a window
//! of t around it. Bits are flipped at random for privacy, and an aggregator, who has neither the secret nor the records,
//! estimates distances from the bits that differ.
//!
//! ```
//! use shoal_consortium::aggregator::Horizontal;
//! use shoal_consortium::codes_file::{About, CodesFile, CodesWriter, Kind};
//! use shoal_consortium::custodian::{Dpbv, encode_table};
//! use shoal_consortium::{Agreement, AnchorSecret, Attribute, Flips, Partition, Promise, Scale, Terms};
//! use shoal_files::{ReadOptions, Silent, Source, Table};
//! use shoal_lattice::Interval;
//! use shoal_noise::OsNoise;
//!
//! // All custodians: ages from 0 to 100, a window of 50 years, 2,000 bits, ε = 2 for each of them.
//! let age = Attribute::new("age", Interval::new(0.0, 100.0)?, 50.0)?;
//! let terms = Terms::new(vec![age], 2000, Flips::PerBit("2".parse()?), Scale::Own)?;
//! let agreement = Agreement::new(terms, AnchorSecret::new()?);
//!
//! // One custodian: a table in, a file of codes out.
//! let table = Table::open(Source::Memory(b"age\n20\n22\n70\n".to_vec()), &ReadOptions::default())?;
//! let promise = Promise::of_agreement(&agreement, Partition::Records, None)?;
//! println!("{}", promise.guarantee);
//! let about = About {
//!     kind: Kind::Records,
//!     terms: agreement.terms().clone(),
//!     fingerprint: agreement.fingerprint(),
//!     promise,
//!     seeded: false,
//!     bridge: 0,
//!     id: None,
//!     paired_records: None,
//! };
//! let mut file = Vec::new();
//! let mut out = CodesWriter::new(&mut file, &about)?;
//! let encoder = Dpbv::new(&agreement)?;
//! encode_table(&table, agreement.terms(), &encoder, &[], &mut OsNoise::new()?, &mut out, &Silent)?;
//! out.finish()?;
//!
//! // The aggregator: files of codes in, distances out.
//! let pooled = CodesFile::read(vec![Source::Memory(file)], 1 << 20)?;
//! let distances = Horizontal::new(&pooled.terms, &pooled.codes)?.condensed();
//! assert!(distances.get(0, 1) < distances.get(0, 2));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The code is split by role, as the parties are.
//! - [`Terms`]: what is public: attributes, ranges, the window t, bits per attribute, ε per bit.
//! - [`Agreement`]: the terms and the secret; [`AgreementFile`]: an agreement on its way from custodian to custodian.
//! - [`custodian`]: records in, [`Codes`] out; [`codes_file`]: codes on their way to the aggregator.
//! - [`promise`]: what codes guarantee, and [`price`]: what that costs in the accuracy of distances.
//! - [`aggregator`]: distances between codes, and what clusters them.
//!
//! Records are rounded to the lattice of [`STEPS`](shoal_lattice::STEPS) steps across each attribute's public range, and
//! anchors are positions on the same lattice, continued by t on both sides. So codes, their Hamming distances and their
//! guarantee are exact: bit i of x is 1 when |x − r_i| ≤ t in whole steps.

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
