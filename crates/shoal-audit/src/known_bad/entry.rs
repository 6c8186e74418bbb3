//! What every mechanism of the corpus has: a claim it is sold with, inputs that break it, and a repaired version.

use std::time::Instant;

use shoal_device::choose_radius;
use shoal_device::{Client, Design, Mechanism};
use shoal_lattice::{Bounds, Interval};
use shoal_noise::{NoiseSource, RBig};
use shoal_privacy::{Amount, Claim, Epsilon, Loss, Neighbours, Numerics};

use crate::allowed::promise;
use crate::report::LawTest;
use crate::runs::{Runs, Side, draw};
use crate::statistical::Experiment;
use crate::{Allowed, Expected, Line, Measure, Pair, Plan, RunFailure, Score, Target, TargetInfo};

/// Whether the fault is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// As it was found somewhere, or as a mutation made it.
    Faulty,
    /// With the fault repaired.
    Repaired,
}

impl Version {
    /// Whether the fault is in.
    #[must_use]
    pub fn is_faulty(self) -> bool {
        self == Self::Faulty
    }
}

/// One claim to break.
pub struct Case {
    /// Parameters.
    pub setting: String,
    /// The claim in words.
    pub promise: String,
    /// How it is tested.
    pub by: By,
    /// Which auditor suits, and why.
    pub remark: String,
}

/// How a case is audited.
pub enum By {
    /// Runs on two inputs: quick and full numbers of runs on each.
    Events {
        /// The inputs.
        pair: Pair,
        /// Runs on each, quick.
        quick: usize,
        /// Runs on each, in full.
        full: usize,
    },
    /// Ratios of known densities.
    Exact(Box<dyn Fn() -> Measure + Send + Sync>),
    /// Runs on one input and tests of their distribution.
    Law {
        /// The mechanism.
        side: Box<dyn Side>,
        /// Tests of the output.
        tests: LawTests,
        /// Runs, quick.
        quick: usize,
        /// Runs, in full.
        full: usize,
    },
}

/// Tests of a distribution on runs.
pub type LawTests = fn(&Runs) -> Vec<LawTest>;

/// A mechanism that breaks its claim, one file each.
pub trait KnownBad: Sync {
    /// What it is.
    fn info(&self) -> TargetInfo;

    /// The ε it is sold with where none is asked for.
    fn usual_epsilon(&self) -> &'static str {
        "1"
    }

    /// The claims and the inputs that break them. The same without the fault when repaired.
    fn cases(&self, epsilon: &Epsilon, version: Version) -> Result<Vec<Case>, RunFailure>;
}

/// A mechanism of the corpus as a target.
pub struct Entry<K> {
    mechanism: K,
    version: Version,
}

impl<K: KnownBad> Entry<K> {
    /// A mechanism with its fault, which must be caught, or without, which no audit may call broken.
    pub fn new(mechanism: K, version: Version) -> Self {
        Self { mechanism, version }
    }

    fn cases(&self, plan: &Plan<'_>) -> Result<Vec<Case>, RunFailure> {
        let epsilon = match plan.epsilon {
            Some(epsilon) => amount(epsilon)?,
            None => self.mechanism.usual_epsilon().parse().map_err(failure)?,
        };
        self.mechanism.cases(&epsilon, self.version)
    }
}

impl<K: KnownBad> Target for Entry<K> {
    fn info(&self) -> TargetInfo {
        self.mechanism.info()
    }

    fn work(&self, plan: &Plan<'_>) -> usize {
        let runs = |case: &Case| match &case.by {
            By::Events { quick, full, .. } => 2 * plan.runs(*quick, *full),
            By::Law { quick, full, .. } => plan.runs(*quick, *full),
            By::Exact(_) => 0,
        };
        self.cases(plan).map_or(0, |cases| cases.iter().map(runs).sum())
    }

    fn audit(&self, plan: &Plan<'_>) -> Result<Vec<Line>, RunFailure> {
        let TargetInfo { name, .. } = self.info();
        let expected = if self.version.is_faulty() { Expected::Broken } else { Expected::Kept };
        let audit = |case: Case| {
            let start = Instant::now();
            let randomness = plan.randomness.for_part(&format!("{name}: {}", case.setting));
            let measure = match case.by {
                By::Exact(measure) => measure(),
                By::Events { pair, quick, full } => {
                    let experiment = Experiment { runs: plan.runs(quick, full), alpha: plan.alpha, randomness };
                    Measure::Events(experiment.audit(&pair, plan.watch)?)
                }
                By::Law { side, tests, quick, full } => {
                    let runs = plan.runs(quick, full);
                    let outputs = draw(&*side, runs, randomness, 1, plan.watch)?;
                    Measure::SamplerLaw { tests: tests(&outputs), runs, alpha: plan.alpha }
                }
            };
            let mut line = Line::new(name, case.setting, case.promise, expected, measure).with_remark(case.remark);
            line.seconds = start.elapsed().as_secs_f64();
            Ok(line)
        };
        self.cases(plan)?.into_iter().map(audit).collect()
    }
}

/// An error of another room, in full.
pub fn failure(error: impl std::fmt::Display) -> RunFailure {
    RunFailure::Other(error.to_string())
}

/// A crowd's device for records in the unit cube, whatever its mechanism claims.
pub fn device(mechanism: Mechanism, dims: usize, epsilon: &Epsilon) -> Result<Client, RunFailure> {
    let unit = Interval::new(0.0, 1.0).map_err(failure)?;
    let bounds = Bounds::new((0..dims).map(|i| format!("x{i}")).collect(), vec![unit; dims]).map_err(failure)?;
    let design = Design::new(mechanism, epsilon.clone(), bounds);
    design.and_then(|design| Client::accepting_unsound(&design)).map_err(failure)
}

/// BPM with the radius that Shoal chooses.
#[must_use]
pub fn bpm(dims: usize, epsilon: &Epsilon) -> Mechanism {
    Mechanism::Bpm { radius_steps: choose_radius::information(dims, epsilon.to_f64_up()).steps }
}

/// A double that was typed as a decimal, exactly.
pub fn amount(value: f64) -> Result<Epsilon, RunFailure> {
    match Amount::from_shortest_decimal(value) {
        Ok(amount) if !amount.is_zero() => Ok(Epsilon::new(amount)),
        _ => Err(RunFailure::Other(format!("ε is {value}; give a number above 0, for example 1"))),
    }
}

/// ε times a fraction, exactly.
#[must_use]
pub fn times(epsilon: &Epsilon, numerator: u64, denominator: u64) -> Epsilon {
    epsilon.times(&Amount::ratio(numerator, denominator))
}

/// ε as the samplers take it.
#[must_use]
pub fn rational(epsilon: &Epsilon) -> RBig {
    epsilon.amount().as_rational().clone()
}

/// The claim that a mechanism in doubles is sold with.
#[must_use]
pub fn sold_as(loss: Loss, neighbours: Neighbours) -> Claim {
    Claim { neighbours, loss, numerics: Numerics::IdealReals, assumes: [].into() }
}

/// A case that is audited by events, against a claim about adding, removing or replacing one row, or any two records.
pub fn by_events(
    setting: String,
    claim: &Claim,
    sides: (Box<dyn Side>, Box<dyn Side>),
    words: &str,
    runs: (usize, usize),
    remark: &str,
) -> Case {
    let pair = Pair::new(words, sides.0, sides.1, Allowed::of(&claim.loss, 1.0));
    let by = By::Events { pair, quick: runs.0, full: runs.1 };
    Case { setting, promise: promise(claim), by, remark: remark.into() }
}

impl Case {
    /// The same with something that an attacker who knows the mechanism looks at.
    #[must_use]
    pub fn looking_at(mut self, words: &str, of: impl Fn(&[f64]) -> f64 + Send + Sync + 'static) -> Self {
        if let By::Events { pair, .. } = &mut self.by {
            pair.scores.push(Score::new(words, of));
        }
        self
    }
}

/// Laplace noise by inversion in doubles, as most programs draw it.
pub fn laplace_f64(scale: f64, noise: &mut (impl NoiseSource + ?Sized)) -> f64 {
    let u = shoal_noise::uniform::unit_f64(noise) - 0.5;
    -scale * u.signum() * (1.0 - 2.0 * u.abs()).max(f64::MIN_POSITIVE).ln()
}

/// ln of the density of [`laplace_f64`] but for a constant.
#[must_use]
pub fn ln_laplace(x: f64, scale: f64) -> f64 {
    -x.abs() / scale
}
