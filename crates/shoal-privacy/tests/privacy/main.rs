//! Claims and how they compose.

mod claims;
mod custodians;
mod persons;
mod sentence;
mod shuffling;
