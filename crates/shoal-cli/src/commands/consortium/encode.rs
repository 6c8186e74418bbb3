//! `shoal consortium encode`: a custodian's table as codes, if they promise enough.

use std::path::{Path, PathBuf};

use serde_json::json;
use shoal_consortium::codes_file::{About, CodesWriter, Kind};
use shoal_consortium::custodian::{Dpbv, EncodeError, Encoded, PairsOf, encode_pairs, encode_table, intermediate_rows};
use shoal_consortium::{AgreementFile, Partition, Promise};
use shoal_files::{FileKind, Source, Table};
use shoal_noise::{NoiseSource, OsNoise, SeededNoise};
use shoal_privacy::{Assumption, ThisIsNotPrivate};

use super::limit::{self, allowed};
use super::own::without_columns;
use super::worth::Worth;
use crate::arguments::consortium::encode::EncodeArgs;
use crate::arguments::{Format, MissingArg, Shown};
use crate::failure::Failure;
use crate::place::ClaimedPlace;
use crate::show::consortium::promised::{self, KEEP_SECRET, KNOWN_RECORDS};
use crate::show::output;
use crate::show::progress::ReadingBar;
use crate::show::summary::plural;
use crate::table::{self, Wanted};

/// What no flip hides.
const ORDER: &str =
    "Codes come in the order of the rows: shuffle a table that is sorted by what it holds, or the order gives it away.";

/// How a column is left out here.
const OUT_OF_AGREEMENT: &str = "out of the agreement (init --columns)";

/// Encodes a table, row by row or pair by pair. The file of codes appears whole or not at all.
pub fn run(args: &EncodeArgs, shown: &Shown) -> Result<(), Failure> {
    let out = args.out.to_string_lossy();
    if out == "-" || out.ends_with(".gz") || out.ends_with(".csv") {
        return Err(Failure::usage("codes go to a Parquet file of their own: give --out codes.parquet"));
    }
    limit::check(args)?;
    if args.missing == MissingArg::Drop && args.id.is_none() {
        return Err(Failure::usage(
            "--missing drop leaves rows out, so codes and labels of rows after them would go to the wrong people: name the rows with --id COLUMN as well, or fill the gaps before",
        ));
    }
    let file = AgreementFile::read(&args.agreement)?;
    let terms = file.agreement.terms();
    if args.bridge.is_some() && terms.dims() > 1 {
        return Err(Failure::usage(format!(
            "--bridge puts records between those of a single column, and this agreement has {}; leave it out",
            terms.dims()
        )));
    }
    if let Some(id) = args.id.as_ref().filter(|id| terms.attributes().iter().any(|a| a.name == **id)) {
        return Err(Failure::usage(format!(
            "--id {id} would send a coded column in the clear; name a column that is not coded"
        )));
    }
    let source = table::source(&args.data, shown);
    let mut inputs = vec![args.agreement.clone()];
    if let Source::Path(path) = &source {
        inputs.push(path.clone());
    }
    let inputs: Vec<&Path> = inputs.iter().map(PathBuf::as_path).collect();
    let place = ClaimedPlace::new(&args.out, &inputs)?;
    if FileKind::of_path(&args.out) == FileKind::Codes {
        return Err(Failure::refused(format!(
            "{} holds codes already. It may have been sent, and a second report of the same people adds up; delete it first if it never left",
            args.out.display()
        )));
    }
    // The limit is held to what can be promised before a row is read; that of pairs depends on their number.
    if !args.pairs {
        allowed(args, &file, Partition::Records)?;
    }
    let columns = Some(terms.attributes().iter().map(|attribute| attribute.name.clone()).collect());
    let wanted =
        Wanted { columns, label: args.id.clone(), missing: args.missing, no_header: args.no_header, memory: 1 << 32 };
    let table = table::open(source, wanted).map_err(|error| without_columns(error, OUT_OF_AGREEMENT))?;
    crate::threads::start(shown)?;
    let work = Work { args, file: &file, table: &table, shown };
    let done = match args.seed {
        Some(seed) => work.run(SeededNoise::new(seed), place)?,
        None => work.run(OsNoise::new()?, place)?,
    };
    work.tell(done)
}

/// All that is settled before the first row is read.
struct Work<'a> {
    args: &'a EncodeArgs,
    file: &'a AgreementFile,
    table: &'a Table,
    shown: &'a Shown,
}

/// What was written, where, and what it promises.
struct Done {
    encoded: Encoded,
    /// Made-up rows among them.
    bridge: u64,
    path: PathBuf,
    promise: Promise,
    kind: Kind,
    partition: Partition,
}

impl Work<'_> {
    fn run<N: NoiseSource + Send>(&self, mut noise: N, place: ClaimedPlace) -> Result<Done, Failure> {
        let (agreement, args) = (&self.file.agreement, self.args);
        let terms = agreement.terms();
        let cannot = |error| Failure::refused(format!("the codes cannot be written ({error})"));
        let bar = ReadingBar::new("encoding", self.shown);
        let unreadable = |error: EncodeError| without_columns(error.into(), OUT_OF_AGREEMENT);
        let pairs = args.pairs.then(|| PairsOf::read(self.table, terms, &bar)).transpose().map_err(unreadable)?;
        let (kind, partition) = match &pairs {
            Some(pairs) => (Kind::Pairs, Partition::Pairs { records: pairs.records() }),
            None => (Kind::Records, Partition::Records),
        };
        let promise = allowed(args, self.file, partition)?;
        let promise = if args.seed.is_some() { promise.with_seeded_noise() } else { promise };
        // That a code is there at all tells whether its row had a gap.
        let promise = promise.assuming(match args.missing {
            MissingArg::Refuse => vec![Assumption::RowsComplete],
            MissingArg::Drop => vec![Assumption::GapsPublic, Assumption::RowsReadable],
        });
        if let Some(pairs) = pairs.as_ref().filter(|_| !self.shown.quiet) {
            let megabytes = pairs.bytes(terms)? as f64 / 1e6;
            eprintln!("the pairs of {} records take {megabytes:.1} MB", pairs.records());
        }
        let bridge = intermediate_rows(args.bridge.unwrap_or(0).into());
        let about = About {
            kind,
            terms: terms.clone(),
            fingerprint: agreement.fingerprint(),
            promise: promise.clone(),
            seeded: args.seed.is_some(),
            bridge: bridge.len() as u64,
            id: args.id.clone(),
            paired_records: pairs.as_ref().map(PairsOf::records),
        };
        let mut pending = place.open()?;
        let mut out = CodesWriter::new(pending.writer(), &about).map_err(cannot)?;
        let encoded = match &pairs {
            Some(pairs) => encode_pairs(pairs, agreement, &mut noise, &mut out)?,
            None => {
                let encoder = Dpbv::new(agreement)?;
                encode_table(self.table, terms, &encoder, &bridge, &mut noise, &mut out, &bar).map_err(unreadable)?
            }
        };
        bar.finish();
        out.finish().map_err(cannot)?;
        let bridge = bridge.len() as u64;
        Ok(Done { encoded, bridge, path: pending.finish()?, promise, kind, partition })
    }

    fn tell(&self, done: Done) -> Result<(), Failure> {
        let (args, shown, terms) = (self.args, self.shown, self.file.agreement.terms());
        let warnings = self.warnings(done.bridge);
        let worth = Worth::of(terms, done.partition);
        let Done { encoded, bridge, path, promise, kind, .. } = done;
        let source = table::short_name(&args.data);
        let noun = match kind {
            Kind::Records => "code",
            Kind::Pairs => "pair",
        };
        let mut what = plural((encoded.rows - bridge) as usize, noun);
        if bridge > 0 {
            what.push_str(&format!(" and {bridge} made-up one{}", if bridge == 1 { "" } else { "s" }));
        }
        if shown.format == Format::Json {
            let all: Vec<_> = promised::warnings(&promise, terms).into_iter().chain(warnings.iter().cloned()).collect();
            output::json(&json!({
                "rows": encoded.rows,
                "out": path,
                "kind": kind,
                "terms": terms,
                "fingerprint": self.file.agreement.fingerprint(),
                "bridge": bridge,
                "id": args.id,
                "promise": promised::json(&promise, terms, args.delta.as_ref()),
                "distance_error": Worth::json(worth.as_ref()),
                "warnings": all,
                "seeded": args.seed.is_some(),
                "shoal": env!("CARGO_PKG_VERSION"),
            }))?;
        } else {
            let mut text = format!("{what} of {source}: {}\n\n", promised::terms(terms));
            text.push_str(&promised::text(&promise, terms, args.delta.as_ref()));
            if !shown.quiet {
                text.push_str(&format!("{KEEP_SECRET} {KNOWN_RECORDS} {ORDER}\n"));
                text.extend(worth.map(|worth| format!("{}\n", worth.text(&args.agreement))));
            }
            output::print(&output::wrapped(&text))?;
        }
        warnings.iter().for_each(|warning| eprintln!("{warning}"));
        if shown.quiet {
            return Ok(());
        }
        let count = |count: u64, rest: &str| {
            if count > 0 {
                let records = plural(count as usize, "record");
                eprintln!("NOT PRIVATE, for your eyes only and no part of the codes: {records} {rest}");
            }
        };
        count(
            encoded.clamped.without_privacy().reveal(ThisIsNotPrivate),
            "had a value outside the bounds, which was moved to the nearest limit.",
        );
        count(
            encoded.dropped.without_privacy().reveal(ThisIsNotPrivate),
            "before the last complete one lacked a value and had to be left out; match labels by the names, not by the rows.",
        );
        eprintln!("written: {}", path.display());
        Ok(())
    }

    /// What to beware of beside the promise itself.
    fn warnings(&self, bridge: u64) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.args.seed.is_some() {
            warnings.push(
                "NO PRIVACY: --seed makes the flips repeatable. Leave it out for anything that is released.".into(),
            );
        }
        if self.file.seeded {
            warnings.push(
                "GUESSABLE: the anchors of this agreement came from a seed; nothing but the flips protects a row."
                    .into(),
            );
        }
        if let Some(id) = &self.args.id {
            warnings.push(format!(
                "IN THE CLEAR: the column {id} is in the file as it stands in the table; no promise is about it."
            ));
        }
        if bridge > 0 {
            warnings.push(format!(
                "KNOWN VALUES: the {bridge} made-up rows are evenly spaced over the range, so an aggregator knows their values and can locate others by them; see `shoal consortium attack`."
            ));
        }
        warnings
    }
}
