//! Clustering without privacy, against other software.

mod kcluster;
mod linkage_vectors;
mod score_vectors;
