//! `shoal consortium encode`: a custodian's table as codes, if they promise enough.

use std::path::{Path, PathBuf};

use serde_json::json;
use shoal::consortium::codes_file::{About, CodesWriter, Kind};
use shoal::consortium::custodian::{Dpbv, Encoded, PairsOf, encode_pairs, encode_table, intermediate_rows};
use shoal::consortium::{AgreementFile, Flips, Limit, Partition, Promise};
use shoal::data::{Source, Table};
use shoal_noise::{NoiseSource, OsNoise, SeededNoise};
use shoal_privacy::{Assumption, ThisIsNotPrivate};

use super::super::fit::start_threads;
use super::super::summary::plural;
use super::promised::{self, THREATS};
use crate::arguments::{Format, MissingArg, Shown};
use crate::consortium_arguments::encode::EncodeArgs;
use crate::failure::Failure;
use crate::output::{self, ClaimedPlace};
use crate::progress::ReadingBar;
use crate::table::{self, Wanted};

/// What no flip hides.
const ORDER: &str =
    "Codes come in the order of the rows: shuffle a table that is sorted by what it holds, or the order gives it away.";

/// Encodes a table, row by row or pair by pair. The file of codes appears whole or not at all.
pub fn run(args: &EncodeArgs, shown: &Shown) -> Result<(), Failure> {
    let out = args.out.to_string_lossy();
    if out == "-" || out.ends_with(".gz") || out.ends_with(".csv") {
        return Err(Failure::usage("codes go to a Parquet file of their own: give --out codes.parquet"));
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
    // The limit is held to what can be promised before a row is read; that of pairs depends on their number.
    if !args.pairs {
        allowed(args, &file, Partition::Records)?;
    }
    let columns = Some(terms.attributes().iter().map(|attribute| attribute.name.clone()).collect());
    let wanted =
        Wanted { columns, label: args.id.clone(), missing: args.missing, no_header: args.no_header, memory: 1 << 32 };
    let table = table::open(source, wanted)?;
    start_threads(shown)?;
    let work = Work { args, file: &file, table: &table, shown };
    let done = match args.seed {
        Some(seed) => work.run(SeededNoise::new(seed), place)?,
        None => work.run(OsNoise::new()?, place)?,
    };
    work.tell(done)
}

/// The exact promise of these very anchors, if the custodian's limit allows it.
fn allowed(args: &EncodeArgs, file: &AgreementFile, partition: Partition) -> Result<Promise, Failure> {
    // The pure promise is the one that is told and written; at the limit's δ its curve counts.
    let promise = Promise::of_agreement(&file.agreement, partition, None)?;
    if *file.agreement.terms().flips() == Flips::None {
        return match args.accept_unsound {
            true => Ok(promise),
            false => Err(Failure::refused(
                "this agreement flips no bits (BV), so its codes promise nothing: agree on an ε per bit, or say --accept-unsound, for research",
            )),
        };
    }
    let Some(epsilon) = &args.max_epsilon else {
        let pure = promise.pure.as_ref().map_or("none".into(), ToString::to_string);
        return Err(Failure::usage(format!(
            "state your own limit with --max-epsilon: the most that a row's code may give away. {}\nBy this agreement it gives away ε = {pure}; to accept that, say --max-epsilon {pure}. A δ may make it less: --max-epsilon E --delta 1e-6",
            promise.guarantee.sentence()
        )));
    };
    promise.within(&Limit { epsilon: epsilon.clone(), delta: args.delta.clone() })?;
    Ok(promise)
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
    path: PathBuf,
    promise: Promise,
    kind: Kind,
}

impl Work<'_> {
    fn run<N: NoiseSource + Send>(&self, mut noise: N, place: ClaimedPlace) -> Result<Done, Failure> {
        let (agreement, args) = (&self.file.agreement, self.args);
        let terms = agreement.terms();
        let cannot = |error| Failure::refused(format!("the codes cannot be written ({error})"));
        let bar = ReadingBar::new("encoding", self.shown);
        let pairs = args.pairs.then(|| PairsOf::read(self.table, terms, &bar)).transpose()?;
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
        let bridge = intermediate_rows(args.bridge.unwrap_or(0));
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
                encode_table(self.table, terms, &encoder, &bridge, &mut noise, &mut out, &bar)?
            }
        };
        bar.finish();
        out.finish().map_err(cannot)?;
        Ok(Done { encoded, path: pending.finish()?, promise, kind })
    }

    fn tell(&self, done: Done) -> Result<(), Failure> {
        let Done { encoded, path, promise, kind } = done;
        let (args, shown, terms) = (self.args, self.shown, self.file.agreement.terms());
        let source = table::short_name(&args.data);
        let what = match kind {
            Kind::Records => plural(encoded.rows as usize, "code"),
            Kind::Pairs => plural(encoded.rows as usize, "pair"),
        };
        if shown.format == Format::Json {
            output::json(&json!({
                "rows": encoded.rows,
                "out": path,
                "kind": kind,
                "terms": terms,
                "fingerprint": self.file.agreement.fingerprint(),
                "bridge": args.bridge.unwrap_or(0),
                "id": args.id,
                "promise": promised::json(&promise, terms, args.delta.as_ref()),
                "seeded": args.seed.is_some(),
                "shoal": env!("CARGO_PKG_VERSION"),
            }))?;
        } else {
            let mut text = format!("{what} of {source}: {}\n\n", promised::terms(terms));
            text.push_str(&promised::text(&promise, terms, args.delta.as_ref(), shown));
            if !shown.quiet {
                text.push_str(&format!("{THREATS} {ORDER}\n"));
            }
            output::print(&output::wrapped(&text))?;
        }
        if shown.quiet {
            return Ok(());
        }
        if args.seed.is_some() {
            eprintln!("NO PRIVACY: --seed makes the flips repeatable. Leave it out for anything that is released.");
        }
        if self.file.seeded {
            eprintln!(
                "GUESSABLE: the anchors of this agreement came from a seed; nothing but the flips protects a row."
            );
        }
        if let Some(id) = &args.id {
            eprintln!(
                "IN THE CLEAR: the column {id} is in the file as it stands in the table; no promise is about it."
            );
        }
        if let Some(bridge) = args.bridge {
            eprintln!(
                "KNOWN TO ALL: the values of {}; an aggregator can locate others by their codes. What flipped bits promise stays.",
                plural(bridge as usize, "made-up record")
            );
        }
        let clamped = encoded.clamped.without_privacy().reveal(ThisIsNotPrivate);
        if clamped > 0 {
            eprintln!(
                "NOT PRIVATE, for your eyes only and no part of the codes: {} had a value outside the bounds, which was moved to the nearest limit.",
                plural(clamped as usize, "record")
            );
        }
        eprintln!("written: {}", path.display());
        Ok(())
    }
}
