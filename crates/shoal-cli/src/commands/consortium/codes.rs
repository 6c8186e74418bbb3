//! What the aggregator has: codes of one agreement, perhaps a table of their own, and distances from both.

use std::collections::HashMap;
use std::path::PathBuf;

use shoal::consortium::aggregator::{Decoder, HammingSum, Horizontal, consistency, vertical};
use shoal::consortium::codes_file::{CodesFile, Kind};
use shoal::consortium::{Attribute, Codes, Flips, Terms};
use shoal::data::{BoundsSpec, DataError, Source};
use shoal::plain::Condensed;

use crate::arguments::{MissingArg, Shown};
use crate::consortium_arguments::codes::{CodesArgs, ConsistencyArg};
use crate::failure::Failure;
use crate::output::is_same_place;
use crate::progress::ReadingBar;
use crate::table::{self, Wanted};

/// The share of the window within which distances count as local.
const LOCAL_SHARE: f64 = 0.7;

/// How the distances of attributes are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combined {
    /// The root of the sum of squares (eq. 19).
    Root,
    /// The sum; for one attribute, that of eq. 11.
    Sum,
}

/// Codes, and what goes with them.
pub struct Pool {
    /// The files as they were read.
    pub file: CodesFile,
    /// The files by their places, which must not be overwritten.
    pub inputs: Vec<PathBuf>,
    /// The rows that stand for somebody.
    rows: Vec<usize>,
    /// Their codes, where others are among them.
    true_codes: Option<Codes>,
    own: Option<Own>,
    consistency: ConsistencyArg,
    memory: u64,
}

/// The aggregator's own attributes of the same records, in the order of the codes.
struct Own {
    terms: Terms,
    values: Vec<f64>,
}

impl Pool {
    /// Reads the files that the command line names.
    pub fn read(args: &CodesArgs, shown: &Shown) -> Result<Self, Failure> {
        if args.files.len() > 1 && args.files.iter().any(|file| file == "-") {
            return Err(Failure::usage("standard input (-) cannot be joined with files; give it alone"));
        }
        let sources: Vec<Source> = args.files.iter().map(|file| table::source(file, shown)).collect();
        let path = |source: &Source| match source {
            Source::Path(path) => Some(path.clone()),
            _ => None,
        };
        let mut inputs: Vec<PathBuf> = sources.iter().filter_map(path).collect();
        for (i, path) in inputs.iter().enumerate() {
            if inputs[..i].iter().any(|other| is_same_place(path, other)) {
                let name = path.display();
                return Err(Failure::usage(format!(
                    "{name} is named twice, and its codes would count twice; name it once"
                )));
            }
        }
        let memory = args.memory as u64;
        let file = CodesFile::read(sources, memory)?;
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
        let one_attribute = file.kind == Kind::Records && args.own.is_none() && file.terms.dims() == 1;
        if args.consistency != ConsistencyArg::None && !one_attribute {
            return Err(Failure::usage(
                "--consistency is for codes of one attribute, and not with --own or codes of pairs; leave it out",
            ));
        }
        let mut pool =
            Self { file, inputs: Vec::new(), rows, true_codes, own: None, consistency: args.consistency, memory };
        if let (Some(data), Some(bounds)) = (&args.own, &args.own_bounds) {
            let source = table::source(data, shown);
            inputs.extend(path(&source));
            pool.own = Some(pool.read_own(source, bounds, args.id.as_deref(), shown)?);
        }
        pool.inputs = inputs;
        Ok(pool)
    }

    /// Records that stand for somebody.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// The row of a record among all rows of all files.
    pub fn row(&self, record: usize) -> usize {
        self.rows[record]
    }

    /// Codes of those records.
    pub fn codes(&self) -> &Codes {
        self.true_codes.as_ref().unwrap_or(&self.file.codes)
    }

    /// Whether distances come from the codes of each record alone, so that no table of all pairs is needed.
    pub fn is_plain(&self) -> bool {
        self.file.kind == Kind::Records && self.own.is_none() && self.consistency == ConsistencyArg::None
    }

    /// Bytes of a table of all pairs, with what making it takes.
    pub fn bytes_of_all(&self) -> u64 {
        let one = Condensed::bytes_needed(self.file.codes.rows().max(self.len()) as u64);
        if self.consistency == ConsistencyArg::None { one } else { one.saturating_mul(3) }
    }

    /// The distances of all pairs of records, if they fit into memory.
    pub fn distances(&self, combined: Combined) -> Result<Condensed, Failure> {
        let held = 8 * self.file.codes.as_words().len() as u64;
        let bytes = match self.file.kind {
            Kind::Records => self.bytes_of_all(),
            Kind::Pairs => Condensed::bytes_needed(self.len() as u64),
        };
        let needed = bytes.saturating_add(held);
        if needed > self.memory {
            return Err(Failure::refused(format!(
                "the distances of all pairs of {} records and their codes take {} of memory, and {} are allowed: give --memory {}M, or cluster with --metric hamming-sum, which keeps no such table",
                self.len(),
                size(needed),
                size(self.memory),
                needed.div_ceil(1 << 20)
            )));
        }
        let terms = &self.file.terms;
        if self.consistency != ConsistencyArg::None {
            // Made-up records are what far ones are reached by, so they count here and are left out afterwards.
            let local = Horizontal::new(terms, &self.file.codes)?.attribute(0)?;
            let all = match self.consistency {
                ConsistencyArg::Corrected => consistency::corrected(&local, &Decoder::of(terms, 0), LOCAL_SHARE)?,
                _ => consistency::as_printed(&local),
            };
            return Ok(Condensed::from_fn(self.len(), |i, j| all.get(self.rows[i], self.rows[j])));
        }
        if self.file.kind == Kind::Pairs || self.own.is_some() {
            if combined == Combined::Sum {
                return Err(Failure::usage(
                    "sums of distances need codes of all attributes; with --own or codes of pairs, use eq19",
                ));
            }
            let theirs = match self.file.kind {
                Kind::Records => vertical::attribute_wise(terms, self.codes(), true)?,
                Kind::Pairs => {
                    let codes = &self.file.codes;
                    let pair = |i: usize| (codes.code(i, 0), codes.code(i, 1));
                    vertical::decomposed(&terms.decomposed()?, self.len(), codes.rows(), pair)?
                }
            };
            return Ok(vertical::combine(|i, j| self.own.as_ref().map_or(0.0, |own| own.squared(i, j)), theirs));
        }
        Ok(match combined {
            Combined::Root => Horizontal::new(terms, self.codes())?.condensed(),
            Combined::Sum => HammingSum::new(terms, self.codes())?.condensed(),
        })
    }

    fn read_own(&self, source: Source, bounds: &str, id: Option<&str>, shown: &Shown) -> Result<Own, Failure> {
        let spec = BoundsSpec::parse(bounds).map_err(Failure::usage)?;
        let columns = match &spec {
            BoundsSpec::Named(pairs) => Some(pairs.iter().map(|(name, _)| name.clone()).collect()),
            BoundsSpec::All(_) => None,
        };
        let wanted = Wanted {
            columns,
            label: id.map(Into::into),
            missing: MissingArg::Refuse,
            no_header: false,
            memory: self.memory as usize,
        };
        let table = table::open(source, wanted)?;
        let bounds = spec.resolve(table.columns(), table.all_columns())?;
        let attribute =
            |(name, range): (&String, &shoal::data::Interval)| Attribute::new(name, *range, range.width() / 2.0);
        let attributes = bounds.columns().iter().zip(bounds.intervals()).map(attribute).collect::<Result<_, _>>()?;
        let terms = Terms::new(attributes, 1, Flips::None, self.file.terms.scale())?;
        let (mut values, mut ids) = (Vec::new(), Vec::new());
        let bar = ReadingBar::new("reading", shown);
        table.for_each_batch(4096, &bar, |batch| {
            let mut row = vec![0.0; batch.dims()];
            for i in 0..batch.rows() {
                batch.copy_row(i, &mut row);
                values.extend_from_slice(&row);
            }
            ids.extend(batch.labels().into_iter().flatten().cloned());
            Ok::<(), DataError>(())
        })?;
        bar.finish();
        let (dims, given) = (terms.dims(), values.len() / terms.dims());
        if given != self.len() {
            return Err(Failure::refused(format!(
                "{} has {given} rows and the codes are of {} records; both must be of the same people",
                table.name(),
                self.len()
            )));
        }
        if id.is_some() {
            let order = self.match_ids(&ids)?;
            values = order.iter().flat_map(|&row| values[row * dims..(row + 1) * dims].to_vec()).collect();
        }
        Ok(Own { terms, values })
    }

    /// For each record, the row of the own table with the same name.
    fn match_ids(&self, ids: &[String]) -> Result<Vec<usize>, Failure> {
        if self.file.kind == Kind::Pairs {
            return Err(Failure::usage(
                "codes of pairs have no names; leave --id out, rows are matched by their order",
            ));
        }
        let mut rows = HashMap::new();
        for (row, id) in ids.iter().enumerate() {
            if rows.insert(id.as_str(), row).is_some() {
                return Err(Failure::refused(
                    "two of your rows have the same name in the column of --id; each must have its own",
                ));
            }
        }
        let find = |&row: &usize| {
            let id = self.file.id(row).ok_or_else(|| {
                Failure::refused("the codes have no names to match; encode them with --id, or leave it out here")
            })?;
            rows.remove(id).ok_or_else(|| {
                Failure::refused(format!("row {row} of the codes has a name that none of your rows has, or has twice; both must be of the same people"))
            })
        };
        self.rows.iter().map(find).collect()
    }
}

impl Own {
    fn squared(&self, i: usize, j: usize) -> f64 {
        let record = |i: usize| &self.values[i * self.terms.dims()..(i + 1) * self.terms.dims()];
        vertical::exact_squared(record(i), record(j), &self.terms)
    }
}

/// `1.5 GB` for people.
pub fn size(bytes: u64) -> String {
    const UNITS: [(f64, &str); 3] = [(1e9, "GB"), (1e6, "MB"), (1e3, "kB")];
    match UNITS.iter().find(|(unit, _)| bytes as f64 >= *unit) {
        Some((unit, name)) => format!("{:.1} {name}", bytes as f64 / unit),
        None => format!("{bytes} bytes"),
    }
}
