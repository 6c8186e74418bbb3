//! What every curator system can do, what comes out of it, and why it can refuse.

use shoal_noise::{NoiseError, NoiseSource};
use shoal_privacy::{
    Accountant, Allowance, Amount, Assumption, ChargeError, Claim, Epsilon, Guarantee, Loss, NoGuarantee, Parameter,
};

use crate::Certainty;
use crate::Decision;
use crate::ExpectedError;
use crate::NicvEstimate;
use crate::Synopsis;
use crate::SynopsisKMeans;
use crate::certainty::OfSynopsis;
use shoal_lattice::{BoxPosition, Widths};
use shoal_release::{ReleaseError, StepError};
use shoal_scan::{GridError, Scan, ScanError};

/// Most centres that any system works with: sphere packing takes time that grows with their square, about ten seconds
/// for this many.
pub const MOST_CENTRES: usize = 10_000;

/// A way to cluster a trusted table under differential privacy, its parameters checked.
pub trait System {
    /// What a run promises, composed of its steps, before anything is spent.
    fn claim(&self) -> Claim;

    /// The error to expect from `rows` rows in clusters of equal size, before anything is spent.
    fn expected_error(&self, rows: f64) -> ExpectedError;

    /// What would be decided for about `rows` rows, where the method decides anything before it sees the data.
    fn plan(&self, _rows: f64) -> Vec<Decision> {
        Vec::new()
    }

    /// Refuses an engine that cannot answer a later query, before anything is spent. Says nothing about the rows.
    fn check_scan(&self, _scan: &dyn Scan) -> Result<(), FitError> {
        Ok(())
    }

    /// Clusters the rows behind `scan`.
    fn run(&self, scan: &dyn Scan, allowance: Allowance, noise: &mut dyn NoiseSource) -> Result<Outcome, FitError> {
        self.run_watched(scan, allowance, noise, &|_| ())
    }

    /// [`System::run`], telling a listener how far it has come with what takes longest, from any thread.
    fn run_watched(
        &self,
        scan: &dyn Scan,
        allowance: Allowance,
        noise: &mut dyn NoiseSource,
        watch: Watch<'_>,
    ) -> Result<Outcome, FitError>;
}

/// Listens to how far a run has come.
pub type Watch<'a> = &'a (dyn Fn(Step) + Sync);

/// How far a run has come with one kind of work. Says nothing about the rows: the number of steps is public.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// What is counted.
    pub what: &'static str,
    /// Steps done.
    pub done: usize,
    /// Steps in all.
    pub of: usize,
}

/// What a curator method found.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The centres.
    pub centres: Vec<Vec<BoxPosition>>,
    /// Noisy numbers of rows that each centre was last computed from, not below zero. Empty when the method releases none.
    pub sizes: Vec<f64>,
    /// Standard deviation of the noise on each size. Empty when the method releases none.
    pub size_noise: Vec<f64>,
    /// Standard deviation of each centre's noise per attribute.
    pub noise_per_centre: Vec<Vec<Widths>>,
    /// What is promised: composed of the steps that ran, and void if the noise came from a seed.
    pub guarantee: Guarantee,
    /// What holds besides, told in another unit: zCDP, where the promise is told as (ε, δ).
    pub also: Vec<Claim>,
    /// What the steps were charged, seeded or not, in the unit of the promise.
    pub charged: Loss,
    /// What public or released numbers decided on the way.
    pub decisions: Vec<Decision>,
    /// The noisy cells that were released on the way, if the method makes some.
    pub synopsis: Option<Synopsis>,
    /// How good the result is, where a part of the budget bought an estimate.
    pub nicv: Option<NicvEstimate>,
    /// How certain centres and sizes are, where the method can say.
    pub certainty: Option<Certainty>,
}

impl Outcome {
    /// An outcome without sizes, decisions and synopsis, whose promise is what `accountant` charged.
    pub(crate) fn new(
        centres: Vec<Vec<BoxPosition>>,
        noise_per_centre: Vec<Vec<Widths>>,
        accountant: &Accountant,
        noise: &dyn NoiseSource,
    ) -> Self {
        let claims = (accountant.promised(), accountant.spent().clone());
        Self::promising(centres, noise_per_centre, claims, noise.is_seeded())
    }

    /// The same for a promise and the steps that it was composed of.
    pub(crate) fn promising(
        centres: Vec<Vec<BoxPosition>>,
        noise_per_centre: Vec<Vec<Widths>>,
        (charged, steps): (Claim, Claim),
        seeded: bool,
    ) -> Self {
        let certainty = Some(Certainty::from_noise(&centres, &noise_per_centre));
        let guarantee = Guarantee::of(charged.clone(), seeded);
        let steps = Some(steps).filter(|steps| *steps != charged && !seeded);
        Self {
            centres,
            sizes: Vec::new(),
            size_noise: Vec::new(),
            noise_per_centre,
            guarantee,
            also: steps.into_iter().collect(),
            charged: charged.loss,
            decisions: Vec::new(),
            synopsis: None,
            nicv: None,
            certainty,
        }
    }

    pub(crate) fn with_sizes(self, sizes: Vec<f64>, size_noise: Vec<f64>) -> Self {
        let certainty = self.certainty.map(|found| found.with_size_noise(&sizes, &size_noise));
        Self { sizes, size_noise, certainty, ..self }
    }

    /// The same outcome with the cells that its centres rest on, and intervals from reruns on them; `with_step` when the
    /// centres come from a noisy step after the cells.
    pub(crate) fn on_cells(self, synopsis: Synopsis, how: &SynopsisKMeans, with_step: bool) -> Self {
        let certainty = OfSynopsis {
            synopsis: &synopsis,
            how,
            centres: &self.centres,
            noise: &self.noise_per_centre,
            sizes: &self.sizes,
            size_noise: &self.size_noise,
            with_step,
        }
        .certainty();
        Self { certainty: Some(certainty), synopsis: Some(synopsis), ..self }
    }

    pub(crate) fn with_decisions(self, decisions: Vec<Decision>) -> Self {
        Self { decisions, ..self }
    }

    /// The same outcome where the promise rests on one condition more.
    pub fn assuming(self, assumption: Assumption) -> Self {
        self.with_claims(|mut claim| {
            claim.assumes.insert(assumption);
            Some(claim)
        })
    }

    /// The same outcome when the number of rows is disclosed: the promise is about replacing a row then.
    pub fn with_public_row_count(self) -> Self {
        self.with_claims(|claim| claim.with_public_row_count())
    }

    /// The same outcome when its rows are those of persons, of whom each has at most `most`: the promise is about persons then.
    /// `decision` says how rows were grouped.
    pub fn for_persons(mut self, most: u64, decision: Decision) -> Self {
        if let Some(synopsis) = &mut self.synopsis {
            synopsis.decisions.insert(0, decision.clone());
        }
        self.decisions.insert(0, decision);
        let of_synopsis = self.synopsis.as_mut().map(|synopsis| &mut synopsis.charged);
        for charged in std::iter::once(&mut self.charged).chain(of_synopsis) {
            if let Some(of_persons) = charged.for_group_up(most) {
                *charged = of_persons;
            }
        }
        self.with_claims(|claim| claim.for_persons(most))
    }

    /// The same outcome when its bounds were bought before by a release with the claim `bounds`: the costs add, and the
    /// bounds need not be public. `decisions` about them come before everything that was decided later.
    pub fn with_bought_bounds(mut self, bounds: &Claim, decisions: Vec<Decision>) -> Result<Self, FitError> {
        let of_synopsis = self.synopsis.as_mut().map(|synopsis| &mut synopsis.charged);
        for charged in std::iter::once(&mut self.charged).chain(of_synopsis) {
            *charged = bounds.loss.then(charged).map_err(|error| ChargeError::Composition(error.into()))?;
        }
        if let Some(synopsis) = &mut self.synopsis {
            // The bounds were released before the cells within them.
            synopsis.decisions.splice(0..0, decisions.iter().cloned());
        }
        self.decisions.splice(0..0, decisions);
        Ok(self.with_claims(|claim| bounds.then_within_its_bounds(&claim).ok()))
    }

    /// Notes that the middle of the bounds stood for missing values, also in the cells.
    #[must_use]
    pub fn with_middles_for_gaps(mut self) -> Self {
        if let Some(synopsis) = &mut self.synopsis {
            synopsis.decisions.insert(0, Decision::MiddlesForGaps);
        }
        self.decisions.insert(0, Decision::MiddlesForGaps);
        self
    }

    /// Changes every promise that leaves with this outcome: its own, in all units, and that of its synopsis, which circumstances of the
    /// run concern alike.
    fn with_claims(mut self, change: impl Fn(Claim) -> Option<Claim>) -> Self {
        self.also = self.also.into_iter().filter_map(&change).collect();
        let of_synopsis = self.synopsis.as_mut().map(|synopsis| &mut synopsis.guarantee);
        for guarantee in std::iter::once(&mut self.guarantee).chain(of_synopsis) {
            if let Guarantee::Holds(claim) = guarantee {
                *guarantee = match change(claim.clone()) {
                    Some(claim) => Guarantee::Holds(claim),
                    None => Guarantee::Void { none: NoGuarantee::NotPrivate },
                };
            }
        }
        self
    }
}

/// What every method needs: a number of clusters, a budget and attributes.
pub(crate) fn check_basics(k: usize, epsilon: &Epsilon, dims: usize) -> Result<(), FitError> {
    if k == 0 {
        return Err(FitError::NoCentres);
    }
    if k > MOST_CENTRES {
        return Err(FitError::TooManyCentres { k, most: MOST_CENTRES });
    }
    if dims == 0 {
        return Err(FitError::NoAttributes);
    }
    if epsilon.amount().is_zero() {
        return Err(FitError::NoBudget);
    }
    Ok(())
}

/// What a share for one step leaves for the others.
pub(crate) fn rest_of(given: &Amount, share: Parameter, what: &'static str) -> Result<Amount, FitError> {
    let rest = Amount::ratio(1, 1).checked_sub(given).filter(|rest| !rest.is_zero() && !given.is_zero());
    rest.ok_or(FitError::Share { what, share })
}

/// Why a fit was refused or failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FitError {
    /// k = 0.
    #[error("k = 0 asks for no clusters; give {} 1 or more", Parameter::K)]
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
    #[error("0 iterations would return the random initial centres; give {} 1 or more", Parameter::ITERATIONS)]
    NoIterations,
    /// No columns.
    #[error("there are no columns to cluster by; select at least one numeric column with {}", Parameter::COLUMNS)]
    NoAttributes,
    /// ε = 0.
    #[error(
        "ε = 0 reveals nothing about the data, so there is nothing to fit; give {} above 0, for example 1",
        Parameter::EPSILON
    )]
    NoBudget,
    /// A share that leaves nothing for a step.
    #[error(
        "the share of ε for {what} ({share}) must be above 0 and below 1, such as 0.5 or 1/2, so that every step gets some"
    )]
    Share {
        /// What the share is for.
        what: &'static str,
        /// The parameter.
        share: Parameter,
    },
    /// A parameter that makes no sense.
    #[error("{what} is {given}; give {wanted}")]
    Parameter {
        /// Which one.
        what: Parameter,
        /// What was given.
        given: String,
        /// What would do.
        wanted: String,
    },
    /// The grid cannot be built.
    #[error(transparent)]
    Grid(#[from] GridError),
    /// The noise cannot be drawn.
    #[error(transparent)]
    Noise(#[from] NoiseError),
    /// The table cannot be scanned.
    #[error(transparent)]
    Scan(#[from] ScanError),
    /// A step wanted more than the run may spend.
    #[error(transparent)]
    Charge(#[from] ChargeError),
    /// A step makes no sense.
    #[error(transparent)]
    Step(#[from] StepError),
    /// A step was not released, for a reason of whoever releases it.
    #[error(transparent)]
    Elsewhere(Box<dyn std::error::Error + Send + Sync>),
    /// The method takes more from the rows than steps, and nobody in this run holds all rows.
    #[error(
        "the method {method} needs all rows in one place; use looks, or auto, which chooses among those that do not"
    )]
    NeedsAllRows {
        /// Which one.
        method: &'static str,
    },
}

impl From<ReleaseError> for FitError {
    fn from(error: ReleaseError) -> Self {
        match error {
            ReleaseError::Scan(error) => Self::Scan(error),
            ReleaseError::Charge(error) => Self::Charge(error),
            ReleaseError::Noise(error) => Self::Noise(error),
            ReleaseError::Step(error) => Self::Step(error),
            ReleaseError::Elsewhere(error) => Self::Elsewhere(error),
            other => Self::Elsewhere(Box::new(other)),
        }
    }
}

impl FitError {
    /// A short name of the reason that stays the same between versions.
    pub fn code(&self) -> &'static str {
        match self {
            Self::NoCentres => "no-clusters",
            Self::TooManyCentres { .. } => "too-many-clusters",
            Self::NoIterations => "no-iterations",
            Self::NoAttributes => "no-columns",
            Self::NoBudget => "no-budget",
            Self::Share { .. } => "share-out-of-range",
            Self::Parameter { .. } => "parameter-out-of-range",
            Self::Grid(error) => error.code(),
            Self::Noise(error) => error.code(),
            Self::Scan(error) => error.code(),
            Self::Charge(error) => error.code(),
            Self::Step(error) => error.code(),
            Self::Elsewhere(_) => "release-elsewhere",
            Self::NeedsAllRows { .. } => "needs-all-rows",
        }
    }
}
