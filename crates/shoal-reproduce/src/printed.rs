//! The values that the papers print in text and tables, from `papers/printed.toml`, next to what was measured.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::lab::Results;
use crate::statistics::{CLEAR, widened};
use crate::{Failure, Info, Verdict};

/// The file.
pub const FILE: &str = include_str!("../papers/printed.toml");

/// How a printed value limits a measured one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Relation {
    /// It is this value.
    #[default]
    Equal,
    /// It is above it.
    Above,
    /// It is below it.
    Below,
    /// It is near it: the paper says "about".
    About,
}

/// A value that a paper prints.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Printed {
    /// The figure that it belongs to.
    pub figure: String,
    /// Where the paper prints it.
    pub source: String,
    /// What it is.
    pub what: String,
    /// The cell to which it belongs, by some of its parameters. Empty for a value of no single cell, which is judged as a
    /// statement.
    pub cell: BTreeMap<String, String>,
    /// The measure of the cell.
    pub measure: String,
    /// The value, with the paper's digits.
    pub value: String,
    /// How it limits what is measured.
    #[serde(default)]
    pub relation: Relation,
    /// Over how many runs the paper took it; exact if none.
    pub runs: Option<usize>,
    /// Whether we claim to reproduce it; tests hold us to that.
    pub claimed: bool,
    /// Why not, if we do not; what it is held to, if the paper leaves that open.
    #[serde(default)]
    pub why: String,
    /// Whether the paper cuts digits off instead of rounding, so that a whole unit of the last one is allowed.
    #[serde(default)]
    pub cut: bool,
    /// Whether it is shown without being judged, since it says nothing about the paper's statements.
    #[serde(default)]
    pub shown_only: bool,
}

/// Fewer runs than these do not show how far apart two means may be; one run alone is that of something exact.
pub const FEWEST: usize = 5;

/// What "about" allows on top, in parts of the value.
pub const ABOUT: f64 = 0.25;

#[derive(Deserialize)]
struct File {
    #[serde(default)]
    value: Vec<Printed>,
}

/// All printed values.
pub fn all() -> Result<Vec<Printed>, Failure> {
    let file: File = toml::from_str(FILE)?;
    Ok(file.value)
}

/// A printed value next to what was measured.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// What the paper prints.
    pub printed: Printed,
    /// How many runs were measured.
    pub runs: usize,
    /// What was measured: mean and standard error. Nothing where the data are not there, or the reduced run has no such
    /// cell.
    pub measured: Option<(f64, f64)>,
    /// How far the two may be apart, from the spread over runs and the digits of the paper.
    pub tolerance: Option<f64>,
    /// How far they are apart beyond the printed digits, in standard errors of the difference; nothing without a spread.
    pub standard_errors: Option<f64>,
    /// Whether they agree. Nothing where there are too few runs to decide.
    pub agrees: Option<bool>,
}

impl Comparison {
    /// As the verdict on a statement of the paper.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        match (self.agrees, self.measured) {
            (Some(true), _) => Verdict::Holds,
            (Some(false), _) => Verdict::Fails,
            (None, Some(_)) => Verdict::Undecided,
            (None, None) => Verdict::Untried,
        }
    }
}

impl Printed {
    /// The value as a number.
    pub fn number(&self) -> Result<f64, Failure> {
        self.value.parse().map_err(|error| format!("{}: {}: {error}", self.what, self.value).into())
    }

    /// Whether it counts for or against the figure: not where it belongs to no single cell, which is judged as a statement.
    #[must_use]
    pub fn counts(&self) -> bool {
        !self.cell.is_empty() && !self.shown_only
    }

    /// Half a unit of the last digit that is printed, or a whole one of a number that is cut off.
    #[must_use]
    pub fn rounding(&self) -> f64 {
        let (mantissa, exponent) = self.value.split_once(['e', 'E']).unwrap_or((&self.value, "0"));
        let decimals = mantissa.split_once('.').map_or(0, |(_, decimals)| decimals.len()) as i32;
        let part = if self.cut { 1.0 } else { 0.5 };
        part * 10f64.powi(exponent.parse::<i32>().unwrap_or(0) - decimals)
    }

    /// Next to what was measured.
    pub fn compare(&self, results: &Results) -> Result<Comparison, Failure> {
        let found = if self.cell.is_empty() { None } else { results.find(&self.cell)? };
        let Some(cell) = found else {
            let printed = self.clone();
            return Ok(Comparison {
                printed,
                runs: 0,
                measured: None,
                tolerance: None,
                standard_errors: None,
                agrees: None,
            });
        };
        let (summary, printed) = (cell.summary(&self.measure)?, self.number()?);
        let theirs = self.runs.map_or(0.0, |runs| 1.0 / runs as f64);
        let spread = summary.deviation * (1.0 / summary.runs as f64 + theirs).sqrt();
        let about = if self.relation == Relation::About { ABOUT * printed.abs() } else { 0.0 };
        let deviations = widened(CLEAR, summary.runs as f64 - 1.0);
        let tolerance = if spread > 0.0 { deviations * spread } else { 0.0 } + self.rounding() + about;
        // The spread of two runs is hardly known.
        let enough = summary.runs == 1 || summary.runs >= FEWEST;
        let agrees = match self.relation {
            Relation::Equal | Relation::About => (summary.mean - printed).abs() <= tolerance,
            // A limit is not rounded.
            Relation::Above => summary.mean >= printed - (tolerance - self.rounding()),
            Relation::Below => summary.mean <= printed + (tolerance - self.rounding()),
        };
        let apart = match self.relation {
            Relation::Equal | Relation::About => (summary.mean - printed).abs() - self.rounding(),
            Relation::Above => printed - summary.mean,
            Relation::Below => summary.mean - printed,
        };
        Ok(Comparison {
            printed: self.clone(),
            runs: summary.runs,
            measured: Some((summary.mean, summary.error())),
            tolerance: Some(tolerance),
            standard_errors: (spread > 0.0).then(|| apart.max(0.0) / spread),
            agrees: enough.then_some(agrees),
        })
    }
}

/// The printed values of a figure, next to what was measured. On data sets that are made up here, by name, nothing is compared.
pub fn compared(info: &Info, results: &Results, made_up: &[&str]) -> Result<Vec<Comparison>, Failure> {
    let none = Results::new(Vec::new());
    let on = |printed: &Printed| match printed.cell.get("data") {
        Some(data) if made_up.contains(&&**data) => &none,
        _ => results,
    };
    all()?.iter().filter(|printed| printed.figure == info.id).map(|printed| printed.compare(on(printed))).collect()
}
