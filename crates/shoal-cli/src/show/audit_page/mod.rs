//! What an audit found, for people: as text, as Markdown, and as one HTML page that is complete in itself.

mod chart;
mod markdown;
#[cfg(test)]
mod tests;
mod words;

use shoal_audit::allowed::short;
use shoal_audit::{AuditReport, Line, Measure, Verdict};

use crate::show::report::text::escape;
pub use markdown::markdown;
pub use words::{LEGEND, Row, in_words, summary};

/// The groups of targets, in order, with their headings.
const GROUPS: [(&str, &str, &str); 6] = [
    ("program", "The program", "What its runs on neighbouring data sets show."),
    ("noise", "Building blocks", "The noise and the choices that all else is made of."),
    ("curator", "Curator", "A trusted holder of a table lets out centres once: one row is added or removed."),
    ("crowd", "Crowd", "Each person perturbs their own record: any two records, or two that are near each other."),
    ("consortium", "Consortium", "Custodians pool noisy codes: two values of one attribute."),
    (
        "known-bad",
        "The auditor’s own test",
        "Mechanisms and mutants that are known to break the promise they are sold with. Each must be caught.",
    ),
];

/// The page.
pub fn render(report: &AuditReport) -> String {
    let expected = report.as_expected();
    let noise = report.seed.map_or("noise of the operating system".into(), |seed| format!("seed {seed}"));
    let experiments = report.lines.iter().any(|line| runs_of(line).is_some());
    let parts = [
        ("style", format!("{}{}", include_str!("../report/style.css"), include_str!("style.css"))),
        ("heading", heading(report).into()),
        (
            "facts",
            format!("{} · {} · chance of a false alarm {} a line", escape(&report.date), noise, short(report.alpha)),
        ),
        ("kind", if expected { "holds" } else { "void" }.into()),
        ("verdict", escape(&summary(report))),
        ("reading", if experiments { include_str!("reading.html").into() } else { String::new() }),
        ("groups", GROUPS.iter().map(|(name, title, what)| group(report, name, title, what)).collect()),
        ("command", escape(&report.command)),
        ("version", escape(report.shoal)),
    ];
    crate::show::report::fill(include_str!("page.html"), &parts)
}

/// What the page is about.
fn heading(report: &AuditReport) -> &'static str {
    let of_a_program = report.lines.iter().any(|line| line.group == "program");
    if of_a_program { "Audit of a program" } else { "Audit of Shoal’s promises" }
}

/// Runs on each input, where there were any.
fn runs_of(line: &Line) -> Option<usize> {
    match &line.measure {
        Measure::Events(finding) => Some(finding.runs),
        Measure::SamplerLaw { runs, .. } | Measure::Lattice { runs, .. } => Some(*runs),
        Measure::Enumeration { .. } | Measure::DensityRatio { .. } => None,
    }
}

fn group(report: &AuditReport, name: &str, title: &str, what: &str) -> String {
    let alone = report.lines.len() == 1;
    let lines: String =
        report.lines.iter().filter(|line| line.group == name).map(|line| one_line(line, alone)).collect();
    if lines.is_empty() {
        return String::new();
    }
    format!(
        "<section aria-labelledby=\"{name}\"><h2 id=\"{name}\">{title}</h2><p>{what}</p><div class=\"lines\">{lines}</div></section>\n"
    )
}

/// One promise: its verdict at a glance, the rest unfolded.
fn one_line(line: &Line, alone: bool) -> String {
    let row = Row::of(line);
    // What is wrong, or all there is, needs no click.
    let open = if alone || !line.as_expected() { " open" } else { "" };
    let kind = match (line.as_expected(), line.verdict) {
        (true, Verdict::NotBroken) => "kept",
        (true, Verdict::Broken) => "caught",
        (false, _) => "wrong",
    };
    format!(
        "<details class=\"line {kind}\"{open}><summary><span class=\"verdict\">{}</span><span class=\"what\"><b>{}</b> <span>{}</span></span><span class=\"how\">{}</span>{}<span class=\"figures\">{}</span></summary><div class=\"body\">{}{}</div></details>\n",
        row.verdict,
        escape(&line.name),
        escape(&line.setting),
        row.how,
        bar(line),
        escape(&row.figures()),
        facts(line),
        chart::curve(line),
    )
}

/// How much of what is promised is certainly lost.
fn bar(line: &Line) -> String {
    let Some((lost, Some(promised))) = line.measure.loss() else { return "<span class=\"bar none\"></span>".into() };
    let part = if promised > 0.0 { lost / promised } else { 2.0 };
    // The promise stands at two thirds.
    let width = (part / 1.5).clamp(0.0, 1.0) * 100.0;
    format!(
        "<span class=\"bar\" title=\"{} of what is promised\"><i style=\"width:{width:.1}%\"></i></span>",
        short(part)
    )
}

fn facts(line: &Line) -> String {
    let mut facts = vec![("Promise", escape(&line.promise)), ("Method", escape(Row::of(line).how_in_full))];
    match &line.measure {
        Measure::Enumeration { at, compared, .. } | Measure::DensityRatio { at, compared, .. } => {
            facts.push(("Worst case", escape(at)));
            facts.push(("Compared", format!("{compared} ratios")));
        }
        Measure::Events(finding) => {
            facts.push(("Inputs", escape(&finding.pair)));
            facts.push(("Runs", format!("{} on each input, half of them to choose an event", finding.runs)));
            if let Some(point) = finding.telling_point() {
                let (a, b) = (point.hits[0], point.hits[1]);
                let event = escape(&words::event_at(point));
                facts.push(("Event", format!("{event}: {a} and {b} times in {} runs on each input", point.of)));
            }
            facts.push(("Confidence", format!("1 − {}", short(finding.alpha))));
        }
        Measure::SamplerLaw { tests, runs, alpha } => {
            facts.push(("Runs", runs.to_string()));
            for test in tests {
                facts.push(("p-value", format!("{} ({})", short(test.p_value), escape(&test.what))));
            }
            facts.push(("Confidence", format!("1 − {}", short(*alpha))));
        }
        Measure::Lattice { exceptions, runs } => {
            facts.push(("Runs", format!("{runs} on each input")));
            let told = if exceptions.is_empty() { "none".into() } else { escape(&exceptions.join("; ")) };
            facts.push(("Exceptions", told));
        }
    }
    if !line.remark.is_empty() {
        facts.push(("Remark", escape(&line.remark)));
    }
    let rows: String = facts.iter().map(|(name, text)| format!("<div><dt>{name}</dt><dd>{text}</dd></div>")).collect();
    format!("<dl>{rows}</dl>")
}
