//! A figure from its cells to its files.

use std::fs;
use std::path::Path;

use serde::Serialize;
use shoal_page::text::compact;

use crate::chart::{self, Heading, Hover, Scales};
use crate::figure::{Drawing, Figure, Info, Paper, Status};
use crate::lab::{self, Effort, Lab, Progress, Results, Store};
use crate::printed::{self, Comparison};
use crate::{Failure, page};

/// A figure that was measured and drawn.
pub struct Outcome {
    /// What it is.
    pub info: Info,
    /// The picture, and what it says.
    pub drawing: Drawing,
    /// What the paper prints next to what was measured.
    pub comparisons: Vec<Comparison>,
    /// All that was measured.
    pub results: Results,
    /// How much work went into it.
    pub effort: Effort,
    /// The seed of all noise.
    pub seed: u64,
}

/// A figure that could not be measured, and why.
pub type Failed = (String, String);

/// A line about a figure for tables and programs.
#[derive(Clone, Debug, Serialize)]
pub struct Told {
    /// The name that the command takes.
    pub figure: String,
    /// Whether it was reproduced.
    pub status: Status,
    /// `paper` or `quick`.
    pub protocol: &'static str,
    /// Why not, if it did not.
    pub why: String,
}

/// Measures and draws a figure. `expect` gets the amount of work that is left, and `watch` each run.
pub fn reproduce(
    figure: &dyn Figure,
    lab: &Lab,
    store: &Store,
    expect: impl FnOnce(f64),
    watch: impl Fn(&Progress<'_>) + Sync,
) -> Result<Outcome, Failure> {
    let results = lab::measure(figure.cells(lab)?, store, expect, watch)?;
    let (info, drawing) = (figure.info(), figure.draw(lab, &results)?);
    let comparisons = printed::compared(&info, &results)?;
    Ok(Outcome { info, drawing, comparisons, results, effort: lab.effort, seed: store.seed() })
}

impl Outcome {
    /// Whether it was reproduced. A printed value that does not agree, or was not measured, is a reason against it.
    #[must_use]
    pub fn told(&self) -> Told {
        let (mut status, mut why) = self.drawing.status();
        let mut against = |reason: String| {
            if status == Status::Reproduced {
                status = Status::Partly;
            }
            why += if why.is_empty() { "" } else { "; " };
            why += &reason;
        };
        for comparison in &self.comparisons {
            let (what, value) = (&comparison.printed.what, &comparison.printed.value);
            match (comparison.agrees, comparison.measured) {
                (Some(true), _) => {}
                (Some(false), measured) => {
                    let measured = compact(measured.map_or(f64::NAN, |(mean, _)| mean));
                    against(format!("{what}: printed {value}, measured {measured}"));
                }
                // A value of no single cell is judged as a statement.
                (None, _) if comparison.printed.cell.is_empty() => {}
                (None, Some(_)) => against(format!("{what}: printed {value}, too few runs to compare")),
                (None, None) => against(format!("{what}: printed {value}, not measured")),
            }
        }
        let protocol = self.effort.pick("paper", "quick");
        Told { figure: self.info.id.clone(), status, protocol, why }
    }

    /// What stands above the picture.
    #[must_use]
    pub fn heading(&self) -> Heading {
        let Info { label, title, paper, protocol, quick, .. } = &self.info;
        let (facts, whose) = match paper {
            Paper::Shoal => (format!("{label}. {protocol}"), "the whole"),
            paper => (format!("{} {label}, measured again with Shoal. {protocol}", paper.key()), "the paper's"),
        };
        let quick = (self.effort == Effort::Quick).then(|| format!("QUICK LOOK, not {whose} protocol: {quick}"));
        let missing = self.drawing.missing();
        let missing = (!missing.is_empty()).then(|| format!("Left out for want of data: {}", missing.join(", ")));
        let said: Vec<String> =
            quick.into_iter().chain(missing).map(|text| text.trim_end_matches('.').to_string() + ".").collect();
        let warning = (!said.is_empty()).then(|| said.join(" "));
        Heading { title: title.clone(), facts, warning }
    }

    /// Writes the numbers, the picture and the page into a folder, under the figure's name.
    pub fn write(&self, folder: &Path, command: &str) -> Result<(), Failure> {
        let svg = chart::svg(&self.drawing.chart, &self.heading(), Scales::default(), Hover::Titles);
        let named = |ending: &str| folder.join(format!("{}.{ending}", self.info.id));
        let write = |ending: &str, bytes: &[u8]| -> Result<(), Failure> {
            let path = named(ending);
            fs::write(&path, bytes).map_err(|error| format!("{}: {error}", path.display()).into())
        };
        write("csv", self.results.csv().as_bytes())?;
        write("svg", svg.as_bytes())?;
        write("png", &chart::png(&svg)?)?;
        write("html", page::figure(self, command).as_bytes())
    }
}
