//! Reading reports, which may come from anyone and anywhere.

use std::collections::BTreeSet;

use shoal_privacy::Assumption;

use crate::report_file::copies::{Rows, refuse_copies};
use crate::report_file::description::Description;
use crate::report_file::error::ReportFileError;
use crate::report_file::{Reports, check};
use shoal_device::{Client, Design, Promises, Space};
use shoal_files::Source;
use shoal_files::sealed::{Addition, Described, Joined, REPORTS, SealedError, read_integers};

impl Reports {
    /// Reads files of one design and puts their reports together, in the order of the files.
    ///
    /// # Errors
    /// Whatever is not exactly what was written, and files that were not made in the same way.
    pub fn read(sources: Vec<Source>) -> Result<Self, ReportFileError> {
        let mut gathering = Gathering::default();
        for source in sources {
            read_integers(source, |described, columns| gathering.add(described, columns))?;
        }
        let Gathering { made, columns, parts, .. } = gathering;
        let Made { design, promises, seeded, client } = made.ok_or(SealedError::NoFiles { kind: &REPORTS })?;
        // Two reports are equal with a probability of at most that of equal numbers.
        refuse_copies(&columns, client.numbers(), &parts, client.noise_law())?;
        // A report does not show how it was made.
        let promises = promises.assuming([Assumption::ReportsAsDescribed]);
        Ok(Self { design, promises, seeded, columns, files: parts.len() })
    }
}

/// The files read so far.
#[derive(Default)]
struct Gathering {
    joined: Joined<Description>,
    made: Option<Made>,
    columns: Vec<Vec<i64>>,
    parts: Vec<Rows>,
}

/// How reports were made.
struct Made {
    design: Design,
    promises: Promises,
    seeded: bool,
    client: Client,
}

impl Made {
    fn by(described: &Described<Description>) -> Result<Self, SealedError> {
        let about = &described.about;
        let design = about.design().map_err(|why| described.inconsistent(why))?;
        let (promises, client) = check::promises(about, &design).map_err(|why| described.inconsistent(why))?;
        Ok(Self { design, promises, seeded: about.seeded, client })
    }

    /// The same, on the conditions of another file as well.
    fn on_conditions_of(self, other: &Self) -> Self {
        let more = other.promises.guarantee.claim().into_iter().flat_map(|claim| claim.assumes.clone());
        let more: BTreeSet<Assumption> = more.collect();
        Self { promises: self.promises.assuming(more), ..self }
    }
}

impl Gathering {
    /// Adds the reports of a file, if they go with the others.
    fn add(&mut self, described: Described<Description>, mut columns: Vec<Vec<i64>>) -> Result<(), ReportFileError> {
        let name = described.name.clone();
        let addition = self.joined.add(described)?;
        let made = match (self.made.take(), addition) {
            (None, _) => Made::by(self.joined.first()?)?,
            (Some(made), Addition::Alike(other)) => made.on_conditions_of(&Made::by(&other)?),
            (Some(made), _) => made,
        };
        let outside = outside(&columns, &made.client);
        if outside > 0 {
            let rows = columns[0].len() as u64;
            let (Space { low, high }, mechanism) = (made.client.space(), made.design.mechanism().name());
            return Err(ReportFileError::Outside { name, outside, rows, low, high, mechanism });
        }
        self.made = Some(made);
        let from = self.columns.first().map_or(0, Vec::len);
        self.parts.push(Rows { name, rows: from..from + columns[0].len() });
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
pub(super) fn outside(columns: &[Vec<i64>], client: &Client) -> u64 {
    let inside = |(i, column): (usize, &Vec<i64>)| column.iter().all(|&value| client.may_report_in(i, value));
    if columns.iter().enumerate().all(inside) {
        return 0;
    }
    let mut report = Vec::with_capacity(columns.len());
    let impossible = |row: &usize| {
        report.clear();
        report.extend(columns.iter().map(|column| column[*row]));
        !client.could_have_made(&report)
    };
    (0..columns[0].len()).filter(impossible).count() as u64
}
