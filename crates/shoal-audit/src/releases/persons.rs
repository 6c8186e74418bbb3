//! Tables that differ in all rows of one person: what a method loses between them, release by release.
//!
//! Each table is text in which persons have several rows in no order. It is read and grouped as a job does it
//! ([`load_persons`]), so that whatever grouping lets through of one person's rows is in the answers. A loss is a multiple of
//! what the release is charged for one row: at most one where a person counts with one row, at most M, and M² in zCDP, where
//! they count with M.

use shoal_curator::internals::WitnessedNoise;
use shoal_curator::{PrivateBounds, System};
use shoal_files::{
    LoadOptions, PerPerson, PersonKey, PersonRows, PointStore, ReadOptions, Silent, Source, Table, load_persons,
};
use shoal_lattice::{LatticeMap, LatticePoints};
use shoal_privacy::{Accountant, Allowance, Epsilon, Loss};
use shoal_scan::{LocalScan, Scan, TableScan};

use super::Tally;
use super::methods::run;
use super::run::{Job, record};
use super::tables::{HIGH, LOW, Rows, bounds_of_lattice};
use crate::runs::RunFailure;

/// Persons beside the one who comes and goes.
const PERSONS: usize = 30;

/// Names that are tried for that person.
const NAMES: usize = 4000;

/// How rows are grouped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grouped {
    /// By person, with this much memory.
    ByPerson(usize),
    /// Not at all: what the audit must find.
    NotAtAll,
}

/// One method on tables of persons.
pub struct Setting<'a> {
    /// The number of columns.
    pub dims: usize,
    /// Which rows of a person count.
    pub per_person: &'a PerPerson,
    /// How rows are grouped.
    pub grouped: Grouped,
    /// Rows of the person who comes and goes.
    pub rows: usize,
    /// What tables and noise follow from.
    pub seed: u64,
}

/// What was found, and whether any release was charged in zCDP.
pub struct Found {
    /// The comparisons.
    pub tally: Tally,
    /// Losses grow with the square of the rows then.
    pub concentrated: bool,
}

impl Setting<'_> {
    /// Compares every release of a system.
    ///
    /// # Errors
    /// When a table cannot be read, or the system refuses it.
    pub fn check(&self, system: &dyn System) -> Result<Found, RunFailure> {
        let job = |scan: &dyn Scan, noise: &mut WitnessedNoise| run(system, scan, noise);
        self.compare(&job, |rows| Ok(Box::new(LocalScan::new(self.points(rows)?)) as Box<dyn Scan>))
    }

    /// Compares both histograms of bought bounds.
    ///
    /// # Errors
    /// When a table cannot be read.
    pub fn check_bounds(&self, epsilon: &Epsilon) -> Result<Found, RunFailure> {
        let bounds = PrivateBounds::new(epsilon, self.dims)?;
        let job = |scan: &dyn Scan, noise: &mut WitnessedNoise| {
            let mut accountant = Accountant::new(Allowance::without_ledger(bounds.claim()));
            let counted = bounds.count(scan).map_err(shoal_curator::FitError::from)?;
            let found = bounds.run(counted, scan, &mut accountant, noise)?;
            Ok((format!("{found:?}"), accountant.promised().loss))
        };
        self.compare(&job, |rows| {
            let table = self.open(rows)?;
            let persons = PersonRows::group(&table, self.per_person, self.key(), 0, &Silent);
            // A scan borrows its rows; these last as long as the test.
            let persons = Box::leak(Box::new(persons.map_err(failed)?));
            Ok(Box::new(TableScan::new(persons, &Silent)) as Box<dyn Scan>)
        })
    }

    fn compare(
        &self,
        job: &Job<'_>,
        scan: impl Fn(&[String]) -> Result<Box<dyn Scan>, RunFailure>,
    ) -> Result<Found, RunFailure> {
        let mut random = Rows::new(self.dims, self.seed);
        let others = self.others(&mut random);
        let without = scan(&others)?;
        let seeds = [random.word(), random.word()];
        let first = record(job, &*without, seeds, None)?;
        let mut tally = Tally::default();
        first.check(&mut tally);
        let concentrated = first.steps.iter().any(|step| matches!(step.charge, Loss::Zcdp(_)));
        let name = self.last_name(&others)?;
        let mixed: Vec<i16> = (0..self.dims).map(|axis| if axis % 2 == 0 { LOW } else { HIGH }).collect();
        for (row, words) in
            [(vec![HIGH; self.dims], "a corner"), (mixed, "another corner"), (random.row(), "some place")]
        {
            let with = scan(&self.with(&others, &name, &row, &mut random))?;
            let second = record(job, &*with, seeds, Some(&first.script))?;
            first.compare(&second, true, &format!("{} rows of a person at {words}", self.rows), &mut tally);
        }
        Ok(Found { tally, concentrated })
    }

    fn key(&self) -> PersonKey {
        PersonKey::new([self.seed, 1, 2, 3])
    }

    /// Rows of the other persons as text, in no order.
    fn others(&self, random: &mut Rows) -> Vec<String> {
        let mut lines = Vec::new();
        for person in 0..PERSONS {
            for _ in 0..1 + random.below(5) {
                let row = random.row();
                let at = random.below(lines.len() + 1);
                lines.insert(at, line(&format!("p{person}"), random.below(9), &row));
            }
        }
        lines
    }

    /// The same with the rows of one more person among them.
    fn with(&self, others: &[String], name: &str, row: &[i16], random: &mut Rows) -> Vec<String> {
        let mut lines = others.to_vec();
        for _ in 0..self.rows {
            let at = random.below(lines.len() + 1);
            lines.insert(at, line(name, random.below(9), row));
        }
        lines
    }

    /// A name whose person comes after all others. Methods that deal rows to blocks do it by the place of a row, so for the
    /// same key only what is appended leaves the others where they were.
    fn last_name(&self, others: &[String]) -> Result<String, RunFailure> {
        if self.grouped == Grouped::NotAtAll {
            return Ok("somebody".into());
        }
        let rows = |lines: &[String]| -> Result<Vec<Vec<i16>>, RunFailure> {
            let mut all = Vec::new();
            self.points(lines)?
                .for_each_chunk(|points: &LatticePoints| {
                    let row = |r| (0..self.dims).map(|axis| points.get(r, axis)).collect();
                    all.extend((0..points.rows()).map(row));
                    Ok::<(), shoal_files::DataError>(())
                })
                .map_err(failed)?;
            Ok(all)
        };
        let before = rows(others)?;
        for number in 0..NAMES {
            let name = format!("q{number}");
            // Somewhere no other row is, so that the place shows.
            let line = line(&name, 0, &vec![12_345; self.dims]);
            let after = rows(&[others, &[line]].concat())?;
            if after.starts_with(&before) {
                return Ok(name);
            }
        }
        Err(RunFailure::Other("no name comes last".into()))
    }

    fn points(&self, lines: &[String]) -> Result<PointStore, RunFailure> {
        let map = LatticeMap::new(&bounds_of_lattice(self.dims)?);
        let table = self.open(lines)?;
        match self.grouped {
            Grouped::ByPerson(memory) => {
                let options = LoadOptions { memory, chunk_rows: Some(16), two_readers: false };
                load_persons(&table, &map, self.per_person, self.key(), &options, &Silent).map_err(failed)
            }
            Grouped::NotAtAll => shoal_files::load_points(table, map, &LoadOptions::default(), &Silent).map_err(failed),
        }
    }

    fn open(&self, lines: &[String]) -> Result<Table, RunFailure> {
        let names: Vec<String> = (0..self.dims).map(|column| format!("c{column}")).collect();
        let csv = format!("who,when,{}\n{}\n", names.join(","), lines.join("\n"));
        let options = ReadOptions {
            columns: Some(names),
            person: vec!["who".into()],
            order: self.per_person.order().map(Into::into),
            ..ReadOptions::default()
        };
        Table::open(Source::Memory(csv.into_bytes()), &options).map_err(failed)
    }
}

fn failed(error: shoal_files::DataError) -> RunFailure {
    RunFailure::Other(error.to_string())
}

fn line(name: &str, day: usize, row: &[i16]) -> String {
    let values: Vec<String> = row.iter().map(i16::to_string).collect();
    format!("{name},2024-03-{:02},{}", day + 1, values.join(","))
}
