//! A data set that is put on the lattice when the first run needs it: reading results back needs none of that.

use std::sync::{Arc, OnceLock};

use super::curator::CuratorTable;
use crate::Failure;
use crate::data::Records;

/// A data set, and its rows as curator methods take them.
pub struct OnDemand {
    /// The data set.
    pub records: Arc<Records>,
    table: OnceLock<Result<CuratorTable, String>>,
}

impl OnDemand {
    /// Nothing is done yet.
    #[must_use]
    pub fn new(records: Arc<Records>) -> Self {
        Self { records, table: OnceLock::new() }
    }

    /// The rows.
    pub fn table(&self) -> Result<&CuratorTable, Failure> {
        let make = || self.records.points().map(CuratorTable::new).map_err(|error| error.to_string());
        self.table.get_or_init(make).as_ref().map_err(|error| error.clone().into())
    }

    /// Its name on plots.
    #[must_use]
    pub fn title(&self) -> &'static str {
        self.records.set.title
    }

    /// Its name in keys.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.records.set.name
    }

    /// What a plot must say about it.
    #[must_use]
    pub fn note(&self) -> Option<String> {
        self.records.note()
    }
}
