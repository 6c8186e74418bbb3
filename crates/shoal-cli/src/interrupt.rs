//! What an interruption costs, in words, before the program ends.
//!
//! A ledger is debited before anything is asked about the rows, so whoever stops a fit after that has paid and gets nothing.
//! The ledger shows it by itself: its entry was begun and not finished. Here is only the sentence that says so.

use std::sync::{Mutex, PoisonError};

use shoal::{Debited, Notice, Phase, Watch};
use shoal_curator::Step;
use shoal_page::text::printable;
use shoal_privacy::Delta;

use crate::arguments::Format;

/// How far the job has come with paying.
enum Cost {
    /// Nothing is debited.
    Nothing,
    /// A debit is being written.
    Paying,
    /// This was debited.
    Debited(Debited),
    /// This was debited, and the release is being written.
    Writing(Debited),
    /// The release is written.
    Written,
}

static COST: Mutex<Cost> = Mutex::new(Cost::Nothing);

fn update(change: impl FnOnce(Cost) -> Cost) {
    let mut cost = COST.lock().unwrap_or_else(PoisonError::into_inner);
    *cost = change(std::mem::replace(&mut *cost, Cost::Nothing));
}

/// The release goes out from here on.
pub fn writing() {
    update(|cost| match cost {
        Cost::Debited(debited) => Cost::Writing(debited),
        other => other,
    });
}

/// The release is out.
pub fn written() {
    update(|_| Cost::Written);
}

/// A listener that also notes what is paid.
pub struct Interruptible<W>(pub W);

impl<W: Watch> Watch for Interruptible<W> {
    fn begin(&self, phase: Phase) {
        self.0.begin(phase);
    }

    fn bytes(&self, phase: Phase, done: u64, total: u64) {
        self.0.bytes(phase, done, total);
    }

    fn step(&self, step: Step) {
        self.0.step(step);
    }

    fn end(&self, phase: Phase) {
        self.0.end(phase);
    }

    fn notice(&self, notice: &Notice) {
        self.0.notice(notice);
    }

    fn paying(&self) {
        update(|_| Cost::Paying);
        self.0.paying();
    }

    fn debited(&self, debited: &Debited) {
        update(|_| Cost::Debited(debited.clone()));
        self.0.debited(debited);
    }
}

impl Cost {
    /// The message for whoever interrupted.
    fn sentence(&self) -> String {
        let paid = |debited: &Debited| {
            let Debited { ledger, dataset, entry, epsilon, delta, .. } = debited;
            let delta = if *delta == Delta::ZERO { String::new() } else { format!(", δ = {delta}") };
            format!(
                "interrupted: ε = {epsilon}{delta} was debited from “{}” in {} before the interruption; entry {entry} is marked unfinished, and the budget is not given back",
                printable(dataset),
                printable(&ledger.display().to_string())
            )
        };
        match self {
            Self::Nothing => "interrupted: nothing was released and nothing was debited".into(),
            Self::Paying => {
                "interrupted while a ledger was being debited: `shoal ledger show` prints what is on record".into()
            }
            Self::Debited(debited) => paid(debited),
            Self::Writing(debited) => format!("{}. Some files of the release may have been written", paid(debited)),
            Self::Written => "interrupted after the release was written".into(),
        }
    }
}

/// Listens for SIGINT and SIGTERM from here on, and ends the program with what the interruption costs.
#[cfg(unix)]
pub fn listen(format: Format) {
    use signal_hook::consts::{SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;

    // Without a listener the program ends as any other does: the ledger shows the rest.
    let Ok(mut signals) = Signals::new([SIGINT, SIGTERM]) else { return };
    std::thread::spawn(move || {
        if let Some(signal) = signals.forever().next() {
            stop(signal, format);
        }
    });
}

/// Other systems end the program in their own way; the ledger shows what it cost.
#[cfg(not(unix))]
pub fn listen(_: Format) {}

/// Ends the program with the exit code of a signal. What is being written gets a moment: a debit and the files of a release
/// take milliseconds, and afterwards it is known what became of them.
#[cfg(unix)]
fn stop(signal: i32, format: Format) -> ! {
    use crate::failure::Failure;
    use std::time::{Duration, Instant};

    const PATIENCE: Duration = Duration::from_secs(10);
    let begun = Instant::now();
    let sentence = loop {
        let cost = COST.lock().unwrap_or_else(PoisonError::into_inner);
        let settled = !matches!(*cost, Cost::Paying | Cost::Writing(_));
        if settled || begun.elapsed() > PATIENCE {
            break cost.sentence();
        }
        drop(cost);
        std::thread::sleep(Duration::from_millis(5));
    };
    let exit = u8::try_from(128 + signal).unwrap_or(u8::MAX);
    Failure::interrupted(&sentence, exit).print(format);
    std::process::exit(exit.into());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_moment_has_its_sentence() {
        assert!(Cost::Nothing.sentence().contains("nothing was debited"));
        assert!(Cost::Paying.sentence().contains("shoal ledger show"));
        assert!(Cost::Written.sentence().contains("was written"));
    }
}
