//! Scans on this machine, over all its threads.

use std::ops::Range;

use rayon::prelude::*;
use shoal_files::{DataError, LoadOptions, PointStore, Progress, Silent};
use shoal_kernel::BlockKMeans;
use shoal_lattice::LatticePoints;
use shoal_privacy::Sensitive;

use crate::box_trail::Trails;
use crate::tally::{Chunks, tally};
use crate::{Answer, BlockDraw, BoxTree, Partial, Question, Scan, ScanError};

/// A table on this machine, in memory or read again for every query.
pub struct LocalScan {
    store: Sensitive<PointStore>,
    dims: usize,
    memory: usize,
    progress: Box<dyn Progress + Send>,
    trails: Trails,
}

impl LocalScan {
    /// Scans of the rows in `store`.
    pub fn new(store: PointStore) -> Self {
        let memory = LoadOptions::default().memory;
        let (dims, progress, trails) = (store.dims(), Box::new(Silent), Trails::default());
        Self { dims, store: Sensitive::new(store), memory, progress, trails }
    }

    /// Bytes for rows: for copies, which [`Question::Blocks`] makes, in several passes where that is not enough for all; and
    /// for the rows themselves with two bytes for each, which make [`Question::BoxCounts`] faster for a tree that grows.
    pub fn with_memory(self, memory: usize) -> Self {
        Self { memory, ..self }
    }

    /// Reports to a listener how far each pass over a file has come.
    pub fn with_progress(self, progress: impl Progress + Send + 'static) -> Self {
        Self { progress: Box::new(progress), ..self }
    }

    /// What a worker answers about its shard, whose first row has place `first_row` in the whole table.
    pub fn partial(&self, question: &Question, first_row: u64) -> Result<Partial, ScanError> {
        // A partial answer hides what it holds as this envelope does, and becomes sensitive again when it is finished.
        let mut partial = None;
        self.store.try_map_ref(|store| {
            partial = Some(Partial::of_chunks(question, &self.chunks(store), first_row)?);
            Ok::<(), ScanError>(())
        })?;
        match partial {
            Some(partial) => Ok(partial),
            None => Partial::nothing(question),
        }
    }

    fn chunks<'a>(&'a self, store: &'a PointStore) -> Stored<'a> {
        Stored { store, progress: &*self.progress }
    }

    /// Counts from where rows were in the tree before; none for rows that are not in memory, or barely fit.
    fn box_counts(&self, store: &PointStore, tree: &BoxTree) -> Option<Vec<u64>> {
        match store {
            PointStore::InMemory(points) => self.trails.count(points, tree, self.memory),
            PointStore::Streaming(_) | PointStore::Persons(_) => None,
        }
    }

    /// k-means in the wanted blocks, holding the rows of as many blocks at a time as the memory allows.
    fn blocks(
        &self,
        store: &PointStore,
        draw: &BlockDraw,
        wanted: Range<usize>,
        work: &BlockKMeans,
    ) -> Result<Vec<Vec<i16>>, DataError> {
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        let all = LatticePoints::bytes_for(self.dims, store.rows()) as u128 * wanted.len() as u128;
        let needed = usize::try_from(all.div_ceil(draw.blocks() as u128)).unwrap_or(usize::MAX);
        let passes = needed.div_ceil(self.memory.max(1)).clamp(1, wanted.len());
        let mut results = Vec::with_capacity(wanted.len());
        for pass in 0..passes {
            let at = |pass: usize| wanted.start + pass * wanted.len() / passes;
            let held = at(pass)..at(pass + 1);
            let mut blocks: Vec<_> = held.clone().map(|_| LatticePoints::new(self.dims)).collect();
            let mut deal = draw.deal();
            let mut row = vec![0; self.dims];
            self.chunks(store).for_each(&mut |points| {
                for (r, block) in (0..points.rows()).zip(&mut deal) {
                    if held.contains(&block) {
                        points.copy_row(r, &mut row);
                        blocks[block - held.start].push_row(&row);
                    }
                }
            })?;
            results.par_extend(blocks.par_iter().map(|rows| work.centres(rows)));
        }
        Ok(results)
    }
}

impl Scan for LocalScan {
    fn dims(&self) -> usize {
        self.dims
    }

    fn ask(&self, question: &Question) -> Result<Sensitive<Answer>, ScanError> {
        question.check_for(self.dims)?;
        self.store.try_map_ref(|store| match question {
            Question::Blocks { draw, wanted, work } => {
                let wanted = wanted.start as usize..wanted.end as usize;
                Ok(Answer::Blocks(self.blocks(store, draw, wanted, work)?))
            }
            Question::BoxCounts { tree } => match self.box_counts(store, tree) {
                Some(counts) => Ok(Answer::BoxCounts(counts)),
                None => tally(question, &self.chunks(store)),
            },
            _ => tally(question, &self.chunks(store)),
        })
    }
}

/// The rows of a store, read with a listener.
struct Stored<'a> {
    store: &'a PointStore,
    progress: &'a dyn Progress,
}

impl Chunks for Stored<'_> {
    fn dims(&self) -> usize {
        self.store.dims()
    }

    fn for_each(&self, f: &mut dyn FnMut(&LatticePoints)) -> Result<(), DataError> {
        self.store.for_each_chunk_with(self.progress, |points| {
            f(points);
            Ok(())
        })
    }
}
