//! The library as its users call it.

#[path = "../../../shoal-files/tests/support/damage.rs"]
mod damage;
mod facade;
mod synopsis_file;
mod tree_file;
