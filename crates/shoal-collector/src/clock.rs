//! The time of day, which tests can set.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use shoal_device::wire::Day;

/// Where the time of day comes from. Only opening, closing and the age of reports depend on it.
#[derive(Clone, Debug, Default)]
pub enum Clock {
    /// The clock of the machine.
    #[default]
    System,
    /// A clock that stands still until somebody moves it, in seconds since 1970 began: for tests.
    Hand(Arc<AtomicU64>),
}

impl Clock {
    /// A clock that stands at this time.
    pub fn standing_at(seconds: u64) -> Self {
        Self::Hand(Arc::new(AtomicU64::new(seconds)))
    }

    /// Seconds since 1970 began; 0 where the machine's clock is before that.
    pub fn seconds(&self) -> u64 {
        match self {
            Self::System => SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()),
            Self::Hand(seconds) => seconds.load(Ordering::Relaxed),
        }
    }

    /// Today, in UTC.
    pub fn day(&self) -> Day {
        Day::of_unix_seconds(self.seconds())
    }

    /// Moves a clock that stands still. The machine's clock is left alone.
    pub fn move_to(&self, to: u64) {
        if let Self::Hand(seconds) = self {
            seconds.store(to, Ordering::Relaxed);
        }
    }
}
