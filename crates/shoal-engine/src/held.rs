//! Lattice points that stay in memory between questions, when they fit: the second question then costs a pass over memory and
//! not over files.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use datafusion::dataframe::DataFrame;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::SendableRecordBatchStream;
use futures::TryStreamExt;
use shoal_lattice::LatticePoints;
use shoal_scan::{Partial, Question, ScanError};
use tokio::task::JoinSet;

use crate::aggregate::{kernels, unread};
use crate::task::Layout;

/// The points of a table, in the parts in which it was read. Sensitive.
pub(crate) struct Held {
    parts: Vec<LatticePoints>,
}

impl Held {
    /// Reads all rows, whose columns are those that the layout wants. Nothing when they take more than so many bytes.
    pub(crate) async fn load(rows: DataFrame, layout: &Layout, most: usize) -> Result<Option<Self>> {
        let taken = Arc::new(AtomicUsize::new(0));
        let mut reading = JoinSet::new();
        for stream in rows.execute_stream_partitioned().await? {
            reading.spawn(part(stream, layout.clone(), most, Arc::clone(&taken)));
        }
        let mut parts = Vec::new();
        while let Some(read) = reading.join_next().await {
            let read = read.map_err(|error| DataFusionError::ExecutionJoin(Box::new(error)))?;
            // Leaving ends the others, too.
            let Some(points) = read? else { return Ok(None) };
            parts.push(points);
        }
        Ok(Some(Self { parts }))
    }

    /// The answer for all rows.
    pub(crate) fn answer(&self, question: &Question) -> Result<Partial, ScanError> {
        self.parts.iter().try_fold(Partial::nothing(question)?, |total, points| {
            Ok(total.merge(kernels(|| Partial::of(question, points))?)?)
        })
    }
}

/// One part of the rows, or nothing when all parts together take too much.
async fn part(
    mut stream: SendableRecordBatchStream,
    layout: Layout,
    most: usize,
    taken: Arc<AtomicUsize>,
) -> Result<Option<LatticePoints>> {
    let (mut rows, mut points) = (layout.rows(), LatticePoints::new(layout.dims()));
    while let Some(batch) = stream.try_next().await? {
        let before = points.bytes();
        rows.append_points(batch.columns(), &mut points).map_err(|error| unread(error.into()))?;
        let more = points.bytes() - before;
        if taken.fetch_add(more, Ordering::Relaxed) + more > most {
            return Ok(None);
        }
    }
    points.shrink_to_fit();
    Ok(Some(points))
}
