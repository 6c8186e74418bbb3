//! The description of a file of reports.

use serde::{Deserialize, Serialize};
use shoal_privacy::{Claim, Epsilon, Guarantee, Published};

use crate::report_file::mixed::difference;
use crate::report_file::{VERSION, check};
use shoal_device::{Design, Mechanism, Promises, Sampler};
use shoal_files::sealed::{Content, Difference, IntegerContent, REPORTS, SealedKind};
use shoal_lattice::{Bounds, Category, Interval, STEPS};

/// The JSON under [`KEY`](super::KEY).
#[derive(Serialize, Deserialize)]
pub(super) struct Description {
    pub(super) version: u32,
    pub(super) mechanism: Mechanism,
    pub(super) epsilon: Epsilon,
    pub(super) sampler: Sampler,
    pub(super) columns: Vec<String>,
    pub(super) bounds: Vec<Interval>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) categories: Vec<Category>,
    /// Lattice steps across the bounds.
    pub(super) steps: u64,
    pub(super) guarantee: Guarantee,
    pub(super) also: Vec<Claim>,
    pub(super) published: Published,
    pub(super) seeded: bool,
    /// Version of the program.
    pub(super) shoal: String,
}

impl Description {
    pub(super) fn new(design: &Design, promises: &Promises, seeded: bool) -> Self {
        let Promises { guarantee, also, published } = promises.clone();
        Self {
            version: VERSION,
            mechanism: design.mechanism().clone(),
            epsilon: design.epsilon().clone(),
            sampler: design.sampler(),
            columns: design.columns().map(str::to_owned).collect(),
            bounds: design.bounds().intervals().to_vec(),
            categories: design.categories().to_vec(),
            steps: STEPS,
            guarantee,
            also,
            published,
            seeded,
            shoal: env!("CARGO_PKG_VERSION").into(),
        }
    }

    /// The design, or what in it makes no sense.
    pub(super) fn design(&self) -> Result<Design, String> {
        let numbers = self.columns[..self.bounds.len()].to_vec();
        let bounds = Bounds::new(numbers, self.bounds.clone())
            .and_then(|bounds| bounds.with_categories(self.categories.clone()))
            .map_err(|error| error.to_string())?;
        Design::new(self.mechanism.clone(), self.epsilon.clone(), bounds)
            .map(|design| design.with_sampler(self.sampler))
            .map_err(|error| error.to_string())
    }
}

impl Content for Description {
    const KIND: &'static SealedKind = &REPORTS;
    type Layout = ();

    fn layout(&self) -> Result<(), String> {
        check::shape(self)
    }

    fn difference(&self, other: &Self) -> Option<Difference> {
        difference(self, other)
    }
}

impl IntegerContent for Description {
    fn columns(&self) -> &[String] {
        &self.columns
    }
}
