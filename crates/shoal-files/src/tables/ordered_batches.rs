//! Rows in batches that all threads work on and that leave in the order in which they came.
//!
//! A batch has a fixed number of rows, whatever the pieces in which a table is read, and a random stream of its own. So the
//! noise of a row depends on the source and on the place of the row in the table, and on nothing else: neither the number of
//! threads nor the size of the pieces changes a result. A few batches for each thread are in memory at a time, and their
//! buffers are used again.

use rayon::prelude::*;

/// Batches for each thread that are worked on together.
const PER_THREAD: usize = 4;

/// The buffers of one batch, used again for a later one.
pub trait BatchBuffers: Default + Send {
    /// Empties all buffers and keeps their memory.
    fn clear(&mut self);
}

/// Batches with buffers `B` and random streams `N`. Sensitive: it holds records.
pub struct OrderedBatches<B, N> {
    rows_per_batch: usize,
    at_once: usize,
    waiting: Vec<(B, N)>,
    /// Rows of the last batch that waits.
    rows_of_last: usize,
    free: Vec<B>,
    started: u64,
}

impl<B: BatchBuffers, N: Send> OrderedBatches<B, N> {
    /// Batches of this many rows, at least one.
    pub fn new(rows_per_batch: usize) -> Self {
        let at_once = PER_THREAD * rayon::current_num_threads();
        let rows_per_batch = rows_per_batch.max(1);
        Self { rows_per_batch, at_once, waiting: Vec::new(), rows_of_last: 0, free: Vec::new(), started: 0 }
    }

    /// The buffers that the next row goes to. `fork` makes the random stream of a new batch, given the batch's number.
    pub fn next_row(&mut self, fork: impl FnOnce(u64) -> N) -> &mut B {
        if self.last_is_full() {
            self.waiting.push((self.free.pop().unwrap_or_default(), fork(self.started)));
            self.started += 1;
            self.rows_of_last = 0;
        }
        self.rows_of_last += 1;
        // Unwrap safety: a batch that is not there counts as full, so one was added above.
        &mut self.waiting.last_mut().unwrap().0
    }

    /// True when every thread has enough to do: time to call [`Self::flush`].
    pub fn is_full(&self) -> bool {
        self.waiting.len() == self.at_once && self.last_is_full()
    }

    /// Works on all batches that wait, on all threads, and writes them in order. The last one may have fewer rows than the
    /// others, so call this when [`Self::is_full`] and after the last row only.
    pub fn flush<E>(
        &mut self,
        work: impl Fn(&mut B, &mut N) + Sync,
        mut write: impl FnMut(&B) -> Result<(), E>,
    ) -> Result<(), E> {
        self.waiting.par_iter_mut().for_each(|(batch, noise)| work(batch, noise));
        for (mut batch, _) in self.waiting.drain(..) {
            write(&batch)?;
            batch.clear();
            self.free.push(batch);
        }
        Ok(())
    }

    fn last_is_full(&self) -> bool {
        self.waiting.is_empty() || self.rows_of_last == self.rows_per_batch
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Rows {
        rows: Vec<u32>,
        results: Vec<(u64, u32)>,
    }

    impl BatchBuffers for Rows {
        fn clear(&mut self) {
            self.rows.clear();
            self.results.clear();
        }
    }

    #[test]
    fn rows_keep_their_order_and_their_stream() {
        for (rows, per_batch) in [(0, 3), (1, 3), (3, 3), (1000, 7), (1000, 1), (1000, 0)] {
            let mut batches = OrderedBatches::<Rows, u64>::new(per_batch);
            let mut written = Vec::new();
            let work = |batch: &mut Rows, stream: &mut u64| {
                batch.results.extend(batch.rows.iter().map(|&row| (*stream, row)));
            };
            let mut flush = |batches: &mut OrderedBatches<Rows, u64>| {
                batches.flush(work, |batch| {
                    written.extend_from_slice(&batch.results);
                    Ok::<(), ()>(())
                })
            };
            for row in 0..rows {
                batches.next_row(|number| 100 + number).rows.push(row);
                if batches.is_full() {
                    flush(&mut batches).unwrap();
                }
            }
            flush(&mut batches).unwrap();
            let expected = (0..rows).map(|row| (100 + u64::from(row) / per_batch.max(1) as u64, row));
            assert_eq!(written, expected.collect::<Vec<_>>(), "{rows} rows in batches of {per_batch}");
        }
    }

    #[test]
    fn a_failed_write_ends_the_work() {
        let mut batches = OrderedBatches::<Rows, u64>::new(1);
        for row in 0..3 {
            batches.next_row(|number| number).rows.push(row);
        }
        let mut writes = 0;
        let failed = batches.flush(
            |_, _| (),
            |_| {
                writes += 1;
                if writes == 2 { Err("full") } else { Ok(()) }
            },
        );
        assert_eq!((failed, writes), (Err("full"), 2));
    }
}
