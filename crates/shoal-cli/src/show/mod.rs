//! What people see: text, tables and pages.

#[cfg(feature = "audit")]
pub mod audit_page;
pub mod bars;
pub mod clock;
pub mod compare_page;
pub mod consortium;
pub mod evidence;
pub mod output;
pub mod progress;
pub mod summary;
