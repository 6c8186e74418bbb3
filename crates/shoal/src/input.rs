//! What a job can work on, and how it is read.

use std::io::Read;
use std::path::{Path, PathBuf};

use shoal_files::{
    BoundsSpec, DataError, FileKind, KeptKind, LoadOptions, Matrix, Missing, PersonKey, PersonRows, PointStore,
    ReadOptions, Rows, Source, Table, TableFormat, load_persons, load_points, looks_like_a_key,
};
use shoal_lattice::{Bounds, BoundsError, Category, LatticeMap, Scaling};
use shoal_privacy::{Assumption, Sensitive};
use shoal_scan::TableScan;

use crate::Error;
use crate::persons::Persons;
use crate::watch::{Notice, Phase, Watcher};

/// Rows of a table that is read piece by piece get at least this many bytes at a time.
const LEAST_CHUNK: usize = 64 << 10;

/// Bytes that reading takes beside the rows, whatever the format: buffers, and a cell of every column.
const READING: usize = 128 << 10;
const READING_PER_COLUMN: usize = 32 << 10;

/// Rows read at a time where nothing is kept of them.
const BATCH: usize = 4096;

/// A table of people: a file, standard input, bytes, or columns in memory.
///
/// Paths turn into inputs by themselves: `fit.run("people.csv")`.
#[non_exhaustive]
pub enum Input<'a> {
    /// A file or a stream: CSV (also gzipped or in zstd), Parquet, Arrow, .xlsx or .ods.
    Source(Source),
    /// Columns in memory.
    Matrix(Box<Matrix<'a>>),
}

impl Input<'_> {
    /// Everything that a reader holds, as the content of a file. It is kept in memory, so that it can be read more than
    /// once.
    pub fn from_reader(mut reader: impl Read) -> Result<Self, Error> {
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).map_err(|source| DataError::Io { name: "the reader".into(), source })?;
        Ok(Self::Source(Source::Memory(bytes)))
    }
}

impl From<&str> for Input<'_> {
    fn from(path: &str) -> Self {
        Self::Source(Source::Path(path.into()))
    }
}

impl From<&Path> for Input<'_> {
    fn from(path: &Path) -> Self {
        Self::Source(Source::Path(path.into()))
    }
}

impl From<PathBuf> for Input<'_> {
    fn from(path: PathBuf) -> Self {
        Self::Source(Source::Path(path))
    }
}

impl From<&PathBuf> for Input<'_> {
    fn from(path: &PathBuf) -> Self {
        Self::Source(Source::Path(path.clone()))
    }
}

impl From<Source> for Input<'_> {
    fn from(source: Source) -> Self {
        Self::Source(source)
    }
}

impl<'a> From<Matrix<'a>> for Input<'a> {
    fn from(matrix: Matrix<'a>) -> Self {
        Self::Matrix(Box::new(matrix))
    }
}

/// How rows are read.
#[derive(Clone, Debug)]
pub(crate) struct Reading {
    pub(crate) columns: Option<Vec<String>>,
    pub(crate) label: Option<String>,
    pub(crate) persons: Persons,
    /// Scales and weights of columns.
    pub(crate) scaling: Scaling,
    /// Columns of words, with their levels.
    pub(crate) categories: Vec<Category>,
    /// The categories are those of a model: they are read as they are, whatever becomes of gaps.
    pub(crate) of_model: bool,
    /// Columns that are handed on word for word.
    pub(crate) kept: Vec<String>,
    pub(crate) missing: Missing,
    /// Rows that lack a value are handed on where they would be left out.
    pub(crate) hand_on_gaps: bool,
    pub(crate) no_header: bool,
    /// Quoted cells may span lines.
    pub(crate) multiline: bool,
    /// How the table is written.
    pub(crate) format: TableFormat,
    /// Tables without rows are read like any other.
    pub(crate) empty: bool,
    pub(crate) memory: usize,
    pub(crate) threads: Option<usize>,
    /// Noisy cells may be read as a table.
    pub(crate) cells: bool,
}

impl Default for Reading {
    fn default() -> Self {
        let memory = LoadOptions::default().memory;
        Self {
            columns: None,
            label: None,
            persons: Persons::default(),
            scaling: Scaling::default(),
            categories: Vec::new(),
            of_model: false,
            kept: Vec::new(),
            missing: Missing::Refuse,
            hand_on_gaps: false,
            no_header: false,
            multiline: false,
            format: TableFormat::default(),
            empty: false,
            memory,
            threads: None,
            cells: false,
        }
    }
}

impl Reading {
    pub(crate) fn options(&self, columns: Option<Vec<String>>) -> ReadOptions {
        ReadOptions {
            columns,
            label: self.label.clone(),
            person: self.persons.columns.clone(),
            order: self.persons.way().and_then(|way| way.order().map(Into::into)),
            kept: self.kept.clone(),
            categories: Vec::new(),
            missing: self.missing,
            hand_on_gaps: self.hand_on_gaps,
            no_header: self.no_header,
            multiline: self.multiline,
            allow_empty: self.empty,
            stream_limit: self.memory as u64,
            format: self.format.clone(),
        }
    }

    /// Reading for a release about which rows there are: whether there are any is for its noise to hide.
    pub(crate) fn of_release() -> Self {
        Self { empty: true, ..Self::default() }
    }

    /// What the way of reading adds to the conditions of a claim: that there is a result at all reveals that every row
    /// could be read, that none had a gap, unless rows with gaps are left out or count with the middle of the bounds, and
    /// that there was one, where only a row shows how many columns there are.
    pub(crate) fn conditions(&self, columns_known: bool) -> Vec<Assumption> {
        let of_rows = match self.missing {
            Missing::Refuse => Assumption::RowsComplete,
            Missing::Drop | Missing::Middle | Missing::Category => Assumption::RowsReadable,
        };
        let headless = self.no_header && !columns_known && self.columns.is_none();
        std::iter::once(of_rows).chain(headless.then_some(Assumption::SomeRow)).collect()
    }

    /// Opens a table with the columns that were named, or all.
    pub(crate) fn open<'a>(&self, input: Input<'a>) -> Result<Opened<'a>, Error> {
        self.open_columns(input, self.columns.clone())
    }

    /// Opens a table with the columns that were named, or that the bounds name, and settles the bounds.
    pub(crate) fn open_within<'a>(&self, input: Input<'a>, spec: &BoundsSpec) -> Result<(Opened<'a>, Bounds), Error> {
        let mut opened = self.open_columns(input, self.columns_within(spec))?;
        let bounds = spec.resolve(opened.numbers(), opened.all_columns()).map_err(DataError::from)?;
        let bounds = self.with_categories(bounds)?;
        opened.set_bounds(&bounds);
        Ok((opened, bounds))
    }

    /// The columns that were named, or that the bounds name.
    pub(crate) fn columns_within(&self, spec: &BoundsSpec) -> Option<Vec<String>> {
        self.columns.clone().or_else(|| match spec {
            BoundsSpec::Named(pairs) => Some(pairs.iter().map(|(name, _)| name.clone()).collect()),
            BoundsSpec::All(_) => None,
        })
    }

    /// Adds a category to those given before.
    pub(crate) fn add_category(&mut self, category: Category) -> Result<(), Error> {
        let column = category.column();
        if self.categories.iter().any(|other| other.column() == column) {
            let why = "its levels are given twice; list all of them once".into();
            return Err(Error::BoundsText(BoundsError::Levels { column: column.into(), why }));
        }
        self.categories.push(category);
        Ok(())
    }

    /// Bounds of numbers with the categories, scales and weights of this job.
    pub(crate) fn with_categories(&self, bounds: Bounds) -> Result<Bounds, Error> {
        Ok(self.scaling.apply_with(bounds, &self.settled_categories()?)?)
    }

    fn open_columns<'a>(&self, input: Input<'a>, columns: Option<Vec<String>>) -> Result<Opened<'a>, Error> {
        let options = ReadOptions { categories: self.settled_categories()?, ..self.options(columns) };
        match input {
            Input::Source(source) => {
                check_table(&source, self.cells)?;
                Ok(Opened::Table(Table::open(source, &options)?))
            }
            Input::Matrix(matrix) => Ok(Opened::Matrix(matrix.select(&options)?)),
        }
    }

    /// The categories as they are read: with a level for gaps, where these are one.
    pub(crate) fn settled_categories(&self) -> Result<Vec<Category>, Error> {
        if self.missing == Missing::Category && self.categories.is_empty() && !self.of_model {
            return Err(Error::GapsWithoutCategories);
        }
        let with_gaps = self.missing == Missing::Category && !self.of_model;
        let settled = |category: &Category| match with_gaps {
            true => category.clone().counting_gaps(),
            false => Ok(category.clone()),
        };
        Ok(self.categories.iter().map(settled).collect::<Result<_, _>>()?)
    }

    /// Reads every row once, so that bad input costs nothing, and groups the rows of persons under `key`.
    pub(crate) fn load(
        &self,
        opened: Opened<'_>,
        bounds: &Bounds,
        key: PersonKey,
        watch: &Watcher,
    ) -> Result<PointStore, Error> {
        let _read = tracing::info_span!("read", columns = bounds.dims()).entered();
        let map = LatticeMap::new(bounds);
        let reading = watch.phase(Phase::Reading);
        if let Some(way) = self.persons.way() {
            let options =
                LoadOptions { memory: self.memory_for_persons(&opened), chunk_rows: None, two_readers: false };
            return Ok(load_persons(opened.rows(), &map, &way, key, &options, &reading)?);
        }
        match opened {
            Opened::Table(table) => {
                let two_readers = self.threads != Some(1);
                // Pages of a Parquet file may take more than they usually do; then so does reading.
                let memory = self.memory.max(table.pass_memory() + LEAST_CHUNK);
                let options = LoadOptions { memory, chunk_rows: None, two_readers };
                Ok(load_points(table, map, &options, &reading)?)
            }
            Opened::Matrix(matrix) => Ok(PointStore::InMemory(matrix.points_watched(&map, &reading)?)),
        }
    }

    /// Refuses too little memory to read rows piece by piece, also when they would fit: whether there is a result must not
    /// depend on how many rows there are.
    pub(crate) fn check_memory(&self, opened: &Opened<'_>) -> Result<(), Error> {
        let for_persons = self.persons.way().map_or(0, |way| PersonRows::least_memory(opened.dims(), &way));
        let least = READING + READING_PER_COLUMN * opened.dims() + LEAST_CHUNK + for_persons;
        match opened {
            Opened::Table(_) if self.memory < least => Err(Error::TooLittleMemory { least }),
            _ => Ok(()),
        }
    }

    /// What reading leaves of the memory, and at least what grouping takes.
    fn memory_for_persons(&self, opened: &Opened<'_>) -> usize {
        let for_reading = match opened {
            Opened::Table(table) => table.pass_memory(),
            Opened::Matrix(_) => 0,
        };
        self.memory.saturating_sub(for_reading).max(LEAST_CHUNK)
    }

    /// Reads every row once, so that bad input costs nothing: the rows to look at where there are no bounds yet, those of persons
    /// grouped under `key`; and their number.
    pub(crate) fn read_through(
        &self,
        opened: &Opened<'_>,
        key: PersonKey,
        watch: &Watcher,
    ) -> Result<(RawRows, Sensitive<u64>), Error> {
        let Some(way) = self.persons.way() else { return Ok((RawRows::AsTheyAre, opened.read_through(watch)?)) };
        let _read = tracing::info_span!("read", columns = opened.dims()).entered();
        let (memory, reading) = (self.memory_for_persons(opened), watch.phase(Phase::Reading));
        let persons = PersonRows::group(opened.rows(), &way, key, memory, &reading)?;
        let rows = Sensitive::new(persons.rows());
        Ok((RawRows::OfPersons(persons), rows))
    }

    /// One row for each person, of their rows within these bounds of the numbers.
    pub(crate) fn persons_within(
        &self,
        opened: &Opened<'_>,
        bounds: &Bounds,
        seed: Option<u64>,
        progress: &dyn shoal_files::Progress,
    ) -> Result<PersonRows, Error> {
        let way = self.persons.way().unwrap_or_default();
        let (key, memory) = (Persons::key(seed)?, self.memory_for_persons(opened));
        Ok(PersonRows::group_within(opened.rows(), bounds.intervals(), &way, key, memory, progress)?)
    }

    /// Passes on which columns look like names of persons, by their own names, where rows are not grouped by any.
    pub(crate) fn announce_keys(&self, opened: &Opened<'_>, watch: &Watcher) {
        self.announce_keys_among(opened.all_columns(), opened.numbers(), watch);
    }

    /// The same for all columns of a table, and those of numbers that are used.
    pub(crate) fn announce_keys_among(&self, all: &[String], numbers: &[String], watch: &Watcher) {
        if !self.persons.columns.is_empty() {
            return;
        }
        let keys = |names: &[String]| names.iter().filter(|name| looks_like_a_key(name)).cloned().collect::<Vec<_>>();
        let words = self.categories.iter().map(|category| category.column().to_string());
        let used: Vec<String> = numbers.iter().cloned().chain(words).collect();
        let (all, used) = (keys(all), keys(&used));
        if !all.is_empty() {
            watch.notice(&Notice::LooksLikeKey { columns: all, clustered: used });
        }
    }

    /// Runs `work` on as many threads as were asked for. Called after reading, when memory is scarcest.
    pub(crate) fn on_threads<T: Send>(&self, work: impl FnOnce() -> Result<T, Error> + Send) -> Result<T, Error> {
        let Some(threads) = self.threads else { return work() };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.map_err(|error| Error::Threads { threads, why: error.to_string() })?.install(work)
    }
}

/// The rows of a job before there are bounds.
pub(crate) enum RawRows {
    AsTheyAre,
    OfPersons(PersonRows),
}

impl RawRows {
    /// Counts of raw values.
    pub(crate) fn scan<'s>(&'s self, opened: &'s Opened<'_>, progress: &'s dyn shoal_files::Progress) -> TableScan<'s> {
        match self {
            Self::AsTheyAre => opened.raw(progress),
            Self::OfPersons(persons) => TableScan::new(persons, progress),
        }
    }
}

/// Refuses what Shoal released: it could be read as a table of people, and is none. Noisy cells are an ordinary table for
/// jobs that spend nothing.
fn check_table(source: &Source, cells: bool) -> Result<(), Error> {
    match (FileKind::of(source), source) {
        (FileKind::Table, _) => Ok(()),
        (FileKind::Synopsis, _) if cells => Ok(()),
        (kind, Source::Path(path)) => Err(Error::NotATable { path: path.clone(), kind }),
        _ => Ok(()),
    }
}

/// The first file that is named a second time, by whatever path.
pub(crate) fn first_repeated(sources: &[Source]) -> Option<PathBuf> {
    fn path_of(source: &Source) -> Option<&PathBuf> {
        match source {
            Source::Path(path) => Some(path),
            _ => None,
        }
    }
    let paths: Vec<&PathBuf> = sources.iter().filter_map(path_of).collect();
    let same = |one: &Path, other: &Path| match (one.canonicalize(), other.canonicalize()) {
        (Ok(one), Ok(other)) => one == other,
        _ => one == other,
    };
    let repeated = |(i, path): &(usize, &&PathBuf)| paths[..*i].iter().any(|other| same(path, other));
    paths.iter().enumerate().find(repeated).map(|(_, path)| (*path).clone())
}

/// An opened table with its columns chosen.
pub(crate) enum Opened<'a> {
    Table(Table),
    Matrix(Matrix<'a>),
}

impl Opened<'_> {
    pub(crate) fn columns(&self) -> &[String] {
        match self {
            Self::Table(table) => table.columns(),
            Self::Matrix(matrix) => matrix.columns(),
        }
    }

    /// The columns of numbers.
    pub(crate) fn numbers(&self) -> &[String] {
        match self {
            Self::Table(table) => table.numbers(),
            Self::Matrix(matrix) => matrix.numbers(),
        }
    }

    pub(crate) fn all_columns(&self) -> &[String] {
        match self {
            Self::Table(table) => table.all_columns(),
            Self::Matrix(matrix) => matrix.all_columns(),
        }
    }

    pub(crate) fn dims(&self) -> usize {
        self.columns().len()
    }

    /// What the columns that are handed on hold.
    pub(crate) fn kept_kinds(&self) -> Vec<KeptKind> {
        match self {
            Self::Table(table) => table.kept_kinds(),
            Self::Matrix(matrix) => matrix.kept_kinds(),
        }
    }

    /// Makes the bounds known, whose middle may stand for missing values.
    pub(crate) fn set_bounds(&mut self, bounds: &Bounds) {
        match self {
            Self::Table(table) => table.set_bounds(bounds),
            Self::Matrix(matrix) => matrix.set_bounds(bounds),
        }
    }

    /// The rows, wherever they are.
    pub(crate) fn rows(&self) -> &dyn Rows {
        match self {
            Self::Table(table) => table,
            Self::Matrix(matrix) => matrix,
        }
    }

    /// What the table is known by in a ledger: a hash of its content. Sensitive.
    pub(crate) fn content_hash(&self) -> Result<[u8; 32], Error> {
        Ok(match self {
            Self::Table(table) => table.content_hash()?,
            Self::Matrix(matrix) => matrix.content_hash(),
        })
    }

    /// Reads every row once and finds bad ones, so that they cost nothing. Gives the number of rows.
    pub(crate) fn read_through(&self, watch: &Watcher) -> Result<Sensitive<u64>, Error> {
        let _read = tracing::info_span!("read", columns = self.dims()).entered();
        let mut rows = 0;
        self.rows().for_each_batch(BATCH, &watch.phase(Phase::Reading), |batch| {
            rows += batch.rows() as u64;
            Ok::<(), DataError>(())
        })?;
        Ok(Sensitive::new(rows))
    }

    /// Counts of raw values.
    pub(crate) fn raw<'s>(&'s self, progress: &'s dyn shoal_files::Progress) -> TableScan<'s> {
        TableScan::new(self.rows(), progress)
    }
}
