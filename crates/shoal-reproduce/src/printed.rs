//! The values that the papers print in text and tables, from `papers/printed.toml`, next to what was measured.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::lab::Results;
use crate::statistics::widened;
use crate::{Failure, Info};

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
}

/// Standard deviations of the difference that are allowed: one in 16,000 honest comparisons is farther off. With few runs
/// it is as many as are as rare.
pub const DEVIATIONS: f64 = 4.0;

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
    /// Whether they agree. Nothing where there are too few runs to decide.
    pub agrees: Option<bool>,
}

impl Printed {
    /// The value as a number.
    pub fn number(&self) -> Result<f64, Failure> {
        self.value.parse().map_err(|error| format!("{}: {}: {error}", self.what, self.value).into())
    }

    /// Half a unit of the last digit that is printed.
    #[must_use]
    pub fn rounding(&self) -> f64 {
        let (mantissa, exponent) = self.value.split_once(['e', 'E']).unwrap_or((&self.value, "0"));
        let decimals = mantissa.split_once('.').map_or(0, |(_, decimals)| decimals.len()) as i32;
        0.5 * 10f64.powi(exponent.parse::<i32>().unwrap_or(0) - decimals)
    }

    /// Next to what was measured.
    pub fn compare(&self, results: &Results) -> Result<Comparison, Failure> {
        let found = if self.cell.is_empty() { None } else { results.find(&self.cell)? };
        let Some(cell) = found else {
            let printed = self.clone();
            return Ok(Comparison { printed, runs: 0, measured: None, tolerance: None, agrees: None });
        };
        let (summary, printed) = (cell.summary(&self.measure)?, self.number()?);
        let theirs = self.runs.map_or(0.0, |runs| 1.0 / runs as f64);
        let spread = summary.deviation * (1.0 / summary.runs as f64 + theirs).sqrt();
        let about = if self.relation == Relation::About { ABOUT * printed.abs() } else { 0.0 };
        let deviations = widened(DEVIATIONS, summary.runs as f64 - 1.0);
        let tolerance = if spread > 0.0 { deviations * spread } else { 0.0 } + self.rounding() + about;
        // The spread of two runs is hardly known.
        let enough = summary.runs == 1 || summary.runs >= FEWEST;
        let agrees = match self.relation {
            Relation::Equal | Relation::About => (summary.mean - printed).abs() <= tolerance,
            // A limit is not rounded.
            Relation::Above => summary.mean >= printed - (tolerance - self.rounding()),
            Relation::Below => summary.mean <= printed + (tolerance - self.rounding()),
        };
        Ok(Comparison {
            printed: self.clone(),
            runs: summary.runs,
            measured: Some((summary.mean, summary.error())),
            tolerance: Some(tolerance),
            agrees: enough.then_some(agrees),
        })
    }
}

/// The printed values of a figure, next to what was measured.
pub fn compared(info: &Info, results: &Results) -> Result<Vec<Comparison>, Failure> {
    all()?.iter().filter(|printed| printed.figure == info.id).map(|printed| printed.compare(results)).collect()
}
