//! The engine beside the readers and kernels of one machine.

mod changes;
mod layouts;
mod methods;
mod program;
mod refusals;
mod s3;
mod sources;
mod sql;
mod tables;
