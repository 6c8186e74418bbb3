//! A fit over custodians and helpers, and its verification from the transcript.

use std::sync::Arc;

use shoal_noise::{NoiseSource, OsNoise};
use shoal_privacy::{Epsilon, Guarantee};
use shoal_release::Releaser;
use shoal_split::{
    Charter, Courier, Driver, Ended, Party, Replay, SplitReleaser, Transcript, Verified, Why, claim_if_all_collude,
};

use super::{SplitError, SplitSettings};
use crate::consortium::ConsortiumError;
use crate::epsilon::IntoEpsilon;
use crate::k::IntoK;
use crate::model::{Model, SplitRun};
use crate::watch::{Phase, Watch, Watcher};
use crate::{Error, K};

const METHOD: &str = "auto";

/// A fit that waits for a way to reach the helpers.
pub struct SplitFit {
    charter: Arc<Charter>,
    driver: u8,
    k: K,
    epsilon: Epsilon,
    rows: Option<u64>,
    watch: Watcher,
}

/// What a fit leaves.
pub struct SplitFitted {
    /// The model.
    pub model: Model,
    /// Everything that was asked and released.
    pub transcript: Transcript,
}

/// What was found by computing everything again.
pub struct SplitVerified {
    /// Charges, rounds and the run's name.
    pub verified: Verified,
    /// What the run was for.
    pub settings: SplitSettings,
    /// The model that the transcript gives.
    pub model: Model,
}

impl SplitFit {
    /// A fit of `k` clusters at ε under a charter.
    pub fn new(charter: Arc<Charter>, k: impl IntoK, epsilon: impl IntoEpsilon) -> Result<Self, Error> {
        let epsilon = epsilon.into_epsilon()?;
        if epsilon > *charter.max_epsilon() {
            let most = charter.max_epsilon().clone();
            return Err(ConsortiumError::from(SplitError::OverCharter { asked: epsilon, most }).into());
        }
        let fit = Self { charter, driver: 0, k: k.into_k()?, epsilon, rows: None, watch: Watcher::default() };
        // What can be refused is refused before anybody is asked.
        fit.settings(false).method(&fit.charter, &fit.epsilon)?;
        Ok(fit)
    }

    /// About how many rows all custodians have together, known from elsewhere.
    pub fn rows(mut self, rows: u64) -> Result<Self, Error> {
        if rows == 0 {
            return Err(Error::Rows);
        }
        self.rows = Some(rows);
        Ok(self)
    }

    /// Which of the charter's drivers this is.
    #[must_use]
    pub fn driver(self, driver: u8) -> Self {
        Self { driver, ..self }
    }

    /// Listens to the job.
    #[must_use]
    pub fn watch(mut self, watch: impl Watch + 'static) -> Self {
        self.watch = Watcher::new(watch);
        self
    }

    fn settings(&self, rehearsal: bool) -> SplitSettings {
        SplitSettings::new(self.k, self.rows, rehearsal)
    }

    /// Runs the fit over a way to the helpers.
    pub fn run(&self, courier: impl Courier) -> Result<SplitFitted, Error> {
        self.run_with(courier, &mut OsNoise::new()?, false)
    }

    /// [`SplitFit::run`] with random bits for the order from elsewhere. A rehearsal, whose tables are all in one place, voids
    /// the guarantee, and its transcript says so.
    pub(super) fn run_with(
        &self,
        courier: impl Courier,
        bits: &mut dyn NoiseSource,
        rehearsal: bool,
    ) -> Result<SplitFitted, Error> {
        let settings = self.settings(rehearsal);
        let driver = Driver::new(self.charter.clone(), self.driver, &self.epsilon, &settings.to_text(), bits);
        let nothing = Ended { by: Party::Driver(self.driver), why: Why::Budget };
        let driver = driver.map_err(|why| self.ended(Ended { why, ..nothing }, None))?;
        let mut releaser =
            SplitReleaser::begin(driver, courier, &self.epsilon, rehearsal).map_err(|ended| self.ended(ended, None))?;
        let _clustering = self.watch.phase(Phase::Clustering);
        let found = model_of(&self.charter, &settings, &self.epsilon, &mut releaser);
        match found {
            Ok(model) => {
                let (transcript, _) = releaser.close();
                let model = self.with_run(model, &transcript)?;
                Ok(SplitFitted { model, transcript })
            }
            Err(error) => {
                let ended = releaser.ended();
                let (transcript, _) = releaser.abandon(Why::Stopped);
                Err(ended.map_or(error, |ended| self.ended(ended, transcript.as_ref())))
            }
        }
    }

    fn ended(&self, ended: Ended, transcript: Option<&Transcript>) -> Error {
        let spent =
            transcript.and_then(|it| shoal_split::verify(&self.charter, it).ok()).map(|it| (it.rounds.len(), it.spent));
        let spent = match spent {
            Some((rounds, spent)) if rounds > 0 => format!(
                "{rounds} rounds were answered before that, for ε = {spent} of each custodian's budget; a round that was open may have been debited as well"
            ),
            _ => "No round was answered; a round that was open may have been debited".into(),
        };
        ConsortiumError::from(SplitError::Ended { party: self.charter.describe(ended.by), why: ended.why, spent })
            .into()
    }

    fn with_run(&self, model: Model, transcript: &Transcript) -> Result<Model, Error> {
        let verified =
            shoal_split::verify(&self.charter, transcript).map_err(SplitError::from).map_err(ConsortiumError::from)?;
        Ok(named(model, &self.charter, &verified))
    }

    /// Computes everything again that a transcript says, and the model from it; compares it with `model` where that is given.
    pub fn verify(charter: &Charter, transcript: &Transcript, model: Option<&Model>) -> Result<SplitVerified, Error> {
        let refused = |error: SplitError| Error::from(ConsortiumError::from(error));
        let (mut replay, verified) = Replay::of(charter, transcript).map_err(|error| refused(error.into()))?;
        let settings = SplitSettings::from_text(&verified.settings).map_err(refused)?;
        if settings.rehearsal {
            replay = replay.without_guarantee();
        }
        let found = model_of(charter, &settings, &verified.limit, &mut replay)?;
        if replay.left() > 0 {
            return Err(refused(SplitError::RoundsLeft { rounds: replay.left() }));
        }
        let found = named(found, charter, &verified);
        if let Some(model) = model
            && let Some(what) = difference(&found, model)
        {
            return Err(refused(SplitError::OtherModel { what }));
        }
        Ok(SplitVerified { verified, settings, model: found })
    }
}

/// What differs between the model of a transcript and one that was given, apart from names of clusters.
fn difference(found: &Model, given: &Model) -> Option<&'static str> {
    let pairs = [
        ("the split-trust run", found.split != given.split),
        ("the columns", found.columns != given.columns || found.bounds != given.bounds),
        ("the centres", found.centres != given.centres),
        ("the sizes", found.sizes != given.sizes || found.size_sd != given.size_sd),
        ("the noise", found.centre_sd != given.centre_sd),
        (
            "the guarantee",
            (found.seeded, &found.guarantee, &found.also) != (given.seeded, &given.guarantee, &given.also),
        ),
    ];
    pairs.into_iter().find(|(_, differs)| *differs).map(|(what, _)| what)
}

/// The model with what it came from.
fn named(mut model: Model, charter: &Charter, verified: &Verified) -> Model {
    model.split = Some(SplitRun {
        charter: charter.fingerprint().to_string(),
        run: verified.run.to_string(),
        custodians: charter.all_custodians().map(|it| charter.name_of(it).to_string()).collect(),
        helpers: charter.helper_entries().iter().map(|it| it.operator.clone()).collect(),
        rounds: verified.rounds.len(),
    });
    model
}

/// The model that a method computes from what a releaser releases.
fn model_of(
    charter: &Charter,
    settings: &SplitSettings,
    epsilon: &Epsilon,
    releaser: &mut dyn Releaser,
) -> Result<Model, Error> {
    let method = settings.method(charter, epsilon)?;
    let mut outcome = method.run_with(releaser, &|_| {})?;
    if let (Guarantee::Holds(_), Some(weaker)) = (&outcome.guarantee, claim_if_all_collude(charter, epsilon)) {
        // What holds even if all helpers put their shares together.
        outcome.also.push(weaker);
    }
    // Unwrap safety: `auto` is in the catalogue, as every command relies on.
    let info = &shoal_curator::find_method(METHOD).unwrap().info;
    let model = Model::of(&outcome, charter.bounds(), METHOD, info.published());
    Ok(match settings.k()? {
        K::Given(k) => model.with_asked_k(k),
        K::Auto { .. } => model,
    })
}
