//! A table of records behind one door, whatever its format.

use std::sync::Arc;

use shoal_lattice::{Bounds, Category};

use crate::ColumnRef;
use crate::DataError;
use crate::Progress;
use crate::ReadOptions;
use crate::Source;
use crate::tables::arrow_table::{ARROW, ArrowPass, ArrowTable};
use crate::tables::batch::middles;
use crate::tables::csv_pass::CsvPass;
use crate::tables::csv_table::CsvTable;
use crate::tables::held::HeldRows;
use crate::tables::input::Input;
use crate::tables::kept::{KeptCells, KeptKind};
use crate::tables::parquet_table::{ParquetPass, ParquetTable};
use crate::tables::persons::names::Names;
use crate::tables::select::Selection;
use crate::tables::unpack::Packing;
use crate::tables::workbook::{Workbook, ZIP};
use crate::{Batch, Missing};

pub(crate) const PARQUET: [u8; 4] = *b"PAR1";

/// An opened table with its columns chosen. Sensitive: it gives access to the records.
///
/// The format follows from the content: Parquet, Arrow, workbooks, gzip and zstd by their first bytes, anything else is text.
///
/// ```
/// use shoal_files::{ReadOptions, Silent, Source, Table};
/// let source = Source::Memory(b"age,hours\n39,40\n50,13\n".to_vec());
/// let table = Table::open(source, &ReadOptions::default())?;
/// assert_eq!(table.columns(), ["age", "hours"]);
/// let mut total = 0.0;
/// table.for_each_batch(1000, &Silent, |batch| {
///     total += batch.column(1).iter().sum::<f64>();
///     Ok::<(), shoal_files::DataError>(())
/// })?;
/// assert_eq!(total, 53.0);
/// # Ok::<(), shoal_files::DataError>(())
/// ```
pub struct Table {
    pub(crate) input: Arc<Input>,
    pub(crate) body: Body,
    pub(crate) selection: Selection,
    columns: Vec<String>,
    /// The same in messages.
    shown: Vec<ColumnRef>,
    pub(crate) missing: Missing,
    /// What stands for missing values, once the bounds are known.
    pub(crate) middles: Option<Vec<f64>>,
    pub(crate) allow_empty: bool,
    hand_on_gaps: bool,
}

pub(crate) enum Body {
    Csv(CsvTable),
    Parquet(ParquetTable),
    Arrow(ArrowTable),
    Sheet(Box<Workbook>, HeldRows),
}

impl Table {
    /// Opens a source, reads its header or footer and finds the columns. No record is interpreted yet.
    pub fn open(source: Source, options: &ReadOptions) -> Result<Self, DataError> {
        let input = Arc::new(Input::open(source, options.stream_limit)?);
        let start = input.start()?;
        let body = if start.starts_with(&PARQUET) {
            Body::Parquet(ParquetTable::open(Arc::clone(&input))?)
        } else if start.starts_with(&ARROW) {
            Body::Arrow(ArrowTable::open(Arc::clone(&input))?)
        } else if start.starts_with(&ZIP) {
            Body::Sheet(Box::new(Workbook::open(Arc::clone(&input), options)?), HeldRows::default())
        } else {
            Body::Csv(CsvTable::open(Arc::clone(&input), Packing::of(&start), options)?)
        };
        let mut body = body;
        let names = body.names();
        let trusted = body.names_are_trusted();
        let selection = Selection::new(names, trusted, options)?;
        match &body {
            Body::Parquet(table) => table.check(&selection)?,
            Body::Arrow(table) => table.check(&selection)?,
            _ => {}
        }
        let numbers = selection.picks.iter().map(|&pick| names[pick].clone());
        let columns = numbers.chain(options.categories.iter().flat_map(Category::coordinates)).collect();
        let of_word = |category: &Category| vec![ColumnRef::name(category.column()); category.size()];
        let shown = selection.picks.iter().map(|&pick| options.column(pick, &names[pick], trusted));
        let shown = shown.chain(options.categories.iter().flat_map(of_word)).collect();
        if let Body::Sheet(book, held) = &mut body {
            *held = book.hold(&selection, options)?;
        }
        let ReadOptions { missing, allow_empty, hand_on_gaps, .. } = *options;
        Ok(Self { input, body, selection, columns, shown, missing, middles: None, allow_empty, hand_on_gaps })
    }

    /// The selected columns, in order: those of numbers, then the indicators of categories.
    pub fn columns(&self) -> &[String] {
        &self.columns
    }

    /// The selected columns of numbers.
    pub fn numbers(&self) -> &[String] {
        &self.columns[..self.selection.picks.len()]
    }

    /// Every column of the table; only the selected ones where the first row may be a record and not a header.
    pub fn all_columns(&self) -> &[String] {
        if self.body.names_are_trusted() { self.body.names() } else { &self.columns }
    }

    /// Makes the bounds known, whose middle may stand for missing values.
    ///
    /// # Panics
    /// When there is not one interval for each selected column.
    pub fn set_bounds(&mut self, bounds: &Bounds) {
        assert_eq!(self.dims(), bounds.dims(), "bounds are resolved against the table's columns");
        self.middles = Some(middles(bounds));
    }

    /// What the columns that are handed on hold, in their order.
    pub fn kept_kinds(&self) -> Vec<KeptKind> {
        let kind = |&at: &usize| match &self.body {
            Body::Csv(_) | Body::Sheet(..) => KeptKind::Text,
            Body::Parquet(table) => table.kept_kind(at),
            Body::Arrow(table) => table.kept_kind(at),
        };
        self.selection.kept.iter().map(kind).collect()
    }

    /// Number of selected columns.
    pub fn dims(&self) -> usize {
        self.columns.len()
    }

    /// The path, or what stands for it in messages.
    pub fn name(&self) -> &str {
        self.input.name()
    }

    /// About how many bytes a pass over the table holds beside the rows: buffers and pages of every selected column.
    pub fn pass_memory(&self) -> usize {
        match &self.body {
            Body::Csv(table) => table.pass_memory(&self.selection),
            Body::Parquet(table) => table.pass_memory(&self.selection),
            Body::Arrow(table) => table.pass_memory(),
            Body::Sheet(_, held) => (128 << 10) + held.rows() * 8 * self.dims(),
        }
    }

    /// Reads the table once, up to `rows` rows at a time, in the user's units and with missing values settled.
    /// Batches are sensitive. An error of `f` ends the pass.
    pub fn for_each_batch<E: From<DataError>>(
        &self,
        rows: usize,
        progress: &dyn Progress,
        mut f: impl FnMut(&Batch) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut scan = self.scan(progress)?;
        while scan.advance(rows)? {
            if scan.batch.rows() > 0 {
                f(&scan.batch)?;
            }
        }
        Ok(scan.finish().map(|_| ())?)
    }

    /// Starts a pass.
    pub(crate) fn scan<'a>(&'a self, progress: &'a dyn Progress) -> Result<Scan<'a>, DataError> {
        // Whether any value is missing plays no part.
        if self.missing.fills_gaps() && self.middles.is_none() {
            return Err(DataError::NoMiddle);
        }
        self.input.check_unchanged()?;
        self.input.start_counting();
        let pass = match &self.body {
            Body::Csv(table) => Pass::Csv(table.pass(&self.selection)?),
            Body::Parquet(table) => Pass::Parquet(table.pass(&self.selection)),
            Body::Arrow(table) => Pass::Arrow(Box::new(table.pass(&self.selection)?)),
            Body::Sheet(_, held) => Pass::Held(held, 0),
        };
        let mut batch = Batch::new(self.dims(), self.selection.label.is_some());
        let named = !self.selection.person.is_empty();
        batch.names = named.then(|| Names::new(self.selection.order.is_some()));
        batch.kept = KeptCells::new(self.selection.kept.len());
        batch.codes = vec![Vec::new(); self.selection.words.len()];
        Ok(Scan { table: self, pass, batch, progress, seen: 0, kept: 0 })
    }
}

impl Body {
    fn names(&self) -> &[String] {
        match self {
            Self::Csv(table) => &table.names,
            Self::Parquet(table) => &table.names,
            Self::Arrow(table) => &table.names,
            Self::Sheet(book, _) => &book.names,
        }
    }

    /// Whether the names are those of columns for certain, and not the cells of somebody's record.
    fn names_are_trusted(&self) -> bool {
        match self {
            Self::Csv(table) => table.named,
            Self::Sheet(book, _) => book.named,
            Self::Parquet(_) | Self::Arrow(_) => true,
        }
    }
}

enum Pass<'a> {
    Csv(CsvPass<'a>),
    Parquet(ParquetPass<'a>),
    Arrow(Box<ArrowPass<'a>>),
    Held(&'a HeldRows, usize),
}

/// One pass over a table, batch by batch.
pub(crate) struct Scan<'a> {
    table: &'a Table,
    pass: Pass<'a>,
    pub(crate) batch: Batch,
    progress: &'a dyn Progress,
    seen: usize,
    kept: usize,
}

impl Scan<'_> {
    /// Replaces the batch by the next rows, at most `rows` of them; it may be empty when all were dropped. False at
    /// the end of the table.
    pub(crate) fn advance(&mut self, rows: usize) -> Result<bool, DataError> {
        self.batch.clear();
        let read = match &mut self.pass {
            Pass::Csv(pass) => pass.fill(&mut self.batch, rows.max(1)),
            Pass::Parquet(pass) => pass.fill(&mut self.batch, rows.max(1)),
            Pass::Arrow(pass) => pass.fill(&mut self.batch, rows.max(1)),
            Pass::Held(held, at) => held.fill(at, &mut self.batch, rows.max(1)),
        };
        let settled = read.and_then(|read| {
            self.batch.expand(&self.table.selection.levels, self.table.missing);
            if !(self.table.hand_on_gaps && self.table.missing == Missing::Drop) {
                self.batch.settle(self.table.missing, &self.table.shown, self.table.middles.as_deref())?;
            }
            Ok(read)
        });
        // A file that is being written to fails in many ways; the cause is what the user can act on.
        let read = settled.map_err(|error| self.table.input.check_unchanged().err().unwrap_or(error))?;
        self.seen += read;
        self.kept += self.batch.rows();
        self.progress.bytes(self.table.input.counted(), self.table.input.len());
        Ok(read > 0)
    }

    /// Ends the pass with the number of rows kept. Refuses when the file changed meanwhile, and when there was no row, unless
    /// that is allowed.
    pub(crate) fn finish(self) -> Result<usize, DataError> {
        self.table.input.check_unchanged()?;
        let name = self.table.name().to_string();
        match (self.seen, self.kept) {
            (_, kept) if self.table.allow_empty => Ok(kept),
            (0, _) => Err(DataError::NoRows { name }),
            (_, 0) => Err(DataError::AllDropped { name }),
            (_, kept) => Ok(kept),
        }
    }
}
