//! The tests of steps, as one program.

mod bytes;
mod claims;
mod local;
mod neighbours;
mod questions;
mod wrapping;
