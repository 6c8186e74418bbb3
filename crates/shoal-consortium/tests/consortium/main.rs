//! Codes, what they promise, what they cost.

mod codes_file;
mod curve;
#[path = "../../../shoal-files/tests/support/damage.rs"]
mod damage;
mod encode;
mod price;
mod promise;
