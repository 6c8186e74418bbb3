//! The engine beside the readers and kernels of one machine.

mod changes;
mod layouts;
mod methods;
mod refusals;
mod sources;
mod sql;
mod tables;
