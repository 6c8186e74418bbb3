//! What people see: text, tables and pages.

#[cfg(feature = "audit")]
pub mod audit_page;
pub mod bars;
pub mod clock;
pub mod compare_page;
pub mod consortium;
pub mod measured;
pub mod output;
pub mod progress;
pub mod quality;
pub mod report;
pub mod summary;
