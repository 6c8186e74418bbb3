//! Clustering what has been released already: reports of a crowd, or noisy cells. It needs no budget and no records.

mod labels;
mod publication;
mod server;

pub use labels::Labelled;
pub use publication::{Batches, PUBLIC_DELTA};

use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;

use shoal_crowd::report_file::Reports;
use shoal_crowd::server::noise_aware::{Criterion, Estimate, Prior, Width};
use shoal_crowd::server::tk_means::Kappa;
use shoal_curator::MOST_CHOSEN;
use shoal_curator::SynopsisKMeans;
use shoal_curator::synopsis_file::SynopsisFile;
use shoal_device::Design;
use shoal_files::{DataError, FileKind, SealedError, Source};

use publication::Publication;

use crate::epsilon::IntoDelta;
use crate::fit::noise;
use crate::input::{Reading, first_repeated};
use crate::k::IntoK;
use crate::model::Model;
use crate::watch::{Phase, Watch, Watcher};
use crate::{ClusterError, Error, K};

/// How a server clusters reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ServerMethod {
    /// Maximum likelihood under the known distribution of the noise.
    NoiseAware,
    /// k-means as if reports were records (DKdP of YTL22).
    KMeans,
    /// A mixture of Student t distributions (CLZ25).
    TkMeans,
}

impl ServerMethod {
    /// The name in the catalogue.
    pub fn name(self) -> &'static str {
        match self {
            Self::NoiseAware => "noise-aware",
            Self::KMeans => "kmeans",
            Self::TkMeans => "tk-means",
        }
    }
}

/// A clustering of released files that is set up.
///
/// The privacy guarantee of the result is that of the files, however often and for however many clusters this is done.
#[derive(Clone)]
pub struct Cluster {
    k: K,
    method: Option<ServerMethod>,
    restarts: Option<usize>,
    iterations: Option<usize>,
    width: Option<Width>,
    prior: Option<Prior>,
    most_clusters: Option<usize>,
    criterion: Option<Criterion>,
    estimate: Option<Estimate>,
    kappa: Option<Kappa>,
    earlier: Option<Arc<Model>>,
    publication: Option<Publication>,
    sampling: bool,
    seed: Option<u64>,
    reading: Reading,
    watch: Watcher,
}

impl Cluster {
    /// A clustering into `k` clusters (a number, or `"auto"` to choose it by what the reports or cells show).
    pub fn new(k: impl IntoK) -> Result<Self, Error> {
        Ok(Self {
            k: k.into_k()?,
            method: None,
            restarts: None,
            iterations: None,
            width: None,
            prior: None,
            most_clusters: None,
            criterion: None,
            estimate: None,
            kappa: None,
            earlier: None,
            publication: None,
            sampling: false,
            seed: None,
            reading: Reading::default(),
            watch: Watcher::default(),
        })
    }

    /// How to cluster reports. By default noise-aware, or k-means where the noise has no known distribution.
    #[must_use]
    pub fn method(mut self, method: ServerMethod) -> Self {
        self.method = Some(method);
        self
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

    /// How records are spread about the centre of their cluster, apart from the noise; for noise-aware.
    #[must_use]
    pub fn width(mut self, width: Width) -> Self {
        self.width = Some(width);
        self
    }

    /// What is assumed about clusters where reports carry little information; for noise-aware.
    #[must_use]
    pub fn prior(mut self, prior: Prior) -> Self {
        self.prior = Some(prior);
        self
    }

    /// Clusters that are tried at most when their number is chosen; for noise-aware.
    #[must_use]
    pub fn most_clusters(mut self, most: usize) -> Self {
        self.most_clusters = Some(most);
        self
    }

    /// What numbers of clusters are compared by when their number is chosen; for noise-aware.
    #[must_use]
    pub fn criterion(mut self, criterion: Criterion) -> Self {
        self.criterion = Some(criterion);
        self
    }

    /// Which estimate is reported: the most likely centres, or those pooled over all that are about as likely; for
    /// noise-aware. By default whichever fits the reports.
    #[must_use]
    pub fn estimate(mut self, estimate: Estimate) -> Self {
        self.estimate = Some(estimate);
        self
    }

    /// Which κ the degrees of freedom come from; for tk-means.
    #[must_use]
    pub fn kappa(mut self, kappa: Kappa) -> Self {
        self.kappa = Some(kappa);
        self
    }

    /// Also states the error of sampling: how far centres of a larger population may be from those of the rows, if these
    /// are a random sample of it. It is no part of the intervals, which are about privacy noise.
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

    /// For a model that is published while the reports are not: the clusters are computed so that they do not depend on the
    /// order of the reports, and `model.also` has what the public can learn at this δ, amplified by shuffling. It holds for
    /// people who see models only, and not for the collector, who has the reports.
    ///
    /// Where earlier models of the same reports were published, `smallest_batch` is the smallest number of reports that came
    /// between two of them (or before the first), as [`Batches`] finds it: then the claim is about all these models together. Models with labels are
    /// not for the public, and keep the order.
    ///
    /// # Errors
    /// When δ is not a number from 0 to below 1.
    pub fn published(mut self, delta: impl IntoDelta, smallest_batch: Option<u64>) -> Result<Self, Error> {
        self.publication = Some(Publication { delta: delta.into_delta()?, smallest_batch });
        Ok(self)
    }

    /// Repeatable initialisations. Takes no guarantee away: the noise is in the files already.
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

    /// Clusters files: one of noisy cells, or one or several of reports of one design.
    pub fn run(&self, files: impl IntoIterator<Item = impl Into<Source>>) -> Result<Model, Error> {
        let sources: Vec<Source> = files.into_iter().map(Into::into).collect();
        check_distinct(&sources)?;
        match Released::read(sources)? {
            Released::Synopsis(file) => self.run_synopsis(&file),
            Released::Reports(reports) => self.run_reports(*reports),
        }
    }

    /// [`Self::run`], with the cluster of each report. Cells have none.
    pub fn run_labelled(&self, files: impl IntoIterator<Item = impl Into<Source>>) -> Result<Labelled, Error> {
        let sources: Vec<Source> = files.into_iter().map(Into::into).collect();
        check_distinct(&sources)?;
        match Released::read(sources)? {
            Released::Synopsis(_) => Err(ClusterError::OnlyForReports { option: "labels" }.into()),
            Released::Reports(reports) => self.run_reports_labelled(*reports),
        }
    }

    /// Clusters noisy cells.
    pub fn run_synopsis(&self, file: &SynopsisFile) -> Result<Model, Error> {
        if self.method.is_some() {
            return Err(ClusterError::OnlyForReports { option: "method" }.into());
        }
        if let Some(option) = self.given().first() {
            return Err(ClusterError::OnlyForReports { option }.into());
        }
        self.reading.on_threads(|| {
            // Only initialisations are drawn: no guarantee rests on them, so a seed takes none away.
            let mut random = noise(self.seed)?;
            let (inits, rounds) = (self.restarts.unwrap_or(30), self.iterations.unwrap_or(50));
            let _clustering = self.watch.phase(Phase::Clustering);
            let mut how = SynopsisKMeans { inits, rounds, ..SynopsisKMeans::new(self.k.most(MOST_CHOSEN)) };
            let (mut chosen, mut evidence) = (None, None);
            if self.k.is_auto() {
                let (k, decision) = file.synopsis.choose_k(how.k);
                if let shoal_curator::Decision::ChoseK { evidence: found, .. } = &decision {
                    evidence.clone_from(found);
                }
                (how.k, chosen) = (k, Some(decision.into()));
            } else if how.reruns > 0 {
                evidence = file.synopsis.check_k(how.k);
            }
            let found = file.synopsis.cluster_watched(&how, &mut *random, &|step| self.watch.step(step));
            let found = file.synopsis.with_certainty(found, &how);
            let mut model = Model::of_synopsis(file, &found);
            model.decisions.extend(chosen);
            if let Some(certainty) = &mut model.certainty {
                certainty.evidence = evidence;
            }
            self.numbered(model)
        })
    }

    /// Clusters reports, which are taken so that they are in memory only once.
    pub fn run_reports(&self, reports: Reports) -> Result<Model, Error> {
        self.reading.on_threads(|| {
            let mut random = noise(self.seed)?;
            let (reports, public) = match &self.publication {
                Some(publication) => publication.prepared(reports),
                None => (reports, None),
            };
            let mut model = server::cluster(self, reports, &mut *random)?.model;
            model.also.extend(public);
            self.numbered(model)
        })
    }

    /// Clusters reports that a collector received one by one, each counted once: one list of values, in lattice steps, for
    /// each column of their design.
    pub fn run_collected(&self, design: &Design, columns: Vec<Vec<i64>>) -> Result<Model, Error> {
        self.run_reports(Reports::collected(design.clone(), columns)?)
    }

    /// [`Self::run_reports`], with the cluster of each report.
    pub fn run_reports_labelled(&self, reports: Reports) -> Result<Labelled, Error> {
        self.reading.on_threads(|| {
            let mut random = noise(self.seed)?;
            let found = server::cluster(self, reports, &mut *random)?;
            let model = self.numbered(found.model)?;
            let labels = model.label_points(&found.points, found.law);
            Ok(Labelled { model, labels })
        })
    }

    /// The model with the numbers of an earlier one, where there is one.
    fn numbered(&self, model: Model) -> Result<Model, Error> {
        let model = if self.sampling { model.with_sampling() } else { model };
        match &self.earlier {
            Some(earlier) => Ok(model.matched_with(earlier)?),
            None => Ok(model),
        }
    }

    /// The names of the options for reports that were given.
    fn given(&self) -> Vec<&'static str> {
        let all = [
            ("width", self.width.is_some()),
            ("prior", self.prior.is_some()),
            ("most-clusters", self.most_clusters.is_some()),
            ("criterion", self.criterion.is_some()),
            ("estimate", self.estimate.is_some()),
            ("kappa", self.kappa.is_some()),
        ];
        all.iter().filter(|(_, given)| *given).map(|(name, _)| *name).collect()
    }
}

/// Refuses a file that is named twice: its reports would count twice.
fn check_distinct(sources: &[Source]) -> Result<(), Error> {
    match first_repeated(sources) {
        Some(path) => Err(Error::NamedTwice { path }),
        None => Ok(()),
    }
}

fn path_of(source: &Source) -> Option<PathBuf> {
    match source {
        Source::Path(path) => Some(path.clone()),
        _ => None,
    }
}

/// What can be clustered, judged by the files themselves.
enum Released {
    /// Noisy cells.
    Synopsis(Box<SynopsisFile>),
    /// Reports of a crowd.
    Reports(Box<Reports>),
}

impl Released {
    fn read(mut sources: Vec<Source>) -> Result<Self, Error> {
        let kinds: Vec<FileKind> = sources.iter().map(FileKind::of).collect();
        if let Some(at) = kinds.iter().position(|kind| *kind == FileKind::Codes) {
            return Err(Error::Codes { path: path_of(&sources[at]).unwrap_or_default() });
        }
        if sources.len() > 1 || kinds.contains(&FileKind::Reports) {
            return Ok(Self::Reports(Reports::read(sources)?.into()));
        }
        let source = sources.pop().ok_or(Error::NoFiles)?;
        if path_of(&source).is_some_and(|path| path.is_file() || path.is_dir() || !path.exists()) {
            return Self::synopsis(source);
        }
        // What comes through a pipe can be read only once, so it is kept until it is known what it is.
        let bytes = match source {
            Source::Path(path) => {
                std::fs::read(&path).map_err(|source| Error::Read { name: path.display().to_string(), source })?
            }
            Source::Stdin => {
                let mut bytes = Vec::new();
                let read = std::io::stdin().lock().read_to_end(&mut bytes);
                read.map_err(|source| Error::Read { name: "standard input".into(), source })?;
                bytes
            }
            Source::Memory(bytes) => bytes,
        };
        let source = Source::Memory(bytes);
        match FileKind::of(&source) {
            FileKind::Reports => Ok(Self::Reports(Reports::read(vec![source])?.into())),
            _ => Self::synopsis(source),
        }
    }

    fn synopsis(source: Source) -> Result<Self, Error> {
        match SynopsisFile::read(source) {
            Err(SealedError::OtherKind { name, .. } | SealedError::Data(DataError::Empty { name })) => {
                Err(Error::NothingReleased { name })
            }
            file => Ok(Self::Synopsis(file?.into())),
        }
    }
}
