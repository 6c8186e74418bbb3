//! The textbook samplers, in big integers and rationals only: slow, short, and free of floats.
//!
//! They share no decision with the fast samplers and are what those are tested against. A hundred
//! to a thousand times slower; every draw allocates.

mod bernoulli;
mod samplers;

pub use bernoulli::{bernoulli, bernoulli_exp_neg, bit_flip, uniform_below};
pub use samplers::{discrete_gaussian, discrete_laplace, exponential, geometric, l_infinity_k_norm};
