//! What an aggregator has: codes of one agreement, perhaps a table of their own, and distances from both.

mod distances;
mod names;
mod own;

use shoal_consortium::codes_file::{CodesFile, Kind};
use shoal_consortium::{Codes, Promise, Terms};
use shoal_files::{BoundsSpec, Source};
use shoal_kernel::Condensed;

use super::{ConsortiumError, DEFAULT_MEMORY};
use crate::Error;
use crate::input::{Input, first_repeated};
use crate::watch::{Watch, Watcher};

pub use names::FileRows;

use own::Own;

/// Distances beyond the window, through records in between (Algorithm 1), attribute by attribute.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Consistency {
    /// Distances as decoded.
    #[default]
    None,
    /// The paper's rounds with its flag matrix and the window from the agreement: the form to use.
    Layered,
    /// The paper's eight lines without the flags, which change almost nothing.
    AsPrinted,
    /// Shortest paths over pairs in view: too short where there is noise.
    Corrected,
}

/// Reading codes, set up.
///
/// The guarantee of whatever is computed from the codes is theirs, however often it is done.
pub struct Pool<'a> {
    consistency: Consistency,
    own: Option<OwnTable<'a>>,
    memory: u64,
    watch: Watcher,
}

/// The aggregator's own table, which is still to be read.
struct OwnTable<'a> {
    input: Input<'a>,
    spec: BoundsSpec,
    id: Option<String>,
}

/// Codes that were read, and what goes with them.
pub struct Pooled {
    file: CodesFile,
    names: Vec<String>,
    /// The rows that belong to a person, among all rows of all files.
    rows: Vec<usize>,
    /// Their codes, where made-up records are among the others.
    true_codes: Option<Codes>,
    own: Option<Own>,
    consistency: Consistency,
    memory: u64,
}

impl Default for Pool<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl<'a> Pool<'a> {
    /// Codes alone, with distances as decoded.
    pub fn new() -> Self {
        Self { consistency: Consistency::None, own: None, memory: DEFAULT_MEMORY, watch: Watcher::default() }
    }

    /// How distances beyond the window are found; for codes of records, without an own table.
    #[must_use]
    pub fn consistency(mut self, consistency: Consistency) -> Self {
        self.consistency = consistency;
        self
    }

    /// A table of the aggregator's own with other columns of the same people (a vertical partition), and public bounds of
    /// these columns. Rows are in the order of the codes, or matched by the names in a column `id`.
    pub fn own(mut self, table: impl Into<Input<'a>>, bounds: &str, id: Option<&str>) -> Result<Self, Error> {
        let spec = BoundsSpec::parse(bounds).map_err(Error::BoundsText)?;
        self.own = Some(OwnTable { input: table.into(), spec, id: id.map(Into::into) });
        Ok(self)
    }

    /// Bytes of memory for codes and distances.
    #[must_use]
    pub fn memory(mut self, bytes: u64) -> Self {
        self.memory = bytes;
        self
    }

    /// Listens to the job.
    #[must_use]
    pub fn watch(mut self, watch: impl Watch + 'static) -> Self {
        self.watch = Watcher::new(watch);
        self
    }

    /// Reads files of codes of one agreement.
    pub fn read(self, files: impl IntoIterator<Item = impl Into<Source>>) -> Result<Pooled, Error> {
        let sources: Vec<Source> = files.into_iter().map(Into::into).collect();
        check_sources(&sources)?;
        let names = names::of(&sources);
        let file = CodesFile::read(sources, self.memory).map_err(ConsortiumError::Codes)?;
        let records = match file.kind {
            Kind::Records => file.codes.rows(),
            Kind::Pairs => file.paired_records().unwrap_or(0) as usize,
        };
        let rows: Vec<usize> = match file.kind {
            Kind::Records => (0..records).filter(|&row| !file.is_bridge(row)).collect(),
            Kind::Pairs => (0..records).collect(),
        };
        let true_codes = (rows.len() < records).then(|| {
            let mut codes = Codes::new(&file.terms);
            rows.iter().for_each(|&row| codes.extend(file.codes.record(row)));
            codes
        });
        let of_records = file.kind == Kind::Records && self.own.is_none();
        if self.consistency != Consistency::None && !of_records {
            return Err(ConsortiumError::ConsistencyNeedsRecords.into());
        }
        let (consistency, memory) = (self.consistency, self.memory);
        let mut pooled = Pooled { file, names, rows, true_codes, own: None, consistency, memory };
        if let Some(own) = self.own {
            pooled.own = Some(Own::read(own, &pooled, &self.watch)?);
        }
        Ok(pooled)
    }
}

/// Refuses sources that cannot be read together.
fn check_sources(sources: &[Source]) -> Result<(), Error> {
    if sources.is_empty() {
        return Err(Error::NoFiles);
    }
    if sources.len() > 1 && sources.iter().any(|source| matches!(source, Source::Stdin)) {
        return Err(ConsortiumError::StdinAmongFiles.into());
    }
    match first_repeated(sources) {
        Some(path) => Err(ConsortiumError::NamedTwice { path }.into()),
        None => Ok(()),
    }
}

impl Pooled {
    /// Records that belong to a person; made-up ones are not counted.
    pub fn records(&self) -> usize {
        self.rows.len()
    }

    /// The terms of the agreement.
    pub fn terms(&self) -> &Terms {
        &self.file.terms
    }

    /// What the codes guarantee whatever the anchors are.
    pub fn promise(&self) -> &Promise {
        &self.file.promise
    }

    /// The files as they were read.
    pub fn file(&self) -> &CodesFile {
        &self.file
    }

    /// Whether an own table is used beside the codes.
    pub fn has_own(&self) -> bool {
        self.own.is_some()
    }

    /// How distances beyond the window are found.
    pub fn consistency(&self) -> Consistency {
        self.consistency
    }

    /// Codes of the records that belong to a person.
    pub(super) fn codes(&self) -> &Codes {
        self.true_codes.as_ref().unwrap_or(&self.file.codes)
    }

    /// Whether distances come from the codes of each record alone, so that no table of all pairs is needed.
    pub(super) fn is_plain(&self) -> bool {
        self.file.kind == Kind::Records && self.own.is_none() && self.consistency == Consistency::None
    }

    /// Bytes of a table of all pairs, with what making it takes.
    pub fn bytes_of_all(&self) -> u64 {
        // A file of pairs has a row for each pair already.
        let records = if self.file.kind == Kind::Pairs { self.records() } else { self.file.codes.rows() };
        let one = Condensed::bytes_needed(records as u64);
        // Layers keep those of the round before, and attributes are added up in one more.
        match self.consistency {
            Consistency::None => one,
            Consistency::Layered => one.saturating_mul(4),
            _ if self.terms().dims() > 1 => one.saturating_mul(4),
            _ => one.saturating_mul(3),
        }
    }
}
