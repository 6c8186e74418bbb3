//! Merging what custodians released, each from a table of its own and at an ε of its own: no helpers, no rounds, and nobody
//! who is trusted with another's rows.
//!
//! | of each custodian | what is merged |
//! |---|---|
//! | a model | the centres, each by its rows and its certainty ([`shoal_curator::MergedCentres`]) |
//! | a synopsis | the noisy cells, each by the rows that it shows ([`shoal_curator::MergedCells`]) |
//!
//! *Privacy.* Post-processing of releases, so nothing is spent. What is promised follows from the claims of the releases
//! ([`promise`]). Intervals are about k-means on the rows of all tables together, without noise.

mod promise;
mod releases;

use std::sync::Arc;

use shoal_curator::{
    Certainty, Decision, MOST_CHOSEN, MergedCells, MergedCentres, Outcome, SynopsisClusters, SynopsisKMeans,
};
use shoal_files::Source;
use shoal_privacy::{Loss, Published};

use self::promise::Promise;
use self::releases::{Release, Releases};
use super::ConsortiumError;
use crate::fit::noise;
use crate::input::Reading;
use crate::k::IntoK;
use crate::model::{MergedFrom, MergedKind, Model};
use crate::watch::{Phase, Watch, Watcher};
use crate::{Error, K};

pub use releases::Release as MergeRelease;

/// Initialisations on centres: there are few of them, so many are affordable.
const INITS_ON_CENTRES: usize = 100;

/// Initialisations on cells.
const INITS_ON_CELLS: usize = 30;

/// Iterations from each.
const ROUNDS: usize = 50;

/// A merge that is set up and waits for the releases.
///
/// ```
/// use shoal::Fit;
/// use shoal::consortium::Merge;
/// use shoal_files::{Matrix, Source};
///
/// // Each custodian fits alone and gives the model away.
/// let custodian = |first: usize| {
///     let ages: Vec<f64> = (first..first + 900).map(|i| if i % 3 == 0 { 20.0 } else { 70.0 }).collect();
///     Fit::new(2, "1")?.bounds("age=0:100")?.run(Matrix::from_rows(&["age"], &ages).unwrap())
/// };
/// let (north, south) = (custodian(0)?, custodian(1)?);
/// // Anyone merges the models.
/// let files = [north, south].map(|model| Source::Memory(model.to_json().into_bytes()));
/// let merged = Merge::new(2)?.run(files)?;
/// assert!(merged.guarantee.sentence().contains("nobody is in the tables of two custodians"));
/// # Ok::<(), shoal::Error>(())
/// ```
#[derive(Clone)]
pub struct Merge {
    k: K,
    restarts: Option<usize>,
    iterations: Option<usize>,
    reruns: Option<usize>,
    earlier: Option<Arc<Model>>,
    sampling: bool,
    seed: Option<u64>,
    reading: Reading,
    watch: Watcher,
}

impl Merge {
    /// A merge into `k` clusters (a number, or for synopses `"auto"` to choose it by what the cells show).
    pub fn new(k: impl IntoK) -> Result<Self, Error> {
        Ok(Self {
            k: k.into_k()?,
            restarts: None,
            iterations: None,
            reruns: None,
            earlier: None,
            sampling: false,
            seed: None,
            reading: Reading::default(),
            watch: Watcher::default(),
        })
    }

    /// Initialisations that are tried; the best result is kept.
    #[must_use]
    pub fn restarts(mut self, restarts: usize) -> Self {
        self.restarts = Some(restarts.max(1));
        self
    }

    /// Iterations from each initialisation, at most.
    #[must_use]
    pub fn iterations(mut self, iterations: usize) -> Self {
        self.iterations = Some(iterations.max(1));
        self
    }

    /// Reruns behind the intervals; 0 for intervals from the noise on the releases alone, which are lower bounds.
    #[must_use]
    pub fn reruns(mut self, reruns: usize) -> Self {
        self.reruns = Some(reruns);
        self
    }

    /// Also states the error of sampling, as for [`Fit::sampling`](crate::Fit::sampling).
    #[must_use]
    pub fn sampling(mut self) -> Self {
        self.sampling = true;
        self
    }

    /// Keeps the numbers of an earlier model of the same columns: clusters that match have the same number.
    #[must_use]
    pub fn match_with(mut self, earlier: Model) -> Self {
        self.earlier = Some(Arc::new(earlier));
        self
    }

    /// Repeatable initialisations. Takes no guarantee away: the noise is in the releases already.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Threads to use, instead of those of the current rayon pool. The result does not depend on them.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.reading.threads = Some(threads.max(1));
        self
    }

    /// Listens to the job.
    #[must_use]
    pub fn watch(mut self, watch: impl Watch + 'static) -> Self {
        self.watch = Watcher::new(watch);
        self
    }

    /// Merges files, one of each custodian: models of all of them, or synopses of all.
    pub fn run(&self, files: impl IntoIterator<Item = impl Into<Source>>) -> Result<Model, Error> {
        self.run_releases(Release::read_all(files.into_iter().map(Into::into).collect())?)
    }

    /// [`Self::run`] for releases that are in memory, each with the name of its custodian.
    pub fn run_releases(&self, releases: Vec<(String, Release)>) -> Result<Model, Error> {
        let releases = Releases::checked(releases)?;
        let promise = Promise::of(&releases)?;
        self.reading.on_threads(|| {
            let (found, decisions, kind) = match &releases {
                Releases::Models(_) => (self.models(&releases)?, Vec::new(), MergedKind::Models),
                Releases::Synopses(_) => {
                    let (found, decisions) = self.synopses(&releases)?;
                    (found, decisions, MergedKind::Synopses)
                }
            };
            let model = self.model(&releases, promise.clone(), found, decisions, kind)?;
            match &self.earlier {
                Some(earlier) => Ok(model.matched_with(earlier)?),
                None => Ok(model),
            }
        })
    }

    fn how(&self, k: usize, inits: usize) -> SynopsisKMeans {
        let usual = SynopsisKMeans::new(k);
        SynopsisKMeans {
            inits: self.restarts.unwrap_or(inits),
            rounds: self.iterations.unwrap_or(ROUNDS),
            reruns: self.reruns.unwrap_or(usual.reruns),
            ..usual
        }
    }

    fn models(&self, releases: &Releases) -> Result<SynopsisClusters, Error> {
        let K::Given(k) = self.k else { return Err(ConsortiumError::KOfModels.into()) };
        let merged = MergedCentres::new(releases.centres()?);
        enough(merged.count(), k, "centres")?;
        let mut random = noise(self.seed)?;
        let how = self.how(k, INITS_ON_CENTRES);
        let _clustering = self.watch.phase(Phase::Clustering);
        let found = merged.cluster(&how, &mut *random);
        Ok(merged.with_certainty(found, &how))
    }

    fn synopses(&self, releases: &Releases) -> Result<(SynopsisClusters, Vec<Decision>), Error> {
        let cells = MergedCells::new(releases.synopses()).ok_or(ConsortiumError::TooFewReleases)?;
        let mut random = noise(self.seed)?;
        let mut how = self.how(self.k.most(MOST_CHOSEN), INITS_ON_CELLS);
        let _clustering = self.watch.phase(Phase::Clustering);
        let (mut decisions, mut evidence) = (Vec::new(), None);
        if self.k.is_auto() {
            let (k, decision) = cells.choose_k(how.k);
            if let Decision::ChoseK { evidence: found, .. } = &decision {
                evidence.clone_from(found);
            }
            how.k = k;
            decisions.push(decision);
        } else {
            enough(cells.count(), how.k, "cells")?;
            if how.reruns > 0 {
                evidence = cells.check_k(how.k);
            }
        }
        let found = cells.cluster(&how, &mut *random, &|step| self.watch.step(step));
        let mut found = cells.with_certainty(found, &how);
        if let Some(certainty) = &mut found.certainty {
            certainty.evidence = evidence;
        }
        Ok((found, decisions))
    }

    fn model(
        &self,
        releases: &Releases,
        promise: Promise,
        found: SynopsisClusters,
        decisions: Vec<Decision>,
        released: MergedKind,
    ) -> Result<Model, Error> {
        let method = match released {
            MergedKind::Models => "merge/models",
            MergedKind::Synopses => "merge/synopses",
        };
        // Lower bounds until it has been measured how often they cover.
        let certainty = found.certainty.map(|certainty| Certainty { at_least: true, ..certainty });
        let outcome = Outcome {
            centres: found.centres,
            sizes: found.sizes,
            size_noise: found.size_noise,
            noise_per_centre: found.noise_per_centre,
            guarantee: promise.guarantee,
            also: promise.also,
            nicv: None,
            certainty,
            charged: Loss::NONE,
            decisions: releases.decisions().into_iter().chain(decisions).collect(),
            synopsis: None,
        };
        let published = Published::new("nothing: releases are merged by Shoal's own rule", "Shoal");
        let mut model = Model::of(&outcome, &releases.bounds()?, method, published);
        model.merged_from = Some(MergedFrom { released, custodians: releases.custodians() });
        model.reading = releases.reading();
        Ok(if self.sampling { model.with_sampling() } else { model })
    }
}

/// Refuses more clusters than there is anything to make them of.
fn enough(there: usize, k: usize, what: &'static str) -> Result<(), Error> {
    if k > there { Err(ConsortiumError::TooFewToMerge { there, k, what }.into()) } else { Ok(()) }
}
