//! Why a job of split trust was refused or ended.

use shoal_privacy::Epsilon;
use shoal_split::{CharterError, NotVerified, TranscriptError, Why};

/// Why a job of split trust was refused or ended.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SplitError {
    /// A charter that is none.
    #[error(transparent)]
    Charter(#[from] CharterError),
    /// A transcript that is none.
    #[error(transparent)]
    Transcript(#[from] TranscriptError),
    /// A transcript that does not hold.
    #[error(transparent)]
    NotVerified(#[from] NotVerified),
    /// Settings of an order that are none of this program's.
    #[error("the settings of this run were not written by this program: {why}; use the version of Shoal that ran it")]
    Settings {
        /// What is wrong.
        why: String,
    },
    /// An ε beyond the charter's.
    #[error(
        "the charter allows ε = {most} for a run, and {asked} was asked for; ask for less, or agree on another charter"
    )]
    OverCharter {
        /// As asked.
        asked: Epsilon,
        /// The charter's.
        most: Epsilon,
    },
    /// A custodian's limit.
    #[error("a table for every custodian of the charter is needed: {custodians} custodians, {tables} tables")]
    Tables {
        /// In the charter.
        custodians: usize,
        /// As given.
        tables: usize,
    },
    /// Another party ended the run.
    #[error("the run was ended: {party} {}. {spent}", why.words())]
    Ended {
        /// Who ended it, or was late.
        party: String,
        /// Why.
        why: Why,
        /// What had been spent.
        spent: String,
    },
    /// The model is not the one of the transcript.
    #[error(
        "the transcript holds, and the model is another one than it gives: {what} differs. It was computed with other settings, another version of Shoal, or changed"
    )]
    OtherModel {
        /// What differs.
        what: &'static str,
    },
    /// Rounds that the method does not ask for.
    #[error(
        "the transcript has {rounds} more rounds than the method asks for; what they released is no part of the model"
    )]
    RoundsLeft {
        /// How many.
        rounds: usize,
    },
}

impl SplitError {
    /// A short name of the reason that stays the same between versions.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Charter(error) => error.code(),
            Self::Transcript(_) => "transcript-unreadable",
            Self::NotVerified(_) => "transcript-does-not-hold",
            Self::Settings { .. } => "split-settings",
            Self::OverCharter { .. } => "over-charter",
            Self::Tables { .. } => "split-tables",
            Self::Ended { .. } => "run-ended",
            Self::OtherModel { .. } => "other-model",
            Self::RoundsLeft { .. } => "rounds-left",
        }
    }
}
