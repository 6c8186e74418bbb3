//! The findings as Markdown, for a repository.

use shoal_audit::allowed::short;
use shoal_audit::{AuditReport, Line, Measure};

use super::words::event_at;
use super::{GROUPS, Row, heading, runs_of, summary};

/// The page.
pub fn markdown(report: &AuditReport) -> String {
    let noise = report.seed.map_or("noise of the operating system".into(), |seed| format!("seed {seed}"));
    let mut text = format!(
        "# {}\n\n{}\n\nMade on {} by shoal {} with `{}` ({noise}). The probability of a false alarm is {} on each line that is an experiment.\n\nEach reported loss is a lower bound. An audit can refute a privacy claim; it cannot prove one.\n",
        heading(report),
        summary(report),
        report.date,
        report.shoal,
        report.command,
        short(report.alpha)
    );
    for (group, title, what) in GROUPS {
        let lines: Vec<&Line> = report.lines.iter().filter(|line| line.group == group).collect();
        if lines.is_empty() {
            continue;
        }
        text.push_str(&format!(
            "\n## {title}\n\n{what}\n\n| | mechanism | setting | claim | lower bound on the loss | claimed | how | runs on each input | confidence | where |\n|---|---|---|---|---|---|---|---|---|---|\n"
        ));
        lines.iter().for_each(|line| text.push_str(&table_row(line, report.alpha)));
        let remarks: Vec<String> = lines
            .iter()
            .filter(|line| !line.remark.is_empty())
            .map(|line| format!("- *{}* ({}): {}\n", cell(&line.name), cell(&line.setting), cell(&line.remark)))
            .collect();
        if !remarks.is_empty() {
            text.push_str(&format!("\n{}", remarks.concat()));
        }
    }
    text
}

fn table_row(line: &Line, alpha_of_a_line: f64) -> String {
    let row = Row::of(line);
    let (alpha, place) = match &line.measure {
        Measure::Events(finding) => {
            let event = finding.telling_point().map_or(String::new(), |point| format!("; {}", event_at(point)));
            (Some(finding.alpha), format!("{}{event}", finding.pair))
        }
        Measure::Enumeration { at, .. } | Measure::DensityRatio { at, .. } => (None, at.clone()),
        Measure::Releases { at, faults, .. } => {
            (None, std::iter::once(at).chain(faults).cloned().collect::<Vec<_>>().join("; "))
        }
        Measure::SamplerLaw { tests, alpha, .. } => {
            (Some(*alpha), tests.iter().map(|test| test.what.as_str()).collect::<Vec<_>>().join(", "))
        }
        Measure::Lattice { exceptions, .. } => (Some(alpha_of_a_line), exceptions.join("; ")),
    };
    let cells = [
        format!("{} {}", row.mark, row.verdict),
        line.name.clone(),
        line.setting.clone(),
        line.promise.clone(),
        row.lost,
        row.promised,
        row.how.into(),
        runs_of(line).map_or("–".into(), |runs| runs.to_string()),
        alpha.map_or("exact".into(), |alpha| format!("1 − {}", short(alpha))),
        place,
    ];
    format!("| {} |\n", cells.map(|text| cell(&text)).join(" | "))
}

/// Text that stays in its cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace(['\n', '\r'], " ")
}
