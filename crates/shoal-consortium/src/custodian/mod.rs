//! What custodians do: turn the records they hold into codes that fit those of all others.
//!
//! - [`Bv`]: the clean bits of a value (eq. 1).
//! - [`Dpbv`]: a record's bits, flipped (eq. 7).
//! - [`encode_table`]: a table in, a file of codes out, with little memory.
//! - [`encode_pairs`]: a code for each pair of records, for decomposed vertical partitions (eqs 21–23).

pub(crate) mod bv;
pub(crate) mod dpbv;
mod encode;
pub(crate) mod pairs;

pub use bv::Bv;
pub use dpbv::Dpbv;
pub use encode::{EncodeError, Encoded, encode_table, intermediate_rows};
pub use pairs::{MOST_PAIRED_RECORDS, PairsOf, encode_pairs};
