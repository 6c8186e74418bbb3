//! The data sets of the papers, and substitutes for those that cannot be had.

mod catalogue;
mod made_up;
mod records;

pub use catalogue::{DataSet, Standing, by_name};
pub use made_up::gaussians;
pub use records::Records;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use crate::Failure;

/// Data sets, each read once.
pub struct DataRoom {
    folder: Option<PathBuf>,
    read: Mutex<HashMap<&'static str, Arc<Records>>>,
}

impl DataRoom {
    /// Data sets from this folder. Four small ones are part of the program and need none.
    #[must_use]
    pub fn new(folder: Option<PathBuf>) -> Self {
        Self { folder, read: Mutex::default() }
    }

    /// A data set, or an error that says how to get it.
    pub fn get(&self, name: &str) -> Result<Arc<Records>, Failure> {
        let set = by_name(name).ok_or_else(|| format!("there is no data set {name}"))?;
        let mut read = self.read.lock().map_err(|_| "reading another data set failed")?;
        if let Some(records) = read.get(set.name) {
            return Ok(records.clone());
        }
        let records = Arc::new(Records::read(set, self.folder.as_deref())?);
        read.insert(set.name, records.clone());
        Ok(records)
    }

    /// Those of these data sets that are there, and a sentence about each that is not.
    pub fn available(&self, names: &[&'static str]) -> (Vec<Arc<Records>>, Vec<String>) {
        let (mut there, mut missing) = (Vec::new(), Vec::new());
        for name in names {
            match self.get(name) {
                Ok(records) => there.push(records),
                Err(error) => missing.push(error.to_string()),
            }
        }
        (there, missing)
    }
}
