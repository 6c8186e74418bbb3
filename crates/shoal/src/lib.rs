//! Private clustering: finds the clusters in data about people without giving the people away.

pub mod model;
