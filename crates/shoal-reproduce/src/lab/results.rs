//! What was measured.

use std::collections::BTreeMap;
use std::fmt::Write;

use shoal_page::text::csv_cell;

use super::Key;
use crate::Failure;
use crate::statistics::Summary;

/// All runs of a cell.
pub struct Measured {
    /// Its parameters.
    pub key: Key,
    /// What a run reports.
    pub measures: &'static [&'static str],
    /// The runs, in the order of their numbers: a value for each measure, or several records one after the other.
    pub runs: Vec<Vec<f64>>,
}

impl Measured {
    /// A measure over the runs. Only for cells whose runs report one record.
    pub fn values(&self, measure: &str) -> Result<Vec<f64>, Failure> {
        let at = self.position(measure)?;
        Ok(self.runs.iter().map(|run| run[at]).collect())
    }

    /// Mean, standard error and quartiles of a measure over the runs.
    pub fn summary(&self, measure: &str) -> Result<Summary, Failure> {
        Ok(Summary::of(&self.values(measure)?))
    }

    /// The records of a run, for cells whose runs report many, such as the points of a picture.
    pub fn records(&self, run: usize) -> impl Iterator<Item = &[f64]> {
        self.runs[run].chunks_exact(self.measures.len())
    }

    fn position(&self, measure: &str) -> Result<usize, Failure> {
        let position = self.measures.iter().position(|own| *own == measure);
        position.ok_or_else(|| format!("{} does not measure {measure}", self.key).into())
    }
}

/// What was measured for a figure.
pub struct Results(BTreeMap<Key, Measured>);

impl Results {
    /// These cells.
    #[must_use]
    pub fn new(cells: Vec<Measured>) -> Self {
        Self(cells.into_iter().map(|cell| (cell.key.clone(), cell)).collect())
    }

    /// A cell.
    pub fn get(&self, key: &Key) -> Result<&Measured, Failure> {
        self.0.get(key).ok_or_else(|| format!("{key} was not measured").into())
    }

    /// Mean, standard error and quartiles of a measure of a cell.
    pub fn summary(&self, key: &Key, measure: &str) -> Result<Summary, Failure> {
        self.get(key)?.summary(measure)
    }

    /// All cells.
    pub fn cells(&self) -> impl Iterator<Item = &Measured> {
        self.0.values()
    }

    /// The one cell with these parameters among its own, or none. Two are an error: the parameters say too little.
    pub fn find(&self, parameters: &BTreeMap<String, String>) -> Result<Option<&Measured>, Failure> {
        let fits = |cell: &&Measured| parameters.iter().all(|(name, value)| cell.key.get(name) == Some(value));
        let mut fitting = self.0.values().filter(fits);
        match (fitting.next(), fitting.next()) {
            (Some(one), Some(other)) => Err(format!("{parameters:?} fits both {} and {}", one.key, other.key).into()),
            (found, _) => Ok(found),
        }
    }

    /// A line for each cell and measure. Cells whose runs report many records have a line for each record of the first run,
    /// in a table of its own.
    #[must_use]
    pub fn csv(&self) -> String {
        let mut names: Vec<&str> = Vec::new();
        for (name, _) in self.0.keys().flat_map(Key::parameters) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        let mut out = format!("{},measure,runs,mean,standard_error,min,q1,median,q3,max\n", names.join(","));
        for cell in self.0.values() {
            let single = cell.runs.iter().all(|run| run.len() == cell.measures.len());
            let parameters: Vec<_> = names.iter().map(|name| csv_cell(cell.key.get(name).unwrap_or(""))).collect();
            let parameters = parameters.join(",");
            for (at, measure) in cell.measures.iter().enumerate() {
                if single {
                    let summary = Summary::of(&cell.runs.iter().map(|run| run[at]).collect::<Vec<_>>());
                    let _ = writeln!(out, "{parameters},{measure},{}", summary.csv());
                } else {
                    for value in cell.records(0).map(|record| record[at]) {
                        let _ = writeln!(out, "{parameters},{measure},1,{value:?},,,,,,");
                    }
                }
            }
        }
        out
    }
}
