//! Samplers against their distributions.

mod bit_flips;
mod euclidean_laplace;
mod euclidean_radius;
mod exact_branch;
mod gaussian;
mod golden;
mod knorm;
mod laplace;
mod laws;
mod selection;
mod source;
mod support;
mod tabled_gaussian;
