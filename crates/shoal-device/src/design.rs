//! What everyone agreed on before the first report: enough for a device to report and for a server to read reports.

use serde::{Deserialize, Serialize};
use shoal_noise::NoiseError;
use shoal_privacy::{Amount, Epsilon};

use shoal_lattice::Bounds;

/// The public agreement.
#[derive(Clone, Debug, PartialEq)]
pub struct Design {
    /// How a record becomes a report.
    pub mechanism: Mechanism,
    /// The budget ε, in the unit that the mechanism promises.
    pub epsilon: Epsilon,
    /// How the noise is drawn.
    pub sampler: Sampler,
    /// Names and public limits of the attributes.
    pub bounds: Bounds,
}

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
    /// CLZ25's bounded perturbation generation, which keeps no promise.
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
    /// The published loop: a random start pulled by Adam.
    Adam,
    /// The start moved straight towards or away from the record.
    ClosedForm,
}

/// How noise is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sampler {
    /// Exactly, on the lattice.
    Exact,
    /// Through doubles, then rounded to the lattice: faster, with a promise for ideal real numbers only.
    Doubles,
}

impl Mechanism {
    /// The name on the command line.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Bpm { .. } => "bpm",
            Self::Laplace => "laplace",
            Self::LaplaceMetric => "laplace-metric",
            Self::NdLaplace { .. } => "nd-laplace",
            Self::Bpgm { .. } => "bpgm",
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

/// A design that cannot be carried out.
#[derive(Debug, thiserror::Error)]
pub enum CrowdError {
    /// A parameter outside its range.
    #[error("{what} is {given}; {advice}")]
    Parameter {
        /// What it is.
        what: &'static str,
        /// Its value.
        given: String,
        /// What to give instead.
        advice: String,
    },
    /// A mechanism that keeps no promise, and was not asked for as such.
    #[error("{reason}")]
    Unsound {
        /// Why, and what to use instead.
        reason: String,
    },
    /// The noise cannot be drawn.
    #[error(transparent)]
    Noise(#[from] NoiseError),
}
