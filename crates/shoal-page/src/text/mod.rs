//! Numbers and words for people.

mod digits;
mod number;
mod words;

pub use digits::{Rounding, compact, significant, significant_trimmed, trimmed};
pub use number::{exponent, fixed, number, percent, to_step, with_noise};
pub use words::{csv_cell, csv_quoted, first_few, listed, plural, printable, shell_word, shortened};
