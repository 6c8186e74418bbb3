//! Writing a synopsis.

use parquet::basic::{Compression, ZstdLevel};
use parquet::data_type::{DoubleType, Int64Type};
use parquet::errors::Result;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedColumnWriter;
use std::io::{self, Write};
use std::ops::Range;

use crate::synopsis_file::tree_rows::{AT, AXIS, DEPTH, TreeRows};
use crate::synopsis_file::{COUNT, SynopsisFile, seal_columns};
use crate::{Cells, TreeBoxes};
use shoal_files::sealed::{Described, ParquetLayout, SealedColumn, SealedWriter, missing_column};
use shoal_lattice::{BoxPosition, HALF_WIDTH, LatticeMap};
use shoal_scan::Grid;

/// Cells in a row group.
const GROUP: usize = 1 << 20;

/// Boxes that are made at a time: they are never all in memory.
const BATCH: usize = 1 << 13;

impl SynopsisFile {
    /// Writes the synopsis.
    ///
    /// # Errors
    /// A file that cannot be written, and [`io::ErrorKind::InvalidInput`] for a synopsis that could not be read again.
    pub fn write(&self, out: impl Write + Send) -> io::Result<()> {
        let described = Described::to_write(self.description())?;
        let tree = self.synopsis.as_boxes().map(|boxes| TreeRows::of(boxes.tree()));
        let counts = &self.synopsis.counts;
        let mut sealing = described.sealing();
        seal_columns(&mut sealing, counts, tree.as_ref());
        let mut integers: Vec<(&str, &[i64])> = vec![(COUNT, counts)];
        integers.extend(tree.iter().flat_map(|rows| [(DEPTH, &rows.depth[..]), (AXIS, &rows.axis), (AT, &rows.at)]));
        let sides = |name: &String| [format!("{name}_low"), format!("{name}_high")].map(|n| (n, SealedColumn::Reals));
        let columns = self.bounds.columns().iter().flat_map(sides);
        let columns = columns.chain(integers.iter().map(|(name, _)| (name.to_string(), SealedColumn::Integers)));
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_statistics_enabled(EnabledStatistics::Chunk);
        let layout = ParquetLayout { root: "cells", columns: columns.collect(), properties, shoal: self.shoal.clone() };
        let mut file = SealedWriter::start(out, &described, layout, Some(&sealing.finish()))?;
        let edges = Edges::of(self);
        for start in (0..counts.len()).step_by(GROUP) {
            let cells = start..(start + GROUP).min(counts.len());
            file.group(|group| {
                for (axis, side) in (0..self.bounds.dims()).flat_map(|axis| [(axis, 0), (axis, 1)]) {
                    edges.write(axis, side, cells.clone(), group.next_column()?.ok_or_else(missing_column)?)?;
                }
                for (_, values) in &integers {
                    write_integers(&values[cells.clone()], group.next_column()?.ok_or_else(missing_column)?)?;
                }
                Ok(())
            })?;
        }
        file.finish()
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
            let inner = (0..along).map(|index| edge(map, axis, grid.edges(axis, index).0.0.into()));
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
    map.to_user(axis, BoxPosition::lower_edge(first))
}
