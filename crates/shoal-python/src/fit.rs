//! Clustering a table, with all settings of the library.

use std::path::PathBuf;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use shoal::{Error, Fit, Fitted};
use shoal_curator::{Knobs, Matching, Merge, RangeRule};
use shoal_files::{BoundsSpec, DateOrder, DecimalMark, Missing, TableFormat};
use shoal_lattice::{Category, Interval};
use shoal_privacy::Amount;

use crate::declared::{CategoriesArg, Declared, ScaleArg, WeightArg};
use crate::errors::{OrRaise, exception};
use crate::frame::Frame;
use crate::job::{self, JobWatch};
use crate::model::Model;

/// Limits of columns as Python gives them.
#[derive(Clone, FromPyObject)]
pub(crate) enum BoundsArg {
    /// As the program takes them, also those that are bought.
    #[pyo3(transparent)]
    Text(String),
    /// One pair for all columns.
    #[pyo3(transparent)]
    All((f64, f64)),
    /// Column by column.
    #[pyo3(transparent)]
    Named(Vec<(String, f64, f64)>),
}

impl BoundsArg {
    /// Public limits; nothing where they are given as text.
    pub(crate) fn public(&self) -> Result<Option<BoundsSpec>, Error> {
        Ok(match self {
            Self::Text(_) => None,
            Self::All((lo, hi)) => Some(BoundsSpec::All(Interval::new(*lo, *hi)?)),
            Self::Named(columns) => {
                let pair = |(name, lo, hi): &(String, f64, f64)| Ok((name.clone(), Interval::new(*lo, *hi)?));
                Some(BoundsSpec::Named(columns.iter().map(pair).collect::<Result<_, Error>>()?))
            }
        })
    }

    /// The columns that they name.
    pub(crate) fn names(&self) -> impl Iterator<Item = &String> {
        let named = match self {
            Self::Named(columns) => columns.as_slice(),
            _ => &[],
        };
        named.iter().map(|(name, ..)| name)
    }
}

/// How a file is written.
#[derive(Clone, Default, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct FormatArg {
    delimiter: Option<char>,
    decimal: Option<String>,
    dates: Option<String>,
    sheet: Option<String>,
    pub(crate) no_header: bool,
    pub(crate) multiline: bool,
}

impl FormatArg {
    /// The same for the library.
    pub(crate) fn format(&self) -> PyResult<TableFormat> {
        let delimiter = match self.delimiter.map(u8::try_from) {
            None => None,
            Some(Ok(mark)) if mark.is_ascii() => Some(mark),
            Some(_) => return Err(PyValueError::new_err("delimiter: give one ASCII character")),
        };
        let decimal = match self.decimal.as_deref() {
            None => None,
            Some("point" | ".") => Some(DecimalMark::Point),
            Some("comma" | ",") => Some(DecimalMark::Comma),
            Some(_) => return Err(PyValueError::new_err("decimal: give 'point' or 'comma'")),
        };
        let dates = match self.dates.as_deref() {
            None => None,
            Some("dmy") => Some(DateOrder::DayFirst),
            Some("mdy") => Some(DateOrder::MonthFirst),
            Some(_) => return Err(PyValueError::new_err("dates: give 'dmy' or 'mdy'")),
        };
        Ok(TableFormat { delimiter, decimal, dates, sheet: self.sheet.clone(), ..TableFormat::default() })
    }
}

/// What a fit, or an estimate of bounds, needs to know of its table.
#[derive(Clone, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Settings {
    pub(crate) k: String,
    pub(crate) epsilon: String,
    pub(crate) delta: String,
    pub(crate) bounds: Option<BoundsArg>,
    scale: Option<ScaleArg>,
    weight: Option<WeightArg>,
    categories: Option<CategoriesArg>,
    method: String,
    pub(crate) columns: Option<Vec<String>>,
    pub(crate) person: Vec<String>,
    pub(crate) per_person: Option<String>,
    pub(crate) missing: String,
    pub(crate) rows: Option<u64>,
    rows_public: bool,
    keep_cells: bool,
    sampling: bool,
    pub(crate) ledger: Option<PathBuf>,
    pub(crate) dataset: Option<String>,
    pub(crate) population: Option<String>,
    pub(crate) seed: Option<u64>,
    pub(crate) threads: Option<usize>,
    pub(crate) memory: Option<usize>,
    options: Vec<(String, String)>,
}

/// What is done about missing values.
pub(crate) fn missing(text: &str) -> PyResult<Missing> {
    match text {
        "refuse" => Ok(Missing::Refuse),
        "drop" => Ok(Missing::Drop),
        "middle" => Ok(Missing::Middle),
        "category" => Ok(Missing::Category),
        _ => Err(PyValueError::new_err("missing: give 'refuse', 'drop', 'middle' or 'category'")),
    }
}

impl Settings {
    /// Scales, weights and categories.
    pub(crate) fn declared(&self, py: Python<'_>) -> PyResult<Declared> {
        Declared::new(self.scale.as_ref(), self.weight.as_ref(), self.categories.as_ref()).or_raise(py)
    }

    /// The fit, but for its ledger and its listener.
    pub(crate) fn fit(&self, py: Python<'_>) -> PyResult<Fit> {
        self.declared(py)?.apply(self.fit_of_scan(py)?).or_raise(py)
    }

    /// The same for rows that are on their lattice already: without scales, weights and categories.
    pub(crate) fn fit_of_scan(&self, py: Python<'_>) -> PyResult<Fit> {
        let mut fit = Fit::new(self.k.as_str(), self.epsilon.as_str())
            .and_then(|fit| fit.delta(self.delta.as_str()))
            .and_then(|fit| fit.method(&self.method))
            .or_raise(py)?
            .missing(missing(&self.missing)?)
            .person(&self.person);
        fit = match &self.bounds {
            None => fit,
            Some(BoundsArg::Text(text)) => fit.bounds(text).or_raise(py)?,
            Some(bounds) => match bounds.public().or_raise(py)? {
                Some(spec) => fit.public_bounds(spec),
                None => fit,
            },
        };
        if let Some(way) = &self.per_person {
            fit = fit.per_person(way).or_raise(py)?;
        }
        if let Some(rows) = self.rows {
            fit = fit.rows(rows);
        }
        if self.rows_public {
            fit = fit.rows_public();
        }
        if self.keep_cells {
            fit = fit.keep_cells();
        }
        if self.sampling {
            fit = fit.sampling();
        }
        if let Some(seed) = self.seed {
            fit = fit.seed(seed);
        }
        if let Some(columns) = &self.columns {
            fit = fit.columns(columns);
        }
        if let Some(bytes) = self.memory {
            fit = fit.memory(bytes);
        }
        let (knobs, share) = knobs(py, &self.options)?;
        fit = fit.knobs(knobs);
        Ok(match share {
            Some(share) => fit.count_share(share),
            None => fit,
        })
    }

    /// The same with its ledger.
    pub(crate) fn with_ledger(&self, py: Python<'_>, fit: Fit) -> PyResult<Fit> {
        match (&self.ledger, &self.dataset, &self.population) {
            (None, ..) => Ok(fit),
            (Some(path), _, Some(people)) => fit.population(path, people).or_raise(py),
            (Some(path), Some(dataset), None) => fit.ledger(path, dataset).or_raise(py),
            (Some(_), None, None) => Err(exception(
                py,
                "UsageError",
                "a table in memory has no name; say which data set of the ledger it is with dataset",
                "dataset-needed",
            )),
        }
    }

    /// Names of columns that have to be numbers.
    pub(crate) fn wanted(&self, categories: &[Category]) -> Vec<String> {
        let bounds = self.bounds.iter().flat_map(|bounds| bounds.names());
        let is_number = |name: &&String| categories.iter().all(|category| category.column() != name.as_str());
        self.columns.iter().flatten().chain(bounds).filter(is_number).cloned().collect()
    }
}

/// The options of methods, by their names.
fn knobs(py: Python<'_>, options: &[(String, String)]) -> PyResult<(Knobs, Option<Amount>)> {
    fn parsed<T: std::str::FromStr>(py: Python<'_>, name: &str, text: &str, wanted: &str) -> PyResult<T> {
        let wrong = || exception(py, "UsageError", format!("option {name} is {text}; give {wanted}"), "option");
        text.parse().map_err(|_| wrong())
    }
    let (mut knobs, mut count_share) = (Knobs::default(), None);
    for (name, text) in options {
        let whole = || parsed(py, name, text, "a whole number");
        let small = || parsed(py, name, text, "a whole number");
        let number = || parsed(py, name, text, "a number");
        let share = || parsed::<Amount>(py, name, text, "a share such as 0.5 or 1/2");
        let word = |known: &[&str]| {
            let wanted = format!("one of {}", known.join(", "));
            let found = known.iter().position(|known| known == text);
            found
                .ok_or_else(|| exception(py, "UsageError", format!("option {name} is {text}; give {wanted}"), "option"))
        };
        match name.as_str() {
            "iterations" => knobs.iterations = Some(small()?),
            "theta" => knobs.theta = Some(number()?),
            "inits" => knobs.inits = Some(whole()?),
            "max_cells" => knobs.max_cells = Some(whole()?),
            "rho" => knobs.rho = Some(number()?),
            "synopsis_share" => knobs.synopsis_share = Some(share()?),
            "structure_share" => knobs.structure_share = Some(share()?),
            "score_share" => knobs.score_share = Some(share()?),
            "blocks" => knobs.blocks = Some(small()?),
            "matching" => knobs.matching = Some([Matching::Sort, Matching::Assign][word(&["sort", "assign"])?]),
            "range" => {
                let known = [RangeRule::Outputs, RangeRule::Full, RangeRule::Quartiles];
                knobs.range = Some(known[word(&["outputs", "full", "quartiles"])?]);
            }
            "range_share" => knobs.range_share = Some(share()?),
            "population" => knobs.population = Some(whole()?),
            "picks" => knobs.picks = Some(whole()?),
            "mutation" => knobs.mutation = Some(number()?),
            "n" => knobs.n = Some(whole()?),
            "merge" => knobs.merge = Some([Merge::Nearest, Merge::Ward][word(&["nearest", "ward"])?]),
            "reruns" => knobs.reruns = Some(whole()?),
            "shares" => {
                let shares = text.split(',').map(|text| parsed(py, name, text, "shares separated by commas"));
                knobs.shares = Some(shares.collect::<PyResult<_>>()?);
            }
            "count_share" => count_share = Some(share()?),
            _ => {
                return Err(exception(py, "UsageError", format!("there is no option {name}"), "unknown-option"));
            }
        }
    }
    Ok((knobs, count_share))
}

/// Checks, reads, pays and clusters.
#[pyfunction]
#[pyo3(signature = (frame, settings, form=None, earlier=None, progress=None))]
pub(crate) fn fit(
    py: Python<'_>,
    frame: &Frame,
    settings: Settings,
    form: Option<FormatArg>,
    earlier: Option<&Model>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Model> {
    let mut fit = settings.fit(py)?;
    // What makes no sense is refused before a ledger or a file is opened.
    fit.check().or_raise(py)?;
    if let Some(form) = &form {
        fit = fit.format(form.format()?);
        fit = if form.no_header { fit.no_header() } else { fit };
        fit = if form.multiline { fit.multiline() } else { fit };
    }
    if let Some(earlier) = earlier {
        fit = fit.match_with((*earlier.model).clone());
    }
    fit = settings.with_ledger(py, fit)?;
    let (held, threads) = (frame.held.clone(), settings.threads);
    let wanted = settings.wanted(&settings.declared(py)?.categories);
    let work = move |watch: JobWatch| {
        held.check_numbers(&wanted)?;
        fit.watch(watch).run_fully(held.input()?)
    };
    Ok(Model::of_fit(job::run(py, threads, progress, work)?))
}

impl Model {
    pub(crate) fn of_fit(mut fitted: Fitted) -> Self {
        // A model that is paid for is not lost over a mark.
        let _ = fitted.finish();
        Self::new(fitted.model, fitted.synopsis, fitted.left)
    }
}

/// The names of all methods, with a line on each.
#[pyfunction]
pub(crate) fn methods() -> Vec<(&'static str, &'static str)> {
    shoal_curator::methods().map(|method| (method.info.name, method.info.summary)).collect()
}
