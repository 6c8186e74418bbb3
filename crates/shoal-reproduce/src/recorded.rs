//! What was found when everything was last measured: `papers/reproduced.csv` and `papers/compared.csv`.
//!
//! Both are written by `shoal reproduce`, as `reproduced.csv` and `compared.csv` beside its pages: each run renews the
//! lines of its figures.

use std::fmt::Write;

use serde::Serialize;
use shoal_page::text::csv_quoted;

use crate::figure::Paper;
use crate::outcome::{Failed, Outcome};
use crate::papers;
use crate::verdict::{Counts, Told};

/// What came out of each figure.
const REPRODUCED: &str = include_str!("../papers/reproduced.csv");
/// Printed values beside measured ones.
pub const COMPARED: &str = include_str!("../papers/compared.csv");

/// What came out of a figure on the last record, as words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Recorded {
    /// The figure.
    pub figure: String,
    /// In a few words, such as `reproduced on substitute data`.
    pub verdict: String,
    /// How many of the paper's statements and printed values hold.
    pub hold: usize,
    /// How many hold in some places and clearly not in others.
    pub in_part: usize,
    /// How many fail.
    pub fail: usize,
    /// How many are undecided for want of runs or data.
    pub undecided: usize,
    /// `holds`, `in part`, `fails`, `undecided` or `none`.
    pub headline: String,
    /// `exact`, `near`, `substitute` or `made up`.
    pub data: String,
    /// `whole` or `reduced`.
    pub protocol: String,
    /// Whether the privacy claim is true: `true`, `false` or `none`.
    pub privacy: String,
    /// What does not hold, and why.
    pub why: String,
}

/// The first line of `papers/reproduced.csv`.
const HEAD: &str = "figure,verdict,hold,in_part,fail,undecided,headline,data,protocol,privacy,why";

/// All figures on the record.
#[must_use]
pub fn statuses() -> Vec<Recorded> {
    parsed(REPRODUCED)
}

/// The figures on a record in the form of `papers/reproduced.csv`.
#[must_use]
pub fn parsed(record: &str) -> Vec<Recorded> {
    record.lines().skip(1).filter_map(recorded).collect()
}

/// The verdict of a figure that was measured under an older rule and is to be measured again.
pub const OLDER: &str = "not judged yet";

fn recorded(line: &str) -> Option<Recorded> {
    let fields = fields(line);
    // Records before this rule: figure, status, protocol, why.
    if let [figure, status, protocol, why] = &fields[..] {
        let protocol = if protocol == "paper" { "whole" } else { "reduced" };
        let word = |text: &str| text.to_string();
        return Some(Recorded {
            figure: figure.clone(),
            verdict: word(OLDER),
            hold: 0,
            in_part: 0,
            fail: 0,
            undecided: 0,
            headline: word("none"),
            data: word("–"),
            protocol: word(protocol),
            privacy: word("–"),
            why: format!("{status} under the rule before: {why}"),
        });
    }
    let [figure, verdict, hold, in_part, fail, undecided, headline, data, protocol, privacy, why] =
        <[String; 11]>::try_from(fields).ok()?;
    let count = |text: String| text.parse().ok();
    let (hold, in_part, fail, undecided) = (count(hold)?, count(in_part)?, count(fail)?, count(undecided)?);
    Some(Recorded { figure, verdict, hold, in_part, fail, undecided, headline, data, protocol, privacy, why })
}

/// The fields of a line of CSV.
fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut quoted, mut before) = (vec![String::new()], false, ' ');
    for character in line.chars() {
        let last = fields.len() - 1;
        match character {
            '"' => {
                quoted = !quoted;
                // Two in a row are one of the text.
                if quoted && before == '"' {
                    fields[last].push('"');
                }
            }
            ',' if !quoted => fields.push(String::new()),
            other => fields[last].push(other),
        }
        before = character;
    }
    fields
}

impl Recorded {
    fn of(told: &Told) -> Self {
        let Counts { hold, in_part, fail, undecided } = told.statements;
        Self {
            figure: told.figure.clone(),
            verdict: told.verdict.clone(),
            hold,
            in_part,
            fail,
            undecided,
            headline: told.headline.word().into(),
            data: told.data.word().into(),
            protocol: told.protocol.into(),
            privacy: told.privacy.word().into(),
            why: told.why.clone(),
        }
    }

    /// "3 hold, 1 fails".
    #[must_use]
    pub fn counts(&self) -> Counts {
        Counts { hold: self.hold, in_part: self.in_part, fail: self.fail, undecided: self.undecided }
    }

    /// The counts in words, for tables.
    #[must_use]
    pub fn counted(&self) -> String {
        if self.verdict == OLDER { "–".into() } else { self.counts().to_string() }
    }

    fn line(&self) -> String {
        let Self { figure, verdict, hold, in_part, fail, undecided, headline, data, protocol, privacy, why } = self;
        format!(
            "{figure},{verdict},{hold},{in_part},{fail},{undecided},{headline},{data},{protocol},{privacy},{}",
            csv_quoted(why)
        )
    }
}

/// The record of these figures, in the form of `papers/reproduced.csv`.
#[must_use]
pub fn reproduced_csv(outcomes: &[Outcome], failed: &[Failed]) -> String {
    let mut out = format!("{HEAD}\n");
    for told in outcomes.iter().map(Outcome::told) {
        let _ = writeln!(out, "{}", Recorded::of(&told).line());
    }
    for (figure, why) in failed {
        let _ = writeln!(out, "{figure},not measured,0,0,0,0,none,exact,none,none,{}", csv_quoted(why));
    }
    out
}

/// The record of a paper's figures as a table for its page in `papers/`.
#[must_use]
pub fn page_table(paper: Paper) -> String {
    let mut out = String::from(
        "| figure | verdict | statements | data | protocol | privacy claim |\n|---|---|---|---|---|---|\n",
    );
    for record in statuses().iter().filter(|record| record.figure.starts_with(&format!("{}-", paper.prefix()))) {
        let Recorded { figure, verdict, data, protocol, privacy, .. } = record;
        let counts = record.counted();
        let _ = writeln!(out, "| `{figure}` | {verdict} | {counts} | {data} | {protocol} | {privacy} |");
    }
    out
}

/// Printed beside measured, in the form of `papers/compared.csv`.
#[must_use]
pub fn compared_csv(outcomes: &[Outcome]) -> String {
    let mut out = String::from(
        "figure,what,printed,claimed,protocol,runs,measured,standard_error,tolerance,agrees,standard_errors\n",
    );
    for outcome in outcomes {
        let protocol = outcome.effort.pick("whole", "reduced");
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
                "{},{},{},{},{protocol},{runs},{mean:?},{error:?},{:?},{agrees},{:.1}",
                printed.figure,
                csv_quoted(&printed.what),
                printed.value,
                printed.claimed,
                comparison.tolerance.unwrap_or(f64::NAN),
                comparison.standard_errors.unwrap_or(f64::NAN)
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
