//! What comes out of every curator method.

use shoal_noise::NoiseError;
use shoal_privacy::{ChargeError, Guarantee, Loss};

use crate::scan::ScanError;

/// What a curator method found, in box units (`[-1, 1]` in each attribute).
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The centres.
    pub centres: Vec<Vec<f64>>,
    /// Noisy numbers of rows that each centre was last computed from, not below zero.
    pub sizes: Vec<f64>,
    /// Standard deviation of the noise on each size.
    pub size_noise: f64,
    /// Standard deviation of each centre's noise per attribute, in interval widths.
    pub noise_per_centre: Vec<Vec<f64>>,
    /// What is promised: composed of the steps that ran, and void if the noise came from a seed.
    pub guarantee: Guarantee,
    /// What the steps were charged, seeded or not.
    pub charged: Loss,
}

/// Why a fit was refused or failed.
#[derive(Debug, thiserror::Error)]
pub enum FitError {
    /// k = 0.
    #[error("k = 0 asks for no clusters; give -k 1 or more")]
    NoCentres,
    /// More centres than any clustering needs.
    #[error("k = {k} is more clusters than this program handles; give at most {most}")]
    TooManyCentres {
        /// Asked for.
        k: usize,
        /// Allowed.
        most: usize,
    },
    /// No steps.
    #[error("0 iterations would return the random starting centres; give --iterations 1 or more (the paper uses 5)")]
    NoIterations,
    /// No columns.
    #[error("there are no columns to cluster by; select at least one numeric column with --columns")]
    NoAttributes,
    /// ε = 0.
    #[error("ε = 0 lets nothing about the data out, so there is nothing to fit; give --epsilon above 0, for example 1")]
    NoBudget,
    /// The noise cannot be drawn.
    #[error(transparent)]
    Noise(#[from] NoiseError),
    /// The table cannot be scanned.
    #[error(transparent)]
    Scan(#[from] ScanError),
    /// A step wanted more than the run may spend.
    #[error(transparent)]
    Charge(#[from] ChargeError),
}
