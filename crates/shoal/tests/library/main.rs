//! The library as its users call it.

mod categories;
mod certainty;
mod collected;
#[path = "../../../shoal-files/tests/support/damage.rs"]
mod damage;
mod engine;
mod existence;
mod facade;
mod facade_audit;
mod labels;
mod merge;
mod persons;
mod publication;
mod scales;
mod synopsis_file;
mod synopsis_promise;
mod tree_file;
