//! What can go wrong with a ledger, in messages that a reader can act on.

use shoal_privacy::Parameter;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use shoal_privacy::ledger::{Balance, Debit};

use crate::names::{LONGEST_NAME, quoted};
use crate::origin::Unit;

/// Why a ledger could not be opened, read or written. Nothing was released, and unless a message says otherwise
/// nothing was changed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LedgerError {
    /// No file there.
    #[error("there is no ledger at {}; make one with `shoal ledger init`, or check the path", path.display())]
    Missing {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// Something that is not a ledger.
    #[error("{} is not a ledger: it is {found}; it was left untouched, give another path for the ledger", path.display())]
    NotALedger {
        /// The file.
        path: PathBuf,
        /// What it is instead.
        found: &'static str,
    },
    /// Written by a newer program.
    #[error(
        "{} is a ledger of format {found}, and this program knows formats up to {known}; it was left untouched, use a newer version of shoal",
        path.display()
    )]
    NewerFormat {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: i64,
        /// The newest format that this program knows.
        known: i64,
    },
    /// A ledger whose content makes no sense.
    #[error(
        "the ledger {} is damaged ({what}); nothing may be spent from it: restore a copy that holds every release made so far",
        path.display()
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What was found.
        what: String,
    },
    /// Another program holds the ledger.
    #[error(
        "the ledger {} was in use by another program for {} seconds; nothing was debited, try again when that program is done",
        path.display(),
        waited.as_secs_f64()
    )]
    Busy {
        /// The file.
        path: PathBuf,
        /// How long was waited.
        waited: Duration,
    },
    /// No permission to write.
    #[error(
        "the ledger {} cannot be written ({what}); nothing was debited, so nothing may be released: give yourself permission to write the file and its folder, where a journal is kept while writing",
        path.display()
    )]
    ReadOnly {
        /// The file.
        path: PathBuf,
        /// The system's word.
        what: String,
    },
    /// The file was renamed or deleted while it was open.
    #[error(
        "the ledger {} was moved, replaced or deleted while it was open; nothing was debited, open it again at its new place",
        path.display()
    )]
    Moved {
        /// Where it was.
        path: PathBuf,
    },
    /// No room, no permission, no folder, a failing disk.
    #[error("the ledger {} could not be used: {what}; nothing was released, repair this and run again (`shoal ledger show` prints what is on record)", path.display())]
    Storage {
        /// The file.
        path: PathBuf,
        /// The system's word.
        what: String,
    },
    /// An empty name.
    #[error("a data set needs a name; give one to three words that its people would recognise")]
    NoName,
    /// A name without end.
    #[error("the data set's name has {length} characters; give one of at most {LONGEST_NAME}")]
    LongName {
        /// Its length.
        length: usize,
    },
    /// A budget of nothing.
    #[error("a budget of ε = 0 would refuse every release; give the ε that all releases together may spend, such as 1")]
    NoBudget,
    /// An exact fraction of hundreds of digits.
    #[error("an amount with {digits} digits cannot be kept exactly; give one with fewer decimals")]
    UnwieldyAmount {
        /// Digits of numerator and denominator.
        digits: usize,
    },
    /// A second budget for the same data set.
    #[error(
        "{} is in the ledger already, with ε = {} and δ = {} in total; see it with `shoal ledger show`, or choose another name if these are other people",
        quoted(dataset),
        balance.epsilon_total,
        balance.delta_total
    )]
    AlreadyEntered {
        /// Its name.
        dataset: String,
        /// Its budget.
        balance: Box<Balance>,
    },
    /// A data set that was never entered.
    #[error("{} is not in the ledger{}", quoted(dataset), what_is(close, known))]
    UnknownDataset {
        /// The name asked for.
        dataset: String,
        /// Names that resemble it, closest first.
        close: Vec<String>,
        /// Some names in the ledger.
        known: Vec<String>,
    },
    /// A table that the ledger knows by another name.
    #[error(
        "this table is in the ledger as {}, under which its releases add up; nothing was debited, run with {} {known}",
        quoted(known),
        Parameter::new("dataset")
    )]
    KnownTable {
        /// The name under which it is known.
        known: String,
    },
    /// Another table under a name that is taken.
    #[error(
        "{} is another table in the ledger than this one, which has other content; nothing was debited. If both hold the same \
         people (a new export, another year), what is released from them adds up: run with {} {dataset}. If these are other \
         people, enter them under a name of their own with `shoal ledger init` and give it with {}",
        quoted(dataset),
        Parameter::new("people"),
        Parameter::new("dataset")
    )]
    OtherTable {
        /// The name.
        dataset: String,
    },
    /// A release that protects something else than those before it.
    #[error(
        "the budget of {} is about {kept}, and this release is about {asked}: their losses do not add up to anything; nothing \
         was debited. Run it as those before ({}), or enter a budget for this kind of release in another ledger, and add \
         the two up yourself",
        quoted(dataset),
        how(*kept)
    )]
    OtherUnit {
        /// The data set.
        dataset: String,
        /// What its entries are about.
        kept: Unit,
        /// What this one is about.
        asked: Unit,
    },
    /// No randomness for the secret of a ledger.
    #[error(
        "the operating system gave no random bytes for the ledger's secret ({what}); nothing was debited, try again"
    )]
    NoRandomness {
        /// The system's word.
        what: String,
    },
    /// More than is left.
    #[error(transparent)]
    Overspent(Box<Overspent>),
}

impl LedgerError {
    /// A short name of the reason that stays the same between versions.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Missing { .. } => "ledger-missing",
            Self::NotALedger { .. } => "not-a-ledger",
            Self::NewerFormat { .. } => "ledger-newer-format",
            Self::Damaged { .. } => "ledger-damaged",
            Self::Busy { .. } => "ledger-busy",
            Self::ReadOnly { .. } => "ledger-read-only",
            Self::Moved { .. } => "ledger-moved",
            Self::Storage { .. } => "ledger-storage",
            Self::NoName => "dataset-no-name",
            Self::LongName { .. } => "dataset-long-name",
            Self::NoBudget => "no-budget",
            Self::UnwieldyAmount { .. } => "unwieldy-amount",
            Self::AlreadyEntered { .. } => "dataset-already-entered",
            Self::UnknownDataset { .. } => "unknown-dataset",
            Self::KnownTable { .. } => "table-known-by-another-name",
            Self::OtherTable { .. } => "other-table",
            Self::OtherUnit { .. } => "other-unit-in-ledger",
            Self::NoRandomness { .. } => "no-system-randomness",
            Self::Overspent(..) => "budget-exceeded",
        }
    }
}

/// A debit that does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overspent {
    /// What was asked.
    pub debit: Debit,
    /// What there was.
    pub balance: Balance,
}

impl std::error::Error for Overspent {}

impl fmt::Display for Overspent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { debit, balance } = self;
        let epsilon_left = balance.epsilon_left();
        let delta_left = balance.delta_left();
        let epsilon_fits = debit.epsilon <= epsilon_left;
        let name = quoted(&debit.dataset);
        if epsilon_left.amount().is_zero() && !epsilon_fits {
            write!(
                f,
                "asked for ε = {}, but the budget of {name}, ε = {}, is spent",
                debit.epsilon, balance.epsilon_total
            )?;
            return write!(
                f,
                "; nothing was debited. More would take a new budget, granted knowingly by the owner of the data and entered under a new name with `shoal ledger init`"
            );
        }
        let mut fixes = Vec::new();
        let mut asked = Vec::new();
        if !epsilon_fits {
            let left = epsilon_left.amount().display_down();
            asked.push(format!(
                "asked for ε = {}, but only ε = {left} of {} is left",
                debit.epsilon, balance.epsilon_total
            ));
            fixes.push(format!("{} {left} or less", Parameter::EPSILON));
        }
        if *debit.delta.amount() > delta_left {
            let left = delta_left.display_down();
            asked
                .push(format!("asked for δ = {}, but only δ = {left} of {} is left", debit.delta, balance.delta_total));
            fixes.push(if delta_left.is_zero() {
                "a method that needs no δ".into()
            } else {
                format!("{} {left} or less", Parameter::DELTA)
            });
        }
        write!(f, "{} for {name}; nothing was debited, run with {}", asked.join(", and "), fixes.join(" and "))
    }
}

/// How a release about this unit is asked for.
fn how(unit: Unit) -> String {
    let (person, public) = (Parameter::PERSON, Parameter::new("rows-public"));
    match unit {
        Unit::Row => format!("without {person} and {public}"),
        Unit::Person => format!("with {person}"),
        Unit::ReplacedRow => format!("with {public}"),
        Unit::ReplacedPerson => format!("with {person} and {public}"),
        Unit::Record => "as a report".into(),
    }
}

fn what_is(close: &[String], known: &[String]) -> String {
    let list = |names: &[String]| names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", ");
    match (close, known) {
        ([], []) => ", which has no data set yet; enter it with `shoal ledger init`".into(),
        ([], some) => format!("; it has {}: choose one, or enter yours with `shoal ledger init`", list(some)),
        (close, _) => format!("; did you mean {}? If not, enter it with `shoal ledger init`", list(close)),
    }
}

#[cfg(test)]
mod tests {
    use shoal_privacy::Delta;

    use super::*;

    fn refusal(asked: (&str, &str), spent: (&str, &str), total: (&str, &str)) -> String {
        let debit = Debit {
            dataset: "visits".into(),
            epsilon: asked.0.parse().unwrap(),
            delta: asked.1.parse().unwrap(),
            purpose: String::new(),
        };
        let balance = Balance {
            epsilon_total: total.0.parse().unwrap(),
            delta_total: total.1.parse::<Delta>().unwrap(),
            epsilon_spent: spent.0.parse().unwrap(),
            delta_spent: spent.1.parse().unwrap(),
        };
        Overspent { debit, balance }.to_string()
    }

    #[test]
    fn a_refusal_says_what_would_fit() {
        assert_eq!(
            refusal(("1", "0"), ("1.6", "0"), ("2", "0")),
            "asked for ε = 1, but only ε = 0.4 of 2 is left for “visits”; nothing was debited, run with `epsilon` 0.4 or less"
        );
        assert_eq!(
            refusal(("1", "1e-6"), ("0", "0"), ("2", "0")),
            "asked for δ = 1e-6, but only δ = 0 of 0 is left for “visits”; nothing was debited, run with a method that needs no δ"
        );
        assert_eq!(
            refusal(("3", "1e-5"), ("0", "0"), ("2", "1e-6")),
            "asked for ε = 3, but only ε = 2 of 2 is left, and asked for δ = 1e-5, but only δ = 1e-6 of 1e-6 is left for “visits”; nothing was debited, run with `epsilon` 2 or less and `delta` 1e-6 or less"
        );
    }

    #[test]
    fn a_spent_budget_offers_no_way_round() {
        let message = refusal(("0.1", "0"), ("2", "0"), ("2", "0"));
        assert!(message.starts_with("asked for ε = 0.1, but the budget of “visits”, ε = 2, is spent"), "{message}");
        assert!(message.contains("owner of the data"), "{message}");
        assert!(!message.contains("`epsilon`"), "{message}");
    }
}
