//! What the user may declare about how a table is written. Nothing here is ever taken from a record.

use serde::{Deserialize, Serialize};

/// Bytes that a packed table may hold when unpacked, unless another limit is given.
const UNPACKED_LIMIT: u64 = 1 << 40;

/// How a table is written, where its header and its declared types do not say.
///
/// ```
/// use shoal_files::{DateOrder, DecimalMark, TableFormat};
/// let german = TableFormat { delimiter: Some(b';'), decimal: Some(DecimalMark::Comma), ..TableFormat::default() };
/// assert_eq!(german.dates, None::<DateOrder>);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableFormat {
    /// The character between the columns of a text table. Without it the header line decides between comma, semicolon, tab
    /// and vertical bar; a table without a header has commas.
    pub delimiter: Option<u8>,
    /// The mark before the decimals. Without it, a table with commas between its columns has points; in any other each
    /// cell is read by itself, and one that could mean two numbers (`1.234`) is refused.
    pub decimal: Option<DecimalMark>,
    /// Which number of a date such as `4/5/1985` is the day. Without it such a date is refused.
    pub dates: Option<DateOrder>,
    /// The sheet of a workbook, which has to be named where there are several.
    pub sheet: Option<String>,
    /// The most bytes that a table inside gzip or zstd, or a workbook, may unpack to.
    pub unpacked_limit: u64,
}

impl Default for TableFormat {
    fn default() -> Self {
        Self { delimiter: None, decimal: None, dates: None, sheet: None, unpacked_limit: UNPACKED_LIMIT }
    }
}

/// The mark before the decimals of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DecimalMark {
    /// `1.5`
    #[serde(rename = ".")]
    Point,
    /// `1,5`
    #[serde(rename = ",")]
    Comma,
}

/// The order of day and month in a date whose year comes last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DateOrder {
    /// `31/12/1985`
    #[serde(rename = "dmy")]
    DayFirst,
    /// `12/31/1985`
    #[serde(rename = "mdy")]
    MonthFirst,
}

/// How cells of a text table are read: settled before the first record, and the same for all cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CellRules {
    /// Nothing where each cell has to show by itself which mark it uses.
    pub(crate) decimal: Option<DecimalMark>,
    pub(crate) dates: Option<DateOrder>,
}

impl CellRules {
    /// The rules of a text table with this character between its columns.
    pub(crate) fn of_text(format: &TableFormat, delimiter: u8) -> Self {
        let usual = (delimiter == b',').then_some(DecimalMark::Point);
        Self { decimal: format.decimal.or(usual), dates: format.dates }
    }

    /// The rules of text in a format that stores numbers as numbers: only what is declared.
    pub(crate) fn declared(format: &TableFormat) -> Self {
        Self { decimal: format.decimal, dates: format.dates }
    }
}
