//! Codes of a consortium: what custodians agree on, what each of them sends, and what an aggregator finds in it.

pub(crate) mod merge;
pub(crate) mod plan;

use pyo3::prelude::*;
use serde_json::json;
use shoal::Error;
use shoal::consortium::{Agree, Consistency, ConsortiumError, Decode, Encode, Group, Grouping, Metric, Pool, Pooled};
use shoal_consortium::AgreementFile;
use shoal_kernel::Linkage;
use shoal_privacy::{Delta, ThisIsNotPrivate};

use crate::errors::{OrRaise, exception, named};
use crate::fit::BoundsArg;
use crate::frame::{Frame, SourceArg};
use crate::job::{self, JobWatch};

/// What all custodians encode by. A secret of theirs.
#[pyclass(frozen, module = "shoal._shoal")]
pub(crate) struct Agreement {
    file: AgreementFile,
}

#[pymethods]
impl Agreement {
    /// A new agreement on columns with public bounds.
    #[staticmethod]
    #[pyo3(signature = (bounds, epsilon, bits, window, seed=None))]
    fn make(
        py: Python<'_>,
        bounds: BoundsArg,
        epsilon: &str,
        bits: u32,
        window: f64,
        seed: Option<u64>,
    ) -> PyResult<Self> {
        let job = match bounds.public().or_raise(py)? {
            Some(spec) => Agree::within(spec),
            None => match &bounds {
                BoundsArg::Text(text) => Agree::new(text).or_raise(py)?,
                _ => return Err(exception(py, "UsageError", "bounds are needed", "bounds-needed")),
            },
        };
        let mut job = job.bits(bits).epsilon(epsilon).and_then(|job| job.window(window)).or_raise(py)?;
        if let Some(seed) = seed {
            job = job.seed(seed);
        }
        let agreed = py.detach(|| job.run()).or_raise(py)?;
        Ok(Self { file: agreed.file().clone() })
    }

    /// Reads an agreement.
    #[staticmethod]
    fn from_json(py: Python<'_>, text: &str) -> PyResult<Self> {
        let file = AgreementFile::from_json(text.as_bytes(), "the agreement");
        Ok(Self { file: file.map_err(ConsortiumError::Agreement).or_raise(py)? })
    }

    /// The agreement with its secret.
    fn to_json(&self) -> String {
        self.file.to_json()
    }

    /// The columns, in their order.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.file.agreement.terms().attributes().iter().map(|attribute| attribute.name.clone()).collect()
    }

    /// A hash that distinguishes agreements.
    #[getter]
    fn fingerprint(&self) -> String {
        self.file.agreement.fingerprint()
    }

    /// What codes of single records guarantee, for the very anchors of this agreement.
    fn guarantee(&self, py: Python<'_>) -> PyResult<String> {
        let file = self.file.clone();
        let price = py.detach(move || shoal::consortium::Price::of_agreement(&file).run()).or_raise(py)?;
        Ok(named(|| price.price.promise.guarantee.to_string()))
    }

    /// Guarantee and accuracy of the codes, as JSON.
    fn price(&self, py: Python<'_>) -> PyResult<String> {
        let file = self.file.clone();
        let price = py.detach(move || shoal::consortium::Price::of_agreement(&file).run()).or_raise(py)?;
        Ok(named(|| json!(price)).to_string())
    }
}

/// What a custodian asks for.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct EncodeArg {
    max_epsilon: Option<String>,
    delta: Option<String>,
    id: Option<String>,
    missing: String,
    pairs: bool,
    bridge: u32,
    seed: Option<u64>,
}

/// A table as codes: the bytes of a file, its rows, its guarantee; records with a value outside the bounds, and rows left
/// out, both not private.
#[pyfunction]
pub(crate) fn consortium_encode(
    py: Python<'_>,
    frame: &Frame,
    agreement: &Agreement,
    settings: EncodeArg,
) -> PyResult<(Vec<u8>, u64, String, u64, u64)> {
    let mut encode = Encode::new(agreement.file.clone()).missing(crate::fit::missing(&settings.missing)?);
    if let Some(epsilon) = &settings.max_epsilon {
        let delta: Option<Delta> =
            settings.delta.as_deref().map(shoal::IntoDelta::into_delta).transpose().or_raise(py)?;
        encode = encode.limit(epsilon.as_str(), delta).or_raise(py)?;
    }
    if let Some(id) = &settings.id {
        encode = encode.id(id);
    }
    if settings.pairs {
        encode = encode.pairs();
    }
    if settings.bridge > 0 {
        encode = encode.bridge(settings.bridge);
    }
    if let Some(seed) = settings.seed {
        encode = encode.seed(seed);
    }
    encode.check().or_raise(py)?;
    let (held, columns) = (frame.held.clone(), agreement.columns());
    job::run(py, None, None, move |watch: JobWatch| {
        held.check_numbers(&columns)?;
        let mut bytes = Vec::new();
        let coded = encode.watch(watch).run_to(held.input()?, &mut bytes)?;
        let guarantee = named(|| coded.promise.guarantee.to_string());
        let (clamped, dropped) = (coded.clamped.reveal(ThisIsNotPrivate), coded.dropped.reveal(ThisIsNotPrivate));
        Ok((bytes, coded.rows, guarantee, clamped, dropped))
    })
}

/// How an aggregator reads codes.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct PoolArg {
    codes: Vec<SourceArg>,
    consistency: String,
    own_bounds: Option<String>,
    own_id: Option<String>,
}

impl PoolArg {
    fn consistency(&self, py: Python<'_>) -> PyResult<Consistency> {
        match self.consistency.as_str() {
            "none" => Ok(Consistency::None),
            "layered" => Ok(Consistency::Layered),
            "as-printed" => Ok(Consistency::AsPrinted),
            "corrected" => Ok(Consistency::Corrected),
            other => Err(unknown(py, "consistency", other, "none, layered, as-printed or corrected")),
        }
    }

    /// Codes, and the aggregator's own table where there is one.
    fn read(
        self,
        own: Option<&crate::frame::Held>,
        consistency: Consistency,
        watch: JobWatch,
    ) -> Result<Pooled, Error> {
        let mut pool = Pool::new().consistency(consistency).watch(watch);
        if let (Some(own), Some(bounds)) = (own, &self.own_bounds) {
            pool = pool.own(own.input()?, bounds, self.own_id.as_deref())?;
        }
        pool.read(self.codes.into_iter().map(Frame::source))
    }
}

fn unknown(py: Python<'_>, name: &str, given: &str, known: &str) -> PyErr {
    exception(py, "UsageError", format!("{name} is {given}; give {known}"), "unknown-option")
}

fn metric(py: Python<'_>, name: Option<&str>) -> PyResult<Option<Metric>> {
    Ok(match name {
        None => None,
        Some("eq11") => Some(Metric::Eq11),
        Some("eq19") => Some(Metric::Eq19),
        Some("eq19-unbiased") => Some(Metric::Eq19Unbiased),
        Some("hamming-sum") => Some(Metric::HammingSum),
        Some(other) => return Err(unknown(py, "metric", other, "eq11, eq19, eq19-unbiased or hamming-sum")),
    })
}

/// How codes are grouped.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct GroupArg {
    method: String,
    metric: Option<String>,
    k: Option<usize>,
    starts: Option<usize>,
    iterations: Option<usize>,
    radius: Option<f64>,
    min_points: Option<usize>,
    linkage: Option<String>,
    height: Option<f64>,
    seed: Option<u64>,
}

impl GroupArg {
    fn job(&self, py: Python<'_>) -> PyResult<Group> {
        let mut job = Group::new(match self.method.as_str() {
            "kcluster" => Grouping::KCluster,
            "dbscan" => Grouping::Dbscan,
            "hierarchical" => Grouping::Hierarchical,
            other => return Err(unknown(py, "method", other, "kcluster, dbscan or hierarchical")),
        });
        if let Some(metric) = metric(py, self.metric.as_deref())? {
            job = job.metric(metric);
        }
        if let Some(k) = self.k {
            job = job.k(k);
        }
        if let Some(starts) = self.starts {
            job = job.starts(starts);
        }
        if let Some(iterations) = self.iterations {
            job = job.iterations(iterations);
        }
        if let Some(radius) = self.radius {
            job = job.radius(radius);
        }
        if let Some(min_points) = self.min_points {
            job = job.min_points(min_points);
        }
        if let Some(linkage) = self.linkage.as_deref() {
            job = job.linkage(match linkage {
                "single" => Linkage::Single,
                "complete" => Linkage::Complete,
                "average" => Linkage::Average,
                other => return Err(unknown(py, "linkage", other, "single, complete or average")),
            });
        }
        if let Some(height) = self.height {
            job = job.height(height);
        }
        if let Some(seed) = self.seed {
            job = job.seed(seed);
        }
        job.check().or_raise(py)?;
        Ok(job)
    }
}

/// Clusters of codes, as JSON. This is post-processing: the guarantee stays that of the codes.
#[pyfunction]
#[pyo3(signature = (pool, group, own=None))]
pub(crate) fn consortium_cluster(
    py: Python<'_>,
    pool: PoolArg,
    group: GroupArg,
    own: Option<&Frame>,
) -> PyResult<String> {
    let (group, consistency) = (group.job(py)?, pool.consistency(py)?);
    let own = own.map(|frame| frame.held.clone());
    job::run(py, None, None, move |watch: JobWatch| {
        let pooled = pool.read(own.as_deref(), consistency, watch.clone())?;
        let grouped = group.watch(watch).run(&pooled)?;
        let labels: Vec<i64> = grouped.labels.iter().map(|label| label.map_or(-1, i64::from)).collect();
        let clusters: Vec<_> = grouped
            .clusters
            .iter()
            .map(|cluster| {
                json!({
                    "size": cluster.size,
                    "within": cluster.within,
                    "next": cluster.next,
                    "representative": cluster.representative,
                })
            })
            .collect();
        let ids = pooled.has_ids().then(|| (0..pooled.records()).map(|record| pooled.id(record)).collect::<Vec<_>>());
        Ok(json!({
            "labels": labels,
            "clusters": clusters,
            "objective": grouped.objective,
            "converged": grouped.converged,
            "metric": grouped.metric.name(),
            "files": files(&pooled),
            "ids": ids,
            "guarantee": named(|| pooled.promise().guarantee.to_string()),
        })
        .to_string())
    })
}

/// The files of codes, with the number of records in each; made-up ones are not counted.
fn files(pooled: &Pooled) -> Vec<(String, usize)> {
    let records = pooled.rows_of_files();
    records.into_iter().map(|file| (file.name, file.last + 1 - file.first - file.bridge)).collect()
}

/// Distances between records, decoded from their codes: pairs of rows, counted from 1 over all files, and distances.
#[pyfunction]
#[pyo3(signature = (pool, pairs=None, metric_name=None, own=None))]
pub(crate) fn consortium_distances(
    py: Python<'_>,
    pool: PoolArg,
    pairs: Option<Vec<(usize, usize)>>,
    metric_name: Option<&str>,
    own: Option<&Frame>,
) -> PyResult<Vec<(usize, usize, f64)>> {
    let (metric, consistency) = (metric(py, metric_name)?, pool.consistency(py)?);
    let own = own.map(|frame| frame.held.clone());
    job::run(py, None, None, move |watch: JobWatch| {
        let pooled = pool.read(own.as_deref(), consistency, watch.clone())?;
        let mut decode = Decode::new().watch(watch);
        if let Some(metric) = metric {
            decode = decode.metric(metric);
        }
        if let Some(pairs) = pairs {
            decode = decode.pairs(pairs);
        }
        Ok(decode.run(&pooled)?.distances)
    })
}
