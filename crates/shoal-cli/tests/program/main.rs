//! The program as a user runs it.

mod audit;
mod auto;
mod bad_input;
mod bounds;
mod budget;
mod common;
mod consortium;
mod consortium_attack;
mod consortium_care;
mod consortium_price;
mod crowd;
mod delta;
mod error_codes;
mod facade;
mod facts;
mod interruption;
mod log;
mod look;
mod main_job;
mod persons;
mod perturb;
mod plan;
mod reproduce;
mod synopsis;
mod table_care;
mod tree;
