//! Reports for tests of the server.

#[path = "../../../../shoal-device/tests/support/designs.rs"]
#[allow(dead_code, reason = "the tests of devices use more of it")]
mod designs;
pub mod server;
pub mod student;

pub use designs::{M, client, design};
