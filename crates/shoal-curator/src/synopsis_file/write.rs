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

use crate::synopsis_file::tree_rows::{AT, AXIS, DEPTH, TreeRows};
use crate::synopsis_file::{CHECKSUM_KEY, COUNT, KEY, SynopsisFile, checksum};
use crate::{Cells, TreeBoxes};
use shoal_files::plain_error;
use shoal_lattice::{HALF_WIDTH, LatticeMap};
use shoal_scan::Grid;

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
        let tree = self.synopsis.as_boxes().map(|boxes| TreeRows::of(boxes.tree()));
        let mut columns = vec![&self.synopsis.counts[..]];
        columns.extend(tree.iter().flat_map(|rows| [&rows.depth[..], &rows.axis, &rows.at]));
        let cells_in_all = self.synopsis.counts.len();
        let pairs = vec![
            KeyValue::new(CHECKSUM_KEY.into(), checksum(&description, &columns)),
            KeyValue::new(KEY.into(), description),
        ];
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_created_by(format!("shoal {}", self.shoal))
            .set_key_value_metadata(Some(pairs))
            .build();
        let mut writer = SerializedFileWriter::new(out, Arc::new(self.schema()?), Arc::new(properties))?;
        let edges = Edges::of(self);
        for start in (0..cells_in_all).step_by(GROUP) {
            let cells = start..(start + GROUP).min(cells_in_all);
            let mut group = writer.next_row_group()?;
            let mut sides = (0..self.bounds.columns().len()).flat_map(|axis| [(axis, 0), (axis, 1)]);
            let mut columns = columns.iter();
            while let Some(column) = group.next_column()? {
                match sides.next() {
                    Some((axis, side)) => edges.write(axis, side, cells.clone(), column)?,
                    // Unwrap safety: the schema has just these columns of integers.
                    None => write_integers(&columns.next().unwrap()[cells.clone()], column)?,
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
        let of_tree: &[&str] = if self.synopsis.as_boxes().is_some() { &[DEPTH, AXIS, AT] } else { &[] };
        for name in [COUNT].iter().chain(of_tree) {
            fields.push(field(name, PhysicalType::INT64)?);
        }
        Type::group_type_builder("cells").with_fields(fields).build()
    }
}

/// Where cells begin and end, in the user's units.
enum Edges<'a> {
    /// Per attribute, the edges of a grid.
    Grid(Vec<Axis>),
    Boxes(&'a TreeBoxes, LatticeMap),
}

/// One attribute of a grid: where its cells begin and end.
struct Axis {
    /// One more than there are cells.
    edges: Vec<f64>,
    /// Cells until the next one along this axis.
    stride: usize,
}

impl<'a> Edges<'a> {
    fn of(file: &'a SynopsisFile) -> Self {
        let map = LatticeMap::new(&file.bounds);
        match &file.synopsis.cells {
            Cells::Grid(grid) => Self::Grid(axes(grid, &map)),
            Cells::Boxes(boxes) => Self::Boxes(boxes, map),
        }
    }

    /// The lower (0) or upper (1) side of a cell.
    fn side(&self, axis: usize, side: usize, cell: usize) -> f64 {
        match self {
            Self::Grid(axes) => {
                let Axis { edges, stride } = &axes[axis];
                edges[cell / stride % (edges.len() - 1) + side]
            }
            Self::Boxes(boxes, map) => match side {
                0 => edge(map, axis, boxes.leaves().low(cell)[axis].into()),
                _ => edge(map, axis, i32::from(boxes.leaves().high(cell)[axis]) + 1),
            },
        }
    }

    /// Writes one side of a range of cells.
    fn write(
        &self,
        axis: usize,
        side: usize,
        cells: Range<usize>,
        mut column: SerializedColumnWriter<'_>,
    ) -> Result<()> {
        let mut values = Vec::with_capacity(BATCH);
        for start in cells.clone().step_by(BATCH) {
            values.clear();
            let batch = start..(start + BATCH).min(cells.end);
            values.extend(batch.map(|cell| self.side(axis, side, cell)));
            column.typed::<DoubleType>().write_batch(&values, None, None)?;
        }
        column.close()
    }
}

fn axes(grid: &Grid, map: &LatticeMap) -> Vec<Axis> {
    let mut stride = grid.cells();
    let along = grid.cells_per_axis().iter().enumerate();
    along
        .map(|(axis, &along)| {
            stride /= along as usize;
            let inner = (0..along).map(|index| edge(map, axis, grid.edges(axis, index).0.into()));
            Axis { edges: inner.chain([edge(map, axis, HALF_WIDTH + 1)]).collect(), stride }
        })
        .collect()
}

fn write_integers(values: &[i64], mut column: SerializedColumnWriter<'_>) -> Result<()> {
    for batch in values.chunks(BATCH) {
        column.typed::<Int64Type>().write_batch(batch, None, None)?;
    }
    column.close()
}

/// Where a cell begins whose first lattice coordinate is this one: at the end of the bounds, or halfway to the coordinate
/// before, because there rounding to the lattice parts them.
fn edge(map: &LatticeMap, axis: usize, first: i32) -> f64 {
    let between = (f64::from(first) - 0.5) / f64::from(HALF_WIDTH);
    map.to_user(axis, between.clamp(-1.0, 1.0))
}
