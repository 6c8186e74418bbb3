//! Claims and how they compose.

mod claims;
mod persons;
mod sentence;
mod shuffling;
