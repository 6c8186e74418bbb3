//! When there will be enough reports.

use serde_json::{Value, json};

use crate::collection::time_text;
use crate::live::Live;

/// Centres this near, as a share of each column's range, are what is waited for.
const TARGET: f64 = 0.05;

/// What is waited for next: the first clusters, or centres within ± 5 %. The error of a centre falls with the square root
/// of the number of reports, which is how the intervals of the newest model are carried forward.
pub(crate) fn forecast(live: &Live, now: u64) -> Value {
    let (reports, rate) = (live.reports(), live.rate());
    let minimum = live.checked.collection.minimum;
    let (waiting_for, needed) = match live.newest() {
        None => ("first-clusters", Some(minimum)),
        Some(newest) => match newest.widest() {
            Some(widest) => {
                let needed = newest.reports as f64 * (widest / TARGET).powi(2);
                ("precision", Some(needed.ceil().min(1e15) as u64))
            }
            // Some cluster comes and goes: no interval describes it, and nobody knows how many more reports it takes.
            None => ("precision", None),
        },
    };
    let missing = needed.map(|needed| needed.saturating_sub(reports));
    let at = match missing {
        Some(0) => Some(now),
        Some(missing) if rate > 0.0 => Some(now.saturating_add((missing as f64 / rate).min(1e10) as u64)),
        _ => None,
    };
    json!({
        "waiting_for": waiting_for,
        "target": TARGET,
        "needed": needed,
        "missing": missing,
        "at": at.map(time_text).filter(|text| !text.is_empty()),
    })
}
