//! The server of a crowd, and files of reports.

mod certainty;
mod crowd_support;
#[path = "../../../shoal-files/tests/support/damage.rs"]
mod damage;
mod edges;
mod errors;
mod forged;
mod kmeans;
mod labels;
mod likelihood;
mod pooled;
mod report_file;
mod same;
mod tk_means;
mod truth;
mod width;
mod words;
