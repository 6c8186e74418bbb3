//! What an audit says: one line for each claim that was tested.

use serde::Serialize;

use crate::statistical::Finding;

/// How a claim was tested, and what was found.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "kebab-case", tag = "method")]
pub enum Measure {
    /// All outputs of all inputs, their probabilities known.
    Enumeration {
        /// What the two figures are: ε, or ρ for concentrated claims.
        unit: &'static str,
        /// What is claimed, for the worst pair.
        allowed: f64,
        /// The most that is lost: a logarithm of a ratio of probabilities, an ε at a δ, or a Rényi divergence over its order.
        worst: f64,
        /// The inputs and the output where it is.
        at: String,
        /// How many ratios were compared.
        compared: usize,
    },
    /// A density that is known, its ratios maximised over a grid and by a local search.
    DensityRatio {
        /// The ε that is claimed, for the worst pair.
        allowed: f64,
        /// The largest logarithm of a ratio of densities found.
        worst: f64,
        /// The inputs and the output where it is.
        at: String,
        /// How many ratios were compared.
        compared: usize,
    },
    /// Each release of a method, or a mechanism on many inputs: the largest loss over all outputs, from the noise that the
    /// mechanism holds, against what it charges. Nothing is drawn.
    Releases {
        /// The largest loss as a multiple of its charge; of mutants, that of the one that comes closest to passing.
        worst: f64,
        /// Where it is.
        at: String,
        /// Releases that were compared on two tables; of mutants, how many there are.
        compared: usize,
        /// What is wrong apart from amounts.
        faults: Vec<String>,
    },
    /// Runs on two inputs, and an event that distinguishes them.
    Events(Finding),
    /// Runs on one input, compared with the distribution they should have, where ratios of rare events cannot be observed.
    SamplerLaw {
        /// Each test, and its p-value.
        tests: Vec<LawTest>,
        /// Runs.
        runs: usize,
        /// A p-value below this is an alarm, all tests together.
        alpha: f64,
    },
    /// Runs on two inputs, which must reach the same residues.
    Lattice {
        /// What one input reaches and the other does not.
        exceptions: Vec<String>,
        /// Runs on each input.
        runs: usize,
    },
}

/// One comparison with a distribution.
#[derive(Clone, Debug, Serialize)]
pub struct LawTest {
    /// What is compared.
    pub what: String,
    /// Probability of being as far off, if the distribution holds.
    pub p_value: f64,
}

/// Whether a claim survived.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Nothing was found against it.
    NotBroken,
    /// More is lost than claimed.
    Broken,
}

/// What should come out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Expected {
    /// The claim is Shoal's, or another that holds.
    Kept,
    /// The claim is known to be false: of a paper, or of a mutant.
    Broken,
}

impl Measure {
    /// Whether the claim survived.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        let broken = match self {
            // Logarithms of probabilities carry rounding errors of this size.
            Self::Enumeration { allowed, worst, .. } | Self::DensityRatio { allowed, worst, .. } => {
                worst.is_nan() || *worst > allowed + 1e-9 * allowed.abs().max(1.0)
            }
            // Fractions are compared exactly, before this becomes a double.
            Self::Releases { worst, compared, faults, .. } => {
                worst.is_nan() || *worst > 1.0 || *compared == 0 || !faults.is_empty()
            }
            Self::Events(finding) => finding.is_broken(),
            Self::SamplerLaw { tests, alpha, .. } => {
                tests.iter().any(|test| test.p_value.is_nan() || test.p_value < alpha / tests.len() as f64)
            }
            Self::Lattice { exceptions, .. } => !exceptions.is_empty(),
        };
        if broken { Verdict::Broken } else { Verdict::NotBroken }
    }

    /// The ε that is certainly lost, and the ε that is claimed for it, where the method gives them.
    #[must_use]
    pub fn loss(&self) -> Option<(f64, Option<f64>)> {
        match self {
            Self::Enumeration { allowed, worst, .. } | Self::DensityRatio { allowed, worst, .. } => {
                Some((*worst, Some(*allowed)))
            }
            Self::Releases { worst, .. } => Some((*worst, Some(1.0))),
            Self::Events(finding) => finding.telling_point().map(|point| (point.at_least, point.allowed)),
            Self::SamplerLaw { .. } | Self::Lattice { .. } => None,
        }
    }
}

/// One claim that was tested.
#[derive(Clone, Debug, Serialize)]
pub struct Line {
    /// Who is trusted, or that it is known to be bad: the group of its target.
    pub group: String,
    /// The mechanism or algorithm.
    pub name: String,
    /// Its parameters.
    pub setting: String,
    /// The claim, in words.
    pub promise: String,
    /// What should come out.
    pub expected: Expected,
    /// What was found.
    pub verdict: Verdict,
    /// How, and the figures.
    pub measure: Measure,
    /// A remark for the reader; may be empty.
    pub remark: String,
    /// How long it took, in the mean over the lines of its target.
    pub seconds: f64,
}

impl Line {
    /// A line without a remark.
    pub fn new(
        name: impl Into<String>,
        setting: impl Into<String>,
        promise: impl Into<String>,
        expected: Expected,
        measure: Measure,
    ) -> Self {
        let verdict = measure.verdict();
        Self {
            group: String::new(),
            name: name.into(),
            setting: setting.into(),
            promise: promise.into(),
            expected,
            verdict,
            measure,
            remark: String::new(),
            seconds: 0.0,
        }
    }

    /// The same with a remark.
    #[must_use]
    pub fn with_remark(mut self, remark: impl Into<String>) -> Self {
        self.remark = remark.into();
        self
    }

    /// Whether the verdict is the expected one.
    #[must_use]
    pub fn as_expected(&self) -> bool {
        (self.verdict == Verdict::Broken) == (self.expected == Expected::Broken)
    }
}

/// All lines of an audit.
#[derive(Clone, Debug, Serialize)]
pub struct AuditReport {
    /// The version of this program.
    pub shoal: &'static str,
    /// The day, as year-month-day.
    pub date: String,
    /// How it was asked for.
    pub command: String,
    /// The seed, where one was given.
    pub seed: Option<u64>,
    /// Probability of a false alarm on each line that is an experiment.
    pub alpha: f64,
    /// The lines.
    pub lines: Vec<Line>,
}

impl AuditReport {
    /// Whether every line has the expected verdict.
    #[must_use]
    pub fn as_expected(&self) -> bool {
        self.lines.iter().all(Line::as_expected)
    }
}
