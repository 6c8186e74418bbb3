//! A data set in memory.

use std::path::Path;

use sha2::{Digest, Sha256};
use shoal_files::{DataError, ReadOptions, Silent, Source, Table};
use shoal_lattice::{Bounds, Interval, LatticeMap, LatticePoints};

use super::{DataSet, Grade, made_up_table};
use crate::figure::MISSING;
use crate::{Failure, Key};

/// Rows of numbers, with the classes that the source gives them.
pub struct Records {
    /// Which data set it is.
    pub set: &'static DataSet,
    /// Names of the attributes.
    pub columns: Vec<String>,
    /// The rows, one after the other.
    pub values: Vec<f64>,
    /// The column `label`.
    pub labels: Option<Vec<usize>>,
    /// Smallest and largest value of each attribute.
    pub limits: Vec<(f64, f64)>,
    /// Rows of the whole file.
    in_file: usize,
    /// The first bytes of the file's SHA-256: results are kept for this file and no other.
    digest: String,
    /// Whether it is made up because the real one is not at hand.
    made_up: bool,
}

/// The column with classes.
const LABEL: &str = "label";

impl Records {
    pub(super) fn read(set: &'static DataSet, folder: Option<&Path>) -> Result<Self, Failure> {
        let there = folder.map(|folder| folder.join(set.file)).and_then(|path| std::fs::read(path).ok());
        match there.or_else(|| set.built_in.map(<[u8]>::to_vec)) {
            Some(bytes) => Self::from_file(set, bytes),
            None => Self::made_up(set),
        }
    }

    /// A made-up table in the place of one that is not at hand.
    fn made_up(set: &'static DataSet) -> Result<Self, Failure> {
        let table = made_up_table(set);
        let mut rows = table.rows;
        rows.truncate(set.rows.unwrap_or(rows.len()));
        let dims = set.shape.1;
        let values: Vec<f64> = rows.concat();
        let mut hash = Sha256::new();
        values.iter().for_each(|x| hash.update(x.to_le_bytes()));
        let digest = hash.finalize()[..4].iter().map(|byte| format!("{byte:02x}")).collect();
        let limits = (0..dims).map(|column| limits(values.iter().skip(column).step_by(dims))).collect();
        let columns = (0..dims).map(|at| format!("x{}", at + 1)).collect();
        let mut labels = table.labels;
        labels.truncate(rows.len());
        let (in_file, made_up) = (set.shape.0, true);
        Ok(Self { set, columns, values, labels: Some(labels), limits, in_file, digest, made_up })
    }

    fn from_file(set: &'static DataSet, bytes: Vec<u8>) -> Result<Self, Failure> {
        let digest = Sha256::digest(&bytes)[..4].iter().map(|byte| format!("{byte:02x}")).collect();
        let table = Table::open(Source::Memory(bytes), &ReadOptions::default())?;
        let all = table.columns().to_vec();
        let mut rows: Vec<Vec<f64>> = Vec::new();
        table.for_each_batch(4096, &Silent, |batch| {
            for row in 0..batch.column(0).len() {
                rows.push((0..all.len()).map(|column| batch.column(column)[row]).collect());
            }
            Ok::<(), DataError>(())
        })?;
        let in_file = rows.len();
        rows.truncate(set.rows.unwrap_or(rows.len()));
        let label = all.iter().position(|name| name == LABEL);
        let labels = label.map(|at| rows.iter().map(|row| row[at] as usize).collect());
        let kept: Vec<usize> = (0..all.len()).filter(|at| Some(*at) != label || set.class_counts).collect();
        if kept.is_empty() || rows.is_empty() {
            return Err(format!("{} has no rows or no columns beside {LABEL}: {}", set.title, set.file).into());
        }
        if kept.len() != set.shape.1 {
            let (title, file, has, wanted) = (set.title, set.file, kept.len(), set.shape.1);
            return Err(format!(
                "{title}{MISSING}{file} has {has} attributes instead of {wanted}, so it is another table; take it out of the folder"
            )
            .into());
        }
        let values: Vec<f64> = rows.iter().flat_map(|row| kept.iter().map(|&at| row[at])).collect();
        let limits = (0..kept.len()).map(|column| limits(values.iter().skip(column).step_by(kept.len()))).collect();
        Ok(Self {
            set,
            columns: kept.iter().map(|&at| all[at].clone()).collect(),
            values,
            labels,
            limits,
            in_file,
            digest,
            made_up: false,
        })
    }

    /// How many rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.values.len() / self.dims()
    }

    /// How many attributes.
    #[must_use]
    pub fn dims(&self) -> usize {
        self.columns.len()
    }

    /// What a plot must say about it: for what it is a substitute, and whether it is the table that the record is about.
    #[must_use]
    pub fn note(&self) -> Option<String> {
        if self.made_up {
            let (words, file) = (self.set.kind.words(), self.set.file);
            return Some(format!("MADE UP ({words}): the real table, {file}, is not at hand; see docs/data.md"));
        }
        let other = (self.in_file != self.set.shape.0)
            .then(|| format!("{} has {} rows, the table on record {}", self.set.file, self.in_file, self.set.shape.0));
        let notes: Vec<_> = self.set.standing.note().map(str::to_string).into_iter().chain(other).collect();
        (!notes.is_empty()).then(|| notes.join("; "))
    }

    /// Whether it is made up because the real one is not at hand.
    #[must_use]
    pub fn is_made_up(&self) -> bool {
        self.made_up
    }

    /// How near it is to the paper's.
    #[must_use]
    pub fn grade(&self) -> Grade {
        if self.made_up { Grade::MadeUp } else { self.set.standing.grade() }
    }

    /// The key of cells on these data.
    #[must_use]
    pub fn key(&self, experiment: &'static str) -> Key {
        Key::new(experiment).with("data", self.set.name).with("file", &self.digest)
    }

    /// Between its own limits, on [0, 1] in each attribute, one row after the other. A constant attribute is in the middle.
    #[must_use]
    pub fn unit(&self) -> Vec<f64> {
        let dims = self.dims();
        let scaled = |(at, &x): (usize, &f64)| {
            let (lo, hi) = self.limits[at % dims];
            if lo < hi { (x - lo) / (hi - lo) } else { 0.5 }
        };
        self.values.iter().enumerate().map(scaled).collect()
    }

    /// On the lattice between its own limits, as curator methods take it: [−1, 1] in box units.
    pub fn points(&self) -> Result<LatticePoints, Failure> {
        // A constant attribute says nothing; it sits in the middle of an interval.
        let wide = |&(lo, hi): &(f64, f64)| if lo < hi { (lo, hi) } else { (lo - 1.0, hi + 1.0) };
        let intervals: Result<Vec<Interval>, _> =
            self.limits.iter().map(wide).map(|(lo, hi)| Interval::new(lo, hi)).collect();
        let map = LatticeMap::new(&Bounds::new(self.columns.clone(), intervals?)?);
        let dims = self.dims();
        let mut points = LatticePoints::with_capacity(dims, self.rows());
        let mut row = vec![0; dims];
        for values in self.values.chunks_exact(dims) {
            for (at, (&value, place)) in values.iter().zip(&mut row).enumerate() {
                *place = map.to_lattice(at, value).ok_or("a value is not a number")?.0;
            }
            points.push_row(&row);
        }
        Ok(points)
    }
}

fn limits<'a>(values: impl Iterator<Item = &'a f64>) -> (f64, f64) {
    values.fold((f64::INFINITY, f64::NEG_INFINITY), |(lo, hi), &x| (lo.min(x), hi.max(x)))
}
