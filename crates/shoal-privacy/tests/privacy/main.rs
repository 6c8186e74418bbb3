//! Claims and how they compose.

mod claims;
