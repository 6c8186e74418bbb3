//! Why a table was refused.
//!
//! A message says what happened, why it matters and what to do. It may name a row, a line and a column; it never
//! repeats what a cell holds, because an error log is read by people the record was not given to.

use std::io;

use shoal_lattice::BoundsError;
use shoal_lattice::names::{known_names, listed};
use shoal_privacy::Parameter;

use super::column_ref::ColumnRef;
use cell_look::select;

mod cell_look;
mod code;
mod place;
mod similar_file;

pub use cell_look::CellLook;
pub use place::Place;
use similar_file::similar;

/// The character between columns.
pub(crate) const DELIMITER: Parameter = Parameter::new("delimiter");
/// The mark before decimals.
pub(crate) const DECIMAL: Parameter = Parameter::new("decimal");
/// The order of day and month.
pub(crate) const DATES: Parameter = Parameter::new("dates");
/// A sheet of a workbook.
pub(crate) const SHEET: Parameter = Parameter::new("sheet");
/// Columns that are handed on.
pub(crate) const KEEP: Parameter = Parameter::new("keep");
/// The most bytes of a packed table.
pub(crate) const UNPACKED_LIMIT: Parameter = Parameter::new("unpacked-limit");

/// Why a table could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DataError {
    /// The operating system refused.
    #[error(
        "cannot read {name}: {source}.{} Check the path and its permissions; `-` reads standard input",
        similar(name, source)
    )]
    Io {
        /// The table's name.
        name: String,
        /// The reason given.
        #[source]
        source: io::Error,
    },
    /// A folder instead of a file.
    #[error("{name} is a folder: name one file in it")]
    Folder {
        /// The path given.
        name: String,
    },
    /// Nothing in the file.
    #[error(
        "{name} is empty: without a header row nothing says which columns a table has. Was it written completely? For a \
         table without a header and without rows, name the columns ({} c1,c2)",
        Parameter::COLUMNS
    )]
    Empty {
        /// The table's name.
        name: String,
    },
    /// Columns but no rows.
    #[error("{name} has a header and no data rows: there is nothing to do. Was it written completely?")]
    NoRows {
        /// The table's name.
        name: String,
    },
    /// Every row was dropped.
    #[error(
        "every row of {name} has a missing value in the selected columns, so none is left. Leave out columns that are \
         often empty with {}",
        Parameter::COLUMNS
    )]
    AllDropped {
        /// The table's name.
        name: String,
    },
    /// The first row holds numbers.
    #[error(
        "the first row of {name} holds numbers, so it seems to be a record and not a header. Add a header row, or give \
         {} to call the columns c1, c2 and so on; if these are names of columns, choose some with {}",
        Parameter::NO_HEADER,
        Parameter::COLUMNS
    )]
    NoHeader {
        /// The table's name.
        name: String,
    },
    /// Another separator than the comma.
    #[error(
        "{name} seems to separate its columns by {separator}: one column was found where commas would give several. A table \
         without a header is taken to have commas; give {DELIMITER} for another character"
    )]
    Separator {
        /// The table's name.
        name: String,
        /// The character in words.
        separator: &'static str,
    },
    /// A row with more or fewer fields.
    #[error(
        "line {line} has {found} fields where the header has {expected}: a comma or a quote is missing or too many. \
         Correct that line, or write the table again with a CSV writer"
    )]
    Ragged {
        /// Line of the file.
        line: u64,
        /// Fields on that line.
        found: u64,
        /// Fields in the header.
        expected: u64,
    },
    /// A quoted cell that goes on over the end of its line.
    #[error(
        "line {line} opens a quote that is not closed on the same line, so the lines after it would be taken for a part of \
         that cell. Close the quote, or write a quote that belongs to the text as two inside a quoted cell; if cells of \
         this table do span lines, give {}",
        Parameter::MULTILINE
    )]
    SpansLines {
        /// Line of the file on which the quote is.
        line: u64,
    },
    /// The table ends inside a quoted cell.
    #[error(
        "line {line} opens a quote that is never closed, so all lines after it would be taken for a part of that cell. \
         Close the quote, or write a quote that belongs to the text as two inside a quoted cell"
    )]
    OpenQuote {
        /// Line of the file on which the quote is.
        line: u64,
    },
    /// Bytes that are not UTF-8.
    #[error("line {line} is no text{hint}. Save the table as CSV in UTF-8 (in Excel: CSV UTF-8)")]
    NotUtf8 {
        /// Line of the file.
        line: u64,
        /// What it seems to be.
        hint: &'static str,
    },
    /// Text in a column of numbers.
    #[error("{place}, {column}: {}", .look.explained(.numeric))]
    NotANumber {
        /// Where.
        place: Place,
        /// In which column.
        column: ColumnRef,
        /// What the cell looks like.
        look: CellLook,
        /// Columns that held numbers in the first rows.
        numeric: Vec<String>,
    },
    /// A missing or infinite value.
    #[error(
        "{place}, {column}: the value is missing or not finite. Drop rows with missing values ({} drop), count them with the \
         middle of the bounds ({} middle), leave the column out with {}, or fill the gaps before",
        Parameter::MISSING,
        Parameter::MISSING,
        Parameter::COLUMNS
    )]
    Missing {
        /// Where.
        place: Place,
        /// In which column.
        column: ColumnRef,
    },
    /// A missing or infinite value in rows that an engine reads, in no fixed order.
    #[error(
        "{column} has a value that is missing or not finite. Drop rows with missing values ({} drop), count them with the \
         middle of the bounds ({} middle), leave the column out, or fill the gaps before",
        Parameter::MISSING,
        Parameter::MISSING
    )]
    MissingSomewhere {
        /// In which column.
        column: ColumnRef,
    },
    /// Gaps are to be filled with the middle of bounds, and there are none.
    #[error(
        "{} middle puts the middle of the public bounds where a value is missing, and there are no public bounds here. Give \
         {}, or choose {} drop",
        Parameter::MISSING,
        Parameter::BOUNDS,
        Parameter::MISSING
    )]
    NoMiddle,
    /// A row that belongs to nobody.
    #[error(
        "{place}: the person is missing, so it is unclear whose row this is, and nothing would protect them. Leave such rows out \
         ({} drop), or fill in the person column before",
        Parameter::MISSING
    )]
    MissingPerson {
        /// Where.
        place: Place,
    },
    /// A row without a place among the rows of its person.
    #[error(
        "{place}: the value that orders the rows of a person is missing. Leave such rows out ({} drop), fill in the column \
         before, or use the mean of a person's rows ({} mean)",
        Parameter::MISSING,
        Parameter::PER_PERSON
    )]
    MissingMoment {
        /// Where.
        place: Place,
    },
    /// A row whose place among the rows of its person is unclear.
    #[error(
        "{place}, {column}: there is neither a number nor a date such as 2024-03-31 or 2024-03-31T23:59, or it is not what the \
         rows above have. Write all values of the column alike, or use the mean of a person's rows ({} mean)",
        Parameter::PER_PERSON
    )]
    NoMoment {
        /// Where; for a Parquet file where the batch of rows begins.
        place: Place,
        /// In which column.
        column: ColumnRef,
    },
    /// A Parquet column that can neither name persons nor order rows.
    #[error(
        "column `{column}` holds {found}, which neither name a person nor order rows here: write it as text or as whole numbers"
    )]
    PersonColumnType {
        /// The column.
        column: String,
        /// Its type.
        found: String,
    },
    /// The column that names persons as a column of values.
    #[error(
        "column `{name}` names persons ({}), so it is no column to cluster by: take it out of {}",
        Parameter::PERSON,
        Parameter::COLUMNS
    )]
    PersonSelected {
        /// The column.
        name: String,
    },
    /// Rows that were opened without the columns that name persons.
    #[error("the rows were opened without a column that names persons: give {}", Parameter::PERSON)]
    NoPersons,
    /// No room on disk for rows that are grouped by person.
    #[error(
        "the rows of all persons do not fit in memory, so they are grouped in a temporary file, which failed: {source}. Make \
         room, name a folder that has some with TMPDIR, or allow more memory ({})",
        Parameter::MEMORY
    )]
    PersonsOnDisk {
        /// The reason given.
        #[source]
        source: io::Error,
    },
    /// A column whose cells have no text.
    #[error("column `{column}` holds {found}, which cannot be handed on as text; leave it out of {}", KEEP)]
    CannotKeep {
        /// The column.
        column: String,
        /// Its type in words.
        found: String,
    },
    /// A category whose cells have no text.
    #[error("column `{column}` holds {found}, which have no levels; leave it out of {}", Parameter::new("categories"))]
    CannotCategorise {
        /// The column.
        column: String,
        /// Its type in words.
        found: String,
    },
    /// A column that does not exist.
    #[error("there is no column `{wanted}`.{}", known_names(.wanted, .columns))]
    UnknownColumn {
        /// The name asked for.
        wanted: String,
        /// The names there are.
        columns: Vec<String>,
    },
    /// A column that does not exist, in a table whose first row may be a record.
    #[error(
        "there is no column `{wanted}`, and the first row of the table may be a record and not a header: its cells look like \
         those of the rows below it, so they are not repeated here. Add a header row, or give {} to call the columns c1, c2 \
         and so on; if it is a header, check the spelling",
        Parameter::NO_HEADER
    )]
    UnclearHeader {
        /// The name asked for.
        wanted: String,
    },
    /// A column asked for twice.
    #[error("column `{name}` is selected twice: it would count double in every distance. Name it once")]
    SelectedTwice {
        /// The column.
        name: String,
    },
    /// Two columns of the same name.
    #[error(
        "two columns have the same name ({column}), so it is unclear which is meant: rename one, or select others with {}",
        Parameter::COLUMNS
    )]
    DuplicateName {
        /// One of the two.
        column: ColumnRef,
    },
    /// No column at all.
    #[error("no column is selected: name at least one with {}", Parameter::COLUMNS)]
    NoColumns,
    /// A Parquet column that is not a column of numbers.
    #[error("column `{column}` holds {found}, not plain numbers.{}", select(.numeric))]
    ColumnType {
        /// The column.
        column: String,
        /// Its type.
        found: String,
        /// Columns that hold numbers.
        numeric: Vec<String>,
    },
    /// A compression this build does not know.
    #[error(
        "column `{column}` is compressed with {codec}, which cannot be read here: write the file again with snappy or zstd"
    )]
    Codec {
        /// The column.
        column: String,
        /// The compression.
        codec: String,
    },
    /// The file ends too early.
    #[error(
        "{name} ends in the middle of its {format} data: the copy or download was cut short. Fetch or write it again"
    )]
    Truncated {
        /// The table's name.
        name: String,
        /// The format.
        format: &'static str,
    },
    /// The file contradicts itself.
    #[error("{name} is damaged or not a {format} file that can be read here: fetch or write it again")]
    Damaged {
        /// The table's name.
        name: String,
        /// The format.
        format: &'static str,
    },
    /// A file that is no text, inside gzip or zstd.
    #[error("{name} is {inside} inside {packing}: unpack it first; such a file is compressed inside already")]
    PackedTable {
        /// The table's name.
        name: String,
        /// How it is packed.
        packing: &'static str,
        /// What is inside.
        inside: &'static str,
    },
    /// A kind of file that holds no table for Shoal.
    #[error(
        "{name} is {found}, which cannot be read here: save the table as CSV (in Excel: CSV UTF-8), .xlsx or Parquet"
    )]
    OtherFormat {
        /// The file's name.
        name: String,
        /// What it is.
        found: &'static str,
    },
    /// A workbook with several sheets, of which none was chosen.
    #[error("{name} has several sheets ({}): choose one with {SHEET}", listed(.sheets))]
    SeveralSheets {
        /// The file's name.
        name: String,
        /// The sheets.
        sheets: Vec<String>,
    },
    /// A sheet that does not exist.
    #[error("{name} has no sheet `{wanted}`. Its sheets are: {}", listed(.sheets))]
    UnknownSheet {
        /// The file's name.
        name: String,
        /// The name asked for.
        wanted: String,
        /// The sheets there are.
        sheets: Vec<String>,
    },
    /// A record that does not end.
    #[error(
        "line {line} is longer than 64 MB, so it cannot be a record of a table. Check how the lines of the file end, and that \
         it is a table at all"
    )]
    LongRecord {
        /// Line of the file.
        line: u64,
    },
    /// More bytes than a packed file may hold.
    #[error(
        "{name} unpacks to more than {limit} bytes, the limit that is set. If the table is that large, give a higher \
         {UNPACKED_LIMIT}, or unpack it first"
    )]
    Bomb {
        /// The file's name.
        name: String,
        /// The limit.
        limit: u64,
    },
    /// The file changed while it was in use.
    #[error(
        "{name} changed while it was being read: a clustering of two different tables would mean nothing. Wait until \
         it is written, or work on a copy"
    )]
    Changed {
        /// The table's name.
        name: String,
    },
    /// A stream that does not fit in memory, and no room for it on disk either.
    #[error(
        "{name} cannot be read a second time and does not fit in memory, so it is kept in a temporary file, which failed: \
         {source}. Make room, or name a folder that has some with TMPDIR; a table that is a file needs no copy"
    )]
    Spool {
        /// The table's name.
        name: String,
        /// The reason given.
        #[source]
        source: io::Error,
    },
    /// The memory asked for does not exist.
    #[error(
        "{bytes} bytes of memory are needed for the points and not available: allow less, so that they are streamed"
    )]
    OutOfMemory {
        /// Bytes asked for.
        bytes: usize,
    },
    /// Numbers that do not make whole rows.
    #[error(
        "{numbers} numbers do not make whole rows of {columns} columns: give a number for every column of every row"
    )]
    NotWholeRows {
        /// Numbers given.
        numbers: usize,
        /// Columns named.
        columns: usize,
    },
    /// Columns of different lengths.
    #[error("column `{column}` has {found} rows where the first column has {expected}: give columns of equal length")]
    UnequalColumns {
        /// The column.
        column: String,
        /// Its rows, or the bits of its validity bitmap where those are fewer.
        found: usize,
        /// Rows of the first column.
        expected: usize,
    },
    /// The bounds were refused.
    #[error(transparent)]
    Bounds(#[from] BoundsError),
}
