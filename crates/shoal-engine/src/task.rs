//! A question with all that a worker needs to answer it.

use std::hash::{Hash, Hasher};

use serde::{Deserialize, Serialize};
use shoal_files::{ArrowRows, Missing};
use shoal_lattice::{Bounds, Category, Interval, Scale};
use shoal_scan::Question;

/// The version of the form below. Everyone who takes part in a fit runs the same version of Shoal, because another one might
/// place a row elsewhere on the lattice.
const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "/1");

/// How columns become what a question is about.
#[derive(Clone, Debug, PartialEq)]
pub enum Layout {
    /// Points on the lattice of these bounds.
    Lattice {
        /// The bounds, with scales, weights and categories.
        bounds: Bounds,
        /// What to do with a row that lacks a value.
        missing: Missing,
    },
    /// Raw values, before there are bounds.
    Raw {
        /// The columns.
        columns: Vec<String>,
        /// What to do with a row that lacks a value.
        missing: Missing,
    },
}

impl Layout {
    /// The columns that the aggregate function takes, in its order.
    pub fn wanted(&self) -> Vec<String> {
        match self {
            Self::Lattice { bounds, .. } => ArrowRows::wanted(bounds),
            Self::Raw { columns, .. } => columns.clone(),
        }
    }

    /// How many of them are numbers; the others are words.
    pub fn numbers(&self) -> usize {
        match self {
            Self::Lattice { bounds, .. } => bounds.numbers(),
            Self::Raw { columns, .. } => columns.len(),
        }
    }

    /// Number of attributes.
    pub fn dims(&self) -> usize {
        match self {
            Self::Lattice { bounds, .. } => bounds.dims(),
            Self::Raw { columns, .. } => columns.len(),
        }
    }

    /// What turns batches of these columns into rows.
    pub(crate) fn rows(&self) -> ArrowRows {
        match self {
            Self::Lattice { bounds, missing } => ArrowRows::new(bounds, *missing),
            Self::Raw { columns, missing } => ArrowRows::raw(columns, *missing),
        }
    }
}

/// A question and a layout, and both as bytes. Carried once for each part of a plan, not once for each row.
#[derive(Clone, Debug)]
pub struct Task {
    /// What is asked.
    pub question: Question,
    /// About which rows.
    pub layout: Layout,
    bytes: Vec<u8>,
}

impl PartialEq for Task {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl Eq for Task {}

impl Hash for Task {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.bytes.hash(state);
    }
}

/// What precedes the question's own bytes.
#[derive(Serialize, Deserialize)]
struct Head {
    version: String,
    columns: Vec<String>,
    missing: Missing,
    placed: Option<Placed>,
}

#[derive(Serialize, Deserialize)]
struct Placed {
    intervals: Vec<(f64, f64)>,
    scales: Vec<Scale>,
    weights: Vec<f64>,
    categories: Vec<Category>,
}

impl Task {
    /// A task for workers of this version.
    pub fn new(question: Question, layout: Layout) -> Self {
        let head = Head::of(&layout);
        // Unwrap safety: text, finite numbers and lists of them.
        let head = serde_json::to_vec(&head).unwrap();
        let mut bytes = (head.len() as u32).to_le_bytes().to_vec();
        bytes.extend(&head);
        bytes.extend(question.to_bytes());
        Self { question, layout, bytes }
    }

    /// The task as bytes: the layout in JSON, then the question.
    pub fn to_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// A task that came over the wire.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        let broken = || "the bytes hold no task; use the same version everywhere".to_string();
        let (size, rest) = bytes.split_first_chunk::<4>().ok_or_else(broken)?;
        let (head, body) = rest.split_at_checked(u32::from_le_bytes(*size) as usize).ok_or_else(broken)?;
        let version: Version = serde_json::from_slice(head).map_err(|_| broken())?;
        if version.version != VERSION {
            return Err(format!(
                "the driver runs version {} and this executor {VERSION}; use the same version everywhere",
                version.version
            ));
        }
        let head: Head = serde_json::from_slice(head).map_err(|_| broken())?;
        let layout = head.layout().map_err(|error| error.to_string())?;
        let question = Question::from_bytes(body).map_err(|error| error.to_string())?;
        if question.dims().is_some_and(|asked| asked != layout.dims()) {
            return Err("the question is about other columns than the task".into());
        }
        Ok(Self { question, layout, bytes: bytes.to_vec() })
    }
}

/// The one part of the head that every version can read.
#[derive(Deserialize)]
struct Version {
    version: String,
}

impl Head {
    fn of(layout: &Layout) -> Self {
        let version = VERSION.to_string();
        match layout {
            Layout::Raw { columns, missing } => {
                Self { version, columns: columns.clone(), missing: *missing, placed: None }
            }
            Layout::Lattice { bounds, missing } => {
                let numbers = bounds.numbers();
                let intervals = bounds.intervals()[..numbers].iter().map(|it| (it.lo(), it.hi()));
                let placed = Placed {
                    intervals: intervals.collect(),
                    scales: bounds.scales()[..numbers].to_vec(),
                    weights: bounds.weights()[..numbers].to_vec(),
                    categories: bounds.categories().to_vec(),
                };
                let columns = bounds.columns()[..numbers].to_vec();
                Self { version, columns, missing: *missing, placed: Some(placed) }
            }
        }
    }

    fn layout(self) -> Result<Layout, shoal_lattice::BoundsError> {
        let (columns, missing) = (self.columns, self.missing);
        let Some(Placed { intervals, scales, weights, categories }) = self.placed else {
            return Ok(Layout::Raw { columns, missing });
        };
        let intervals = intervals.into_iter().map(|(lo, hi)| Interval::new(lo, hi)).collect::<Result<_, _>>()?;
        let bounds = Bounds::new(columns, intervals)?.scaled(scales, weights)?.with_categories(categories)?;
        Ok(Layout::Lattice { bounds, missing })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task() -> Task {
        let interval = |lo, hi| Interval::new(lo, hi).unwrap();
        let bounds = Bounds::new(vec!["age".into(), "income".into()], vec![interval(0.1, 0.3), interval(1.0, 1e6)]);
        let scaled = bounds.unwrap().scaled(vec![Scale::Linear, "log".parse().unwrap()], vec![1.0, 1.0 / 3.0]).unwrap();
        let bounds = scaled.with_categories(vec![Category::new("sex", ["f", "m"]).unwrap()]).unwrap();
        Task::new(Question::Moments { dims: 4 }, Layout::Lattice { bounds, missing: Missing::Drop })
    }

    #[test]
    fn a_task_comes_back_as_it_was_sent() {
        let task = task();
        let back = Task::from_bytes(task.to_bytes()).unwrap();
        assert_eq!((&back.question, &back.layout), (&task.question, &task.layout));
        let raw = Layout::Raw { columns: vec!["x".into()], missing: Missing::Refuse };
        let raw = Task::new(Question::RowCount, raw);
        assert_eq!(Task::from_bytes(raw.to_bytes()).unwrap().layout, raw.layout);
    }

    #[test]
    fn another_version_is_named_and_damage_is_refused() {
        let bytes = task().to_bytes().to_vec();
        let text = String::from_utf8_lossy(&bytes[4..]).find(VERSION).unwrap();
        let mut other = bytes.clone();
        other[4 + text] = b'9';
        let error = Task::from_bytes(&other).unwrap_err();
        assert!(error.contains("the driver runs version 9") && error.contains(VERSION), "{error}");
        for cut in [0, 3, 4, 40, bytes.len() - 1] {
            assert!(Task::from_bytes(&bytes[..cut]).is_err(), "{cut}");
        }
    }
}
