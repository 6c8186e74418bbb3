//! Counters in the text format of Prometheus.

use std::fmt::Write;

use crate::service::Service;

struct Text(String);

impl Text {
    fn family(&mut self, name: &str, kind: &str, help: &str) {
        // Writing to a text never fails.
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    fn line(&mut self, name: &str, labels: &[(&str, &str)], value: impl std::fmt::Display) {
        // Names of collections and codes are letters, digits and hyphens.
        let labels: Vec<String> = labels.iter().map(|(label, text)| format!("{label}=\"{text}\"")).collect();
        let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
        let _ = writeln!(self.0, "{name}{labels} {value}");
    }
}

/// All counters.
pub(crate) fn metrics(service: &Service) -> String {
    let mut text = Text(String::new());
    let all = service.registry.all();
    text.family("shoal_reports", "gauge", "Reports that are kept.");
    for live in &all {
        text.line("shoal_reports", &[("collection", live.id())], live.reports());
    }
    text.family("shoal_repeated_total", "counter", "Reports that came again and were counted once.");
    for live in &all {
        text.line("shoal_repeated_total", &[("collection", live.id())], live.repeated());
    }
    text.family("shoal_refused_total", "counter", "Reports and requests that were refused, by reason.");
    for live in &all {
        for (code, count) in live.refused().filter(|(_, count)| *count > 0) {
            text.line("shoal_refused_total", &[("collection", live.id()), ("code", code)], count);
        }
    }
    for (code, count) in service.refused().filter(|(_, count)| *count > 0) {
        text.line("shoal_refused_total", &[("code", code)], count);
    }
    text.family("shoal_model_version", "gauge", "Version of the newest model.");
    for live in &all {
        text.line("shoal_model_version", &[("collection", live.id())], live.newest().map_or(0, |model| model.version));
    }
    text.family("shoal_model_reports", "gauge", "Reports in the newest model.");
    for live in &all {
        text.line("shoal_model_reports", &[("collection", live.id())], live.newest().map_or(0, |model| model.reports));
    }
    text.family(
        "shoal_left_out_reports",
        "gauge",
        "Reports that the last clustering left out as too many in one place.",
    );
    for live in &all {
        text.line("shoal_left_out_reports", &[("collection", live.id())], live.left_out());
    }
    text.family("shoal_commits_total", "counter", "Commits of reports to the store.");
    text.line("shoal_commits_total", &[], service.writer.state().commits());
    text.family("shoal_store_well", "gauge", "1 if the last commit was stored.");
    text.line("shoal_store_well", &[], u8::from(service.writer.state().is_well()));
    text.family("shoal_bytes_in_hand", "gauge", "Bytes of bodies that have arrived and are not answered yet.");
    text.line("shoal_bytes_in_hand", &[], service.limits.bytes_in_hand - service.room.available_permits());
    text.family("shoal_connections", "gauge", "Open connections.");
    text.line("shoal_connections", &[], service.limits.connections - service.connections.available_permits());
    text.family("shoal_up_seconds", "gauge", "Seconds since the start.");
    text.line("shoal_up_seconds", &[], service.began.elapsed().as_secs());
    text.0
}
