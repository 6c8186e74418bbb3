//! Budgets on disk.

mod agreement;
mod bad_files;
mod finishing;
mod origins;
mod processes;
