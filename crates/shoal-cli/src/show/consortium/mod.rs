//! What the commands of a consortium print.

pub mod cluster;
pub mod columns;
pub mod distances;
pub mod limit;
pub mod noise;
pub mod plan;
pub mod price;
pub mod promised;
pub mod worth;
