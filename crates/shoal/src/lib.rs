//! Private clustering: finds the clusters in data about people without giving the people away.
//!
//! - [`data`]: tables, public bounds, points on the lattice.
//! - [`scan`]: the only way an algorithm sees records.
//! - [`plain`]: k-means without noise, for public or released data and inside scans.
//! - [`consortium`]: clustering of coded records that several custodians pool.
//! - [`crowd`]: private clustering of reports that each person perturbs, nobody trusted.
//! - [`curator`]: private clustering for a trusted holder of a table, one file per system of a paper.
//! - [`score`]: how good a clustering is.
//! - [`model`]: what a fit leaves behind.
//! - [`synopsis_file`]: released noisy cells, to be clustered again.
//!
//! What a release promises is computed in `shoal-privacy`, and exact noise is drawn by `shoal-noise`.

pub mod consortium;
pub mod crowd;
pub mod curator;
pub mod data;
pub mod model;
pub mod plain;
pub mod scan;
pub mod score;
pub mod synopsis_file;
