//! Columns that are handed on word for word beside the numbers: names and keys, for whoever joins labels to their rows.

use std::ops::Range;

/// What a column that is handed on holds, so that a typed file can keep it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeptKind {
    /// Text, or what only text keeps word for word: dates, decimals, numbers as a CSV file has them.
    Text,
    /// Whole numbers of at most 64 bits with a sign.
    Whole,
    /// Floating-point numbers.
    Number,
}

/// The cells of such columns. Sensitive.
#[derive(Default)]
pub(crate) struct KeptCells {
    columns: Vec<Vec<Option<String>>>,
}

impl KeptCells {
    pub(crate) fn new(columns: usize) -> Self {
        Self { columns: vec![Vec::new(); columns] }
    }

    pub(crate) fn push(&mut self, column: usize, cell: Option<String>) {
        self.columns[column].push(cell);
    }

    pub(crate) fn set(&mut self, column: usize, row: usize, cell: Option<String>) {
        self.columns[column][row] = cell;
    }

    pub(crate) fn get(&self, column: usize, row: usize) -> Option<&str> {
        self.columns[column][row].as_deref()
    }

    pub(crate) fn extend(&mut self, from: &Self, rows: Range<usize>) {
        for (to, from) in self.columns.iter_mut().zip(&from.columns) {
            to.extend_from_slice(&from[rows.clone()]);
        }
    }

    pub(crate) fn swap(&mut self, one: usize, other: usize) {
        self.columns.iter_mut().for_each(|column| column.swap(one, other));
    }

    pub(crate) fn truncate(&mut self, rows: usize) {
        self.columns.iter_mut().for_each(|column| column.truncate(rows));
    }

    pub(crate) fn clear(&mut self) {
        self.columns.iter_mut().for_each(Vec::clear);
    }
}

/// A whole number with a point before its last `scale` digits.
pub(super) fn decimal(unscaled: i128, scale: i32) -> String {
    if scale <= 0 {
        return format!("{unscaled}{}", "0".repeat(scale.unsigned_abs() as usize));
    }
    let (sign, scale) = (if unscaled < 0 { "-" } else { "" }, scale as usize);
    let digits = format!("{:0>width$}", unscaled.unsigned_abs(), width = scale + 1);
    let (whole, part) = digits.split_at(digits.len() - scale);
    format!("{sign}{whole}.{part}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_keep_every_digit() {
        for (unscaled, scale, text) in
            [(12_345, 2, "123.45"), (-5, 3, "-0.005"), (0, 2, "0.00"), (7, 0, "7"), (7, -2, "700")]
        {
            assert_eq!(decimal(unscaled, scale), text);
        }
        assert_eq!(decimal(i128::MIN, 1), "-17014118346046923173168730371588410572.8");
    }
}
