//! The data sets of the papers, and substitutes for those that cannot be had.

mod catalogue;
pub mod convert;
mod generated;
mod made_up;
mod mixtures;
mod recipes;
mod records;

pub use catalogue::{DataSet, Grade, Standing, all, by_name};
pub use generated::{Kind, MadeUpTable, table as made_up_table};
pub use made_up::gaussians;
pub use mixtures::Mixture;
pub use records::Records;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use crate::Failure;

/// Data sets, each read once.
pub struct DataRoom {
    folder: Option<PathBuf>,
    read: Mutex<HashMap<&'static str, Arc<Records>>>,
    /// How near those are that have been asked for since somebody began to watch.
    asked: Mutex<Vec<(&'static str, Grade)>>,
}

/// Which data sets a figure asks for while this is there.
pub struct Watched<'a>(&'a DataRoom);

impl Watched<'_> {
    /// How near the farthest of them is to the paper's.
    #[must_use]
    pub fn farthest(&self) -> Grade {
        self.0.asked.lock().ok().and_then(|asked| asked.iter().map(|(_, grade)| *grade).max()).unwrap_or(Grade::Exact)
    }

    /// Those that are made up because the real ones are not at hand.
    #[must_use]
    pub fn made_up(&self) -> Vec<&'static str> {
        let Ok(asked) = self.0.asked.lock() else { return Vec::new() };
        let is_made_up = |name: &&str| self.0.get(name).is_ok_and(|records| records.is_made_up());
        let names: Vec<&'static str> = asked.iter().map(|(name, _)| *name).collect();
        drop(asked);
        names.into_iter().filter(is_made_up).collect()
    }
}

impl DataRoom {
    /// Data sets from this folder. Four small ones are part of the program; a table that is nowhere is made up.
    #[must_use]
    pub fn new(folder: Option<PathBuf>) -> Self {
        Self { folder, read: Mutex::default(), asked: Mutex::default() }
    }

    /// Begins to watch which data sets are asked for.
    pub fn watched(&self) -> Watched<'_> {
        if let Ok(mut asked) = self.asked.lock() {
            asked.clear();
        }
        Watched(self)
    }

    /// A data set, made up where it is not at hand; an error for a file that is another table.
    pub fn get(&self, name: &str) -> Result<Arc<Records>, Failure> {
        let set = by_name(name).ok_or_else(|| format!("there is no data set {name}"))?;
        let mut read = self.read.lock().map_err(|_| "reading another data set failed")?;
        let records = match read.get(set.name) {
            Some(records) => records.clone(),
            None => Arc::new(Records::read(set, self.folder.as_deref())?),
        };
        read.insert(set.name, records.clone());
        if let Ok(mut asked) = self.asked.lock() {
            asked.push((set.name, records.grade()));
        }
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
