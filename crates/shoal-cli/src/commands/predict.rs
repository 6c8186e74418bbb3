//! `shoal predict`

use std::io::{BufWriter, Write};
use std::path::Path;

use shoal::{Error, Model, Predict};
use shoal_files::{FileKind, Source};

use crate::arguments::{Format, PredictArgs, Shown};
use crate::failure::Failure;
use crate::library::{codes, failed};
use crate::place::ClaimedPlace;
use crate::show::bars::Bars;
use crate::show::output;
use crate::table;

/// Labels every row with the nearest centre.
pub fn run(args: &PredictArgs, shown: &Shown) -> Result<(), Failure> {
    let model = read_model(&args.model)?;
    let mut job = Predict::new(&model).map_err(failed)?.missing(args.missing).watch(Bars::new(shown));
    if args.no_header {
        job = job.no_header();
    }
    job = job.format(args.written.to_library());
    if args.multiline {
        job = job.multiline();
    }
    let source = table::source(&args.data, shown);
    let mut inputs = vec![args.model.as_path()];
    if let Source::Path(data) = &source {
        inputs.push(data);
    }
    let place = args.out.as_deref().map(|path| ClaimedPlace::secret(path, &inputs)).transpose()?;
    let Some(place) = place else {
        // Collected first: a table that turns out to be broken must not leave half of the labels behind.
        let mut text = Vec::new();
        write_labels(&job, source, &model, &mut text)?;
        let text = String::from_utf8_lossy(&text);
        if shown.format == Format::Json {
            output::json(&serde_json::json!({ "labels": labels_json(&text), "private": false }))?;
        } else {
            output::print(&text)?;
        }
        warn(shown);
        return Ok(());
    };
    let mut pending = place.open()?;
    let sizes = write_labels(&job, source, &model, pending.writer())?;
    let path = pending.finish()?;
    if shown.format == Format::Json {
        output::json(&serde_json::json!({ "labels": path, "sizes": sizes, "private": false }))?;
    } else if !shown.quiet {
        eprintln!("written: {}", path.display());
    }
    warn(shown);
    Ok(())
}

/// Writes `row,label` lines and returns how many rows each label has.
fn write_labels(job: &Predict<'_>, source: Source, model: &Model, out: impl Write) -> Result<Vec<u64>, Failure> {
    let cannot = |error| Failure::refused(format!("cannot write the labels ({error})"));
    let mut out = BufWriter::with_capacity(1 << 16, out);
    let mut sizes = vec![0; model.k()];
    writeln!(out, "row,label").map_err(cannot)?;
    job.for_each(source, |found| {
        sizes[found.label] += 1;
        writeln!(out, "{},{}", found.row, model.number(found.label)).map_err(|error| Ended::Failed(cannot(error)))
    })
    .map_err(|ended| match ended {
        Ended::Failed(failure) => failure,
        Ended::Refused(error) => failed(error),
    })?;
    out.flush().map_err(cannot)?;
    Ok(sizes)
}

/// Why the labels ended early.
enum Ended {
    Refused(Error),
    Failed(Failure),
}

impl From<Error> for Ended {
    fn from(error: Error) -> Self {
        Self::Refused(error)
    }
}

fn warn(shown: &Shown) {
    if !shown.quiet {
        eprintln!("NOT PRIVATE: labels reveal single rows; keep them as safe as the rows.");
    }
}

/// `row,label` lines as a list of objects.
fn labels_json(lines: &str) -> Vec<serde_json::Value> {
    let number = |text: &str| text.parse::<u64>().unwrap_or(0);
    let pairs = lines.lines().skip(1).filter_map(|line| line.split_once(','));
    pairs.map(|(row, label)| serde_json::json!({ "row": number(row), "label": number(label) })).collect()
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
