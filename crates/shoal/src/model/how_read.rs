//! How the table of a model was read, so that other tables of its kind are read in the same way.

use serde::{Deserialize, Serialize};
use shoal_files::{DateOrder, DecimalMark, Missing, TableFormat};
use shoal_lattice::Category;

use crate::input::Reading;

/// What was declared about the table: never anything that was found in it, so it may be published with the model.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct HowRead {
    /// What became of rows in which a value was missing.
    #[serde(skip_serializing_if = "is_default")]
    pub missing: Missing,
    /// The table had no header.
    #[serde(skip_serializing_if = "is_default")]
    pub no_header: bool,
    /// Quoted cells could span lines.
    #[serde(skip_serializing_if = "is_default")]
    pub multiline: bool,
    /// The character between columns, where it was declared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<char>,
    /// The mark before decimals, where it was declared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decimal: Option<DecimalMark>,
    /// The order of day and month, where it was declared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dates: Option<DateOrder>,
    /// The sheet of a workbook, where it was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sheet: Option<String>,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl HowRead {
    pub(crate) fn of(reading: &Reading) -> Self {
        let TableFormat { delimiter, decimal, dates, sheet, .. } = reading.format.clone();
        Self {
            missing: reading.missing,
            no_header: reading.no_header,
            multiline: reading.multiline,
            delimiter: delimiter.map(char::from),
            decimal,
            dates,
            sheet,
        }
    }

    /// Nothing was declared, and rows with gaps were refused.
    pub fn is_usual(&self) -> bool {
        is_default(self)
    }

    /// What does not make sense, in a file that was edited.
    pub(crate) fn fault(&self) -> Option<&'static str> {
        self.delimiter.is_some_and(|mark| !mark.is_ascii()).then_some("columns are separated by one ASCII character")
    }

    /// How to read another table for a model of these columns of numbers and these categories.
    pub(crate) fn reading(&self, columns: &[String], categories: &[Category]) -> Reading {
        Reading {
            columns: Some(columns.to_vec()),
            categories: categories.to_vec(),
            of_model: true,
            missing: self.missing,
            no_header: self.no_header,
            multiline: self.multiline,
            format: self.over(TableFormat::default()),
            cells: true,
            ..Reading::default()
        }
    }

    /// What `format` does not declare is as it was.
    pub(crate) fn over(&self, format: TableFormat) -> TableFormat {
        TableFormat {
            delimiter: format.delimiter.or_else(|| self.delimiter.and_then(|mark| u8::try_from(mark).ok())),
            decimal: format.decimal.or(self.decimal),
            dates: format.dates.or(self.dates),
            sheet: format.sheet.or_else(|| self.sheet.clone()),
            unpacked_limit: format.unpacked_limit,
        }
    }
}
