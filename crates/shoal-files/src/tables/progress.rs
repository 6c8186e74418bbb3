//! How far a pass over a file has come.

/// Hears how many bytes of a file have been read. Called from whichever thread reads, a few times a megabyte at most.
pub trait Progress: Sync {
    /// `done` bytes of `total` have been read in this pass.
    fn bytes(&self, done: u64, total: u64);
}

impl<F: Fn(u64, u64) + Sync> Progress for F {
    fn bytes(&self, done: u64, total: u64) {
        self(done, total);
    }
}

/// Says nothing to nobody.
pub struct Silent;

impl Progress for Silent {
    fn bytes(&self, _done: u64, _total: u64) {}
}
