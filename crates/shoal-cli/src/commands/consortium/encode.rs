//! `shoal consortium encode`: a custodian's table as codes, if they promise enough.

use std::path::{Path, PathBuf};

use serde_json::json;
use shoal::Error;
use shoal::consortium::{Coded, ConsortiumError, Encode};
use shoal_consortium::AgreementFile;
use shoal_consortium::codes_file::Kind;
use shoal_files::{FileKind, Source};
use shoal_page::text::plural;
use shoal_privacy::ThisIsNotPrivate;

use crate::arguments::consortium::encode::EncodeArgs;
use crate::arguments::{Format, Shown};
use crate::failure::Failure;
use crate::library::failed;
use crate::place::ClaimedPlace;
use crate::show::bars::Bars;
use crate::show::consortium::columns::{OUT_OF_AGREEMENT, without_columns};
use crate::show::consortium::limit;
use crate::show::consortium::promised::{self, KEEP_SECRET, KNOWN_RECORDS};
use crate::show::consortium::worth;
use crate::show::output;
use crate::table;

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
    let failed = |error| failed_encode(error, args, &file);
    let job = set_up(args, &file, shown).map_err(failed)?;
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
    job.check().map_err(failed)?;
    let mut pending = place.open()?;
    let coded = job.run_to(source, pending.writer()).map_err(failed)?;
    let path = pending.finish()?;
    CodesText { args, file: &file, shown }.show(coded, &path)
}

/// The codes that the command line asks for.
fn set_up(args: &EncodeArgs, file: &AgreementFile, shown: &Shown) -> Result<Encode, Error> {
    let mut job = Encode::new(file.clone()).missing(args.missing).watch(Bars::new(shown));
    if let Some(epsilon) = &args.max_epsilon {
        job = job.limit(epsilon, args.delta.clone())?;
    }
    if args.accept_unsound {
        job = job.accept_unsound();
    }
    if args.pairs {
        job = job.pairs();
    }
    if let Some(records) = args.bridge {
        job = job.bridge(records);
    }
    if let Some(id) = &args.id {
        job = job.id(id);
    }
    if let Some(seed) = args.seed {
        job = job.seed(seed);
    }
    if args.no_header {
        job = job.no_header();
    }
    job = job.format(args.written.to_library());
    if args.multiline {
        job = job.multiline();
    }
    if let Some(threads) = shown.threads {
        job = job.threads(threads.get());
    }
    Ok(job)
}

/// A refusal in the words of this command.
fn failed_encode(error: Error, args: &EncodeArgs, file: &AgreementFile) -> Failure {
    match error {
        Error::Delta { given, why } => {
            Failure::usage(why.replace(&format!("δ = {given}"), &format!("--delta {given}")))
        }
        Error::Consortium(ConsortiumError::LimitNeeded { promise }) => limit::needed(&promise),
        Error::Consortium(ConsortiumError::OverLimit { promise, limit, partition, with_delta, .. }) => {
            let beyond = limit::Beyond { promise: &promise, limit: &limit, partition, with_delta };
            beyond.failure(&args.agreement, file.agreement.terms())
        }
        error if error.is_usage() => failed(error),
        error => without_columns(failed(error), OUT_OF_AGREEMENT),
    }
}

/// What is shown about the codes.
struct CodesText<'a> {
    args: &'a EncodeArgs,
    file: &'a AgreementFile,
    shown: &'a Shown,
}

impl CodesText<'_> {
    fn show(&self, coded: Coded, path: &Path) -> Result<(), Failure> {
        let (args, shown, terms) = (self.args, self.shown, self.file.agreement.terms());
        let warnings = self.warnings(coded.bridge);
        let Coded { rows, bridge, promise, kind, worth, clamped, dropped, .. } = coded;
        let source = table::short_name(&args.data);
        let noun = match kind {
            Kind::Records => "code",
            Kind::Pairs => "pair",
        };
        let mut what = plural((rows - bridge) as usize, noun);
        if bridge > 0 {
            what.push_str(&format!(" and {bridge} made-up one{}", if bridge == 1 { "" } else { "s" }));
        }
        if shown.format == Format::Json {
            let all: Vec<_> = promised::warnings(&promise, terms).into_iter().chain(warnings.iter().cloned()).collect();
            output::json(&json!({
                "rows": rows,
                "out": path,
                "kind": kind,
                "terms": terms,
                "fingerprint": self.file.agreement.fingerprint(),
                "bridge": bridge,
                "id": args.id,
                "promise": promised::json(&promise, terms, args.delta.as_ref()),
                "distance_error": worth,
                "warnings": all,
                "seeded": args.seed.is_some(),
                "shoal": env!("CARGO_PKG_VERSION"),
            }))?;
        } else {
            let mut text = format!("{what} of {source}: {}\n\n", promised::terms(terms));
            text.push_str(&promised::text(&promise, terms, args.delta.as_ref()));
            if !shown.quiet {
                text.push_str(&format!("{KEEP_SECRET} {KNOWN_RECORDS} {ORDER}\n"));
                text.extend(worth.map(|worth| format!("{}\n", worth::text(&worth, &args.agreement))));
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
            clamped.reveal(ThisIsNotPrivate),
            "had a value outside the bounds, which was moved to the nearest limit.",
        );
        count(
            dropped.reveal(ThisIsNotPrivate),
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
