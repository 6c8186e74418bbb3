//! The two ports: the public one, which takes reports, and the operator's.

mod answer;
mod body;
mod connection;
mod operator;
mod pages;
mod public;

pub(crate) use connection::serve;
pub(crate) use operator::operator;
pub(crate) use public::public;

/// The description of both ports, which is served at `/openapi.json`.
pub const OPENAPI: &str = include_str!("../../openapi.json");
