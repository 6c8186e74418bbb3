//! Writing a synopsis.

use parquet::basic::{Compression, Repetition, Type as PhysicalType, ZstdLevel};
use parquet::data_type::{DoubleType, Int64Type};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;
use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;

use super::{CHECKSUM_KEY, COUNT, KEY, SynopsisFile, checksum};
use crate::data::{HALF_WIDTH, LatticeMap, plain_error};
use crate::scan::Grid;

/// Cells in a row group.
const GROUP: usize = 1 << 20;

/// Boxes that are made at a time: they are never all in memory.
const BATCH: usize = 1 << 13;

impl SynopsisFile {
    /// Writes the synopsis.
    pub fn write(&self, out: impl Write + Send) -> io::Result<()> {
        self.write_parquet(out).map_err(plain_error)
    }

    fn write_parquet(&self, out: impl Write + Send) -> Result<()> {
        let description = serde_json::to_string(&self.description()).map_err(|e| ParquetError::External(e.into()))?;
        let counts = &self.synopsis.counts;
        let pairs = vec![
            KeyValue::new(CHECKSUM_KEY.into(), checksum(&description, counts)),
            KeyValue::new(KEY.into(), description),
        ];
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_created_by(format!("shoal {}", self.shoal))
            .set_key_value_metadata(Some(pairs))
            .build();
        let mut writer = SerializedFileWriter::new(out, Arc::new(self.schema()?), Arc::new(properties))?;
        let axes = self.axes();
        for start in (0..counts.len()).step_by(GROUP) {
            let cells = start..(start + GROUP).min(counts.len());
            let mut group = writer.next_row_group()?;
            let mut sides = axes.iter().flat_map(|axis| [(axis, 0), (axis, 1)]);
            while let Some(column) = group.next_column()? {
                match sides.next() {
                    Some((axis, side)) => axis.write(side, cells.clone(), column)?,
                    None => write_counts(&counts[cells.clone()], column)?,
                }
            }
            group.close()?;
        }
        writer.close().map(|_| ())
    }

    fn schema(&self) -> Result<Type> {
        let field = |name: &str, physical| {
            let field = Type::primitive_type_builder(name, physical).with_repetition(Repetition::REQUIRED).build();
            field.map(Arc::new)
        };
        let mut fields = Vec::new();
        for name in self.bounds.columns() {
            fields.push(field(&format!("{name}_low"), PhysicalType::DOUBLE)?);
            fields.push(field(&format!("{name}_high"), PhysicalType::DOUBLE)?);
        }
        fields.push(field(COUNT, PhysicalType::INT64)?);
        Type::group_type_builder("cells").with_fields(fields).build()
    }

    fn axes(&self) -> Vec<Axis> {
        let (grid, map) = (&self.synopsis.grid, LatticeMap::new(&self.bounds));
        let mut stride = grid.cells();
        let along = grid.cells_per_axis().iter().enumerate();
        along
            .map(|(axis, &along)| {
                stride /= along as usize;
                Axis { edges: edges(grid, &map, axis), stride }
            })
            .collect()
    }
}

/// One attribute: where its cells begin and end.
struct Axis {
    /// In the user's units, one more than there are cells.
    edges: Vec<f64>,
    /// Cells until the next one along this axis.
    stride: usize,
}

impl Axis {
    /// Writes the lower (0) or upper (1) sides of a range of cells.
    fn write(&self, side: usize, cells: Range<usize>, mut column: SerializedColumnWriter<'_>) -> Result<()> {
        let along = self.edges.len() - 1;
        let mut values = Vec::with_capacity(BATCH);
        for start in cells.clone().step_by(BATCH) {
            values.clear();
            let batch = start..(start + BATCH).min(cells.end);
            values.extend(batch.map(|cell| self.edges[cell / self.stride % along + side]));
            column.typed::<DoubleType>().write_batch(&values, None, None)?;
        }
        column.close()
    }
}

fn write_counts(counts: &[i64], mut column: SerializedColumnWriter<'_>) -> Result<()> {
    for batch in counts.chunks(BATCH) {
        column.typed::<Int64Type>().write_batch(batch, None, None)?;
    }
    column.close()
}

/// The ends of the bounds, and between two cells the value that is halfway between their lattice positions: that is
/// where rounding to the lattice parts them.
fn edges(grid: &Grid, map: &LatticeMap, axis: usize) -> Vec<f64> {
    let half = f64::from(HALF_WIDTH);
    let inner = |index: u32| (f64::from(grid.edges(axis, index).0) - 0.5) / half;
    let along = grid.cells_per_axis()[axis];
    let inner = (1..along).map(|index| map.to_user(axis, inner(index)));
    std::iter::once(map.to_user(axis, -1.0)).chain(inner).chain([map.to_user(axis, 1.0)]).collect()
}
