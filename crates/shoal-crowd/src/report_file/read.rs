//! Reading reports, which may come from anyone and anywhere.

use std::collections::BTreeSet;

use shoal_privacy::Assumption;

use crate::report_file::check;
use crate::report_file::description::Description;
use crate::report_file::error::ReportFileError;
use crate::report_file::mixed::difference;
use crate::report_file::seal::Sealing;
use crate::report_file::{KEY, Reports, SEAL_KEY, csv};
use shoal_device::{Client, Promises};
use shoal_device::{Design, Space};
use shoal_files::Seal;
use shoal_files::{ReleasedFile, ReleasedParquet, Source, VersionedFault};

/// The most bytes of a stream, which has to be held in memory.
const STREAM_LIMIT: u64 = 4 << 30;

/// Rows of text that are sealed at a time.
const BATCH: usize = 4096;

impl Reports {
    /// Reads files of one design and puts their reports together, in the order of the files. Refuses whatever is not
    /// exactly what was written, and files that were not made in the same way.
    pub fn read(sources: Vec<Source>) -> Result<Self, ReportFileError> {
        let mut gathering = Gathering::default();
        for source in sources {
            match ReleasedFile::open(source, STREAM_LIMIT)? {
                ReleasedFile::Parquet(file) => read_parquet(&file, &mut gathering)?,
                ReleasedFile::Text(text) => csv::read(text, &mut gathering)?,
            }
        }
        let Gathering { first, columns, files } = gathering;
        let First { about, design, promises, .. } = first.ok_or(ReportFileError::NoFiles)?;
        // Nobody can tell from a report how it was made.
        let promises = promises.assuming([Assumption::ReportsAsDescribed]);
        Ok(Self { design, promises, seeded: about.seeded, columns, files })
    }
}

fn read_parquet(file: &ReleasedParquet, gathering: &mut Gathering) -> Result<(), ReportFileError> {
    let name = || file.name().to_string();
    let damaged = |why: &str| ReportFileError::Damaged { name: name(), why: why.into() };
    let Some(text) = file.described(KEY) else {
        return Err(ReportFileError::NotReports { name: name(), why: "it is a Parquet file of something else" });
    };
    let mut part = Part::start(file.name(), text)?;
    let seal = file.described(SEAL_KEY).ok_or_else(|| damaged("it has no seal"))?;
    let seal: Seal = serde_json::from_str(seal).map_err(|_| damaged("its seal cannot be read"))?;
    if seal.rows != file.rows() as u64 {
        return Err(damaged("it has not as many reports as were written"));
    }
    let mut columns = Vec::new();
    for name in part.names() {
        columns.push(file.integers(name)?.ok_or_else(|| damaged("a column of whole numbers is missing"))?);
    }
    part.fill(columns);
    gathering.add(part, &seal)
}

/// The reports of one file, whose seal is still to be compared.
pub(super) struct Part {
    name: String,
    text: String,
    about: Description,
    columns: Vec<Vec<i64>>,
    sealing: Sealing,
    /// Text that is not yet sealed.
    waiting: Vec<Vec<i64>>,
}

impl Part {
    /// A part with this description.
    pub(super) fn start(name: &str, text: &str) -> Result<Self, ReportFileError> {
        let name = name.to_string();
        let about = Description::parse(text).map_err(|fault| match fault {
            VersionedFault::Version(found) => ReportFileError::Version { name: name.clone(), found },
            VersionedFault::Damaged(why) => ReportFileError::Damaged { name: name.clone(), why },
        })?;
        check::shape(&about).map_err(|why| ReportFileError::Inconsistent { name: name.clone(), why })?;
        let columns = vec![Vec::new(); about.columns.len()];
        let sealing = Sealing::new(text);
        Ok(Self { name, text: text.into(), about, waiting: columns.clone(), columns, sealing })
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn names(&self) -> &[String] {
        &self.about.columns
    }

    /// Takes all reports at once.
    fn fill(&mut self, columns: Vec<Vec<i64>>) {
        self.sealing.add(&columns);
        self.columns = columns;
    }

    /// Adds a report from a line of text. False when it is none.
    pub(super) fn push_line(&mut self, line: &[u8]) -> bool {
        let mut cells = line.split(|&byte| byte == b',');
        let number = |cell: &[u8]| std::str::from_utf8(cell).ok()?.parse::<i64>().ok();
        for column in &mut self.waiting {
            match cells.next().and_then(number) {
                Some(value) => column.push(value),
                None => return false,
            }
        }
        if self.waiting[0].len() == BATCH {
            self.seal_waiting();
        }
        cells.next().is_none()
    }

    fn seal_waiting(&mut self) {
        self.sealing.add(&self.waiting);
        for (column, waiting) in self.columns.iter_mut().zip(&mut self.waiting) {
            column.append(waiting);
        }
    }
}

/// The files read so far.
#[derive(Default)]
pub(super) struct Gathering {
    first: Option<First>,
    columns: Vec<Vec<i64>>,
    files: usize,
}

/// What the first file said: the others have to say the same.
struct First {
    name: String,
    text: String,
    about: Description,
    design: Design,
    promises: Promises,
    client: Client,
}

impl First {
    fn new(name: &str, text: String, about: Description) -> Result<Self, ReportFileError> {
        let inconsistent = |why: String| ReportFileError::Inconsistent { name: name.into(), why };
        let design = about.design().map_err(inconsistent)?;
        let (promises, client) = check::promises(&about, &design).map_err(inconsistent)?;
        Ok(Self { name: name.into(), text, about, design, promises, client })
    }
}

impl Gathering {
    /// Adds a part, if it is what was sealed and goes with the others.
    pub(super) fn add(&mut self, mut part: Part, seal: &Seal) -> Result<(), ReportFileError> {
        part.seal_waiting();
        let Part { name, text, about, mut columns, sealing, .. } = part;
        if sealing.finish() != *seal {
            return Err(ReportFileError::Damaged { name, why: "its checksum does not fit".into() });
        }
        let first = match self.first.take() {
            None => First::new(&name, text, about)?,
            Some(first) if first.text == text => first,
            Some(first) => {
                if let Some((one, other)) = difference(&first.about, &about) {
                    return Err(ReportFileError::Mixed { first: first.name, second: name, one, other });
                }
                // The same design, told by another program or on other conditions: those of both then count.
                let other = First::new(&name, text, about)?;
                let more = other.promises.guarantee.claim().into_iter().flat_map(|claim| claim.assumes.clone());
                let more: BTreeSet<Assumption> = more.collect();
                First { promises: first.promises.assuming(more), ..first }
            }
        };
        let outside = outside(&columns, &first.client);
        let rows = seal.rows;
        if rows == 0 {
            return Err(ReportFileError::Empty { name });
        }
        if outside > 0 {
            let (Space { low, high }, mechanism) = (first.client.space(), first.design.mechanism().name());
            return Err(ReportFileError::Outside { name, outside, rows, low, high, mechanism });
        }
        self.first = Some(first);
        self.files += 1;
        if self.columns.is_empty() {
            self.columns = columns;
        } else {
            for (all, more) in self.columns.iter_mut().zip(&mut columns) {
                all.append(more);
            }
        }
        Ok(())
    }
}

/// Reports with an attribute that the mechanism never gives.
fn outside(columns: &[Vec<i64>], client: &Client) -> u64 {
    let inside = |value: &i64| client.may_report(*value);
    if columns.iter().all(|column| column.iter().all(inside)) {
        return 0;
    }
    let rows = columns[0].len();
    (0..rows).filter(|&row| !columns.iter().all(|column| inside(&column[row]))).count() as u64
}
