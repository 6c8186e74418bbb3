//! How accurate a fit with `auto` will be, from public numbers and a stated guess about the data.
//!
//! What is predicted is the error that *privacy adds*: how far the released clustering is from the same clustering without
//! privacy. The absolute level of the NICV depends on the data and cannot be predicted; its ratio to that of the clustering
//! without privacy can.
//!
//! `accuracy.rs` has the formulas and their constants, `guess.rs` what is assumed about the data. The constants were set on
//! made-up tables alone; `bench/src/bin/plan_accuracy.rs` compares the forecast with measured fits, on the families that
//! set them and on others.
//!
//! *Privacy.* Rows are a design size, public or bought, and the guess is the analyst's: nothing here is about the data.

mod accuracy;
mod guess;

pub use accuracy::{Accuracy, Found, predict_accuracy};
pub use guess::DataGuess;
