//! Reports that people's devices make, and clusters of them.

use std::sync::Mutex;

use pyo3::prelude::*;
use shoal::{Cluster, Error, Perturbation, Radius, ServerMethod};
use shoal_crowd::report_file::Reports;
use shoal_device::{Limit, Mechanism, choose_radius};
use shoal_lattice::{Bounds, Interval};
use shoal_privacy::Epsilon;

use crate::errors::{OrRaise, exception, named};
use crate::frame::{Frame, SourceArg};
use crate::job::{self, JobWatch};
use crate::model::Model;

/// What everyone agrees on beforehand.
#[pyclass(frozen, module = "shoal._shoal")]
#[derive(Clone)]
pub(crate) struct Design {
    design: shoal_device::Design,
}

#[pymethods]
impl Design {
    /// A design of a mechanism for an ε within bounds.
    #[staticmethod]
    #[pyo3(signature = (mechanism, epsilon, bounds, identifier=None))]
    fn make(
        py: Python<'_>,
        mechanism: &str,
        epsilon: &str,
        bounds: Vec<(String, f64, f64)>,
        identifier: Option<String>,
    ) -> PyResult<Self> {
        let epsilon: Epsilon = shoal::IntoEpsilon::into_epsilon(epsilon).or_raise(py)?;
        let intervals = bounds.iter().map(|(_, lo, hi)| Interval::new(*lo, *hi)).collect::<Result<_, _>>();
        let names = bounds.iter().map(|(name, ..)| name.clone()).collect();
        let bounds = Bounds::new(names, intervals.or_raise(py)?).or_raise(py)?;
        let (dims, rate) = (bounds.dims(), epsilon.to_f64_up());
        let mechanism = match mechanism {
            "bpm" => Mechanism::Bpm { radius_steps: choose_radius::information(dims, rate).steps },
            "laplace" => Mechanism::Laplace,
            "laplace-metric" => Mechanism::LaplaceMetric,
            "nd-laplace" => Mechanism::NdLaplace {
                radius_steps: choose_radius::nd_laplace(dims, rate).steps,
                ending: shoal_device::Ending::Raw,
            },
            _ => {
                let message =
                    format!("there is no mechanism {mechanism}; give bpm, laplace, laplace-metric or nd-laplace");
                return Err(exception(py, "UsageError", message, "unknown-mechanism"));
            }
        };
        let mut design = shoal_device::Design::new(mechanism, epsilon, bounds).or_raise(py)?;
        if let Some(identifier) = identifier {
            design = design.with_identifier(identifier).or_raise(py)?;
        }
        Ok(Self { design })
    }

    /// Reads a published design.
    #[staticmethod]
    fn from_json(py: Python<'_>, text: &str) -> PyResult<Self> {
        let design = shoal_device::Design::from_json(text).or_raise(py)?;
        design.numbers_only("this package").or_raise(py)?;
        Ok(Self { design })
    }

    /// The design as it is published.
    fn to_json(&self) -> String {
        self.design.to_json()
    }

    /// A hash that distinguishes designs.
    #[getter]
    fn digest(&self) -> String {
        self.design.digest()
    }

    /// The names of the columns, in the order of a record.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.design.bounds().columns().to_vec()
    }

    /// What one report guarantees to its sender, in a sentence.
    #[getter]
    fn guarantee(&self, py: Python<'_>) -> PyResult<String> {
        let promises = self.design.promises().or_raise(py)?;
        Ok(named(|| promises.guarantee.to_string()))
    }
}

/// A person's device: values in, one noisy report out.
#[pyclass(frozen, module = "shoal._shoal")]
pub(crate) struct Device {
    design: shoal_device::Design,
    device: Mutex<shoal_device::Device>,
}

#[pymethods]
impl Device {
    /// A device that reports under a design, if that stays within the person's own limit.
    #[new]
    #[pyo3(signature = (design, any_two_records=None, unit_of_distance=None))]
    fn new(
        py: Python<'_>,
        design: &Design,
        any_two_records: Option<&str>,
        unit_of_distance: Option<&str>,
    ) -> PyResult<Self> {
        let limit = |text: &str| shoal::IntoEpsilon::into_epsilon(text).or_raise(py);
        let limit = match (any_two_records, unit_of_distance) {
            (None, None) => None,
            (Some(any), None) => Some(Limit::any_two_records(limit(any)?)),
            (None, Some(unit)) => Some(Limit::unit_of_distance(limit(unit)?)),
            (Some(any), Some(unit)) => Some(Limit::any_two_records(limit(any)?).and_unit_of_distance(limit(unit)?)),
        };
        let device = match limit {
            Some(limit) => shoal_device::Device::within(&design.design, &limit),
            None => shoal_device::Device::new(&design.design),
        };
        let device = device.map_err(|error| exception(py, "Error", named(|| error.to_string()), error.code()))?;
        Ok(Self { design: design.design.clone(), device: Mutex::new(device) })
    }

    /// A report of one record, as the JSON that a device sends.
    fn report(&self, py: Python<'_>, values: Vec<f64>) -> PyResult<String> {
        let mut device = self.device.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let report = device.report(&values);
        let report = report.map_err(|error| exception(py, "DataError", named(|| error.to_string()), error.code()))?;
        Ok(serde_json::to_string(&report).unwrap_or_default())
    }

    /// The noisy values of a report in the units of the columns.
    fn values(&self, py: Python<'_>, report: &str) -> PyResult<Vec<f64>> {
        let values = parse(py, report)?.to_user(&self.design);
        values.map_err(|error| exception(py, "DataError", named(|| error.to_string()), error.code()))
    }
}

fn parse(py: Python<'_>, text: &str) -> PyResult<shoal_device::Report> {
    let broken = |_| exception(py, "DataError", "this is not a report: it is not JSON of that form", "not-a-report");
    serde_json::from_str(text).map_err(broken)
}

/// What is clustered: reports as they came, with their design, or files of reports.
#[derive(FromPyObject)]
pub(crate) enum ReportsArg {
    /// Texts of reports.
    #[pyo3(transparent)]
    Texts(Vec<String>),
    /// A file.
    #[pyo3(transparent)]
    File(SourceArg),
}

/// Clusters reports. This is post-processing: what it finds keeps the guarantee of the reports.
#[pyfunction]
#[pyo3(signature = (reports, k, design=None, method=None, seed=None, published=None, smallest_batch=None))]
#[expect(clippy::too_many_arguments, reason = "Python names them")]
pub(crate) fn cluster_reports(
    py: Python<'_>,
    reports: ReportsArg,
    k: &str,
    design: Option<&Design>,
    method: Option<&str>,
    seed: Option<u64>,
    published: Option<&str>,
    smallest_batch: Option<u64>,
) -> PyResult<Model> {
    let mut cluster = Cluster::new(k).or_raise(py)?;
    if let Some(delta) = published {
        cluster = cluster.published(delta, smallest_batch).or_raise(py)?;
    }
    if let Some(seed) = seed {
        cluster = cluster.seed(seed);
    }
    let method = match method {
        None => None,
        Some("noise-aware") => Some(ServerMethod::NoiseAware),
        Some("tk-means") => Some(ServerMethod::TkMeans),
        Some("kmeans") => Some(ServerMethod::KMeans),
        Some(other) => {
            let message = format!("there is no method {other}; give noise-aware, tk-means or kmeans");
            return Err(exception(py, "UsageError", message, "unknown-method"));
        }
    };
    if let Some(method) = method {
        cluster = cluster.method(method);
    }
    let reports = match (reports, design) {
        (ReportsArg::File(file), _) => Reports::read(vec![Frame::source(file)]).or_raise(py)?,
        (ReportsArg::Texts(texts), Some(design)) => collected(py, &texts, &design.design)?,
        (ReportsArg::Texts(_), None) => {
            return Err(exception(
                py,
                "UsageError",
                "give the design that the reports were made under",
                "design-needed",
            ));
        }
    };
    let model = job::run(py, None, None, move |watch: JobWatch| cluster.watch(watch).run_reports(reports))?;
    Ok(Model::new(model, None, None))
}

/// Reports that came one by one, as a file would hold them.
fn collected(py: Python<'_>, texts: &[String], design: &shoal_device::Design) -> PyResult<Reports> {
    // Written and read again, so that whatever a file is checked for is checked here.
    let digest = design.digest();
    let mut columns = vec![Vec::with_capacity(texts.len()); design.bounds().dims()];
    for text in texts {
        let report = parse(py, text)?;
        if report.design != digest || report.steps.len() != columns.len() {
            let message = "a report was made under another design; give those of one design";
            return Err(exception(py, "DataError", message, "other-design"));
        }
        for (column, steps) in columns.iter_mut().zip(&report.steps) {
            column.push(steps.0);
        }
    }
    let failed = |source| Error::WriteReports { source };
    let promises = design.promises().or_raise(py)?;
    let mut bytes = Vec::new();
    let form = shoal_crowd::report_file::Form::Parquet;
    let mut file = shoal_crowd::report_file::ReportWriter::new(&mut bytes, design, &promises, false, form)
        .map_err(failed)
        .or_raise(py)?;
    file.append(&columns).map_err(failed).or_raise(py)?;
    file.finish().map_err(failed).or_raise(py)?;
    Reports::read(vec![shoal_files::Source::Memory(bytes)]).or_raise(py)
}

/// Simulates a crowd: each row of a table makes one report. Returns the file of reports and the guarantee.
#[pyfunction]
#[pyo3(signature = (frame, epsilon, bounds, mechanism, seed=None))]
pub(crate) fn perturb(
    py: Python<'_>,
    frame: &Frame,
    epsilon: &str,
    bounds: crate::fit::BoundsArg,
    mechanism: &str,
    seed: Option<u64>,
) -> PyResult<(Vec<u8>, String)> {
    let mut job = shoal::Perturb::new(epsilon).or_raise(py)?;
    job = match bounds.public().or_raise(py)? {
        Some(spec) => job.public_bounds(spec),
        None => match &bounds {
            crate::fit::BoundsArg::Text(text) => job.bounds(text).or_raise(py)?,
            _ => job,
        },
    };
    job = job.mechanism(match mechanism {
        "bpm" => Perturbation::Bpm(Radius::Information),
        "laplace" => Perturbation::Laplace,
        "laplace-metric" => Perturbation::LaplaceMetric,
        "nd-laplace" => Perturbation::NdLaplace(shoal_device::Ending::Raw),
        _ => {
            let message = format!("there is no mechanism {mechanism}; give bpm, laplace, laplace-metric or nd-laplace");
            return Err(exception(py, "UsageError", message, "unknown-mechanism"));
        }
    });
    if let Some(seed) = seed {
        job = job.seed(seed);
    }
    let held = frame.held.clone();
    job::run(py, None, None, move |watch: JobWatch| {
        let mut bytes = Vec::new();
        let form = shoal_crowd::report_file::Form::Parquet;
        let made = job.watch(watch).run_to(held.input()?, &mut bytes, form)?;
        Ok((bytes, named(|| made.promises.guarantee.to_string())))
    })
}
