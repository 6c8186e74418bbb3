//! What a person at a terminal sees of a running job: bars, and notices before anything is spent.

use std::collections::HashMap;
use std::sync::Mutex;

use shoal::{Notice, Phase, Watch};
use shoal_curator::{ExpectedError, Step};
use shoal_files::Progress;
use shoal_page::text::{percent, printable, shell_word};

use super::progress::Bar;
use crate::arguments::Shown;
use crate::failure::with_flags;

/// Shows a job, unless the user wants quiet or nobody watches.
pub struct Bars {
    shown: Shown,
    bars: Mutex<HashMap<Phase, Bar>>,
}

impl Bars {
    /// For a command with these global options.
    pub fn new(shown: &Shown) -> Self {
        Self { shown: shown.clone(), bars: Mutex::default() }
    }

    fn with(&self, phase: Phase, show: impl FnOnce(&Bar)) {
        // A bar is not worth a panic: one that another thread left behind still shows.
        let bars = self.bars.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(bar) = bars.get(&phase) {
            show(bar);
        }
    }
}

impl Watch for Bars {
    fn begin(&self, phase: Phase) {
        let mut bars = self.bars.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        // Nobody knows how long a server takes; a fit shows its steps, and how far it has read.
        let alone = phase == Phase::Clustering && !bars.contains_key(&Phase::Scanning);
        let unknown = alone || phase == Phase::Decoding;
        let new = if unknown { Bar::waiting } else { Bar::reading };
        let bar = new(&phase.to_string(), &self.shown);
        bars.insert(phase, bar);
    }

    fn bytes(&self, phase: Phase, done: u64, total: u64) {
        self.with(phase, |bar| bar.bytes(done, total));
    }

    fn step(&self, step: Step) {
        self.with(Phase::Clustering, |bar| bar.show(step));
    }

    fn end(&self, phase: Phase) {
        let mut bars = self.bars.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        bars.remove(&phase);
    }

    fn notice(&self, notice: &Notice) {
        if self.shown.quiet {
            return;
        }
        match notice {
            Notice::Seeded => eprintln!("{SEEDED}"),
            Notice::RowsDisclosed { rows } => eprintln!(
                "--rows-public: the number of rows, {rows}, is disclosed, so the guarantee covers replacing one row, at twice the ε."
            ),
            Notice::LargeDelta { delta, rows } => eprintln!(
                "WARNING: δ = {delta} is no less than 1 / {rows}, so the guarantee would allow a whole row to get out; give a δ well below that."
            ),
            Notice::Expected { rows, error, plan } => {
                eprintln!("expected before anything is spent, for {rows} rows: {}", error_text(error));
                if !plan.is_empty() {
                    eprintln!("{}", plan.iter().map(with_flags).collect::<Vec<_>>().join(" "));
                }
            }
            Notice::LooksLikeKey { columns, clustered } => {
                let names = |names: &[String]| names.iter().map(|name| printable(name)).collect::<Vec<_>>().join(",");
                eprintln!("{}", key_text(&names(columns), &names(clustered)));
            }
            Notice::Pairs { records, bytes } => {
                eprintln!("the pairs of {records} records take {:.1} MB", *bytes as f64 / 1e6);
            }
            _ => {}
        }
    }
}

/// What to know about columns that look as if they named persons.
fn key_text(columns: &str, clustered: &str) -> String {
    // Of several, one may name persons and another their visits.
    let which = if columns.contains(',') { "NAME".into() } else { shell_word(columns) };
    let mut text = format!(
        "{columns} may say whose row it is. Can a person have several rows? Then add --person {which}: without it the guarantee covers one row, not one person."
    );
    if !clustered.is_empty() {
        text += &format!(
            " {clustered} is clustered as a number, which means little: name the columns to use with --columns."
        );
    }
    text
}

/// The warning for seeded noise.
pub const SEEDED: &str = "NO PRIVACY: --seed makes the noise repeatable. Leave it out for anything that is released.";

/// An expected error in a sentence.
pub fn error_text(expected: &ExpectedError) -> String {
    let share = match percent(expected.center_rmse.0) {
        less if less.starts_with("less") => less,
        about => format!("about {about}"),
    };
    format!("noise moves a centre by {share} of each column's range")
}
