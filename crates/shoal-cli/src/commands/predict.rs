//! `shoal predict`

use std::io::{BufWriter, Write};
use std::path::Path;

use shoal::model::Model;
use shoal_files::{FileKind, Source};
use shoal_kernel::score::NicvAccumulator;
use shoal_lattice::LatticeMap;
use shoal_privacy::{Sensitive, ThisIsNotPrivate};

use crate::arguments::{Format, MissingArg, PredictArgs, Shown};
use crate::failure::Failure;
use crate::place::ClaimedPlace;
use crate::show::output;
use crate::show::progress::ReadingBar;
use crate::table::{self, Wanted};

/// Rows at a time.
pub const BATCH: usize = 4096;

/// Most bytes of standard input to hold.
pub const STREAM_LIMIT: usize = 4 << 30;

/// Labels every row with the nearest centre.
pub fn run(args: &PredictArgs, shown: &Shown) -> Result<(), Failure> {
    let model = read_model(&args.model)?;
    let mut labeller = Labeller::new(&model)?;
    let source = table::source(&args.data, shown);
    let mut inputs = vec![args.model.as_path()];
    if let Source::Path(data) = &source {
        inputs.push(data);
    }
    let place = args.out.as_deref().map(|path| ClaimedPlace::secret(path, &inputs)).transpose()?;
    let table = table::open(source, wanted(&model, None, args.missing, args.no_header))?;
    let mut pending = place.map(ClaimedPlace::open).transpose()?;
    let bar = ReadingBar::new("labelling", shown);
    let mut sizes = vec![0u64; model.k()];
    let mut label = |out: &mut dyn Write| -> Result<(), Failure> {
        let cannot = |error| Failure::refused(format!("cannot write the labels ({error})"));
        let mut out = BufWriter::with_capacity(1 << 16, out);
        writeln!(out, "row,label").map_err(cannot)?;
        let mut row = vec![0.0; model.columns.len()];
        table.for_each_batch(BATCH, &bar, |batch| {
            for r in 0..batch.rows() {
                batch.copy_row(r, &mut row);
                let label = labeller.label(&mut row)?;
                sizes[label] += 1;
                writeln!(out, "{},{}", batch.row_number(r), label + 1).map_err(cannot)?;
            }
            Ok::<(), Failure>(())
        })?;
        out.flush().map_err(cannot)
    };
    match &mut pending {
        Some(file) => label(file.writer())?,
        None => {
            // Collected first: a table that turns out to be broken must not leave half of the labels behind.
            let mut text = Vec::new();
            label(&mut text)?;
            let text = String::from_utf8_lossy(&text);
            if shown.format == Format::Json {
                output::json(&serde_json::json!({ "labels": labels_json(&text), "private": false }))?;
            } else {
                output::print(&text)?;
            }
        }
    }
    bar.finish();
    if let Some(file) = pending {
        let path = file.finish()?;
        if shown.format == Format::Json {
            let sizes = Sensitive::new(sizes).without_privacy().reveal(ThisIsNotPrivate);
            output::json(&serde_json::json!({ "labels": path, "sizes": sizes, "private": false }))?;
        } else if !shown.quiet {
            eprintln!("written: {}", path.display());
        }
    }
    if !shown.quiet {
        eprintln!("NOT PRIVATE: labels tell about single rows; keep them as safe as the rows.");
    }
    Ok(())
}

/// `row,label` lines as a list of objects.
fn labels_json(lines: &str) -> Vec<serde_json::Value> {
    let number = |text: &str| text.parse::<u64>().unwrap_or(0);
    let pairs = lines.lines().skip(1).filter_map(|line| line.split_once(','));
    pairs.map(|(row, label)| serde_json::json!({ "row": number(row), "label": number(label) })).collect()
}

/// How rows are read to go with a model.
pub fn wanted(model: &Model, label: Option<String>, missing: MissingArg, no_header: bool) -> Wanted {
    Wanted { columns: Some(model.columns.clone()), label, missing, no_header, memory: STREAM_LIMIT }
}

/// Reads a model file.
pub fn read_model(path: &Path) -> Result<Model, Failure> {
    if FileKind::of_path(path) == FileKind::Codes {
        return Err(table::codes(path));
    }
    let text = std::fs::read_to_string(path).map_err(|error| {
        Failure::refused(format!("cannot read the model {} ({error}); check the path", path.display()))
    })?;
    Model::from_json(&text).map_err(|error| Failure::refused(format!("{}: {error}", path.display())))
}

/// Brings rows in the user's units into the box of a model and finds their nearest centre there, so that every column
/// weighs as much as its public range makes it.
pub struct Labeller {
    map: LatticeMap,
    distances: NicvAccumulator,
}

impl Labeller {
    /// Ready to label rows for a model.
    pub fn new(model: &Model) -> Result<Self, Failure> {
        let map = LatticeMap::new(&model.to_bounds()?);
        Ok(Self { map, distances: NicvAccumulator::new(&model.centres_in_box()?, model.columns.len())? })
    }

    /// The number of the nearest centre, from zero. Leaves the row in box units.
    pub fn label(&mut self, row: &mut [f64]) -> Result<usize, Failure> {
        for (i, x) in row.iter_mut().enumerate() {
            *x = self.map.to_box(i, *x);
        }
        Ok(self.distances.add_row(row)?)
    }

    /// The distances of all rows labelled so far, in box units.
    pub fn into_distances(self) -> NicvAccumulator {
        self.distances
    }
}
