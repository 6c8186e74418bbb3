//! The log of an operator: a line when reading, a debit, a question or a release ends.

use tracing_subscriber::fmt::format::FmtSpan;

/// Logs to standard error from here on.
pub fn start() {
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_ansi(false)
        .with_target(false)
        .with_span_events(FmtSpan::CLOSE)
        .init();
}

/// Logs what a server does to standard error from here on, for people or as JSON.
#[cfg(feature = "collector")]
pub fn start_serving(json: bool) {
    let log = tracing_subscriber::fmt().with_writer(std::io::stderr).with_ansi(false).with_target(false);
    if json { log.json().flatten_event(true).init() } else { log.init() }
}
