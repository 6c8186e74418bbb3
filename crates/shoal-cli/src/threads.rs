//! The threads of a command that does not go through the library's own options.

use crate::arguments::Shown;
use crate::failure::Failure;

/// Starts as many threads as were asked for.
pub fn start(shown: &Shown) -> Result<(), Failure> {
    let Some(threads) = shown.threads else { return Ok(()) };
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads.get())
        .build_global()
        .map_err(|error| Failure::refused(format!("{threads} threads cannot be started ({error}); try fewer")))
}
