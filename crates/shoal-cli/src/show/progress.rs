//! A progress bar on a terminal, silence elsewhere.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use shoal_curator::Step;
use shoal_files::Progress;

use crate::arguments::Shown;

const READING: &str = "{msg} {bar:30} {bytes} of {total_bytes}, {eta} left";
const STEPS: &str = "{msg} {bar:30} {pos} of {len}, {eta} left";
const WAITING: &str = "{spinner} {msg}, {elapsed}";
#[cfg(feature = "audit")]
const RUNS: &str = "{bar:30} {human_pos} of {human_len} runs, {eta} left  {msg}";
#[cfg(feature = "reproduce")]
const PERCENT: &str = "{bar:30} {percent}%, {eta} left  {msg}";

/// How far some work is and how long the rest will take. It goes off the screen when it is dropped, so as not to stand
/// under the result or an error.
pub struct Bar(ProgressBar);

impl Bar {
    /// How much of a file has been read.
    pub fn reading(what: &str, shown: &Shown) -> Self {
        Self::new(READING, what, shown)
    }

    /// A sign that work goes on, where nobody knows how long it takes.
    pub fn waiting(what: &str, shown: &Shown) -> Self {
        let bar = Self::new(WAITING, what, shown);
        bar.0.enable_steady_tick(Duration::from_millis(100));
        bar
    }

    /// How many runs have been made.
    #[cfg(feature = "audit")]
    pub fn runs(shown: &Shown) -> Self {
        Self::new(RUNS, "", shown)
    }

    /// Runs that take unlike times, which are estimated beforehand in milliseconds.
    #[cfg(feature = "reproduce")]
    pub fn weighted_runs(shown: &Shown) -> Self {
        Self::new(PERCENT, "", shown)
    }

    /// Work in steps; it appears with the first one.
    #[cfg(feature = "reproduce")]
    pub fn steps(shown: &Shown) -> Self {
        Self::new(STEPS, "", shown)
    }

    fn new(template: &str, what: &str, shown: &Shown) -> Self {
        let bar = ProgressBar::new(0).with_message(what.to_string());
        if shown.quiet || !std::io::stderr().is_terminal() {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        let bar = Self(bar);
        bar.set_template(template);
        bar
    }

    fn set_template(&self, template: &str) {
        // Unwrap safety: the templates are fixed and well-formed.
        self.0.set_style(ProgressStyle::with_template(template).unwrap());
    }

    /// Shows one step more; a bar of another kind becomes one of steps.
    pub fn show(&self, step: Step) {
        self.set_template(STEPS);
        self.0.set_message(step.what);
        self.0.set_length(step.of as u64);
        self.0.set_position(step.done as u64);
    }

    /// Takes the bar off the screen.
    pub fn finish(&self) {
        self.0.finish_and_clear();
    }
}

/// For runs, counted one by one or by how long they are expected to take.
#[cfg(any(feature = "audit", feature = "reproduce"))]
impl Bar {
    /// How much there will be.
    pub fn expect(&self, all: f64) {
        self.0.set_length(all.ceil() as u64);
        self.0.enable_steady_tick(Duration::from_millis(200));
    }

    /// How much there still is, where that has turned out to be less.
    #[cfg(feature = "reproduce")]
    pub fn again(&self, left: f64) {
        self.0.set_length(self.0.position() + left.ceil() as u64);
    }

    /// What is being done.
    pub fn at(&self, name: &str) {
        self.0.set_message(name.to_string());
    }

    /// So much more has been done.
    pub fn made(&self, part: f64) {
        self.0.inc(part.round() as u64);
    }
}

impl Progress for Bar {
    fn bytes(&self, done: u64, total: u64) {
        self.0.set_length(total);
        self.0.set_position(done);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.finish();
    }
}
