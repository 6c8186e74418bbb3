//! The mechanisms that a design can name, and what servers know of their noise.

use serde::{Deserialize, Serialize};
use shoal_privacy::{Amount, Epsilon};

use crate::DesignError;
use crate::mechanisms::{Bpgm, Bpm, LaplacePerAttribute, NdLaplace};

/// A mechanism and its own parameters. Lengths in lattice steps are exact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "name", rename_all = "kebab-case")]
pub enum Mechanism {
    /// YTL22's bounded perturbation: density ∝ e^(-ε min(distance, L)) on the box of the records, L wider on each side.
    Bpm {
        /// L in lattice steps.
        radius_steps: u64,
    },
    /// Independent Laplace noise on each attribute, ε/d each.
    Laplace,
    /// Independent Laplace noise of scale √d/ε on each attribute.
    LaplaceMetric,
    /// Multivariate Laplace noise, density ∝ e^(-ε distance).
    NdLaplace {
        /// Where the noise ends, in lattice steps: so far out that no report ever gets there.
        radius_steps: u64,
        /// What is done to the noisy record.
        ending: Ending,
    },
    /// CLZ25's bounded perturbation generation, which guarantees nothing.
    Bpgm {
        /// The bound ℓ on the noise, in box widths.
        bound: Amount,
        /// How a record at the drawn distance is found.
        form: BpgmForm,
    },
}

/// What is done to a noisy record before it is sent. Computed from the noisy record alone, so it costs no privacy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// Nothing.
    Raw,
    /// It is moved to the nearest point of the box of the records.
    Clamped,
    /// It is moved to the centre of the nearest cell of a public grid over the box.
    Grid {
        /// Cells along each attribute.
        cells: u32,
    },
}

/// How BPGM finds a record at the distance it has drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BpgmForm {
    /// The published loop, with its loss and stop test repaired: a random start pulled by Adam.
    Adam,
    /// The start moved straight towards or away from the record.
    ClosedForm,
    /// Algorithm 2 to the letter: the start itself, or one step of Adam away from it.
    AsPrinted,
}

/// How noise is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sampler {
    /// Exactly, on the lattice.
    Exact,
    /// Through doubles, then rounded to the lattice: faster, with a guarantee for ideal real numbers only.
    Doubles,
}

impl Mechanism {
    /// The name on the command line and in files.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Bpm { .. } => "bpm",
            Self::Laplace => "laplace",
            Self::LaplaceMetric => "laplace-metric",
            Self::NdLaplace { .. } => "nd-laplace",
            Self::Bpgm { .. } => "bpgm",
        }
    }

    /// How this mechanism draws its noise when `wanted` is asked for: Laplace noise is always exact, and BPGM always
    /// works in doubles.
    pub(crate) fn drawn_by(&self, wanted: Sampler) -> Sampler {
        match self {
            Self::Laplace | Self::LaplaceMetric => Sampler::Exact,
            Self::Bpgm { .. } => Sampler::Doubles,
            Self::Bpm { .. } | Self::NdLaplace { .. } => wanted,
        }
    }

    /// Whether the parameters are in range, without the work of setting up a sampler.
    pub(crate) fn check(&self, epsilon: &Epsilon, dims: usize) -> Result<(), DesignError> {
        match self {
            Self::Laplace => LaplacePerAttribute::ldp(epsilon, dims).map(drop),
            Self::LaplaceMetric => LaplacePerAttribute::metric(epsilon, dims).map(drop),
            Self::Bpm { radius_steps } => Bpm::check(epsilon, dims, *radius_steps),
            Self::NdLaplace { radius_steps, ending } => NdLaplace::check(epsilon, dims, *radius_steps, *ending),
            Self::Bpgm { bound, form } => Bpgm::new(epsilon, dims, bound, *form).map(drop),
        }
    }
}

/// What a server knows of the noise on a raw report, every attribute scaled to a width of one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NoiseLaw {
    /// Density ∝ e^(-rate · min(distance, radius)) in Euclidean distance.
    Radial {
        /// Decay per width.
        rate: f64,
        /// Where the decay ends, in widths.
        radius: f64,
    },
    /// Density ∝ e^(-difference / scale) in each attribute.
    PerAttribute {
        /// In widths.
        scale: f64,
    },
}

/// Where reports can lie: each coordinate between two lattice positions, both included. The records' box is `0..=STEPS`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Space {
    /// The lowest position.
    pub low: i64,
    /// The highest position.
    pub high: i64,
}
