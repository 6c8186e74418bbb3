//! Merging what custodians released, each from a table of its own.

use pyo3::prelude::*;
use shoal::Error;
use shoal::consortium::{Merge, MergeRelease};

use crate::errors::OrRaise;
use crate::frame::{Frame, SourceArg};
use crate::job::{self, JobWatch};
use crate::model::{Model, Synopsis};

/// What one custodian released.
#[derive(FromPyObject)]
pub(crate) enum ReleaseArg {
    #[pyo3(transparent)]
    Model(Py<Model>),
    #[pyo3(transparent)]
    Synopsis(Py<Synopsis>),
}

impl ReleaseArg {
    fn release(&self) -> MergeRelease {
        match self {
            Self::Model(model) => MergeRelease::Model(Box::new((*model.get().model).clone())),
            Self::Synopsis(cells) => MergeRelease::Synopsis(Box::new((*cells.get().file).clone())),
        }
    }
}

/// The releases of all custodians.
#[derive(FromPyObject)]
pub(crate) enum ReleasesArg {
    /// Each with the name of its custodian.
    #[pyo3(transparent)]
    Named(Vec<(String, ReleaseArg)>),
    /// Files.
    #[pyo3(transparent)]
    Files(Vec<SourceArg>),
}

/// How they are merged.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct MergeArg {
    k: String,
    restarts: Option<usize>,
    iterations: Option<usize>,
    reruns: Option<usize>,
    sampling: bool,
    seed: Option<u64>,
    threads: Option<usize>,
}

/// One model of all releases. Nothing is spent.
#[pyfunction]
#[pyo3(signature = (releases, settings, earlier=None))]
pub(crate) fn consortium_merge(
    py: Python<'_>,
    releases: ReleasesArg,
    settings: MergeArg,
    earlier: Option<&Model>,
) -> PyResult<Model> {
    let mut job = Merge::new(settings.k.as_str()).or_raise(py)?;
    if let Some(restarts) = settings.restarts {
        job = job.restarts(restarts);
    }
    if let Some(iterations) = settings.iterations {
        job = job.iterations(iterations);
    }
    if let Some(reruns) = settings.reruns {
        job = job.reruns(reruns);
    }
    if settings.sampling {
        job = job.sampling();
    }
    if let Some(seed) = settings.seed {
        job = job.seed(seed);
    }
    if let Some(earlier) = earlier {
        job = job.match_with((*earlier.model).clone());
    }
    let given = match releases {
        ReleasesArg::Named(named) => Ok(named.into_iter().map(|(name, release)| (name, release.release())).collect()),
        ReleasesArg::Files(files) => Err(files.into_iter().map(Frame::source).collect::<Vec<_>>()),
    };
    let merged = job::run(py, settings.threads, None, move |watch: JobWatch| -> Result<_, Error> {
        let job = job.watch(watch);
        match given {
            Ok(releases) => job.run_releases(releases),
            Err(files) => job.run(files),
        }
    })?;
    Ok(Model::new(merged, None, None))
}
