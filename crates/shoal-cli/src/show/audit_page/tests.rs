//! The page of an audit says what was found, and nothing on it can do harm.

use shoal_audit::statistical::{Finding, Point};
use shoal_audit::{AuditReport, Expected, Line, Measure};

use super::{in_words, markdown, render, summary};

fn events(at_least: f64) -> Measure {
    let point = |delta: f64| Point {
        delta,
        allowed: Some(1.0 - delta),
        at_least,
        event: "number 1 ≥ 3 <b>".into(),
        hits: [90, 30],
        of: 1000,
        alpha: 5e-7,
    };
    Measure::Events(Finding {
        pair: "no row; one".into(),
        curve: vec![point(0.0), point(0.1)],
        runs: 2000,
        alpha: 1e-6,
    })
}

fn report(lines: Vec<Line>) -> AuditReport {
    let lines = lines.into_iter().map(|line| Line { group: "curator".into(), ..line }).collect();
    AuditReport {
        shoal: "0.1.0",
        date: "2026-01-31".into(),
        command: "shoal audit x".into(),
        seed: Some(1),
        alpha: 1e-6,
        lines,
    }
}

fn line(at_least: f64, expected: Expected) -> Line {
    Line::new("dp<script>", "k = 1", "ε = 1", expected, events(at_least)).with_remark("a | b")
}

#[test]
fn verdicts_differ() {
    let of = |at_least, expected| summary(&report(vec![line(at_least, expected)]));
    assert!(of(0.5, Expected::Kept).contains("not refuted"));
    assert!(of(1.5, Expected::Kept).contains("IS REFUTED"));
    assert!(of(1.5, Expected::Broken).contains("was caught"));
    assert!(of(0.5, Expected::Broken).contains("WERE MISSED"));
    assert!(in_words(&line(1.5, Expected::Kept)).contains("BROKEN: More is lost"));
    assert!(in_words(&line(0.5, Expected::Kept)).contains("NOT REFUTED: Nothing was found"));
}

#[test]
fn the_page_shows_figures_and_escapes_text() {
    let page = render(&report(vec![line(0.5, Expected::Kept), line(1.5, Expected::Broken)]));
    for wanted in
        ["ε ≥ 0.5 of 1", "dp&lt;script&gt;", "90 and 30 times in 1000", "1 − 1e-6", "class=\"broken\"", "2026-01-31"]
    {
        assert!(page.contains(wanted), "{wanted} is not on the page");
    }
    assert!(!page.contains("<script") && !page.contains("{{") && !page.contains("3 <b>"));
}

#[test]
fn a_table_in_markdown_keeps_its_columns() {
    let text = markdown(&report(vec![line(0.5, Expected::Kept)]));
    let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("| ")).collect();
    assert_eq!(rows.len(), 2, "{text}");
    assert!(rows.iter().all(|row| row.matches('|').count() == 11), "{text}");
    assert!(text.contains("a \\| b"));
}

#[test]
fn releases_show_what_is_wrong_with_them() {
    let measure =
        |worst: f64, faults: Vec<String>| Measure::Releases { worst, at: "release 1".into(), compared: 4, faults };
    let of =
        |worst, faults| Line::new("auto", "d = 16", "no more than charged", Expected::Kept, measure(worst, faults));
    assert!(in_words(&of(1.0, vec![])).contains("NOT REFUTED"));
    let broken = in_words(&of(2.0, vec!["the noise depends on the table".into()]));
    assert!(broken.contains("2 times the charge") && broken.contains("Fault: the noise depends"), "{broken}");
    let page = render(&report(vec![of(1.0, vec![]), of(0.5, vec!["odd".into()])]));
    assert!(page.contains("1 of the charge") && page.contains("odd") && page.contains("BROKEN"), "{page}");
}
