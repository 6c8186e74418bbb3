//! An exact audit of every release, which draws nothing.
//!
//! A run of a method consists of releases: a query about the rows, and a mechanism that adds noise to the answer and is charged
//! for it. For two neighbouring tables the audit takes the exact answers on both, the distribution that the mechanism holds
//! (decay, half-widths, variance, as its samplers report them) and computes the largest privacy loss over all outputs. That is
//! compared with the charge, in exact fractions. No event has to be frequent enough to be seen, so the number of columns
//! does not matter.
//!
//! - [`loss`]: the loss between two lists of exact numbers under given noise.
//! - [`tree_path`]: the same for the cuts of a tree.
//! - [`tables`]: neighbouring tables, in memory, streamed and in shards.
//! - [`worst_answers`]: the largest change that a query allows, in place of a row that causes it.
//! - [`run`]: a method on two tables, with the same outputs on both.
//! - [`columns`]: tables of stretched, weighted and categorical columns.
//! - [`persons`]: tables that differ in all rows of one person.
//! - [`mechanisms`], [`methods`]: what is checked, each with *mutants* that must fail: one noise after the other is halved.

pub mod columns;
pub mod loss;
pub mod mechanisms;
pub mod methods;
pub mod persons;
pub mod run;
pub mod spread;
pub mod synopsis;
pub mod tables;
pub mod tally;
pub mod tree_path;
pub mod trial;
pub mod worst_answers;

pub use tally::Tally;
