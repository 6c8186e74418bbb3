//! `shoal consortium init`: what all custodians encode by.

use std::path::{Path, PathBuf};

use serde_json::json;
use shoal_consortium::{Agreement, AgreementFile, AnchorSecret, Attribute, Flips, Partition, Promise, Scale, Terms};
use shoal_files::BoundsSpec;
use shoal_lattice::Bounds;

use crate::arguments::consortium::init::InitArgs;
use crate::arguments::{Format, Shown};
use crate::failure::Failure;
use crate::place::ClaimedPlace;
use crate::show::consortium::promised::{self, KEEP_SECRET, KNOWN_RECORDS};
use crate::show::consortium::worth::Worth;
use crate::show::output;

/// Makes an agreement and says what it promises.
pub fn run(args: &InitArgs, shown: &Shown) -> Result<(), Failure> {
    let flips = flips(args)?;
    let bounds = bounds(args)?;
    let terms = terms(args, &bounds, flips)?;
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
    let secret = match args.seed {
        Some(seed) => AnchorSecret::from_seed(seed),
        None => AnchorSecret::new()?,
    };
    let file = AgreementFile { agreement: Agreement::new(terms, secret), seeded: args.seed.is_some() };
    let text = file.to_json();
    // What counts is what custodians will read: an ε without a decimal form is rounded up in the file.
    let file = AgreementFile::from_json(text.as_bytes(), &args.out.display().to_string())?;
    let promise = Promise::of_agreement(&file.agreement, Partition::Records, None)?;
    let path = place.write(text.as_bytes())?;
    let agreement = &file.agreement;
    let guessable = args.seed.map(|_| {
        "GUESSABLE: --seed makes anchors that anyone can make again. What flipped bits promise stays, and nothing beyond it. Leave it out for anything real."
    });
    if let Some(guessable) = guessable {
        eprintln!("{guessable}");
    }
    let worth = Worth::of(agreement.terms(), Partition::Records);
    if shown.format == Format::Json {
        let mut warnings = promised::warnings(&promise, agreement.terms());
        warnings.extend(guessable.into_iter().chain([KEEP_SECRET]).map(String::from));
        output::json(&json!({
            "out": path,
            "fingerprint": agreement.fingerprint(),
            "terms": agreement.terms(),
            "seeded": file.seeded,
            "promise": promised::json(&promise, agreement.terms(), Some(&args.delta)),
            "distance_error": Worth::json(worth.as_ref()),
            "warnings": warnings,
            "shoal": env!("CARGO_PKG_VERSION"),
        }))?;
    } else {
        let mut text = format!("Agreement {} on {}\n\n", agreement.fingerprint(), promised::terms(agreement.terms()));
        text.push_str(&promised::text(&promise, agreement.terms(), Some(&args.delta)));
        text.push_str(&format!("{KEEP_SECRET}\n"));
        if !shown.quiet {
            text.push_str(&format!("{KNOWN_RECORDS}\n"));
            text.extend(worth.map(|worth| format!("{}\n", worth.text(&args.out))));
        }
        output::print(&output::wrapped(&text))?;
    }
    if !shown.quiet {
        eprintln!("written: {}. For custodians only.", path.display());
    }
    Ok(())
}

fn flips(args: &InitArgs) -> Result<Flips, Failure> {
    match (&args.epsilon, args.no_flips) {
        (Some(epsilon), _) => Ok(Flips::PerBit(epsilon.clone())),
        (None, true) if args.accept_unsound => Ok(Flips::None),
        (None, true) => Err(Failure::refused(
            "codes whose bits are not flipped (BV) promise nothing: give --epsilon, the ε of each bit, or say --accept-unsound as well, for research",
        )),
        (None, false) => Err(Failure::usage(
            "the ε of each bit is needed: give --epsilon, for example --epsilon 0.1; `shoal consortium price` tells what it buys",
        )),
    }
}

fn bounds(args: &InitArgs) -> Result<Bounds, Failure> {
    let spec = BoundsSpec::parse(&args.bounds).map_err(Failure::usage)?;
    let columns = match (&args.columns, &spec) {
        (Some(columns), _) => columns.clone(),
        (None, BoundsSpec::Named(pairs)) => pairs.iter().map(|(name, _)| name.clone()).collect(),
        (None, BoundsSpec::All(_)) => {
            return Err(Failure::usage(
                "these bounds name no columns: give --columns NAME,… as well, or bounds column by column, for example --bounds age=17:90,hours=1:99",
            ));
        }
    };
    let known = match &spec {
        BoundsSpec::Named(pairs) => pairs.iter().map(|(name, _)| name.clone()).collect(),
        BoundsSpec::All(_) => columns.clone(),
    };
    if let Some(name) = columns.iter().find(|name| name.trim().is_empty() || name.chars().any(char::is_control)) {
        return Err(Failure::usage(format!("{name:?} is no name of a column; name each as in the tables")));
    }
    spec.resolve(&columns, &known).map_err(Failure::usage)
}

fn terms(args: &InitArgs, bounds: &Bounds, flips: Flips) -> Result<Terms, Failure> {
    if !(args.window > 0.0 && args.window <= 256.0) {
        return Err(Failure::usage(format!(
            "--window {} is no share of a range; give a number above 0, for example 0.5, whose windows cover the range",
            args.window
        )));
    }
    let mut windows = Vec::new();
    for text in &args.t {
        let (name, t) =
            text.split_once('=').ok_or_else(|| Failure::usage(format!("--t {text} has no `=`; give NAME=T")))?;
        let t: f64 =
            t.trim().parse().map_err(|_| Failure::usage(format!("--t {text} holds no number; give NAME=T")))?;
        if !bounds.columns().iter().any(|column| column == name) {
            let known = bounds.columns().join(", ");
            return Err(Failure::usage(format!("--t names {name}, which is none of the columns ({known})")));
        }
        windows.push((name, t));
    }
    let attribute = |(name, range): (&String, &shoal_lattice::Interval)| {
        let own = windows.iter().rev().find(|(window, _)| window == name).map(|(_, t)| *t);
        Attribute::new(name, *range, own.unwrap_or(args.window * range.width()))
    };
    let attributes = bounds.columns().iter().zip(bounds.intervals()).map(attribute).collect::<Result<Vec<_>, _>>();
    let scale = match args.scale {
        Some(scale) => scale,
        None if bounds.dims() == 1 => Scale::Own,
        None => Scale::Range,
    };
    Terms::new(attributes.map_err(Failure::usage)?, args.bits, flips, scale).map_err(Failure::usage)
}
