//! `shoal predict`

use std::io::IsTerminal;
use std::path::Path;

use serde_json::{Value, json};
use shoal::{Error, LabelCounts, Model, Predict};
use shoal_files::{FileKind, Form, Source};
use shoal_privacy::ThisIsNotPrivate;

use crate::arguments::{Format, PredictArgs, Shown};
use crate::failure::{Failure, visible};
use crate::library::{codes, failed};
use crate::place::ClaimedPlace;
use crate::show::bars::Bars;
use crate::show::output;
use crate::table;

/// Labels every row with the nearest centre.
pub fn run(args: &PredictArgs, shown: &Shown) -> Result<(), Failure> {
    let form = args.out.as_deref().map(Predict::form_of).transpose().map_err(failed)?;
    let model = read_model(&args.model)?;
    let job = job(args, &model, shown).map_err(failed)?;
    let source = table::source(&args.data, shown);
    let mut inputs = vec![args.model.as_path()];
    if let Source::Path(data) = &source {
        inputs.push(data);
    }
    let place = args.out.as_deref().map(|path| ClaimedPlace::secret(path, &inputs)).transpose()?;
    match (place, form) {
        (Some(place), Some(form)) => {
            let mut pending = place.open()?;
            let counts = job.write(source, pending.writer(), form).map_err(failed)?.reveal(ThisIsNotPrivate);
            let path = pending.finish()?;
            if shown.format == Format::Json {
                let LabelCounts { sizes, unlabelled, .. } = counts;
                output::json(&json!({ "labels": path, "sizes": sizes, "unlabelled": unlabelled, "private": false }))?;
            } else if !shown.quiet {
                eprintln!("written: {}", path.display());
            }
        }
        _ if shown.format == Format::Json => {
            output::json(&json!({ "labels": objects(&job, source, &model)?, "private": false }))?;
        }
        _ => {
            // Collected first: a table that turns out to be broken must not leave half of the labels behind.
            let mut text = Vec::new();
            job.write(source, &mut text, Form::Csv).map_err(failed)?;
            let text = String::from_utf8_lossy(&text);
            // A program gets cells as they are; a terminal must not obey them.
            let terminal = std::io::stdout().is_terminal();
            output::print(&if terminal { visible(&text).into() } else { text })?;
        }
    }
    if !shown.quiet {
        eprintln!("NOT PRIVATE: labels reveal single rows; keep them as safe as the rows.");
    }
    Ok(())
}

fn job<'m>(args: &PredictArgs, model: &'m Model, shown: &Shown) -> Result<Predict<'m>, Error> {
    let mut job = Predict::new(model)?.keep(&args.keep).format(args.written.to_library()).watch(Bars::new(shown));
    if let Some(columns) = &args.columns {
        job = job.columns(columns)?;
    }
    if let Some(missing) = args.missing {
        job = job.missing(missing);
    }
    if args.no_header || args.header {
        job = job.header(args.header);
    }
    if args.multiline {
        job = job.multiline();
    }
    Ok(job)
}

/// An object for each row, with the columns that are kept as text.
fn objects(job: &Predict<'_>, source: Source, model: &Model) -> Result<Vec<Value>, Failure> {
    let (names, mut labels) = (job.kept_names(), Vec::new());
    job.for_each_kept(source, |found, kept| {
        let label = found.label.map(|label| model.number(label));
        let mut object = json!({ "row": found.row, "label": label, "distance": found.distance });
        if let Some(probability) = found.probability {
            object["probability"] = probability.into();
        }
        for (name, cell) in names.iter().zip(kept) {
            object[name] = (*cell).into();
        }
        labels.push(object);
        Ok::<(), Error>(())
    })
    .map_err(failed)?;
    Ok(labels)
}

/// Reads a model file.
pub fn read_model(path: &Path) -> Result<Model, Failure> {
    if FileKind::of_path(path) == FileKind::Codes {
        return Err(Failure::refused(codes(path)));
    }
    let text = std::fs::read_to_string(path).map_err(|error| {
        Failure::refused(format!("cannot read the model {} ({error}); check the path", path.display()))
    })?;
    Model::from_json(&text).map_err(|error| Failure::refused(format!("{}: {error}", path.display())))
}
