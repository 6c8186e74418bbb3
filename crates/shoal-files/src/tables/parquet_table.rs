//! Tables as Parquet, read through the low-level column readers: one page of one column at a time.

use bytes::Bytes;
use parquet::basic::{Compression, Type};
use parquet::column::reader::{ColumnReader, get_column_reader};
use parquet::errors::{ParquetError, Result as ParquetResult};
use parquet::file::reader::{ChunkReader, FileReader, Length, SerializedFileReader};
use parquet::schema::types::SchemaDescriptor;
use std::io::BufReader;
use std::sync::Arc;

use crate::Batch;
use crate::tables::input::{Input, InputReader};
use crate::tables::kept::KeptKind;
use crate::tables::parquet_column::{LabelColumn, NumberColumn, Reading};
use crate::tables::parquet_kept::{KeptColumn, Shown};
use crate::tables::parquet_pages::{CheckedPages, guarded};
use crate::tables::parquet_slices::SlicedPages;
use crate::tables::persons::names::NoMoment;
use crate::tables::persons::parquet_names::{Cells, NameColumn, can_name, can_order};
use crate::tables::select::Selection;
use crate::{DataError, Place};

/// What a column being read holds with pages of the usual size: 2.7 MB measured.
const COLUMN_MEMORY: usize = 3 << 20;

/// The table's bytes as the Parquet reader wants them.
pub(crate) struct ParquetInput(Arc<Input>);

impl Length for ParquetInput {
    fn len(&self) -> u64 {
        self.0.len()
    }
}

impl ChunkReader for ParquetInput {
    type T = BufReader<InputReader>;

    fn get_read(&self, start: u64) -> ParquetResult<Self::T> {
        // Only page headers come this way, a few dozen bytes each.
        Ok(BufReader::with_capacity(256, self.0.reader(start)))
    }

    fn get_bytes(&self, start: u64, length: usize) -> ParquetResult<Bytes> {
        Ok(self.0.bytes(start, length)?)
    }
}

/// A Parquet file with its footer read and checked.
pub(crate) struct ParquetTable {
    pub(crate) input: Arc<Input>,
    file: SerializedFileReader<ParquetInput>,
    pub(crate) names: Vec<String>,
    rows: usize,
}

impl ParquetTable {
    pub(crate) fn open(input: Arc<Input>) -> Result<Self, DataError> {
        let tail = input.len().checked_sub(4).filter(|&start| start >= 4);
        let tail = tail.and_then(|start| input.bytes(start, 4).ok());
        if tail.as_deref() != Some(b"PAR1") {
            return Err(DataError::Truncated { name: input.name().into(), format: "Parquet" });
        }
        let file = guarded(|| SerializedFileReader::new(ParquetInput(Arc::clone(&input))))
            .map_err(|error| failed(&input, error))?;
        let names = schema(&file).columns().iter().map(|column| column.path().string()).collect();
        let mut table = Self { input, file, names, rows: 0 };
        table.rows = table.checked_rows().ok_or_else(|| table.damaged())?;
        Ok(table)
    }

    /// The number of rows, if the footer makes sense: no negative counts or places, every column chunk inside the
    /// file. The reader below trusts these.
    fn checked_rows(&self) -> Option<usize> {
        let (mut rows, end) = (0usize, self.input.len());
        for group in self.file.metadata().row_groups() {
            rows = rows.checked_add(usize::try_from(group.num_rows()).ok()?)?;
            if group.num_columns() != self.names.len() {
                return None;
            }
            for column in group.columns() {
                let start = u64::try_from(column.dictionary_page_offset().unwrap_or(column.data_page_offset())).ok()?;
                let length = u64::try_from(column.compressed_size()).ok()?;
                start.checked_add(length).filter(|&last| last <= end)?;
            }
        }
        Some(rows)
    }

    /// Number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// The text that the file has under `key`.
    pub(crate) fn described(&self, key: &str) -> Option<&str> {
        let pairs = self.file.metadata().file_metadata().key_value_metadata()?;
        pairs.iter().find(|pair| pair.key == key)?.value.as_deref()
    }

    /// Whether a column holds values of this type, one a row.
    pub(crate) fn holds_only(&self, column: usize, physical: Type) -> bool {
        let descriptor = schema(&self.file).column(column);
        descriptor.physical_type() == physical && descriptor.max_def_level() == 0 && descriptor.max_rep_level() == 0
    }

    /// The length of a column's byte strings, where all have the same.
    pub(crate) fn byte_length(&self, column: usize) -> Option<i32> {
        let descriptor = schema(&self.file).column(column);
        (descriptor.physical_type() == Type::FIXED_LEN_BYTE_ARRAY).then(|| descriptor.type_length())
    }

    /// The type of a column in words, and whether it is one of numbers.
    pub(crate) fn declared(&self, column: usize) -> (String, bool) {
        let descriptor = schema(&self.file).column(column);
        (Reading::declared(&descriptor), Reading::of(&descriptor).is_ok())
    }

    /// Refuses columns that cannot be read, before any row is.
    pub(crate) fn check(&self, selection: &Selection) -> Result<(), DataError> {
        let refuse = |at: usize, found: String| {
            let numeric = |(_, column): &(&String, &Arc<_>)| Reading::of(column).is_ok();
            let pairs = self.names.iter().zip(schema(&self.file).columns());
            let numeric = pairs.filter(numeric).map(|(name, _)| name.clone()).collect();
            DataError::ColumnType { column: self.names[at].clone(), found, numeric }
        };
        for &pick in &selection.picks {
            Reading::of(&schema(&self.file).column(pick)).map_err(|found| refuse(pick, found))?;
        }
        if let Some(label) = selection.label {
            Reading::can_label(&schema(&self.file).column(label)).map_err(|found| refuse(label, found))?;
        }
        let unfit = |at: usize, found: String| DataError::PersonColumnType { column: self.names[at].clone(), found };
        for &at in &selection.person {
            can_name(&schema(&self.file).column(at)).map_err(|found| unfit(at, found))?;
        }
        if let Some(at) = selection.order {
            can_order(&schema(&self.file).column(at)).map_err(|found| unfit(at, found))?;
        }
        for &at in &selection.words {
            let unfit = |found| DataError::CannotCategorise { column: self.names[at].clone(), found };
            Shown::of(&schema(&self.file).column(at)).map_err(unfit)?;
        }
        for &at in &selection.kept {
            let unfit = |found| DataError::CannotKeep { column: self.names[at].clone(), found };
            Shown::of(&schema(&self.file).column(at)).map_err(unfit)?;
        }
        for group in self.file.metadata().row_groups() {
            for &at in selection.all() {
                let codec = match group.column(at).compression() {
                    Compression::LZO => "LZO",
                    Compression::BROTLI(_) => "Brotli",
                    _ => continue,
                };
                return Err(DataError::Codec { column: self.names[at].clone(), codec: codec.into() });
            }
        }
        Ok(())
    }

    /// Rows of each row group.
    pub(crate) fn groups(&self) -> impl Iterator<Item = usize> + '_ {
        // Checked to be no negative numbers when the file was opened.
        self.file.metadata().row_groups().iter().map(|group| group.num_rows() as usize)
    }

    /// Starts reading one column of one row group as numbers.
    pub(crate) fn numbers(&self, group: usize, column: usize) -> Result<NumberColumn, DataError> {
        let descriptor = schema(&self.file).column(column);
        let reading = Reading::of(&descriptor).map_err(|_| self.damaged())?;
        NumberColumn::new(self.reader(group, column)?, reading, descriptor.max_def_level())
            .ok_or_else(|| self.damaged())
    }

    fn name_column(&self, group: usize, column: usize) -> Result<NameColumn, DataError> {
        let reader = self.reader(group, column)?;
        NameColumn::new(reader, &schema(&self.file).column(column)).ok_or_else(|| self.damaged())
    }

    fn kept_column(&self, group: usize, column: usize) -> Result<KeptColumn, DataError> {
        let reader = self.reader(group, column)?;
        KeptColumn::new(reader, &schema(&self.file).column(column)).ok_or_else(|| self.damaged())
    }

    /// What a column that is handed on holds.
    pub(crate) fn kept_kind(&self, column: usize) -> KeptKind {
        let descriptor = schema(&self.file).column(column);
        Shown::of(&descriptor).map_or(KeptKind::Text, |shown| shown.kind_of(descriptor.physical_type()))
    }

    fn labels(&self, group: usize, column: usize) -> Result<LabelColumn, DataError> {
        LabelColumn::new(self.reader(group, column)?, &schema(&self.file).column(column)).ok_or_else(|| self.damaged())
    }

    pub(crate) fn reader(&self, group: usize, column: usize) -> Result<ColumnReader, DataError> {
        let pages = self.file.get_row_group(group).and_then(|group| group.get_column_page_reader(column));
        let descriptor = schema(&self.file).column(column);
        // A column inside a structure has more than one kind of gap.
        let (nullable, nested) = (descriptor.max_def_level() > 0, descriptor.max_def_level() > 1);
        let width = match descriptor.physical_type() {
            _ if nested => None,
            Type::DOUBLE | Type::INT64 => Some(8),
            Type::FLOAT | Type::INT32 => Some(4),
            _ => None,
        };
        let pages = CheckedPages::new(pages.map_err(|error| self.failed(error))?, nullable);
        Ok(get_column_reader(descriptor, Box::new(SlicedPages::new(pages, width, nullable))))
    }

    pub(crate) fn failed(&self, error: ParquetError) -> DataError {
        failed(&self.input, error)
    }

    pub(crate) fn damaged(&self) -> DataError {
        DataError::Damaged { name: self.input.name().into(), format: "Parquet" }
    }

    /// Bytes that a pass over the columns side by side holds beside the rows: for each, the dictionary, a page and the
    /// compressed page it comes from, which writers keep at about a megabyte each.
    pub(crate) fn pass_memory(&self, selection: &Selection) -> usize {
        let groups = || self.file.metadata().row_groups().iter();
        let largest = |at: usize| groups().map(|group| group.column(at).uncompressed_size()).max().unwrap_or(0);
        let held = |at: &usize| (3 * usize::try_from(largest(*at)).unwrap_or(0)).min(COLUMN_MEMORY);
        selection.all().map(held).sum()
    }

    /// Starts a pass from the first row.
    pub(crate) fn pass<'a>(&'a self, selection: &'a Selection) -> ParquetPass<'a> {
        let (columns, names, cells) = (Vec::new(), Vec::new(), Vec::new());
        ParquetPass {
            table: self,
            selection,
            group: 0,
            left: 0,
            columns,
            label: None,
            names,
            order: None,
            cells,
            kept: Vec::new(),
            words: Vec::new(),
            row: 0,
        }
    }
}

fn schema(file: &SerializedFileReader<ParquetInput>) -> &SchemaDescriptor {
    file.metadata().file_metadata().schema_descr()
}

/// The reason without its text, which may hold stray bytes of the data.
fn failed(input: &Input, error: ParquetError) -> DataError {
    let name = input.name().to_string();
    let early = match &error {
        ParquetError::EOF(_) => true,
        ParquetError::External(inner) => inner
            .downcast_ref::<std::io::Error>()
            .is_some_and(|error| error.kind() == std::io::ErrorKind::UnexpectedEof),
        _ => false,
    };
    if early {
        DataError::Truncated { name, format: "Parquet" }
    } else {
        DataError::Damaged { name, format: "Parquet" }
    }
}

/// One pass over all columns side by side. It holds a page and a dictionary of every selected column.
pub(crate) struct ParquetPass<'a> {
    table: &'a ParquetTable,
    selection: &'a Selection,
    group: usize,
    /// Rows of the open row group still to be read.
    left: usize,
    columns: Vec<NumberColumn>,
    label: Option<Box<LabelColumn>>,
    /// Columns that name persons, with the cells of the batch at hand.
    names: Vec<NameColumn>,
    cells: Vec<Cells>,
    order: Option<Box<NameColumn>>,
    kept: Vec<KeptColumn>,
    words: Vec<KeptColumn>,
    row: u64,
}

impl ParquetPass<'_> {
    /// Appends up to `rows` rows to `batch`, missing values as NaN. Returns how many were read; zero is the end.
    pub(crate) fn fill(&mut self, batch: &mut Batch, rows: usize) -> Result<usize, DataError> {
        while self.left == 0 {
            let Some(rows) = self.table.groups().nth(self.group) else { return Ok(0) };
            self.columns.clear();
            for &pick in &self.selection.picks {
                self.columns.push(self.table.numbers(self.group, pick)?);
            }
            self.label = self.selection.label.map(|at| self.table.labels(self.group, at).map(Box::new)).transpose()?;
            self.names.clear();
            for &at in &self.selection.person {
                self.names.push(self.table.name_column(self.group, at)?);
            }
            self.kept.clear();
            for &at in &self.selection.kept {
                self.kept.push(self.table.kept_column(self.group, at)?);
            }
            self.words.clear();
            for &at in &self.selection.words {
                self.words.push(self.table.kept_column(self.group, at)?);
            }
            let order = self.selection.order;
            self.order = order.map(|at| self.table.name_column(self.group, at).map(Box::new)).transpose()?;
            self.left = rows;
            self.group += 1;
        }
        let rows = rows.min(self.left);
        for (column, out) in self.columns.iter_mut().zip(&mut batch.columns) {
            read_exactly(self.table, rows, |rows| column.read(rows, out))?;
        }
        if let (Some(label), Some(out)) = (&mut self.label, &mut batch.labels) {
            read_exactly(self.table, rows, |rows| label.read(rows, out))?;
        }
        self.fill_names(batch, rows)?;
        for (place, column) in self.kept.iter_mut().enumerate() {
            read_exactly(self.table, rows, |rows| column.read(rows, |cell| batch.kept.push(place, cell)))?;
        }
        for ((column, levels), codes) in self.words.iter_mut().zip(self.selection.levels.iter()).zip(&mut batch.codes) {
            read_exactly(self.table, rows, |rows| {
                column.read(rows, |cell| codes.push(levels.code_of(cell.as_deref())))
            })?;
        }
        self.left -= rows;
        for _ in 0..rows {
            self.row += 1;
            batch.places.push(Place { row: self.row, line: None });
        }
        Ok(rows)
    }
}

impl ParquetPass<'_> {
    /// Appends the persons of the next `rows` rows, where they are asked for.
    fn fill_names(&mut self, batch: &mut Batch, rows: usize) -> Result<(), DataError> {
        let Some(names) = &mut batch.names else { return Ok(()) };
        self.cells.resize_with(self.names.len(), Cells::default);
        for (column, cells) in self.names.iter_mut().zip(&mut self.cells) {
            cells.clear();
            read_exactly(self.table, rows, |rows| column.names(rows, cells))?;
        }
        for row in 0..rows {
            self.cells.iter().for_each(|cells| names.push_part(cells.get(row)));
            names.end_row();
        }
        if let (Some(order), Some(at)) = (&mut self.order, self.selection.order) {
            let mut refused = false;
            read_exactly(self.table, rows, |rows| {
                Ok(order.moments(rows, names)?.unwrap_or_else(|NoMoment| {
                    refused = true;
                    rows
                }))
            })?;
            if refused {
                let column = crate::ColumnRef::name(&self.table.names[at]);
                return Err(DataError::NoMoment { place: Place { row: self.row + 1, line: None }, column });
            }
        }
        Ok(())
    }
}

/// Reads until `rows` rows have come; a column that ends before its row group does is damage.
fn read_exactly(
    table: &ParquetTable,
    rows: usize,
    mut read: impl FnMut(usize) -> ParquetResult<usize>,
) -> Result<(), DataError> {
    let mut done = 0;
    while done < rows {
        match guarded(|| read(rows - done)).map_err(|error| table.failed(error))? {
            0 => return Err(table.damaged()),
            count => done += count,
        }
    }
    Ok(())
}
