//! Neighbouring tables on the lattice, and the ways in which their rows are read.

use shoal_files::{LoadOptions, PointStore, ReadOptions, Silent, Source, Table, load_points};
use shoal_lattice::{Bounds, HALF_WIDTH, Interval, LatticeMap, LatticePoints};
use shoal_noise::uniform::below;
use shoal_noise::{NoiseSource, SeededNoise};
use shoal_privacy::Sensitive;
use shoal_scan::{Answer, Gathering, LocalScan, Partial, Question, Scan, ScanError};

use crate::runs::RunFailure;

/// The lowest coordinate.
pub const LOW: i16 = -(HALF_WIDTH as i16);
/// The highest coordinate.
pub const HIGH: i16 = HALF_WIDTH as i16;

/// How rows are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// Threads on rows in memory.
    Memory,
    /// A table that is read again in each pass, a tile or two at a time.
    Streamed,
    /// Three shards that exchange bytes.
    Sharded,
}

impl Engine {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Memory, Self::Streamed, Self::Sharded];

    /// In a word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Memory => "in memory",
            Self::Streamed => "streamed",
            Self::Sharded => "in shards",
        }
    }

    /// The rows, ready to be asked about.
    ///
    /// # Errors
    /// When the rows cannot be read back.
    pub fn scan(self, dims: usize, rows: &[Vec<i16>]) -> Result<Box<dyn Scan>, RunFailure> {
        match self {
            // A reader of files refuses an empty one.
            Self::Memory => Ok(Box::new(LocalScan::new(PointStore::InMemory(points(dims, rows))))),
            Self::Streamed if rows.is_empty() => Self::Memory.scan(dims, rows),
            Self::Streamed => Ok(Box::new(LocalScan::new(streamed(dims, rows)?))),
            Self::Sharded => {
                let cuts = [0, rows.len() / 3, rows.len() / 3, rows.len()];
                let shard = |ends: &[usize]| (ends[0] as u64, points(dims, &rows[ends[0]..ends[1]]));
                Ok(Box::new(Shards { dims, shards: cuts.windows(2).map(shard).collect() }))
            }
        }
    }
}

/// Rows in tiles.
#[must_use]
pub fn points(dims: usize, rows: &[Vec<i16>]) -> LatticePoints {
    let mut points = LatticePoints::new(dims);
    rows.iter().for_each(|row| points.push_row(row));
    points
}

/// The rows as a table of text. Bounds of one lattice unit per unit leave every number as it is.
fn streamed(dims: usize, rows: &[Vec<i16>]) -> Result<PointStore, RunFailure> {
    let failed = |why: String| RunFailure::Other(why);
    let names: Vec<String> = (0..dims).map(|column| format!("c{column}")).collect();
    let mut csv = names.join(",") + "\n";
    for row in rows {
        csv += &row.iter().map(i16::to_string).collect::<Vec<_>>().join(",");
        csv.push('\n');
    }
    let table = Table::open(Source::Memory(csv.into_bytes()), &ReadOptions::default());
    let table = table.map_err(|error| failed(error.to_string()))?;
    let bounds = bounds_of_lattice(dims)?;
    let options = LoadOptions { memory: 0, chunk_rows: Some(32), two_readers: false };
    load_points(table, LatticeMap::new(&bounds), &options, &Silent).map_err(|error| failed(error.to_string()))
}

/// Columns c0, c1, … with bounds of one lattice unit per unit.
///
/// # Errors
/// Without a column.
pub fn bounds_of_lattice(dims: usize) -> Result<Bounds, RunFailure> {
    let names = (0..dims).map(|column| format!("c{column}")).collect();
    let interval = Interval::new(LOW.into(), HIGH.into());
    let bounds = interval.and_then(|interval| Bounds::new(names, vec![interval; dims]));
    bounds.map_err(|error| RunFailure::Other(error.to_string()))
}

/// Rows in parts that share nothing but bytes, one of them without rows.
struct Shards {
    dims: usize,
    shards: Vec<(u64, LatticePoints)>,
}

impl Scan for Shards {
    fn dims(&self) -> usize {
        self.dims
    }

    fn ask(&self, question: &Question) -> Result<Sensitive<Answer>, ScanError> {
        question.check_for(self.dims)?;
        let names = (0..self.shards.len()).map(|shard| shard.to_string());
        let mut gathering = Gathering::new(question, names)?;
        for (number, (first_row, rows)) in self.shards.iter().enumerate() {
            let partial = Partial::of_shard(question, rows, *first_row)?;
            let bytes = if question.moves_rows() { partial.to_bytes_with_rows() } else { partial.to_bytes()? };
            gathering.take_bytes(&number.to_string(), &bytes)?;
        }
        gathering.finish()
    }
}

/// Random rows: clusters, corners, ties, places at the bounds.
pub struct Rows {
    random: SeededNoise,
    /// Number of columns.
    pub dims: usize,
}

impl Rows {
    /// Rows that follow from a seed.
    #[must_use]
    pub fn new(dims: usize, seed: u64) -> Self {
        Self { random: SeededNoise::new(seed), dims }
    }

    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        below(&mut self.random, end.max(1) as u64) as usize
    }

    /// A word that other randomness can follow from.
    pub fn word(&mut self) -> u64 {
        self.random.next_u64()
    }

    /// A coordinate: often an end, the middle or a neighbour of one.
    pub fn coordinate(&mut self) -> i16 {
        match self.below(8) {
            0 => LOW,
            1 => HIGH,
            2 => 0,
            3 => [LOW + 1, HIGH - 1, 1, -1][self.below(4)],
            _ => (self.below(65_535) as i32 - HALF_WIDTH) as i16,
        }
    }

    /// A row anywhere.
    pub fn row(&mut self) -> Vec<i16> {
        match self.below(5) {
            0 => (0..self.dims).map(|_| if self.below(2) == 0 { LOW } else { HIGH }).collect(),
            1 => vec![self.coordinate(); self.dims],
            _ => (0..self.dims).map(|_| self.coordinate()).collect(),
        }
    }

    /// The same table without values near the ends. A quantile shows its whole loss only where positions remain on both
    /// sides of it: with a quarter of the rows at an end, halved noise on a quartile there would break no claim.
    pub fn off_the_ends(&mut self, mut table: Vec<Vec<i16>>) -> Vec<Vec<i16>> {
        const INNER: usize = 24_000;
        for x in table.iter_mut().flatten().filter(|x| usize::from(x.unsigned_abs()) > INNER) {
            *x = (self.below(2 * INNER + 1) as i32 - INNER as i32) as i16;
        }
        table
    }

    /// So many rows, some of them equal.
    pub fn table(&mut self, rows: usize) -> Vec<Vec<i16>> {
        let mut table: Vec<Vec<i16>> = Vec::with_capacity(rows);
        while table.len() < rows {
            let row = if self.below(3) == 0 && !table.is_empty() {
                table[self.below(table.len())].clone()
            } else {
                self.row()
            };
            table.push(row);
        }
        table
    }

    /// The rows with one more at a random place.
    pub fn with(&mut self, rows: &[Vec<i16>], row: Vec<i16>) -> Vec<Vec<i16>> {
        let mut more = rows.to_vec();
        let at = self.below(rows.len() + 1);
        more.insert(at, row);
        more
    }
}
