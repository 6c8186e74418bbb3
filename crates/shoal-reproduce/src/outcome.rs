//! A figure from its cells to its files.

use std::fs;
use std::path::Path;

use crate::chart::{self, Heading, Hover, Scales};
use crate::data::Grade;
use crate::figure::{Drawing, Figure, Info, Paper};
use crate::lab::{self, Effort, Lab, Progress, Results, Store};
use crate::printed::{self, Comparison};
use crate::verdict::Privacy;
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
    /// How near the data are to the paper's: the farthest of them.
    pub data: Grade,
    /// What is known of the privacy claim, where no statement measures it.
    pub(crate) privacy: Privacy,
}

/// A figure that could not be measured, and why.
pub type Failed = (String, String);

/// Measures and draws a figure. `expect` gets the amount of work that is left, and `watch` each run.
pub fn reproduce(
    figure: &dyn Figure,
    lab: &Lab,
    store: &Store,
    expect: impl FnOnce(f64),
    watch: impl Fn(&Progress<'_>) + Sync,
) -> Result<Outcome, Failure> {
    let used = lab.data.watched();
    let results = lab::measure(figure.cells(lab)?, store, expect, watch)?;
    let (info, drawing) = (figure.info(), figure.draw(lab, &results)?);
    let data = used.farthest().max(figure.generated());
    let comparisons = printed::compared(&info, &results, &used.made_up())?;
    let (effort, seed, privacy) = (lab.effort, store.seed(), figure.privacy());
    Ok(Outcome { info, drawing, comparisons, results, effort, seed, data, privacy })
}

impl Outcome {
    /// What stands above the picture.
    #[must_use]
    pub fn heading(&self) -> Heading {
        let Info { label, title, paper, protocol, quick, .. } = &self.info;
        let (facts, whose) = match paper {
            Paper::Shoal => (format!("{label}. {protocol}"), "the whole"),
            paper => (format!("{} {label}, measured again with Shoal. {protocol}", paper.key()), "the paper's"),
        };
        let quick = (self.effort == Effort::Quick).then(|| format!("REDUCED RUN, not {whose} protocol: {quick}"));
        let missing = self.drawing.missing();
        let missing = (!missing.is_empty()).then(|| format!("Left out for want of data: {}", missing.join(", ")));
        let said: Vec<String> =
            quick.into_iter().chain(missing).map(|text| text.trim_end_matches('.').to_string() + ".").collect();
        let warning = (!said.is_empty()).then(|| said.join(" "));
        Heading { title: title.clone(), facts, warning }
    }

    /// Writes the numbers, the picture and the page into a folder, under the figure's name. `indexed` where an index page of
    /// all figures goes there, too.
    pub fn write(&self, folder: &Path, command: &str, indexed: bool) -> Result<(), Failure> {
        let svg = chart::svg(&self.drawing.chart, &self.heading(), Scales::default(), Hover::Titles);
        let named = |ending: &str| folder.join(format!("{}.{ending}", self.info.id));
        let write = |ending: &str, bytes: &[u8]| -> Result<(), Failure> {
            let path = named(ending);
            fs::write(&path, bytes).map_err(|error| format!("{}: {error}", path.display()).into())
        };
        write("csv", self.results.csv().as_bytes())?;
        write("svg", svg.as_bytes())?;
        write("png", &chart::png(&svg)?)?;
        write("html", page::figure(self, command, indexed).as_bytes())
    }
}
