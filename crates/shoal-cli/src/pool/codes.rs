//! What the aggregator has: codes of one agreement, perhaps a table of their own, and distances from both.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use shoal_consortium::aggregator::{Decoder, HammingSum, Horizontal, consistency, vertical};
use shoal_consortium::codes_file::{CodesFile, Kind};
use shoal_consortium::{Codes, Flips};
use shoal_files::Source;
use shoal_kernel::Condensed;

use super::own::Own;
use crate::arguments::Shown;
use crate::arguments::consortium::codes::{CodesArgs, ConsistencyArg};
use crate::failure::Failure;
use crate::place::is_same_place;
use crate::table;

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
    /// What the files are called: their own names, or as they were given where two have the same.
    pub names: Vec<String>,
    /// The rows that stand for somebody.
    pub rows: Vec<usize>,
    /// Their codes, where others are among them.
    true_codes: Option<Codes>,
    own: Option<Own>,
    consistency: ConsistencyArg,
    pub memory: u64,
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
        let (names, consistency) = (names(&args.files), args.consistency);
        let mut pool = Self { file, inputs: Vec::new(), names, rows, true_codes, own: None, consistency, memory };
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

    /// The file of a record by its name, and the row in it, from 1.
    pub fn place(&self, record: usize) -> (&str, usize) {
        let (part, row) = self.file.place(self.row(record));
        (self.names.get(part).map_or("", String::as_str), row + 1)
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
        // A file of pairs has a row for each pair already.
        let records = if self.file.kind == Kind::Pairs { self.len() } else { self.file.codes.rows() };
        let one = Condensed::bytes_needed(records as u64);
        if self.consistency == ConsistencyArg::None { one } else { one.saturating_mul(3) }
    }

    /// The share of pairs that no chain of records connects, so that their distances stay as decoded.
    pub fn unreached(&self) -> Result<Option<f64>, Failure> {
        if self.consistency != ConsistencyArg::Corrected || self.len() < 2 {
            return Ok(None);
        }
        let (terms, n) = (&self.file.terms, self.file.codes.rows());
        let local = Horizontal::new(terms, &self.file.codes)?.attribute(0)?;
        let in_view = LOCAL_SHARE * Decoder::of(terms, 0).saturation();
        let mut group = vec![usize::MAX; n];
        let mut waiting = Vec::new();
        for first in 0..n {
            if group[first] == usize::MAX {
                group[first] = first;
                waiting.push(first);
            }
            while let Some(i) = waiting.pop() {
                for j in (0..n).filter(|&j| j != i) {
                    if group[j] == usize::MAX && local.get(i, j) <= in_view {
                        group[j] = first;
                        waiting.push(j);
                    }
                }
            }
        }
        let mut sizes: HashMap<usize, f64> = HashMap::new();
        self.rows.iter().for_each(|&row| *sizes.entry(group[row]).or_default() += 1.0);
        let pairs = |n: f64| n * (n - 1.0) / 2.0;
        Ok(Some(1.0 - sizes.values().map(|size| pairs(*size)).sum::<f64>() / pairs(self.len() as f64)))
    }

    /// The distances of all pairs of records, if they fit into memory; `instead` says what else would help.
    pub fn distances(&self, combined: Combined, instead: &str) -> Result<Condensed, Failure> {
        let held = 8 * self.file.codes.as_words().len() as u64;
        let needed = self.bytes_of_all().saturating_add(held);
        if needed > self.memory {
            return Err(Failure::refused(format!(
                "the distances of all pairs of {} records and their codes take {} of memory, and {} are allowed: give --memory {}M, or {instead}",
                self.len(),
                size(needed),
                size(self.memory),
                needed.div_ceil(1 << 20)
            )));
        }
        let terms = &self.file.terms;
        if self.consistency != ConsistencyArg::None {
            // Made-up records are what far ones are reached by, so they count here and are left out afterwards.
            let codes = &self.file.codes;
            let local = || Horizontal::new(terms, codes)?.attribute(0);
            let all = match self.consistency {
                // The same without noise, in a few rows of distances instead of paths between all pairs.
                ConsistencyArg::Corrected if *terms.flips() == Flips::None => {
                    consistency::sweep(terms, codes, 0, LOCAL_SHARE)?.condensed()
                }
                ConsistencyArg::Corrected => consistency::corrected(&local()?, &Decoder::of(terms, 0), LOCAL_SHARE)?,
                _ => consistency::as_printed(&local()?),
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
}

/// Each file's own name; all of them as given where two would be the same.
fn names(files: &[String]) -> Vec<String> {
    let short: Vec<String> = files.iter().map(|file| table::short_name(file)).collect();
    let distinct: HashSet<&String> = short.iter().collect();
    if distinct.len() == files.len() { short } else { files.to_vec() }
}

/// `1.5 GB` for people.
pub fn size(bytes: u64) -> String {
    const UNITS: [(f64, &str); 3] = [(1e9, "GB"), (1e6, "MB"), (1e3, "kB")];
    match UNITS.iter().find(|(unit, _)| bytes as f64 >= *unit) {
        Some((unit, name)) => format!("{:.1} {name}", bytes as f64 / unit),
        None => format!("{bytes} bytes"),
    }
}
