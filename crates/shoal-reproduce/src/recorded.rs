//! What was found when everything was last measured: `papers/reproduced.csv` and `papers/compared.csv`.
//!
//! Both are written by `shoal reproduce`, as `reproduced.csv` and `compared.csv` beside its pages: each run renews the
//! lines of its figures.

use std::fmt::Write;

use shoal_page::text::csv_quoted;

use crate::outcome::{Failed, Outcome};
use crate::papers;

/// Status of each figure.
const REPRODUCED: &str = include_str!("../papers/reproduced.csv");
/// Printed values beside measured ones.
pub const COMPARED: &str = include_str!("../papers/compared.csv");

/// The status of a figure on the last record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// The figure.
    pub figure: String,
    /// `reproduced`, `partly` or `not`.
    pub status: String,
    /// `paper` or `quick`.
    pub protocol: String,
    /// Why not, if it did not come out.
    pub why: String,
}

/// All figures on the record.
#[must_use]
pub fn statuses() -> Vec<Recorded> {
    REPRODUCED.lines().skip(1).filter_map(recorded).collect()
}

fn recorded(line: &str) -> Option<Recorded> {
    let mut fields = line.splitn(4, ',').map(str::to_string);
    let (figure, status, protocol) = (fields.next()?, fields.next()?, fields.next()?);
    let why = fields.next()?.trim_matches('"').replace("\"\"", "\"");
    Some(Recorded { figure, status, protocol, why })
}

/// The record of these figures, in the form of `papers/reproduced.csv`.
#[must_use]
pub fn reproduced_csv(outcomes: &[Outcome], failed: &[Failed]) -> String {
    let mut out = String::from("figure,status,protocol,why\n");
    for told in outcomes.iter().map(Outcome::told) {
        let _ = writeln!(out, "{},{},{},{}", told.figure, told.status.word(), told.protocol, csv_quoted(&told.why));
    }
    for (figure, why) in failed {
        let _ = writeln!(out, "{figure},not,none,{}", csv_quoted(why));
    }
    out
}

/// Printed beside measured, in the form of `papers/compared.csv`.
#[must_use]
pub fn compared_csv(outcomes: &[Outcome]) -> String {
    let mut out = String::from("figure,what,printed,claimed,protocol,runs,measured,standard_error,tolerance,agrees\n");
    for outcome in outcomes {
        let protocol = outcome.effort.pick("paper", "quick");
        for comparison in &outcome.comparisons {
            let printed = &comparison.printed;
            let runs = comparison.runs;
            let (mean, error) = comparison.measured.unwrap_or((f64::NAN, f64::NAN));
            let agrees = match comparison.agrees {
                Some(true) => "yes",
                Some(false) => "no",
                None if runs > 0 => "too few runs",
                None => "not measured",
            };
            let _ = writeln!(
                out,
                "{},{},{},{},{protocol},{runs},{mean:?},{error:?},{:?},{agrees}",
                printed.figure,
                csv_quoted(&printed.what),
                printed.value,
                printed.claimed,
                comparison.tolerance.unwrap_or(f64::NAN)
            );
        }
    }
    out
}

/// An older record with these lines in the place of its own about the same figures, in the order of the list.
#[must_use]
pub fn renewed(older: &str, newer: &str) -> String {
    let figure = |line: &str| line.split(',').next().unwrap_or_default().to_string();
    let new: Vec<&str> = newer.lines().skip(1).collect();
    let is_new = |line: &str| new.iter().any(|other| figure(other) == figure(line));
    let mut lines: Vec<&str> = older.lines().skip(1).filter(|line| !is_new(line)).chain(new.iter().copied()).collect();
    let order: Vec<String> = papers::all().iter().map(|figure| figure.info().id).collect();
    // Stable: the lines of a figure keep their order.
    lines.sort_by_key(|line| order.iter().position(|id| *id == figure(line)).unwrap_or(order.len()));
    newer.lines().take(1).chain(lines).map(|line| format!("{line}\n")).collect()
}
