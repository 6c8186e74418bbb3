//! Progress bars on a terminal, silence elsewhere.

use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use shoal_curator::Step;
use shoal_files::Progress;

use crate::arguments::Shown;

/// A bar that shows how much of a file has been read and how long the rest will take.
pub struct ReadingBar(ProgressBar);

impl ReadingBar {
    /// A bar for reading, drawn only for a person who watches.
    pub fn new(what: &str, shown: &Shown) -> Self {
        Self(bar(what, shown.quiet))
    }

    /// Takes the bar off the screen.
    pub fn finish(&self) {
        self.0.finish_and_clear();
    }
}

impl Progress for ReadingBar {
    fn bytes(&self, done: u64, total: u64) {
        self.0.set_length(total);
        self.0.set_position(done);
    }
}

/// A bar that shows how much of a method's work is done.
pub struct WorkBar(ProgressBar);

impl WorkBar {
    /// A bar that appears with the first step.
    pub fn new(shown: &Shown) -> Self {
        let bar = bar("", shown.quiet);
        // Unwrap safety: the template is fixed and well-formed.
        bar.set_style(ProgressStyle::with_template("{msg} {bar:30} {pos} of {len}, {eta} left").unwrap());
        Self(bar)
    }

    /// Shows one step more.
    pub fn show(&self, step: Step) {
        self.0.set_message(step.what);
        self.0.set_length(step.of as u64);
        self.0.set_position(step.done as u64);
        if step.done == step.of {
            self.0.finish_and_clear();
        }
    }
}

impl Drop for WorkBar {
    /// Not to stand under the result, or an error.
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// A bar that counts the runs of an audit.
pub struct RunsBar(ProgressBar);

impl RunsBar {
    /// A bar drawn only for a person who watches.
    pub fn new(shown: &Shown) -> Self {
        let bar = bar("", shown.quiet);
        // Unwrap safety: the template is fixed and well-formed.
        let style =
            ProgressStyle::with_template("{bar:30} {human_pos} of {human_len} runs, {eta} left  {msg}").unwrap();
        bar.set_style(style);
        Self(bar)
    }

    /// How many runs there will be.
    pub fn expect(&self, runs: usize) {
        self.0.set_length(runs as u64);
        self.0.enable_steady_tick(std::time::Duration::from_millis(200));
    }

    /// What is being audited.
    pub fn at(&self, name: &str) {
        self.0.set_message(name.to_string());
    }

    /// So many runs more have been made.
    pub fn made(&self, runs: usize) {
        self.0.inc(runs as u64);
    }
}

impl Drop for RunsBar {
    /// Not to stand under the result, or an error.
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// A bar for runs that take unlike times, which are guessed beforehand in milliseconds.
pub struct CostBar(ProgressBar);

impl CostBar {
    /// A bar drawn only for a person who watches.
    pub fn new(shown: &Shown) -> Self {
        let bar = bar("", shown.quiet);
        // Unwrap safety: the template is fixed and well-formed.
        bar.set_style(ProgressStyle::with_template("{bar:30} {percent}%, {eta} left  {msg}").unwrap());
        Self(bar)
    }

    /// How much there is to do.
    pub fn expect(&self, cost: f64) {
        self.0.set_length(cost.ceil() as u64);
        self.0.enable_steady_tick(std::time::Duration::from_millis(200));
    }

    /// How much there is still to do, where that has turned out to be less.
    pub fn again(&self, cost: f64) {
        self.0.set_length(self.0.position() + cost.ceil() as u64);
    }

    /// What is being measured.
    pub fn at(&self, name: &str) {
        self.0.set_message(name.to_string());
    }

    /// So much has been done.
    pub fn made(&self, cost: f64) {
        self.0.inc(cost.round() as u64);
    }
}

impl Drop for CostBar {
    /// Not to stand under the result, or an error.
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// A sign that work goes on, where nobody knows how long it takes.
pub struct Waiting(ProgressBar);

impl Waiting {
    /// Shows what is being done, and for how long already.
    pub fn new(what: &str, shown: &Shown) -> Self {
        let bar = bar(what, shown.quiet);
        // Unwrap safety: the template is fixed and well-formed.
        bar.set_style(ProgressStyle::with_template("{spinner} {msg}, {elapsed}").unwrap());
        bar.enable_steady_tick(std::time::Duration::from_millis(100));
        Self(bar)
    }

    /// Takes it off the screen.
    pub fn finish(&self) {
        self.0.finish_and_clear();
    }
}

/// A bar for bytes, drawn only for a person who watches.
pub fn bar(what: &str, quiet: bool) -> ProgressBar {
    let bar = ProgressBar::new(0).with_message(what.to_string());
    if quiet || !std::io::stderr().is_terminal() {
        bar.set_draw_target(ProgressDrawTarget::hidden());
    }
    // Unwrap safety: the template is fixed and well-formed.
    let style = ProgressStyle::with_template("{msg} {bar:30} {bytes} of {total_bytes}, {eta} left").unwrap();
    bar.set_style(style);
    bar
}
