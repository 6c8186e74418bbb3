//! Neighbouring tables for the algorithms of a trusted holder: few rows, and one more.

use std::collections::BTreeMap;
use std::sync::Arc;

use shoal_curator::synopsis_file::SynopsisFile;
use shoal_curator::{FitError, Outcome, System};
use shoal_files::PointStore;
use shoal_lattice::{HALF_WIDTH, Lattice, LatticePoints};
use shoal_noise::NoiseSource;
use shoal_privacy::{Allowance, Neighbours, Published};
use shoal_scan::LocalScan;

use super::outcome::Attacker;
use crate::allowed::short;
use crate::releases::tables::{Engine, bounds_of_lattice};
use crate::runs::{RunFailure, Runs, Side};
use crate::statistical::search::PairSpace;
use crate::{Allowed, Pair};

/// Most rows of a table, the one more not counted: more would only hide it.
const MOST_ROWS: usize = 30;
/// The lowest coordinate.
const LOW: i16 = -(HALF_WIDTH as i16);
/// The highest coordinate.
const HIGH: i16 = HALF_WIDTH as i16;

/// A table, and the row that only the other table has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tables {
    /// The rows of both.
    pub rows: Vec<Vec<i16>>,
    /// The one more.
    pub row: Vec<i16>,
}

impl Tables {
    /// The rows of the larger table.
    #[must_use]
    pub fn with_the_row(&self) -> Vec<Vec<i16>> {
        self.rows.iter().chain([&self.row]).cloned().collect()
    }

    /// "12 rows at the lower corner; one more at the upper corner".
    #[must_use]
    pub fn words(&self) -> String {
        let mut places: BTreeMap<&[i16], usize> = BTreeMap::new();
        self.rows.iter().for_each(|row| *places.entry(row).or_default() += 1);
        let each = |(place, count): (&&[i16], &usize)| {
            let rows = if *count == 1 { "a row".into() } else { format!("{count} rows") };
            format!("{rows} at {}", place_words(place))
        };
        let rows = match places.len() {
            0 => "no rows".into(),
            1..=4 => places.iter().map(each).collect::<Vec<_>>().join(", "),
            many => format!("{} rows at {many} places", self.rows.len()),
        };
        let more = if self.rows.is_empty() { "one" } else { "one more" };
        format!("{rows}; {more} at {}", place_words(&self.row))
    }
}

fn place_words(place: &[i16]) -> String {
    if place.iter().all(|&x| x == LOW) {
        return "the lower corner".into();
    }
    if place.iter().all(|&x| x == HIGH) {
        return "the upper corner".into();
    }
    if place.iter().all(|&x| x == 0) {
        return "the middle".into();
    }
    let coordinates: Vec<String> = place.iter().map(|&x| short((Lattice(x).in_box().0 * 1e3).round() / 1e3)).collect();
    format!("({})", coordinates.join(", "))
}

/// Makes the system under audit. It is made anew for each batch of runs, on the thread that runs them.
pub type Make = Arc<dyn Fn() -> Result<Box<dyn System>, FitError> + Send + Sync>;

/// Neighbouring tables for one system.
#[derive(Clone)]
pub struct CuratorPairs {
    make: Make,
    k: usize,
    dims: usize,
    allowed: Allowed,
    engine: Engine,
    file_only: bool,
}

impl CuratorPairs {
    /// Pairs of tables of `dims` attributes for a system that was asked for up to `k` clusters. What it may lose is what it
    /// claims.
    pub fn new(k: usize, dims: usize, make: Make) -> Result<Self, RunFailure> {
        let claim = make()?.claim();
        if claim.neighbours != Neighbours::AddRemoveOne {
            return Err(RunFailure::Other("these tables differ in one row more, which the claim is not about".into()));
        }
        let allowed = Allowed::of(&claim.loss, 1.0);
        Ok(Self { make, k, dims, allowed, engine: Engine::Memory, file_only: false })
    }

    /// The same pairs with rows that are read in another way.
    #[must_use]
    pub fn read_by(self, engine: Engine) -> Self {
        Self { engine, ..self }
    }

    /// The same pairs for an attacker who has the synopsis file and nothing else.
    #[must_use]
    pub fn of_the_file(self) -> Self {
        Self { file_only: true, ..self }
    }

    /// The same pairs held against another claim: of a mutant, or in another unit.
    #[must_use]
    pub fn promising(self, allowed: Allowed) -> Self {
        Self { allowed, ..self }
    }

    /// What the system may lose.
    #[must_use]
    pub fn allowed(&self) -> &Allowed {
        &self.allowed
    }

    /// A pair that shows much for most systems, where there is no time for a search.
    #[must_use]
    pub fn usual(&self) -> Tables {
        Tables { rows: Vec::new(), row: self.place(|_| HIGH) }
    }

    fn place(&self, each: impl Fn(usize) -> i16) -> Vec<i16> {
        (0..self.dims).map(each).collect()
    }

    /// Somewhere: a corner, the middle, another row's place or anywhere.
    fn anywhere(&self, tables: &Tables, noise: &mut dyn NoiseSource) -> Vec<i16> {
        match below(noise, 5) {
            0 => (0..self.dims).map(|_| if below(noise, 2) == 0 { LOW } else { HIGH }).collect(),
            1 => self.place(|_| 0),
            2 if !tables.rows.is_empty() => tables.rows[below(noise, tables.rows.len())].clone(),
            _ => (0..self.dims).map(|_| (below(noise, 65_535) as i32 - i32::from(HIGH)) as i16).collect(),
        }
    }
}

fn below(noise: &mut dyn NoiseSource, end: usize) -> usize {
    // So small a number of places that the bias of a remainder does not matter to a search.
    (noise.next_u64() % end as u64) as usize
}

impl PairSpace for CuratorPairs {
    type Spec = Tables;

    fn catalogue(&self) -> Vec<Tables> {
        let (low, high, middle) = (self.place(|_| LOW), self.place(|_| HIGH), self.place(|_| 0));
        let many = |place: &Vec<i16>, count| vec![place.clone(); count];
        let tables = |rows: Vec<Vec<i16>>, row: &Vec<i16>| Tables { rows, row: row.clone() };
        let mut catalogue = vec![
            tables(vec![], &high),
            tables(vec![], &middle),
            // All in a corner, and one in the opposite one: few, where choices are tipped, and more.
            tables(many(&low, 2), &high),
            tables(many(&low, 12), &high),
            // A cluster that is empty before.
            tables(many(&low, 12), &self.place(|_| 9_000)),
            // A cluster that grows, where a tree's box has just about enough rows to be cut.
            tables(many(&high, 4), &high),
            tables(many(&high, 12), &high),
            // On the bisector of two clusters.
            tables([many(&low, 8), many(&high, 8)].concat(), &middle),
        ];
        if self.dims > 1 {
            // At an extreme in each attribute, and all extremes taken.
            let mixed = self.place(|axis| if axis % 2 == 0 { LOW } else { HIGH });
            catalogue.push(tables(vec![], &mixed));
            catalogue.push(tables([many(&low, 6), many(&high, 6)].concat(), &mixed));
        }
        catalogue
    }

    fn vary(&self, from: &Tables, noise: &mut dyn NoiseSource) -> Tables {
        let mut tables = from.clone();
        let place = self.anywhere(from, noise);
        match below(noise, 6) {
            0 => tables.row = place,
            1 => {
                let room = MOST_ROWS - tables.rows.len().min(MOST_ROWS);
                let more = (1 + below(noise, 8)).min(room);
                tables.rows.extend(vec![place; more]);
            }
            2 if !tables.rows.is_empty() => {
                tables.rows.truncate(below(noise, tables.rows.len()));
            }
            3 if !tables.rows.is_empty() => {
                let moved = below(noise, tables.rows.len());
                tables.rows[moved] = place;
            }
            4 => tables.rows.fill(place),
            _ => {
                // Both the row and the others elsewhere, at quite another number.
                tables.row = place;
                let other = self.anywhere(from, noise);
                tables.rows = vec![other; below(noise, MOST_ROWS)];
            }
        }
        tables
    }

    fn pair(&self, tables: &Tables) -> Result<Pair, RunFailure> {
        let attacker = Attacker::new(&tables.rows, &tables.row);
        let side = |rows: Vec<Vec<i16>>| -> Box<dyn Side> {
            let Self { k, dims, engine, file_only, .. } = *self;
            Box::new(Fits { make: self.make.clone(), rows, k, dims, engine, file_only, attacker: attacker.clone() })
        };
        let (first, second) = (side(tables.with_the_row()), side(tables.rows.clone()));
        let pair = Pair::new(tables.words(), first, second, self.allowed.clone());
        Ok(Attacker::scores().into_iter().fold(pair, Pair::with_score))
    }
}

/// A system on one table.
struct Fits {
    make: Make,
    rows: Vec<Vec<i16>>,
    k: usize,
    dims: usize,
    engine: Engine,
    file_only: bool,
    attacker: Attacker,
}

impl Side for Fits {
    fn draw(&self, runs: usize, noise: &mut dyn NoiseSource, out: &mut Runs) -> Result<(), RunFailure> {
        let system = (self.make)()?;
        let claim = system.claim();
        let scan = self.engine.scan(self.dims, &self.rows)?;
        for _ in 0..runs {
            let mut outcome = system.run(&*scan, Allowance::without_ledger(claim.clone()), noise)?;
            if self.file_only {
                outcome = in_the_file(outcome, self.dims)?;
            }
            self.attacker.tell(&outcome, self.k, out);
            out.end_run();
        }
        Ok(())
    }
}

/// What the synopsis file holds of an outcome.
fn in_the_file(outcome: Outcome, dims: usize) -> Result<Outcome, RunFailure> {
    let bounds = bounds_of_lattice(dims)?;
    let file = SynopsisFile::of(outcome.clone(), &bounds, "", Published::new("", ""));
    let file = file.ok_or_else(|| RunFailure::Other("the method released no synopsis".into()))?;
    Ok(Outcome {
        centres: Vec::new(),
        sizes: Vec::new(),
        size_noise: Vec::new(),
        noise_per_centre: Vec::new(),
        also: Vec::new(),
        charged: file.synopsis.charged.clone(),
        decisions: file.synopsis.decisions.clone(),
        synopsis: Some(file.synopsis),
        nicv: None,
        certainty: None,
        ..outcome
    })
}

/// A table in memory; there may be no rows.
#[must_use]
pub fn scan_of(dims: usize, rows: &[Vec<i16>]) -> LocalScan {
    let mut points = LatticePoints::new(dims);
    rows.iter().for_each(|row| points.push_row(row));
    LocalScan::new(PointStore::InMemory(points))
}
