//! The time of day, in UTC, for people.

use std::time::SystemTime;

use jiff::Timestamp;

/// Now to the minute: `2026-01-31 12:00 UTC`.
pub fn minute() -> String {
    now().strftime("%Y-%m-%d %H:%M UTC").to_string()
}

/// Today: `2026-01-31`.
#[cfg(feature = "audit")]
pub fn day() -> String {
    now().strftime("%Y-%m-%d").to_string()
}

/// A clock that is far off gives a wrong date, and no panic.
fn now() -> Timestamp {
    Timestamp::try_from(SystemTime::now()).unwrap_or(Timestamp::MAX)
}
