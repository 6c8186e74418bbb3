//! Neighbouring data sets for a program that is only known by its command.

use std::fmt::Write;
use std::sync::Arc;

use shoal_noise::NoiseSource;
use shoal_noise::uniform::{below, unit_f64};

use super::Program;
use crate::allowed::short;
use crate::runs::RunFailure;
use crate::statistical::search::PairSpace;
use crate::{Allowed, Pair};

/// Tables of numbers within public bounds, one row apart.
pub struct TableSpace {
    /// The program.
    pub program: Arc<Program>,
    /// Columns of a table.
    pub columns: usize,
    /// Rows of the smaller table.
    pub rows: usize,
    /// The bounds of every column.
    pub bounds: (f64, f64),
    /// What is claimed for one row more.
    pub allowed: Allowed,
}

/// A table and the row that its neighbour has more. Every entry is a part of the bounds: 0 is the lower one.
#[derive(Clone, Debug, PartialEq)]
pub struct OneMoreRow {
    /// What it is.
    pub words: String,
    rows: Vec<Vec<f64>>,
    more: Vec<f64>,
}

impl TableSpace {
    fn row(&self, at: f64) -> Vec<f64> {
        vec![at; self.columns]
    }

    /// The rows as they are sent: one a line, numbers separated by commas, no heading.
    fn written<'a>(&self, rows: impl Iterator<Item = &'a Vec<f64>>) -> String {
        let (low, high) = self.bounds;
        let mut text = String::new();
        for row in rows {
            for (i, part) in row.iter().enumerate() {
                let value = low + part * (high - low);
                // Writing into a string does not fail.
                let _ = write!(text, "{}{value}", if i == 0 { "" } else { "," });
            }
            text.push('\n');
        }
        text
    }
}

impl PairSpace for TableSpace {
    type Spec = OneMoreRow;

    fn catalogue(&self) -> Vec<OneMoreRow> {
        let n = self.rows;
        let all_at = |at: f64| vec![self.row(at); n];
        let two_ends: Vec<Vec<f64>> = (0..n).map(|i| self.row(if i % 2 == 0 { 0.0 } else { 1.0 })).collect();
        let mut one_column = self.row(0.0);
        one_column[0] = 1.0;
        let spec = |words: &str, rows: Vec<Vec<f64>>, more: Vec<f64>| OneMoreRow {
            words: format!("{n} rows {words}"),
            rows,
            more,
        };
        let mut found = vec![
            spec("at the lower corner; one more there", all_at(0.0), self.row(0.0)),
            spec("at the lower corner; one more at the upper corner", all_at(0.0), self.row(1.0)),
            spec("at the lower corner; one more that is upper in the first column only", all_at(0.0), one_column),
            spec("at the lower corner; one more in the middle", all_at(0.0), self.row(0.5)),
            spec("in the middle; one more at the upper corner", all_at(0.5), self.row(1.0)),
            spec("half at the lower, half at the upper corner; one more at the upper", two_ends.clone(), self.row(1.0)),
            spec("half at the lower, half at the upper corner; one more in the middle", two_ends, self.row(0.5)),
            // What lies outside the bounds must be moved inside, or refused whatever the others are.
            spec("in the middle; one more far outside the bounds", all_at(0.5), self.row(10.0)),
        ];
        // A column alone makes two of them the same.
        found.dedup_by(|a, b| (&a.rows, &a.more) == (&b.rows, &b.more));
        found
    }

    fn vary(&self, from: &OneMoreRow, noise: &mut dyn NoiseSource) -> OneMoreRow {
        let mut spec = from.clone();
        let place = |noise: &mut dyn NoiseSource| match below(noise, 4) {
            0 => 0.0,
            1 => 1.0,
            2 => 0.5,
            _ => (unit_f64(noise) * 100.0).round() / 100.0,
        };
        let column = below(noise, self.columns as u64) as usize;
        if below(noise, 2) == 0 || spec.rows.is_empty() {
            spec.more[column] = place(noise);
        } else {
            let (from, to) = (below(noise, spec.rows.len() as u64) as usize, place(noise));
            for row in &mut spec.rows[from..] {
                row[column] = to;
            }
        }
        let base = from.words.trim_end_matches(", varied");
        spec.words = format!("{base}, varied");
        spec
    }

    fn pair(&self, spec: &OneMoreRow) -> Result<Pair, RunFailure> {
        let with = self.written(spec.rows.iter().chain([&spec.more]));
        let without = self.written(spec.rows.iter());
        Ok(Pair::new(
            format!("{} (bounds {} to {})", spec.words, short(self.bounds.0), short(self.bounds.1)),
            self.program.on(with),
            self.program.on(without),
            self.allowed.clone(),
        ))
    }
}
