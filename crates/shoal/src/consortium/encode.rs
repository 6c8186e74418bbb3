//! A custodian's table as codes for a consortium (SZY19), if they promise as much as the custodian demands.

use std::io::Write;

use shoal_consortium::codes_file::{About, CodesWriter, Kind};
use shoal_consortium::custodian::{Dpbv, PairsOf, encode_pairs, encode_table, intermediate_rows};
use shoal_consortium::{AgreementFile, Flips, Limit, Partition, Promise};
use shoal_files::{DataError, Missing, TableFormat};
use shoal_lattice::Bounds;
use shoal_noise::{NoiseSource, OsNoise, SeededNoise};
use shoal_privacy::{Assumption, Delta, Epsilon, Loss, NonPrivate};

use super::{ConsortiumError, DEFAULT_DELTA, Worth};
use crate::Error;
use crate::epsilon::IntoEpsilon;
use crate::input::{Input, Opened, Reading};
use crate::watch::{Notice, Phase, Watch, Watcher};

/// The largest δ that a limit may have.
const MOST_DELTA: &str = "0.001";

/// Bytes that a stream may take in memory.
const STREAM_LIMIT: usize = 1 << 32;

/// Codes of a table, set up and waiting for it.
#[derive(Clone)]
pub struct Encode {
    file: AgreementFile,
    limit: Option<Limit>,
    unsound: bool,
    pairs: bool,
    bridge: u32,
    id: Option<String>,
    seed: Option<u64>,
    reading: Reading,
    watch: Watcher,
}

/// What became of a table.
#[non_exhaustive]
pub struct Coded {
    /// Rows written, made-up ones among them.
    pub rows: u64,
    /// Made-up rows.
    pub bridge: u64,
    /// What the codes promise, on all conditions.
    pub promise: Promise,
    /// Records or pairs.
    pub kind: Kind,
    /// What the promise counts over.
    pub partition: Partition,
    /// How accurate the distances in the codes are.
    pub worth: Option<Worth>,
    /// Records that had a value outside the bounds, which was moved to the nearest limit. No part of the codes.
    pub clamped: NonPrivate<u64>,
    /// Rows that lacked a value and were left out, up to the last complete one. No part of the codes.
    pub dropped: NonPrivate<u64>,
}

impl Encode {
    /// Codes by an agreement.
    pub fn new(file: AgreementFile) -> Self {
        let columns = file.agreement.terms().attributes().iter().map(|attribute| attribute.name.clone()).collect();
        let reading = Reading { columns: Some(columns), memory: STREAM_LIMIT, ..Reading::default() };
        Self {
            file,
            limit: None,
            unsound: false,
            pairs: false,
            bridge: 0,
            id: None,
            seed: None,
            reading,
            watch: Watcher::default(),
        }
    }

    /// The custodian's own limit: the most that a record's codes may give away, purely or at a δ.
    pub fn limit(mut self, epsilon: impl IntoEpsilon, delta: Option<Delta>) -> Result<Self, Error> {
        self.limit = Some(Limit { epsilon: epsilon.into_epsilon()?, delta });
        Ok(self)
    }

    /// Lets codes leave whose bits are not flipped and which promise nothing, for research.
    #[must_use]
    pub fn accept_unsound(mut self) -> Self {
        self.unsound = true;
        self
    }

    /// Codes two scalars of each pair of records, for vertical partitions.
    #[must_use]
    pub fn pairs(mut self) -> Self {
        self.pairs = true;
        self
    }

    /// Adds made-up records between those of a single column, so that chains of small distances reach across it.
    #[must_use]
    pub fn bridge(mut self, records: u32) -> Self {
        self.bridge = records;
        self
    }

    /// A column of names that goes into the file in the clear.
    #[must_use]
    pub fn id(mut self, column: &str) -> Self {
        self.id = Some(column.into());
        self.reading.label = Some(column.into());
        self
    }

    /// Draws the flips from a seed, for tests: there is NO PRIVACY then, and the promise is void.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// What to do with rows in which a value is missing. The default refuses the table.
    #[must_use]
    pub fn missing(mut self, missing: Missing) -> Self {
        self.reading.missing = missing;
        self
    }

    /// The CSV file has no header; its columns are called c1, c2, and so on.
    #[must_use]
    pub fn no_header(mut self) -> Self {
        self.reading.no_header = true;
        self
    }

    /// How the table is written, where that has to be declared: separators, decimal commas, dates, a sheet.
    #[must_use]
    pub fn format(mut self, format: TableFormat) -> Self {
        self.reading.format = format;
        self
    }

    /// Quoted cells of the CSV file may span lines. Without this a record that does is refused: usually a quote was not closed,
    /// and the rows after it would be lost.
    #[must_use]
    pub fn multiline(mut self) -> Self {
        self.reading.multiline = true;
        self
    }

    /// Threads to use, instead of those of the current rayon pool. The codes do not depend on them.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.reading.threads = Some(threads.max(1));
        self
    }

    /// Listens to the job.
    #[must_use]
    pub fn watch(mut self, watch: impl Watch + 'static) -> Self {
        self.watch = Watcher::new(watch);
        self
    }

    /// The agreement.
    pub fn agreement(&self) -> &AgreementFile {
        &self.file
    }

    /// Refuses what makes no sense, and codes that promise less than the limit, before a row is read. The promise of pairs
    /// depends on their number and is checked once that is known.
    pub fn check(&self) -> Result<(), Error> {
        let terms = self.file.agreement.terms();
        if let Some(limit) = &self.limit {
            let nothing = self.seed.map(|_| "seed").or(self.unsound.then_some("accept-unsound"));
            if let Some(option) = nothing {
                return Err(ConsortiumError::LimitOfNothing { option }.into());
            }
            // Unwrap safety: a constant that parses.
            let most: Delta = MOST_DELTA.parse().unwrap();
            if let Some(delta) = limit.delta.as_ref().filter(|delta| **delta > most) {
                return Err(Error::Delta {
                    given: delta.to_string(),
                    why: format!(
                        "δ = {delta} is too much: a δ of 1/100 lets one record in a hundred out entirely. Give one well below 1 / number of people, about 1e-6"
                    ),
                });
            }
        }
        if self.reading.missing == Missing::Drop && self.id.is_none() {
            return Err(ConsortiumError::GapsWithoutNames.into());
        }
        if self.bridge > 0 && terms.dims() > 1 {
            return Err(ConsortiumError::BridgeAcrossColumns { columns: terms.dims() }.into());
        }
        if let Some(id) = self.id.as_ref().filter(|id| terms.attributes().iter().any(|a| a.name == **id)) {
            return Err(ConsortiumError::CodedColumnInClear { column: id.clone() }.into());
        }
        if self.pairs { Ok(()) } else { self.allowed(Partition::Records).map(|_| ()) }
    }

    /// The exact promise of these very anchors, if the custodian's limit allows it.
    fn allowed(&self, partition: Partition) -> Result<Promise, Error> {
        // The pure promise is the one that is written; at the limit's δ its curve counts.
        let promise = Promise::of_agreement(&self.file.agreement, partition, None)?;
        if *self.file.agreement.terms().flips() == Flips::None {
            return if self.unsound { Ok(promise) } else { Err(ConsortiumError::NoFlips.into()) };
        }
        if self.seed.is_some() {
            return Ok(promise);
        }
        if self.unsound {
            return Err(ConsortiumError::NothingUnsound.into());
        }
        let Some(limit) = &self.limit else {
            return Err(ConsortiumError::LimitNeeded { promise: promise.into() }.into());
        };
        match promise.within(limit) {
            Ok(()) => Ok(promise),
            Err(over) => Err(ConsortiumError::OverLimit {
                with_delta: with_delta(&promise, limit),
                promise: promise.into(),
                limit: limit.clone().into(),
                partition,
                over: over.into(),
            }
            .into()),
        }
    }

    /// Writes the codes as a Parquet file.
    pub fn run_to<'a, W: Write + Send>(&self, input: impl Into<Input<'a>>, out: W) -> Result<Coded, Error> {
        self.check()?;
        let mut opened = self.reading.open(input.into())?;
        let attributes = self.file.agreement.terms().attributes();
        let (names, ranges) = attributes.iter().map(|attribute| (attribute.name.clone(), attribute.range)).unzip();
        opened.set_bounds(&Bounds::new(names, ranges).map_err(DataError::from)?);
        self.reading.on_threads(|| match self.seed {
            Some(seed) => self.write(&opened, SeededNoise::new(seed), out),
            None => self.write(&opened, OsNoise::new()?, out),
        })
    }

    fn write<N: NoiseSource + Send, W: Write + Send>(
        &self,
        opened: &Opened<'_>,
        mut noise: N,
        out: W,
    ) -> Result<Coded, Error> {
        let (agreement, terms) = (&self.file.agreement, self.file.agreement.terms());
        let encoding = self.watch.phase(Phase::Encoding);
        let pairs = self.pairs.then(|| PairsOf::read(opened.rows(), terms, &encoding)).transpose()?;
        let (kind, partition) = match &pairs {
            Some(pairs) => (Kind::Pairs, Partition::Pairs { records: pairs.records() }),
            None => (Kind::Records, Partition::Records),
        };
        let promise = self.allowed(partition)?;
        let promise = if self.seed.is_some() { promise.with_seeded_noise() } else { promise };
        // That a code is there at all reveals whether its row had a gap.
        let promise = promise.assuming(match self.reading.missing {
            Missing::Refuse => vec![Assumption::RowsComplete],
            Missing::Drop => vec![Assumption::GapsPublic, Assumption::RowsReadable],
            Missing::Middle | Missing::Category => vec![Assumption::RowsReadable],
        });
        if let Some(pairs) = &pairs {
            self.watch.notice(&Notice::Pairs { records: pairs.records(), bytes: pairs.bytes(terms)? });
        }
        let bridge = intermediate_rows(self.bridge.into());
        let about = About {
            kind,
            terms: terms.clone(),
            fingerprint: agreement.fingerprint(),
            promise: promise.clone(),
            seeded: self.seed.is_some(),
            bridge: bridge.len() as u64,
            id: self.id.clone(),
            paired_records: pairs.as_ref().map(PairsOf::records),
        };
        let failed = |source| ConsortiumError::WriteCodes { source };
        let mut out = CodesWriter::new(out, &about).map_err(failed)?;
        let encoded = match &pairs {
            Some(pairs) => encode_pairs(pairs, agreement, &mut noise, &mut out)?,
            None => {
                let encoder = Dpbv::new(agreement)?;
                encode_table(opened.rows(), terms, &encoder, &bridge, &mut noise, &mut out, &encoding)?
            }
        };
        drop(encoding);
        out.finish().map_err(failed)?;
        Ok(Coded {
            rows: encoded.rows,
            bridge: bridge.len() as u64,
            promise,
            kind,
            partition,
            worth: Worth::of(terms, partition),
            clamped: encoded.clamped.without_privacy(),
            dropped: encoded.dropped.without_privacy(),
        })
    }
}

/// The ε at the usual δ, where the limit has none and would be met with that one.
fn with_delta(promise: &Promise, limit: &Limit) -> Option<Epsilon> {
    if limit.delta.is_some() {
        return None;
    }
    let delta: Delta = DEFAULT_DELTA.parse().ok()?;
    promise.within(&Limit { epsilon: limit.epsilon.clone(), delta: Some(delta.clone()) }).ok()?;
    match promise.loss_at(Some(&delta))?.into_owned() {
        Loss::Approximate { epsilon, .. } => Some(epsilon),
        _ => None,
    }
}
