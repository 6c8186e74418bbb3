//! `shoal consortium init`: what all custodians encode by.

use std::path::{Path, PathBuf};

use serde_json::json;
use shoal::Error;
use shoal::consortium::{Agree, ConsortiumError};

use crate::arguments::consortium::init::InitArgs;
use crate::arguments::{Format, Shown};
use crate::failure::{Failure, with_flags};
use crate::library::failed;
use crate::place::ClaimedPlace;
use crate::show::consortium::promised::{self, KEEP_SECRET, KNOWN_RECORDS};
use crate::show::consortium::worth;
use crate::show::output;

/// Makes an agreement and shows what it guarantees.
pub fn run(args: &InitArgs, shown: &Shown) -> Result<(), Failure> {
    let agreed = set_up(args).and_then(|job| job.run()).map_err(refused)?;
    let inputs: Vec<PathBuf> = [PathBuf::from(&args.bounds)].into_iter().filter(|path| path.is_file()).collect();
    let inputs: Vec<&Path> = inputs.iter().map(PathBuf::as_path).collect();
    if args.out == Path::new("-") {
        return Err(Failure::usage("the agreement is a secret and goes to a file, not to the screen: give --out FILE"));
    }
    let place = ClaimedPlace::secret(&args.out, &inputs)?;
    if args.out.exists() {
        return Err(Failure::refused(format!(
            "{} is there already, and codes made by it could no longer be compared with new ones; choose another name, or remove it first",
            args.out.display()
        )));
    }
    let path = place.write(agreed.to_json().as_bytes())?;
    let (file, promise) = (agreed.file(), &agreed.promise);
    let agreement = &file.agreement;
    let guessable = file.seeded.then_some(
        "GUESSABLE: --seed makes anchors that anyone can make again. What flipped bits guarantee stays, and nothing beyond it. Leave it out for anything real.",
    );
    if let Some(guessable) = guessable {
        eprintln!("{guessable}");
    }
    if shown.format == Format::Json {
        let mut warnings = promised::warnings(promise, agreement.terms());
        warnings.extend(guessable.into_iter().chain([KEEP_SECRET]).map(String::from));
        output::json(&json!({
            "out": path,
            "fingerprint": agreement.fingerprint(),
            "terms": agreement.terms(),
            "seeded": file.seeded,
            "promise": promised::json(promise, agreement.terms(), Some(&args.delta)),
            "distance_error": agreed.worth,
            "warnings": warnings,
            "shoal": env!("CARGO_PKG_VERSION"),
        }))?;
    } else {
        let mut text = format!("Agreement {} on {}\n\n", agreement.fingerprint(), promised::terms(agreement.terms()));
        text.push_str(&promised::text(promise, agreement.terms(), Some(&args.delta)));
        text.push_str(&format!("{KEEP_SECRET}\n"));
        if !shown.quiet {
            text.push_str(&format!("{KNOWN_RECORDS}\n"));
            text.extend(agreed.worth.map(|worth| format!("{}\n", worth::text(&worth, &args.out))));
        }
        output::print(&output::wrapped(&text))?;
    }
    if !shown.quiet {
        eprintln!("written: {}. For custodians only.", path.display());
    }
    Ok(())
}

/// The agreement that the command line asks for.
fn set_up(args: &InitArgs) -> Result<Agree, Error> {
    let mut job = Agree::new(&args.bounds)?.bits(args.bits).window(args.window)?;
    if let Some(columns) = &args.columns {
        job = job.columns(columns);
    }
    if let Some(epsilon) = &args.epsilon {
        job = job.epsilon(epsilon)?;
    }
    if args.no_flips {
        job = job.no_flips();
    }
    if args.accept_unsound {
        job = job.accept_unsound();
    }
    for (column, t) in &args.t {
        job = job.window_of(column, *t);
    }
    if let Some(scale) = args.scale {
        job = job.scale(scale);
    }
    if let Some(seed) = args.seed {
        job = job.seed(seed);
    }
    Ok(job)
}

/// A refusal that names the command which helps.
fn refused(error: Error) -> Failure {
    match error {
        Error::Consortium(ConsortiumError::EpsilonNeeded) => {
            let code = error.code();
            Failure::usage(format!("{}; `shoal consortium price` shows what it buys", with_flags(error)))
                .with_code(code)
        }
        error => failed(error),
    }
}
