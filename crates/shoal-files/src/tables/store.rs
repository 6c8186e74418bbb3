//! The points an algorithm scans: in memory when they fit, read again in each scan when they do not.

use crate::Batch;
use crate::DataError;
use crate::Table;
use crate::tables::batch::middles_of;
use crate::tables::persons::spooled::SpooledPoints;
use crate::tables::table::Body;
use crate::{Progress, Silent};
use shoal_lattice::LatticeMap;
use shoal_lattice::{LatticePoints, TILE};

/// Rows turned into lattice points at a time.
const BATCH: usize = 4096;

/// The most rows of a streamed chunk: beyond this, larger chunks are no faster.
pub(crate) const LARGEST_CHUNK: usize = 1 << 18;

/// How much memory points may take.
#[derive(Clone, Copy, Debug)]
pub struct LoadOptions {
    /// Bytes for lattice points and for reading them. A table that needs more is streamed, in chunks that take what
    /// [`Table::pass_memory`] leaves, and at least one tile.
    pub memory: usize,
    /// Rows of a streamed chunk, where the default (a quarter of a million, or what fits) is not wanted.
    pub chunk_rows: Option<usize>,
    /// Two threads may read a large table.
    pub two_readers: bool,
}

impl Default for LoadOptions {
    fn default() -> Self {
        Self { memory: 4 << 30, chunk_rows: None, two_readers: true }
    }
}

/// All points of a table. Sensitive: it holds or reads the records.
pub enum PointStore {
    /// Every point is in memory.
    InMemory(LatticePoints),
    /// The points are read from the table in each scan.
    Streaming(Box<StreamedPoints>),
    /// The points are rows of persons, in a temporary file without a name.
    Persons(SpooledPoints),
}

/// A table that is read again in each scan. Sensitive.
pub struct StreamedPoints {
    table: Table,
    map: LatticeMap,
    chunk_rows: usize,
    rows: usize,
}

impl PointStore {
    /// Number of rows. Sensitive: the count of people is not public.
    pub fn rows(&self) -> usize {
        match self {
            Self::InMemory(points) => points.rows(),
            Self::Streaming(stream) => stream.rows,
            Self::Persons(points) => points.rows(),
        }
    }

    /// Number of attributes.
    pub fn dims(&self) -> usize {
        match self {
            Self::InMemory(points) => points.dims(),
            Self::Streaming(stream) => stream.map.dims(),
            Self::Persons(points) => points.dims(),
        }
    }

    /// Hands all points to `f` in the table's order: at once from memory, chunk by chunk from a stream. Chunks are
    /// sensitive. An error of `f` ends the scan.
    pub fn for_each_chunk<E: From<DataError>>(&self, f: impl FnMut(&LatticePoints) -> Result<(), E>) -> Result<(), E> {
        self.for_each_chunk_with(&Silent, f)
    }

    /// [`Self::for_each_chunk`] with a listener for the bytes read.
    pub fn for_each_chunk_with<E: From<DataError>>(
        &self,
        progress: &dyn Progress,
        mut f: impl FnMut(&LatticePoints) -> Result<(), E>,
    ) -> Result<(), E> {
        match self {
            Self::InMemory(points) => f(points),
            Self::Streaming(stream) => stream.for_each_chunk(progress, f),
            Self::Persons(points) => points.for_each_chunk(|source| DataError::PersonsOnDisk { source }.into(), f),
        }
    }
}

impl StreamedPoints {
    fn for_each_chunk<E: From<DataError>>(
        &self,
        progress: &dyn Progress,
        mut f: impl FnMut(&LatticePoints) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut chunk = LatticePoints::with_capacity(self.map.dims(), self.chunk_rows.min(self.rows));
        let mut scratch = Vec::new();
        let mut scan = self.table.scan(progress)?;
        while scan.advance(BATCH.min(self.chunk_rows - chunk.rows()))? {
            append(&mut chunk, &self.map, &scan.batch, &mut scratch);
            if chunk.rows() == self.chunk_rows {
                f(&chunk)?;
                chunk.clear();
            }
        }
        if scan.finish()? != self.rows {
            return Err(DataError::Changed { name: self.table.name().into() }.into());
        }
        if chunk.rows() > 0 { f(&chunk) } else { Ok(()) }
    }
}

/// Reads the whole table once, so that every error a record can cause comes now and not in the middle of an
/// analysis. What fits in the memory allowed stays there; otherwise the table is kept for streaming.
///
/// # Panics
/// When `map` has another number of attributes than the table has selected columns.
pub fn load_points(
    mut table: Table,
    map: LatticeMap,
    options: &LoadOptions,
    progress: &dyn Progress,
) -> Result<PointStore, DataError> {
    assert_eq!(table.dims(), map.dims(), "bounds are resolved against the table's columns");
    table.middles = Some(middles_of(&map));
    let mut fits = true;
    if let Body::Parquet(file) = &table.body {
        fits = LatticePoints::bytes_for(map.dims(), file.rows()) <= options.memory;
        // Words are read side by side with the numbers.
        if fits && table.selection.words.is_empty() {
            return load_parquet(&table, &map, options, progress).map(PointStore::InMemory);
        }
    }
    let mut points = fits.then(|| LatticePoints::new(map.dims()));
    let mut scratch = Vec::new();
    let mut scan = table.scan(progress)?;
    while scan.advance(BATCH)? {
        if let Some(held) = &mut points {
            append(held, &map, &scan.batch, &mut scratch);
            if held.bytes() > options.memory {
                points = None;
            }
        }
    }
    let rows = scan.finish()?;
    Ok(match points {
        Some(mut points) => {
            points.shrink_to_fit();
            PointStore::InMemory(points)
        }
        None => {
            let row_bytes = LatticePoints::bytes_for(map.dims(), TILE) / TILE;
            let for_points = options.memory.saturating_sub(table.pass_memory());
            let chunk_rows = options.chunk_rows.unwrap_or((for_points / row_bytes).min(LARGEST_CHUNK));
            let chunk_rows = (chunk_rows / TILE * TILE).max(TILE);
            PointStore::Streaming(Box::new(StreamedPoints { table, map, chunk_rows, rows }))
        }
    })
}

fn load_parquet(
    table: &Table,
    map: &LatticeMap,
    options: &LoadOptions,
    progress: &dyn Progress,
) -> Result<LatticePoints, DataError> {
    let Body::Parquet(file) = &table.body else { return Err(DataError::NoColumns) };
    table.input.check_unchanged()?;
    table.input.start_counting();
    let loaded =
        crate::tables::parquet_load::load(file, &table.selection, map, table.missing, options.two_readers, progress);
    table.input.check_unchanged()?;
    let points = loaded?;
    match (file.rows(), points.rows()) {
        _ if table.allow_empty => Ok(points),
        (0, _) => Err(DataError::NoRows { name: table.name().into() }),
        (_, 0) => Err(DataError::AllDropped { name: table.name().into() }),
        _ => Ok(points),
    }
}

/// Adds a settled batch to `points`.
pub(crate) fn append(points: &mut LatticePoints, map: &LatticeMap, batch: &Batch, scratch: &mut Vec<i16>) {
    let first = points.rows();
    points.extend_zeros(batch.rows());
    scratch.resize(batch.rows(), 0);
    for attribute in 0..map.dims() {
        // Unwrap safety: a settled batch holds finite numbers only.
        map.column_to_lattice(attribute, batch.column(attribute), scratch).unwrap();
        points.set_column(first, attribute, scratch);
    }
}
