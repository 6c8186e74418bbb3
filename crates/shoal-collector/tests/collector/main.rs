//! The service over loopback: reports in, clusters out, and everything that can go wrong between.
#![allow(clippy::print_stdout, reason = "a server in a process of its own prints its address")]

mod collections;
mod database;
mod disk;
mod faults;
mod models;
mod openapi;
mod place;
mod publication;
mod reports;
mod store;
mod tls;
mod tokens;
