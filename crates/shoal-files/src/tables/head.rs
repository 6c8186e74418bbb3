//! The head of a table: what its columns are called and which types they declare. No record is read.

use std::sync::Arc;

use super::arrow_table::{ARROW, ArrowTable};
use super::csv_table::CsvTable;
use super::input::Input;
use super::parquet_table::ParquetTable;
use super::table::PARQUET;
use super::unpack::Packing;
use super::workbook::{Workbook, ZIP};
use crate::{DataError, ReadOptions, Source};

/// What a table says about itself before its first record.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TableHead {
    /// The format in words: CSV, Parquet, Arrow, workbook.
    pub format: &'static str,
    /// The character between the columns of a text table.
    pub delimiter: Option<char>,
    /// The columns, in order.
    pub columns: Vec<ColumnHead>,
}

/// One column by its name and its declared type.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ColumnHead {
    /// The name.
    pub name: String,
    /// The type that the file declares, in words; text tables and workbooks declare none.
    pub declared: Option<String>,
    /// Whether columns of that type can be read as numbers; unknown without a declared type.
    pub numeric: Option<bool>,
}

impl TableHead {
    /// Reads the header or the footer of a source.
    ///
    /// ```
    /// use shoal_files::{ReadOptions, Source, TableHead};
    /// let head = TableHead::read(Source::Memory(b"age;income\n39;$40\n".to_vec()), &ReadOptions::default())?;
    /// assert_eq!((head.format, head.delimiter), ("CSV", Some(';')));
    /// assert_eq!(head.columns[1].name, "income");
    /// # Ok::<(), shoal_files::DataError>(())
    /// ```
    pub fn read(source: Source, options: &ReadOptions) -> Result<Self, DataError> {
        let input = Arc::new(Input::open(source, options.stream_limit)?);
        let start = input.start()?;
        let undeclared = |names: &[String]| {
            names.iter().map(|name| ColumnHead { name: name.clone(), declared: None, numeric: None }).collect()
        };
        Ok(if start.starts_with(&PARQUET) {
            let table = ParquetTable::open(input)?;
            let column = |(i, name): (usize, &String)| {
                let (declared, numeric) = table.declared(i);
                ColumnHead { name: name.clone(), declared: Some(declared), numeric: Some(numeric) }
            };
            let columns = table.names.iter().enumerate().map(column).collect();
            Self { format: "Parquet", delimiter: None, columns }
        } else if start.starts_with(&ARROW) {
            let table = ArrowTable::open(input)?;
            let column = |(i, name): (usize, &String)| {
                let (declared, numeric) = table.declared(i);
                ColumnHead { name: name.clone(), declared: Some(declared), numeric: Some(numeric) }
            };
            let columns = table.names.iter().enumerate().map(column).collect();
            Self { format: "Arrow", delimiter: None, columns }
        } else if start.starts_with(&ZIP) {
            let table = Workbook::open(input, options)?;
            Self { format: "workbook", delimiter: None, columns: undeclared(&table.names) }
        } else {
            let table = CsvTable::open_head(input, Packing::of(&start), options)?;
            let columns = undeclared(&table.names);
            Self { format: "CSV", delimiter: Some(char::from(table.delimiter())), columns }
        })
    }
}
