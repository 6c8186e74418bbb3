//! Claims and how they compose.

mod claims;
mod sentence;
