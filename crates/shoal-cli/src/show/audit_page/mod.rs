//! The findings of an audit for people: as text, as Markdown, and as one HTML page that is complete in itself.

mod chart;
mod markdown;
#[cfg(test)]
mod tests;
mod words;

use maud::{Markup, html};
use shoal_audit::allowed::short;
use shoal_audit::{AuditReport, Line, Measure, Verdict};
use shoal_page::html::{Page, command, facts, footer};

pub use markdown::markdown;
pub use words::{LEGEND, Row, in_words, summary};

/// The groups of targets, in order, with their headings.
const GROUPS: [(&str, &str, &str); 7] = [
    ("program", "The program", "What its runs on neighbouring data sets show."),
    (
        "exact",
        "Every release against its charge",
        "A method is a sequence of releases, each charged for its noise. For neighbouring tables the largest loss over all outputs is computed from the noise that the mechanism holds and compared with the charge, as a multiple of the charge. Nothing is drawn, so the number of columns does not matter. On the second line of each, one noise after the other is halved: every such mutant must exceed its charge.",
    ),
    ("noise", "Building blocks", "The noise and the choices that everything else is made of."),
    ("curator", "Curator", "A trusted holder of a table releases centres once: one row is added or removed."),
    ("crowd", "Crowd", "Each person perturbs their own record: any two records, or two that are near each other."),
    ("consortium", "Consortium", "Custodians pool noisy codes: two values of one attribute."),
    (
        "known-bad",
        "The auditor’s own test",
        "Mechanisms and mutants that are known to break the guarantee claimed for them. Each must be caught.",
    ),
];

/// The page.
pub fn render(report: &AuditReport) -> String {
    let noise = report.seed.map_or("noise of the operating system".into(), |seed| format!("seed {seed}"));
    let body = html! {
        header {
            h1 { (heading(report)) }
            p.facts-line {
                (report.date) " · " (noise) " · probability of a false alarm " (short(report.alpha)) " a line"
            }
        }
        main {
            div.card.(if report.as_expected() { "holds" } else { "void" }) { p.sentence { (summary(report)) } }
            @if report.lines.iter().any(|line| runs_of(line).is_some()) { (reading()) }
            @for (name, title, what) in GROUPS { (group(report, name, title, what)) }
            section aria-labelledby="made" { h2 id="made" { "How it was made" } (command(&report.command)) }
        }
        (footer("An audit can refute a privacy claim; it cannot prove one.", report.shoal))
    };
    Page::new(heading(report), body).class("audit").style(include_str!("style.css")).render()
}

/// What the page is about.
fn heading(report: &AuditReport) -> &'static str {
    let of_a_program = report.lines.iter().any(|line| line.group == "program");
    if of_a_program { "Audit of a program" } else { "Audit of Shoal’s privacy guarantees" }
}

/// How to read the experiments.
fn reading() -> Markup {
    html! {
        section aria-labelledby="reading" {
            h2 id="reading" { "How to read this" }
            p {
                "An audit tries to break a guarantee: it runs a mechanism on two inputs that should be hard to distinguish, and looks for an event that distinguishes them all the same. Each reported loss is a "
                em { "lower bound" }
                ". A bar that crosses its mark means that more is lost than guaranteed. A bar that stays short may mean a generous guarantee, or an attack that is too weak: an audit can refute a privacy claim; it cannot prove one."
            }
            p {
                "The event is chosen on one half of the runs and tested on the other, with Clopper and Pearson’s bounds and with a bet against the guarantee that was placed beforehand, each with half of the allowed probability of error. Where rare events cannot be observed, the distribution of the noise is tested instead, and the line says so. Open a line for its figures."
            }
        }
    }
}

/// Runs on each input, where there were any.
fn runs_of(line: &Line) -> Option<usize> {
    match &line.measure {
        Measure::Events(finding) => Some(finding.runs),
        Measure::SamplerLaw { runs, .. } | Measure::Lattice { runs, .. } => Some(*runs),
        Measure::Enumeration { .. } | Measure::DensityRatio { .. } | Measure::Releases { .. } => None,
    }
}

fn group(report: &AuditReport, name: &str, title: &str, what: &str) -> Markup {
    let alone = report.lines.len() == 1;
    let lines: Vec<&Line> = report.lines.iter().filter(|line| line.group == name).collect();
    html! {
        @if !lines.is_empty() {
            section aria-labelledby=(name) {
                h2 id=(name) { (title) }
                p { (what) }
                div.lines { @for line in lines { (one_line(line, alone)) } }
            }
        }
    }
}

/// One guarantee: its verdict at a glance, the rest unfolded.
fn one_line(line: &Line, alone: bool) -> Markup {
    let row = Row::of(line);
    let kind = match (line.as_expected(), line.verdict) {
        (true, Verdict::NotBroken) => "kept",
        (true, Verdict::Broken) => "caught",
        (false, _) => "wrong",
    };
    html! {
        // What is wrong, or all there is, needs no click.
        details.line.(kind) open[alone || !line.as_expected()] {
            summary {
                span.pill.verdict { (row.verdict) }
                span.what { b { (line.name) } " " span { (line.setting) } }
                span.how { (row.how) }
                (bar(line))
                span.figures { (row.figures()) }
            }
            div.body { (details(line, &row)) (chart::curve(line)) }
        }
    }
}

/// The lower bound on the loss as a part of the guarantee.
fn bar(line: &Line) -> Markup {
    let Some((lost, Some(promised))) = line.measure.loss() else { return html! { span.bar.none {} } };
    let part = if promised > 0.0 { lost / promised } else { 2.0 };
    // The guarantee stands at two thirds.
    let width = (part / 1.5).clamp(0.0, 1.0) * 100.0;
    html! {
        span.bar title={ (short(part)) " of what is guaranteed" } {
            i style={ "width:" (format!("{width:.1}")) "%" } {}
        }
    }
}

fn details(line: &Line, row: &Row) -> Markup {
    let mut rows: Vec<(&str, String)> = vec![("Guarantee", line.promise.clone()), ("Method", row.how_in_full.into())];
    let confidence = |alpha: f64| ("Confidence", format!("1 − {}", short(alpha)));
    match &line.measure {
        Measure::Enumeration { at, compared, .. } | Measure::DensityRatio { at, compared, .. } => {
            rows.extend([("Worst case", at.clone()), ("Compared", format!("{compared} ratios"))]);
        }
        Measure::Releases { at, compared, faults, .. } => {
            rows.extend([("Worst case", at.clone()), ("Compared", compared.to_string())]);
            rows.extend(faults.iter().map(|fault| ("Fault", fault.clone())));
        }
        Measure::Events(finding) => {
            rows.push(("Inputs", finding.pair.clone()));
            rows.push(("Runs", format!("{} on each input, half of them to choose an event", finding.runs)));
            if let Some(point) = finding.telling_point() {
                let ([a, b], event) = (point.hits, words::event_at(point));
                rows.push(("Event", format!("{event}: {a} and {b} times in {} runs on each input", point.of)));
            }
            rows.push(confidence(finding.alpha));
        }
        Measure::SamplerLaw { tests, runs, alpha } => {
            rows.push(("Runs", runs.to_string()));
            rows.extend(tests.iter().map(|test| ("p-value", format!("{} ({})", short(test.p_value), test.what))));
            rows.push(confidence(*alpha));
        }
        Measure::Lattice { exceptions, runs } => {
            rows.push(("Runs", format!("{runs} on each input")));
            rows.push(("Exceptions", if exceptions.is_empty() { "none".into() } else { exceptions.join("; ") }));
        }
    }
    if !line.remark.is_empty() {
        rows.push(("Remark", line.remark.clone()));
    }
    facts("", rows)
}
